"""Cheap yes-or-no questions to a server over HTTP."""

import http.client
import ssl
import urllib.error
import urllib.request
from pathlib import Path

_TIMEOUT_S = 5


class HealthProbe:
    """Asks as the user of a client certificate, without a proxy whatever the environment says.

    Args:
        authority: the PEM file of the authority that signed the server's certificate.
        certificate: the user's certificate, a PEM file.
        key: its private key, a PEM file.
    """

    def __init__(self, authority: Path, certificate: Path, key: Path) -> None:
        context = ssl.create_default_context(cafile=authority)
        context.load_cert_chain(certificate, key)
        https = urllib.request.HTTPSHandler(context=context)
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), https)

    def succeeds(self, url: str) -> bool:
        """Return whether a GET is answered with a 2xx status within 5 seconds."""
        try:
            with self._opener.open(url, timeout=_TIMEOUT_S):
                return True
        except urllib.error.HTTPError as error:
            error.close()
            return False
        except (OSError, http.client.HTTPException):
            return False
