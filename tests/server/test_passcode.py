"""Before the passcode the server takes nothing, and it can be guessed a few times only."""

from collections.abc import Iterator

import pytest

from benchmarks.visitor import Visitor, request
from pages.server import passcode
from pages.server.passcode import HOUR, MOST_ADDRESSES, OF_AN_ADDRESS, OF_THE_SERVER, Guesses, network
from tests.browser.dashboard import Dashboard
from tests.support.clock import Clock
from tests.support.live import ROWS

PASSCODE = "correct horse"
BEHIND_A_PROXY = {"EVALCORE_PASSCODE": PASSCODE, "EVALCORE_PROXY": "127.0.0.1"}
FIRST = "The passcode of this dashboard comes first."
ONE, OTHER = "203.0.113.7", "203.0.113.8"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard behind a passcode."""
    log = tmp_path_factory.mktemp("guarded") / "log.txt"
    with Dashboard(log=log, environment=BEHIND_A_PROXY) as running:
        yield running


def guess(one: Visitor, text: str) -> str:
    """What the page shows after a guess."""
    one.fill("Passcode", text)
    one.click("Continue")
    return one.text


def test_no_upload_is_taken_before_the_passcode(guarded: Dashboard) -> None:
    with Visitor(guarded.url, "data") as one:
        assert one.text.startswith("Passcode")
        assert one.put("mine.csv", ROWS.encode()) == (403, FIRST)
        one.withdraw()
        guess(one, PASSCODE)
        assert one.put("mine.csv", ROWS.encode())[0] == 204
        one.upload(mine_csv=ROWS.encode())
        assert "240 rows in = 240 used" in one.text


def test_the_passcode_of_one_session_lets_no_other_in(guarded: Dashboard) -> None:
    with Visitor(guarded.url, "data") as one, Visitor(guarded.url, "data") as other:
        guess(one, PASSCODE)
        assert other.put("mine.csv", ROWS.encode())[0] == 403
        assert other.text.startswith("Passcode")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/_stcore/metrics"),
        ("GET", "/_stcore/metrics/"),
        ("GET", "/_stcore/script-health-check"),
        ("GET", "/_stcore/agent/openapi.json"),
        ("POST", "/_stcore/agent/interact"),
        ("GET", "/_stcore/bidi-components/evalcore_threshold_explorer/x.js"),
        ("GET", "/component/evalcore_threshold_explorer/x.js"),
        ("PUT", "/_stcore/upload_file/none/none"),
        ("DELETE", "/_stcore/upload_file/none/none"),
        ("POST", "/_stcore/upload_file/none/none"),
        ("PUT", "/"),
        ("GET", "/auth/login"),
    ],
)
def test_nothing_else_answers_before_the_passcode(guarded: Dashboard, method: str, path: str) -> None:
    answer = request(guarded.url, method, path, b"{}" if method == "POST" else None)
    assert (answer.status, answer.text) == (403, FIRST)


@pytest.mark.parametrize("path", ["/", "/data", "/_stcore/health", "/_stcore/host-config", "/favicon.png"])
def test_what_shows_the_form_answers(guarded: Dashboard, path: str) -> None:
    assert request(guarded.url, "GET", path).status == 200


@pytest.mark.long
def test_guesses_of_one_address_are_counted_over_its_sessions(guarded: Dashboard) -> None:
    with (
        Visitor(guarded.url, headers={"X-Forwarded-For": ONE}) as one,
        Visitor(guarded.url, headers={"X-Forwarded-For": ONE}) as again,
        Visitor(guarded.url, headers={"X-Forwarded-For": OTHER}) as other,
    ):
        for at in range(OF_AN_ADDRESS[0]):
            assert "This is not the passcode." in guess(one if at % 2 else again, f"guess {at}")
        n_counted = 0
        while n_counted < 3:  # the wait after it is 8 s: a slow machine makes its next guess within them
            n_counted += "This is not the passcode." in guess(one, "once more")
        said = guess(one, PASSCODE)
        assert "Too many wrong passcodes: this one was not looked at. Try again in" in said
        assert guess(again, PASSCODE).startswith("Passcode")
        assert not guess(other, PASSCODE).startswith("Passcode")


def test_waits_double_from_the_fifth_wrong_guess_to_five_minutes(clock: Clock) -> None:
    guesses = Guesses(clock)
    waits = []
    for _ in range(16):
        assert guesses.ask(ONE) == 0
        waits.append(guesses.ask(ONE))
        clock.now += waits[-1]
    assert waits == [0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300, 300]


def test_guess_that_was_not_looked_at_does_not_lengthen_the_wait(clock: Clock) -> None:
    guesses = Guesses(clock)
    for _ in range(5):
        guesses.ask(ONE)
    assert [guesses.ask(ONE) for _ in range(100)] == [1.0] * 100


def test_right_passcode_forgets_the_wrong_ones_before_it(clock: Clock) -> None:
    guesses = Guesses(clock)
    for _ in range(4):
        guesses.ask(ONE)
    assert guesses.ask(ONE) == 0
    guesses.right(ONE)
    assert [guesses.ask(ONE) for _ in range(4)] == [0] * 4


def test_many_addresses_together_are_held_up_and_those_who_know_it_are_not(clock: Clock) -> None:
    guesses = Guesses(clock)
    assert guesses.ask(OTHER) == 0
    guesses.right(OTHER)
    n_free, longest = OF_THE_SERVER
    for at in range(n_free):
        assert guesses.ask(f"198.51.100.{at}") == 0
    assert guesses.ask(ONE) == 1
    assert guesses.ask(OTHER) == 0
    n = 0
    for at in range(10_000):
        clock.now += 0.5
        n += guesses.ask(f"10.0.{at // 200}.{at % 200}") == 0
    assert n <= 5_000 / longest + 5
    clock.now += 2 * HOUR
    assert guesses.ask(ONE) == 0


def test_what_is_kept_of_addresses_is_limited(clock: Clock) -> None:
    guesses = Guesses(clock)
    for at in range(MOST_ADDRESSES + 500):
        clock.now += 20
        guesses.ask(f"10.{at // 65536}.{at // 256 % 256}.{at % 256}")
    assert len(guesses) == MOST_ADDRESSES


@pytest.mark.parametrize(
    ("address", "one"),
    [
        (None, "127.0.0.1"),
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("no address", "unknown"),
    ],
)
def test_addresses_of_one_connection_are_one(address: str | None, one: str) -> None:
    assert network(address) == one


@pytest.mark.parametrize("text", ["", "correct horsE", "correct horse ", "\ud800", "x" * 10**6])
def test_wrong_passcode_is_wrong_whatever_it_holds(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(passcode.VARIABLE, PASSCODE)
    assert not passcode.is_right(text)
    assert passcode.is_right(PASSCODE)


def test_pass_ends_with_what_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(passcode.VARIABLE, PASSCODE)
    held = passcode.let_in("one")
    assert passcode.has_passed("one")
    assert not passcode.has_passed("other")
    del held
    assert not passcode.has_passed("one")
