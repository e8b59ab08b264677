# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions and blocks, and the buffers that come out of them."""

from fuzz.dynamic_gen.actions import action
from fuzz.dynamic_gen.buffers import allocate, compared, new_size, some_condition, some_dims
from fuzz.dynamic_gen.scope import ELEMENTS
from fuzz.dynamic_gen.sizes import INSANE, Size, union
from fuzz.dynamic_gen.tree import Node
from fuzz.memref_gen.memtypes import MemRef


def body(scope, child):
    """The nodes of a child that is grown, and closed."""
    scope.gen.inside(child)
    child.close()
    return child.nodes


@action
def if_(scope):
    if not scope.gen.may_nest():
        return False
    q = some_condition(scope)
    if q is None:
        return False
    scope.settle()
    parts = [f"scf.if {q.name} {{", body(scope, scope.child(active(scope, q, True)))]
    if scope.rng.chance(0.5):
        parts += ["} else {", body(scope, scope.child(active(scope, q, False)))]
    scope.nodes.append(Node([*parts, "}"]))


def active(scope, q, truth):
    return [t for t in scope.active if q.truth[t] is not (not truth)]


# ---- Sizes that are sane only where control comes -------------------------------------------


def wild(scope):
    """A size known in each run and insane in some; sometimes made for that."""
    found = [s for s in scope.all("sizes") if s.exact(scope.active) and not s.within(0, 6000, scope.active)]
    if found and scope.rng.chance(0.8):
        return scope.rng.pick(found)
    known = [s for s in scope.all("sizes") if s.exact(scope.active)]
    if not known or not scope.gen.allows("insane"):
        return scope.rng.pick(found) if found else None
    a, k = scope.rng.pick(known), scope.rng.pick(INSANE)
    q = compared(scope)
    return scope.size(f"arith.select {q.name}, {a}, {scope.constant(k)} : index",
                      lambda t: a.ranges[t] if q.truth[t] else (k, k))  # fmt: skip


