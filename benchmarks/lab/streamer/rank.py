"""One rank of an engine: reads its part of a model through the streamer, as vLLM does, and says how that went.

    python rank.py s3://BUCKET/PREFIX [PATTERN]

It runs in the lab's own Python, with one version of the streamer on its path, and imports nothing else of the project.
It prints `ready` once all is imported, reads at the first line on its input, and then prints a line of JSON.
"""

import fnmatch
import json
import os
import resource
import sys
import time
from pathlib import PurePosixPath

from runai_model_streamer import SafetensorsStreamer, list_safetensors


def _main() -> None:
    uri, *pattern = sys.argv[1:]
    # The streamer prints as well: what it says goes where errors go.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print("ready", file=answers, flush=True)
    sys.stdin.readline()
    started, read, fault = time.monotonic(), 0, None
    try:
        read = _read(uri, *pattern)
    except Exception as error:  # noqa: BLE001 (whatever fails a load is what the lab wants to know)
        fault = f"{type(error).__name__}: {error}"
    seconds = time.monotonic() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    told = {"seconds": seconds, "bytes": read, "fault": fault, "base_mib": before / 1024, "peak_mib": peak / 1024}
    print(json.dumps(told), file=answers, flush=True)


def _read(uri: str, pattern: str = "*") -> int:
    """Returns the bytes of all tensors; each is dropped once it is there, as if it had gone to a GPU."""
    files = [file for file in list_safetensors(uri) if fnmatch.fnmatchcase(PurePosixPath(file).name, pattern)]
    read = 0
    with SafetensorsStreamer() as streamer:
        streamer.stream_files(files)
        for _, tensor in streamer.get_tensors():
            read += tensor.numel()
    return read


if __name__ == "__main__":
    _main()
