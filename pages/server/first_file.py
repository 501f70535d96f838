"""The file that every address is answered with: Streamlit's, with a history in which a page stands once."""

from collections.abc import Iterable
from pathlib import Path

import streamlit
from starlette.types import Message, Scope, Send

STREAMLITS = Path(streamlit.__file__).with_name("static") / "index.html"
HEAD = "<head>"
HISTORY = """<script>
// Streamlit adds an entry to the history whenever an address gains what was chosen, and one for the hidden
// page at / that opens the first one: "back" then stays where it is. Here an entry is a page. What was chosen
// on the next page may arrive before that page does: the entry of the page before it gets its own back.
(() => {
  const [push, replace] = [history.pushState.bind(history), history.replaceState.bind(history)];
  let own = null; // the address of this page before the first change since the last click
  addEventListener("click", () => (own = null), true);
  history.pushState = (state, unused, address) => {
    const there = new URL(address ?? "", location.href);
    if (there.pathname === location.pathname) {
      own ??= location.href;
      replace(state, unused, address);
    } else if (location.pathname.endsWith("/")) {
      replace(state, unused, address);
    } else {
      if (own && there.search === location.search) replace(history.state, "", own);
      own = null;
      push(state, unused, address);
    }
  };
})();
</script>"""
OF_STREAMLITS = (b"if-none-match", b"if-modified-since", b"range", b"if-range")
"""Parts of a request that would be about Streamlit's file."""


def first_file(streamlits: str) -> str:
    """Streamlit's HTML with the script before its own.

    Raises
    ------
    RuntimeError
        When it begins otherwise than this module knows.
    """
    if streamlits.count(HEAD) != 1:
        raise RuntimeError("Streamlit's HTML begins otherwise than is known: the history cannot be kept")
    return streamlits.replace(HEAD, f"{HEAD}\n    {HISTORY}")


def is_page(path: list[str]) -> bool:
    """Whether a path, in parts, may be that of a page; files have an ending, everything else is deeper."""
    return len(path) == 1 and "." not in path[0]


def asked_whole(scope: Scope) -> Scope:
    """The same request for the whole file, whatever the browser has of Streamlit's."""
    kept = [one for one in scope["headers"] if one[0].lower() not in OF_STREAMLITS]
    return {**scope, "headers": kept}


def instead(body: bytes, send: Send, *, is_head: bool) -> Send:
    """Send `body` where Streamlit answers with HTML; every other answer as it is.

    Parameters
    ----------
    body
        The file.
    send
        Takes what is answered.
    is_head
        Whether the headers alone were asked for.
    """
    is_replaced = False

    async def send_instead(message: Message) -> None:
        nonlocal is_replaced
        if message["type"] == "http.response.start":
            is_replaced = message["status"] == 200 and _is_html(message.get("headers", ()))
            if is_replaced:
                head = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-cache")]
                head.append((b"content-length", str(len(body)).encode()))
                await send({**message, "headers": head})
                await send({"type": "http.response.body", "body": b"" if is_head else body})
        if not is_replaced:
            await send(message)

    return send_instead


def _is_html(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)
