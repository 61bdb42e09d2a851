"""`fastload certs`."""

import datetime as dt
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webhook.certificates.settings import CertificateSettings
from webhook.cli.context import Choice, context_options
from webhook.cli.failure import Failure

if TYPE_CHECKING:
    from webhook.certificates.cluster import Look
    from webhook.certificates.inspection import Inspected

_DEFAULTS = CertificateSettings()


@click.group("certs", short_help="Issue, check and show the webhook's certificates.")
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


@command.command(short_help="Show an installation's certificate, and who trusts it.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Show ca.pem, cert.pem and key.pem in this folder instead.",
)
@context_options
@click.option("-n", "--namespace", default=_DEFAULTS.certificate_namespace, show_default=True, help="Of the Secret.")
@click.option("--secret", default=_DEFAULTS.certificate_secret, show_default=True, help="Its name.")
@click.option(
    "--webhook",
    "webhooks",
    multiple=True,
    default=_DEFAULTS.certificate_webhooks,
    show_default=True,
    help="KIND/NAME of a webhook configuration. May be repeated.",
)
def show(folder: Path | None, choice: Choice, namespace: str, secret: str, webhooks: tuple[str, ...]) -> None:
    """Show the certificate of the installation that kubectl leads to: for whom, by whom, how long, trusted by whom.

    Ends with status 2 where something is not as it should be. No private key is shown.
    """
    if folder and choice.flag:
        raise Failure(f"{choice.flag} chooses a cluster, and --folder asks none; give one of them")
    settings = CertificateSettings(
        certificate_namespace=namespace, certificate_secret=secret, certificate_webhooks=webhooks
    )
    lines = list(_of_folder(folder) if folder else _of_cluster(choice, settings))
    for each in lines:
        click.echo(each.line)
    if not all(each.good for each in lines):
        raise click.exceptions.Exit(Failure.exit_code)


def _of_folder(folder: Path) -> "Iterable[Inspected]":
    from webhook.certificates.inspection import inspect_leaf, inspect_trust  # noqa: PLC0415 (cryptography, as above)
    from webhook.certificates.issuing import Leaf  # noqa: PLC0415 (as above)
    from webhook.certificates.trust import parse, readable  # noqa: PLC0415 (as above)
    from webhook.server.certificates import Files  # noqa: PLC0415 (as above)

    files = Files.within(folder)
    try:
        leaf = Leaf(files.certificate.read_bytes(), files.key.read_bytes())
        authorities = parse(files.authority.read_bytes())
    except OSError as error:
        raise Failure(f"{folder}: {error}") from None
    if not readable(leaf):
        raise Failure(
            f"{folder}: {files.certificate.name} and {files.key.name} cannot be read or do not belong together"
        )
    now = dt.datetime.now(dt.UTC)
    return [*inspect_leaf("serving", leaf, now), inspect_trust(files.authority.name, leaf, authorities, now)]


def _of_cluster(choice: Choice, settings: CertificateSettings) -> "Iterable[Inspected]":
    import asyncio  # noqa: PLC0415 (which the help text needs not)

    from webhook.certificates.inspection import inspect  # noqa: PLC0415 (cryptography, as above)

    look = asyncio.run(_look(choice, settings))
    if look.secret is None:
        raise Failure(
            f"there is no Secret {settings.certificate_secret} in the namespace {settings.certificate_namespace}"
        )
    return inspect(look)


async def _look(choice: Choice, settings: CertificateSettings) -> "Look":
    from webhook.certificates.cluster import CertificateCluster  # noqa: PLC0415 (cryptography, as above)
    from webhook.certificates.kube import WritingKubernetes  # noqa: PLC0415 (takes half a second)
    from webhook.lookup.watching import KubeError  # noqa: PLC0415 (as above)

    try:
        api = await WritingKubernetes.from_kubeconfig(choice.find())
    except KubeError as error:
        raise Failure(str(error)) from None
    try:
        return await CertificateCluster(api, settings).look()
    except KubeError as error:
        raise Failure(str(error)) from None
    finally:
        await api.close()
