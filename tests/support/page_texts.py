"""What the pages hand to Streamlit where it is read as Markdown or HTML, found in their source.

A text is safe when it is written in the source, a number in a format, a constant, or went through the
escaping. Whatever else stands there may come from a file, and is named.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

BODY = {
    *("markdown", "caption", "title", "header", "subheader", "info", "warning", "error", "success"),
    *("toast", "write", "badge", "exception"),
}
LABELLED = {
    *("button", "download_button", "form_submit_button", "link_button", "checkbox", "toggle", "radio"),
    *("selectbox", "multiselect", "slider", "select_slider", "number_input", "text_input", "text_area"),
    *("date_input", "time_input", "file_uploader", "segmented_control", "pills", "expander", "popover"),
    *("metric", "status", "spinner", "dialog", "tabs"),
    *("segmented", "whole_number", "choice", "csv_button"),
}
"""Of Streamlit, and in the last line ours, which hand their labels on."""
FIRST = BODY | LABELLED
SECOND = {"progress", "segmented_control", "pills", "radio", "select_slider"}
THIRD = {"segmented"}
"""Their second or third argument is read as Markdown, too: the text of a progress bar, or options."""
OPTIONS = SECOND - {"progress"} | THIRD
KEYWORDS = {"label", "body", "text", "title", "help", "delta", "unsafe_allow_html"}
NAMED = {"page_link"}
READ = FIRST | SECOND | THIRD | NAMED
NEVER = {"latex", "image", "iframe", "audio", "video", "MarkdownColumn", "LinkColumn", "ImageColumn"}
"""They show Markdown or fetch what a cell names: no page has a use for them. Nor for `st.table`."""
AS_MARKDOWN, AS_HTML = {"as_markdown"}, {"as_html", "with_code", "problems_html", "term"}
COUNTED = {
    *("len", "counted", "percent", "percent_of", "percent_at_least", "percent_at_most", "k_name"),
    *("label_at", "bare"),
}
"""Their text is made of numbers and words of ours."""
PASSING = {"list", "tuple", "str", "sorted", "reversed", "iter", "next", "capitalised", "unbroken"}
METHODS = {"join", "capitalize", "removesuffix", "removeprefix", "values", "items", "keys", "fromkeys"}
"""They give what is in their arguments, or in what they are called on."""
NUMBER = re.compile(r"\+?(,(\.\d+)?[dfg%]?|(\.\d+)?[dfg%])")
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
TAG = re.compile(r"<[a-z/]")
Given = list[ast.expr | None]


@dataclass(frozen=True, order=True)
class Text:
    """What may come from a file: where it is handed over, to which element, and how the source makes it."""

    file: str
    line: int
    element: str
    source: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.element} is given {self.source}"


class Source:
    """A module of pages.

    Parameters
    ----------
    text
        Its source.
    file
        Its name, for messages.
    """

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.tree = ast.parse(text)
        nodes = list(ast.walk(self.tree))
        self.functions = {one.name: one for one in nodes if isinstance(one, ast.FunctionDef)}
        self.escaping = AS_MARKDOWN
        self.called = {id(one.func) for one in nodes if isinstance(one, ast.Call)}

    def unsafe(self) -> list[Text]:
        """Every text handed over that is not safe."""
        found = set()
        for scope in (self.tree, *self.functions.values()):
            known = _given_in(scope)
            for node in _own(scope):
                for element, text in self._read(node):
                    self.escaping = AS_HTML if element in ("HTML", "html") else AS_MARKDOWN
                    for part in self._parts(text, known, ()):
                        found.add(Text(self.file, part.lineno, element, ast.unparse(part)))
        return sorted(found)

    def _read(self, node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
        """What of a node is read as Markdown or HTML, with the name of the element that reads it."""
        match node:
            case ast.JoinedStr(values=values) if any(TAG.search(_constant(part)) for part in values):
                yield "HTML", node
            case ast.Attribute(value=ast.Name(id="st"), attr=attr) if id(node) not in self.called:
                if attr in READ:
                    yield f"a name of st.{attr}", node
            case ast.Call(func=ast.Attribute(value=ast.Name(id="st"), attr="table")):
                yield "st.table", node.func
            case ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr)) if attr in NEVER:
                yield attr, node.func
            case ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr)) if attr == "html":
                yield from ((attr, one) for one in node.args)
            case ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr)) if attr.endswith("Column"):
                yield from ((attr, one.value) for one in node.keywords if one.arg == "help")
            case ast.Call(func=ast.Attribute(attr=attr) | ast.Name(id=attr)) if attr in READ:
                yield from ((attr, one) for one in _arguments(attr, node))

    def _parts(self, node: ast.expr, known: dict[str, Given], seen: tuple[str, ...]) -> list[ast.expr]:
        """The parts of an expression that are not safe."""

        def of(*parts: ast.expr, also: dict[str, Given] | None = None) -> list[ast.expr]:
            return [one for part in parts for one in self._parts(part, known | (also or {}), seen)]

        match node:
            case ast.Constant():
                return []
            case ast.JoinedStr(values=several) | ast.BoolOp(values=several):
                return of(*several)
            case ast.List(elts=several) | ast.Tuple(elts=several) | ast.Dict(values=several):
                return of(*several)
            case ast.FormattedValue(format_spec=ast.JoinedStr(values=[ast.Constant(value=spec)])) if (
                NUMBER.fullmatch(str(spec))
            ):
                return []
            case ast.FormattedValue(value=value) | ast.Starred(value=value):
                return of(value)
            case ast.IfExp(body=first, orelse=second) | ast.BinOp(left=first, right=second):
                return of(first, second)
            case ast.Lambda(args=arguments, body=body):
                return of(body, also={one.arg: [None] for one in arguments.args})
            case ast.ListComp(elt=made, generators=loops) | ast.GeneratorExp(elt=made, generators=loops):
                pairs = (pair for loop in loops for pair in _looped(loop.target, loop.iter))
                return of(made, also={name: [value] for name, value in pairs})
            case ast.Name(id=name) if CONSTANT.fullmatch(name) or name in self.escaping:
                return []
            case ast.Name(id=name) if name in known and name not in seen and None not in known[name]:
                values = [one for one in known[name] if one is not None]
                return [part for one in values for part in self._parts(one, known, (*seen, name))]
            case ast.Attribute(attr=name) if CONSTANT.fullmatch(name):
                return []
            case ast.Attribute(value=ast.Name() as value, attr="__getitem__") | ast.Subscript(value=value):
                return [] if isinstance(value, ast.Dict) or CONSTANT.fullmatch(_name(value)) else [node]
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=several) if name in METHODS:
                return of(*several) if _name(value) == "dict" else of(value, *several)
            case ast.Call(func=called) if _name(called) in self.escaping | COUNTED:
                return []
            case ast.Call(func=ast.Name(id=name), args=several) if name in PASSING:
                return of(*several)
            case ast.Call(func=ast.Attribute(ast.Name("widgets"), "unbroken"), args=several):
                return of(*several)
            case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id=name), *_]) if name in self.functions:
                return self._returned(name, seen) or []
            case ast.Call(func=ast.Name(id=name)) if name in self.functions and name not in seen:
                return [node] if self._returned(name, seen) else []
            case _:
                return [node]

    def _returned(self, name: str, seen: tuple[str, ...]) -> list[ast.expr]:
        """What a function of this module returns that is not safe."""
        function = self.functions[name]
        values = [one.value for one in _own(function) if isinstance(one, ast.Return) and one.value]
        known = _given_in(function)
        return [part for one in values for part in self._parts(one, known, (*seen, name))]


def _arguments(name: str, call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of an element that it reads as Markdown; all that are not named one by one."""
    given = {one.arg: one.value for one in call.keywords}
    yield from (value for name, value in given.items() if name in KEYWORDS or name is None)
    if name in NAMED:
        return
    if name in FIRST:
        yield from call.args[:1]
    at = 1 if name in SECOND else 2
    if name in OPTIONS and "format_func" in given:
        yield given["format_func"]
    elif name in SECOND | THIRD:
        yield from call.args[at : at + 1]
        yield from (given[one] for one in ("options",) if one in given)


