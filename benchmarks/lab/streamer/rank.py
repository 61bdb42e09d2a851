"""One rank of an engine: reads its part of a model through the streamer, as vLLM does, and says how that went.

It runs in the lab's own Python and imports nothing else of the project. `read_model` wants the streamer's version on
the path, and its settings in the environment.
"""

import fnmatch
import resource
import time
from pathlib import PurePosixPath
from typing import IO


def read_model(channel: IO[str], uri: str, pattern: str) -> dict[str, object]:
    """Says `ready` once all is imported, reads the model after the next line, and returns what came of it."""
    from runai_model_streamer import SafetensorsStreamer, list_safetensors  # noqa: PLC0415 (its path is set just before)

    def read() -> int:
        """Each tensor is dropped once it is there, as if it had gone to a GPU."""
        files = [file for file in list_safetensors(uri) if fnmatch.fnmatchcase(PurePosixPath(file).name, pattern)]
        with SafetensorsStreamer() as streamer:
            streamer.stream_files(files)
            return sum(tensor.numel() for _, tensor in streamer.get_tensors())

    base = _peak_mib()
    channel.write("ready\n")
    channel.flush()
    channel.readline()
    started, tensors, fault = time.monotonic(), 0, None
    try:
        tensors = read()
    except Exception as error:  # noqa: BLE001 (whatever fails a load is what the lab wants to know)
        fault = f"{type(error).__name__}: {error}"
    seconds = time.monotonic() - started
    return {"seconds": seconds, "bytes": tensors, "fault": fault, "base_mib": base, "peak_mib": _peak_mib()}


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
