"""Finds functions and C declarations by their brackets. A heuristic: it knows no types and expands no macros."""

import re

_SWIFT_START = re.compile(
    r"(?<![.\w`])(?:func\s+(?P<func>`[^`]+`|[^\s(<]+)|(?P<init>init)\s*[?!]?\s*[(<]|(?P<deinit>deinit)\b"
    r"|(?P<subscript>subscript)\s*[(<]|var\s+(?P<var>\w+)\s*:)"
)
_BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}
_GOES_ON = re.compile(r"[{)\]>,&:]|->|(?:where|throws|rethrows|async)\b")
_UNFINISHED = re.compile(r"(?:[,:&(]|->|\bwhere)\s*$")
_DIRECTIVE = re.compile(r"^[ \t]*#(?:.*\\\n)*.*$", re.M)
_C_NAME = re.compile(r"(?!__attribute__|__declspec|_Alignas|_Static_assert)\b([A-Za-z_]\w*)\s*\(")


def functions(source):
    """(name, first line, last line) of every function with a body, computed properties among them."""
    return _swift_functions(source) if source.is_swift else _c_functions(source)


def _swift_functions(source):
    code = source.code
    for start in _SWIFT_START.finditer(code):
        name = next(value for value in start.groups() if value)
        opening = _swift_body(code, start.start(), one_line=start.group("var") is not None)
        if opening is not None:
            closing = matching_brace(code, opening)
            yield name, source.line_at(start.start()), source.line_at(closing)


def _swift_body(code, position, one_line):
    """Where the body's brace opens; None for a requirement or a stored property."""
    depth = 0
    at_line_start = False
    while position < len(code):
        character = code[position]
        depth += _BRACKETS.get(character, 0)
        if depth < 0:
            return None
        if depth == 0:
            if character == "{":
                return position
            if character == "\n":
                at_line_start = True
                if one_line:
                    return None
            elif at_line_start and not character.isspace():
                at_line_start = False
                before = code[max(0, position - 200):position]
                if not _GOES_ON.match(code, position) and not _UNFINISHED.search(before):
                    return None
            elif character == "=" and one_line:
                return None
        position += 1
    return None


def matching_brace(code, opening):
    depth = 0
    for mark in re.compile(r"[{}]").finditer(code, opening):
        depth += 1 if mark.group() == "{" else -1
        if depth == 0:
            return mark.start()
    return len(code) - 1


def _c_functions(source):
    for kind, name, _, first, last in c_declarations(source):
        if kind == "function" and last > first:
            yield name, source.line_at(first), source.line_at(last)


def c_declarations(source):
    """(kind, name, is static, first offset, last offset); kind is function, type or variable."""
    code = _DIRECTIVE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source.code)
    # The braces of `extern "C" { }`, whose string is already blank, are not a body.
    code = re.sub(r"\bextern\s+\{", lambda match: " " * len(match.group()), code)
    position = 0
    while position < len(code):
        start = re.compile(r"[^\s;}]").search(code, position)
        if not start:
            return
        end = re.compile(r"[;{]").search(code, start.start())
        if not end:
            return
        last = end.start()
        head = code[start.start():last]
        if code[last] == "{":
            last = matching_brace(code, last)
            if not _is_function(head):
                tail = code.find(";", last)
                declared = code[last + 1:tail]
                yield from _c_names(head + " " + declared, start.start(), tail, has_body=True)
                position = tail + 1
                continue
        yield from _c_names(head, start.start(), last, has_body=code[end.start()] == "{")
        position = last + 1


def _is_function(head):
    return "(" in head and "=" not in head and not head.startswith("typedef")


def _c_names(head, first, last, has_body):
    is_static = bool(re.search(r"\bstatic\b", head))
    if head.startswith("typedef"):
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)", head)
        name = pointer.group(1) if pointer else re.findall(r"\w+", head)[-1]
        yield "type", name, False, first, last
    elif _is_function(head):
        name = _C_NAME.search(head)
        if name:
            yield "function", name.group(1), is_static, first, last
    else:
        tag = re.match(r"(?:static\s+|const\s+|extern\s+)*(?:struct|enum|union)\s+(\w+)", head)
        if tag and has_body:
            yield "type", tag.group(1), False, first, last
        elif not tag or "=" in head:
            name = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|$)", head.strip())
            if name and " " in head.strip():
                yield "variable", name.group(1), is_static, first, last
