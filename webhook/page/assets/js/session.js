/**
 * One preview: the decision, then, when somebody asks for it, the manifest as it would be.
 */

import { preview } from "./api.js";
import { toQuery } from "./options.js";

export class Session {
  /**
   * @param {string} manifest
   * @param {Record<string, string>} options
   */
  constructor(manifest, options) {
    this.manifest = manifest;
    this.options = options;
    this.controller = new AbortController();
    /** @type {Promise<string> | null} */
    this.written = null;
    /** @type {Promise<any>} */
    this.decided = this.ask({ patched: "false" }).then((reply) => reply.json());
  }

  /** The manifest with every change in it; asked for once, after the decision: fastload takes few previews at a time. */
  annotated() {
    this.written ??= this.decided.then(() => this.ask({ output: "yaml" })).then((reply) => reply.text());
    return this.written;
  }

  /** Gives up on what is under way. */
  abandon() {
    this.controller.abort();
  }

  /** @param {Record<string, string>} how */
  ask(how) {
    return preview(this.manifest, toQuery(this.options, how), this.controller.signal);
  }
}
