# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What regions yield: an owned buffer passed on, or an alias of an outer one."""

from dataclasses import replace

from fuzz.memref_gen.ops_memory import filled
from fuzz.memref_gen.tree import roots


def hand_on(gen, scope, type, dims):
    """An owned, written buffer of this type that leaves with the block."""
    found = [v for v in scope.mine() if v.type == type and v.dims == dims and scope.readable(v)]
    if found and gen.rng.chance(0.6):
        value = gen.rng.pick(found)
    else:
        value = filled(gen, scope, type, dims)
    scope.take(value)
    return value


def lend(gen, scope, type, dims):
    """An alias of something that outlives the block; None if there is none."""
    return scope.find(
        lambda v: v.type == type and v.dims == dims and scope.readable(v) and scope.outlives(v)
    )


class Exchange:
    """One buffer-valued result of an operation with several ways through: what
    all of them must yield. Its type is new, so that each way makes a buffer or
    hands one on, or that of a `model`, whose like each way lends. A program
    that owns nothing does either, in each way anew."""

    def __init__(self, gen, type, model=None, dims=None):
        self.gen, self.type = gen, type
        self.dims = model.dims if model else dims or type.shape
        self.owned = model is None

    def give(self, scope):
        """The value this way yields."""
        if self.gen.unowned:
            other = lend(self.gen, scope, self.type, self.dims)
            can = self.type.plain or (self.gen.allows("sized") and self.type.layout is None)
            fresh = can and (other is None or self.gen.rng.chance(0.5))
            return filled(self.gen, scope, self.type, self.dims) if fresh else other
        if self.owned:
            return hand_on(self.gen, scope, self.type, self.dims)
        return lend(self.gen, scope, self.type, self.dims)

    def result(self, yielded):
        if self.owned and not self.gen.unowned:
            return self.gen.owned(self.type, dims=self.dims)
        whole = all(v.whole for v in yielded)
        return self.gen.value(self.type, dims=self.dims, whole=whole, alias_of=list(yielded))


def new_exchange(gen):
    type = gen.type()
    if gen.allows("sized") and type.rank and gen.rng.chance(0.3):
        return Exchange(gen, replace(type, shape=(None,) + type.shape[1:]), dims=type.shape)
    return Exchange(gen, type)


def exchange(gen, scope, adopts):
    new = gen.unowned or gen.allows("moves")
    if new and gen.rng.chance(0.5):
        return new_exchange(gen)
    dying = set(adopts)
    model = scope.find(lambda v: scope.readable(v) and not roots(v) & dying)
    return Exchange(gen, model.type, model) if model else None


def exchanges(gen, scope, adopts):
    number = gen.rng.weighted([(0, 4), (1, 4), (2, 2)])
    made = [exchange(gen, scope, adopts) for _ in range(number)]
    return [x for x in made if x]


def adopted(gen, scope):
    """Buffers of this block that every way through will free or hand on."""
    if not gen.allows("moves"):
        return []
    return [v for v in scope.mine() if gen.rng.chance(0.25)][:2]


def ways(gen, scope, number, style, fill):
    """Builds `number` alternative regions that agree on what they yield.
    Returns (regions, results, adopts)."""
    adopts = adopted(gen, scope)
    wanted = exchanges(gen, scope, adopts)
    regions, written = [], None
    for i in range(number):
        arm = gen.region(scope, adopts=adopts, blocks_allowed=style)
        fill(arm, i)
        gen.finish(arm)
        arm.block.yields = [x.give(arm) for x in wanted]
        regions.append(arm.block)
        written = arm.written if written is None else written & arm.written
    results = []
    for k, exchange in enumerate(wanted):
        results.append(exchange.result([r.yields[k] for r in regions]))
    # What every way has written is written; results are, as they were readable.
    scope.written |= {v for v in written if v not in adopts}
    scope.written |= set(results)
    return regions, results, adopts


def give_back(gen, scope):
    """What the function returns, here; the caller's from then on."""
    given = []
    for way in gen.function.ways:
        given.append(way(scope, given))
    return given or [Exchange(gen, type).give(scope) for type in gen.function.results]
