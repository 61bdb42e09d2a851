"""How a command ends where it cannot do what was asked: one line on standard error, exit status 2."""

import click


class Failure(click.ClickException):
    """A problem of the input or the surroundings, told in words."""

    exit_code = 2
