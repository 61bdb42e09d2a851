import msgspec
import pytest

from webhook.patch.operation import Operation, escape, extend, rebase, unescape


def test_an_operation_encodes_to_what_rfc_6902_names_and_nothing_else() -> None:
    encoded = msgspec.json.encode(Operation("add", "/spec/volumes", [{"name": "v"}]))
    assert encoded == b'{"op":"add","path":"/spec/volumes","value":[{"name":"v"}]}'


@pytest.mark.parametrize(
    ("key", "escaped"),
    [
        ("plain", "plain"),
        ("fastload.dev/status", "fastload.dev~1status"),
        ("a~b", "a~0b"),
        ("a/b~c", "a~1b~0c"),
        ("~1", "~01"),
    ],
)
def test_escape_leaves_no_slash_and_no_lone_tilde(key: str, escaped: str) -> None:
    assert escape(key) == escaped
    assert unescape(escaped) == key


@pytest.mark.parametrize(
    ("existing", "expected"),
    [
        pytest.param(None, [Operation("add", "/l", [1, 2])], id="absent or null: created whole"),
        pytest.param([], [Operation("add", "/l/-", 1), Operation("add", "/l/-", 2)], id="empty: appended"),
        pytest.param([0], [Operation("add", "/l/-", 1), Operation("add", "/l/-", 2)], id="filled: appended"),
    ],
)
def test_extend(existing: list[int] | None, expected: list[Operation]) -> None:
    assert extend("/l", existing, [1, 2]) == expected


@pytest.mark.parametrize("existing", [None, [], [0]])
def test_extending_by_nothing_is_no_operation(existing: list[int] | None) -> None:
    assert extend("/l", existing, []) == []


def test_rebase_moves_paths_into_the_document_around_the_pod() -> None:
    moved = rebase([Operation("add", "/spec/volumes", [])], "/spec/template")
    assert moved == (Operation("add", "/spec/template/spec/volumes", []),)
