"""Files in which every name that can come from a file tries to be more than text."""

import csv
import io
from collections.abc import Iterable, Sequence

HOST = "x.invalid"
IMAGE = f"![x](http://{HOST}/a.png)"
LINK = f"[x](http://{HOST})"
PICTURE = f'<img src=http://{HOST}/b.png onerror="window.__hit=1">'
SCRIPT = "<script>window.__hit=1</script>"
ANCHOR = f'<a href="http://{HOST}">y</a>'  # short: a figure leaves out the middle of a long name
ADDRESS = f"http://{HOST}/plain"
ICON = ":material/home: :red[z] :smile:"
MATH = "$x^2$ `c` **b**"
TEMPLATE = "%{x} %{fullData.name}"
FILLED = "{{7*7}} ${window.__hit=1}"
TURNED = "gate\u202egnp.exe"
HEBREW = "\u05e9\u05dc\u05d5\u05dd 12"
LONG = "W" * 300
NAMES = (IMAGE, LINK, PICTURE, SCRIPT, ANCHOR, ADDRESS, ICON, MATH, TEMPLATE, FILLED, TURNED, HEBREW, LONG)

MODELS = (IMAGE, PICTURE)
LISTS = (f"retriever {IMAGE}", ANCHOR)
CRITERIA = (*NAMES[:12], LINK + LONG)
N_POSTS = 24


def predictions() -> str:
    """Two models over folds and splits; criteria, posts, columns and groups have hostile names."""
    lines: list[Sequence[object]] = []
    for place, post in enumerate(posts()):
        for at, criterion in enumerate(CRITERIA):
            has_evidence = (place * 3 + at) % 4 == 0
            for nth, model in enumerate(MODELS):
                turn = (place * 7 + at * 5 + nth) % 17
                p = (0.9 if has_evidence and turn else 0.3) - 0.013 * turn
                split = "tune" if place % 2 else "test"
                groups = (NAMES[place % 2], NAMES[2 + place % 3], NAMES[10 + place % 3])
                label = int(has_evidence)
                lines.append((post, criterion, model, fold_of(place), split, label, f"{p:.4f}", 3, *groups))
    header = (
        "post_id",
        "criterion_id",
        "model",
        "fold",
        "split",
        "has_evidence",
        "probability",
        "selected_k",
    )
    return as_csv((*header, ADDRESS, SCRIPT, MATH), lines)


def candidates() -> str:
    """Two ranked lists of the same posts and criteria."""
    lines = []
    for place, post in enumerate(posts()):
        for at, criterion in enumerate(CRITERIA):
            is_gold = (place * 3 + at) % 4 == 0
            for name in LISTS:
                for rank in range(4):
                    score = (
                        0.9 - 0.2 * rank if name.startswith("retriever") else 0.8 - 0.15 * ((rank + at) % 4)
                    )
                    gold = int(is_gold and rank == at % 4)
                    sentence = f"{post} {rank} {NAMES[at % 12]}"
                    lines.append((post, criterion, sentence, gold, f"{score:.4f}", name, NAMES[place % 2]))
    return as_csv(("post_id", "criterion_id", "sent_uid", "is_gold", "score", "model", ADDRESS), lines)


def posts() -> list[str]:
    """Ids of the posts."""
    return [f"{NAMES[place % len(NAMES)]} {place}" for place in range(N_POSTS)]


def fold_of(place: int) -> str:
    """The fold of a post."""
    return f"{place % 3} {NAMES[place % 3]}"


def annotations() -> dict[str, str]:
    """An export of annotations of two systems, with what a classifier predicts."""
    return {
        "retrieval.csv": _task(("topically_relevant", "evidence_sufficient", "misleading"), has_chunks=True),
        "grounding.csv": _task(("support_present", "unsupported_claim_present", "source_cited")),
        "generation.csv": _task(("proper_action", "helpful", "incomplete", "unsafe_content")),
        f"www.{HOST} {ICON}.csv".replace("/", "\u2215"): _predicted(),
    }


def tool_scores() -> str:
    """Scores of another tool, whose names are free."""
    lines = [
        (f"{span} {at}", place, name, "LLM", "relevant", (at + place) % 2)
        for at, span in enumerate(NAMES[:6])
        for place, name in enumerate(NAMES)
    ]
    return as_csv(("span_id", "document_position", "name", "annotator_kind", "label", "score"), lines)


def broken() -> str:
    """Predictions that cannot be used: every problem quotes hostile text."""
    lines = [(name, name, name, name) for name in NAMES]
    return as_csv(("post_id", "criterion_id", "has_evidence", "probability"), lines)


def unlabelled() -> str:
    """Predictions whose labels are hostile: the page asks which one means evidence."""
    lines = [(f"p{at}", "A.1", (LINK, PICTURE)[at % 2], 0.5) for at in range(6)]
    return as_csv(("post_id", "criterion_id", "has_evidence", "probability"), lines)


def _task(labels: Sequence[str], *, has_chunks: bool = False) -> str:
    lines = []
    for at in range(12):
        record, question = f"{NAMES[at]} {at}", f"{NAMES[(at + 1) % 12]} {at // 2}"
        for nth, annotator in enumerate((IMAGE, ANCHOR)):
            for rank in range(1, 4 if has_chunks else 2):
                said = [
                    str((at + nth * (rank + place) + place) % 2 == 0).lower() for place in range(len(labels))
                ]
                chunk = (f"{NAMES[rank]} {at}", rank, 3) if has_chunks else ()
                is_kept = (at + nth) % 7 > 0
                status = ("submitted", "") if is_kept else ("discarded", NAMES[at])
                system = (PICTURE, LINK)[at % 2]
                row = (record, question, annotator, system, NAMES[at % 3], *chunk, *status)
                lines.append((*row, *(said if is_kept else [""] * len(labels))))
    places = ("chunk_id", "chunk_rank", "n_retrieved_chunks") if has_chunks else ()
    header = ("record_uuid", "question_id", "annotator_id", "system", ADDRESS, *places)
    return as_csv((*header, "response_status", "discard_reason", *labels), lines)


def _predicted() -> str:
    records = [(f"{NAMES[at]} {at}", (at * 7 % 12) / 11) for at in range(12)]
    return as_csv(("record_uuid", "helpful"), records)


def as_csv(header: Sequence[object], lines: Iterable[Sequence[object]]) -> str:
    """Lines as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *lines])
    return text.getvalue()
