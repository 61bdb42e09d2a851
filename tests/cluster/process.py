"""A server process of the control plane, which never outlives the tests."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from demo.webhook import tethered


class ServerProcess:
    """A running program, its output in a log file.

    It leads a process group of its own: Ctrl-C in the terminal reaches the tests alone, which then stop their servers
    in order. Should the tests be killed, the kernel kills the program too. Start it from a thread that lives as long as
    the server shall: the kernel takes the end of that thread for the end of the parent.

    Args:
        program: the path of the program; its name is the name of the process.
        arguments: what follows the program on its command line.
        folder: where `NAME.log` is written, and the program's working directory.
        environment: all of the program's environment.
    """

    def __init__(
        self, program: Path, arguments: Sequence[str], *, folder: Path, environment: Mapping[str, str]
    ) -> None:
        self.name = program.name
        self._command = tethered([str(program), *arguments])
        self._folder = folder
        self._environment = dict(environment)
        self._log = folder / f"{self.name}.log"
        self.start()

    def start(self) -> None:
        """Run the program; after a `stop`, once more. Its log goes on where it ended."""
        self._stopped = False
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env=self._environment,
                process_group=0,
            )

    def log(self, lines: int = 0) -> str:
        """Return the last lines of what the program wrote to standard output and standard error; by default, all."""
        text = self._log.read_text(errors="replace").splitlines()
        return "\n".join(text[-lines:])

    def require_running(self) -> None:
        """Raise a ChildProcessError with the end of the log if the program has ended by itself."""
        status = self._process.poll()
        if status is not None and not self._stopped:
            raise ChildProcessError(f"{self.name} ended with status {status}:\n{self.log(20)}")

    def kill(self) -> None:
        """End the program without a word, as the kernel does where memory runs out."""
        self._stopped = True
        self._process.kill()
        self._process.wait()

    def stop(self, grace_s: float) -> None:
        """Ask the program to end, and kill its process group if it still runs `grace_s` seconds later."""
        self._stopped = True
        self._process.terminate()
        try:
            self._process.wait(grace_s)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
