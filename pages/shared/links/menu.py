"""Ways through a page: the side menu closes once a page is chosen in a narrow window; a link past the bar.

What listens for that hears as well when the page turns dark or light, and has it run again.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

KEY = "menu"
STYLE = f"<style>:has(> .st-key-{KEY}) {{ position: absolute; width: 0; overflow: hidden; }}</style>"
THUMB = """<style>
@media (pointer: coarse) {
  :where([data-testid="stMain"], [data-testid="stDialog"])
    :where(button, summary, [data-testid="stPageLink-NavLink"]) { min-height: 44px !important; }
  [data-testid="stMain"] [data-testid="stPageLink-NavLink"] { padding-block: 8px; }
  :is([data-testid="stSelectbox"], [data-testid="stMultiSelect"]) [role="group"],
  [data-testid="stNumberInputContainer"], [data-testid="stTextInputRootElement"] {
    min-height: 44px; height: auto;
  }
  :is([data-testid="stSelectbox"], [data-testid="stNumberInputContainer"],
    [data-testid="stTextInputRootElement"]) input { min-height: 42px; }
  [data-testid="stCheckbox"] label, [data-testid="stRadio"] label[data-rac] { min-height: 44px; }
  /* What stands in a line of words or close above a table keeps its size, and takes a press around it. */
  :is(.term, [data-testid="stTooltipIcon"], [data-testid="stElementToolbar"]) button {
    min-height: 0 !important; position: relative;
  }
  :is(.data-bar, .path) summary { min-height: 0 !important; position: relative; }
  :is(.term, [data-testid="stTooltipIcon"]) button::before, :is(.data-bar, .path) summary::before {
    content: ""; position: absolute; inset: 50% auto auto 50%; width: max(100%, 44px); height: 44px;
    transform: translate(-50%, -50%);
  }
  [data-testid="stElementToolbar"] button { min-width: 44px; }
  [data-testid="stElementToolbar"] button::before {
    content: ""; position: absolute; inset: auto 0 0; height: 44px;
  }
}
</style>"""
"""Room for a thumb on whatever is pressed: Streamlit's own controls are 36 px high, and less."""
SKIP = """<style>
[data-testid="stElementContainer"]:has(.skip-link) { position: absolute; width: 0; z-index: 1; }
.skip-link { position: absolute; left: -100vw; padding: .3rem .8rem; white-space: nowrap; }
.skip-link:focus { left: 0; color: inherit; background: light-dark(#ffffff, #12171d); }
.skip-link:focus { outline: 2px solid currentColor; }
</style><a class="skip-link" href="#handles">Skip to the handles</a>"""
"""The explorer hears of a press on it and takes the focus, which no address reaches inside of it."""
SCRIPT = """
const NARROW = 768; // px; up to here Streamlit lays the menu over the page

export default function menu({ setTriggerValue }) {
  const stop = new AbortController();
  const follow = (event) => {
    const is_of_a_page = event.target.closest?.('[data-testid="stSidebarNavLink"]');
    if (innerWidth <= NARROW && is_of_a_page) setTimeout(close, 0);
  };
  const leave = ({ key }) => key === "Escape" && document.activeElement?.closest(".term")?.firstChild.blur();
  document.addEventListener("click", follow, { signal: stop.signal });
  document.addEventListener("keydown", leave, { signal: stop.signal });
  const forget = followTheme(() => setTriggerValue("theme", Date.now()));
  return () => {
    stop.abort();
    forget();
  };
}

// Figures have the colours of the page that they were drawn for: on another background they cannot be read.
function followTheme(tell) {
  const app = document.querySelector('[data-testid="stApp"]');
  const background = () => getComputedStyle(app).backgroundColor;
  let known = background();
  const look = () => {
    const now = background();
    if (now !== known) tell();
    known = now;
  };
  const watch = new MutationObserver(look);
  watch.observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  return () => watch.disconnect();
}

// Where it closed by itself, as Streamlit has it on phones, there is no such button.
function close() {
  document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
}
"""


def close_after_a_choice() -> None:
    """Close the menu after a tap on a page, in narrow windows too: Streamlit does so on phones alone."""
    st.html(STYLE + THUMB)
    with st.container(key=KEY):
        _component()(key=f"{KEY}_listener", on_theme_change=_nothing)


def skip_to_the_handles() -> None:
    """A link before everything else on the page that a keyboard reaches at once, and nobody else sees."""
    st.html(SKIP)


def _nothing() -> None:
    """What there is to do when the page turns dark: that it runs again is enough."""


@cache
def _component() -> Any:
    """Register the component once in a process."""
    return st.components.v2.component("evalcore_menu", js=SCRIPT)
