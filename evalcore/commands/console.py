"""The console script ``evalcore``, the same program as ``python -m evalcore``."""

import runpy


def main() -> None:
    """Run the command line as the process's own program: it ends with the status, and takes the signals."""
    runpy.run_module("evalcore", run_name="__main__")
