#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of reasons on a page is that of the code: every reason that a user sees is in it, in
the code's words, and no other.

    reasons.py REASON.h... PAGE.md
"""

import pathlib
import re
import sys

SEEN_BY_NOBODY = {"planned", "not-asked"}
REASON = re.compile(r'X\(STOW_\w+, *"([^"]*)", *"([^"]*)",')
ROW = re.compile(r"^\| `([\w-]+)` \| (.*) \|$", re.M)


def main(*headers, page):
    reasons = re.sub(r"\s*\\\n\s*", " ", "".join(pathlib.Path(header).read_text() for header in headers))
    table = pathlib.Path(page).read_text().split("| code | meaning |\n", 1)[1].split("\n\n", 1)[0]
    wanted = {code: clause.replace("%s", "OP") for code, clause in REASON.findall(reasons)
              if code not in SEEN_BY_NOBODY}
    found = dict(ROW.findall(table))
    wrong = [code for code in sorted(wanted.keys() | found.keys())
             if wanted.get(code) != found.get(code)]
    for code in wrong:
        print(f"{page}: {code}: the code says {wanted.get(code)!r}, the table {found.get(code)!r}")
    print(f"{len(wanted)} reasons, {len(wrong)} faults")
    return 1 if wrong or not wanted else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:-1], page=sys.argv[-1]))
