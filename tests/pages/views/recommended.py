"""Small recommendations for the pages: three models, users without a relevant item, and no groups or some."""

import re
from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

from evalcore.data import Data, Source
from evalcore.recommendations import Interactions, Recommendations, ScoreMatrix
from pages.shared.data import session

ROOT = Path(__file__).resolve().parents[3]
N_USERS, N_ITEMS = 60, 30


def source(name: str, role: str, n_used: int, **excluded: int) -> Source:
    """A file that was read."""
    rows = n_used + sum(excluded.values())
    reasons = {reason.replace("_", " "): n for reason, n in excluded.items()}
    return Source(name, role, f"{name:0<64}", 100, rows, n_used, reasons, {}, "CSV, comma, UTF-8")


def made(*, models: tuple[str, ...] = ("popular", "close", "noisy"), has_groups: bool = True) -> Data:
    """Users like items; one model ranks by popularity, the others by taste with more or less noise."""
    rng = np.random.default_rng(0)
    popularity = np.linspace(2, 0, N_ITEMS)
    taste = popularity + rng.normal(size=(N_USERS, N_ITEMS))
    noise = {"popular": None, "close": 0.3, "noisy": 2.0}
    scores = {}
    for name in models:
        spread = noise[name]
        of_model = (
            np.tile(popularity, (N_USERS, 1))
            if spread is None
            else taste + spread * rng.normal(size=taste.shape)
        )
        scores[name] = ScoreMatrix(np.arange(N_USERS), np.arange(N_ITEMS), of_model)
    liked = np.argsort(-taste - rng.gumbel(size=taste.shape), axis=1)[:, :8]
    users = np.repeat(np.arange(N_USERS), 5)
    train = Interactions(users, liked[:, :5].ravel(), np.ones(len(users)))
    tested = np.repeat(np.arange(N_USERS - 4), 3)  # four users have nothing to find
    test = Interactions(tested, liked[: N_USERS - 4, 5:].ravel(), np.ones(len(tested)))
    groups = {"user_group": (np.arange(N_USERS) % 2, ("new", "old"))} if has_groups else {}
    of_items = {"item_group": (np.arange(N_ITEMS) % 3, ("a", "b", "c"))} if has_groups else {}
    table = Recommendations(
        np.array([f"u{at}" for at in range(N_USERS)], object),
        np.array([str(at) for at in range(N_ITEMS)], object),
        {},
        scores,
        train,
        test,
        groups,
        of_items,
    )
    sources = (
        source("scores.csv", "scores", N_USERS * N_ITEMS),
        source("train.csv", "train", len(train), repeated_pair=7),
        source("test.csv", "test", len(test)),
    )
    return Data("recommender", sources, {"recommendations": table})


EXPLAINED = re.compile(r'<td[^>]*><span class="term"><button[^>]*>(.*?)</button><span .*?</span></span></td>')
"""A cell that names a metric, which explains itself."""


def opened(page: str, data: Data | None = None, **query: str) -> AppTest:
    """A page of the family on these data, or on made ones."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page(f"pages/recommender/recommender_{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    found = made() if data is None else data
    app.session_state["recommendations_in_use"] = session.SessionData(
        found, "scores.csv", is_sample=False, key=found.digest
    )
    app.run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """Everything on the page as text and HTML, cells without what they say of their column or name."""
    parts = [*app.markdown, *app.get("html"), *app.info, *app.caption]
    text = re.sub('<td data-column="[^"]*"', "<td", "\n".join(str(one.value) for one in parts))
    return EXPLAINED.sub(r"<td>\1</td>", text)
