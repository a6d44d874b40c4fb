"""The Swift in the documents compiles: each block stands, line after line, in a test file that is built with the rest."""

import glob
import os

from rules import Finding

DOCUMENTS = ("README.md", "Sources/WebImage/WebImage.docc/*.md")
COMPILED = "Tests/ConformanceTests/ReadmeCode*.swift"


def readme_code(root):
    compiled = [_code_lines(root, path) for path in _paths(root, COMPILED)]
    for pattern in DOCUMENTS:
        for document in _paths(root, pattern):
            for block in _blocks(root, document):
                yield from _uncompiled(document, block, compiled)


def _paths(root, pattern):
    return sorted(os.path.relpath(path, root) for path in glob.glob(os.path.join(root, pattern)))


def _code(line):
    return "" if line.lstrip().startswith("//") else line.split("  //")[0].strip()


def _code_lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return [code for code in map(_code, file) if code]


def _blocks(root, document):
    """Of each block of Swift the lines of code, with their numbers."""
    block = None
    with open(os.path.join(root, document), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                if block:
                    yield block
                block = [] if line.strip() == "```swift" else None
            elif block is not None and _code(line):
                block.append((number, _code(line)))


def _uncompiled(document, block, compiled):
    """Imports may stand apart from the rest of their block, at the beginning of a file."""
    imports = [(number, code) for number, code in block if code.startswith("import ")]
    rest = [(number, code) for number, code in block if not code.startswith("import ")]
    missing = [number for number, code in imports if not any(code in lines for lines in compiled)]
    texts = [code for _, code in rest]
    longest = max((_common(texts, lines, start) for lines in compiled for start in range(len(lines))), default=0)
    if longest < len(rest):
        missing.append(rest[longest][0])
    for number in missing:
        yield Finding(document, number, f"this Swift is not in {COMPILED}; put its block there so that it compiles")


def _common(texts, lines, start):
    """How many of the texts stand in the lines from there on."""
    count = 0
    while count < len(texts) and start + count < len(lines) and texts[count] == lines[start + count]:
        count += 1
    return count
