"""Exact metrics, honest uncertainty and operating points for evidence, RAG and recommender evaluation.

Public names load on first use, so that ``import evalcore`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalcore.chunked import evaluate_files as evaluate_files
    from evalcore.data import Data as Data
    from evalcore.evaluation import Report as Report
    from evalcore.explorer.inline import explore as explore
    from evalcore.operating_point import OperatingPoint as OperatingPoint
    from evalcore.operating_point import choose_operating_point as choose_operating_point
    from evalcore.operating_point import choose_over_folds as choose_over_folds
    from evalcore.problems import InputError as InputError
    from evalcore.spec import METRICS as METRICS
    from evalcore.tasks import evaluate as evaluate
    from evalcore.tasks import inspect as inspect
    from evalcore.tasks import load as load
    from evalcore.tasks import whole as whole

__version__ = "1.0.0"

_HOME = {
    "Data": "evalcore.data",
    "InputError": "evalcore.problems",
    "METRICS": "evalcore.catalog",
    "OperatingPoint": "evalcore.operating_point",
    "Report": "evalcore.tasks",  # a saved report is of any of them
    "choose_operating_point": "evalcore.operating_point",
    "choose_over_folds": "evalcore.operating_point",
    "evaluate": "evalcore.tasks",
    "evaluate_files": "evalcore.chunked",
    "explore": "evalcore.explorer.inline",
    "inspect": "evalcore.tasks",
    "load": "evalcore.tasks",
    "whole": "evalcore.tasks",
}
__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'evalcore' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
