"""What of a preview goes into a manifest that is applied, by `kubectl apply`, GitOps or kustomize.

A manifest takes less than a pod does. Beside `envFrom` an entry of fastload's is followed by others of the same name,
which give way to what a ConfigMap or Secret says (see webhook/patch/env.py). The API server takes that in a pod that is
created. In a manifest `name` is the key by which entries are merged: server-side apply refuses a second entry of a
name, and `kubectl apply` merges it away as soon as something changes. One of the two alone would overrule the user's
value, or set nothing. So such a template stays as it is, and its pods are for the webhook.
"""

from collections import Counter
from collections.abc import Iterator

from webhook.patch.operation import Operation
from webhook.plan.types import Status
from webhook.preview.contract import Placed
from webhook.preview.notes import Remark, Topic


def is_applicable(placed: Placed) -> bool:
    """Tells whether a template's patch goes into its manifest.

    A template that nobody opted in and that nothing is done to is not marked as skipped either: a mark in a manifest
    makes new pods.
    """
    left_alone = placed.tuned.plan.status is Status.SKIPPED and not placed.opted_in
    return not left_alone and not _repeats_names(placed)


def explain_inapplicable(placed: Placed) -> Iterator[Remark]:
    """Yields a note where a template's patch would repeat names in a manifest."""
    if _repeats_names(placed):
        source = placed.source
        yield Remark(
            code=Topic.ONLY_IN_PODS,
            text=f"{source.kind} {source.name or '(unnamed)'} stays as it is in a manifest: its container takes names "
            "from envFrom, and what makes way for those repeats names in env, which a pod may have and a manifest that "
            "is applied may not. The webhook tunes its pods as they are created.",
            file=source.file,
            document=source.document,
        )


def _repeats_names(placed: Placed) -> bool:
    counts = Counter(entry["name"] for operation in placed.patch for entry in _env_entries(operation))
    return any(count > 1 for count in counts.values())


def _env_entries(operation: Operation) -> Iterator[dict[str, object]]:
    path = operation.path.removesuffix("/-")
    if path.endswith("/env"):
        yield from operation.value if path == operation.path else (operation.value,)