def sanity(scope, size):
    """The condition that a size can be allocated."""
    most = max(ELEMENTS // scope.trips // 4, 10)
    low = scope.let(f"arith.cmpi sge, {size}, {scope.constant(0)} : index", "q")
    high = scope.let(f"arith.cmpi sle, {size}, {scope.constant(most)} : index", "q")
    return scope.condition(f"arith.andi {low}, {high} : i1", lambda t: 0 <= size.ranges[t][0] <= most)


def grow_with(scope, child, size):
    """A block that allocates this size, or what is computed from it."""
    more = new_size(child, size) if child.rng.chance(0.5) else None
    child.preferred.insert(0, more if more and more.within(0, 6000, child.active) else size)
    dims = some_dims(child, child.rng.between(1, 2))
    if dims:
        allocate(child, child.gen.element(), dims)
    return body(scope, child)


@action
def guarded(scope):
    size = wild(scope)
    if size is None:
        return False
    scope.settle()
    q = sanity(scope, size)
    child = scope.child(active(scope, q, True))
    parts = [f"scf.if {q.name} {{", grow_with(scope, child, size)]
    if scope.rng.chance(0.3) and scope.gen.may_nest():
        parts += ["} else {", body(scope, scope.child(active(scope, q, False)))]
    scope.nodes.append(Node([*parts, "}"]))


@action
def zero_trips(scope):
    size = wild(scope)
    if size is None or scope.trips > 12:
        return False
    scope.settle()
    q = sanity(scope, size)
    zero, some = scope.constant(0), scope.constant(scope.rng.between(1, 3))
    trips = scope.let(f"arith.select {q.name}, {some}, {zero} : index", "s")
    child = scope.child(active(scope, q, True), trips=3)
    variable = scope.function.fresh("i")
    child.sizes.append(Size(variable, ((0, 2),) * scope.gen.tuples))
    scope.nodes.append(Node([f"scf.for {variable} = {zero} to {trips} step {scope.constant(1)} {{",
                             grow_with(scope, child, size), "}"]))  # fmt: skip


@action
def switch(scope):
    if not scope.gen.may_nest():
        return False
    found = [s for s in scope.all("sizes") if s.within(-(1 << 31), (1 << 31) - 1, scope.active)]  # upstream takes 32 bits
    if not found:
        return False
    s, rng = scope.rng.pick(found), scope.rng
    likely = [s.ranges[t][0] for t in sorted(scope.active)] + [0, rng.between(1, 5)]
    numbers = sorted({rng.pick(likely) for _ in range(rng.between(1, 3))})
    scope.settle()
    parts = [f"scf.index_switch {s}"]
    for n in numbers:
        asked = [t for t in scope.active if s.ranges[t][0] <= n <= s.ranges[t][1]]
        parts += [f"case {n} {{", body(scope, scope.child(asked)), "scf.yield", "}"]
    other = [t for t in scope.active if s.ranges[t] not in [(n, n) for n in numbers]]
    scope.nodes.append(Node([*parts, "default {", body(scope, scope.child(other)), "}"]))


# ---- Loops ----------------------------------------------------------------------------------


def bound(scope):
    """How often a loop runs: a size, a few at most."""
    found = scope.sane(1 << 40)
    if not found or scope.trips > 12:
        return None
    a, most = scope.rng.pick(found), scope.rng.between(1, 4)
    return scope.size(f"arith.minui {a}, {scope.constant(most)} : index",
                      lambda t: tuple(min(x, most) for x in a.ranges[t]))  # fmt: skip


def iteration(scope, trips, variable, blocks=False):
    """The scope of a loop's body; sizes there differ from one iteration to the next."""
    child = scope.child([t for t in scope.active if trips.ranges[t][1] > 0], max(trips.most(scope.active), 1), blocks)
    step = Size(variable, tuple((0, max(high - 1, 0)) for _, high in trips.ranges))
    child.sizes.append(step)
    for _ in range(2):
        more = new_size(child, step)
        if more and child.rng.chance(0.6):
            child.preferred.append(more)
    return child


@action
def for_(scope):
    if not scope.gen.may_nest():
        return False
    trips = bound(scope)
    if trips is None:
        return False
    scope.settle()
    variable = scope.function.fresh("i")
    child = iteration(scope, trips, variable)
    scope.nodes.append(Node([f"scf.for {variable} = {scope.constant(0)} to {trips} step {scope.constant(1)} {{",
                             body(scope, child), "}"]))  # fmt: skip


def affine_range(scope):
    """Bounds of an affine loop, as text, with the range of its numbers."""
    low, step = scope.rng.between(0, 9), scope.rng.between(1, 3)
    high = low + scope.rng.between(1, 4 * step)
    return f"affine.for {{}} = {low} to {high} step {step} {{{{", scope.constant(high), ((low, high - 1),) * scope.gen.tuples


def counted_range(scope):
    """The same of a loop whose bounds are sizes."""
    first, trips = bound(scope), bound(scope)
    if first is None or trips is None:
        return None
    end = scope.size(f"arith.addi {first}, {trips} : index",
                     lambda t: tuple(a + b for a, b in zip(first.ranges[t], trips.ranges[t])))  # fmt: skip
    ranges = tuple((a, b - 1) for (a, _), (_, b) in zip(first.ranges, end.ranges))
    return f"scf.for {{}} = {first} to {end} step {scope.constant(1)} {{{{", end, ranges


@action
def counted(scope):
    """A loop that begins anywhere, with a size that falls from one iteration to the next."""
    if not scope.gen.may_nest() or scope.trips > 12:
        return False
    found = affine_range(scope) if scope.rng.chance(0.4) else counted_range(scope)
    if found is None:
        return False
    header, end, ranges = found
    scope.settle()
    variable = scope.function.fresh("i")
    active = [t for t in scope.active if ranges[t][0] <= ranges[t][1]]
    child = scope.child(active, 8)
    child.sizes.append(Size(variable, tuple((low, max(low, high)) for low, high in ranges)))
    most = tuple(max(high - low + 1, 1) for low, high in ranges)
    child.preferred.append(child.size(f"arith.subi {end}, {variable} : index", lambda t: (1, most[t])))
    scope.nodes.append(Node([header.format(variable), body(scope, child), "}"]))


def sane_trips(scope, size):
    """How often a loop runs: not at all where a size is insane."""
    q = sanity(scope, size)
    some = scope.rng.between(1, 3)
    name = scope.let(f"arith.select {q.name}, {scope.constant(some)}, {scope.constant(0)} : index", "s")
    return Size(name, tuple({True: (some, some), False: (0, 0)}.get(q.truth.get(t), (0, some)) for t in range(scope.gen.tuples)))


@action
def while_(scope):
    """The number of the turn is all that the loop carries."""
    if not scope.gen.may_nest() or scope.trips > 8:
        return False
    size = wild(scope) if scope.rng.chance(0.4) else None
    trips = bound(scope) if size is None else sane_trips(scope, size)
    if trips is None:
        return False
    scope.settle()
    fresh = scope.function.fresh
    turn, more, turned, following, last = fresh("i"), fresh("q"), fresh("i"), fresh("i"), fresh("i")
    before = scope.child(trips=trips.most(scope.active) + 1)
    before.sizes.append(Size(turn, tuple((0, high) for _, high in trips.ranges)))
    before = body(scope, before)
    after = iteration(scope, trips, turned)
    after = body(scope, after) if size is None else grow_with(scope, after, size)
    scope.nodes.append(Node([
        f"{last} = scf.while ({turn} = {scope.constant(0)}) : (index) -> index {{", before,
        f"{more} = arith.cmpi slt, {turn}, {trips} : index", f"scf.condition({more}) {turn} : index", "} do {",
        f"^{turned[1:]}({turned}: index):", after,
        f"{following} = arith.addi {turned}, {scope.constant(1)} : index", f"scf.yield {following} : index", "}"]))  # fmt: skip


def rank_one(scope, element):
    """An allocation of one dynamic dim; None if no size fits."""
    dims = some_dims(scope, 1)
    return allocate(scope, element, dims, write=True) if dims else None


def taken(scope, name, type, ranges):
    """Such a value where it is visible."""
    buffer = scope.new(name, type, [Size("", ranges)])
    buffer.dims = (scope.dim(buffer, 0),)
    return buffer


def arms(scope, q, element):
    """Two blocks that each make a buffer: [(nodes, buffer)]; None if one cannot."""
    found = []
    for truth in (True, False):
        child = scope.child(active(scope, q, truth))
        if scope.gen.may_nest():
            scope.gen.inside(child)
        made = rank_one(child, element)
        if made is None:
            return None
        child.close([*made.families])
        found.append((child.nodes, made, child))
    return found


def arm_ranges(scope, q, found):
    """Of the buffer that comes out, for each tuple."""
    out = []
    for t in range(scope.gen.tuples):
        ranges = [made.dims[0].ranges[t] for (_, made, child) in found if t in child.active]
        out.append(union(ranges) if ranges else (0, 0))
    return tuple(out)


@action
def given(scope):
    q = some_condition(scope)
    if q is None:
        return False
    scope.settle()
    element, name = scope.gen.element(), scope.function.fresh("b")
    found = arms(scope, q, element)
    if found is None:
        return False
    type = MemRef((None,), element)
    (one, a, _), (other, b, _) = found
    scope.nodes.append(Node([f"{name} = scf.if {q.name} -> ({type}) {{", one, f"scf.yield {a} : {type}", "} else {",
                             other, f"scf.yield {b} : {type}", "}"]))  # fmt: skip
    taken(scope, name, type, arm_ranges(scope, q, found))


@action
def diamond(scope):
    """The same by branches, with a buffer or without."""
    if not scope.blocks:
        return False
    q = some_condition(scope)
    if q is None:
        return False
    scope.settle()
    element, name = scope.gen.element(), scope.function.fresh("b")
    found = arms(scope, q, element)
    if found is None:
        return False
    type = MemRef((None,), element)
    (one, a, _), (other, b, _) = found
    yes, no, join = (scope.function.fresh("b").replace("%", "^") for _ in range(3))
    scope.nodes.append(Node([f"cf.cond_br {q.name}, {yes}, {no}", f"{yes}:", one, f"cf.br {join}({a} : {type})",
                             f"{no}:", other, f"cf.br {join}({b} : {type})", f"{join}({name}: {type}):"]))  # fmt: skip
    taken(scope, name, type, arm_ranges(scope, q, found))


def handed(scope):
    """An allocation that a loop may take: (family, its one dim)."""
    found = [f for f in scope.owned if f.written and str(f.root.type) == str(MemRef((None,), f.root.type.element))]
    return scope.rng.pick(found) if found else None


def carrying(scope, trips, variable, family, name, blocks=False):
    """A loop's body that takes a buffer and gives another one: (child, new buffer), or None."""
    scope.give(family)
    child = iteration(scope, trips, variable, blocks)
    wide = tuple((0, 6000) for _ in range(scope.gen.tuples))
    old = taken(child, name, family.root.type, wide)
    if scope.gen.may_nest():
        scope.gen.inside(child)
    made = rank_one(child, old.type.element)
    if made is None:
        scope.take_again(family)
        return None
    if not old.dead:
        child.retire(*old.families)
    child.close([*made.families])
    ranges = tuple(union([a, b]) if t in child.active else a
                   for t, (a, b) in enumerate(zip(family.root.dims[0].ranges, made.dims[0].ranges)))  # fmt: skip
    return child, made, ranges


@action
def carried(scope):
    family, trips = handed(scope), bound(scope)
    if family is None or trips is None:
        return False
    scope.settle()
    variable, old, new = (scope.function.fresh(c) for c in "ibb")
    found = carrying(scope, trips, variable, family, old)
    if found is None:
        return False
    child, made, ranges = found
    type = family.root.type
    scope.nodes.append(Node([
        f"{new} = scf.for {variable} = {scope.constant(0)} to {trips} step {scope.constant(1)} "
        f"iter_args({old} = {family.root}) -> ({type}) {{",
        child.nodes, f"scf.yield {made} : {type}", "}"]))  # fmt: skip
    taken(scope, new, type, ranges)


@action
def circle(scope):
    """The same by branches."""
    if not scope.blocks:
        return False
    family, trips = handed(scope), bound(scope)
    if family is None or trips is None:
        return False
    scope.settle()
    fresh = scope.function.fresh
    variable, old = fresh("i"), fresh("b")
    found = carrying(scope, trips, variable, family, old, blocks=True)
    if found is None:
        return False
    child, made, ranges = found
    type = family.root.type
    head, inside, after = (fresh("b").replace("%", "^") for _ in range(3))
    more, following = fresh("q"), fresh("i")
    scope.nodes.append(Node([
        f"cf.br {head}({scope.constant(0)}, {family.root} : index, {type})",
        f"{head}({variable}: index, {old}: {type}):",
        f"{more} = arith.cmpi slt, {variable}, {trips} : index",
        f"cf.cond_br {more}, {inside}, {after}", f"{inside}:", child.nodes,
        f"{following} = arith.addi {variable}, {scope.constant(1)} : index",
        f"cf.br {head}({following}, {made} : index, {type})", f"{after}:"]))  # fmt: skip
    taken(scope, old, type, ranges)


@action
def region(scope):
    """Blocks in an execute_region."""
    if not scope.gen.may_nest():
        return False
    scope.settle()
    child = scope.child(blocks=True)
    scope.nodes.append(Node(["scf.execute_region {", body(scope, child), "scf.yield", "}"]))
