"""`fastload certs`."""

from pathlib import Path

import click

from webhook.cli.failure import Failure


@click.group("certs", short_help="Issue and check the webhook's certificates.")
def command() -> None:
    """Certificates for the webhook."""


@command.command(short_help="Issue a development authority and a serving certificate.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default="certs", show_default=True)
@click.option(
    "--name",
    "names",
    multiple=True,
    default=("fastload.fastload.svc", "localhost", "127.0.0.1"),
    show_default=True,
    help="DNS name or IP address that the certificate is for. May be repeated.",
)
@click.option("--days", type=click.IntRange(1, 3650), default=365, show_default=True, help="How long it is valid.")
def dev(out: Path, names: tuple[str, ...], days: int) -> None:
    """Issue a development authority and a serving certificate into a folder.

    Writes ca.pem (what clients trust), cert.pem and key.pem. The authority's own key is thrown away: run this again to
    renew, and hand out the new ca.pem.
    """
    from webhook.server.certificates import issue  # noqa: PLC0415 (cryptography, which the help text needs not)

    try:
        files = issue(names, out, days)
    except (OSError, ValueError) as error:
        raise Failure(f"cannot issue a certificate for {', '.join(names)} into {out}: {error}") from None
    for file in (files.authority, files.certificate, files.key):
        click.echo(file)


@command.command("check", short_help="Tell whether a certificate is good for a while yet.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default="certs",
    show_default=True,
    help="Where ca.pem and cert.pem lie.",
)
@click.option("--name", "names", multiple=True, required=True, help="Name that clients call. May be repeated.")
@click.option("--days", type=click.IntRange(0, 3650), default=30, show_default=True, help="How long it must be good.")
def check_one(folder: Path, names: tuple[str, ...], days: int) -> None:
    """Tell whether clients that trust ca.pem take cert.pem, today and in so many days.

    Ends with status 2 where they do not.
    """
    from webhook.server.certificates import Files, check  # noqa: PLC0415 (cryptography, which the help text needs not)

    try:
        check(Files.within(folder), names, days)
    except (OSError, ValueError) as error:
        raise Failure(f"{folder}: {error}") from None
    click.echo(f"good for {', '.join(names)} for {days} days yet")
