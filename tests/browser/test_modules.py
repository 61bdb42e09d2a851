"""The page's modules by themselves, in the browser that runs them."""

import random
import re
from typing import Any

import pytest

from tests.browser.previewpage import PreviewPage

ENTRIES = """
env:
- name: HF_TOKEN
  value: s3cret-a
- value: s3cret-b
  name: OPENAI_API_KEY
- {name: DB_PASSWORD, value: s3cret-c}
- {value: "s3cret-d", name: MY_SECRET}
- {name: PLAIN, value: shown-1}
- {name: LAST_TOKEN,
   value: "s3cret-q}r"}
- {
   value: s3cret-s,
   name: FIRST_TOKEN
  }
- {value: "s3cret-t}u", name: BRACE_KEY}
- [{name: PLAIN, value: shown-1}, {name: MY_TOKEN, value: s3cret-p}, {name: A_KEY, value: s3cret-p}]
- name: SIGNING_KEY
  value: |
    s3cret-e
    s3cret-f
- name: MODEL
  value: shown-2
- name: FROM
  valueFrom: {secretKeyRef: {name: shown-secret-name, key: shown-key}}
- name: MAX_NUM_BATCHED_TOKENS
  value: "8192"
- name: TOKENIZERS_PARALLELISM
  value: shown-3
args:
- --api-key
- s3cret-g
- --hf-token=s3cret-h
- --port
- shown-4
command: [sh, -c, "AWS_SECRET_ACCESS_KEY=s3cret-i vllm serve --api-key s3cret-j --served-name shown-5"]
"""
SECRET = """
apiVersion: v1
kind: Secret
metadata:
  name: shown
stringData:
  a: s3cret-k
  b: |
    s3cret-l
---
kind: ConfigMap
data:
  HF_TOKEN: s3cret-m
  NAME: shown-6
"""
ODD = r"""
metadata:
  annotations:
    example.com/token: s3cret-a
    automountServiceAccountToken: false
    last-applied: "{\"env\":[{\"name\":\"HF_TOKEN\",\"value\":\"s3cret-b\"},{\"name\":\"A\",\"value\":\"shown-1\"}]}"
    again: '{"value":"s3cret-long-enough"}'
env:
- 'name': OPENAI_API_KEY
  'value': s3cret-long-enough
- {'name': "DB_PASSWORD", 'value': 's3cret-c'}
- name: !!str MY_SECRET
  value: !!str s3cret-d
- name: &name SIGNING_KEY
  value: "two lines,
 s3cret-e"
- name: DATABASE_URL
  value: postgres://shown-2:s3cret-f@shown-3/db
- {apiVersion: v1, kind: Secret, stringData: {a: s3cret-g}}
args:
- --api-key # of the server
# and here it is
- s3cret-h with more of s3cret-h
- --port
- shown-4
command: [sh, "--hf-token", "s3cret-i and s3cret-i", --api-key,
  s3cret-j, --served-name,
  shown-5]
script: |
  vllm serve \
    --api-key \
    s3cret-k --api-key "$(echo s3cret-l)"
  curl -H "Authorization: Bearer s3cret-m" http://shown-6:80/
"""
JSON_SCRIPT = r"""
{"args": [
  "--api-key",
  "s3cret-a",
  "--port",
  "shown-1",
  "export A_KEY=s3cret-b\nHF_TOKEN=\"s3cret c s3cret\" vllm serve --api-key s3cret-d\nPLAIN=shown-2"]}
"""
JSON = """
{"env": [
  {"name": "HF_TOKEN", "value": "s3cret-n"},
  {
    "name": "API_KEY",
    "value": "s3cret-o"
  },
  {"name": "PLAIN", "value": "shown-7"}]}
"""


