"""The data and the model of one session; an upload is never seen outside the session that made it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from threading import BoundedSemaphore

import streamlit as st

import evalcore
from evalcore.data import Data, Rankings, Task
from evalcore.evaluation import Report
from evalcore.operating_point.test_rows.site_rows import tallies_of
from evalcore.report import MetricsFile
from evalcore.settings import Settings
from pages.shared.memo import forget
from pages.shared.tasks import EVIDENCE, PAGES, RAG
from pages.shared.written import as_markdown

SAMPLE = PAGES[EVIDENCE].sample
SAMPLE_LISTS = (SAMPLE.with_name("ranked_lists.csv"), SAMPLE.with_name("candidates.parquet"))
SETTINGS = Settings.read()

SMALL_UPLOAD = 10_000_000

_evaluations = BoundedSemaphore(SETTINGS.max_evaluations)
_small_readings = BoundedSemaphore(SETTINGS.max_evaluations)
_large_readings = BoundedSemaphore(SETTINGS.max_evaluations)


@dataclass(frozen=True)
class SessionData:
    """The data that the pages of a session show.

    Parameters
    ----------
    data
        Read-only.
    label
        What they are called on the screen.
    is_sample
        Whether they are the synthetic sample.
    key
        Names data, mapping, options and version: results are cached under it, never under a frame or array.
    report
        The saved report that they are the tallies of, a hash for each post; None for data with their rows.
    values
        The values of a report, of which neither rows nor tallies are here; None for anything else.
    """

    data: Data
    label: str
    is_sample: bool
    key: str
    report: Report | None = None
    values: MetricsFile | None = None

    @property
    def values_digest(self) -> str | None:
        """The digest of the file of values, where nothing but values are here."""
        return None if self.values is None else self.values.sha256

    @property
    def is_of_sites(self) -> bool:
        """Whether these are tallies of sites, which hold no rows."""
        return tallies_of(self.data) is not None

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order of the data."""
        named: dict[str, None] = {}
        tallies = tallies_of(self.data)
        if tallies is not None:
            named[tallies.score.model] = None
        if self.data.queries is not None:
            named.update(dict.fromkeys(self.data.queries.models))
        if self.data.rankings is not None:
            named.update(dict.fromkeys(self.data.rankings.lists))
        if self.data.lists is not None:
            named.update(dict.fromkeys(self.data.lists.lists))
        if self.data.recommendations is not None:
            named.update(dict.fromkeys(self.data.recommendations.models))
        return tuple(named)


def current() -> SessionData:
    """The data of this session: what was uploaded, else the sample."""
    return of_task(EVIDENCE)


def annotated() -> SessionData:
    """The annotations of this session: what was uploaded, else the sample.

    Raises
    ------
    InputError
        When a file of the sample is missing or damaged.
    """
    return of_task(RAG)


def of_task(task: Task) -> SessionData:
    """The data of this session for the pages of a task: what was uploaded, else the sample.

    Raises
    ------
    InputError
        When a file of the sample is missing or damaged.
    """
    slot = PAGES[task].slot
    if slot not in st.session_state:
        use_sample(task)
    found: SessionData = st.session_state[slot]
    return found


def use(data: Data, label: str) -> None:
    """Show these data on every page of their task in this session, and in no other."""
    _keep(SessionData(data, label, is_sample=False, key=_key(data)))


def use_saved(report: Report, label: str) -> None:
    """Show a saved report on every page of this session that needs no rows."""
    key = sha256(report.to_bytes()).hexdigest()
    _keep(SessionData(report.unnamed_data, label, is_sample=False, key=key, report=report))


def use_values(found: MetricsFile, label: str) -> None:
    """Show the values of a report on the page of their task that shows values; no other page of it draws."""
    _keep(SessionData(found.data, label, is_sample=False, key=found.sha256, values=found))


def use_sample(task: Task) -> None:
    """Show the synthetic sample of a task on its pages of this session.

    Raises
    ------
    InputError
        When a file of the sample is missing or damaged.
    """
    sample = PAGES[task].sample
    files = sorted(sample.iterdir()) if sample.is_dir() else [sample] if sample.is_file() else []
    digest = sha256(b"".join(sha256(path.read_bytes()).digest() for path in files)).hexdigest()
    data = _sample(task, digest)
    _keep(SessionData(data, PAGES[task].sample_label, is_sample=True, key=_key(data)))


