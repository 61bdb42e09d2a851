/**
 * Manifests from files: chosen, or dropped anywhere on the page.
 */

import { byId } from "./dom.js";

/**
 * @param {(text: string) => void} take
 * @param {(problem: string, line: number | null) => void} refuse
 */
export function acceptFiles(take, refuse) {
  const chooser = byId("file");
  byId("open").addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", async () => {
    await read(chooser.files, take, refuse);
    chooser.value = "";
  });
  const sign = byId("drop");
  addEventListener("dragover", (event) => {
    event.preventDefault();
    sign.hidden = !event.dataTransfer?.types.some((type) => type === "Files" || type === "text/plain");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) sign.hidden = true;
  });
  addEventListener("drop", async (event) => {
    event.preventDefault();
    sign.hidden = true;
    const files = event.dataTransfer?.files;
    const text = event.dataTransfer?.getData("text/plain");
    if (files?.length) await read(files, take, refuse);
    else if (text) take(text);
  });
}

/**
 * @param {FileList} files
 * @param {(text: string) => void} take
 * @param {(problem: string, line: number | null) => void} refuse
 */
async function read(files, take, refuse) {
  const texts = [];
  for (const file of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    try {
      texts.push(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      refuse(`${file.name} is not UTF-8 text. Save it as UTF-8.`, null);
      return;
    }
  }
  take(texts.map((text) => (text.endsWith("\n") || texts.length === 1 ? text : `${text}\n`)).join("---\n"));
}
