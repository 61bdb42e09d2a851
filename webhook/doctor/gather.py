"""Gathers the facts, in three rounds: what there is, then what belongs to the installation, then what it can do."""

import asyncio
import datetime as dt

import msgspec

from webhook.doctor import trying
from webhook.doctor.facts import Facts, Place, Settings, settings_of
from webhook.doctor.finding import Unread
from webhook.doctor.kube import Api
from webhook.doctor.own_views import CertificateData, CertificateSecret, Deployment, EndpointSlice, Service
from webhook.doctor.reading import Reader
from webhook.doctor.views import Object, Pod, Version, WebhookConfiguration, Workload
from webhook.doctor.webhooks import ours

_DEFAULT = "fastload"
_REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
_LABEL = "app.kubernetes.io/name"
_WORKLOADS = {
    "Deployment": ("apps", "deployments"),
    "StatefulSet": ("apps", "statefulsets"),
    "Job": ("batch", "jobs"),
    "CronJob": ("batch", "cronjobs"),
    "LeaderWorkerSet": ("leaderworkerset.x-k8s.io", "leaderworkersets"),
}
_Configurations = tuple[WebhookConfiguration, ...] | Unread


class _Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """What there is, whatever is installed."""

    kubernetes: Version | Unread
    mutating: _Configurations
    validating: _Configurations
    namespaces: tuple[Object, ...] | Unread
    pods: tuple[Pod, ...] | Unread
    workloads: dict[str, tuple[Workload, ...] | Unread]


class _Installed(msgspec.Struct, frozen=True, kw_only=True):
    """What belongs to the installation."""

    deployment: Deployment | Unread | None
    service: Service | Unread | None
    slices: tuple[EndpointSlice, ...] | Unread
    own_pods: tuple[Pod, ...] | Unread
    certificate: bytes | Unread | None
    next_certificate: bytes | None


async def gather(api: Api, namespace: str | None) -> Facts:
    """Reads everything; `namespace` is where fastload is installed, None for where the webhooks lead to."""
    reader = Reader(api)
    cluster = await _cluster(reader)
    place = _place(cluster, namespace)
    installed = await _installed(reader, place)
    settings = settings_of(installed.deployment)
    access, probe, asked = await asyncio.gather(
        trying.access(reader, place, installed.deployment, settings),
        trying.probe(reader, _probed(cluster), settings.prefix),
        trying.asked(api, place, cluster.pods, settings.prefix),
    )
    return Facts(
        now=dt.datetime.now(dt.UTC),
        place=place,
        access=access,
        probe=probe,
        asked=asked,
        **msgspec.structs.asdict(cluster),
        **msgspec.structs.asdict(installed),
    )


async def _cluster(reader: Reader) -> _Cluster:
    reads = (
        reader.every(f"/apis/{group}/v1/{resource}", Workload, f"list {resource}.{group}")
        for group, resource in _WORKLOADS.values()
    )
    (kubernetes, mutating, validating, namespaces, pods), workloads = await asyncio.gather(
        asyncio.gather(
            reader.one("/version", Version, "get /version"),
            _configurations(reader, "mutating"),
            _configurations(reader, "validating"),
            reader.every("/api/v1/namespaces", Object, "list namespaces"),
            reader.every("/api/v1/pods", Pod, "list pods"),
        ),
        asyncio.gather(*reads),
    )
    return _Cluster(
        kubernetes=kubernetes or Unread("get /version", "the server has none"),
        mutating=mutating,
        validating=validating,
        namespaces=namespaces,
        pods=pods,
        workloads=dict(zip(_WORKLOADS, workloads, strict=True)),
    )


async def _configurations(reader: Reader, kind: str) -> _Configurations:
    resource = f"{kind}webhookconfigurations"
    return await reader.every(
        f"{_REGISTRATION}/{resource}", WebhookConfiguration, f"list {resource}.admissionregistration.k8s.io"
    )


def _place(cluster: _Cluster, namespace: str | None) -> Place:
    """Returns where the webhooks lead to; in the namespace that was named, if one was."""
    for configurations in (cluster.mutating, cluster.validating):
        for webhook in [] if isinstance(configurations, Unread) else ours(configurations):
            service = webhook.client_config.service
            if service and namespace in (None, service.namespace):
                return Place(service.namespace, service.name)
    return Place(namespace or _DEFAULT, _DEFAULT)


async def _installed(reader: Reader, place: Place) -> _Installed:
    where = f"/api/v1/namespaces/{place.namespace}"
    here = f"in namespace {place.namespace}"
    slices = f"/apis/discovery.k8s.io/v1/namespaces/{place.namespace}/endpointslices"
    deployments, service, endpoints, own_pods = await asyncio.gather(
        reader.every(
            f"/apis/apps/v1/namespaces/{place.namespace}/deployments", Deployment, f"list deployments.apps {here}"
        ),
        reader.one(f"{where}/services/{place.name}", Service, f"get services {here}"),
        reader.every(
            slices,
            EndpointSlice,
            f"list endpointslices.discovery.k8s.io {here}",
            {"labelSelector": f"kubernetes.io/service-name={place.name}"},
        ),
        reader.every(f"{where}/pods", Pod, f"list pods {here}", {"labelSelector": f"{_LABEL}={_DEFAULT}"}),
    )
    deployment = deployments if isinstance(deployments, Unread) else _own(deployments, place)
    secret = await reader.one(
        f"{where}/secrets/{_secret_name(deployment, place)}", CertificateSecret, f"get secrets {here}"
    )
    held = CertificateData() if secret is None or isinstance(secret, Unread) else secret.data or CertificateData()
    return _Installed(
        deployment=deployment,
        service=service,
        slices=endpoints,
        own_pods=own_pods,
        certificate=secret if isinstance(secret, Unread) else trying.decoded(held.certificate),
        next_certificate=trying.decoded(held.following),
    )


def _own(deployments: tuple[Deployment, ...], place: Place) -> Deployment | None:
    named = [each for each in deployments if each.metadata.name == place.name]
    labelled = [each for each in deployments if (each.metadata.labels or {}).get(_LABEL) == _DEFAULT]
    return next(iter((*named, *labelled)), None)


def _secret_name(deployment: Deployment | Unread | None, place: Place) -> str:
    settings: Settings = settings_of(deployment)
    if settings.self_managed:
        return settings.certificate_secret
    volumes = deployment.spec.template.spec.volumes if isinstance(deployment, Deployment) else None
    mounted = [each.secret.secret_name for each in volumes or () if each.secret and each.name == "tls"]
    return next(iter(mounted), f"{place.name}-tls")


def _probed(cluster: _Cluster) -> str:
    """Returns a namespace that fastload is called for, `default` if it is one of those."""
    if isinstance(cluster.namespaces, Unread) or isinstance(cluster.mutating, Unread):
        return "default"
    selectors = [each.namespace_selector for each in ours(cluster.mutating) if each.name.startswith("pods.")]
    names = {each.metadata.name: each.metadata.labels or {} for each in cluster.namespaces}
    called = [name for name, labels in names.items() if all(each is None or each.admits(labels) for each in selectors)]
    return "default" if "default" in called or not called else called[0]
