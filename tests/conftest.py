import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the goldens anew from what the code does")
    parser.addoption("--update-screenshots", action="store_true", help="take the docs' picture of the page anew")
