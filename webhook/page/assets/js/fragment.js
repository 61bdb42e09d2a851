/**
 * Input and options in the fragment of a link, which browsers send to nobody.
 *
 * `#z=` is deflated JSON, `#j=` plain JSON where the browser cannot deflate; both in base64 for URLs.
 */

/** Longer links are cut by chat programs and mail. */
export const LONGEST_LINK = 32_000;
/** What a link may unpack to, in characters: a small link must not fill the memory. */
const LARGEST_CONTENT = 8 * 2 ** 20;

/**
 * @typedef {object} Shared
 * @property {string} manifest
 * @property {Record<string, string>} options
 */

/**
 * @param {Shared} shared
 * @returns {Promise<string>} the fragment, with its `#`
 */
export async function encode(shared) {
  const bytes = new TextEncoder().encode(JSON.stringify({ m: shared.manifest, o: shared.options }));
  if (!("CompressionStream" in globalThis)) return `#j=${toBase64(bytes)}`;
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return `#z=${toBase64(new Uint8Array(await new Response(packed).arrayBuffer()))}`;
}

/**
 * @param {string} fragment
 * @returns {Promise<Shared | null>} null where it holds nothing of ours
 * @throws {Error} it is damaged or too large; the message says so
 */
export async function decode(fragment) {
  const [, kind, content] = /^#([zj])=([\w-]+)$/.exec(fragment) ?? [];
  if (!kind) {
    if (/^#[zj]=/.test(fragment)) throw damaged();
    return null;
  }
  try {
    const text = kind === "z" ? await inflate(fromBase64(content)) : new TextDecoder().decode(fromBase64(content));
    const { m, o } = JSON.parse(text);
    if (typeof m !== "string" || typeof o !== "object" || o === null) throw damaged();
    const options = Object.entries(o).filter(([, value]) => typeof value === "string");
    return { manifest: m, options: Object.fromEntries(options) };
  } catch (fault) {
    if (fault instanceof RangeError) throw new Error("The link unpacks to more than a manifest can be.");
    throw damaged();
  }
}

function damaged() {
  return new Error("The link is damaged: a part of it may have been cut off. Ask for it again, or for the file.");
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<string>}
 */
async function inflate(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    if (text.length > LARGEST_CONTENT) {
      await reader.cancel();
      throw new RangeError("too large");
    }
  }
  return text + decoder.decode();
}

/** @param {Uint8Array} bytes */
function toBase64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text */
function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}
