"""The sentences of an estimate's notes."""

from collections.abc import Iterable

from webhook.plan.estimate_types import Explained, Note

_SENTENCES = {
    Note.NOT_STREAMED: "As far as the pod tells, the weights do not come through the streamer, so nothing is known of "
    "their time and fastload does not change it.",
    Note.SHARDS_UNKNOWN: "The size of the model is not known, so the time of its weights is not either.",
    Note.NETWORK_UNKNOWN: "The pod's share of a node's network is not known, so the time of its weights is not either.",
    Note.STORE_UNKNOWN: "The speed of the object store is not known: only AWS's own S3 was published.",
    Note.SETTINGS_UNKNOWN: "Settings of the streamer are not in the pod before it runs, so the time of the weights is "
    "not known.",
    Note.MEMORY_SHORT: "Untouched, the streamer's buffers and requests do not fit the container's memory, and the pod "
    "may be killed as it reads: there is no time to compare with.",
    Note.VERSION_UNKNOWN: "The streamer's version is not known; the range spans all of them.",
    Note.SEVERAL_TYPES: "The pod may land on several instance types; the range spans all of them.",
    Note.FAR_FROM_PUBLISHED: "The loads that were published are 67 GiB and 203 GB on p5; this one is unlike them, so "
    "the range is wide.",
    Note.SLOW_REQUESTS: "Untouched, the larger published load was far slower than its requests explain. Nothing tells "
    "whether its size or its ranks made it so; the range spans either.",
    Note.ENV_HIDDEN: "Environment that is not in the pod may hold settings of its own; the estimate takes it that it "
    "holds none.",
    Note.COMPILE_OF_ANOTHER_MODEL: "Compiling was published for two models on p5; the range spans both.",
    Note.COMPILE_UNKNOWN: "What this engine compiles was never published; what its caches save comes on top.",
    Note.CACHE_IS_THE_USERS: "The compile cache is the user's own: whether it is warm is not known, and fastload does "
    "not change it.",
    Note.PRICE_UNKNOWN: "No price is known for the pod's share of a node.",
}


def explain(notes: Iterable[Note]) -> tuple[Explained, ...]:
    """Returns each note once, with its sentence."""
    return tuple(Explained(note, _SENTENCES[note]) for note in dict.fromkeys(notes))
