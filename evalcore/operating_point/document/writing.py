"""An operating point as a document: written whole, read back only when it is valid and unchanged."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.data import Data
from evalcore.files import write_files
from evalcore.notebook import view
from evalcore.operating_point.choosing.alternatives import Alternative
from evalcore.operating_point.choosing.claims.judging import MET
from evalcore.operating_point.choosing.claims.notes import plain_note
from evalcore.operating_point.choosing.folds import spread_in_words
from evalcore.operating_point.constraints import PRECISION, SENSITIVITY
from evalcore.operating_point.document.build import COLUMN_ROLES
from evalcore.operating_point.document.canonical import json_text, read_strict_json
from evalcore.operating_point.document.groups import marked_on
from evalcore.operating_point.document.integrity import changes, check_schema, contradictions, false_id
from evalcore.operating_point.document.limits import SYNTHETIC
from evalcore.operating_point.document.rule import Rule, apply_rule
from evalcore.operating_point.origin import SCORE_ROLES
from evalcore.problems import InputError, problem
from evalcore.readers.columns.mapping import CLUSTER
from evalcore.readers.evidence.predicted_class import converted
from evalcore.readers.formats.own_exports import POINT, own_export, table_in_words
from evalcore.readers.formats.signatures import columnar_format, foreign_format
from evalcore.schema import CANDIDATES, QUERIES
from evalcore.text.legible import one_line

if TYPE_CHECKING:
    from evalcore.operating_point.document.verifying.verify import VerifyResult
    from evalcore.sklearn import GatedClassifier


@dataclass(frozen=True, repr=False)
class OperatingPoint:
    """Two thresholds, what is known of them, and the document that says so.

    Parameters
    ----------
    document : after ``operating-point.schema.json``.
    alternatives : a way on for each target that cannot be met; empty when the document was read from a file.
    """

    document: dict[str, Any]
    alternatives: tuple[Alternative, ...] = ()

    @property
    def tau_neg(self) -> float | None:
        """Below it a check is skipped; None when nothing is."""
        return self.rule.tau_neg

    @property
    def tau_pos(self) -> float | None:
        """From it on a check raises an alert; None when none does."""
        return self.rule.tau_pos

    @property
    def rule(self) -> Rule:
        """The rule of the document."""
        return Rule.from_document(self.document)

    @property
    def reading(self) -> dict[str, Any]:
        """How the data were read, as arguments of `evalcore.load`: columns, header, what was asked."""
        given, roles = self.document["input"], COLUMN_ROLES | {CLUSTER: CLUSTER}
        found = {roles[key]: name for key, name in given["columns"].items() if key in roles and name}
        # In the order in which a reader finds them by itself, so that reports of both say the same.
        named = {role: found[role] for role in sorted(found, key=_ORDER.index)}
        positive = given["positive_label"]
        return {
            "columns": {
                role: name.split(", ") if role in SCORE_ROLES else name for role, name in named.items()
            },
            "positive": None if positive == "1" else positive,
            "score_kind": "score" if given["score_kind"] == "score" else "probability",
            "no_header": given.get("header") is False,
            "score_of": given.get("score_of"),
            "files_as": given.get("files_as"),
        }

    @property
    def status(self) -> str:
        """``exploratory``, ``tuned``, ``certified`` or ``withdrawn``."""
        return str(self.document["status"])

    @property
    def model(self) -> str | None:
        """The model whose scores the document is about, where it names one."""
        named = self.document["input"].get("model")
        return None if named is None else str(named["name"])

    @property
    def result_sha256(self) -> str | None:
        """The hash of what was found on a grid, whatever files hold its rows; None for one made on rows."""
        found: str | None = self.document["provenance"].get("result_sha256")
        return found

    @property
    def is_synthetic(self) -> bool:
        """Whether the document says that its data were generated."""
        return SYNTHETIC in self.document.get("limits", ())

    @property
    def constraints_met(self) -> bool:
        """Whether every target is met as it was asked: on test or, without one, where it was chosen.

        A target asked with a confidence is met by its bound, one without by its estimate.
        """
        decisive = "test" if any(entry["role"] == "test" for entry in self.document["data"]) else None
        return all(
            _is_met(self.document, constraint, decisive)
            for constraint in self.document["selection"]["constraints"]
        )

    @property
    def summary(self) -> str:
        """Thresholds, status, every claim and, where a target cannot be met, what can be had instead.

        Each is on one line and legible, whatever a person typed or a group is called.
        """
        lines = [f"{self.document.get('title', self.document['id'])} ({self.status})"]
        lines += [SYNTHETIC] if self.is_synthetic else []
        for claim in self.document["claims"]:
            lines.append(f"{claim['text']} {plain_note(claim)}".rstrip())
        if "folds" in self.document["selection"]:
            lines.append(spread_in_words(self.document["selection"]["folds"]))
        lines += [f"Instead: {alternative.text}" for alternative in self.alternatives]
        return "\n".join(map(one_line, lines))

    @property
    def text(self) -> str:
        """The document as the text of its file.

        Raises
        ------
        InputError : DOC-003 or OPT-105 when the document was changed after it was made; DOC-010 when it calls
            itself certified against what it says of its own test, and as for `load`.
        """
        found = contradictions(self.document) or false_id(self.document)
        if found:
            raise InputError(found)
        return json_text(self.document)

    def save(self, path: Path | str, *, overwrite: bool = False) -> Path:
        """Write the document, whole or not at all; the same choice on the same data writes the same bytes.

        A file that is no such document, however it is laid out, is replaced only if ``overwrite`` says so.

        Raises
        ------
        InputError : as for `text`.
        OSError : when the file cannot be written; what stood there before is untouched.
        """
        path = Path(path)
        may_replace = overwrite or _is_document(path)
        return write_files(path.parent, {path.name: self.text.encode()}, overwrite=may_replace)[0]

    @staticmethod
    def load(path: Path | str, *, strict: bool = True) -> OperatingPoint:
        """Read a document and check all that it can be checked for without data.

        Parameters
        ----------
        path : the file.
        strict : False takes a document that contradicts itself or was edited: to look at it, and for `verify`
            to say so. It is applied to nothing.

        Raises
        ------
        InputError : FILE-001 without such a file; DOC-265 for another file of this program; DOC-305 for a
            table or a file of another format; DOC-306 when it is too large; DOC-001 when it is not strict
            JSON; DOC-002 with every departure from the schema; DOC-003 when it was edited; DOC-007, DOC-008,
            DOC-010, DOC-020, DOC-021, DOC-030 to DOC-033 and OPT-002 when it contradicts itself; OPT-105 when
            its id is not that of its thresholds, rows and selection.
        """
        path = Path(path)
        if not path.is_file():
            raise InputError([problem("FILE-001", file=path.name)])
        return OperatingPoint.from_bytes(path.read_bytes(), file=path.name, strict=strict)

    @staticmethod
    def from_bytes(raw: bytes, *, file: str | None = None, strict: bool = True) -> OperatingPoint:
        """As `load`, from the bytes of a file."""
        own = own_export(raw)
        if own is not None and own[0] != POINT:
            raise InputError([problem("DOC-265", file=file, kind=own[0], advice=own[1])])
        kind = None if raw.lstrip(codecs.BOM_UTF8 + b" \t\r\n")[:1] in (b"{", b"") else _kind(raw, file or "")
        if kind is not None:
            raise InputError([problem("DOC-305", file=file, kind=kind)])
        document = read_strict_json(raw, file=file)
        check_schema(document, file=file)
        found = contradictions(document, file=file) or false_id(document, file=file) if strict else []
        if found:
            raise InputError(found)
        return OperatingPoint(document)

    @property
    def is_of_predicted_class(self) -> bool:
        """Whether the score field holds the score of the predicted class, which the rule needs converted."""
        return bool(self.document["input"].get("score_of") == "predicted")

    def apply(self, scores: ArrayLike, *, predicted: ArrayLike | None = None) -> NDArray[np.str_]:
        """The state of each score by the document's rule and nothing else.

        Parameters
        ----------
        scores : numbers of any shape.
        predicted : of the same shape, whether each prediction is the positive class; needed where the score
            field holds the score of the predicted class (`is_of_predicted_class`), which is then converted.

        Returns
        -------
        Text array of the same shape: ``NEG``, ``UNCERTAIN`` or ``POS``.

        Raises
        ------
        InputError : DOC-006 naming every score that is none, unless the rule says otherwise; DOC-009 when the
            document is withdrawn; DOC-003 or OPT-105 when it was changed after it was made; OPT-030 for
            scores of the predicted class without the predictions.
        """
        self.check_in_force()
        if self.is_of_predicted_class:
            if predicted is None:
                raise InputError([problem("OPT-030")])
            scores = converted(np.asarray(scores, np.float64), np.asarray(predicted, bool))
        return apply_rule(self.rule, scores, column=self.document["input"]["score_field"])

    def check_in_force(self) -> None:
        """Refuse a withdrawn document, and one that was changed after it was made.

        Raises
        ------
        InputError : DOC-009; DOC-003 or OPT-105.
        """
        found = changes(self.document) or false_id(self.document)
        if found:
            raise InputError(found)
        if self.status == "withdrawn":
            raise InputError([problem("DOC-009", file=self.document["id"])])

    def wrap(
        self,
        estimator: Any,
        *,
        positive: Any = None,
        uncertain: Any = None,
        response_method: Literal["auto", "predict_proba", "decision_function"] = "auto",
    ) -> GatedClassifier:
        """A scikit-learn classifier with three outcomes: the model's scores, decided by the document's rule.

        It needs scikit-learn 1.6 or newer.

        Parameters
        ----------
        estimator, positive, uncertain, response_method : as of `evalcore.sklearn.GatedClassifier`.
        """
        # By name: scikit-learn is not needed for a document, and its module stands above this one.
        made: GatedClassifier = import_module("evalcore.sklearn").GatedClassifier(
            estimator,
            point=self,
            positive=positive,
            uncertain=uncertain,
            response_method=response_method,
        )
        return made

    def __repr__(self) -> str:
        rule = [f"p < {self.tau_neg!r} is NEG"] if self.tau_neg is not None else []
        rule += [f"p >= {self.tau_pos!r} is POS"] if self.tau_pos is not None else []
        return f"<OperatingPoint {self.document['id']}, {self.status}: {', '.join(rule) or 'all UNCERTAIN'}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: thresholds, status and every claim with its verdict."""
        document = self.document
        facts = {
            "Status": self.status,
            "Rule": f"skip below {self.tau_neg!r}, alert from {self.tau_pos!r}".replace("None", "no score"),
            "Content SHA-256": document["content_sha256"],
        }
        facts |= {"Data": SYNTHETIC} if self.is_synthetic else {}
        rows = [(one["evaluated_on"], one["text"], one["verdict"]) for one in document["claims"]]
        notes = [f"Instead: {one.text}" for one in self.alternatives]
        title = f"Operating point {document.get('title', document['id'])}"
        return view(title, facts, ("on", "claim", "verdict"), rows, notes)

    def verify(self, *data: Data) -> VerifyResult:
        """Recompute every number from the data the point was chosen and tested on.

        Raises
        ------
        InputError : DOC-005 when rows of the document are not among these data.
        """
        from evalcore.operating_point.document.verifying.verify import verify_document

        return verify_document(self.document, data)


