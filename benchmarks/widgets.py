"""Ways to use every kind of widget of a page, as a person would in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from playwright.sync_api import Locator, Page

Action = Callable[[], None]
MILLISECONDS_TO_POINT = 150
MODEL = "Model"


def chosen_in_turn(box: Locator, page: Page, n: int) -> Iterator[Action]:
    """Options of a select box, one after the other."""
    for at in range(n):
        yield lambda at=at: choose_option(box, page, at)


def choose_option(box: Locator, page: Page, at: int) -> None:
    """The option that stands `at` places below the first one, from the end once they are used up."""
    options = page.get_by_role("option")
    while not options.count():
        page.keyboard.press("Escape")
        box.get_by_role("combobox").click()
        page.wait_for_timeout(100)
    wanted = [one for one in options.all() if one.get_attribute("aria-selected") != "true"]
    wanted[at % len(wanted)].click()


def clicked_in_turn(group: Locator, n: int) -> Iterator[Action]:
    """The buttons of a segmented control, one after the other."""
    buttons = group.get_by_role("radio")
    for at in range(n):
        yield lambda at=at: buttons.nth((at + 1) % buttons.count()).click()


def moved(slider: Locator, page: Page, n: int) -> Iterator[Action]:
    """A slider moved by its smallest step."""

    def step() -> None:
        slider.get_by_role("slider").first.focus()
        page.keyboard.press("ArrowLeft")

    yield from [step] * n


def stepped(box: Locator, n: int) -> Iterator[Action]:
    """A number one step up."""
    yield from [lambda: box.get_by_test_id("stNumberInputStepUp").click()] * n


def typed(box: Locator, n: int) -> Iterator[Action]:
    """A text typed anew: a threshold where one stands, a name otherwise."""

    def type_in(at: int) -> None:
        field = box.get_by_role("textbox")
        before = field.input_value()
        field.fill(f"0.{at + 2}" if before.replace(".", "").isdigit() else f"{before[:9]} {at}")
        field.press("Enter")

    for at in range(n):
        yield lambda at=at: type_in(at)


def ticked(box: Locator, n: int) -> Iterator[Action]:
    """A box ticked, and so on."""
    yield from [lambda: box.locator("label").first.click()] * n


def taken_out_and_in(box: Locator, page: Page, n: int) -> Iterator[Action]:
    """The last option of several taken out, then the first that is offered taken in."""

    def change(at: int) -> None:
        if at % 2 == 0:
            box.get_by_role("combobox").click()
            page.keyboard.press("Backspace")
            return
        box.get_by_role("combobox").click()
        page.get_by_role("option").first.click()

    for at in range(n):
        yield lambda at=at: change(at)


def rows_selected(table: Locator, page: Page, n: int) -> Iterator[Action]:
    """Rows of a table that can be selected, one after the other."""

    def select(at: int) -> None:
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 16, box["y"] + 35 * (1.5 + (at + 1) % 4))

    for at in range(n):
        yield lambda at=at: select(at)


def sorted_by(table: Locator, page: Page, n: int) -> Iterator[Action]:
    """A table sorted by one of its first columns."""

    def sort() -> None:
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 120, box["y"] + 17)

    yield from [sort] * n


def bars_clicked(chart: Locator, page: Page, n: int) -> Iterator[Action]:
    """Bars of a chart, one after the other."""

    def click(at: int) -> None:
        bars = chart.locator(".point path")
        bar = bars.nth((at + 1) % bars.count())
        bar.scroll_into_view_if_needed()
        box = bar.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.wait_for_timeout(MILLISECONDS_TO_POINT)  # the chart takes clicks on what is pointed at
        page.mouse.click(x, y)

    for at in range(n):
        yield lambda at=at: click(at)


def widgets_of(page: Page, n: int) -> Iterator[tuple[str, Iterator[Action]]]:
    """Every widget in the main part of a page with ways to use it; last the model, which may lack some."""
    main = page.get_by_test_id("stMain")
    ways: dict[str, Callable[[Locator], Iterator[Action]]] = {
        "stSelectbox": lambda box: chosen_in_turn(box, page, n),
        "stButtonGroup": lambda group: clicked_in_turn(group, n),
        "stSlider": lambda slider: moved(slider, page, n),
        "stNumberInput": lambda box: stepped(box, n),
        "stTextInput": lambda box: typed(box, n),
        "stCheckbox": lambda box: ticked(box, n),
        "stMultiSelect": lambda box: taken_out_and_in(box, page, n),
    }
    for kind, way in ways.items():
        found = main.get_by_test_id(kind)
        for at in range(found.count()):
            one = found.nth(at)
            if one.is_visible() and label_of(one) != MODEL:
                yield f"{kind[2:]} {label_of(one)}", way(one)
    for at in range(main.get_by_test_id("stDataFrame").count()):
        table = main.get_by_test_id("stDataFrame").nth(at)
        if table.is_visible():
            yield f"sort table {at + 1}", sorted_by(table, page, n)
            yield f"row of table {at + 1}", rows_selected(table, page, n)
    charts = main.get_by_test_id("stPlotlyChart")
    for at in range(charts.count()):
        if charts.nth(at).locator(".point path").count():
            yield f"click in chart {at + 1}", bars_clicked(charts.nth(at), page, n)
    model = main.get_by_test_id("stSelectbox").first
    if model.count() and label_of(model) == MODEL:
        yield f"Selectbox {MODEL}", chosen_in_turn(model, page, n)


def choose_first_model(page: Page) -> None:
    """The first model, of those that the data hold; without a choice nothing."""
    box = page.get_by_test_id("stMain").get_by_test_id("stSelectbox").first
    if box.count() and label_of(box) == MODEL:
        box.get_by_role("combobox").click()
        page.get_by_role("option").first.click()


def label_of(widget: Locator) -> str:
    """The label of a widget, or its first words."""
    label = widget.get_by_test_id("stWidgetLabel")
    text = label.first.inner_text() if label.count() else ""
    return (text or widget.inner_text()).split("\n")[0][:34]
