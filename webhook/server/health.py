"""Whether this replica should be sent reviews, and if not, why."""


class Health:
    """Ready once the caches have filled, or were waited for long enough; never again once the process is to stop.

    Not ready while it knows that the API server would not take its certificate.
    """

    def __init__(self) -> None:
        self.warm = False
        # What is wrong with the certificate; empty where nothing is, as far as it is known.
        self.certificate = ""
        self.draining = False

    def missing(self) -> str:
        """Tells what stands between this replica and readiness; empty when nothing does."""
        if self.draining:
            return "shutting down"
        return self.certificate if self.warm else "the caches are still filling"
