"""Every CSV of ours goes through one writer, which keeps a spreadsheet from running what stands in a cell."""

import ast
import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from evalcore.files import table_csv

ROOT = Path(__file__).resolve().parents[2]
THE_WRITER = ROOT / "evalcore" / "files" / "spreadsheets.py"
WRITERS = {"to_csv", "writer", "DictWriter", "savetxt", "write_csv"}


def around(source: str) -> Iterator[str]:
    """The calls in a module that write CSV by themselves."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in WRITERS:
                yield f"line {node.lineno}: {ast.unparse(node.func)}"


def test_no_module_writes_csv_by_itself() -> None:
    modules = [*(ROOT / "evalcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
    found = {
        str(path.relative_to(ROOT)): calls
        for path in modules
        if path != THE_WRITER and (calls := list(around(path.read_text(encoding="utf-8"))))
    }
    assert not found, "write it with evalcore.files.spreadsheets"


@pytest.mark.parametrize(
    "planted",
    [
        "table.to_csv('x.csv')",
        "import csv\ncsv.writer(out).writerow(row)",
        "from csv import DictWriter\nDictWriter(out, names)",
        "import pyarrow.csv\npyarrow.csv.write_csv(table, out)",
    ],
)
def test_a_writer_that_goes_around_it_is_found(planted: str) -> None:
    assert len(list(around(planted))) == 1


def test_names_and_cells_are_no_formulas_and_numbers_read_back_as_the_same() -> None:
    table = pd.DataFrame({"=name": ["=A1", "-1", "'+x", "plain"], "value": [0.1, math.nan, -2.0, 1e-9]})
    assert table_csv(table) == "'=name,value\n'=A1,0.1\n'-1,\n''+x,-2.0\nplain,1e-09\n"


def test_whatever_stands_for_a_missing_value_is_an_empty_cell() -> None:
    table = pd.DataFrame({"rank": pd.array([3, None], "Int64"), "text": [None, "a"], "is": [True, False]})
    assert table_csv(table) == "rank,text,is\n3,,True\n,a,False\n"
