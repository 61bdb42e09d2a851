/**
 * The contract's enumerated words, as people say them.
 */

/** @type {Record<string, string>} */
export const STATUS = { injected: "tuned", partial: "tuned in part", skipped: "left alone" };

/** Of a pod that has fastload's settings already. */
export const ALREADY = "already tuned: nothing to add";

/** @type {Record<string, string>} */
export const PART = {
  tuned: "tuned",
  "already-tuned": "already tuned",
  "as-set": "as you set it",
  "nothing-to-add": "nothing to add",
  "not-known": "not known yet",
  kept: "yours, kept",
  "left-alone": "left alone",
};

/**
 * What became of a pod, in words.
 * @param {any} pod
 */
export function statusOf(pod) {
  return pod.already_tuned ? ALREADY : (STATUS[pod.status] ?? pod.status);
}

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
