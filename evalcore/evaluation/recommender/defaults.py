"""Which rows of a table of values are shown first: default definitions, over the population named first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.catalog import of_family

if TYPE_CHECKING:
    import pandas as pd


def further_rows(table: pd.DataFrame, k: int | None = None) -> pd.DataFrame:
    """The rows of every metric's default definition in the further settings that were asked for.

    Parameters
    ----------
    table, k : as of `default_rows`.
    """
    found, is_further = _of_defaults(table, k)
    return found[is_further]


def default_rows(table: pd.DataFrame, k: int | None = None) -> pd.DataFrame:
    """The rows of every metric's default definition and usual setting, without figures of spread.

    Parameters
    ----------
    table : of a report of recommendation lists.
    k : only values at this cut-off, and those of metrics without one; None: at every one.
    """
    found, is_further = _of_defaults(table, k)
    return found[~is_further]


def _of_defaults(table: pd.DataFrame, k: int | None) -> tuple[pd.DataFrame, pd.Series]:
    """The rows of default definitions, and which of them are of a further setting."""
    metrics = {one.name: one for one in of_family("recommender")}
    variant = table["metric"].map({name: one.default_variant for name, one in metrics.items()})
    population = table["metric"].map({name: one.population[0] for name, one in metrics.items()})
    params = table["params"]
    kept = (table["variant"] == variant) & (table["population"] == population) & ~params.str.contains("stat=")
    if k is not None:
        kept &= (params.str.partition(";")[0] == f"k={k}") | ~params.str.startswith("k=")
    found = table[kept]
    # Further settings of a metric stand after its usual one, at the same K.
    cut = found["params"].str.extract(r"^(k=\d+)", expand=False).fillna("")
    keys = ["metric", "params", "model", "group_by", "group"]
    return found, found.assign(params=cut).duplicated(keys)
