"""Help with its options in sections, for a command that has many."""

from collections.abc import Mapping
from typing import Any

import click


class Sectioned(click.Command):
    """A command whose help lists options by section; those in none stand in the last, `Other`."""

    def __init__(self, *args: Any, sections: Mapping[str, tuple[str, ...]], **kwargs: Any) -> None:  # noqa: ANN401 (click's)
        super().__init__(*args, **kwargs)
        self._sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes each section's options, in the order of their declaration."""
        placed = {name for names in self._sections.values() for name in names}
        records = {each.name: record for each in self.get_params(ctx) if (record := each.get_help_record(ctx))}
        sections = {**self._sections, "Other": tuple(name for name in records if name and name not in placed)}
        for title, names in sections.items():
            with formatter.section(title):
                formatter.write_dl([records[name] for name in names])
