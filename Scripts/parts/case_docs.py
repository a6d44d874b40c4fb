"""Public enum cases say what they mean, which `swift format` does not ask for."""

import re

from fences import is_inside
from rules import Finding

_ENUM = re.compile(r"\b(?:public|open)\s+(?:indirect\s+)?enum\s+(\w+)[^{]*\{")
_CASE = re.compile(r"[ \t]*(?:indirect[ \t]+)?case\b[ \t]*(`?\w+)")


def case_documentation(source):
    if not source.is_swift or not is_inside(source.path, "Sources"):
        return
    for enum in _ENUM.finditer(source.code):
        for line in _own_lines(source, enum.end()):
            case = _CASE.match(source.code_lines[line])
            if case and not _is_documented(source, line):
                what = f"case {case.group(1)} of the public enum {enum.group(1)} has no doc comment; say what it means"
                yield Finding(source.path, line + 1, what)


def _own_lines(source, start):
    """The lines, from 0, that begin directly inside the braces that were opened just before `start`."""
    depth = 1
    for position in range(start, len(source.code)):
        character = source.code[position]
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return
        if character == "\n" and depth == 1:
            yield source.line_at(position + 1) - 1


def _is_documented(source, line):
    above = line - 1
    while re.match(r"\s*@[\w()., *:\"]+$", source.code_lines[above]):
        above -= 1
    return source.comment_lines[above].strip().startswith("///")
