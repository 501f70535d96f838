"""Problems in the words of a page: what an option does on the command line, a field of a page does here.

The texts of problems name options, as most who read them are on the command line. On a page nobody can say
``--keep-first``: each way to say so has its page's own words here, and a test holds every text to it.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from evalcore.operating_point.choosing.claims.notes import plain_note
from evalcore.problems import Problem

HERE = "on the Data page"
BEST_RANK = "Keep the best rank of a candidate that stands twice in a list"
_QUOTED = r"'[^']*'|\"'\""
_COLUMN = rf'--column "?(?:[\w ]|…)+=(?:{_QUOTED}|[^\s",;.)]|\.(?=\w))+(?: \w+=\w+)*"?'
_RULES = (
    # The page as the second of two ways is the way; a condition of the first stays.
    (
        "name another column of ids with --column .*?, or choose it",
        "choose another column of ids",
    ),
    (
        r"name the scores with --column \S+, or choose them",
        "choose the scores",
    ),
    (
        r"say --score-of predicted \((.*?)\) or --score-of positive \((.*?)\), or choose it on the Data page",
        rf"choose “the predicted class” (\1) or “the positive class” (\2) {HERE}",
    ),
    (
        "(^|[;:.] )(?:(?![;:.] ).)*?--.*?( if [^,;]*)?,? or (choose (?:it|them|others) on the Data page)",
        r"\1\3\2",
    ),
    ("by fewer columns with --by, or", "by fewer columns, or"),
    (
        "say --truth FILE with the name of that file, choose it on",
        "choose that file on",
    ),
    (
        r"read it as a ranking: --task evidence .*\)\.",
        "Give lists and judgements with columns of their own: query_id, sent_uid, is_gold, and rank "
        "or score.",
    ),
    (
        r"say --no-header \(on the Data page tick (.*?)\)",
        rf"tick \1 {HERE}",
    ),
    (
        " and name columns by their positions: --column ROLE=1",
        " and choose columns by their positions",
    ),
    (
        f"say {_COLUMN}",
        f"choose it {HERE}",
    ),
    (
        f"(?: with|:)(?: (?:or )?{_COLUMN})+",
        f" {HERE}",
    ),
    # Files.
    (
        "say --keep-first",
        f"tick “{BEST_RANK}” {HERE}",
    ),
    (
        r"say --encoding (\S+?)(?=[ ,.])",
        rf"choose the text encoding \1 {HERE}",
    ),
    (
        "check --encoding",
        "check the text encoding",
    ),
    (
        "say --as parts if they are parts of one output; otherwise",
        "join parts of one output into one file; otherwise",
    ),
    (
        "say --as parts",
        f"choose “parts of one table” {HERE}",
    ),
    (
        "say --as models",
        "name the model in a column of each file",
    ),
    (
        "unless --as models says otherwise",
        "as far as nothing else is chosen",
    ),
    (
        "give the lists as INPUT and the interactions with --train F and --test F",
        "load lists or scores beside the interactions",
    ),
    (
        "say --train F or --test F instead of INPUT",
        "choose it under “These are”",
    ),
    (
        "say --lists F or take",
        f"choose “recommendation lists” {HERE}, or take",
    ),
    (
        r"say --(?:NAME|train|test|scores|user-groups|item-groups|item-features) F or call",
        f"choose that {HERE}, or call",
    ),
    (
        "say --train F or --test F, and give the lists as INPUT",
        f"choose what the file is {HERE}, and load the lists beside it",
    ),
    (
        "give the test interactions with --test F:",
        "load the test interactions beside them:",
    ),
    (
        r"or --column rating= \(nothing\) where",
        "choose nothing for it where",
    ),
    (
        "give it as an input of its own, with --as parts",
        "load it by itself",
    ),
    (
        " with --tau-neg and --tau-pos",
        "",
    ),
    (
        "give --test,",
        "load test interactions,",
    ),
    (
        r", or name files with the ids (.*): --scores \S+ --scores \S+ --scores \S+\.",
        r", or load files with the ids \1 beside them.",
    ),
    (
        "say --truth (?:FILE )?with the name of that file",
        f"choose that file {HERE}",
    ),
    (
        ", or say which file holds the judgements: --truth FILE",
        f", or choose the file with the judgements {HERE}",
    ),
    (
        r" \(--truth FILE\)",
        "",
    ),
    (
        r"--truth (?!for)(\S+)$",
        r"the truth in \1",
    ),
    (
        "leave --truth out",
        "choose no file of the truth",
    ),
    (r"give it with --test F", "load it beside the lists"),
    (r"; or leave out --predicted-ratings", "; or untick “Scores in the lists are predicted ratings”"),
    # Scores and labels.
    (
        "say --score-kind score",
        f"choose “scores on another scale” {HERE}",
    ),
    (
        "leave out --score-of predicted, or say --score-of positive where it is asked; of several "
        "inputs, answer for one with --score-of FILE=predicted",
        "choose “the positive class” where it is asked whose score it is",
    ),
    (
        "say --score-of predicted",
        "choose “the predicted class” where it is asked whose score it is",
    ),
    (
        "leave out --score-of(?: or --score-kind)?",
        f"choose “the positive class” {HERE}",
    ),
    (
        "check --positive",
        f"check the label that means “has evidence” {HERE}",
    ),
    (
        r"--positive \S+=(\S+)",
        r"\1",
    ),
    (
        "check --task, --score-kind, --score-of, --as, --undefined or --ties",
        "check what was chosen",
    ),
    # Tasks.
    (
        "leave out --candidates",
        "leave the candidates out",
    ),
    (
        "leave out --(?:score-of|as|truth|candidates): it",
        f"choose nothing there {HERE}: it",
    ),
    (
        "--(?:score-of|as|truth|candidates) for (annotations|recommendations)",
        r"an answer about predictions for \1",
    ),
    (
        "say --task evidence, with",
        "load them with",
    ),
    (
        r"leave out \S+, or say --task recommender",
        "leave the file out, or load recommendation lists beside it",
    ),
    (
        "--(train|test|scores|user-groups|item-groups|item-features) for another task",
        r"\1 for another task",
    ),
    (
        r"--task (\S+) or --task (\S+?)(?=[ ,.)]|$)",
        r"\1 or \2",
    ),
    (
        r"; --adjudicator \S+ lets one of them decide",
        "",
    ),
    # What is chosen on other pages, or on the command line alone.
    (
        "check --ks",
        "check K",
    ),
    (
        "check --by",
        "check the column to break down by",
    ),
    (
        ", or leave --cluster out",
        "",
    ),
    (
        "check --cluster",
        "check the column of what is drawn together",
    ),
    (
        ", or name another one with --cluster",
        "",
    ),
    (
        ", or say --by-row if both hold the same rows in the same order",
        "",
    ),
    (
        "leave out --by-row",
        "leave the rows as they are",
    ),
    (
        r"say --models \S+ for two of them, or --matrix for every two",
        "choose two of them",
    ),
    (
        r"say --models [^\s,]+,[^\s,]+, or",
        "choose two of them, or",
    ),
    (
        r"(name (?:them|two of them)): --models [^\s,]+,[^\s,.]+",
        r"\1",
    ),
    (
        "check --models?",
        "check the model",
    ),
    (
        r"--models (\S+),(\S+)",
        r"\1 and \2",
    ),
    (
        "leave out --matrix",
        "choose two models",
    ),
    (
        r"--key (\S+)",
        r"the column \1",
    ),
    (
        "--metrics",
        "metrics",
    ),
    (
        "check --tune(?: and --test|, --test and --model)",
        "check the column split",
    ),
    (
        "say --tune too",
        "add tune rows",
    ),
    (
        "give --tau-neg and --tau-pos to use one pair",
        "choose thresholds to use one pair",
    ),
    (
        r"give the file of choose --out POINT\.json",
        "give the exported file of the operating point",
    ),
    (
        "as choose --pareto writes them",
        "as a search on the command line writes them",
    ),
    (
        r", as evaluate --save and Report\.save write it",
        "",
    ),
    (
        r"the files of the report \(--out\)",
        "the files of the report",
    ),
    (
        r"on the command line, report REPORT\.evalcore --out DIR writes its files again, and the",
        "the",
    ),
    (
        r"on the command line, verify POINT\.json DATA recomputes it and apply POINT\.json DATA --out "
        "FILE decides with it; what",
        "what",
    ),
    (
        "say --overwrite to replace it, or ",
        "",
    ),
    (
        r"( with|in) --tune and --test",
        r"\1 a split each to choose and to test",
    ),
    (
        "leave out --must-not-miss and --by",
        "leave out what must not be missed, and groups",
    ),
    (
        r" \(gather --site\)",
        "",
    ),
    (
        "run lm_eval with --log_samples and",
        "let lm_eval log its samples and",
    ),
)
"""What names an option → the words of a page, in the order in which they are tried."""
_READ = [(re.compile(pattern, re.IGNORECASE | re.DOTALL), words) for pattern, words in _RULES]


def on_page(one: Problem) -> Problem:
    """The same problem in the words of a page."""
    found, expected, remedy = map(in_page_words, (one.found, one.expected, one.remedy))
    return replace(one, found=found, expected=expected, remedy=remedy)


def claim_on_page(claim: Mapping[str, str]) -> str:
    """What a document claims, and its note, in the words of a page.

    Examples
    --------
    >>> claim_on_page({"text": "Not met on test.", "note": "The interval does not exclude it."})
    'Not met on test. It may still hold: these checks are too few to rule it out.'
    """
    return f"{claim['text']} {plain_note(claim)}".strip()


def in_page_words(text: str) -> str:
    """A text without options of the command line.

    Examples
    --------
    >>> in_page_words("Say --column p=NAME if high is good, or choose it on the Data page; else 1 − p.")
    'Choose it on the Data page if high is good; else 1 − p.'
    >>> in_page_words("Name one with --column score=NAME or --column rank=NAME.")
    'Name one on the Data page.'
    >>> in_page_words("Correct the label.")
    'Correct the label.'
    """
    if "--" not in text:
        return text
    for pattern, words in _READ:
        text = pattern.sub(partial(_as_begun, words), text)
    return text


def _as_begun(words: str, found: re.Match[str]) -> str:
    """The words, with a capital where what they replace began with one."""
    told = found.expand(words)
    return f"{told[:1].upper()}{told[1:]}" if found[0][:1].isupper() else told
