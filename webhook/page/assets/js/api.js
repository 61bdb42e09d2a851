/**
 * `POST preview`, one request after the other. The path is relative, so a proxy may put a prefix before it.
 */

/** How often a busy server is asked again, as it says to. */
const TRIES = 20;
/** From so many characters on, a server may have hung up because of them. */
const LARGE = 1_000_000;

/**
 * @typedef {object} Problem Problem details of RFC 9457, and where in the input the problem lies.
 * @property {number} status
 * @property {string} detail
 * @property {number} [document]
 * @property {number} [line]
 * @property {string} [path]
 */

/** What the server refused, in its own words. */
export class ProblemError extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/**
 * Asks for a preview.
 * @param {string} manifest
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @returns {Promise<Response>}
 * @throws {ProblemError} it was refused
 */
export async function preview(manifest, query, signal) {
  for (let left = TRIES; ; left -= 1) {
    const reply = await send(manifest, query, signal);
    if (reply.ok) return reply;
    if (reply.status !== 503 || left === 0) throw new ProblemError(await problemOf(reply));
    await pause(Number(reply.headers.get("retry-after")) || 1, signal);
  }
}

/**
 * @param {string} manifest
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
async function send(manifest, query, signal) {
  const asked = query.toString();
  const headers = { "content-type": "application/yaml" };
  try {
    return await fetch(asked ? `preview?${asked}` : "preview", { method: "POST", body: manifest, headers, signal });
  } catch (fault) {
    if (signal.aborted) throw fault;
    const size = manifest.length > LARGE ? ` Or are ${(manifest.length / 1e6).toFixed(1)} MB more than it takes?` : "";
    throw new ProblemError({ status: 0, detail: `fastload did not answer. Is the port-forward still running?${size}` });
  }
}

/**
 * @param {Response} reply
 * @returns {Promise<Problem>}
 */
async function problemOf(reply) {
  const said = await reply.json().catch(() => null);
  if (typeof said?.detail === "string") return said;
  return { status: reply.status, detail: `the server answered ${reply.status} ${reply.statusText}`.trim() };
}

/**
 * @param {number} seconds
 * @param {AbortSignal} signal
 */
function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
