"""A Chromium for the tests: one that is on this machine, else Debian's, else Playwright's own.

Run `python -m tests.browser.chromium` to have one ahead of the tests and print its path.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.cluster.cache import cache_folder, exclusive

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
_MACOS = ("Chromium.app/Contents/MacOS/Chromium", "Google Chrome.app/Contents/MacOS/Google Chrome")
_LAST_WORDS = 600  # characters of what a failed installation said


class NoBrowserError(RuntimeError):
    """No browser can be had; the message says what was tried, and what to do."""


def provide() -> Path:
    """Returns the browser's path, and installs one where there is none.

    Raises:
        NoBrowserError: neither is possible.
    """
    with exclusive(cache_folder() / "browser", _report):
        return found() or _installed()


def found() -> Path | None:
    """Returns the browser of this machine; None where there is none."""
    on_path = [shutil.which(name) for name in _NAMES]
    candidates = [Path(path) for path in on_path if path] + [Path("/Applications") / path for path in _MACOS]
    return next((path for path in [*candidates, _playwrights_own()] if path.is_file()), None)


def sandbox_flags() -> list[str]:
    """Chromium's sandbox does not work for root, as whom a container's tests often run."""
    return ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []


def _playwrights_own() -> Path:
    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)


def _installed() -> Path:
    ways: dict[str, Callable[[], str | None]] = {"apt-get": _by_apt, "Playwright": _by_playwright}
    failures = []
    for way, install in ways.items():
        problem = install()
        browser = found() if problem is None else None
        if browser:
            return browser
        failures.append(f"{way}: {problem or 'it installed none that is found'}")
    raise NoBrowserError(
        "The page is tested in Chromium, and there is none here. Install one (Debian: apt-get install chromium; "
        "macOS: brew install --cask chromium) so that it is on the PATH, or let this machine reach Playwright's "
        "downloads (.venv/bin/playwright install --with-deps chromium). Tried:\n  " + "\n  ".join(failures)
    )


def _by_apt() -> str | None:
    """Installs Debian's package; returns why it could not."""
    if not shutil.which("apt-get"):
        return "there is none"
    if os.geteuid() != 0:
        return "only root may install"
    options = ["--yes", "--no-install-recommends"]
    return _ran(["apt-get", "update"]) or _ran(["apt-get", "install", *options, "chromium", "fonts-liberation"])


def _by_playwright() -> str | None:
    """Downloads Playwright's build; returns why it could not."""
    return _ran([sys.executable, "-m", "playwright", "install", "chromium"])


def _ran(command: Sequence[str]) -> str | None:
    _report(f"installing a browser: {' '.join(command)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode == 0:
        return None
    return f"{' '.join(command)} failed: {(done.stderr or done.stdout).strip()[-_LAST_WORDS:]}"


def _report(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{provide()}\n")
    except NoBrowserError as error:
        sys.exit(str(error))
