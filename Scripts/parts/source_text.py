"""Source text split into what is code and what is not. Enough of Swift's and C's lexical rules to count and search."""

import bisect
import os
import re

_RAW_OPEN = re.compile(r'(#*)("""|")')
_PLAIN = re.compile(r"""[^/"'#]+""")


class Source:
    """One file. `code` is the text with comments and literals blanked, `comments` its opposite; lines stay in place."""

    def __init__(self, root, path):
        self.path = path
        self.folder = os.path.dirname(path)
        self.is_swift = path.endswith(".swift")
        self.is_header = path.endswith(".h")
        with open(os.path.join(root, path), encoding="utf-8") as file:
            self.text = file.read()
        self.code, self.comments = _split(self.text, self.is_swift)
        self.lines = self.text.splitlines()
        self.code_lines = self.code.split("\n")
        self.comment_lines = self.comments.split("\n")
        self._starts = [0] + [match.end() for match in re.finditer("\n", self.text)]

    def line_at(self, offset):
        """The line, from 1, of a character."""
        return bisect.bisect_right(self._starts, offset)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def _split(text, is_swift):
    code, comments = [], []
    position = 0
    while position < len(text):
        plain = _PLAIN.match(text, position)
        kind, end = ("code", plain.end()) if plain else _token(text, position, is_swift)
        part = text[position:end]
        code.append(part if kind == "code" else _blank(part))
        comments.append(part if kind == "comment" else _blank(part))
        position = end
    return "".join(code), "".join(comments)


def _token(text, position, is_swift):
    """The kind and the end of what starts at `position`: a comment, a literal or one character of code."""
    if text.startswith("//", position):
        end = text.find("\n", position)
        return "comment", len(text) if end < 0 else end
    if text.startswith("/*", position):
        return "comment", _end_of_block_comment(text, position, nests=is_swift)
    if is_swift:
        opening = _RAW_OPEN.match(text, position)
        if opening:
            return "literal", _end_of_swift_string(text, opening)
    elif text[position] in "\"'":
        return "literal", _end_of_c_literal(text, position)
    return "code", position + 1


def _end_of_block_comment(text, position, nests):
    depth = 0
    for mark in re.compile(r"/\*|\*/").finditer(text, position):
        if mark.group() == "/*":
            depth = depth + 1 if nests else 1
        else:
            depth -= 1
            if depth <= 0:
                return mark.end()
    return len(text)


def _end_of_c_literal(text, position):
    match = re.compile(r"(['\"])(\\.|(?!\1)[^\\\n])*\1?", re.S).match(text, position)
    return match.end()


def _end_of_swift_string(text, opening):
    """Past the closing quotes; what stands in `\\( )` belongs to the string."""
    hashes, quotes = opening.groups()
    escape, closing = "\\" + hashes, quotes + hashes
    position = opening.end()
    while position < len(text):
        if text.startswith(closing, position):
            return position + len(closing)
        if text.startswith(escape + "(", position):
            position = _end_of_interpolation(text, position + len(escape))
        elif text.startswith(escape, position):
            position += len(escape) + 1
        elif text[position] == "\n" and quotes == '"':
            return position
        else:
            position += 1
    return position


def _end_of_interpolation(text, position):
    depth = 0
    while position < len(text):
        kind, end = _token(text, position, True)
        if kind == "code":
            depth += {"(": 1, ")": -1}.get(text[position], 0)
            if depth == 0:
                return end
        position = end
    return position
