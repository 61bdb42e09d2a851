"""`fastload serve`."""

from typing import Any

import click

from webhook.cli.failure import Failure
from webhook.cli.options import setting_options, settings_from


@click.command("serve", short_help="Run the admission webhook.")
@setting_options
def command(**flags: Any) -> None:  # noqa: ANN401 (one per declared setting)
    """Run the admission webhook.

    Reviews are answered over HTTPS at /mutate; health, readiness and metrics over plain HTTP on the admin port. Each
    setting is a flag or an environment variable; the flag wins.
    """
    settings = settings_from(flags)
    # The server's clients take longer to import than the help text may.
    from webhook.server.listeners import ListenError  # noqa: PLC0415 (see above)
    from webhook.server.run import serve  # noqa: PLC0415 (see above)
    from webhook.server.service import ClusterError  # noqa: PLC0415 (see above)
    from webhook.server.tls import CertificateError  # noqa: PLC0415 (see above)

    try:
        serve(settings)
    except (CertificateError, ClusterError, ListenError) as error:
        raise Failure(str(error)) from None
