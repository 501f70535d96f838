"""``metrics.json``: what was evaluated, how, and every value; written, and opened again."""

from evalcore.report.metrics_json.opened import MetricsFile
from evalcore.report.metrics_json.writing import metrics_json

__all__ = ["MetricsFile", "metrics_json"]
