import pytest
from hypothesis import settings

# An example that takes long on a busy machine shows nothing.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the goldens anew from what the code does")
    parser.addoption("--update-screenshots", action="store_true", help="take the docs' picture of the page anew")
