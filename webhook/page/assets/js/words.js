/**
 * The contract's enumerated words, as people say them.
 */

/** @type {Record<string, string>} */
export const STATUS = { injected: "tuned", partial: "tuned in part", skipped: "left alone" };

/** @type {Record<string, string>} */
export const VERDICT = { tune: "tuned", keep: "yours, kept", skip: "left alone" };

/** @type {Record<string, string>} */
export const LAYER = {
  "node-provisioning": "Node provisioning",
  "gpu-driver": "GPU driver",
  "image-pull": "Image pull",
  weights: "Weights",
  "torch-compile": "torch.compile",
  "engine-initialisation": "Engine initialisation",
};

/** @type {Record<string, string>} */
export const SCENARIO = {
  today: "Today",
  "first-pod": "fastload, first pod of a node",
  "next-pods": "fastload, next pods",
};
