"""Documentation/Conformance.md: which test stands for which assertion of SDWebImage's own tests.

Made from Documentation/Conformance.tsv (id, assertion, reason why there is no test) and the names of the tests, which
begin with the ids they stand for. Run as a program it writes the page; the rule says where the page is out of date.
"""

import os
import re
import sys

from rules import Finding

LIST = "Documentation/Conformance.tsv"
PAGE = "Documentation/Conformance.md"
NAME = re.compile(r'@Test\(\s*"((?:[A-Z]{2}-C?\d+[a-f]?[ ,]+)+)')
ID = re.compile(r"[A-Z]{2}-C?\d+[a-f]?")

HEAD = """# Conformance

What SDWebImage's own tests assert, and the test here that stands for it. Made by `Scripts/parts/conformance.py`; change
`Conformance.tsv` or the names of the tests, then run it.

"""


def _tests(root):
    tests = {}
    for folder, _, names in sorted(os.walk(os.path.join(root, "Tests"))):
        for name in sorted(names):
            if not name.endswith(".swift"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                for match in NAME.finditer(file.read()):
                    for identifier in ID.findall(match.group(1)):
                        tests.setdefault(identifier, []).append(os.path.relpath(path, root))
    return tests


def _rows(root):
    with open(os.path.join(root, LIST), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                identifier, assertion, reason = (line.rstrip("\n").split("\t") + ["", ""])[:3]
                yield identifier, assertion, reason


def _answer(identifier, reason, tests):
    if identifier in tests:
        return ", ".join(f"`{path}`" for path in dict.fromkeys(tests[identifier]))
    return f"none: {reason}" if reason else "**open**"


def page(root):
    tests = _tests(root)
    rows = list(_rows(root))
    tested = sum(identifier in tests for identifier, _, _ in rows)
    left_out = sum(identifier not in tests and bool(reason) for identifier, _, reason in rows)
    lines = [f"{len(rows)} assertions: {tested} with a test, {left_out} that can have none here, "
             f"{len(rows) - tested - left_out} open.", "", "| id | assertion | test |", "|---|---|---|"]
    for identifier, assertion, reason in rows:
        lines.append(f"| {identifier} | {assertion} | {_answer(identifier, reason, tests)} |")
    return HEAD + "\n".join(lines) + "\n"


def conformance(root):
    if not os.path.exists(os.path.join(root, LIST)):
        return
    written = ""
    if os.path.exists(os.path.join(root, PAGE)):
        with open(os.path.join(root, PAGE), encoding="utf-8") as file:
            written = file.read()
    tests = _tests(root)
    for number, (identifier, _, reason) in enumerate(_rows(root), 2):
        if identifier not in tests and not reason:
            yield Finding(LIST, number, f"{identifier} has neither a test of its name nor a reason why there is none")
    if written != page(root):
        yield Finding(PAGE, 1, "not what the tests and Conformance.tsv say; run Scripts/parts/conformance.py")


if __name__ == "__main__":
    ROOT = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "..")
    with open(os.path.join(ROOT, PAGE), "w", encoding="utf-8") as target:
        target.write(page(ROOT))
