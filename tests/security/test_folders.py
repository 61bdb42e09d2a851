"""A compile cache is code that runs, so no pod gets a folder that is not below its own namespace's."""

import re
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.patched import additions, apply
from tests.pods import pods
from tests.reviews import patch_of
from tests.security.scenes import ROOTS, answer_to

Json = dict[str, Any]

KEY = "[0-9a-f]{24}"
LIKE_A_KEY = "0123456789abcdef01234567"
# Parts of a path that lead elsewhere somewhere: upwards, by a link, or to another reader's eyes.
PARTS = st.sampled_from(
    [
        *(
            "..",
            ".",
            "",
            "victim",
            "serving",
            LIKE_A_KEY,
            LIKE_A_KEY.upper(),
            "a" * 300,
            "\0",
            "\n",
            "\t",
            " ..",
            ".. ",
        ),
        *("\u2024\u2024", "\uff0e\uff0e", "\u2215etc", "\uff0f", "..\u200b", "\u202e", "caf\u00e9", "cafe\u0301"),
        *("%2e%2e", "..\\", "~", "$(X)", "${X}", "a b", "-", "_", "..a", "a.."),
    ]
) | st.text(max_size=8)
STARTS = st.sampled_from(
    [*ROOTS, f"{ROOTS[0]}-beside", f"{ROOTS[0]}/..", f"{ROOTS[0]}//", f"{ROOTS[1]}/../cache", "", "/", "/etc"]
)
PATHS = st.builds(lambda start, parts: "/".join((start, *parts)), STARTS, st.lists(PARTS, max_size=6))
NAMESPACES = st.sampled_from(["serving", "a", LIKE_A_KEY, "victim", "x" * 63]) | PARTS


def asking(pod: Json, cache_path: str | None) -> Json:
    notes = {"fastload.dev/inject": "true"}
    if cache_path is not None:
        notes["fastload.dev/cache-path"] = cache_path
    return {**pod, "metadata": {**(pod.get("metadata") or {}), "annotations": notes}}


def folders(pod: Json, namespace: str) -> list[str]:
    """The folders of the node that a patch adds; what the pod had stays."""
    after = apply(pod, patch_of(answer_to(pod, namespace=namespace)))
    assert all(pointer.startswith(("/metadata/annotations", "/spec/")) for pointer in additions(pod, after))
    added = (after["spec"].get("volumes") or [])[len(pod["spec"].get("volumes") or []) :]
    return [volume["hostPath"]["path"] for volume in added if "hostPath" in volume]


def engine() -> Json:
    container = {"name": "vllm", "image": "vllm/vllm-openai:v0.11.0", "command": ["vllm", "serve", "s3://models/llm"]}
    return {"spec": {"containers": [{**container, "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pod=st.just(engine()) | pods(), path=st.none() | PATHS, namespace=NAMESPACES)
def test_every_folder_lies_below_a_root_and_the_namespace(pod: Json, path: str | None, namespace: str) -> None:
    for folder in folders(asking(pod, path), namespace):
        root = next(root for root in ROOTS if folder.startswith(f"{root}/"))
        assert re.fullmatch("[a-z0-9-]+", namespace)
        found = re.fullmatch(rf"{re.escape(f'{root}/{namespace}')}((?:/[A-Za-z0-9._-]+)*)/{KEY}", folder)
        assert found, folder
        # Nothing on the way leads upwards or through a folder that pods write into, where a link may stand.
        assert not any(part in {".", ".."} or re.fullmatch(KEY, part) for part in found[1].split("/"))


def test_no_folder_of_one_namespace_lies_in_anothers() -> None:
    # Namespaces named like a cache's own folder, like parts of the roots, and like each other's beginning.
    names = ("victim", "victi", LIKE_A_KEY, "fastload", "data")
    paths = (None, *ROOTS, *(f"{root}/{name}" for root in ROOTS for name in names))
    found = {name: {f"{each}/" for path in paths for each in folders(asking(engine(), path), name)} for name in names}
    assert all(len(own) > len(ROOTS) for own in found.values())
    for name, own in found.items():
        others = {folder for other in names if other != name for folder in found[other]}
        assert not [(one, other) for one in own for other in others if one.startswith(other) or other.startswith(one)]
