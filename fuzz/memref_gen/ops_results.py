# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What functions give back: a buffer, the same one twice, a part of it beside it, or a phi.

Each result has a *way*, a function of the scope and of what the results before it are. All returns
of a function go the same ways."""

from fuzz.memref_gen.memtypes import count
from fuzz.memref_gen.ops_loops import Slot, grow_loop
from fuzz.memref_gen.ops_memory import filled
from fuzz.memref_gen.ops_views import a_part, alias
from fuzz.memref_gen.yields import Exchange


def phis(gen, function):
    """Ways of what is run, of which most results are phis."""
    for _ in range(gen.rng.weighted([(1, 3), (2, 3)])):
        type = gen.outside_type()
        how = gen.rng.weighted([(plain, 2), (selected, 2), (joined, 2), (carried, 3)])
        add(function, type, lambda scope, given, how=how, type=type: how(gen, scope, type))
    if gen.rng.chance(0.7):
        beside(gen, function, gen.rng.below(len(function.results)))


def beside(gen, function, k):
    """One more result: once more result `k`, or a part of it, of a type that can be cloned."""
    type = function.results[k]
    if gen.rng.chance(0.4) or not type.rank or not count(type.shape):
        return add(function, type, lambda scope, given: given[k])
    part, shape, attrs = a_part(gen, type, type.shape, known=True)

    def way(scope, given):
        name = alias(gen, given[k], part, shape, False)
        scope.add("subview", [given[k]], [name], **attrs)
        return name

    return add(function, part, way)


def add(function, type, way):
    function.results.append(type)
    function.ways.append(way)


def plain(gen, scope, type):
    return Exchange(gen, type).give(scope)


def handed_on(gen, scope, result):
    scope.written.add(result)
    if result.owned:
        scope.take(result)
    return result


def fresh(gen, scope, type):
    """A new one, in any program."""
    return handed_on(gen, scope, filled(gen, scope, type))


def selected(gen, scope, type):
    """One of two by a select; where buffers are owned, the other name is freed."""
    choice = scope.scalar("i1")
    if not choice:
        return plain(gen, scope, type)
    if not gen.unowned:
        pair = [filled(gen, scope, type) for _ in range(2)]
        names = [gen.owned(type) for _ in pair]
        scope.add("pair", [choice, *pair], names, moves=pair)
        scope.written |= set(names)
        return handed_on(gen, scope, names[0])
    ways = [plain(gen, scope, type) for _ in range(2)]
    result = Exchange(gen, type).result(ways)
    scope.add("select", [choice, *ways], [result])
    return handed_on(gen, scope, result)


def joined(gen, scope, type):
    """What the arms of an if yield, or a block's argument."""
    choice, exchange = scope.scalar("i1"), Exchange(gen, type)
    if not choice:
        return exchange.give(scope)
    gen.left += 4
    arms = [gen.region(scope, blocks_allowed=scope.blocks_allowed) for _ in range(2)]
    for arm in arms:
        gen.grow(arm, gen.rng.between(0, 2))
        gen.finish(arm)
        arm.block.yields = [exchange.give(arm)]
    result = exchange.result([arm.block.yields[0] for arm in arms])
    style = {"style": "cf"} if scope.blocks_allowed and gen.rng.chance(0.5) else {}
    scope.add("if", [choice], [result], [arm.block for arm in arms], **style)
    return handed_on(gen, scope, result)


def carried(gen, scope, type):
    """What a loop carries."""
    gen.left += 4
    slot = Slot(gen, not gen.unowned, filled(gen, scope, type))
    grow_loop(gen, scope, gen.rng.pick(["for", "while"]), made=[slot])
    return handed_on(gen, scope, slot.result)
