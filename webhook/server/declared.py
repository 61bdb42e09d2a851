"""From a declared field to an environment variable, a flag and a row of the docs, and back to a checked value.

A setting is declared once, as a field of a settings Struct. A flag wins over the environment, the environment over the
default. A tuple is comma-separated in the environment, and a flag that may be repeated.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_type_hints

import msgspec
from msgspec import inspect

from webhook.server.settings import Settings

PREFIX = "FASTLOAD_"


class SettingsError(Exception):
    """A setting with a value that is not accepted; the message names the setting, the value and what it takes."""


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """One setting as its field declares it."""

    room: str  # the field of Settings that it belongs to
    name: str
    type: Any  # the annotation, bounds included, as msgspec converts to it
    shape: inspect.Type
    default: Any
    description: str

    @property
    def variable(self) -> str:
        """Name of the environment variable."""
        return PREFIX + self.name.upper()

    @property
    def flag(self) -> str:
        """Spelling of the flag."""
        return "--" + self.name.replace("_", "-")

    @property
    def repeatable(self) -> bool:
        """Whether the setting holds several values."""
        return isinstance(self.shape, inspect.VarTupleType)

    @property
    def shown_default(self) -> str:
        """The default as the environment would spell it; empty where the default is none."""
        return _spell(self.default)

    @property
    def accepts(self) -> str:
        """What the setting takes, in words."""
        return _words(self.shape)


@cache
def declared() -> tuple[Declared, ...]:
    """Every setting of every room, in the order of declaration."""
    return tuple(_declared())


def _declared() -> Iterator[Declared]:
    for room in msgspec.structs.fields(Settings):
        hints = get_type_hints(room.type, include_extras=True)
        for field in msgspec.structs.fields(room.type):
            described = inspect.type_info(hints[field.name])
            extra = described.extra_json_schema if isinstance(described, inspect.Metadata) else None
            yield Declared(
                room=room.name,
                name=field.name,
                type=hints[field.name],
                shape=described.type if isinstance(described, inspect.Metadata) else described,
                default=field.default,
                description=(extra or {}).get("description", ""),
            )


def load(flags: Mapping[str, Any], environ: Mapping[str, str]) -> Settings:
    """Builds the settings from flags by field name (None or empty where not given) and the environment.

    Raises:
        SettingsError: a value that its field does not accept, or values that do not go together.
    """
    rooms: dict[str, dict[str, Any]] = {}
    for setting in declared():
        flag = flags.get(setting.name)
        if flag:
            given, origin = flag, setting.flag
        elif setting.variable in environ:
            given, origin = environ[setting.variable], setting.variable
        else:
            continue
        rooms.setdefault(setting.room, {})[setting.name] = _checked(setting, given, origin)
    try:
        built = {room.name: room.type(**rooms.get(room.name, {})) for room in msgspec.structs.fields(Settings)}
    except ValueError as error:  # values that are accepted, and don't go together
        raise SettingsError(str(error)) from None
    return Settings(**built)


def _checked(setting: Declared, given: str | tuple[str, ...], origin: str) -> Any:  # noqa: ANN401 (the field's type)
    value: Any = given
    if setting.repeatable and isinstance(given, str):
        value = tuple(part.strip() for part in given.split(",") if part.strip())
    elif given == "" and setting.default is None:
        return None
    try:
        return msgspec.convert(value, setting.type, strict=False)
    except msgspec.ValidationError:
        raise SettingsError(f"{origin} is {_spell(given)!r}; it takes {setting.accepts}") from None


def _spell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case tuple():
            return ",".join(map(str, value))
        case float():
            return f"{value:g}"
    return str(value)


def _words(shape: inspect.Type) -> str:  # noqa: PLR0911 (one return a kind of value)
    match shape:
        case inspect.Metadata(extra_json_schema={"title": str(title)}):
            return title
        case inspect.Metadata(type=inner):
            return _words(inner)
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return "a whole number" + _bounds(shape)
        case inspect.FloatType():
            return "a number" + _bounds(shape)
        case inspect.EnumType(cls=options):
            return "one of " + ", ".join(option.value for option in options)
        case inspect.StrType(pattern=str(pattern)):
            return f"text that matches {pattern}"
        case inspect.VarTupleType(item_type=item):
            return f"a comma-separated list, each {_words(item)}"
        case inspect.UnionType(types=types):
            return (
                " or ".join(_words(kind) for kind in types if not isinstance(kind, inspect.NoneType)) + ", or nothing"
            )
    return "text"


def _bounds(shape: inspect.IntType | inspect.FloatType) -> str:
    signs = {"greater than": shape.gt, "from": shape.ge, "less than": shape.lt, "to": shape.le}
    return "".join(f" {word} {bound:g}" for word, bound in signs.items() if bound is not None)
