"""Texts that are no table of ours: ARFF, LIBSVM, YAML, XML, HTML, trec_eval's, and what to export instead."""

from __future__ import annotations

import re

from evalcore.readers.formats.foreign import EXPORT

_HEAD = 65536
_LINES = 30
# Blanks and comments are parted in one way only: lines without a word would else be tried in every way.
_ARFF = re.compile(rb"(?:\s++|%[^\n]*+\n)*+@relation\b", re.IGNORECASE)
_LIBSVM = re.compile(
    rb"[+-]?[\d.]+(?:[eE][+-]?\d+)?(?:,[\d.]+)*(?:\s+(?:qid|\d+):[+-]?[\d.]+(?:[eE][+-]?\d+)?)*\s*(?:#.*)?"
)
_OF_QUERY = re.compile(rb"[\d.]+\s+qid:\S+\s")
_FEATURE = re.compile(rb"\s\d+:[+-]?[\d.]")
_TREC_EVAL = re.compile(
    rb"(?:runid|num_(?:q|ret|rel|rel_ret)|(?:gm_)?map(?:_cut_\d+)?|Rprec\S*|bpref|recip_rank|infAP|11pt_avg"
    rb"|(?:P|recall|success|relative_P)_\d+|ndcg(?:_cut_\d+|_rel)?|iprec_at_recall_[\d.]+|set_\w+)\s+\S+\s+\S+\s*"
)
_YAML = re.compile(rb"\s*(?:- )*(?:[\w.\-]+|\"[^\"]*\"|'[^']*'):(?: .*)?|\s*- \S.*|\s*#.*")
_YAML_KEY = re.compile(rb"\s*(?:- )*[\w.\-\"']+:(?: |$)")
_HTML = (b"<!doctype html", b"<html", b"<head", b"<body", b"<table", b"<div", b"<p>", b"<script")
_XML = re.compile(rb"<(?:\?xml|!--|!doctype|svg)", re.IGNORECASE)
_ELEMENT = re.compile(rb"<[a-z_][\w.\-]*(?::[\w.\-]+)?(?:\s[^<>]*)?>", re.IGNORECASE)

_FROM_ARFF = (
    "Save it as CSV in Weka, or in Python with pandas.DataFrame(scipy.io.arff.loadarff(FILE)[0]).to_csv(NEW)."
)
_WEKA = re.compile(rb"=== Predictions on [\w\- ]+ ===|inst# +actual +predicted +error", re.IGNORECASE)
_FROM_WEKA = (
    "Let Weka write them as CSV with the distribution: More options, Output predictions, CSV, with "
    "outputDistribution set to True."
)
_FROM_LIBSVM = (
    "It holds features and no scores: give a CSV with one row a query, its label and the model's score."
)
_FROM_LETOR = (
    "It holds judgements and features and no scores: give a CSV with one row a line, query_id (the qid), "
    "sent_uid (its document), is_gold (1 where the judgement is above 0) and the score of the ranker, which "
    "writes one a line."
)
_FROM_HTML = "Save the table itself; a login page is often downloaded in its place."
_FROM_TREC_EVAL = "It holds metrics and no rankings: give the qrels and the run that it was computed from."
_FROM_YAML = "Write the records as CSV or as JSON Lines."


def foreign_text(content: bytes) -> tuple[str, str] | None:
    """What a text is that is no table, and what to do; None where it may be one.

    Parameters
    ----------
    content : text in UTF-8 or an encoding that keeps ASCII.
    """
    head = content[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    start = head[:200].lower()
    if start.startswith(_HTML):
        return "an HTML page", _FROM_HTML
    if _XML.match(head) or (_ELEMENT.match(head[:2000]) and content[-100:].rstrip().endswith(b">")):
        return "an XML document", EXPORT
    if _ARFF.match(head):
        return "an ARFF file", _FROM_ARFF
    if _WEKA.match(head):
        return "predictions of Weka as plain text", _FROM_WEKA
    lines = [line for line in head.splitlines() if line.strip()]
    if len(content) > _HEAD:
        lines = lines[:-1]  # it may be cut off
    lines = lines[:_LINES]
    if lines and all(_LIBSVM.fullmatch(line) for line in lines) and any(map(_FEATURE.search, lines)):
        if all(map(_OF_QUERY.match, lines)):
            return "a LETOR file (LIBSVM with qid)", _FROM_LETOR
        return "a LIBSVM (SVMlight) file", _FROM_LIBSVM
    if len(lines) > 1 and all(map(_TREC_EVAL.fullmatch, lines)):
        return "the output of trec_eval", _FROM_TREC_EVAL
    return ("a YAML document", _FROM_YAML) if _is_yaml(lines) else None


def _is_yaml(lines: list[bytes]) -> bool:
    """Whether every line is one of a mapping or a list; a line ``---`` or ``%YAML`` may begin it."""
    if lines and (lines[0].strip() == b"---" or lines[0].startswith(b"%YAML")):
        lines = [line for line in lines[1:] if line.strip() != b"---"]
    has_keys = any(map(_YAML_KEY.match, lines))
    return len(lines) > 1 and has_keys and all(_YAML.fullmatch(line) for line in lines)
