#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The man pages in docs/man are what the command prints of itself.

    man.py [--update] STOWAGE FOLDER
"""

import pathlib
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()


def main(arguments):
    update = "--update" in arguments
    stowage, folder = [a for a in arguments if a != "--update"]
    folder = pathlib.Path(folder)
    commands = re.findall(r"^  (\w+) ", output(stowage, "--help").split("\ncommands:\n")[1].split("\n\n")[0], re.M)
    pages = {"stowage.1": output(stowage, "man")}
    pages |= {f"stowage-{c}.1": output(stowage, "man", c) for c in commands}
    if update:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            (folder / name).write_text(text)
    stale = [n for n, text in pages.items()
             if not (folder / n).exists() or (folder / n).read_text() != text]
    stale += [p.name for p in folder.glob("*.1") if p.name not in pages]
    print(f"{len(pages)} pages", *(["differ:", *stale] if stale else ["as printed"]))
    return 1 if stale or len(commands) < 7 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
