/**
 * Manifests that are one click away, and what to assume for each: their buckets are not the reader's.
 */

const OFFLINE = { offline: "true" };

/** @type {{file: string, title: string, options: Record<string, string>}[]} */
export const EXAMPLES = [
  {
    file: "published-64-gb.yaml",
    title: "64 GB on vLLM, as published",
    options: { ...OFFLINE, shards: "17", "model-size": "67Gi" },
  },
  {
    file: "sglang.yaml",
    title: "SGLang over two nodes",
    options: { ...OFFLINE, shards: "64", "model-size": "700Gi" },
  },
  { file: "script.yaml", title: "A script left alone", options: { ...OFFLINE } },
];