_ORDER = [column.role for column in (*QUERIES.columns, *CANDIDATES.columns)]


def _is_met(document: Mapping[str, Any], constraint: Mapping[str, Any], decisive: str | None) -> bool:
    claims = [
        claim
        for claim in document["claims"]
        if claim["metric"] == constraint["metric"] and decisive in (None, claim["evaluated_on"])
    ]
    if not claims:
        return False
    verdict, role = claims[0]["verdict"], claims[0]["evaluated_on"]
    marked = marked_on(document, role) if constraint["metric"] == SENSITIVITY else []
    if constraint["kind"] == "point":
        return verdict in MET and all(one.screening_sensitivity >= constraint["value"] for one, _ in marked)
    if verdict != claims[0].get("verdict_of_all", verdict):
        return False
    if role != "test" and verdict in MET:
        # The rule took each threshold by its own bound, whatever the verdict on the same rows can be.
        by = "ci" if constraint["metric"] == PRECISION else "ci_if_independent"
        is_reached = _low(document, constraint["metric"], role, by) >= constraint["value"]
        return bool(verdict == "met_with_confidence" or is_reached)
    return bool(verdict == "met_with_confidence")


def _low(document: Mapping[str, Any], metric: str, role: str, by: str) -> float:
    """The lower bound of a metric on some rows, by one of its two intervals."""
    of_metric = (e for e in document["estimates"] if (e["metric"], e["evaluated_on"]) == (metric, role))
    interval = next((entry.get(by) for entry in of_metric), None)
    return float("-inf") if interval is None or interval["low"] is None else float(interval["low"])


def _is_document(path: Path) -> bool:
    """Whether a file holds such a document, edited or not."""
    try:
        OperatingPoint.load(path, strict=False)
    except (InputError, OSError):
        return False
    return True


def _kind(raw: bytes, file: str) -> str | None:
    """What bytes are that are no JSON object, where that can be told."""
    columnar = columnar_format(raw)
    if columnar is not None:
        return _COLUMNAR[columnar]
    foreign = foreign_format(raw, file)
    return foreign[0] if foreign is not None else table_in_words(raw)


_COLUMNAR = {"parquet": "a Parquet file", "feather": "a Feather file", "arrow stream": "an Arrow stream"}