def _given_in(scope: ast.AST) -> dict[str, Given]:
    """Name → everything that it is given in a scope; None for a parameter, of which nothing is known."""
    found: dict[str, Given] = {}
    if isinstance(scope, ast.FunctionDef):
        taken = scope.args
        every = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
        found = {one.arg: [None] for one in every if one is not None}
    for node in _own(scope):
        match node:
            case ast.Assign(targets=targets, value=value):
                pairs = [pair for target in targets for pair in _assigned(target, value)]
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
            ):
                pairs = list(_assigned(target, value))
            case ast.For(target=target, iter=value):
                pairs = list(_looped(target, value))
            case ast.ListComp(generators=loops) | ast.GeneratorExp(generators=loops):
                pairs = [pair for loop in loops for pair in _looped(loop.target, loop.iter)]
            case _:
                continue
        for name, value in pairs:
            found.setdefault(name, []).append(value)
    return found


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names of a target, each with its part of the value where that can be told, else with the whole."""
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ast.Tuple(elts=names), ast.Tuple(elts=parts) if len(names) == len(parts):
            for one, part in zip(names, parts, strict=True):
                yield from _assigned(one, part)
        case ast.Tuple(elts=names), _:
            for one in names:
                yield from _assigned(one, value)


def _looped(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names of a loop, each with what it goes over."""
    match target, value:
        case ast.Tuple(elts=names), ast.Call(func=ast.Name(id="zip"), args=parts):
            for one, part in zip(names, parts, strict=True):
                yield from _looped(one, part)
        case ast.Tuple(elts=[_, rest]), ast.Call(func=ast.Name(id="enumerate"), args=[part, *_]):
            yield from _looped(rest, part)
        case ast.Tuple(), ast.Tuple(elts=lines) | ast.List(elts=lines):
            for line in lines:
                yield from _assigned(target, line)
        case _:
            yield from _assigned(target, value)


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions within it."""
    for node in ast.iter_child_nodes(scope):
        if not isinstance(node, ast.FunctionDef):
            yield node
            yield from _own(node)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _constant(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""
