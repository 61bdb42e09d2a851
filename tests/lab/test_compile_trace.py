import pytest

from benchmarks.lab.compile.trace import touched

LINES = [
    ("read", 'openat(AT_FDCWD, "/a/b", O_RDONLY|O_CLOEXEC) = 3', {"/a/b"}, set()),
    ("written", 'openat(AT_FDCWD, "/a/b", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3', {"/a/b"}, {"/a/b"}),
    ("both", 'open("/a/b", O_RDWR) = 3', {"/a/b"}, {"/a/b"}),
    ("failed", 'openat(AT_FDCWD, "/a/b", O_RDONLY) = -1 ENOENT (No such file or directory)', set(), set()),
    ("made", 'mkdir("/a/folder", 0777) = 0', {"/a/folder"}, {"/a/folder"}),
    ("renamed", 'rename("/a/b", "/a/c") = 0', {"/a/b", "/a/c"}, {"/a/b", "/a/c"}),
    ("relative", 'openat(AT_FDCWD, "b", O_WRONLY|O_CREAT, 0666) = 3', set(), set()),
    ("a quote in a name", r'openat(AT_FDCWD, "/a/\"b", O_RDONLY) = 3', {r"/a/\"b"}, set()),
    ("no call", "+++ exited with 0 +++", set(), set()),
]


@pytest.mark.parametrize(("line", "opened", "written"), [row[1:] for row in LINES], ids=[row[0] for row in LINES])
def test_what_a_call_touched(line: str, opened: set[str], written: set[str]) -> None:
    found = touched([line])
    assert (set(found.opened), set(found.written)) == (opened, written)


def test_lines_add_up() -> None:
    found = touched([line for _, line, _, _ in LINES])
    assert found.written == {"/a/b", "/a/c", "/a/folder"}
