"""The image's bill of materials in CycloneDX, made from what lies in it."""

import json
import platform
import re
import sys
import uuid
from collections.abc import Mapping
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any
from urllib.parse import quote

from deploy.image import debian
from deploy.image.packages import canonical
from deploy.image.place import BILL, PACKAGES, within

_Json = dict[str, Any]
_SELF = "fastload"
# Longer ones are whole texts, which no field of a name is for.
_NAME_LENGTH = 64


def write(root: Path, wheels: Mapping[str, str], owners: Mapping[str, Mapping[str, str]]) -> None:
    """Writes it into the image: fastload, the packages with their wheels' hashes, the interpreter, the libraries."""
    found = sorted(within(root, PACKAGES).glob("*.dist-info/METADATA"))
    packages = {canonical(each["Name"]): each for each in (Parser().parsestr(path.read_text()) for path in found)}
    components = {name: _package(each, wheels.get(name)) for name, each in packages.items()}
    subject = components.pop(_SELF)
    system = [_interpreter(), *(_library(name, fields) for name, fields in owners.items())]
    references = {name: each["bom-ref"] for name, each in components.items()}
    body = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": subject},
        "components": [*components.values(), *system],
        "dependencies": [
            {"ref": subject["bom-ref"], "dependsOn": [*_needs(packages[_SELF], references), system[0]["bom-ref"]]},
            {"ref": system[0]["bom-ref"], "dependsOn": [each["bom-ref"] for each in system[1:]]},
            *({"ref": ref, "dependsOn": _needs(packages[name], references)} for name, ref in references.items()),
        ],
    }
    # The same for the same content, as the image is.
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body))
    path = within(root, BILL)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**body, "serialNumber": serial.urn}, indent=2) + "\n")


def _package(metadata: Message, digest: str | None) -> _Json:
    """Describes an installed package; fastload itself is in no index, and so has no address in one."""
    name, version = metadata["Name"], metadata["Version"]
    purl = f"pkg:pypi/{canonical(name).replace('_', '-')}@{version}"
    return {
        "type": "library" if digest else "application",
        "bom-ref": purl if digest else name,
        "name": name,
        "version": version,
        "description": metadata["Summary"],
        "licenses": _licences(metadata),
        **({"purl": purl, "hashes": [{"alg": "SHA-256", "content": digest}]} if digest else {}),
    }


def _licences(metadata: Message) -> list[_Json]:
    """Returns what a package says of its licence, as an expression if it gives one."""
    if expression := metadata["License-Expression"]:
        return [{"expression": expression}]
    given = metadata["License"] or ""
    classified = [
        each.split(" :: ")[-1] for each in metadata.get_all("Classifier", []) if each.startswith("License ::")
    ]
    names = [given] if given and "\n" not in given and len(given) <= _NAME_LENGTH else classified
    return [{"license": {"name": name}} for name in names]


def _interpreter() -> _Json:
    version = platform.python_version()
    return {
        "type": "platform",
        "bom-ref": f"pkg:generic/python@{version}",
        "name": sys.implementation.name,
        "version": version,
        "cpe": f"cpe:2.3:a:python:python:{version}:*:*:*:*:*:*:*",
        "licenses": [{"license": {"id": "PSF-2.0"}}],
        "purl": f"pkg:generic/python@{version}",
    }


def _library(name: str, fields: Mapping[str, str]) -> _Json:
    system = debian.release()
    where = f"arch={fields['Architecture']}&distro={system['ID']}-{system['VERSION_ID']}"
    purl = f"pkg:deb/{system['ID']}/{name}@{quote(fields['Version'], safe='~')}?{where}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": fields["Version"], "purl": purl}


def _needs(metadata: Message, references: Mapping[str, str]) -> list[str]:
    """Returns what a package requires of what is installed, without what only its extras do."""
    required = [each for each in metadata.get_all("Requires-Dist", []) if "extra ==" not in each]
    names = {canonical(re.split(r"[^\w.-]", each, maxsplit=1)[0]) for each in required}
    return sorted(references[name] for name in names & references.keys())
