/**
 * Where a pointer leads in a stream of JSON.
 */

import { keys } from "./locate.js";

/**
 * Finds the value that a pointer leads to.
 * @param {string} text a stream of JSON values
 * @param {number} document from 1
 * @param {string} pointer
 * @returns {{start: number, end: number} | null} offsets; null where the text is no JSON, or has no such value
 */
export function locateJson(text, document, pointer) {
  const scanner = new Scanner(text);
  try {
    for (let number = 1; ; number += 1) {
      if (number < document) scanner.value();
      else return scanner.find(keys(pointer));
    }
  } catch (fault) {
    if (fault instanceof SyntaxError) return null;
    throw fault;
  }
}

/** Goes through JSON from value to value without building any. */
class Scanner {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** Goes past one value. @returns {{start: number, end: number}} */
  value() {
    const start = this.space();
    if (this.text[start] === "{" || this.text[start] === "[") this.each(() => void this.value());
    else this.match(/"(?:[^"\\]|\\.)*"|[-+\w.]+/y);
    return { start, end: this.at };
  }

  /**
   * @param {string[]} path
   * @returns {{start: number, end: number} | null}
   */
  find(path) {
    const [key, ...rest] = path;
    if (key === undefined) return this.value();
    /** @type {{start: number, end: number} | null} */
    let found = null;
    this.space();
    if (!"{[".includes(this.text[this.at] ?? "x")) throw new SyntaxError("no such value");
    this.each((name) => {
      if (name === key) found = this.find(rest);
      else this.value();
    });
    return found;
  }

  /**
   * Goes through the members of an object or the items of a list.
   * @param {(name: string) => void} take has to go past the member's value
   */
  each(take) {
    const named = this.text[this.at] === "{";
    this.at += 1;
    for (let index = 0; !"]}".includes(this.text[this.space()] ?? ""); index += 1) {
      let name = String(index);
      if (named) {
        name = JSON.parse(this.match(/"(?:[^"\\]|\\.)*"/y));
        this.space();
        this.match(/:/y);
      }
      take(name);
      if (this.text[this.space()] === ",") this.at += 1;
    }
    this.match(/[\]}]/y);
  }

  /** Goes past white space, and the marks that YAML wants between values. @returns {number} where it ends */
  space() {
    this.match(/(?:\s|---(?=\s))*/y);
    return this.at;
  }

  /** @param {RegExp} pattern sticky */
  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) throw new SyntaxError(`no JSON at ${this.at}`);
    this.at = pattern.lastIndex;
    return found[0];
  }
}
