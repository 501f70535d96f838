"""``python -P -m evalcore.ci``: a hook, or the action."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from evalcore.ci.running import USAGE, action, hook
from evalcore.ci.summary import tell
from evalcore.commands.reading import WRONG_INPUT


def main(arguments: Sequence[str]) -> int:
    """Run a hook or the action; the status is the worst of all."""
    if list(arguments) == ["action"]:
        return tell(action(os.environ))
    if arguments and arguments[0] in ("verify", "compare"):
        return tell(hook(arguments[0], arguments[1:]))
    print(USAGE, file=sys.stderr)
    return WRONG_INPUT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
