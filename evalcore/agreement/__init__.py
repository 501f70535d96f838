"""How far annotators agree, where they contradict themselves, and what their responses say."""

from evalcore.agreement.alpha import Alpha, alphas
from evalcore.agreement.by_rank import rates_by_rank
from evalcore.agreement.distributions import discards, label_counts, panels
from evalcore.agreement.kappa import Kappa, kappas
from evalcore.agreement.rules import RULES, Rule, label_violations, violations
from evalcore.agreement.stated import StatedAgreement, beside_stated
from evalcore.agreement.tendencies import tendencies
from evalcore.agreement.weakest import Weakest, weakest

__all__ = [
    "RULES",
    "Alpha",
    "Kappa",
    "Rule",
    "StatedAgreement",
    "Weakest",
    "alphas",
    "beside_stated",
    "discards",
    "kappas",
    "label_counts",
    "label_violations",
    "panels",
    "rates_by_rank",
    "tendencies",
    "violations",
    "weakest",
]
