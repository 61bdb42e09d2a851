"""Brings up ranks: a process that has torch and boto3 already, and forks one for each connection to its socket.

    python -m benchmarks.lab.streamer.nursery SOCKET

Importing torch and boto3 takes two seconds of a core, which would be most of what the lab does. The first line of a
connection is a job in JSON (see `_Job`); then the rank speaks as in `rank.py`, its result in a line of JSON, and a last
line is the status that it ended with, negative for a signal. A rank with a memory limit starts as a program of its own
instead, so that its memory is all its own.

It runs in the lab's own Python, and imports nothing of the project but the rank, and what ties ranks to the lab: they
end with it, however it ends.
"""

import json
import os
import resource
import signal
import socket
import sys
from pathlib import Path
from typing import TypedDict

import boto3  # noqa: F401 (what all ranks share, as torch)
import torch  # noqa: F401

from benchmarks.lab.streamer.rank import read_model
from demo.tethered import tie


class _Job(TypedDict):
    path: str  # the streamer's folder
    env: dict[str, str]
    uri: str
    pattern: str
    open_files: int | None
    procs: str | None  # of the cgroup to join
    seconds: int  # it may live


def _main() -> None:
    server = socket.socket(socket.AF_UNIX)
    server.bind(sys.argv[1])
    server.listen(16)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who look after a rank
    print("ready", flush=True)
    while True:
        connection, _ = server.accept()
        if os.fork() == 0:
            server.close()
            _look_after(connection)
            os._exit(0)
        connection.close()


def _look_after(connection: socket.socket) -> None:
    tie()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with connection.makefile("r") as lines:
        job: _Job = json.loads(lines.readline())
    rank = os.fork()
    if rank == 0:
        _become(job, connection)
    _, status = os.waitpid(rank, 0)
    connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _become(job: _Job, connection: socket.socket) -> None:
    tie()
    signal.alarm(job["seconds"])
    os.environ.clear()
    os.environ.update(job["env"])
    if job["open_files"] is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (job["open_files"], job["open_files"]))
    if job["procs"] is not None:
        Path(job["procs"]).write_text(str(os.getpid()))
        os.set_inheritable(connection.fileno(), True)  # noqa: FBT003 (it has no keywords)
        again = [sys.executable, "-m", __spec__.name, "--alone", str(connection.fileno()), json.dumps(job)]
        os.execv(sys.executable, again)  # noqa: S606 (this very file)
    _speak(job, connection)


def _speak(job: _Job, connection: socket.socket) -> None:
    # The streamer prints.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.path.insert(0, job["path"])
    with connection.makefile("rw") as channel:
        channel.write(json.dumps(read_model(channel, job["uri"], job["pattern"])) + "\n")
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1] == "--alone":
        _speak(json.loads(sys.argv[3]), socket.socket(fileno=int(sys.argv[2])))
    _main()
