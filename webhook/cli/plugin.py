"""`kubectl fastload`: the same command under the name that kubectl gives it.

kubectl runs the executable `kubectl-fastload` that it finds on the PATH, with the arguments behind its name.
"""

from webhook.cli.root import main


def plugin() -> None:
    """Runs the command as kubectl's plugin, which its usage lines then show."""
    main(prog_name="kubectl fastload")
