# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of results: tables as Markdown, and where the figures come from."""

import os
import re
import subprocess
import sys
from pathlib import Path

from testing import places


def say(text):
    """A line of progress."""
    print(text, file=sys.stderr, flush=True)


def count(number):
    return "-" if number is None else f"{number:,}"


def ratio(a, b):
    return f"{a / b:.4f}" if b else ("1.0000" if not a else "-")


def percent(share):
    return f"{100 * share:.1f} %"


def table(head, rows):
    """Columns whose name begins with '<' are text, the others numbers."""
    lines = ["| " + " | ".join(h.lstrip("<") for h in head) + " |",
             "|" + "|".join("---" if h.startswith("<") else "---:" for h in head) + "|"]  # fmt: skip
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def output_of(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=places.ROOT)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def commit():
    """What was measured; tables that were written on the way are no changes."""
    name = output_of("git", "rev-parse", "--short", "HEAD")
    changed = name and output_of("git", "status", "--porcelain", "--", ".", ":!bench/*.md")
    return (name or "not committed") + (", with changes" if changed else "")


def cpu():
    try:
        found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return found[1] if found else "an unknown processor"


def machine():
    """The lines under a page's title."""
    return (f"- commit: {commit()}\n- machine: {cpu()}, {os.cpu_count()} cores, {os.uname().sysname} "
            f"{os.uname().machine}")  # fmt: skip


def write(output, text):
    """To a file; None: to standard output."""
    (output.write_text if output else sys.stdout.write)(text.rstrip() + "\n")
