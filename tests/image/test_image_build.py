"""`make image`: what it asks docker for, told by a docker that only notes it."""

import os
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tests.image.making import REPOSITORY
from webhook import __version__

DIGEST = "sha256:" + "5e" * 32
IMAGE = "registry.example/fastload:1"
_DOCKER = """#!/bin/sh
if [ "$2" = version ]; then exit "${BUILDX_STATUS:-0}"; fi
if [ "$2" = imagetools ]; then echo "$DIGEST"; exit; fi
for argument; do echo "$argument"; done
"""


@pytest.fixture
def build(tmp_path: Path) -> "Build":
    docker = tmp_path / "docker"
    docker.write_text(_DOCKER)
    docker.chmod(0o755)
    return Build(tmp_path)


class Build:
    """Runs `make image` with a docker that finds this digest."""

    def __init__(self, folder: Path) -> None:
        self._path = f"{folder}{os.pathsep}{os.environ['PATH']}"

    def __call__(self, digest: str = DIGEST, **settings: str) -> "subprocess.CompletedProcess[str]":
        environment = {"PATH": self._path, "HOME": os.environ.get("HOME", "/"), "DIGEST": digest, **settings}
        command = ["make", "--no-print-directory", "image"]
        return subprocess.run(
            command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=60, check=False
        )


def following(done: "subprocess.CompletedProcess[str]", flag: str) -> list[str]:
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return [value for name, value in pairwise(lines) if name == flag]


def test_the_base_is_pinned_to_what_its_tag_means_now(build: Build) -> None:
    done = build(IMAGE=IMAGE)
    assert f"BASE=docker.io/library/python:3.13-slim@{DIGEST}" in following(done, "--build-arg")
    assert f"BASE=docker.io/library/python:3.13-slim@{DIGEST} " in done.stdout  # told, so that it can be built again
    assert following(done, "--tag") == [IMAGE]
    assert following(done, "--platform") == ["linux/amd64,linux/arm64"]


def test_a_base_with_a_digest_is_taken_as_it_is(build: Build) -> None:
    mine = f"mirror.example/python:3.12-slim@{DIGEST}"
    done = build("nobody asks", IMAGE=IMAGE, BASE=mine, PLATFORMS="linux/arm64")
    assert f"BASE={mine}" in following(done, "--build-arg")
    assert following(done, "--platform") == ["linux/arm64"]


@pytest.mark.parametrize(("digest", "base"), [("", "python:3.13-slim"), (DIGEST, "python@sha256:abc")])
def test_a_base_that_is_not_pinned_is_refused(build: Build, digest: str, base: str) -> None:
    done = build(digest, IMAGE=IMAGE, BASE=base)
    assert done.returncode != 0
    assert "is not pinned: name it with its digest" in done.stderr
    assert "--push" not in done.stdout
    assert "build" not in done.stdout.split()


def test_without_a_name_nothing_is_built(build: Build) -> None:
    done = build()
    assert done.returncode != 0
    assert "name the image, e.g. IMAGE=" in done.stderr


def test_without_buildx_it_says_so(build: Build) -> None:
    done = build(IMAGE=IMAGE, BUILDX_STATUS="1")
    assert done.returncode != 0
    assert done.stderr.startswith("docker buildx is missing: install docker with its buildx plugin")


def test_the_time_is_the_commits_or_the_one_given(build: Build) -> None:
    done = build(IMAGE=IMAGE, SOURCE_DATE_EPOCH="1767323045")
    assert "SOURCE_DATE_EPOCH=1767323045" in following(done, "--build-arg")
    assert "org.opencontainers.image.created=2026-01-02T03:04:05Z" in following(done, "--label")


def test_labels_say_what_is_known(build: Build) -> None:
    labels = following(build(IMAGE=IMAGE), "--label")
    named = dict(label.removeprefix("org.opencontainers.image.").split("=", 1) for label in labels)
    assert named["version"] == __version__
    assert (named["base.name"], named["base.digest"]) == ("docker.io/library/python:3.13-slim", DIGEST)
    assert "source" not in named
    labels = following(build(IMAGE=IMAGE, SOURCE="https://git.example/fastload"), "--label")
    assert "org.opencontainers.image.source=https://git.example/fastload" in labels
