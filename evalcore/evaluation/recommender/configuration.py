"""The ``evaluation:`` block of document 004: cut-offs, metrics, and metrics with parameters of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evalcore.evaluation.parameters import expected_of
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
DEEPEST, LONGEST = 20, 100
"""Lists and mappings within each other, and characters of a number or word: more makes a short text slow."""
PAIR = ("metric_name_1", "metric_name_2")
"""How document 004 names the two metrics of an F1."""
KEYS = ("top_k", "metrics", "complex_metrics")
OF_OTHERS = (
    *("strategy", "validation_metric", "batch_size", "save_evaluation", "save_per_user"),
    *("max_metric_per_row", "full_evaluation_on_report", "stat_significance", "corrections"),
)
"""Keys that stand in such blocks and say nothing of values."""
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
        document 004 or of the catalogue, ``complex_metrics`` names with ``params``. `OF_OTHERS` are left
        alone.
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
        _check_events(yaml.parse(raw), name)
        twice = _repeated_key(yaml.compose(raw, Loader=yaml.SafeLoader))
        if twice is not None:
            raise InputError([_wrong(name, f"line {twice[1]}", f"the key {twice[0]} again", "each key once")])
        found = yaml.safe_load(raw)
    except InputError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        said = re.sub(r"\s+", " ", str(error))[:200]
        raise InputError([_wrong(name, "the file", said, "YAML")]) from None
    block = found.get("evaluation", found) if isinstance(found, Mapping) else found
    if not isinstance(block, Mapping) or not set(KEYS) & set(block):
        told = ", ".join(map(str, block)) if isinstance(block, Mapping) else type(block).__name__
        raise InputError([_wrong(name, "evaluation", told or "nothing", f"one of {', '.join(KEYS)}")])
    return _options_of(name, block)


def _check_events(events: Iterable[Any], file: str) -> None:
    """Refuse, as soon as it comes, what makes a short text large or slow, and kinds that nobody needs."""
    import yaml

    depth = 0
    for event in events:
        found = expected = ""
        if isinstance(event, yaml.AliasEvent):
            found, expected = "an alias (*name)", "values written out"
        elif getattr(event, "tag", None) is not None:
            found, expected = f"the tag {event.tag[:80]}", "values without a tag"
        elif isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            found = f"more than {DEEPEST} lists and mappings within each other" if depth > DEEPEST else ""
            expected = "metrics with their parameters"
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.ScalarEvent) and event.implicit[0] and len(event.value) > LONGEST:
            found, expected = f"a number or word of {len(event.value):,} characters", f"at most {LONGEST}"
        if found:
            place = f"line {event.start_mark.line + 1}"
            raise InputError([_wrong(file, place, found, expected)])


def _options_of(file: str, block: Mapping[Any, Any]) -> dict[str, Any]:
    problems = [
        _wrong(file, "evaluation", str(key), f"one of {', '.join(KEYS)}")
        for key in block
        if key not in (*KEYS, *OF_OTHERS)
    ]
    options: dict[str, Any] = {}
    if "top_k" in block:
        ks = block["top_k"] if isinstance(block["top_k"], list) else [block["top_k"]]
        if ks and all(isinstance(k, int) and not isinstance(k, bool) and k >= 1 for k in ks):
            options["ks"] = tuple(dict.fromkeys(ks))
        else:
            problems.append(_wrong(file, "top_k", str(block["top_k"]), "whole numbers from 1 on"))
    names: list[str] = []
    if "metrics" in block:
        given = block["metrics"] if isinstance(block["metrics"], list) else [block["metrics"]]
        if not given:
            problems.append(_wrong(file, "metrics", "[]", "a name, or no key metrics for all of them"))
        for name in given:
            metric = named(name) if isinstance(name, str) else None
            if metric is None:
                problems.append(_wrong(file, "metrics", str(name), f"one of {_all_names()}"))
            else:
                names.append(metric.key)
    settings: dict[Setting, None] = {}
    given = block.get("complex_metrics") or []
    for at, one in enumerate(given if isinstance(given, list) else [given], 1):
        found = list(_complex(file, f"complex_metrics {at}", one))
        problems += [wrong for wrong in found if isinstance(wrong, Problem)]
        settings |= {setting: None for setting in found if not isinstance(setting, Problem)}
    if problems:
        raise InputError(problems)
    if "metrics" in block or settings:
        options["metrics"] = tuple(dict.fromkeys([*names, *(key for key, _ in settings)]))
    further = tuple((key, own) for key, own in settings if own)
    return options | ({"settings": further} if further else {})


def _repeated_key(node: Any) -> tuple[str, int] | None:
    """A key that stands twice in a mapping, and its line; None where none does."""
    pairs = node.value if node is not None and node.id == "mapping" else []
    seen: set[str] = set()
    for key, _ in pairs:
        if str(key.value) in seen:
            return str(key.value), key.start_mark.line + 1
        seen.add(str(key.value))
    inner = [value for _, value in pairs] or (
        node.value if node is not None and node.id == "sequence" else []
    )
    return next((found for one in inner if (found := _repeated_key(one)) is not None), None)


def _complex(file: str, place: str, one: Any) -> Iterator[Problem | Setting]:
    """One metric with its parameters, or what is wrong with it."""
    name = one.get("name") if isinstance(one, Mapping) else None
    metric = named(name)
    if metric is None:
        yield _wrong(file, place, str(one)[:80], f"a name of {_all_names()}, and params")
        return
    for other in one.keys() - {"name", "params"}:
        yield _wrong(file, place, str(other), "name and params")
    params = {} if one.get("params") is None else one["params"]
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
            continue
        value = [_name_of(name) for name in value] if parameter == "of" and isinstance(value, list) else value
        expected = expected_of(metric, parameter, value)
        if expected is None:
            own[parameter] = value
        else:
            yield _wrong(file, f"{place}, params, {given}", _told(value), expected)
    yield metric.key, tuple((parameter, _frozen(value)) for parameter, value in own.items())


def _told(value: Any) -> str:
    """A value as YAML writes it, so that text and numbers look different."""
    return json.dumps(value, ensure_ascii=False, default=str)[:80]


def _name_of(given: Any) -> Any:
    metric = named(given)
    return given if metric is None else metric.name


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
