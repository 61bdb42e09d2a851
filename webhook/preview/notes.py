"""What a preview has to say of an object as a whole, beside what it says of each pod."""

from enum import StrEnum

import msgspec


class Topic(StrEnum):
    """What a note is about."""

    # The manifest shows no pod, because a controller makes it.
    CONTROLLER_MAKES_PODS = "controller-makes-pods"
    # What fastload adds to the pod cannot stand in a manifest that is applied.
    ONLY_IN_PODS = "only-in-pods"
    # A kustomization has no way to name the object.
    UNNAMED = "unnamed"
    # Pods are tuned in part, because something was not known that a flag can say.
    INCOMPLETE = "incomplete"
    # An instance type is spelt almost like one that there is.
    MISSPELT_TYPE = "misspelt-type"
    # A manifest names a folder of the node, and the folder is named after the namespace.
    NODE_FOLDER = "node-folder"


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence about one object, and where the object was met."""

    code: Topic
    text: str
    file: str
    document: int  # from 1, within the file
