"""A document's rule as one file for another system, in its language."""

from evalcore.operating_point.deploying.rule_file import LANGUAGES, Language, rule_file, rule_name

__all__ = ["LANGUAGES", "Language", "rule_file", "rule_name"]
