# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a failing program to a small one that fails in the same way.

What a step makes becomes an argument, or comes from the indices alone, or is one of its inputs; results and
stores are dropped; what nobody needs then goes. Many cuts are tried in one batch.
"""

import copy

from fuzz import shrinker
from fuzz.net_gen import check, grow, tree


def shrink(tools, program, config, failure, say=lambda text: None):
    return shrinker.smallest(program, lambda p: improve(tools, p, config, failure.kind),
                             lambda p: say(f"shrink: {len(p.steps)} steps"))  # fmt: skip


def is_source(step):
    return step.kind in ("generic", "constant") and not step.inputs


def weight(program):
    return (sum(3 if is_source(s) else 10 for s in program.steps) + 3 * len(program.returned) + len(program.arguments)
            + sum(len(s.inputs) for s in program.steps)
            + sum(len(list(s.attrs["loop"].ops())) for s in program.steps if "loop" in s.attrs))  # fmt: skip


def improve(tools, program, config, kind):
    def apply(cut):
        c = cut(copy.deepcopy(program))
        return c if c and c.returned and weight(c) < weight(program) else None

    def failing(tried):
        named = {f"p{c.seed}x{i}": c for i, c in enumerate(tried)}
        batch = check.originals(tools, named)
        failures, _ = check.check(tools, batch, config)
        return [named[n] for n, f in {**batch.failures, **failures}.items() if f.kind == kind]

    return shrinker.best_cut([list(candidates(program))], weight, apply, failing)


# ---- Cuts: functions of a copy that give it back, or None.


def candidates(program):
    total = len(program.steps)
    length = total // 2
    while length > 1:  # the bold ones first
        yield from (emptied(range(first, first + length), plain) for first in range(0, total, length))
        length //= 2
    yield from (returning(i) for i in range(total))
    yield from (unreturned(k) for k in range(len(program.returned)))
    yield from (emptied([i], how) for i in reversed(range(total)) for how in (given, plain))
    yield from (bypassed(i) for i in range(total))
    for i, step in enumerate(program.steps):
        if "loop" in step.attrs:
            yield from (without_op(i, k) for k in range(len(list(step.attrs["loop"].ops()))))


def tidy(program):
    tree.prune(program)
    return program


def emptied(numbers, how):
    """What some steps make is had without them; stores among them go."""

    def cut(program):
        for step in [program.steps[i] for i in numbers if i < len(program.steps)]:
            if step.kind in tree.LASTING:
                program.steps.remove(step)
            elif not is_source(step) or how is given:
                at = program.steps.index(step)
                program.steps[at : at + 1] = [s for r in step.results for s in how(program, r)]
        return tidy(program) if len(program.arguments) <= grow.MOST_ARGUMENTS else None

    return cut


def given(program, result):
    """By the caller: no step at all."""
    if result.rank > grow.MOST_RANK:
        return plain(program, result)
    program.arguments.append(result)
    return []


def plain(program, result):
    """From the indices."""

    def step(kind, inputs, results, **attrs):
        return tree.Step(kind, inputs, results, attrs)

    return [grow.source(lambda *_: result, step, lambda: 12345 + 2 * result.number, result.shape, result.element)]


def bypassed(number):
    def cut(program):
        step = program.steps[number]
        for x in step.inputs:
            if len(step.results) == 1 and (x.shape, x.element) == (step.result.shape, step.result.element):
                tree.substitute(program, step.result, x)
                return tidy(program)
        return None

    return cut


def without_op(number, k):
    """Of a loop: what an op makes is what it reads."""

    def cut(program):
        loop = program.steps[number].attrs["loop"]
        op = list(loop.ops())[k]
        if len(op.makes) > len(op.reads):
            return None
        loop.replace(op)
        return tidy(program)

    return cut


def returning(number):
    """One of the values on the way is all that is returned."""

    def cut(program):
        results = program.steps[number].results
        if not results or program.returned == results[:1] or results[0].rank > grow.MOST_RANK:
            return None
        program.returned = results[:1]
        return tidy(program)

    return cut


def unreturned(k):
    def cut(program):
        del program.returned[k]
        return tidy(program) if program.returned else None

    return cut
