"""The cases of the lab: real pods and checkpoints, scaled down to what two cores move in seconds."""

from collections.abc import Iterator

from benchmarks.lab.streamer.case import Case, Scale, Shows
from benchmarks.lab.streamer.pods import Pod
from benchmarks.lab.streamer.stock import File, Pace
from webhook.plan.inflight import GIB, MIB
from webhook.plan.names import CHUNK, CONCURRENCY, LOW_SPEED_LIMIT, MEMORY_LIMIT, REQUEST_TIMEOUT
from webhook.plan.versions import ALL_FAMILIES, Family

_TENSOR = 16 * MIB


def _files(*sizes_mib: int, tensor: int = _TENSOR) -> tuple[File, ...]:
    """Returns shard files of these sizes, cut into tensors."""
    return tuple(
        File(f"m/model-{number:05}-of-{len(sizes_mib):05}.safetensors", _tensors(size * MIB, tensor))
        for number, size in enumerate(sizes_mib, start=1)
    )


def _tensors(size: int, tensor: int) -> tuple[int, ...]:
    whole, rest = divmod(size, tensor)
    return (tensor,) * whole + ((rest,) if rest else ())


def _ranked(ranks: int, parts: int, size_mib: int) -> tuple[File, ...]:
    """Returns the files of the sharded format."""
    return tuple(
        File(f"m/model-rank-{rank}-part-{part}.safetensors", _tensors(size_mib * MIB, _TENSOR))
        for rank in range(ranks)
        for part in range(parts)
    )


_LOW_TARGET = ("RUNAI_STREAMER_S3_TARGET_GBPS", "1")
# Those that read it: to others, the pod is one that did not set it.
_TARGETED = tuple(family for family in ALL_FAMILIES if family is not Family.UNTARGETED)
_PUBLISHED_CHUNK = ((CHUNK, str(4 * GIB)),)
_PUBLISHED_LIMIT = ((REQUEST_TIMEOUT, "3000"), (LOW_SPEED_LIMIT, str(MIB)))
_SPEED = frozenset({Shows.NOT_SLOWER, Shows.PREDICTED, Shows.SURVIVES})
_ALIVE = frozenset({Shows.NOT_SLOWER, Shows.SURVIVES})


def cases() -> tuple[Case, ...]:
    """Returns all cases, those of most weight first."""
    return (*_shapes(), *_ranks(), *_networks(), *_containers())


def _shapes() -> Iterator[Case]:
    yield Case(
        name="17 shards",
        about="the published 64 GB model, read by one rank on p5.48xlarge",
        pod=Pod(shards=17, model_size="67Gi"),
        files=_files(*[96] * 17),
        pace=Pace(connection=2e6),
        scale=Scale(size=67 * 1024 / (17 * 96), rate=20),
        shows=_SPEED,
    )
    yield Case(
        name="50 shards",
        about="the published 203 GB model, read by one of 4 ranks",
        pod=Pod(shards=50, model_size="189Gi", gpus=4),
        files=_files(*[40] * 50, tensor=8 * MIB),
        pace=Pace(connection=1.7e6),
        scale=Scale(size=189 * 1024 / (50 * 40), rate=24),
        shows=_SPEED,
    )
    yield Case(
        name="a small model",
        about="50 shards of 16 MiB, which 8 workers have in flight altogether; its size is not scaled",
        pod=Pod(shards=50, model_size="800Mi"),
        files=_files(*[16] * 50, tensor=8 * MIB),
        pace=Pace(connection=1.7e6),
        scale=Scale(rate=23),
        shows=_SPEED,
        together=True,
        against=(("50 workers", ((CONCURRENCY, "50"),)),),
    )
    yield Case(
        name="one file",
        about="16 GiB in one file, on p4d.24xlarge",
        pod=Pod(shards=1, model_size="16Gi", instance_type="p4d.24xlarge"),
        files=_files(512),
        pace=Pace(connection=2.4e6),
        scale=Scale(size=32, rate=17),
        shows=_SPEED,
        together=True,
    )
    yield Case(
        name="few large, many small",
        about="4 large shards and 24 small ones, 40 GiB in all, on p4d.24xlarge",
        pod=Pod(shards=28, model_size="40Gi", instance_type="p4d.24xlarge"),
        files=_files(*[96] * 4, *[8] * 24, tensor=8 * MIB),
        pace=Pace(connection=2.2e6),
        scale=Scale(size=40 * 1024 / 576, rate=19),
        shows=_SPEED,
        together=True,
    )
    yield Case(
        name="one worker's shard",
        about="one worker, as the user set it, and a shard of 96 GETs",
        pod=Pod(shards=1, model_size="3.75Gi", env=((CONCURRENCY, "1"),)),
        files=_files(768, tensor=64 * MIB),
        pace=Pace(connection=14e6),
        scale=Scale(size=5, rate=3),
        shows=_SPEED,
        against=(("chunk of a shard", _PUBLISHED_CHUNK),),
    )


