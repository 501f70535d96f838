"""Find a Chromium, or install one: `python -m tests.browser.chromium`.

The system's own comes first, then Debian's package, then the one that Playwright downloads.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# A bare Debian has no fonts, and not the library that Playwright's driver is linked with.
DEBIAN_PACKAGES = ("chromium", "fonts-liberation", "libatomic1")


def find() -> Path | None:
    """The executable named by EVALCORE_CHROMIUM, else the system's, else Playwright's, else None."""
    if named := os.environ.get("EVALCORE_CHROMIUM"):
        return Path(named)
    for name in NAMES:
        if on_path := shutil.which(name):
            return Path(on_path)
    try:
        with sync_playwright() as playwright:
            own = Path(playwright.chromium.executable_path)
    except Exception:  # what Playwright raises when its driver does not start
        return None
    return own if own.is_file() else None


def version() -> str | None:
    """The version of the Chromium that is found, told through Playwright; None when it does not start."""
    executable = find()
    if executable is None:
        return None
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
            told = browser.version
            browser.close()
    except Exception as error:  # likewise
        print(f"{executable} does not start: {error}", file=sys.stderr)
        return None
    return told


def install() -> None:
    """Install Debian's packages where apt-get may be used, else the browser that Playwright downloads."""
    if apt := _apt_command():
        _run([*apt, "update"])
        _run([*apt, "install", "--yes", "--no-install-recommends", *DEBIAN_PACKAGES])
    if version() is None:
        _run([sys.executable, "-m", "playwright", "install", "chromium"])


def _apt_command() -> list[str] | None:
    if not shutil.which("apt-get"):
        return None
    apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]
    if os.geteuid() == 0:
        return apt
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n", *apt]
    return None


def _run(command: list[str]) -> None:
    print("$", " ".join(command), flush=True)
    subprocess.run(command, stdin=subprocess.DEVNULL, check=False)


def main() -> int:
    """Make sure that there is a browser; 0 when there is one, 1 when none could be had."""
    told = version()
    if told is None and "EVALCORE_CHROMIUM" not in os.environ:
        print("No Chromium that starts; installing one for the browser tests.", flush=True)
        install()
        told = version()
    if told is None:
        print(
            "The browser tests need Chromium and none could be installed here. Install it (Debian, as root: "
            f"apt-get install {' '.join(DEBIAN_PACKAGES)}) or name one: EVALCORE_CHROMIUM=/path/to/chromium",
            file=sys.stderr,
        )
        return 1
    print(f"Browser for the tests: {find()} {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
