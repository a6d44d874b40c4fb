"""Tries every rule of Scripts/check on sources that break it, and on sources that only look as if they did."""

import os
import tempfile

LONG_FUNCTION = "func long() {\n" + "    step()\n" * 59 + "}\n"
LONG_C_FUNCTION = "void cwebimage_long(int a)\n{\n" + "    a = a + 1;\n" * 58 + "}\n"

# (name, files, where the one finding must be, what it must say)
BROKEN = [
    ("import over a fence", {"Sources/Core/A.swift": "import Dispatch\npublic import WebImageCurl\n"},
     "Sources/Core/A.swift:2", "may not import WebImageCurl"),
    ("Foundation in Core", {"Sources/Core/Load/A.swift": "import Foundation\n"},
     "Sources/Core/Load/A.swift:1", "Foundation"),
    ("one symbol of a module", {"Sources/Pixels/A.swift": "@_spi(X) import struct WebImageCore.CacheKey\n"},
     "Sources/Pixels/A.swift:1", "may not import WebImageCore"),
    ("libc outside Platform", {"Sources/Core/Cache/A.swift": "import Glibc\n"},
     "Sources/Core/Cache/A.swift:1", "Glibc"),
    ("a coder that knows another", {"Sources/Coders/PNG/A.swift": "import WebImageJPEG\n"},
     "Sources/Coders/PNG/A.swift:1", "WebImageJPEG"),
    ("C in tests", {"Tests/CoreTests/A.swift": "import CWebImageCurl\n"}, "Tests/CoreTests/A.swift:1", "CWebImageCurl"),
    ("folder without a fence", {"Sources/New/A.swift": "let a = 1\n"}, "Sources/New/A.swift:1", "no import fence"),
    ("file over the wall", {"Sources/Core/A.swift": "let a = 1\n" * 501},
     "Sources/Core/A.swift:501", "file of 501 lines"),
    ("line over the wall", {"Sources/Core/A.swift": "// " + "a" * 118 + "\n"}, "Sources/Core/A.swift:1", "121 columns"),
    ("function over the wall", {"Sources/Core/A.swift": LONG_FUNCTION}, "Sources/Core/A.swift:1", "long has 61 lines"),
    ("getter over the wall", {"Sources/Core/A.swift": LONG_FUNCTION.replace("func long()", "var long: Int")},
     "Sources/Core/A.swift:1", "long has 61 lines"),
    ("C function over the wall", {"Sources/C/GIF/a.c": LONG_C_FUNCTION},
     "Sources/C/GIF/a.c:1", "cwebimage_long has 61"),
    ("condition in the core", {"Sources/Core/Load/A.swift": "#if os(Linux)\n#endif\n"},
     "Sources/Core/Load/A.swift:1", "#if outside"),
    ("note for later", {"Sources/Core/A.swift": "let a = 1  // TO" + "DO: two\n"},
     "Sources/Core/A.swift:1", "file an issue"),
    ("task sleeps", {"Tests/A.swift": "try await Task.sleep(for: .seconds(1))\n"},
     "Tests/A.swift:1", "Task.sleep in a test"),
    ("thread sleeps", {"Tests/A.swift": "\nusleep(10)\n"}, "Tests/A.swift:2", "usleep"),
    ("process sleeps", {"Tests/A.swift": "sleep(1)\n"}, "Tests/A.swift:1", "sleep("),
    ("disabled test", {"Tests/A.swift": "@Test(.disabled(\"no\")) func a() {}\n"}, "Tests/A.swift:1", "skips a test"),
    ("test never enabled", {"Tests/A.swift": "@Test(.enabled(if: false)) func a() {}\n"},
     "Tests/A.swift:1", "skips a test"),
    ("skipped test", {"Tests/A.swift": "throw XCTSkip()\n"}, "Tests/A.swift:1", "skips a test"),
    ("known issue", {"Tests/A.swift": "withKnownIssue { }\n"}, "Tests/A.swift:1", "skips a test"),
    ("unchecked without a word", {"Sources/Core/A.swift": "let a = 1\nfinal class A: @unchecked Sendable {}\n"},
     "Sources/Core/A.swift:2", "@unchecked Sendable without a comment"),
    ("unsafe without a word", {"Sources/Core/A.swift": "nonisolated(unsafe) var a = 1\n"},
     "Sources/Core/A.swift:1", "nonisolated(unsafe) without a comment"),
    ("undocumented case", {"Sources/Core/A.swift": "public enum A: Int {\n    /// One.\n    case one\n    case two\n}\n"},
     "Sources/Core/A.swift:4", "case two of the public enum A has no doc comment"),
    ("undocumented case in a type",
     {"Sources/Core/A.swift": "public struct B {\n    public indirect enum A {\n        // Why.\n        case `one`(A)\n    }\n}\n"},
     "Sources/Core/A.swift:4", "no doc comment"),
    ("README code that is not compiled", {"README.md": "```swift\nlet a = 1\n```\n"}, "README.md:2", "so that it compiles"),
    ("article code that is compiled with another line between",
     {"Sources/WebImage/WebImage.docc/A.md": "```swift\nimport Testing\nlet a = 1\n\n// A word.\nlet b = a\n```\n",
      "Tests/ConformanceTests/ReadmeCodeA.swift": "import Testing\n\nfunc a() {\n    let a = 1\n    let c = a\n    let b = a\n}\n"},
     "Sources/WebImage/WebImage.docc/A.md:6", "so that it compiles"),
    ("drawer folder", {"Sources/Core/Helpers/A.swift": "let a = 1\n"},
     "Sources/Core/Helpers:1", "name it after its job"),
    ("drawer file", {"Sources/Core/Utils.swift": "let a = 1\n"}, "Sources/Core/Utils.swift:1", "name it after its job"),
    ("C function without prefix", {"Sources/C/GIF/a.c": "int cwebimage_a;\nint open_it(int a) { return a; }\n"},
     "Sources/C/GIF/a.c:2", "C function open_it has no prefix"),
    ("inline C function without prefix",
     {"Sources/C/GIF/a.h": "#define A\nstatic inline int open_it(void) { return 1; }\n"},
     "Sources/C/GIF/a.h:2", "C function open_it has no prefix"),
    ("C type without prefix", {"Sources/C/GIF/a.h": "typedef struct { int a; } reader;\n"},
     "Sources/C/GIF/a.h:1", "C type reader has no prefix"),
    ("C struct without prefix", {"Sources/C/GIF/a.h": "struct reader { int a; };\n"},
     "Sources/C/GIF/a.h:1", "C type reader has no prefix"),
    ("C variable without prefix", {"Sources/C/GIF/a.c": "int counter = 0;\n"},
     "Sources/C/GIF/a.c:1", "C variable counter has no prefix"),
    # No two rows of the table allow one C module today, so the second importer climbs a fence as well.
    ("second importer of a C module",
     {"Sources/Coders/GIF/A.swift": "import CWebImageGIF\n", "Sources/WebImage/B.swift": "import CWebImageGIF\n"},
     "Sources/WebImage/B.swift:1", "imported by Sources/Coders/GIF already"),
]

