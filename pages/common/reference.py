"""Words in plain language and every metric's definition, which has an address of its own: searchable."""

import streamlit as st

from evalcore import catalog
from evalcore.catalog import METRICS
from evalcore.glossary import GLOSSARY, fits
from evalcore.problems import InputError
from evalcore.spec import Metric
from pages.shared import choices, widgets
from pages.shared.links.address import DEFINITION as NAME

TEXT_WIDTH = 860


def matches(declared: Metric, search: str) -> bool:
    """Whether every word of the search stands in the metric's names, summary or source."""
    text = f"{declared.key} {declared.label} {declared.summary} {declared.source}".lower()
    return all(word in text for word in search.lower().split())


def show_definition(declared: Metric) -> None:
    """One metric: what it says, where it misleads, and its facts."""
    st.markdown(declared.summary)
    if caution := catalog.caution(declared):
        st.markdown(caution)
    widgets.facts([("Key", f"`{declared.key}`"), *catalog.facts(declared).items()], has_code=True)


def show_in_list(declared: Metric) -> None:
    """One line of the list, which opens."""
    with st.expander(f"{declared.label} &ensp; :small[{declared.key}]"):
        show_definition(declared)
        st.button("Address of this definition", key=declared.key, on_click=open_one, args=(declared.key,))


def open_one(key: str) -> None:
    """Show one definition, under its own address."""
    choices.keep(NAME, [key])


def open_all() -> None:
    """Show all definitions."""
    choices.keep(NAME, ())


def show_one(name: str) -> None:
    """The definition that the address names, or the closest names."""
    try:
        declared = catalog.find(name)
    except InputError as error:
        widgets.problem_list(error.problems)
    else:
        st.header(declared.label)
        show_definition(declared)
    st.button("All definitions", icon=":material/arrow_back:", on_click=open_all)


def show_words(search: str) -> None:
    """The words of the glossary that fit the search."""
    found = [one for one in GLOSSARY.values() if fits(one, search)]
    if found:
        st.header("Words", help="In plain language. What is computed has its definition beneath.")
        widgets.facts((one.name, one.plain) for one in found)


def show_all() -> None:
    """The words and definitions that fit the search, definitions by family."""
    search = st.text_input(
        "Search", key="reference_search", placeholder="A word, such as workload", type="search", live=True
    )
    found = [declared for declared in METRICS.values() if matches(declared, search)]
    st.caption(f"{len(found)} of {len(METRICS)} definitions")
    show_words(search)
    for family in dict.fromkeys(declared.family for declared in found):
        st.header(family.upper() if len(family) < 4 else family.capitalize())  # RAG is no word
        with st.container(gap="xxsmall"):
            for declared in [one for one in found if one.family == family]:
                show_in_list(declared)


st.title("Reference")
with st.container(width=TEXT_WIDTH):
    if opened := choices.asked(NAME):
        st.empty()  # in the place of the list, which leaves at once
        show_one(opened[-1])
    else:
        with st.container():
            st.markdown(
                "How every number is defined. An undefined value is shown as “n/a” with its reason; it is "
                "never 0 and enters no mean silently."
            )
            show_all()