@pytest.mark.parametrize(
    "text", [ENTRIES, SECRET, ODD, JSON, JSON_SCRIPT], ids=["entries", "a Secret", "odd", "JSON", "script"]
)
def test_values_whose_names_look_secret_are_hidden_and_no_others(lasting: PreviewPage, text: str) -> None:
    shown = lasting.module("mask", "m.mask(given).lines", text.split("\n"))
    assert "s3cret" not in "\n".join(shown)
    assert all(word in "\n".join(shown) for word in re.findall(r"shown[\w-]*", text))
    assert "Token: false" in "\n".join(shown) or "Token: false" not in text
    assert "8192" in "\n".join(shown) or "8192" not in text
    assert len(shown) == len(text.split("\n"))


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("HF_TOKEN", True),
        ("huggingfaceToken", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("PGPASSWORD", True),
        ("--api-key", True),
        ("GOOGLE_APPLICATION_CREDENTIALS", True),
        ("TOKENIZERS_PARALLELISM", False),
        ("MAX_TOKENS", False),
        ("MONKEYS", False),
        ("AWS_REGION", False),
        ("VLLM_CACHE_ROOT", False),
    ],
)
def test_which_names_look_secret(lasting: PreviewPage, name: str, *, secret: bool) -> None:
    assert lasting.module("secretnames", "m.looksSecret(given)", name) is secret


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("abc", "abc", "   "),
        ("ac", "abc", " + "),
        ("abc", "ac", " - "),
        ("abc", "axc", " ~ "),
        ("", "ab", "++"),
        ("ab", "", "--"),
        ("abcd", "xabyd", "+  ~ "),
    ],
)
def test_a_diff_is_the_shortest(lasting: PreviewPage, before: str, after: str, expected: str) -> None:
    signs = {"same": " ", "add": "+", "remove": "-", "change": "~"}
    rows = lasting.module("diff", "m.diff(given[0], given[1])", [list(before), list(after)])
    assert "".join(signs[row["kind"]] for row in rows) == expected


def test_a_diff_holds_both_texts_whatever_they_are(lasting: PreviewPage) -> None:
    numbers = random.Random(7)
    pairs = [["".join(numbers.choices("abc", k=numbers.randrange(30))) for _ in range(2)] for _ in range(200)]
    pairs.append(["x" * 3000, "y" * 3000])
    made = lasting.module("diff", "given.map(([before, after]) => m.diff([...before], [...after]))", pairs)
    for (before, after), rows in zip(pairs, made, strict=True):
        assert [row["before"] for row in rows if row["before"]] == list(range(1, len(before) + 1))
        assert [row["after"] for row in rows if row["after"]] == list(range(1, len(after) + 1))
        same = [row for row in rows if row["kind"] == "same"]
        assert all(before[row["before"] - 1] == after[row["after"] - 1] for row in same)


def test_unchanged_lines_far_from_a_change_are_folded(lasting: PreviewPage) -> None:
    before = [str(line) for line in range(20)]
    folded = lasting.module(
        "diff",
        "m.fold(m.diff(given[0], given[1]), 3).map(({ folded, rows }) => [folded, rows.length])",
        [before, [*before[:10], "new", *before[10:]]],
    )
    assert folded == [[True, 7], [False, 7], [True, 7]]


LOCATED = """\
# a comment
kind: A
---
metadata:
  name: b
"spec":
  list:
  - first: 1
    inner:
    - x
    - y: 2
      z:
        deep: 3
  - second: 4
  script: |
    template:
      not this
  template: {flow: {inner: 1}}
  last.key/with~: 5
"""


@pytest.mark.parametrize(
    ("document", "pointer", "lines"),
    [
        (1, "", (0, 2)),
        (1, "/kind", (1, 2)),
        (2, "", (2, 20)),
        (2, "/spec/list", (6, 14)),
        (2, "/spec/list/0", (7, 13)),
        (2, "/spec/list/0/inner/1/z", (11, 13)),
        (2, "/spec/list/1/second", (13, 14)),
        (2, "/spec/template/flow/inner", (17, 18)),
        (2, "/spec/last.key~1with~0", (18, 19)),
    ],
)
def test_where_a_pointer_leads_in_yaml(
    lasting: PreviewPage, document: int, pointer: str, lines: tuple[int, int]
) -> None:
    found = lasting.module("locate", "m.locate(given[0], given[1], given[2])", [LOCATED, document, pointer])
    assert (found["start"], found["end"]) == lines


