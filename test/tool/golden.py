#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the scripts of a folder and compares what they print with what they printed.

    golden.py [--update] STOWAGE FOLDER [NAME...]

Each FOLDER/NAME.sh runs in an empty directory of its own with $STOWAGE, the
command, and $CASES, the folder. What it writes to standard output and standard
error, and its exit status, must equal FOLDER/NAME.out. --update writes that file.
"""

import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C", "COLUMNS": "80", "TERM": "dumb",
               "ASAN_OPTIONS": "detect_leaks=1"}


def run(script, stowage):
    with tempfile.TemporaryDirectory(prefix="stowage-golden-") as folder:
        done = subprocess.run(
            ["sh", str(script)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=120,
            env=ENVIRONMENT | {"STOWAGE": str(stowage), "CASES": str(script.parent)})
    text = done.stdout.decode(errors="backslashreplace")
    return text + (f"exit {done.returncode}\n" if done.returncode else "")


def check(script, stowage, update):
    golden, text = script.with_suffix(".out"), run(script, stowage)
    if update:
        golden.write_text(text)
    expected = golden.read_text() if golden.exists() else ""
    if text == expected:
        return True
    sys.stdout.writelines(difflib.unified_diff(
        expected.splitlines(True), text.splitlines(True), str(golden), "now"))
    return False


def main(arguments):
    update = "--update" in arguments
    stowage, folder, *names = [a for a in arguments if a != "--update"]
    stowage, folder = pathlib.Path(stowage).resolve(), pathlib.Path(folder).resolve()
    scripts = sorted(s for s in folder.glob("*.sh") if not names or s.stem in names)
    failed = [s.stem for s in scripts if not check(s, stowage, update)]
    print(f"{len(scripts) - len(failed)} passed, {len(failed)} failed", *failed)
    return 1 if failed or not scripts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