def needs_rows(in_use: SessionData, purpose: str) -> bool:
    """Whether a saved report or tallies are in use, without rows for a page that needs them; it says so.

    Parameters
    ----------
    in_use
        What the page shows.
    purpose
        What the rows would be needed for, the end of "there is nothing to …".
    """
    if in_use.is_of_sites:
        st.info(
            f"Tallies of sites hold no rows: there is nothing to {as_markdown(purpose)}. The Operating point "
            "page chooses thresholds from them; for this page, load the rows of a site."
        )
        st.page_link("pages/evidence/operating_point.py", label="To the Operating point page")
        return True
    if in_use.report is None:
        return False
    names = ", ".join(source.name for source in in_use.data.sources) or "its files"
    st.info(
        f"A saved report holds no rows: there is nothing to {as_markdown(purpose)}. Load what it was made "
        f"of: {as_markdown(names)}."
    )
    st.page_link("pages/common/data.py", label="To the Data page")
    return True


def with_lists() -> Data:
    """The data of this session and, of the sample, its lists and candidates, read when first asked for.

    Raises
    ------
    InputError
        When a file of the sample is damaged.
    """
    in_use = current()
    if not in_use.is_sample or not all(path.is_file() for path in SAMPLE_LISTS):
        return in_use.data
    kept: tuple[str, Data] | None = st.session_state.get("sample_with_lists")
    if kept is None or kept[0] != in_use.key:
        paths = (SAMPLE, *SAMPLE_LISTS)
        digest = sha256(b"".join(sha256(path.read_bytes()).digest() for path in paths)).hexdigest()
        kept = st.session_state["sample_with_lists"] = (in_use.key, _sample_with_lists(digest))
    return kept[1]


def rankings() -> Rankings | None:
    """Gold and lists of this session; None where the data hold none."""
    return with_lists().rankings


def revision() -> int:
    """How often the data of this session have been changed."""
    return int(st.session_state.get("data_revision", 0))


def model() -> str:
    """The model that the pages of this session show."""
    models = current().models
    chosen = st.session_state.get("model_in_use")
    return str(chosen) if chosen in models else models[0]


def choose_model(name: str) -> None:
    """Show this model on every page of this session."""
    st.session_state["model_in_use"] = name


@contextmanager
def heavy_work() -> Iterator[None]:
    """Wait until fewer than `Settings.max_evaluations` sessions evaluate, then hold a place."""
    with _evaluations:
        yield


@contextmanager
def reading(n_bytes: int) -> Iterator[None]:
    """Wait until fewer than `Settings.max_evaluations` sessions read uploads of this size, then hold a place.

    Uploads up to 10 MB have places of their own: a large or hostile one makes neither them nor an evaluation
    wait.
    """
    with _small_readings if n_bytes <= SMALL_UPLOAD else _large_readings:
        yield


def _keep(in_use: SessionData) -> None:
    slot = PAGES[in_use.data.task].slot
    n_changed = int(slot in st.session_state)  # the first data of a task change nothing: none were shown
    st.session_state[slot] = in_use
    forget()
    st.session_state["data_revision"] = revision() + n_changed


@st.cache_resource(max_entries=4, show_spinner="Reading the sample data")
def _sample(task: Task, digest: str) -> Data:  # noqa: ARG001 - the key: the content of the files
    return evalcore.load([PAGES[task].sample])


@st.cache_resource(max_entries=2, show_spinner="Reading the ranked lists of the sample", show_time=True)
def _sample_with_lists(digest: str) -> Data:  # noqa: ARG001 - the key: the content of the files
    return evalcore.load([SAMPLE, *SAMPLE_LISTS])


def _key(data: Data) -> str:
    reading = (data.task, data.score_kind, data.positive, data.sources, data.notes, data.warnings)
    return sha256(repr((evalcore.__version__, *reading)).encode()).hexdigest()
