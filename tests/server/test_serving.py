"""What the server is before it serves: its browser, and the limit that a browser is told."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from streamlit import cli_util, config
from streamlit.config_option import ConfigOption

from evalcore.settings import Settings
from pages.server import serving


@pytest.fixture
def option(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Streamlit's options as given, defined in a place; what is set is seen in the same dictionary."""

    def given(place: str = ConfigOption.DEFAULT_DEFINITION, **values: Any) -> dict[str, Any]:
        known = {name.replace("_", ".", 1): value for name, value in values.items()}
        monkeypatch.setattr(config, "get_option", known.get)
        monkeypatch.setattr(config, "set_option", known.__setitem__)
        monkeypatch.setattr(config, "get_where_defined", lambda _: place)
        return known

    return given


@pytest.mark.parametrize(("headless", "expected"), [(False, ["http://127.0.0.1:8600"]), (True, [])])
def test_browser_opens_unless_told_not_to(
    monkeypatch: pytest.MonkeyPatch, option: Callable[..., Any], headless: bool, expected: list[str]
) -> None:
    option(
        server_headless=headless,
        server_address="127.0.0.1",
        server_port=8600,
        browser_serverPort=8600,
        server_baseUrlPath="",
    )
    opened: list[str] = []
    monkeypatch.setattr(cli_util, "open_browser", opened.append)

    async def live() -> None:
        async with serving.lifespan(None):  # type: ignore[arg-type]
            await asyncio.sleep(0)

    asyncio.run(live())
    assert opened == expected


@pytest.mark.parametrize(
    ("place", "limit"),
    [
        (ConfigOption.DEFAULT_DEFINITION, 48),
        ("/home/someone/.streamlit/config.toml", 48),
        ("environment variable", 7),
        ("command-line argument or environment variable", 7),
    ],
)
def test_browser_is_told_the_limit_of_uploads_unless_another_is_stated(
    option: Callable[..., dict[str, Any]], place: str, limit: int
) -> None:
    known = option(place, server_maxUploadSize=7)
    serving.limit_uploads(Settings(max_upload_mb=50))  # of 10**6 bytes, where the browser counts in 2**20
    assert known["server.maxUploadSize"] == limit
