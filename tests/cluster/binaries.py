"""Builds the programs of the control plane, helm and promtool from their Go modules, once per version.

Run `python -m tests.cluster.binaries` to build the control plane ahead of the tests and print its folder, and with the
argument `helm` or `promtool` to build that and print its path.
"""

import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.cache import Report, cache_folder, exclusive
from tests.cluster.toolchain import find_go, required_version

_MODULES = Path(__file__).parent / "go"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


class BuildError(RuntimeError):
    """A program could not be built; the message ends with what `go` said."""


@dataclass(frozen=True)
class Program:
    """One program, the folder of the go.mod that pins it, its main package, and the build tags that it is built by."""

    name: str
    module: str
    package: str
    tags: str = ""


PROGRAMS = (
    Program("etcd", "etcd", "go.etcd.io/etcd/server/v3"),
    Program("kube-apiserver", "kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver"),
    Program("kube-controller-manager", "kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager"),
    Program("kubectl", "kubernetes", "k8s.io/kubernetes/cmd/kubectl"),
)
HELM = Program("helm", "helm", "helm.sh/helm/v4/cmd/helm")
# Without service discovery, which takes the clients of every cloud.
PROMTOOL = Program("promtool", "prometheus", "github.com/prometheus/prometheus/cmd/promtool", "remove_all_sd")


def ensure_binaries(report: Report | None = None) -> Path:
    """Return a folder that holds every program, building those that are missing.

    `$KUBEBUILDER_ASSETS` is taken as it is if it holds all of them. Otherwise the folder is one of ours below the
    user's cache directory, named after the versions. A first build takes about 7 minutes on two cores.

    Args:
        report: gets a line when a build starts and ends; by default they go to standard error.

    Raises:
        BuildError: a build failed.
        ToolchainError: there is no Go toolchain and none could be installed.
    """
    given = os.environ.get("KUBEBUILDER_ASSETS")
    if given and not _missing(PROGRAMS, Path(given)):
        return Path(given)
    etcd = _pinned("etcd", "go.etcd.io/etcd/server/v3")
    folder = cache_folder() / "control-plane" / f"kubernetes-{kubernetes_version()}_etcd-{etcd}_{_system()}"
    return _complete(folder, PROGRAMS, report or _to_standard_error)


def ensure_helm(report: Report | None = None) -> Path:
    """Return the path of helm, building it if it is missing. A first build takes about 2 minutes on two cores.

    Args:
        report: as of `ensure_binaries`.

    Raises:
        BuildError: the build failed.
        ToolchainError: there is no Go toolchain and none could be installed.
    """
    folder = cache_folder() / "helm" / f"{_pinned('helm', 'helm.sh/helm/v4')}_{_system()}"
    return _complete(folder, [HELM], report or _to_standard_error) / HELM.name


def ensure_promtool(report: Report | None = None) -> Path:
    """Return the path of promtool, building it if it is missing. A first build takes about 2 minutes on two cores.

    Args:
        report: as of `ensure_binaries`.

    Raises:
        BuildError: the build failed.
        ToolchainError: there is no Go toolchain and none could be installed.
    """
    folder = cache_folder() / "promtool" / f"{_pinned('prometheus', 'github.com/prometheus/prometheus')}_{_system()}"
    return _complete(folder, [PROMTOOL], report or _to_standard_error) / PROMTOOL.name


def kubernetes_version() -> str:
    """Return the pinned version of Kubernetes, such as `v1.37.2`."""
    return _pinned("kubernetes", "k8s.io/kubernetes")


def _system() -> str:
    machine = platform.machine()
    return f"{platform.system().lower()}_{_ARCHITECTURES.get(machine, machine)}"


def _pinned(module: str, dependency: str) -> str:
    go_mod = _MODULES / module / "go.mod"
    found = re.search(rf"^\s*(?:require )?{re.escape(dependency)} (v\S+)", go_mod.read_text(), re.MULTILINE)
    if found is None:
        raise BuildError(f"{go_mod} doesn't require {dependency}")
    return found[1]


def _complete(folder: Path, programs: Sequence[Program], report: Report) -> Path:
    # The common case takes no lock, so that it works in a read-only cache too.
    if _missing(programs, folder):
        with exclusive(folder, report):
            _build(_missing(programs, folder), folder, report)
    return folder


def _missing(programs: Sequence[Program], folder: Path) -> list[Program]:
    return [program for program in programs if not os.access(folder / program.name, os.X_OK)]


def _build(programs: list[Program], folder: Path, report: Report) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if programs:
        report("building programs for the tests: some 9 minutes in all on two cores if Go's build cache is cold")
    for number, program in enumerate(programs, start=1):
        go = find_go(required_version(_MODULES / program.module / "go.mod"), report)
        progress = f"{program.name} ({number} of {len(programs)})"
        report(f"building {progress}")
        started = time.monotonic()
        _build_one(go, program, folder)
        report(f"built {progress} in {time.monotonic() - started:.0f} s")


def _build_one(go: Path, program: Program, folder: Path) -> None:
    # The name appears only once the program is whole, so an interrupted build is never taken for a good one.
    unfinished = folder / f".{program.name}.unfinished"
    done = subprocess.run(
        [go, "build", "-trimpath", *_flags(program), "-o", unfinished, program.package],
        cwd=_MODULES / program.module,
        env={**os.environ, "GOWORK": "off"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise BuildError(f"go build {program.package} failed:\n{done.stderr}")
    unfinished.rename(folder / program.name)


def _flags(program: Program) -> list[str]:
    return ["-tags", program.tags, "-ldflags", _linker_flags(program)]


def _linker_flags(program: Program) -> str:
    flags = ["-s", "-w"]
    if program.module == "kubernetes":
        version = kubernetes_version()
        major, minor, _ = version.removeprefix("v").split(".", maxsplit=2)
        # Unstamped, the server calls itself v0.0.0-master, and clients refuse to work with it.
        for name, value in (("gitVersion", version), ("gitMajor", major), ("gitMinor", minor)):
            flags += ["-X", f"k8s.io/component-base/version.{name}={value}"]
    return " ".join(flags)


def _to_standard_error(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    ensure = {"helm": ensure_helm, "promtool": ensure_promtool}.get("".join(sys.argv[1:]), ensure_binaries)
    sys.stdout.write(f"{ensure()}\n")
