/**
 * The same preview as a command: the manifest is in it, and nothing in it is expanded by the shell.
 */

/**
 * @param {string} url
 * @param {string} manifest
 */
export function curlCommand(url, manifest) {
  let end = "END_OF_MANIFEST";
  const lines = new Set(manifest.split("\n"));
  while (lines.has(end)) end += "_";
  const body = manifest.endsWith("\n") ? manifest : `${manifest}\n`;
  return `curl -sS -H 'Content-Type: application/yaml' --data-binary @- ${quote(url)} <<'${end}'\n${body}${end}\n`;
}

/**
 * Quotes a word for POSIX shells.
 * @param {string} word
 */
export function quote(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
