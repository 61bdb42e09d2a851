"""The docs say what the code does: tables as made from it, links that lead somewhere, names that exist."""

import json
import re
from pathlib import Path

import pytest

from tests.docs.tables import DOCS, PLAN_KEYS, pages
from tests.plan.make import instance, plan, world
from webhook.pod.annotations import parse_annotations
from webhook.server.declared import declared

ROOT = DOCS.parent
WRITTEN_BY_HAND = [page for page in DOCS.glob("*.md") if page.name not in pages()]
PAGES = [ROOT / "README.md", *sorted(WRITTEN_BY_HAND), *sorted(ROOT.glob("*/README.md"))]


@pytest.mark.parametrize("name", pages())
def test_a_generated_page_is_as_the_code_makes_it(name: str) -> None:
    assert (DOCS / name).read_text() == pages()[name], "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_readme_leads_to_every_page() -> None:
    (last,) = re.findall(r"^## More\n\n(.*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert set(re.findall(r"\]\(docs/([a-z]+\.md)\)", last)) == {page.name for page in DOCS.glob("*.md")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_section_leads_to_one(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://)([^)#]*)#([^)]+)\)", page.read_text())
    assert [
        (file, anchor) for file, anchor in links if anchor not in anchors(page.parent / file if file else page)
    ] == []


def anchors(page: Path) -> set[str]:
    """The names by which links lead to a page's sections."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_annotation_of_the_readme_is_understood() -> None:
    names = set(re.findall(r"^\| `fastload\.dev/([a-z-]+)`", (ROOT / "README.md").read_text(), re.MULTILINE))
    annotations = parse_annotations({f"fastload.dev/{name}": "\0" for name in names}, "fastload.dev")
    assert len(names) > 10
    assert [problem.text for problem in annotations.problems if "no such annotation" in problem.text] == []


def test_every_key_of_the_plan_annotation_is_explained() -> None:
    # As much as there can be to tell: more instance types than are named, and everything set.
    many = world(*(instance(f"p5.{size}xlarge", 8, 3200) for size in range(10)))
    assert json.loads(plan(world=many).summary).keys() == PLAN_KEYS.keys()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_setting_and_make_target_that_is_named_exists(page: Path) -> None:
    text = page.read_text()
    variables = {setting.variable for setting in declared()}
    assert set(re.findall(r"\bFASTLOAD_[A-Z_]+\b", text)) <= variables
    targets = set(re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^|\s)make ([a-z0-9]+)(?=`|$)", text, re.MULTILINE)) <= targets
