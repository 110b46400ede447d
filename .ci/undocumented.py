#!/usr/bin/env python3
"""Names every `package` declaration without a doc comment; the linter sees only `public` ones.

Conformance witnesses that say nothing of their own (`encode(to:)`, `init(from:)`, `description`,
`hash(into:)`, `==`, `rawValue`, literals) are documented where their protocol is.
"""

from __future__ import annotations

import pathlib
import re
import sys

DECLARATION = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*package\s+(?!import|extension)(?:nonisolated\s+|static\s+|private\(set\)\s+"
    r"|fileprivate\(set\)\s+|final\s+|mutating\s+|convenience\s+|indirect\s+|lazy\s+|var\b|let\b|func\b|init\b"
    r"|struct\b|class\b|enum\b|actor\b|protocol\b|typealias\b|subscript\b|case\b)"
)
WITNESS = re.compile(
    r"func encode\(to|init\(from decoder|var description\b|var customMirror|func hash\(into|static func ==|func <"
    r"|static func <|var rawValue|let rawValue|init\(rawValue|LiteralType|Literal\b.*\{|Literal value|Literal elements"
    r"|func makeIterator|typealias"
)


def undocumented(path: pathlib.Path) -> list[str]:
    """The places in one file, as `path:line: declaration`."""
    lines = path.read_text().splitlines()
    found = []
    for index, line in enumerate(lines):
        if not DECLARATION.match(line) or WITNESS.search(line):
            continue
        above = index - 1
        while above >= 0 and lines[above].strip().startswith("@"):
            above -= 1
        if above < 0 or not lines[above].strip().startswith("///"):
            found.append(f"{path}:{index + 1}: {line.strip()}")
    return found


def main() -> int:
    """Prints what is missing; the exit code says whether anything is."""
    files = sorted(pathlib.Path("Sources").rglob("*.swift"))
    found = [place for path in files for place in undocumented(path)]
    for place in found:
        print(place)
    print(f"{len(files)} files, {len(found)} package declarations without a doc comment")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
