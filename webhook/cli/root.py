"""The root command. A subcommand's module is imported when it is asked for, so each starts with what it needs alone."""

import importlib

import click

from webhook import __version__

_COMMANDS = ("certs", "doctor", "health", "preview", "serve")


class _Lazy(click.Group):
    def list_commands(self, _context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"webhook.cli.{name}").command
        return command


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="fastload")
def main() -> None:
    """Short cold starts for LLM inference pods on EKS."""
