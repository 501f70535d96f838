"""Where the files lie that tests read: our own inventions, and published values that may be copied."""

from pathlib import Path

CASES = Path(__file__).parents[1] / "cases"
ANNOTATION_EXPORT = CASES / "annotation_export"
OTHER_TOOLS = CASES / "other_tools"
GOLDEN = Path(__file__).parents[1] / "golden"
