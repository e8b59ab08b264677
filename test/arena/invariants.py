#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what must be true of every input, on every .mlir file of the tests.

    invariants.py FOLDER ...

Valid IR is never an error, and the result verifies (the pass manager does that). Running the
pass twice changes nothing the second time. Two processes print the same bytes, reports and
remarks included. The analysis changes nothing.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from testing import places, process

OPTIONS = ["", "pool-all", "require-dealloc=false unknown-ops=use",
           "alignment-in-bytes=1 min-size-in-bytes=8",
           "pool-all require-dealloc=false unknown-ops=use strategy=best-fit-start"]


def run(path, *passes, flags=()):
    """Exit status, standard output and standard error of a pipeline on a file."""
    pipeline = "builtin.module(" + ",".join(passes) + ")"
    done = process.run([places.OPT, path, "--allow-unregistered-dialect", *flags,
                        f"--pass-pipeline={pipeline}"])  # fmt: skip
    return done.status, done.out, done.err


def problems_of(path):
    status, plain, _ = run(path)
    if status or "expected-error" in path.read_text():
        return []  # not meant to parse as it stands, or to be planned
    found = []

    def hold(what, good):
        if not good:
            found.append(f"{path}: {what}")

    for options in OPTIONS:
        reuse = f"buffer-reuse{{{options}}}"
        status, once, errors = run(path, reuse)
        hold(f"{{{options}}} is an error\n{errors[:2000]}", status == 0)
        hold(f"{{{options}}} run twice differs", run(path, reuse, reuse)[1] == once)
        status, _, errors = run(path, f"buffer-reuse{{{options} poison}}")
        hold(f"{{{options} poison}} is an error\n{errors[:2000]}", status == 0)
        status, same, errors = run(path, f"buffer-reuse{{analysis {options}}}")
        hold(f"the analysis with {{{options}}} is an error\n{errors[:2000]}", status == 0)
        hold(f"the analysis with {{{options}}} changes the IR", same == plain)
    everything = ("buffer-reuse{analysis annotate}", "buffer-reuse{report=text}")
    flags = ("--remarks-filter=.*",)
    first, second = (run(path, *everything, flags=flags) for _ in range(2))
    hold("two runs differ", first == second)
    return found


def main(folders):
    files = sorted(file for folder in folders for file in Path(folder).glob("*.mlir"))
    if "STOWAGE_SANITIZED" in os.environ:  # twenty runs of each are too slow there
        files = files[1::4]
    with ThreadPoolExecutor(max_workers=2) as pool:
        problems = [line for found in pool.map(problems_of, files) for line in found]
    print("\n".join(problems))
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
