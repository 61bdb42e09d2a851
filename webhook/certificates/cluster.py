"""The Secret and the webhook configurations, as the API server has them, and the two narrow ways to change them."""

import base64
import binascii
import datetime as dt
import json
from collections.abc import Sequence
from typing import Any

import msgspec

from webhook.certificates.api import JSON_PATCH, Api
from webhook.certificates.kept import Kept, decode, encode
from webhook.certificates.settings import CertificateSettings
from webhook.certificates.trust import Authorities, parse, render
from webhook.lookup.watching import KubeError

_REGISTRATION = "/apis/admissionregistration.k8s.io/v1"


class Configuration(msgspec.Struct, frozen=True):
    """A webhook configuration: its version, its webhooks' names, and what each of them is told to trust."""

    path: str
    version: str
    names: tuple[str, ...]
    bundles: tuple[Authorities, ...]


class Look(msgspec.Struct, frozen=True):
    """All that there is, at one time by the API server's clock."""

    kept: Kept
    # The Secret itself; None where there is none.
    secret: dict[str, Any] | None
    configurations: tuple[Configuration, ...]
    now: dt.datetime

    @property
    def bundles(self) -> tuple[Authorities, ...]:
        """What every webhook is told to trust."""
        return tuple(bundle for each in self.configurations for bundle in each.bundles)


class CertificateCluster:
    """Reads and writes what is named in the settings, and nothing else."""

    def __init__(self, api: Api, settings: CertificateSettings) -> None:
        self._api = api
        self._name = settings.certificate_secret
        self._secrets = f"/api/v1/namespaces/{settings.certificate_namespace}/secrets"
        kinds_and_names = (each.split("/") for each in settings.certificate_webhooks)
        self._configurations = [f"{_REGISTRATION}/{kind}s/{name}" for kind, name in kinds_and_names]

    async def look(self) -> Look:
        """Reads everything.

        Raises:
            KubeError: the API server is not reached, refuses, or sends what cannot be read.
        """
        secret, now = await self._get(f"{self._secrets}/{self._name}")
        found = [(path, (await self._get(path))[0]) for path in self._configurations]
        configurations = tuple(_configuration(path, each) for path, each in found if each is not None)
        return Look(decode((secret or {}).get("data")), secret, configurations, now)

    async def keep(self, look: Look, kept: Kept) -> None:
        """Writes the Secret, if it is still the one that was looked at.

        Raises:
            KubeError: it is not (status 409), or the API server is not reached or refuses.
        """
        if look.secret is not None:
            changed = {**look.secret, "data": encode(kept)}
            await self._api.write("PUT", f"{self._secrets}/{self._name}", changed)
            return
        fresh = {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "kubernetes.io/tls",
            "metadata": {"name": self._name, "labels": {"app.kubernetes.io/managed-by": "fastload"}},
            "data": encode(kept),
        }
        await self._api.write("POST", self._secrets, fresh)

    async def tell(self, configuration: Configuration, bundles: Sequence[Authorities]) -> None:
        """Writes the `caBundle` of each webhook, and nothing else, if the configuration is still as it was looked at.

        Raises:
            KubeError: it is not (status 409), or the API server is not reached or refuses.
        """
        version = {"op": "replace", "path": "/metadata/resourceVersion", "value": configuration.version}
        changes = [
            {"op": "add", "path": f"/webhooks/{number}/clientConfig/caBundle", "value": _spell(bundle)}
            for number, bundle in enumerate(bundles)
            if bundle != configuration.bundles[number]
        ]
        await self._api.write(
            "PATCH", f"{configuration.path}?fieldManager=fastload-certificates", [version, *changes], JSON_PATCH
        )

    async def _get(self, path: str) -> tuple[dict[str, Any] | None, dt.datetime]:
        """Returns an object, None where there is none, and the API server's time."""
        answer = await self._api.read(path)
        try:
            found: dict[str, Any] | None = json.loads(answer.body) if answer.body is not None else None
        except ValueError as error:
            raise KubeError(f"{path}: an answer that cannot be read") from error
        return found, answer.now


def _configuration(path: str, found: dict[str, Any]) -> Configuration:
    webhooks = found.get("webhooks") or ()
    names = tuple(webhook["name"] for webhook in webhooks)
    bundles = tuple(_bundle((webhook.get("clientConfig") or {}).get("caBundle")) for webhook in webhooks)
    return Configuration(path, found["metadata"]["resourceVersion"], names, bundles)


def _bundle(text: str | None) -> Authorities:
    try:
        return parse(base64.b64decode(text or "", validate=True))
    except (binascii.Error, ValueError):
        return ()


def _spell(authorities: Authorities) -> str:
    return base64.b64encode(render(authorities)).decode()
