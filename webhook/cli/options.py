"""Flags made from the declared settings."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from webhook.cli.failure import Failure
from webhook.server.declared import Declared, SettingsError, declared, load
from webhook.server.ignored import ignored
from webhook.server.settings import Settings

_F = TypeVar("_F", bound=Callable[..., Any])


def setting_options(function: _F) -> _F:
    """Gives a command one flag per setting, in the order of declaration."""
    for setting in reversed(declared()):
        function = _option(setting)(function)
    return function


def _option(setting: Declared) -> Callable[[_F], _F]:
    default = setting.shown_default or "none"
    repeat = " May be repeated." if setting.repeatable else ""
    text = f"{setting.description}{repeat}  [{setting.variable}; default: {default}]"
    return click.option(setting.flag, setting.name, multiple=setting.repeatable, metavar="VALUE", help=text)


def settings_from(flags: dict[str, Any]) -> Settings:
    """Builds the settings from flags and the environment.

    Raises:
        Failure: a value is not accepted.
    """
    try:
        return load(flags, os.environ)
    except SettingsError as error:
        raise Failure(str(error)) from None


def warn_of_ignored() -> None:
    """Tells on standard error of every variable that looks like a setting and is none."""
    for sentence in ignored(os.environ):
        click.echo(f"Warning: {sentence}", err=True)
