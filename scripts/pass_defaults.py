#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says in a pass reference what each option is if it is not given.

    llvm-tblgen --dump-json ... Passes.td | pass_defaults.py PASSES.md
"""

import json
import re
import sys
from pathlib import Path

OPTION = re.compile(r"^-([a-z-]+) *:")
VALUE = re.compile(r'^#define (STOW_\w+) (?:UINT64_C\()?"?([0-9.]+|\w+(?="))', re.MULTILINE)
HEADERS = Path(__file__).parent.parent / "include" / "stowage"


def values():
    """What the public headers say of defaults, by name."""
    return {name: value for header in HEADERS.glob("*.h") for name, value in VALUE.findall(header.read_text())}


def defaults(records):
    """By pass and option, as one types them. A list has none, and a flag is off."""
    found = {}
    named = values()
    for record in records.values():
        if isinstance(record, dict) and "Pass" in record.get("!superclasses", []):
            for option in (records[o["def"]] for o in record["options"]):
                value = option.get("defaultValue") or ""
                if value != "false":
                    found[record["argument"], option["argument"]] = named.get(value, value.strip('"'))
    return found


def main(page):
    known = defaults(json.load(sys.stdin))
    current = None
    for line in open(page):
        line = line.rstrip("\n")
        heading = re.match(r"### `-(.*)`", line)
        current = heading[1] if heading else current
        option = OPTION.match(line)
        value = known.get((current, option[1])) if option else None
        print(f"{line} (default: {value})" if value else line)


if __name__ == "__main__":
    main(sys.argv[1])
