"""The rules that `swift format` does not know. Run by Scripts/check; see rules.py for the rules themselves."""

import os
import sys

from case_docs import case_documentation
from conformance import conformance
from readme import readme_code
from rules import all_findings
from source_text import Source

FOLDERS = ("Sources", "Tests")
SINGLE_FILES = ("Package.swift",)
LANGUAGES = (".swift", ".c", ".h")


def paths_below(root):
    for name in SINGLE_FILES:
        if os.path.exists(os.path.join(root, name)):
            yield name
    for top in FOLDERS:
        for folder, children, names in os.walk(os.path.join(root, top)):
            children[:] = sorted(child for child in children if child != "__pycache__")
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), root)


def check(root, verbose=False):
    """Every finding in the tree at `root`, by path and line."""
    paths = list(paths_below(root))
    sources = [Source(root, path) for path in paths if path.endswith(LANGUAGES)]
    documentation = [finding for source in sources for finding in case_documentation(source)]
    everything = [*all_findings(sources, paths, verbose), *documentation, *readme_code(root), *conformance(root)]
    return sorted(everything), len(sources)


def main(arguments):
    if arguments == ["--self-test"]:
        from self_test import run
        return run(check)
    if arguments not in ([], ["--verbose"]):
        sys.exit("usage: check [--verbose | --self-test]")
    findings, count = check(os.getcwd(), verbose=bool(arguments))
    for finding in findings:
        kind = "warning: " if finding.is_warning else ""
        print(f"{finding.path}:{finding.line}: {kind}{finding.text}")
    errors = sum(not finding.is_warning for finding in findings)
    print(f"rules: {count} files, {errors} violations, {len(findings) - errors} warnings")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
