#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of a page are what the tools print.

    pages.py PAGE.md [--wrap FILE]

A comment above a fenced block says what the block is:

    <!-- file NAME -->        a file, for the commands below. Further lines of the comment are
                              what stands around the block, in the place of "%%"
    <!-- prints COMMAND -->   what COMMAND prints, from the beginning of some line on. Spaces, ends
                              of lines, and how values are called are of no account
    <!-- run -->              commands, which must succeed
    <!-- shown -->            not run

and every block of MLIR must have one. For a page that is generated, the comments stand in a file:
"# HEADING", and below it the comments for the blocks there, one after the other.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?:<!-- (file|prints|run|shown)\b *([^\n]*?)(?:\n(.*?)\n)? *-->\n+)?"
                   r"^```(\w*)\n(.*?)^```$", re.M | re.S)
COMMENT = re.compile(r"<!-- (file|prints|run|shown)\b *([^\n]*?)(?:\n(.*?)\n)? *-->", re.S)
VALUE = re.compile(r"(%[A-Za-z0-9_$.-]+|\^bb[0-9]+)")


def plain(text):
    return " ".join(text.split())


def named_by_place(text):
    """The text with each value called by where it comes up first."""
    names = {}
    return VALUE.sub(lambda m: names.setdefault(m[0], f"%{len(names)}"), text)


def is_part(wanted, printed):
    wanted, lines = named_by_place(plain(wanted)), printed.splitlines()
    begins = (named_by_place(plain("\n".join(lines[i:]))) for i in range(len(lines)))
    return any(f"{text} ".startswith(f"{wanted} ") for text in begins)


def run(command, folder):
    done = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120)
    return done


def blocks_of(page, wraps):
    """(what it is, its name or command, what is around it, language, text) of each block."""
    if wraps is None:
        return [m.groups() for m in BLOCK.finditer(page)]
    found = []
    for part in re.split(r"^# ", wraps, flags=re.M)[1:]:
        heading, comments = part.split("\n", 1)
        section = re.search(rf"^### `-{heading}`$.*?(?=^### |\Z)", page, re.M | re.S)
        comments = [m.groups() for m in COMMENT.finditer(comments)]
        blocks = [m.groups()[3:] for m in BLOCK.finditer(section[0]) if m[4]]
        if len(blocks) != len(comments):
            sys.exit(f"{heading}: {len(blocks)} blocks of the page, {len(comments)} comments")
        found += [c + b for c, b in zip(comments, blocks)]
    left = page.count("```mlir") - sum(language == "mlir" for *_, language, _ in found)
    return found if not left else sys.exit(f"{left} blocks of MLIR have no comment")


def check(block, folder):
    kind, argument, around, language, text = block
    if kind == "file":
        (folder / argument).write_text(around.replace("%%", text) if around else text)
    elif kind == "prints":
        printed = run(argument, folder).stdout.decode()
        if not is_part(text, printed):
            return f"{argument}\ndoes not print\n{text}but\n{printed}"
    elif kind == "run":
        done = run("set -e\n" + text, folder)
        if done.returncode:
            return f"{text}fails with\n{done.stdout.decode()}"
    elif kind is None and language == "mlir":
        return f"nothing says what this is:\n{text}"
    return None


def make_folder(name):
    """Commands stand in pages as they are typed in the root of the tree."""
    folder = pathlib.Path(name)
    root = pathlib.Path(__file__).resolve().parents[2]
    (folder / "build").symlink_to(os.environ.get("STOWAGE_BUILD", root / "build"))
    (folder / "examples").symlink_to(root / "examples")
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--wrap", type=pathlib.Path)
    args = parser.parse_args()
    blocks = blocks_of(args.page.read_text(), args.wrap.read_text() if args.wrap else None)
    with tempfile.TemporaryDirectory(prefix="stowage-docs-") as name:
        folder = make_folder(name)
        faults = [fault for fault in (check(b, folder) for b in blocks) if fault]
    for fault in faults:
        print(fault)
    print(f"{sum(b[0] in ('prints', 'run') for b in blocks)} outputs, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
