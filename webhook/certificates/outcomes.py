"""What became of each thing that keeping a certificate takes: the labels of its metrics."""

from enum import StrEnum


class Step(StrEnum):
    """A step of a rotation, or that one could not be taken."""

    # A certificate that somebody else installed is kept from now on.
    ADOPTED = "adopted"
    # The next certificate was made, and waits until it is trusted.
    PREPARED = "prepared"
    # It became the one that is served.
    SERVED = "served"
    # What nobody needs any more was taken out.
    TIDIED = "tidied"
    # The Secret could not be written.
    FAILED = "failed"


class Writing(StrEnum):
    """What became of a `caBundle` that was not as it should be."""

    WRITTEN = "written"
    FAILED = "failed"
