"""Leaves in a manifest only some targets and what they need: trim_package.py PACKAGE.SWIFT TARGET…"""

import re
import sys

TARGET = re.compile(
    r"        \.(?:target|systemLibrary|testTarget|executableTarget)\((?:[^\n]+\),\n|\n(?:.|\n)*?\n        \),\n)"
)


def targets_of(manifest):
    """Name → (text, names of what it needs), in the manifest's order."""
    targets = {}
    for match in TARGET.finditer(manifest[manifest.index("    targets: [") :]):
        text = match.group(0)
        name = re.search(r'name: "([^"]+)"', text).group(1)
        needs = re.search(r"dependencies: \[((?:.|\n)*?)\]", text)
        targets[name] = (text, re.findall(r'"([^"]+)"', needs.group(1)) if needs else [])
    return targets


def trimmed(manifest, wanted):
    targets = targets_of(manifest)
    kept, waiting = set(), list(wanted)
    while waiting:
        name = waiting.pop()
        if name not in targets:
            sys.exit(f"trim_package: no target is called {name}")
        if name not in kept:
            kept.add(name)
            waiting += targets[name][1]
    head = manifest[: manifest.index("    products:")]
    texts = "".join(text for name, (text, _) in targets.items() if name in kept)
    return f"{head}    products: [],\n    targets: [\n{texts}    ]\n)\n"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    path, *wanted = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = trimmed(file.read(), wanted)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
