"""Words of the field in plain language, written once: for the Reference page, tooltips and the explorer."""

from evalcore.glossary.entry import Term, explained, fits
from evalcore.glossary.terms import GLOSSARY

__all__ = ["GLOSSARY", "Term", "explained", "fits"]
