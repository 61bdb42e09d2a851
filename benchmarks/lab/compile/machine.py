"""A node that runs the lab's pods: its disk is a folder, and each pod gets the volumes and environment it was planned.

Where no mount namespace can be had, the cache's mount path becomes the path of its folder in the environment, and home
and temporary folder are folders of the pod's; what then cannot be tried is said in `Machine.limits`.
"""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from benchmarks.lab.compile.compiler import compilations, recorder
from benchmarks.lab.compile.container import View
from benchmarks.lab.compile.ended import Ended, reason
from benchmarks.lab.compile.files import snapshot
from benchmarks.lab.compile.pods import Planned
from benchmarks.lab.compile.trace import CALLS, Touched, touched

_WORKER = Path(__file__).with_name("worker.py")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_HOME, _WORK, _TMP, _SHM, _LAB = "/home/engine", "/workspace", "/tmp", "/dev/shm", "/lab"  # noqa: S108 (the pod's own)
_LONGEST = 240  # seconds that a start may take before it counts as hanging


class StoppedError(Exception):
    """The machine was stopped while its pods were needed."""


@dataclass
class Machine:
    """What runs pods: the lab's Python, the compiler, and the folder that everything lies in."""

    folder: Path
    python: Path
    base: Path
    compiler: str
    limits: str | None
    _starts: "list[Start]" = field(default_factory=list, init=False)
    _stopped: bool = field(default=False, init=False)
    _numbers: Iterator[int] = field(default_factory=count, init=False)

    def node(self, name: str) -> Path:
        """Returns the disk of a fresh node."""
        disk = self.folder / "nodes" / name
        shutil.rmtree(disk, ignore_errors=True)
        disk.mkdir(parents=True)
        return disk

    def start(self, planned: Planned, disk: Path, *, traced: bool = False) -> "Start":
        """Starts the engine of a pod on the node of this disk; the pod's folder is fresh.

        The kubelet makes a folder that is missing as root's, mode 0755.

        Raises:
            StoppedError: see `check`.
        """
        self.check()
        start = Start(self, planned, disk, self.folder / "pods" / str(next(self._numbers)), traced=traced)
        self._starts.append(start)
        return start

    def run(self, planned: Planned, disk: Path, *, traced: bool = False) -> Ended:
        """Starts the engine of a pod and waits for its end.

        Raises:
            StoppedError: see `check`.
        """
        return self.start(planned, disk, traced=traced).wait()

    def check(self) -> None:
        """Does nothing while the machine runs.

        Raises:
            StoppedError: it was stopped, so how its pods end says nothing.
        """
        if self._stopped:
            raise StoppedError

    def stop(self) -> None:
        """Kills what still runs, and removes all that the lab made."""
        self._stopped = True
        for start in self._starts:
            start.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Start:
    """A pod that is running."""

    def __init__(self, machine: Machine, planned: Planned, disk: Path, pod: Path, *, traced: bool) -> None:
        self._machine, self._planned, self._disk, self._pod = machine, planned, disk, pod
        self._traced = traced and shutil.which("strace") is not None
        self._uid = planned.pod.uid or 0
        self._lab = pod / "lab"
        self._volumes = self._made_volumes()
        self._view = View(
            pod / "root",
            {_WORK: pod / "work", _HOME: pod / "home", _SHM: pod / "shm", _LAB: self._lab, **self._volumes},
            (machine.python.parents[1], machine.base),
            planned.pod.read_only_root,
        )
        self._prepare()
        self._before = self._seen()
        self._process = self._started()

    def wait(self) -> Ended:
        """Waits for the end, and looks at what was left. A start that hangs is killed and has the code of that.

        Raises:
            StoppedError: the machine was stopped meanwhile.
        """
        try:
            output, errors = self._process.communicate(timeout=_LONGEST)
        except subprocess.TimeoutExpired:
            self.kill()
            output, errors = self._process.communicate()
        self._machine.check()
        lines = output.splitlines()
        said = json.loads(lines[-1]) if self._process.returncode == 0 and lines else {}
        log = self._lab / "compilations"
        compiled = compilations(log.read_text(errors="replace").splitlines())
        outside = tuple(f"{place}/{name}" for place, name in sorted(self._seen() ^ self._before))
        ended = Ended(
            self._process.returncode, said, reason(errors), compiled, outside, self._traces() if self._traced else None
        )
        shutil.rmtree(self._pod)
        return ended

    def kill(self) -> None:
        """Kills every process of the pod, as the kernel does when memory is short."""
        if self.running:
            os.killpg(self._process.pid, signal.SIGKILL)

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def _made_volumes(self) -> dict[str, Path]:
        made = {}
        for path, folder in self._planned.volumes.items():
            here = self._disk / folder.lstrip("/") if folder else self._pod / f"empty{path.replace('/', '-')}"
            here.mkdir(parents=True, exist_ok=True)
            if folder is None:
                here.chmod(0o777)
            made[path] = here
        return made

    def _prepare(self) -> None:
        for folder in (self._view.root, *self._view.writable.values()):
            folder.mkdir(parents=True, exist_ok=True)
        tmp = self._view.inside(_TMP)
        tmp.mkdir()
        for folder in (tmp, self._pod / "shm", self._lab):
            folder.chmod(0o1777)
        for folder in (self._pod / "work", self._pod / "home"):
            os.chown(folder, self._uid or -1, self._uid or -1)
        self._view.prepare()
        shutil.copy(_WORKER, self._lab)
        (self._lab / "bin").mkdir()
        (self._lab / "compilations").touch()
        (self._lab / "compilations").chmod(0o666)
        script = self._lab / "bin" / "g++"
        log = str(self._lab) if self._machine.limits else _LAB
        script.write_text(recorder(self._machine.compiler, f"{log}/compilations"))
        script.chmod(0o755)

    def _started(self) -> "subprocess.Popen[str]":
        program = [str(self._machine.python), f"{_LAB}/{_WORKER.name}"]
        env = {**self._planned.env, "PATH": f"{_LAB}/bin:{_PATH}", "HOME": _HOME, "HOSTNAME": self._planned.pod.name}
        where = None
        if self._machine.limits:
            env = {**self._rewritten(env), "TMPDIR": str(self._view.inside(_TMP))}
            program, where = self._rewritten_words(program), self._pod / "work"
        if self._traced:
            trace = self._lab if self._machine.limits else Path(_LAB)
            flags = ["-ff", "-qq", "-s", "4096", "-e", CALLS, "-e", "signal=none", "-o", str(trace / "trace")]
            program = ["strace", *flags, *program]
        if not self._machine.limits:
            self._run_init()
            program = self._view.command(["sh", "-c", f'cd {_WORK} && exec "$@"', "engine", *program], uid=self._uid)
        return subprocess.Popen(
            program,
            env=env,
            cwd=where,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def _run_init(self) -> None:
        """Runs the init step as the plan says: as root with few rights, on a read-only root, with the cache alone."""
        if self._planned.init is None:
            return
        cache = {path: self._volumes[path] for path in (self._planned.mount,)}
        view = View(self._view.root, cache, read_only_root=True)
        command = view.command(self._planned.init, capabilities=self._planned.init_capabilities)
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": _PATH})
        if done.returncode != 0:
            raise RuntimeError(f"the init step failed: {done.stderr.strip()}")

    def _rewritten(self, env: Mapping[str, str]) -> dict[str, str]:
        return {name: self._rewritten_words([value])[0] for name, value in env.items()}

    def _rewritten_words(self, words: list[str]) -> list[str]:
        """Replaces paths of the pod by where they lie on the machine."""
        for path, folder in self._view.writable.items():
            words = [
                str(folder) + word.removeprefix(path) if word == path or word.startswith(f"{path}/") else word
                for word in words
            ]
        return words

    def _seen(self) -> set[tuple[str, str]]:
        """All files outside the cache's folder, each with the path that it is mounted at."""
        places = {path: folder for path, folder in self._view.writable.items() if path not in {_LAB, self._cache}}
        seen = {(path, name) for path, folder in places.items() for name in snapshot(folder)}
        return seen | {("", name) for name in snapshot(self._view.root)}

    @property
    def _cache(self) -> str | None:
        return next((path for path, folder in self._planned.volumes.items() if folder), None)

    def _traces(self) -> Touched:
        text = "".join(path.read_text(errors="replace") for path in self._lab.glob("trace.*"))
        if self._machine.limits:
            # As the pod would have called them.
            for path, folder in {**self._view.writable, _TMP: self._view.inside(_TMP)}.items():
                text = text.replace(str(folder), path)
        return touched(text.splitlines())
