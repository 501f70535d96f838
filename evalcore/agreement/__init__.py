"""How far annotators agree, where they contradict themselves, and what their responses say."""

from evalcore.agreement.alpha import Alpha, alphas
from evalcore.agreement.by_rank import rates_by_rank, settled_rates_by_rank
from evalcore.agreement.distributions import PanelCounts, discards, label_counts, panels
from evalcore.agreement.kappa import Kappa, kappas
from evalcore.agreement.rules import RULES, Rule, counts_by_rule, violations
from evalcore.agreement.stated import StatedFact
from evalcore.agreement.stated_export import stated_facts
from evalcore.agreement.tendencies import tendencies
from evalcore.agreement.weakest import Weakest, weakest

__all__ = [
    "RULES",
    "Alpha",
    "Kappa",
    "PanelCounts",
    "Rule",
    "StatedFact",
    "Weakest",
    "alphas",
    "counts_by_rule",
    "discards",
    "kappas",
    "label_counts",
    "panels",
    "rates_by_rank",
    "settled_rates_by_rank",
    "stated_facts",
    "tendencies",
    "violations",
    "weakest",
]
