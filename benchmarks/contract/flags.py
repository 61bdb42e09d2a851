"""The flags that an engine's own parser has, and which of them take no value, read from its source.

A flag is declared by a call of `add_argument`, or by a field of a configuration class: vLLM's front end and all of
SGLang's newer options are. Whether one takes a value follows from the call's action, or from the field's type.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.contract.releases import Project
from benchmarks.contract.sources import Sources

_FILES = {
    Project.VLLM: ("vllm/engine/arg_utils.py", "vllm/entrypoints/**/cli_args.py", "vllm/utils/argparse_utils.py"),
    Project.SGLANG: ("sglang/srt/server_args.py", "sglang/srt/arg_groups/**/*.py"),
}
_CONFIGS = ("vllm/config/**/*.py", "vllm/engine/arg_utils.py")
_VLLM_FRONT_ENDS = ("BaseFrontendArgs", "FrontendArgs")
_SGLANG_ANNOTATED = ("A", "Annotated")
_SWITCHES = ("store_true", "store_false", "BooleanOptionalAction", "DeprecatedStoreTrueAction")
# vLLM rewrites `-O` before its parser sees it.
_SHORT = re.compile(r"-[A-Z]")
# A type of words and bool both: the flag stands alone or has a value.
_WORDS = frozenset({"str", "Literal"})


@dataclass(frozen=True)
class Flag:
    """A flag as the engine declares it; `switch` is None where that cannot be told."""

    where: str
    switch: bool | None


def declared_flags(project: Project, sources: Sources) -> dict[str, Flag]:
    """Returns every flag of an engine's serve command by each of its spellings."""
    fields = _Fields(sources) if project is Project.VLLM else None
    found: dict[str, Flag] = {}
    for pattern in _FILES.get(project, ()):
        for path in sources.files(pattern):
            tree = sources.tree(path)
            kwargs = _kwargs_of(tree)
            for node in ast.walk(tree):
                for spelling, switch, line in _declared(project, node, fields, kwargs):
                    found.setdefault(spelling, Flag(sources.place(path, line), switch))
    return found


def _declared(
    project: Project, node: ast.AST, fields: "_Fields | None", kwargs: dict[str, str]
) -> Iterator[tuple[str, bool | None, int]]:
    """The spellings that a piece of source declares, whether each is a switch, and its line."""
    match node:
        case ast.Call(func=ast.Attribute(attr="add_argument"), args=args):
            switch = _is_switch(node, fields, kwargs)
            yield from ((text, switch, node.lineno) for text in _texts(args) if text.startswith("-"))
        case ast.Compare(comparators=compared) if project is Project.VLLM:
            yield from ((text, None, node.lineno) for text in _texts(compared) if _SHORT.fullmatch(text))
        case ast.ClassDef(name=name, body=body) if project is Project.VLLM and name in _VLLM_FRONT_ENDS:
            for field in body:
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                    yield _spelled(field.target.id), _is_bool(field.annotation), field.lineno
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation) if project is Project.SGLANG:
            for spelling in _annotated(name, annotation):
                yield spelling, _annotated_switch(annotation), node.lineno


def _spelled(field: str) -> str:
    return "--" + field.replace("_", "-")


def _texts(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _is_switch(call: ast.Call, fields: "_Fields | None", kwargs: dict[str, str]) -> bool | None:
    """Whether a call declares a switch: by its action, or by the field whose keywords it takes over."""
    for keyword in call.keywords:
        if keyword.arg == "action":
            action = ast.unparse(keyword.value).strip("'\"")
            return action.rpartition(".")[2] in _SWITCHES
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg is None and isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
            name = next(_texts([value.slice]), None)
            config = kwargs.get(value.value.id)
            return None if fields is None or name is None or config is None else fields.is_bool(config, name)
    return None if any(keyword.arg is None for keyword in call.keywords) else False


def _kwargs_of(tree: ast.Module) -> dict[str, str]:
    """The variables that hold a configuration class's keywords: `model_kwargs = get_kwargs(ModelConfig)`."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
            called = node.value
            if isinstance(called.func, ast.Name) and called.func.id == "get_kwargs" and called.args:
                found[node.targets[0].id] = ast.unparse(called.args[0])
    return found


def _is_bool(annotation: ast.expr) -> bool | None:
    """Whether a type makes a switch; None for one of words and bool, whose value is optional."""
    names = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}
    if "bool" not in names:
        return False
    return None if names & _WORDS else True


def _annotated(field: str, annotation: ast.expr) -> Iterator[str]:
    """The spellings of SGLang's `field: A[type, help or Arg(...)]`; none where it is no flag."""
    if not isinstance(annotation, ast.Subscript) or ast.unparse(annotation.value) not in _SGLANG_ANNOTATED:
        return
    keywords = {
        keyword.arg: keyword.value
        for node in ast.walk(annotation.slice)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Arg"
        for keyword in node.keywords
    }
    hidden = keywords.get("no_cli")
    if isinstance(hidden, ast.Constant) and hidden.value is True:
        return
    yield next(_texts([keywords["cli_name"]]), _spelled(field)) if "cli_name" in keywords else _spelled(field)
    aliases = keywords.get("aliases")
    if isinstance(aliases, ast.List):
        yield from _texts(aliases.elts)


def _annotated_switch(annotation: ast.expr) -> bool | None:
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        return None
    kind, *rest = annotation.slice.elts
    explicit = any(
        keyword.arg in ("action", "nargs", "type_func", "const")
        for meta in rest
        for node in ast.walk(meta)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
    )
    return None if explicit else _is_bool(kind)


class _Fields:
    """The fields of vLLM's configuration classes, and whether each is a bool."""

    def __init__(self, sources: Sources) -> None:
        self._classes: dict[str, ast.ClassDef] = {}
        for pattern in _CONFIGS:
            for path in sources.files(pattern):
                for node in sources.tree(path).body:
                    if isinstance(node, ast.ClassDef):
                        self._classes.setdefault(node.name, node)

    def is_bool(self, config: str, field: str) -> bool | None:
        """Whether a field, or one that the class inherits, makes a switch; None where there is none or it is both."""
        found = self._classes.get(config)
        if found is None:
            return None
        for node in found.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == field:
                return _is_bool(node.annotation)
        bases = (self.is_bool(base.id, field) for base in found.bases if isinstance(base, ast.Name))
        return next((said for said in bases if said is not None), None)
