"""Where the inputs lie that tests read from files: our own inventions and published values that may be copied."""

from pathlib import Path

CASES = Path(__file__).parent / "cases"
