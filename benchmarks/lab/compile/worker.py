"""What stands for the engine: compiles a small transformer and prints, as one line of JSON, what that took.

Run by the lab's own Python, which has torch and nothing of this project. It knows nothing of caches: where they lie is
said by the environment alone.
"""

import json
import sys
import time
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]  # only the lab's own Python has it
from torch._dynamo.utils import counters  # type: ignore[import-not-found,unused-ignore]  # as above

_WIDTH, _HEADS, _WORDS, _TOKENS = 64, 4, 128, 16
_TOLERANCE = 1e-4  # the largest difference from the same model run eagerly; it is near 1e-6 where all is well

Tensors = dict[str, Any]


def weights() -> Tensors:
    """Returns the weights of one block between an embedding and a head, the same ones in every process."""
    made = torch.Generator().manual_seed(7)
    shapes = {"words": (_WORDS, _WIDTH), "qkv": (3 * _WIDTH, _WIDTH), "out": (_WIDTH, _WIDTH)}
    shapes |= {"up": (4 * _WIDTH, _WIDTH), "down": (_WIDTH, 4 * _WIDTH), "head": (_WORDS, _WIDTH)}
    return {name: torch.randn(shape, generator=made) * 0.1 for name, shape in shapes.items()}


def transformer(tokens: Any, weight: Tensors) -> Any:  # noqa: ANN401 (tensors, whose type is not known here)
    """Returns the scores of the next words."""
    hidden = torch.nn.functional.embedding(tokens, weight["words"])
    many, length, _ = hidden.shape
    parts = (_normal(hidden) @ weight["qkv"].T).view(many, length, 3, _HEADS, _WIDTH // _HEADS).permute(2, 0, 3, 1, 4)
    seen = torch.nn.functional.scaled_dot_product_attention(*parts, is_causal=True)
    hidden = hidden + seen.transpose(1, 2).reshape(many, length, _WIDTH) @ weight["out"].T
    hidden = hidden + torch.nn.functional.gelu(_normal(hidden) @ weight["up"].T) @ weight["down"].T
    return _normal(hidden) @ weight["head"].T


def _normal(hidden: Any) -> Any:  # noqa: ANN401 (as above)
    return torch.nn.functional.rms_norm(hidden, (_WIDTH,))


def main() -> None:
    """Compiles, runs, compares with what the same model gives eagerly."""
    # The number of threads is written into what is compiled for a CPU; machines differ in it, and the lab's figures
    # must not.
    torch.set_num_threads(1)
    weight = weights()
    tokens = torch.arange(2 * _TOKENS).reshape(2, _TOKENS) % _WORDS
    began = time.perf_counter()
    with torch.no_grad():
        compiled = torch.compile(transformer)(tokens, weight)
        seconds = time.perf_counter() - began
        difference = float((compiled - transformer(tokens, weight)).abs().max())
    of = {group: dict(values) for group, values in counters.items()}
    counted = {
        "graph_hits": of.get("inductor", {}).get("fxgraph_cache_hit", 0),
        "graph_misses": of.get("inductor", {}).get("fxgraph_cache_miss", 0),
        "graph_bypasses": of.get("inductor", {}).get("fxgraph_cache_bypass", 0),
        "autograd_hits": of.get("aot_autograd", {}).get("autograd_cache_hit", 0),
        "autograd_misses": of.get("aot_autograd", {}).get("autograd_cache_miss", 0),
        "graphs": of.get("stats", {}).get("unique_graphs", 0),
    }
    said = {"right": difference <= _TOLERANCE, "seconds": seconds, "counters": counted}
    sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
