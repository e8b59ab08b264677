#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sessions shown in a page of the manual are what a shell prints.

    docs.py [--update] STOWAGE PAGE.md

A session is a block fenced by ```console with commands after "$ ". All sessions of a
page run one after the other in one empty directory; "exit N" after a command's
output stands for a status that is not 0. --update writes what is printed into PAGE.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SESSION = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def run(command, folder, stowage):
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=60,
        env={"PATH": f"{stowage.parent}:{os.environ['PATH']}", "LC_ALL": "C", "COLUMNS": "80"})
    text = done.stdout.decode()
    return text + (f"exit {done.returncode}\n" if done.returncode else "")


def replay(session, folder, stowage):
    """The session as it would go now. A command may go on in lines that begin with "> "."""
    commands = re.findall(r"^\$ (.*\n(?:> .*\n)*)", session, re.M)
    return "".join(f"$ {c}" + run(c.replace("\n> ", "\n"), folder, stowage) for c in commands)


def main(arguments):
    update = "--update" in arguments
    stowage, page = [pathlib.Path(a).resolve() for a in arguments if a != "--update"]
    old = page.read_text()
    with tempfile.TemporaryDirectory(prefix="stowage-docs-") as folder:
        new, count = SESSION.subn(
            lambda m: f"```console\n{replay(m[1], folder, stowage)}```", old)
    if update:
        page.write_text(new)
    elif old != new:
        sys.stdout.writelines(difflib.unified_diff(
            old.splitlines(True), new.splitlines(True), str(page), "now"))
    print(f"{count} sessions")
    return 1 if not count or (old != new and not update) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
