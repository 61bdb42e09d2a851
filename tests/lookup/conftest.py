"""The catalogue, read once."""

import pytest

from webhook.lookup.catalogue import Catalogue, load_catalogue


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue()
