"""How the ranks on one node read the model: how many ranks there are, and what each of them reads."""

from math import ceil

import msgspec

from webhook.lookup.facts import SHARDED_FORMAT, Shards
from webhook.plan.inflight import Files
from webhook.plan.subject import Subject
from webhook.pod.facts import Engine
from webhook.pod.stores import store_of
from webhook.reasons import Code, Reason, because

# The load formats that vLLM streams an object-store URI with. Any other is an error there, but for modelexpress,
# which has a loader of its own (vLLM's source).
STREAMED_FORMATS = frozenset({"auto", "runai_streamer", SHARDED_FORMAT})


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What each rank of this pod reads from object storage.

    `whole` is True where every rank reads the whole model. In distributed mode the ranks share one reading of it, and a
    memory limit is the node's rather than a rank's (the streamer's source). `shards` and `files` are None where the
    look-up has no answer.
    """

    scheme: str
    ranks: int
    whole: bool
    distributed: bool
    shards: int | None
    files: Files | None


def not_streamed(subject: Subject) -> Reason | None:
    """Returns why the weights do not come through the streamer from object storage; None where they do."""
    model = subject.model
    if model is None:
        told = {"model": subject.annotation("model"), "size": subject.annotation("tensor-parallel-size")}
        return because(Code.MODEL_UNTOLD, **told)
    if store_of(model) is None:
        return because(Code.NOT_OBJECT_STORAGE, model=model)
    # SGLang streams every object-store URI, whatever its load format says (SGLang's source).
    if subject.launch.engine is Engine.VLLM and _load_format(subject) not in STREAMED_FORMATS:
        return because(
            Code.OTHER_LOAD_FORMAT, load_format=subject.launch.load_format or "(unknown before the pod runs)"
        )
    return None


def reading_of(subject: Subject) -> Reading:
    """Returns how this pod's ranks read the model, which must be in object storage."""
    ranks = local_ranks(subject)
    sharded = subject.launch.engine is Engine.VLLM and _load_format(subject) == SHARDED_FORMAT
    distributed = not sharded and ranks > 1 and _distributed(subject)
    shards, files = None, None
    found = subject.world.shards
    if isinstance(found, Shards) and found.count > 0:
        readers = (found.ranks or ranks) if sharded else ranks if distributed else 1
        shards, files = _part(found, readers)
        if sharded and found.rank_count and found.rank_bytes:
            shards, files = found.rank_count, _files(found.rank_bytes, found.largest_bytes)
    store = store_of(subject.model or "") or ""
    whole = not sharded and not distributed
    return Reading(scheme=store, ranks=ranks, whole=whole, distributed=distributed, shards=shards, files=files)


def local_ranks(subject: Subject) -> int:
    """Returns the ranks (processes that read weights) in this pod: no more than its GPUs, and at least 1.

    Where the tensor-parallel size is not known, every GPU counts as a rank; where the GPUs are not known either, all
    those of the largest candidate type do, since more ranks mean more care with memory and network.
    """
    launch, gpus = subject.launch, subject.container.gpus
    tensor = subject.tensor_parallel_size
    if tensor is None:
        return max(1, gpus or max((each.gpus for each in subject.world.candidates.types), default=1))
    stages = tensor * (launch.pipeline_parallel_size or 1)
    if launch.data_parallel_size_local is not None:
        ranks = stages * launch.data_parallel_size_local
    else:
        ranks = ceil(stages * (launch.data_parallel_size or 1) / (launch.nodes or 1))
    return max(1, min(ranks, gpus) if gpus else ranks)


def _distributed(subject: Subject) -> bool:
    """Whether the ranks share one reading: asked for in vLLM, by itself in SGLang, and never against the user's env."""
    if subject.env.values.get("RUNAI_STREAMER_DIST") == "0":
        return False
    asked = subject.launch.loader.distributed
    return bool(asked) if subject.launch.engine is Engine.VLLM else asked is not False


def _part(shards: Shards, readers: int) -> tuple[int, Files]:
    return ceil(shards.count / readers), _files(ceil(shards.total_bytes / readers), shards.largest_bytes)


def _files(total_bytes: int, largest_bytes: int) -> Files:
    """What a rank reads: the largest file may be its own, however small its part is on average."""
    return Files(max(total_bytes, largest_bytes), largest_bytes)


def _load_format(subject: Subject) -> str:
    return (subject.launch.load_format or "").lower()
