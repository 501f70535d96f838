"""Files of sites: small, without ids, read as hostile, and refused where they do not fit together."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evalcore
from evalcore import InputError
from evalcore.operating_point.gridding import gridded
from evalcore.sites import Tally, from_bytes, read_tallies, to_bytes
from evalcore.sites.archive import _digest, _text
from tests.sites.conftest import HEAD

ROOT = Path(__file__).parents[2]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def site(ten: Path) -> bytes:
    """The file of one site."""
    return (ten / "site_0.tally").read_bytes()


def document_of(content: bytes) -> Any:
    """The document of a file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return json.loads(archive.read("tally.json"))


def packed(document: Any, *, text: bytes | None = None, names: tuple[str, ...] = ("tally.json",)) -> bytes:
    """A file of a document, with the hash that it should have."""
    if text is None:
        text = _text({**document, "sha256": _digest(document)})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        mimetype = zipfile.ZipInfo("mimetype")
        archive.writestr(mimetype, "application/vnd.evalcore.tally+zip", compress_type=zipfile.ZIP_STORED)
        for name in names:
            archive.writestr(name, text)
    return out.getvalue()


def codes(content: bytes) -> list[str]:
    """The codes of the problems of a file; empty where it is read."""
    try:
        from_bytes(content)
    except InputError as error:
        return [one.code for one in error.problems]
    return []


def test_the_sample_by_criterion_fits_into_a_megabyte_on_a_grid_of_2001() -> None:
    data = evalcore.load(ROOT / "sample_data" / "queries.csv")
    found = gridded(data, by=("criterion",)).scores
    content = to_bytes(Tally("sample", found, found.everything.n_rows))
    assert (found.n_points, found.everything.n_rows, len(found.of_groups)) == (2001, 14_770, 18)
    assert len(content) < 150_000


def test_a_file_holds_no_id_and_writes_the_same_bytes_again(site: bytes) -> None:
    document = document_of(site)
    texts = {name for cell in document["cells"] for name in (cell["column"], cell["level"])}
    assert texts == {"", "criterion", "A.1", "A.2", "A.10", "split", "tune", "test", "fold", "0", "1", "2"}
    assert b"p30" not in _text(document)
    assert to_bytes(from_bytes(site)) == site


def change(where: str, value: Any) -> Callable[[Any], None]:
    """Puts a value in place of the first number of a list of the first cell, or into the document."""

    def change(document: Any) -> None:
        first = document["cells"][0]
        if where == "points":
            first["points"][0] = value
        elif where == "pairs":
            first["pairs"][3][0] = value
        elif where in first["sums"]:
            sums = first["sums"][where]
            sums[next(at for at, added in enumerate(sums) if added)] = value
        else:
            document[where] = value

    return change


@pytest.mark.parametrize(
    "damage",
    [
        change("rows", -1),
        change("rows", 10**15),
        change("rows", 0),
        change("rows", True),
        change("rows", "1"),
        change("pos", 3000),
        change("pos_pos", 0),
        change("posts", 999),
        change("posts_whole", 7),
        change("pos_all_rows", 10**6),
        change("points", 5000),
        change("points", 10**9),
        change("pairs", 10**6),
        change("grid", 2000),
        change("grid", 10**9),
        change("read", 1),
        change("cells", []),
        change("site", ""),
        change("site", "one\nHolds"),
        change("site", "one\n"),
        change("site", "one\u2028"),
        change("columns", ["split"]),
        change("score", {}),
        change("beside", 1),
        change("drawn", {"tau_neg": "0x0.0p+0", "tau_pos": "0x1.0p+0", "replicates": 100, "seed": 0}),
        change("drawn", {"tau_neg": "nan", "tau_pos": "0x1.0p+0", "replicates": 100, "seed": 0}),
        lambda document: document["cells"].append(document["cells"][0]),
        lambda document: document["cells"][0]["sums"]["rows"].__setitem__(slice(0, 20), [10**4299] * 20),
        lambda document: document["cells"][0]["sums"]["rows"].__setitem__(0, -(10**4299)),
        lambda document: document["cells"][0]["sums"]["rows"].pop(),
        lambda document: document["cells"][1]["sums"].update(document["cells"][0]["sums"]),
    ],
)
def test_wrong_counts_are_refused_though_the_hash_fits(site: bytes, damage: Callable[[Any], None]) -> None:
    document = document_of(site)
    assert codes(packed(document)) == []
    damage(document)
    assert set(codes(packed(document))) == {"SIT-002"}


