"""Which environment variables enter vLLM's compile hash, worked out from its source.

Newer releases hash every variable that they know but those on a list; older ones (to 0.11) hash those on a list.
"""

import ast
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contract.sources import Sources

_FILE = "vllm/envs.py"
_KNOWN = "environment_variables"
_IGNORED = "ignored_factors"
_HASHED = "environment_variables_to_hash"
# Names of other programs that are hashed besides.
_ALSO = "ray_noset_env_vars"


class UnreadableError(RuntimeError):
    """The source is not as any known release has it; the message says what is missing."""


@dataclass(frozen=True)
class CompileHash:
    """The names that a release knows, those of them that enter its compile hash, and where it says so."""

    known: frozenset[str]
    hashed: frozenset[str]
    where: str

    def says(self, name: str) -> str:
        """Returns what becomes of a name, in a word or two."""
        if name in self.hashed:
            return "HASHED"
        return "off the hash" if name in self.known else "not known, so off the hash"


def read_compile_hash(sources: Sources) -> CompileHash:
    """Works out the names of the compile hash.

    Raises:
        UnreadableError: the lists are not where they were in any release seen so far, or not written out.
    """
    path = sources.folder / _FILE
    if not path.is_file():
        raise UnreadableError(f"there is no {_FILE}")
    lists = _assigned(sources, path)
    known = _keys(lists.get(_KNOWN))
    ignored, hashed = lists.get(_IGNORED), lists.get(_HASHED)
    if ignored is not None:
        names = (known - _members(ignored)) | (_members(lists[_ALSO]) if _ALSO in lists else frozenset())
        return CompileHash(known, names, sources.place(path, ignored.lineno))
    if hashed is not None:
        return CompileHash(known, _members(hashed), sources.place(path, hashed.lineno))
    raise UnreadableError(f"{_FILE} has neither {_IGNORED} nor {_HASHED}")


def _assigned(sources: Sources, path: Path) -> dict[str, ast.expr]:
    """The values of the lists that matter, by their variable."""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(sources.tree(path)):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if name in (_KNOWN, _IGNORED, _HASHED, _ALSO):
                found[name] = value
    return found


def _keys(value: ast.expr | None) -> frozenset[str]:
    if not isinstance(value, ast.Dict):
        raise UnreadableError(f"{_FILE} has no {_KNOWN} that is written out")
    return frozenset(key.value for key in value.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))


def _members(value: ast.expr) -> frozenset[str]:
    try:
        members = ast.literal_eval(value)
    except ValueError as error:
        raise UnreadableError(f"{_FILE}:{value.lineno} is not written out: {error}") from error
    return frozenset(map(str, members))