@pytest.mark.parametrize(
    ("document", "pointer", "lines"),
    [(1, "/a/1/b", (2, 3)), (1, "/c", (3, 4)), (2, "", (5, 6)), (2, "/d", (5, 6))],
)
def test_where_a_pointer_leads_in_json(
    lasting: PreviewPage, document: int, pointer: str, lines: tuple[int, int]
) -> None:
    text = '{\n "a": [1,\n  {"b": "}\\""}],\n "c": -1.5e3\n}\n{"d": null}\n'
    found = lasting.module("locate", "m.locate(given[0], given[1], given[2])", [text, document, pointer])
    assert (found["start"], found["end"]) == lines


@pytest.mark.parametrize("compressed", [True, False])
def test_a_link_gives_back_what_it_was_given(preview: PreviewPage, *, compressed: bool) -> None:
    if not compressed:
        preview.page.evaluate("() => { delete globalThis.CompressionStream; }")
    shared = {"manifest": "kind: Pod\n# ü 🚀 \\ \" ' %00\n" * 50, "options": {"shards": "17"}}
    fragment = preview.module("fragment", "await m.encode(given)", shared)
    assert fragment.startswith("#z=" if compressed else "#j=")
    assert fragment[3:].replace("-", "").replace("_", "").isalnum()
    assert preview.module("fragment", "await m.decode(given)", fragment) == shared


@pytest.mark.parametrize("fragment", ["", "#results", "#other=1"])
def test_other_fragments_are_none_of_ours(lasting: PreviewPage, fragment: str) -> None:
    assert lasting.module("fragment", "await m.decode(given)", fragment) is None


@pytest.mark.parametrize("fragment", ["#z=AAAA", "#j=AAAA", "#z=", "#j=bnVsbA", "#j=eyJtIjoxfQ"])
def test_a_damaged_link_is_refused(lasting: PreviewPage, fragment: str) -> None:
    told = lasting.module("fragment", "await m.decode(given).catch((fault) => fault.message)", fragment)
    assert "damaged" in told


def test_a_link_that_unpacks_to_too_much_is_refused(lasting: PreviewPage) -> None:
    bomb = lasting.module("fragment", "await m.encode({ manifest: 'a'.repeat(2 ** 24), options: {} })")
    assert len(bomb) < 40_000
    told = lasting.module("fragment", "await m.decode(given).catch((fault) => fault.message)", bomb)
    assert "unpacks to more" in told


def scenario(name: str, *layers: tuple[float, float] | None) -> dict[str, Any]:
    return {
        "name": name,
        "layers": [
            {"name": f"layer{at}", "basis": "published", "seconds": layer and {"low": layer[0], "high": layer[1]}}
            for at, layer in enumerate(layers)
        ],
    }


@pytest.mark.parametrize("width", [240, 800, 2000])
def test_a_charts_bars_are_where_their_seconds_are(lasting: PreviewPage, width: int) -> None:
    scenarios = [scenario("today", (60, 90), (0, 300), None), scenario("next-pods", (0, 0), (150, 300), (10, 10))]
    layout = lasting.module("chart", "m.layout(given[0], given[1])", [scenarios, width])
    place = {(bar["scenario"], bar["layer"]): bar for bar in layout["bars"]}
    scale = place["today", "layer1"]["width"] / 300
    assert place["today", "layer0"]["x"] == pytest.approx(layout["left"] + 60 * scale)
    assert place["today", "layer0"]["width"] == pytest.approx(30 * scale)
    assert place["next-pods", "layer1"]["x"] == pytest.approx(layout["left"] + 150 * scale)
    assert place["next-pods", "layer0"]["width"] == place["next-pods", "layer2"]["width"] == 3
    assert place["today", "layer2"]["width"] == 0
    assert all(tick["x"] == pytest.approx(layout["left"] + tick["seconds"] * scale) for tick in layout["ticks"])
    assert max(bar["x"] + bar["width"] for bar in layout["bars"]) < width
    ys = [bar["y"] for bar in layout["bars"]]
    assert len(set(ys)) == len(ys)
    assert max(ys) < layout["bottom"] < layout["height"]