def _ranks() -> Iterator[Case]:
    yield Case(
        name="2 ranks",
        about="TP 2, each rank reads all of 17 shards",
        pod=Pod(shards=17, model_size="67Gi", gpus=2),
        files=_files(*[24] * 17),
        pace=Pace(connection=1.5e6),
        scale=Scale(size=67 * 1024 / (17 * 24), rate=26),
        patterns=("*",) * 2,
        shows=_SPEED,
        together=True,
    )
    yield Case(
        name="4 ranks",
        about="TP 4, each rank reads all of 12 shards",
        pod=Pod(shards=12, model_size="45Gi", gpus=4),
        files=_files(*[16] * 12),
        pace=Pace(connection=1.5e6),
        scale=Scale(size=45 * 1024 / (12 * 16), rate=26),
        patterns=("*",) * 4,
        shows=_SPEED,
        together=True,
    )
    yield Case(
        name="sharded format",
        about="TP 4, each rank reads its own 3 of 12 files",
        pod=Pod(shards=12, model_size="45Gi", gpus=4, arguments=("--load-format", "runai_streamer_sharded")),
        files=_ranked(4, 3, 64),
        pace=Pace(connection=1.5e6),
        scale=Scale(size=45 * 1024 / (12 * 64), rate=26),
        patterns=tuple(f"model-rank-{rank}-*" for rank in range(4)),
        shows=_SPEED,
        together=True,
    )


def _networks() -> Iterator[Case]:
    yield Case(
        name="40 Gbit/s",
        about="g5.12xlarge, whose link and not its connections is the limit",
        pod=Pod(shards=17, model_size="67Gi", instance_type="g5.12xlarge", gpus=4),
        files=_files(*[32] * 17),
        pace=Pace(connection=3.6e6, link=120e6),
        scale=Scale(size=67 * 1024 / (17 * 32), rate=42),
        shows=_ALIVE,
        together=True,
    )
    yield Case(
        name="a third of 2.5 Gbit/s",
        about="g5.xlarge, on a link that brings a third of what it should; the network is not scaled",
        pod=Pod(shards=17, model_size="16Gi", instance_type="g5.xlarge"),
        files=_files(*[52] * 17),
        pace=Pace(connection=40e6, link=104e6),
        scale=Scale(size=16 * 1024 / (17 * 52)),
        shows=_ALIVE,
        together=True,
        against=(("published limit", _PUBLISHED_LIMIT),),
    )
    yield Case(
        name="crawling GETs",
        about="one GET in ten brings 10 kB/s for 40 s; the network is not scaled",
        pod=Pod(shards=17, model_size="67Gi"),
        files=_files(*[24] * 17),
        pace=Pace(connection=8e6, crawling=0.1, crawl_seconds=40),
        scale=Scale(size=67 * 1024 / (17 * 24)),
        shows=frozenset({Shows.CURED, Shows.SURVIVES}),
        together=True,
        rounds_at_once=4,
        quick=True,
    )
    yield Case(
        name="503s",
        about="three answers in ten are 503 SlowDown",
        pod=Pod(shards=17, model_size="67Gi"),
        files=_files(*[24] * 17),
        pace=Pace(connection=5e6, refused=0.3),
        scale=Scale(size=67 * 1024 / (17 * 24), rate=8),
        shows=frozenset({Shows.SURVIVES}),
        together=True,
    )
    yield Case(
        name="late first bytes",
        about="the first byte of each GET takes 1 s",
        pod=Pod(shards=17, model_size="67Gi"),
        files=_files(*[24] * 17),
        pace=Pace(connection=3e6, first_byte_seconds=1),
        scale=Scale(size=67 * 1024 / (17 * 24), rate=13),
        shows=_ALIVE,
        together=True,
    )


def _containers() -> Iterator[Case]:
    yield Case(
        name="little memory",
        about="a container of 2 GiB for a model of 3 GiB; nothing is scaled",
        pod=Pod(shards=16, model_size="3Gi", instance_type="g5.xlarge", memory="2Gi"),
        files=_files(*[192] * 16),
        pace=Pace(connection=10e6, link=312e6),
        memory_bytes=2 * GIB,
        shows=frozenset({Shows.FITS, Shows.SURVIVES}),
        quick=True,
    )
    yield Case(
        name="a buffer under the model",
        about="as a low target, with the streamer's own limit of 40 GB at the model's scale",
        pod=Pod(shards=17, model_size="67Gi", env=(_LOW_TARGET, (MEMORY_LIMIT, "40000000000"))),
        families=_TARGETED,
        files=_files(*[96] * 17),
        pace=Pace(connection=10e6),
        scale=Scale(size=67 * 1024 / (17 * 96), rate=4),
        shows=_SPEED,
    )
    yield Case(
        name="1024 open files",
        about="the pod's script has `ulimit -n 1024`, which 17 workers do not start under",
        pod=Pod(shards=17, model_size="67Gi", script="ulimit -n 1024"),
        files=_files(*[32] * 17),
        pace=Pace(connection=1.6e6),
        scale=Scale(size=67 * 1024 / (17 * 32), rate=25),
        open_files=1024,
        shows=_ALIVE,
        together=True,
    )
    yield Case(
        name="a low target",
        about="17 shards with S3_TARGET_GBPS=1: few GETs a worker, so that the model is many times what is in flight",
        pod=Pod(shards=17, model_size="67Gi", env=(_LOW_TARGET,)),
        families=_TARGETED,
        files=_files(*[48] * 17),
        pace=Pace(connection=8e6),
        scale=Scale(size=67 * 1024 / (17 * 48), rate=5),
        shows=_SPEED,
        quick=True,
    )
