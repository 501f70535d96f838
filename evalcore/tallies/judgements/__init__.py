"""Responses of annotators as one judgement a chunk or answer, and the panels that metrics are computed on."""

from evalcore.tallies.judgements.answers import JudgedAnswers, judged_answers
from evalcore.tallies.judgements.chunks import JudgedChunks, judged_chunks
from evalcore.tallies.judgements.panels import Panels, panels_at
from evalcore.tallies.judgements.votes import FILLS, TIED, TREATMENTS, queries_with, treated, voted

__all__ = [
    "FILLS",
    "TIED",
    "TREATMENTS",
    "JudgedAnswers",
    "JudgedChunks",
    "Panels",
    "judged_answers",
    "judged_chunks",
    "panels_at",
    "queries_with",
    "treated",
    "voted",
]
