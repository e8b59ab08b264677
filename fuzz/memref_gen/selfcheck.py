# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#!/usr/bin/env python3
"""Would the fuzzer notice? Passes that are wrong on purpose, and one that is right.

    selfcheck.py [--programs N] [--seed S]

Prints one line per experiment and exits with 1 if one went otherwise than it must.
"""

import argparse
import sys
import tempfile

sys.dont_write_bytecode = True

import check
import emit
import grow
import mutate
import ops  # noqa: F401
import shrink
from passes import Config
from toolchain import StageError, Toolchain

# Of two allocations put over each other while both are in use, this share must
# be seen; the rest overwrites what is never read again.
NOTICED = 0.75


def mutated(tools, programs, original, overlapping):
    """(number of programs changed, number seen to differ)"""
    texts = {}
    for name, program in programs.items():
        mutation = mutate.mutation(program, overlapping)
        if mutation and name not in original.failures:
            texts[name] = emit.program(program, name, "freed", mutation)
    failures = {}
    ran = check.execute(tools, programs, texts, [], emit.OUTSIDE, "mutated", failures, "lower")
    assert not failures, failures
    # The mutation leaks its arena.
    seen = [n for n in ran if check.compare(original.outcomes[n][0], ran[n], True)]
    return len(ran), len(seen)


class Wrong:
    """Stands for a tool chain whose pass edits the text in one wrong way."""

    def __init__(self, tools, edit):
        self.build, self.run, self.verify = tools.build, tools.run, tools.verify
        self.check_spaces = tools.check_spaces
        self.edit = edit

    def opt(self, text, pipeline):
        return self.edit(self.verify(text))


def edit_lines(choose):
    """Edits the lines that `choose` turns into something else."""
    return lambda text: "\n".join(x for line in text.splitlines() for x in choose(line)) + "\n"


def is_free(line):
    return line.strip().startswith("memref.dealloc")


def refuse(text):
    raise StageError("pass", "refused")


WRONG = [
    ("deallocs dropped", "leak", edit_lines(lambda line: [] if is_free(line) else [line])),
    ("deallocs doubled", "fault", edit_lines(lambda line: [line] * (2 if is_free(line) else 1))),
    ("pass refuses", "pass", refuse),
    ("output is no IR", "lower", lambda text: text.replace("memref.load", "memref.lod")),
]


def shrunk(tools, programs, original):
    """Shrinks the largest program that a pass which loses copies breaks."""
    wrong = Wrong(tools, edit_lines(lambda line: [] if "memref.copy" in line else [line]))
    config = Config("shrunk", "")
    failures = check.check(wrong, programs, original, config).failures
    differing = [n for n, f in failures.items() if f.kind == "differs"]
    name = max(differing, key=lambda n: shrink.size(programs[n]))
    return shrink.size(shrink.shrink(wrong, programs[name], config, failures[name]))


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--programs", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    bad = 0

    def report(right, text):
        nonlocal bad
        bad += not right
        print(f"{'ok  ' if right else 'FAIL'} {text}", flush=True)

    with tempfile.TemporaryDirectory(prefix="memref_gen") as work:
        tools = Toolchain(work)
        seeds = range(args.seed, args.seed + args.programs)
        programs = {f"p{s}": grow.generate(s) for s in seeds}
        again = {f"p{s}": grow.generate(s) for s in seeds}
        same = all(emit.program(programs[n], n) == emit.program(again[n], n) for n in programs)
        report(same, "a seed gives the same program twice")
        original = check.run_original(tools, programs)
        report(not original.failures, f"{len(programs)} programs run clean: {original.failures or ''}")
        total, seen = mutated(tools, programs, original, True)
        report(total > len(programs) / 3 and seen >= NOTICED * total,
               f"lives that overlap at one address: {seen} of {total} seen")  # fmt: skip
        total, seen = mutated(tools, programs, original, False)
        report(total > len(programs) / 3 and seen == 0,
               f"lives that follow each other at one address: {seen} of {total} differ")  # fmt: skip
        few = dict(list(programs.items())[:20])
        for name, kind, edit in WRONG:
            result = check.check(Wrong(tools, edit), few, original, Config(name.split()[0], ""))
            kinds = {f.kind for f in result.failures.values()}
            report(kinds == {kind}, f"{name}: {len(result.failures)} of {len(few)} seen as {kinds or '-'}")
        left = shrunk(tools, programs, original)
        report(left <= 10, f"a wrong program is shrunk to {left} statements")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
