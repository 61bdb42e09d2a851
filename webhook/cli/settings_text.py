"""The settings of a preview as a table: name, value, and one reason for all that share it."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import click

from webhook.cli.layout import printable, with_sentence
from webhook.preview.contract import EnvSetting

_INDENT = 4
_GAP = 2


def setting_lines(settings: Sequence[EnvSetting], width: int) -> Iterator[str]:
    """Writes the settings in their order, a blank line between reasons."""
    if not settings:
        return
    names = max(len(each.name) for each in settings)
    values = max(len(printable(each.value)) for each in settings)
    stacked = _INDENT + names + _GAP + values > width
    row_width = width if stacked else _INDENT + names + _GAP + values
    for number, (reason, group) in enumerate(groupby(settings, lambda setting: setting.reason)):
        if number:
            yield ""
        rows = [row for setting in group for row in _rows(setting, names, values, stacked=stacked)]
        yield from with_sentence(rows, reason, row_width, width)


def _rows(setting: EnvSetting, names: int, values: int, *, stacked: bool) -> Iterator[str]:
    name = f"{' ' * _INDENT}{click.style(setting.name, fg='cyan')}"
    value = printable(setting.value)
    padding = " " * (names - len(setting.name))
    if stacked:
        yield name + padding
        yield f"{' ' * (_INDENT + 2)}{value}"
    else:
        yield f"{name}{padding}{' ' * _GAP}{value:<{values}}"
