"""The chart as `helm template` renders it, and `deploy/install.yaml`, which is that with the default values.

`python -m tests.deploy.rendering` (or `make manifests`) writes the file; a test compares them.
"""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.cluster.binaries import ensure_helm

CHART = Path(__file__).parents[2] / "deploy/chart"
INSTALL = CHART.parent / "install.yaml"
_HEAD = """\
# fastload in a namespace of its own: deploy/chart with its default values, written by `make manifests`.
# The image is a placeholder; `IMAGE=... make deploy` applies this with yours in it.
"""


def helm(*arguments: str, values: Mapping[str, Any] | None = None) -> "subprocess.CompletedProcess[str]":
    """Runs helm, with values on its standard input if there are any, and returns what it wrote."""
    given = () if values is None else ("--values", "-")
    return subprocess.run(
        [ensure_helm(), *arguments, *given],
        input=json.dumps(values),  # every JSON document is a YAML document
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def template(values: Mapping[str, Any], *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Renders the release `fastload` in the namespace `fastload`."""
    return helm("template", "fastload", str(CHART), "--namespace", "fastload", *arguments, values=values)


def install_yaml() -> str:
    """What `deploy/install.yaml` says.

    Raises:
        ChildProcessError: the chart doesn't render; the message is helm's.
    """
    done = template({"createNamespace": True})
    if done.returncode != 0:
        raise ChildProcessError(done.stderr)
    lines = (line for line in done.stdout.splitlines() if not line.startswith("# Source: "))
    documents = "\n".join(lines).split("\n---\n")
    return _HEAD + "\n---\n".join(each.removeprefix("---\n").strip("\n") for each in documents) + "\n"


if __name__ == "__main__":
    INSTALL.write_text(install_yaml())
