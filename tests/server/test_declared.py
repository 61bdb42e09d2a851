"""Settings: a flag over the environment over the default, each value checked, each error in words."""

from collections import Counter
from typing import Any

import pytest

from webhook.plan.settings import ChunkPolicy
from webhook.pod.facts import Feature
from webhook.server.declared import Declared, SettingsError, declared, load
from webhook.server.settings import ClusterMode, LogLevel, Settings


def value(settings: Settings, name: str) -> object:
    room = next(setting.room for setting in declared() if setting.name == name)
    found: object = getattr(getattr(settings, room), name)
    return found


def test_without_flags_and_environment_every_setting_has_its_default() -> None:
    assert load({}, {}) == Settings()


@pytest.mark.parametrize("setting", declared(), ids=lambda setting: setting.name)
def test_every_setting_is_described_and_has_a_default_that_it_accepts(setting: Declared) -> None:
    assert setting.description.endswith(".")
    assert setting.accepts
    assert value(load({}, {setting.variable: setting.shown_default}), setting.name) == setting.default


def test_no_two_rooms_declare_the_same_setting() -> None:
    assert [name for name, count in Counter(setting.name for setting in declared()).items() if count > 1] == []


def test_no_variable_is_one_that_the_kubelet_sets_beside_a_service_of_our_name() -> None:
    variables = {setting.variable for setting in declared()}
    assert not [name for name in variables if name.startswith(("FASTLOAD_PORT", "FASTLOAD_SERVICE"))]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param("review_port", "9443", 9443, id="whole number"),
        pytest.param("deadline_seconds", "1.5", 1.5, id="number"),
        pytest.param("deadline_seconds", "1", 1.0, id="number without a fraction"),
        pytest.param("cache_init_container", "false", False, id="false"),
        pytest.param("cache_on_root_volume", "1", True, id="one is true"),
        pytest.param("chunk", "published", ChunkPolicy.PUBLISHED, id="choice"),
        pytest.param("kubernetes", "off", ClusterMode.OFF, id="choice that looks like a truth value"),
        pytest.param("cache_claim", "compile-cache", "compile-cache", id="text"),
        pytest.param("cache_claim", "", None, id="empty is none"),
        pytest.param("cache_roots", "/mnt/a, /mnt/b", ("/mnt/a", "/mnt/b"), id="list"),
        pytest.param("allowed_buckets", "", (), id="empty list"),
        pytest.param("features", "streamer,retry", (Feature.STREAMER, Feature.RETRY), id="list of choices"),
        pytest.param("annotation_prefix", "cold.example.com", "cold.example.com", id="text of a pattern"),
    ],
)
def test_the_environment_sets_it(name: str, text: str, expected: object) -> None:
    assert value(load({}, {f"FASTLOAD_{name.upper()}": text}), name) == expected


def test_a_flag_wins_over_the_environment() -> None:
    settings = load({"log_level": "error", "review_port": None}, {"FASTLOAD_LOG_LEVEL": "debug"})
    assert settings.server.log_level is LogLevel.ERROR
    assert settings.server.review_port == 8443


def test_a_repeated_flag_replaces_the_environments_list() -> None:
    settings = load({"cache_roots": ("/a", "/b")}, {"FASTLOAD_CACHE_ROOTS": "/c"})
    assert settings.plan.cache_roots == ("/a", "/b")


@pytest.mark.parametrize(
    ("flags", "environ", "message"),
    [
        pytest.param(
            {},
            {"FASTLOAD_CACHE_ROOTS": "/mnt/a/b,/mnt/a"},
            "cache roots: /mnt/a/b lies in /mnt/a; name folders beside one another",
            id="roots within one another",
        ),
        pytest.param(
            {},
            {"FASTLOAD_REVIEW_PORT": "https"},
            "FASTLOAD_REVIEW_PORT is 'https'; it takes a whole number from 0 to 65535",
            id="no number",
        ),
        pytest.param(
            {"review_port": "70000"},
            {},
            "--review-port is '70000'; it takes a whole number from 0 to 65535",
            id="out of bounds",
        ),
        pytest.param(
            {"deadline_seconds": "0"},
            {},
            "--deadline-seconds is '0'; it takes a number greater than 0",
            id="not above a bound",
        ),
        pytest.param(
            {},
            {"FASTLOAD_CHUNK": "always"},
            "FASTLOAD_CHUNK is 'always'; it takes one of auto, off, published",
            id="no such choice",
        ),
        pytest.param(
            {},
            {"FASTLOAD_CACHE_INIT_CONTAINER": "maybe"},
            "FASTLOAD_CACHE_INIT_CONTAINER is 'maybe'; it takes true or false",
            id="neither true nor false",
        ),
        pytest.param(
            {"annotation_prefix": "Bad_Prefix"},
            {},
            "--annotation-prefix is 'Bad_Prefix'; it takes text that matches ^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
            id="pattern",
        ),
        pytest.param(
            {},
            {"FASTLOAD_FEATURES": "streamer,weights"},
            "FASTLOAD_FEATURES is 'streamer,weights'; it takes a comma-separated list, each one of streamer, retry, "
            "cache",
            id="no such choice in a list",
        ),
        *(
            pytest.param(
                {},
                {"FASTLOAD_CACHE_ROOTS": f"/mnt/a,{folder}"},
                f"FASTLOAD_CACHE_ROOTS is '/mnt/a,{folder}'; it takes a comma-separated list, each an absolute path "
                "without `.`, `..`, `//` or a slash at its end",
                id=f"no folder: {folder}",
            )
            for folder in ("mnt/a", "/", "/mnt/", "//mnt", "/mnt//a", "/mnt/../etc", "/mnt/..", "/..", "/mnt/./a")
        ),
    ],
)
def test_a_bad_value_is_named_with_what_is_accepted(
    flags: dict[str, Any], environ: dict[str, str], message: str
) -> None:
    with pytest.raises(SettingsError) as raised:
        load(flags, environ)
    assert str(raised.value) == message
