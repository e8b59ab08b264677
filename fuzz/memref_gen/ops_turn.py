# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A while whose two regions take different buffers: the first passes some of its
own on, some twice or none, and maybe by names of another type.

All are of one pool, as in a maze."""

from dataclasses import replace

from fuzz.memref_gen.actions import action
from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.ops_cfg import make
from fuzz.memref_gen.ops_control import DEPTH
from fuzz.memref_gen.ops_loops import trips
from fuzz.memref_gen.ops_views import alias


def names(gen, type, dims, pool, number):
    whole = all(v.whole for v in pool)
    return [gen.value(type, dims=dims, whole=whole, alias_of=pool) for _ in range(number)]


def some_fresh(gen, type, pool):
    if not gen.unowned or not type.plain or gen.rng.chance(0.4):
        return []
    pool.append(gen.value(type, whole=True))
    return [pool[-1]]


def given(gen, inner, known, type, number):
    """That many of the known buffers, under names of this type."""
    made = []
    for value in [gen.rng.pick(known) for _ in range(number)]:
        if value.type != type:
            value, source = alias(gen, value, type, value.dims), value
            inner.add("cast", [source], [value])
        made.append(value)
    return made


def grow_region(gen, scope, args, fresh, type, number, starts):
    inner = gen.region(scope, [gen.value("index")] + args)
    gen.grow(inner, gen.rng.between(1, 4))
    make(gen, inner, fresh)
    gen.finish(inner)
    inner.block.yields = given(gen, inner, fresh * 3 + args * 2 + starts, type, number)
    return inner.block


@action("turn")
def grow_turn(gen, scope):
    start = scope.find(scope.readable)
    if scope.depth >= DEPTH or start is None:
        return False
    type, dims = start.type, start.dims
    like = [v for v in scope.memrefs() if scope.readable(v) and v.type == type and v.dims == dims]
    starts = [start] + [gen.rng.pick(like) for _ in range(gen.rng.below(3))]
    other = type
    if type.plain and type.rank and gen.rng.chance(0.4):
        other = replace(type, shape=(None,) * type.rank)
    pool, number = list(starts), gen.rng.below(4)
    fresh = [some_fresh(gen, type, pool) for _ in range(2)]
    first = grow_region(gen, scope, names(gen, type, dims, pool, len(starts)), fresh[0], other, number, starts)
    body = grow_region(gen, scope, names(gen, other, dims, pool, number), fresh[1], type, len(starts), starts)
    results = names(gen, other, dims, pool, number)
    bound, fixed = trips(gen, scope)
    scope.add("turn", ([bound] if bound else []) + starts, results, [body, first], bounded=bool(bound), fixed=fixed)
    scope.written |= set(results)
    return True


def passed(first, others):
    names = ", ".join(map(str, [first] + others))
    return names, ", ".join(["index"] + [str(v.type) for v in others])


@emits("turn")
def emit_turn(e, s):
    body, first = s.regions
    bound = s.operands[0] if s.attrs["bounded"] else e.constant(s.attrs["fixed"])
    starts = s.operands[1 if s.attrs["bounded"] else 0 :]
    initial = ", ".join(f"{a} = {b}" for a, b in zip(first.args, [e.constant(0)] + starts))
    taken, types = passed(first.args[0], first.yields)
    results = ", ".join([e.temporary()] + [str(v) for v in s.results])
    e.line(f"{results} = scf.while ({initial}) : ({passed('', starts)[1]}) -> ({types}) {{")
    e.region(first)
    e.depth += 1
    more = e.let(f"arith.cmpi slt, {first.args[0]}, {bound} : index")
    e.line(f"scf.condition({more}) {taken} : {types}")
    e.depth -= 1
    e.line("} do {")
    e.line("^bb0(" + ", ".join(f"{a}: {a.type}" for a in body.args) + "):")
    e.region(body)
    e.depth += 1
    next = e.let(f"arith.addi {body.args[0]}, {e.constant(1)} : index")
    e.line("scf.yield {} : {}".format(*passed(next, body.yields)))
    e.depth -= 1
    e.line("}")
