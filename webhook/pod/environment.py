"""A container's environment as the pod spells it, before any script runs.

Later entries of `env` win over earlier ones and over `envFrom`, whose names are not in the pod at all. A name whose
value comes from elsewhere (`valueFrom`) is the user's, with a hole for a value.
"""

from collections.abc import Mapping

import msgspec

from webhook.pod.expansion import expand_each
from webhook.pod.facts import EnvFromRef
from webhook.pod.unknown import outside
from webhook.pod.view import Container

# Names that a controller, the kubelet, the shell or the image sets, so that their absence from the pod proves nothing:
# LeaderWorkerSet, KubeRay, Kubeflow, AIBrix, Grove, Dynamo, SkyPilot, Slurm, CUDA images, indexed Jobs, service links.
_INJECTED_PREFIXES = (
    *("LWS_", "RAY_", "PET_", "STORM_", "PODSET_", "POD_", "GROVE_", "DYN_", "SKYPILOT_", "SLURM_", "OMPI_"),
    *("CUDA_", "NVIDIA_", "NCCL_", "TPU_", "AIP_", "SM_", "JOB_COMPLETION_", "JOBSET_", "KUBERNETES_"),
)
_INJECTED_SUFFIXES = ("_SERVICE_HOST", "_SERVICE_PORT", "_PORT")
_INJECTED_NAMES = frozenset(
    {
        *("HOME", "PATH", "HOSTNAME", "PWD", "OLDPWD", "USER", "SHELL", "LANG", "TERM", "UID", "EUID"),
        *("LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "PORT", "K_SERVICE", "K_REVISION"),
        *("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK", "LOCAL_RANK", "NODE_RANK"),
        *("AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_REGION", "AWS_DEFAULT_REGION"),
    }
)


class Environment(msgspec.Struct, frozen=True):
    """Names and values, each known or with holes, and whether there may be more than the pod shows."""

    values: Mapping[str, str]
    # Names that the user's pod holds, without those a controller will add.
    own: frozenset[str]
    hidden: tuple[EnvFromRef, ...] = ()
    # Something that cannot be read may have set any name.
    forgotten: bool = False
    # The hard limit on open files that a shell has set.
    open_files: int | None = None

    def may_hold(self, name: str) -> bool:
        """Whether a name that the pod does not show may be set all the same."""
        return (
            bool(self.hidden)
            or self.forgotten
            or name in _INJECTED_NAMES
            or name.startswith(_INJECTED_PREFIXES)
            or name.endswith(_INJECTED_SUFFIXES)
        )


def environment_of(container: Container, ambient: Mapping[str, str]) -> Environment:
    """Reads a container's environment; `ambient` is what a controller will add and the pod does not override."""
    values = dict(ambient)
    own: set[str] = set()
    entries = container.env or ()
    # Each value may refer to those before it.
    for entry, expanded in zip(entries, expand_each((entry.value or "" for entry in entries), values), strict=True):
        from_elsewhere = entry.value_from is not None and not entry.value
        values[entry.name] = outside(entry.name) if from_elsewhere else expanded
        own.add(entry.name)
    return Environment(values, frozenset(own), _hidden(container))


def _hidden(container: Container) -> tuple[EnvFromRef, ...]:
    sources = []
    for source in container.env_from or ():
        prefix = source.prefix or ""
        if source.config_map_ref is not None and source.config_map_ref.name:
            sources.append(EnvFromRef("ConfigMap", source.config_map_ref.name, prefix))
        if source.secret_ref is not None and source.secret_ref.name:
            sources.append(EnvFromRef("Secret", source.secret_ref.name, prefix))
    return tuple(sources)
