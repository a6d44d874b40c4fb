"""The Swift in the documents compiles: each of its lines stands in a test file that is built with the rest."""

import os

from rules import Finding

DOCUMENTS = ("README.md", "Sources/WebImage/WebImage.docc/Downloading.md")
COMPILED = "Tests/ConformanceTests/ReadmeCode.swift"


def _code(line):
    return line.split("  //")[0].strip()


def readme_code(root):
    compiled = set()
    if os.path.exists(os.path.join(root, COMPILED)):
        with open(os.path.join(root, COMPILED), encoding="utf-8") as file:
            compiled = {_code(line) for line in file}
    for document in DOCUMENTS:
        if os.path.exists(os.path.join(root, document)):
            yield from _uncompiled(root, document, compiled)


def _uncompiled(root, document, compiled):
    in_swift = False
    with open(os.path.join(root, document), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                in_swift = line.strip() == "```swift"
            elif in_swift and _code(line) and not line.lstrip().startswith("//") and _code(line) not in compiled:
                yield Finding(document, number, f"this Swift is not in {COMPILED}; put it there so that it compiles")
