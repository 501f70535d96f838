"""Lists in the cells of a table of users are refused with code for pandas: run as it stands, it is read."""

import ast
import io

import pandas as pd
import pytest

from evalcore import load
from evalcore.__main__ import main
from evalcore.data import Data
from tests.support.reading import refused, upload
from tests.support.recommending import uploads

TEST = "user,item\nu1,a\nu1,1\nu2,b\n"
OBJECTS = [{"item_id": "b", "score": 0.9}, {"item_id": "a", "score": 0.5}]
CELLS = {
    "lists": [["a", "b"], ["b", "c"]],
    "bars": ["a|b", "b|c"],
    "text of lists": ["['a', 'b']", "['b', 'c']"],
    "numbers between blanks": ["1 2", "2 3"],
    "objects": [OBJECTS, OBJECTS[:1]],
    "text of objects": [repr(OBJECTS), repr(OBJECTS[:1])],
}


def written(frame: pd.DataFrame, ending: str) -> bytes:
    sink = io.BytesIO()
    if ending == "parquet":
        frame.to_parquet(sink)
    elif ending == "jsonl":
        frame.to_json(sink, orient="records", lines=True)
    else:
        frame.to_csv(sink, index=False)
    return sink.getvalue()


def unfolded(frame: pd.DataFrame, ending: str) -> Data:
    (said,) = refused(upload(written(frame, ending), f"lists.{ending}"), **uploads(test=TEST))
    assert said.endswith("[RCM-025]")
    space = {"df": frame.copy(), "pandas": pd, "ast": ast}
    exec(said.split(" in pandas ")[1].removesuffix(". [RCM-025]"), space)
    return load(upload(written(space["df"], "csv"), "lists.csv"), **uploads(test=TEST))


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_what_is_said_unfolds_them(cells: str, ending: str):
    data = unfolded(pd.DataFrame({"user_id": ["u1", "u2"], "recs": CELLS[cells]}), ending)
    assert data.sources[0].n_used == (3 if "objects" in cells else 4)


@pytest.mark.parametrize("cells", ["bars", "text of lists", "text of objects"])
def test_what_is_said_of_csv_unfolds_them(cells: str):
    data = unfolded(pd.DataFrame({"user_id": ["u1", "u2"], "recs": CELLS[cells]}), "csv")
    assert data.sources[0].n_used == (3 if "objects" in cells else 4)


def test_a_folder_says_it_of_the_file_that_it_leaves_out(tmp_path, capsys):
    frame = pd.DataFrame({"user_id": ["u1", "u2"], "recs": CELLS["objects"]})
    (tmp_path / "recs.parquet").write_bytes(written(frame, "parquet"))
    (tmp_path / "test.csv").write_text(TEST)
    assert main(["check", str(tmp_path)]) == 2
    (said,) = [line for line in capsys.readouterr().err.splitlines() if "[FILE-019]" in line]
    assert "recs.parquet: found" in said
    assert "df.explode('recs', ignore_index=True); df = df[['user_id']].join(pandas.json_normalize(" in said
