#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what must be true of every input, on every .mlir file of the tests.

    invariants.py FOLDER ...

Valid IR is never an error, and the result verifies (the pass manager does that). Running the
pass twice changes nothing the second time. Two processes print the same bytes, reports and
remarks included. The analysis changes nothing.
"""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from testing import places, process

OPTIONS = ["", "pool-all", "require-dealloc=false unknown-ops=use",
           "alignment-in-bytes=1 min-size-in-bytes=8",
           "pool-all require-dealloc=false unknown-ops=use strategy=best-fit-start"]
SPLIT = "// -----\n"  # between modules, of which each has a context of its own


def run(texts, *passes, flags=()):
    """What a pipeline makes of each text, None where it fails, and what it says. One process for all, as to start one
    takes longer than the passes do; where something fails, the halves by themselves."""
    pipeline = "builtin.module(" + ",".join(passes) + ")"
    done = process.run([places.OPT, "-", "--split-input-file", "--allow-unregistered-dialect", *flags,
                        f"--pass-pipeline={pipeline}"], SPLIT.join(texts))  # fmt: skip
    if done.status == 0:
        made = done.out.split(SPLIT)
        assert len(made) == len(texts), f"{len(made)} modules of {len(texts)}"
        return made, done.err
    if len(texts) == 1:
        return [None], done.err
    half = len(texts) // 2
    (first, said), (second, more) = (run(part, *passes, flags=flags) for part in (texts[:half], texts[half:]))
    return first + second, said + more


def problems_of(modules):
    """Of a list of (name, text)."""
    plain, _ = run([text for _, text in modules])
    valid = [(name, text, made) for (name, text), made in zip(modules, plain) if made is not None]
    if not valid:
        return 0, []
    names, texts, plain = zip(*valid)
    found = []

    def hold(what, good):
        found.extend(f"{name}: {what}" for name, fine in zip(names, good) if not fine)

    def made_by(what, *passes):
        made, errors = run(texts, *passes)
        hold(f"{what} is an error\n{errors[:2000]}", [text is not None for text in made])
        return made

    def same(first, second):
        return [a == b for a, b in zip(first, second)]

    for options in OPTIONS:
        reuse = f"buffer-reuse{{{options}}}"
        once = made_by(f"{{{options}}}", reuse)
        hold(f"{{{options}}} run twice differs", same(run(texts, reuse, reuse)[0], once))
        made_by(f"{{{options} poison}}", f"buffer-reuse{{{options} poison}}")
        analysed = made_by(f"the analysis with {{{options}}}", f"buffer-reuse{{analysis {options}}}")
        hold(f"the analysis with {{{options}}} changes the IR", same(analysed, plain))
    everything = ("buffer-reuse{analysis annotate}", "buffer-reuse{report=text}")
    first, second = (run(texts, *everything, flags=("--remarks-filter=.*",)) for _ in range(2))
    hold("two runs differ", same(first[0], second[0]))
    if first[1] != second[1]:
        found.append("what two runs say differs")
    return len(texts), found


def modules_of(path):
    """(name, text) of what may be planned: not what is an error, as it stands or to a pass."""
    text = path.read_text()
    parts = [] if "expected-error" in text else re.split(r"^// -----.*\n", text, flags=re.M)
    return [(f"{path}, module {i}", part) for i, part in enumerate(parts, 1)]


def main(folders):
    files = sorted(file for folder in folders for file in Path(folder).glob("*.mlir"))
    modules = [module for file in files for module in modules_of(file)]
    if len(modules) < 2:
        sys.exit("invariants.py: no modules there")
    with ThreadPoolExecutor(max_workers=2) as pool:
        counts, found = zip(*pool.map(problems_of, (modules[0::2], modules[1::2])))
    problems = sum(found, [])
    print("\n".join(problems))
    print(f"{sum(counts)} of {len(modules)} modules, {len(problems)} problems")
    return 1 if problems or not all(counts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
