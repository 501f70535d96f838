"""The threshold explorer: what it shows, and the HTML, style and JavaScript that show it in any browser."""

from __future__ import annotations

from evalcore.explorer.sources import markup, part, script, style

__all__ = ["markup", "part", "script", "style"]
