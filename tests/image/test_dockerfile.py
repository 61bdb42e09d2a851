"""The Dockerfile says what the tests of the root assume of it, and lets into a build what it copies, no more."""

from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import PurePath

import yaml

from deploy.image.system import USER
from tests.image.dockerfile import Instruction, only, stages
from tests.image.making import REPOSITORY

HEAD, BUILD, FINAL = stages()


def copied(stage: Iterable[Instruction]) -> set[str]:
    """What a stage copies out of the folder that it is built from."""
    sources = (each.rest.split()[:-1] for each in stage if each.word == "COPY" and not each.rest.startswith("--from"))
    return {source for line in sources for source in line}


def test_the_base_is_named_once_and_can_be_pinned() -> None:
    assert [each.rest for each in HEAD] == ["BASE=docker.io/library/python:3.13-slim"]
    assert only(BUILD, "FROM").rest == "${BASE} AS build"


def test_the_image_is_the_folder_that_the_script_makes() -> None:
    assert only(BUILD, "RUN").exec_form == ["python3", "-m", "deploy.image", "/image"]
    assert only(FINAL, "FROM").rest == "scratch"
    assert only(FINAL, "COPY").rest == "--from=build /image /"


def test_the_time_of_a_build_reaches_the_script() -> None:
    assert only(BUILD, "ARG").pairs == {"SOURCE_DATE_EPOCH": "0"}


def test_a_build_is_given_what_it_copies_and_nothing_else() -> None:
    lines = [line for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert lines[0] == "*"
    let_in = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert let_in == {"pyproject.toml", "README.md", "LICENSE", "requirements/run.lock", "deploy/image", "webhook"}
    for source in copied(BUILD):
        assert (REPOSITORY / source).exists()
        assert any(PurePath(source).is_relative_to(each) for each in let_in)
    assert {each for each in let_in if not any(fnmatch(source, each) for source in copied(BUILD))} == set()
    assert lines[-1] == "**/__pycache__"


def test_nothing_in_the_final_stage_needs_a_shell() -> None:
    for each in FINAL:
        if each.word in {"RUN", "CMD", "ENTRYPOINT", "HEALTHCHECK"}:
            assert each.exec_form
    assert only(FINAL, "ENTRYPOINT").exec_form == ["fastload"]
    assert only(FINAL, "CMD").exec_form == ["serve"]
    assert only(FINAL, "HEALTHCHECK").rest.endswith('CMD ["fastload", "health"]')


def test_it_runs_as_the_user_that_the_root_knows_and_the_manifest_demands() -> None:
    assert only(FINAL, "USER").rest == f"{USER}:{USER}"
    documents = yaml.safe_load_all((REPOSITORY / "deploy/install.yaml").read_text())
    (pod,) = (each["spec"]["template"]["spec"] for each in documents if each and each["kind"] == "Deployment")
    contexts = [pod.get("securityContext", {}), *(each.get("securityContext", {}) for each in pod["containers"])]
    demanded = {context["runAsUser"] for context in contexts if "runAsUser" in context}
    assert demanded <= {USER}
    assert any(context.get("runAsNonRoot") for context in contexts)


def test_the_labels_that_every_build_has() -> None:
    labels = {name.removeprefix("org.opencontainers.image."): v for name, v in only(FINAL, "LABEL").pairs.items()}
    project = (REPOSITORY / "pyproject.toml").read_text()
    assert labels.keys() == {"title", "description", "licenses"}
    assert f'name = "{labels["title"]}"' in project
    assert f'description = "{labels["description"]}"' in project
    assert f'license = "{labels["licenses"]}"' in project
