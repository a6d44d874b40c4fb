"""The rules of Scripts/check. Each takes sources and yields findings."""

import os
import re
from typing import NamedTuple

from fences import ALLOWED, CONDITIONAL_FOLDERS, TARGET_OF_FOLDER, fence_of, is_inside
from functions import c_declarations, functions

FILE_RULE, FILE_WALL = 300, 500
FUNCTION_RULE, FUNCTION_WALL = 20, 60
LINE_WALL = 120
DRAWERS = {"utils", "util", "helpers", "helper", "misc", "extensions", "general", "internal", "common"}
C_PREFIX = "cwebimage_"

_IMPORT = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+)", re.M
)
_LATER = re.compile(r"\b(TODO|FIXME|XXX)\b")
_SLEEP = re.compile(
    r"\b(?:Task|Thread|ContinuousClock\(\)|SuspendingClock\(\))\.sleep\b|\b(?:usleep|nanosleep)\s*\("
    r"|(?<![.\w])sleep\s*\("
)
_SKIP = re.compile(r"\.disabled\s*\(|\.enabled\s*\(\s*if:\s*false|\bXCTSkip\w*|\bwithKnownIssue\b")
_PROMISE = re.compile(r"@unchecked\s+Sendable|\bnonisolated\s*\(\s*unsafe\s*\)")
_CONDITION = re.compile(r"^[ \t]*#(?:if|elseif)\b", re.M)


class Finding(NamedTuple):
    path: str
    line: int
    text: str
    is_warning: bool = False


def _matches(source, pattern, text, message):
    for match in pattern.finditer(text):
        found = " ".join(match.group().split())
        yield Finding(source.path, source.line_at(match.start()), message.format(found))


def imports(source):
    return [(match.group(1), source.line_at(match.start(1))) for match in _IMPORT.finditer(source.code)]


def import_fences(source):
    if not source.is_swift or source.path == "Package.swift":
        return
    fence = fence_of(source.path)
    if fence is None:
        yield Finding(source.path, 1, "no import fence covers this folder; add a row to Scripts/parts/fences.py")
        return
    for module, line in imports(source):
        if module not in ALLOWED[fence]:
            allowed = ", ".join(sorted(ALLOWED[fence]))
            yield Finding(source.path, line, f"{fence} may not import {module}; it may import {allowed}")


def one_importer_of_each_c_module(sources):
    owner = {}
    for source in sources:
        fence = fence_of(source.path) if source.is_swift else None
        target = TARGET_OF_FOLDER.get(fence, fence)
        for module, line in imports(source) if target else []:
            if not module.startswith("CWebImage"):
                continue
            first = owner.setdefault(module, target)
            if first != target:
                what = f"{module} is imported by {first} already; reach the library through that target"
                yield Finding(source.path, line, what)


def sizes(source):
    count = len(source.lines)
    if count > FILE_WALL:
        yield Finding(source.path, FILE_WALL + 1, f"file of {count} lines, the wall is {FILE_WALL}; split it by aspect")
    elif count > FILE_RULE:
        yield Finding(source.path, FILE_RULE + 1, f"file of {count} lines, the rule is {FILE_RULE}", is_warning=True)
    for number, line in enumerate(source.lines, 1):
        if len(line) > LINE_WALL:
            yield Finding(source.path, number, f"line of {len(line)} columns, the wall is {LINE_WALL}; break it")


def function_sizes(source, verbose):
    if source.path == "Package.swift":
        return
    for name, first, last in functions(source):
        count = last - first + 1
        if count > FUNCTION_WALL:
            what = f"{name} has {count} lines, the wall is {FUNCTION_WALL}; give its steps names of their own"
            yield Finding(source.path, first, what)
        elif verbose and count > FUNCTION_RULE:
            yield Finding(source.path, first, f"{name} has {count} lines, the rule is {FUNCTION_RULE}", is_warning=True)


def conditions(source):
    if source.is_swift and not any(is_inside(source.path, folder) for folder in CONDITIONAL_FOLDERS):
        message = "{} outside " + ", ".join(CONDITIONAL_FOLDERS) + "; move the difference there behind one interface"
        yield from _matches(source, _CONDITION, source.code, message)


def habits(source):
    yield from _matches(source, _LATER, source.text, "{}; do it now or file an issue")
    if is_inside(source.path, "Tests"):
        yield from _matches(source, _SLEEP, source.code, "{} in a test; use the manual clock or a gate")
        yield from _matches(source, _SKIP, source.code, "{} skips a test; repair it or delete it")


def promises(source):
    """What the compiler cannot check must say what protects it: on its line, or above its declaration."""
    for match in _PROMISE.finditer(source.code):
        line = source.line_at(match.start())
        above = line - 2
        while above >= 0 and re.match(r"\s*@[\w()]+\s*$", source.code_lines[above]):
            above -= 1
        if source.comment_lines[line - 1].strip() or (above >= 0 and source.comment_lines[above].strip()):
            continue
        what = f"{' '.join(match.group().split())} without a comment; say on the line before what protects it"
        yield Finding(source.path, line, what)


def c_prefixes(source):
    """What a shim defines for other files carries our prefix; a library's own names may be declared again."""
    if source.is_swift:
        return
    for kind, name, is_static, first, last in c_declarations(source):
        if (kind == "function" and source.code[last] != "}") or source.code.startswith("extern ", first):
            continue
        if (is_static and not source.is_header) or name.startswith(C_PREFIX) or name == "main":
            continue
        what = f"C {kind} {name} has no prefix; call it {C_PREFIX}{name}, or make it static in a .c file"
        yield Finding(source.path, source.line_at(first), what)


def drawers(paths):
    """Folders and files named for nothing in particular."""
    seen = set()
    for path in paths:
        parts = path.split("/")
        for depth, part in enumerate(parts):
            name = "/".join(parts[:depth + 1])
            if os.path.splitext(part)[0].lower() in DRAWERS and name not in seen:
                seen.add(name)
                yield Finding(name, 1, f"{part} says nothing of what is in it; name it after its job")


def all_findings(sources, paths, verbose=False):
    for source in sources:
        yield from import_fences(source)
        yield from sizes(source)
        yield from function_sizes(source, verbose)
        yield from conditions(source)
        yield from habits(source)
        yield from promises(source)
        yield from c_prefixes(source)
    yield from one_importer_of_each_c_module(sources)
    yield from drawers(paths)
