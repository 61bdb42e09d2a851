/**
 * Which names look as if their values were secret.
 */

export const MASK = "••••••";

const SECRET = /^(TOKENS?|KEYS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|CREDS|AUTH|AUTHORIZATION|COOKIE|PRIVATE)$/;
const SECRET_END = /(TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|APIKEY|ACCESSKEY)$/;
/** Words that make tokens and keys something to count. */
const COUNTED = /^(MAX|MIN|NUM|BATCHED|COUNT|LEN|LENGTH|PER)$/;

/**
 * Whether an environment variable, a flag or a key looks as if its value were secret.
 * @param {string} name
 */
export function looksSecret(name) {
  const words = name.replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase().split(/[^A-Z0-9]+/).filter(Boolean);
  if (words.some((word) => COUNTED.test(word))) return false;
  return words.some((word) => SECRET.test(word)) || SECRET_END.test(words.at(-1) ?? "");
}