FINE_SWIFT = '''/// Not code: import WebImageCurl, sleep(1), @unchecked Sendable, #if
import Dispatch

/* A comment /* in a comment */ func open() { */
// The lock below protects `value`.
final class A: @unchecked Sendable {
    let text = "func open() { \\(call("}")) #if \\" {"
    let raw = #"a " { \\(b) \\#(c("}")) "#
    let long = """
        func open() {
        sleep(1) " ""
        """
    nonisolated(unsafe) var value = 1  // Guarded by the lock.
    func short() { clock.sleep(until: 1) }
}

public enum Kind: Int {
    /// One or two.
    case one, two
    /// Three.
    @available(*, deprecated)
    case three
    var next: Kind {
        switch self {
        case .one: .two
        default: .three
        }
    }
    enum Inner {
        case hidden
    }
}

enum Own {
    case undocumented
}

protocol P {
    func required() async throws
    nonisolated func another(_ closure: () -> Void = {})
    var property: Int { get }
    init(a: Int)
}

''' + "let a = 1\n" * 60

FINE_C = '''#include <stdio.h>
#define A(x) \\
    do { x; } while (0)
static int counter = 0;
static const char *const names[] = { "a{", "b" };
pid_t gettid(int (*read)(void *));
extern char **environ;
struct cwebimage_reader;
typedef int (*cwebimage_read)(void *context, size_t count);
extern "C" {
__attribute__((noinline)) int cwebimage_open(struct cwebimage_reader *reader) { return '{' + counter; }
}
static void helper(void) { cwebimage_open(0); }
const struct cwebimage_table cwebimage_entries[2] = { { 1 }, { 2 } };
'''

FINE = {
    "Package.swift": "import PackageDescription\n",
    "Sources/Core/A.swift": FINE_SWIFT,
    "Sources/Core/Platform/B.swift": "#if os(Linux)\nimport Glibc\n#endif\nimport CWebImageCrypto\n",
    "Sources/C/GIF/a.c": FINE_C,
    "Tests/CoreTests/A.swift": (
        "@testable import WebImageCore\nimport Foundation\n"
        "import Testing\nawait clock.sleep(for: 1)\n"
    ),
    "README.md": "```swift\nimport Testing\n\nlet a = 1  // One.\n// Then:\nlet b = a\n```\n\n```\nlet c\n```\n",
    "Tests/ConformanceTests/ReadmeCode.swift": "import Testing\n\nfunc a() {\n    let a = 1\n    let b = a\n}\n",
    "Tests/Fixtures/README.md": "x" * 200 + "\n",
}


def findings_of(check, files):
    with tempfile.TemporaryDirectory(prefix="webimage-check.") as root:
        for path, text in files.items():
            whole = os.path.join(root, path)
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            with open(whole, "w", encoding="utf-8") as file:
                file.write(text)
        found, _ = check(root)
        return [f"{finding.path}:{finding.line}: {finding.text}" for finding in found if not finding.is_warning]


def run(check):
    failures = []
    for name, files, place, words in BROKEN:
        found = findings_of(check, files)
        hits = [line for line in found if line.startswith(place + ": ") and words in line]
        others = [line for line in found if line not in hits and "may not import" not in line]
        if len(hits) != 1 or others:
            failures.append(f"{name}: wanted one finding at {place} with '{words}', got {found or 'none'}")
    failures += [f"sound sources: {line}" for line in findings_of(check, FINE)]
    for failure in failures:
        print(f"self-test: {failure}")
    print(f"self-test: {len(BROKEN)} broken trees and a sound one, {len(failures)} failures")
    return 1 if failures else 0