def test_a_file_that_was_edited_is_told_by_its_hash(site: bytes) -> None:
    document = document_of(site)
    document["site"] = "elsewhere"
    assert codes(packed(document, text=_text(document))) == ["SIT-002"]
    assert codes(site[: len(site) // 2]) == ["SIT-002"]
    assert codes(b"PK\x03\x04 another zip") == ["SIT-001"]
    assert codes(packed({**document, "schema": "evalcore.tally/2"})) == ["SIT-003"]


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b"[]",
        b'{"schema": NaN}',
        b'{"schema": 1e400}',
        b'{"schema": 0.5}',
        b'{"a": 1, "a": 2}',
        b'{"a": "\\ud800"}',
        b"[" * 100_000,
        b"\xff",
        b"1" * 10_000,
    ],
)
def test_what_is_no_strict_json_is_refused(text: bytes) -> None:
    assert set(codes(packed(None, text=text))) == {"SIT-002"}


def test_what_unpacks_to_too_much_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalcore.sites.archive.MOST_BYTES", 1_000_000)
    bomb = packed(None, text=b" " * 20_000_000)
    assert len(bomb) < 100_000
    assert codes(bomb) == ["SIT-002"]
    assert codes(packed(None, text=b"{}", names=("tally.json", "more.json"))) == ["SIT-002"]


def gathered(folder: Path, name: str, rows: list[str], run: Run, *options: object, head: str = HEAD) -> Path:
    """The file of a site with these rows."""
    (folder / "rows.csv").write_text(head + "".join(rows))
    out = folder / f"{name}.tally"
    assert run("gather", folder / "rows.csv", "--out", out, *options)[0] == 0
    return out


def test_sites_that_do_not_fit_together_are_refused(rows: list[str], run: Run, tmp_path: Path) -> None:
    first = gathered(tmp_path, "first", rows[:600], run)
    own = rows[600:1200]
    without_split = [",".join((*row.split(",")[:2], *row.split(",")[3:])) for row in own]
    others = {
        "a grid of": gathered(tmp_path, "grid", own, run, "--grid", 1001),
        "the score": gathered(
            *(tmp_path, "score", own, run, "--column", "probability=p_final"),
            head=HEAD.replace("probability", "p_final"),
        ),
        "groups by": gathered(tmp_path, "split", without_split, run, head=HEAD.replace("split,", "")),
        "rows": gathered(
            tmp_path, "posts", [row.split(",", 2)[2] for row in own], run, head=HEAD.split(",", 2)[2]
        ),
    }
    for what, other in others.items():
        with pytest.raises(InputError) as refused:
            read_tallies([first, other])
        told = refused.value.problems
        assert {one.code for one in told} == {"SIT-004"}
        assert any(one.file == other.name and one.found.startswith(what) for one in told), what
    with pytest.raises(InputError) as refused:
        read_tallies([first, gathered(tmp_path, "again", own, run, "--site", "first")])
    assert [one.code for one in refused.value.problems] == ["SIT-005"]
    copy = tmp_path / "copy.tally"
    copy.write_bytes(first.read_bytes())
    with pytest.raises(InputError) as refused:
        read_tallies([first, copy])
    assert [one.code for one in refused.value.problems] == ["SIT-006"]
    assert run("evaluate", first, tmp_path / "rows.csv")[0] == 2


def test_a_smallest_cell_size_holds_at_every_point_and_is_said_to_cost(
    rows: list[str], run: Run, tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text(HEAD + "".join(rows[:900]))
    out = tmp_path / "site.tally"
    status, said, _ = run("gather", tmp_path / "rows.csv", "--smallest-cell", 7, "--out", out)
    assert status == 0
    scores = from_bytes(out.read_bytes()).scores
    assert all(cell.sums["rows"].min() >= 7 for cell in scores.of_groups.values())
    assert scores.everything.n_rows == 900
    exact = gridded(evalcore.load(tmp_path / "rows.csv")).scores.everything
    # Rows move down only: as many or more lie below any point.
    for name in ("rows", "pos"):
        kept, moved = (
            np.bincount(cell.points, weights=cell.sums[name], minlength=2001).cumsum()
            for cell in (exact, scores.everything)
        )
        assert (moved >= kept).all()
    n_moved = from_bytes(out.read_bytes()).n_moved
    assert n_moved > 0
    assert f"{n_moved:,} of 900 moved down" in said
    assert any(f"{n_moved:,} of 900 rows" in note for note in read_tallies([out]).notes)
    assert run("gather", tmp_path / "rows.csv", "--smallest-cell", 901, "--out", out)[0] == 2


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--grid", 2000), "OPT-003"),
        (("--grid", 1), "OPT-003"),
        (("--smallest-cell", 0), "OPT-003"),
        (("--by", "elsewhere"), "OPT-006"),
        (("--site", " "), "OPT-003"),
        (("--score-kind", "score"), "SIT-007"),
    ],
)
def test_wrong_options_are_refused_and_nothing_is_written(
    ten: Path, run: Run, tmp_path: Path, options: tuple[object, ...], code: str
) -> None:
    status, _, told = run("gather", ten / "pooled.csv", *options, "--out", tmp_path / "a.tally")
    assert (status, code in told) == (2, True)
    assert not list(tmp_path.iterdir())
