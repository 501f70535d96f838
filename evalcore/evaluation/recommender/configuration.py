"""The ``evaluation:`` block of document 004: cut-offs, metrics, and metrics with parameters of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalcore.problems import InputError, Problem, problem
from evalcore.spec import METRICS, Metric

FAMILY = "recommender"
LARGEST = 1 << 16
"""Bytes of a block; nobody writes a longer one by hand."""
NAMES = {
    "metric_names": "of",
    "utopia_points": "utopia",
    "nadir_points": "nadir",
    "higher_is_better": "higher",
    "beta": "beta",
    "pop_ratio": "pop_ratio",
    "relevance": "relevance",
}
"""What document 004 calls a parameter → what it is called here."""
PAIR = ("metric_name_1", "metric_name_2")
"""How document 004 names the two metrics of an F1."""
KEYS = ("top_k", "metrics", "complex_metrics")
Setting = tuple[str, tuple[tuple[str, Any], ...]]


def read_configuration(path: Path) -> dict[str, Any]:
    """The options of an evaluation that a YAML file names; as `configuration_of`.

    Raises
    ------
    InputError : FILE-001 without the file; OPT-046 with everything that cannot be taken.
    """
    if not path.is_file():
        raise InputError([problem("FILE-001", file=path.name)])
    return configuration_of(path.read_bytes(), path.name)


def configuration_of(raw: bytes, name: str) -> dict[str, Any]:
    """The options of an evaluation that YAML names.

    Parameters
    ----------
    raw : a block ``evaluation:``, or what stands in one. ``top_k`` are cut-offs, ``metrics`` names of
        document 004 or of the catalogue, ``complex_metrics`` names with ``params``. Other keys of the block
        are left alone.
    name : of the file, or what else the text is called in messages.

    Returns
    -------
    ``ks``, ``metrics`` and ``settings``, of those that it names.

    Raises
    ------
    InputError : OPT-046 with everything that cannot be taken.
    """
    import yaml

    if len(raw) > LARGEST:
        raise InputError([_wrong(name, "the file", f"{len(raw):,} bytes", f"at most {LARGEST:,}")])
    try:
        # Aliases make a short text a large object: none is needed here.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(raw)):
            raise InputError([_wrong(name, "the file", "an alias (*name)", "values written out")])
        found = yaml.safe_load(raw)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        said = re.sub(r"\s+", " ", str(error))[:200]
        raise InputError([_wrong(name, "the file", said, "YAML")]) from None
    block = found.get("evaluation", found) if isinstance(found, Mapping) else found
    if not isinstance(block, Mapping) or not set(KEYS) & set(block):
        told = ", ".join(map(str, block)) if isinstance(block, Mapping) else type(block).__name__
        raise InputError([_wrong(name, "evaluation", told or "nothing", f"one of {', '.join(KEYS)}")])
    return _options_of(name, block)


def _options_of(file: str, block: Mapping[Any, Any]) -> dict[str, Any]:
    problems: list[Problem] = []
    options: dict[str, Any] = {}
    if "top_k" in block:
        ks = block["top_k"] if isinstance(block["top_k"], list) else [block["top_k"]]
        if ks and all(isinstance(k, int) and not isinstance(k, bool) and k >= 1 for k in ks):
            options["ks"] = tuple(ks)
        else:
            problems.append(_wrong(file, "top_k", str(block["top_k"]), "whole numbers from 1 on"))
    names: list[str] = []
    if "metrics" in block:
        given = block["metrics"] if isinstance(block["metrics"], list) else [block["metrics"]]
        for name in given:
            metric = named(name)
            if metric is None:
                problems.append(_wrong(file, "metrics", str(name), f"one of {_all_names()}"))
            else:
                names.append(metric.key)
    settings: list[Setting] = []
    given = block.get("complex_metrics") or []
    for at, one in enumerate(given if isinstance(given, list) else [given], 1):
        found = list(_complex(file, f"complex_metrics {at}", one))
        problems += [wrong for wrong in found if isinstance(wrong, Problem)]
        settings += [setting for setting in found if not isinstance(setting, Problem)]
    if problems:
        raise InputError(problems)
    if "metrics" in block:
        options["metrics"] = tuple(dict.fromkeys([*names, *(key for key, _ in settings)]))
    return options | ({"settings": tuple(settings)} if settings else {})


def _complex(file: str, place: str, one: Any) -> Iterator[Problem | Setting]:
    """One metric with its parameters, or what is wrong with it."""
    name = one.get("name") if isinstance(one, Mapping) else None
    metric = named(name)
    if metric is None:
        yield _wrong(file, place, str(one)[:80], f"a name of {_all_names()}, and params")
        return
    params = one.get("params") or {}
    if not isinstance(params, Mapping):
        yield _wrong(file, f"{place}, params", str(params)[:80], "names with values")
        return
    own: dict[str, Any] = {}
    pair = [params[name] for name in PAIR if name in params]
    others = {name: value for name, value in params.items() if name not in PAIR}
    if pair:
        others["metric_names"] = pair
    for given, value in others.items():
        parameter = NAMES.get(str(given), str(given))
        if parameter not in metric.params or parameter == "k":
            legal = [theirs for theirs, ours in NAMES.items() if ours in metric.params]
            yield _wrong(file, f"{place}, params", str(given), f"one of {', '.join(legal) or 'none'}")
        else:
            own[parameter] = value
    if own.get("of") is not None:
        own["of"] = [_name_of(given) for given in _listed(own["of"])]
    yield metric.key, tuple((parameter, _frozen(value)) for parameter, value in own.items())


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _name_of(given: Any) -> str:
    metric = named(given)
    return str(given) if metric is None else metric.name


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def named(name: Any) -> Metric | None:
    """The metric that a name of document 004 or of the catalogue means, whatever its case.

    Examples
    --------
    >>> named("nDCGRendle2020").name, named("PopREO").name, named("recommender.map").name, named("?")
    ('ndcg_rendle2020', 'pop_reo', 'map', None)
    """
    wanted = re.sub(r"[^a-z0-9]", "", str(name).lower().removeprefix(f"{FAMILY}."))
    found = [one for one in METRICS.values() if one.family == FAMILY and one.name.replace("_", "") == wanted]
    return found[0] if found else None


def _all_names() -> str:
    return ", ".join(one.name for one in METRICS.values() if one.family == FAMILY)


def _wrong(file: str, place: str, found: str, expected: str) -> Problem:
    return problem("OPT-046", file=file, place=place, found=found, expected=expected)
