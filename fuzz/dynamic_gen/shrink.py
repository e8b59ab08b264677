# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A failing program made small: nodes of its text are taken out, as long as what is left is a sound program
that fails in the same way."""

import re
from dataclasses import replace

from fuzz import shrinker
from fuzz.dynamic_gen import check, tree
from testing.process import ToolError


def refused(tools, program, config, failure):
    """Whether the passes end with the same error; what the program does is no matter then."""
    text = check.module([program.text(config.freed)])
    try:
        tools.verify(text)
    except ToolError:
        return False
    error = tools.refuses(text, config.pipeline)
    return error is not None and gist_of(str(error)) == gist_of(failure.said)


def gist_of(said):
    """An error without places, names and numbers."""
    return re.sub(r"<stdin>\S*|%\w+|\d+", "", said.split(";")[-1])


def fails(tools, program, config, failure):
    """Whether a program runs as it is, and fails under the config as it did."""
    name = program.name
    if failure.kind == "pass":
        return refused(tools, program, config, failure)
    batch = check.originals(tools, {name: program})
    if batch.failures:
        return False
    found, _ = check.check(tools, batch, config)
    return name in found and found[name].kind == failure.kind


def shrink(tools, program, config, failure, say):
    for one in range(program.tuples):  # one tuple that fails is enough
        alone = only(program, one)
        if program.tuples > 1 and fails(tools, alone, config, failure):
            program = alone
            break
    parts, known = candidates(program), {}

    def cut(kept):
        return replace(program, cut=program.cut | frozenset(parts) - frozenset(kept))

    def still_fails(kept):  # nodes of one that is cut out make no difference
        text = cut(kept).text(True)
        if text not in known:
            known[text] = fails(tools, cut(kept), config, failure)
        return known[text]

    small = cut(shrinker.without_runs(parts, still_fails))
    say(f"{size(small)} lines")
    return small


def only(program, t):
    """The program with one tuple of sizes."""
    name, last = f"{program.name}_t{t}", f"{program.name}_t0"
    return replace(program, tuples=1, wrappers=[program.wrappers[t].replace(f"@{name}(", f"@{last}(")],
                   manifests=[program.manifests[t].replace(name, last)])  # fmt: skip


def size(program):
    return len(program.text(True).splitlines())


def candidates(program):
    """What may be taken out, small parts first: runs are taken from the end."""
    nodes = [n for f in program.functions for n in tree.every(f.body) if n not in program.cut and not n.free]
    weight = {n: sum(1 for _ in tree.lines([n], True, program.cut)) for n in nodes}
    return sorted((n for n in nodes if weight[n]), key=lambda n: weight[n])
