"""A misspelt setting is told of; what the kubelet sets is not."""

import pytest

from webhook.server.declared import declared
from webhook.server.ignored import ignored


@pytest.mark.parametrize(
    ("name", "closest"),
    [
        ("FASTLOAD_CACHE_ROOT", "FASTLOAD_CACHE_ROOTS"),
        ("FASTLOAD_ADMN_PORT", "FASTLOAD_ADMIN_PORT"),
        ("FASTLOAD_LOGLEVEL", "FASTLOAD_LOG_LEVEL"),
        ("FASTLOAD_FEATURE", "FASTLOAD_FEATURES"),
    ],
)
def test_a_misspelt_variable_is_told_of_with_the_closest_setting(name: str, closest: str) -> None:
    assert ignored({name: "8081", "PATH": "/bin"}) == (
        f"{name} is ignored: there is no such setting; the closest is {closest}",
    )


def test_settings_are_not_told_of() -> None:
    assert ignored({setting.variable: "1" for setting in declared()}) == ()


def test_the_kubelets_variables_of_services_are_not_told_of() -> None:
    links = {
        "FASTLOAD_SERVICE_HOST": "10.0.0.1",
        "FASTLOAD_SERVICE_PORT": "443",
        "FASTLOAD_SERVICE_PORT_REVIEWS": "443",
        "FASTLOAD_PORT": "tcp://10.0.0.1:443",
        "FASTLOAD_PORT_443_TCP": "tcp://10.0.0.1:443",
        "FASTLOAD_PORT_443_TCP_PROTO": "tcp",
        "FASTLOAD_PORT_443_TCP_PORT": "443",
        "FASTLOAD_PORT_443_TCP_ADDR": "10.0.0.1",
        "FASTLOAD_METRICS_SERVICE_HOST": "10.0.0.2",
        "FASTLOAD_METRICS_PORT": "tcp://10.0.0.2:8080",
    }
    assert ignored(links) == ()
