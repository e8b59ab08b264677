# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that carry buffers: for, while, and loops whose iterations run beside
each other (parallel, forall)."""

from fuzz.memref_gen.actions import action, call_some
from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.memtypes import ELEMENTS, MemRef, count
from fuzz.memref_gen.ops_control import DEPTH, as_branches, branchy, grow_break
from fuzz.memref_gen.ops_memory import allocate, filled, numbers, write
from fuzz.memref_gen.scope import apart
from fuzz.memref_gen.tree import roots
from fuzz.memref_gen.yields import hand_on


class Slot:
    """One carried buffer. A *moved* one is owned by the iteration, which frees
    it or hands it on; a lent one is an alias of buffers from outside."""

    def __init__(self, gen, moved, start):
        self.gen, self.moved, self.start = gen, moved, start
        self.other = None  # what a lent slot's next iteration gets
        self.fresh = None  # a buffer that each iteration makes for it
        self.choice = None  # whether that or the old one goes on, if it depends
        self.partner = None  # the slot it swaps with, or whose place it takes
        self.renewed = False  # each iteration certainly makes one
        self.arg = self.result = None

    def name(self):
        """A new name for the carried buffer, in the body or after the loop."""
        if self.moved:
            return self.gen.owned(self.start.type, dims=self.start.dims)
        return self.gen.twin(self.start)

    def like(self, other):
        return self.start.type == other.start.type and self.start.dims == other.start.dims


def a_start(gen, scope):
    """A buffer for a loop to carry: (whether it is moved, the buffer or None)."""
    if gen.allows("moves") and gen.rng.chance(0.45):
        mine = [v for v in scope.mine() if v.type.plain and scope.readable(v)]
        return True, gen.rng.pick(mine) if mine else None
    return False, scope.find(scope.readable)


def slots(gen, scope):
    made = []
    for _ in range(gen.rng.weighted([(0, 4), (1, 3), (2, 4), (3, 1)])):
        slot = Slot(gen, *a_start(gen, scope))
        if slot.start is None:
            continue
        if any((s.moved or slot.moved) and not apart(s.start, slot.start) for s in made):
            continue
        made.append(slot)
    return made


def lend_around(gen, scope, made):
    """Chooses what each lent slot yields before the body is grown, so that the
    body knows all that its arguments may alias."""
    lent = [s for s in made if not s.moved]
    starts = [s.start for s in made if s.moved]
    for slot in lent:
        slot.arg = slot.name()
    for slot in lent:
        slot.other = gen.rng.pick([s for s in lent if s.like(slot)]).arg
        outer = scope.find(
            lambda v, s=slot: scope.readable(v) and v.type == s.start.type and v.dims == s.start.dims
            and not any(roots(v) & roots(m) for m in starts)
        )  # fmt: skip
        if outer and gen.rng.chance(0.25):
            slot.other = outer
        if slot.partner:
            slot.other = slot.partner.arg
        elif slot.renewed or (gen.unowned and slot.start.type.plain and gen.rng.chance(0.5)):
            renew(gen, scope, slot)
    for slot in lent:
        slot.arg.alias_of = [slot.start, slot.other]
        slot.arg.whole = all(s.start.whole for s in lent) and slot.other.whole


def renew(gen, scope, slot):
    """The next iteration gets a buffer of this one, always or sometimes."""
    kept = slot.other
    slot.other = slot.fresh = gen.value(slot.start.type, whole=True)
    slot.choice = scope.scalar("i1") if not slot.renewed and gen.rng.chance(0.4) else None
    if slot.choice:
        slot.other = gen.value(slot.start.type, whole=kept.whole, alias_of=[kept, slot.fresh])
        slot.kept = kept


def make_fresh(gen, inner, made):
    for slot in made:
        if slot.fresh and not inner.readable(slot.fresh):
            inner.add("alloc", results=[slot.fresh])
            write(gen, inner, slot.fresh)


def choose_fresh(inner, made):
    for slot in made:
        if slot.choice:
            inner.add("select", [slot.choice, slot.fresh, slot.kept], [slot.other])


def share_pools(made):
    """With two regions that pass buffers on as they like, a lent slot may hold
    whatever one of its type does."""
    lent = [s for s in made if not s.moved]
    for slot in lent:
        pool = [v for s in lent if s.like(slot) for v in (s.start, s.other)]
        slot.arg.alias_of, slot.arg.whole = pool, all(v.whole for v in pool)


def first_region(gen, scope, made):
    """The region of a while that decides whether to go on."""
    args = []
    for slot in made:
        args.append(slot.name())
        if not slot.moved:
            args[-1].alias_of, args[-1].whole = slot.arg.alias_of, slot.arg.whole
    inner = gen.region(scope, args=[gen.value("index")] + args)
    inner.gone |= {s.start for s in made if s.moved}
    gen.grow(inner, gen.rng.between(1, 4))
    gen.finish(inner)
    for slot in made:
        same = [a for a, s in zip(args, made) if not s.moved and s.like(slot)]
        inner.block.yields.append(
            hand_on(gen, inner, slot.start.type, slot.start.dims) if slot.moved else gen.rng.pick(same)
        )
    return inner.block


def carry(gen, scope, made, body, extra=(), first=False):
    """Grows the body and returns (regions, results, style). With `first` there
    is a region before it, which the list has last."""
    lend_around(gen, scope, made)
    if first:
        share_pools(made)
    for slot in made:
        if slot.moved:
            slot.arg = slot.name()
    style = branchy(gen, scope)
    inner = gen.region(scope, args=list(extra) + [s.arg for s in made], blocks_allowed=style)
    # A jump out of it takes the arguments as they are: lent ones only.
    inner.loop = bool(style) and not any(s.moved for s in made)
    # Names that the loop takes over are dead inside as well.
    inner.gone |= {s.start for s in made if s.moved}
    if gen.rng.chance(0.5):
        make_fresh(gen, inner, made)
    body(inner)
    make_fresh(gen, inner, made)
    choose_fresh(inner, made)
    if inner.loop and gen.allows("break") and gen.rng.chance(0.4):
        grow_break(gen, inner)
    gen.finish(inner)
    block = inner.block
    for slot in made:
        block.yields.append(
            hand_on(gen, inner, slot.start.type, slot.start.dims) if slot.moved else slot.other
        )
    for slot in made:
        slot.result = slot.name()
        if not slot.moved:
            slot.result.alias_of = [slot.start, slot.arg]
            slot.result.whole = slot.arg.whole
    regions = [block] + ([first_region(gen, scope, made)] if first else [])
    return regions, [s.result for s in made], style


def finish_loop(scope, made, kind, operands, results, regions, style, **attrs):
    moves = [s.start for s in made if s.moved]
    if style:
        attrs["style"] = "cf"
    scope.add(kind, operands + [s.start for s in made], results, regions, moves, **attrs)
    scope.written |= set(results)


def trips(gen, scope):
    """A bound, known (an int) or read at run time (a value from 0 to 3)."""
    bound = scope.scalar("index") if gen.rng.chance(0.4) else None
    return bound, gen.rng.pick([0, 1, 2, 2, 3, 4])


@action("for")
def grow_for(gen, scope):
    if scope.depth >= DEPTH:
        return False
    return grow_loop(gen, scope, "for")


@action("while")
def grow_while(gen, scope):
    if scope.depth >= DEPTH:
        return False
    return grow_loop(gen, scope, "while")


@action("ping_pong")
def grow_ping_pong(gen, scope):
    """Two buffers, each written anew from the other and then swapped."""
    if scope.depth >= DEPTH:
        return False
    type = gen.type()
    made = [Slot(gen, False, filled(gen, scope, type)) for _ in range(2)]
    made[0].partner, made[1].partner = made[1], made[0]
    return grow_loop(gen, scope, gen.rng.pick(["for", "while"]), made)


@action("carried")
def grow_carried(gen, scope):
    """Buffers that only a loop knows: some change places, some are made anew of the others, some are
    written from a copy."""
    if scope.depth >= DEPTH:
        return False
    type = gen.type()
    if not type.plain or not count(type.shape):
        return False
    made = [Slot(gen, False, filled(gen, scope, type)) for _ in range(gen.rng.between(1, 4))]
    for slot, next in zip(made, made[1:] + made[:1]):
        way = gen.rng.weighted([("turn", 5), ("copied", 2), ("renewed", 4 if gen.unowned else 0)])
        slot.renewed, slot.partner = way == "renewed", {"turn": next, "copied": slot}.get(way)
    if made[0].partner is made[-1] and gen.rng.chance(0.5):
        made[0].partner = made[0]

    def begin(inner):
        for slot in gen.rng.shuffled(made):
            goal = slot.fresh if slot.renewed and not inner.readable(slot.fresh) else None
            if goal:
                inner.add("alloc", results=[goal])
            elif gen.rng.chance(0.6):
                goal = allocate(gen, inner, type)
            else:
                inner.add("nest", [slot.arg], old=True, style="for", **numbers(gen))
                continue
            rewrite(gen, inner, goal, [s.arg for s in made])
            if not slot.renewed:
                inner.add("copy", [goal, slot.arg])
        return gen.rng.chance(0.4)

    grow_loop(gen, scope, gen.rng.pick(["for", "for", "while"]), made=made, begin=begin)
    for slot in made:
        if gen.rng.chance(0.8):
            scope.values.remove(slot.start)
    return True


def rewrite(gen, scope, goal, sources):
    """All of `goal` of one or two others."""
    if gen.rng.chance(0.5):
        scope.add("generic", [goal, gen.rng.pick(sources)], old=False, **numbers(gen))
    else:
        scope.add("nest", [goal, *gen.rng.shuffled(sources)[:2]], old=False, style="for", **numbers(gen))
    scope.wrote_all(goal)


def grow_loop(gen, scope, kind, pair=None, made=None, begin=None):
    """`begin`: adds what the body begins with, and says whether more is to follow."""
    made = made or pair or slots(gen, scope)
    first = kind == "while" and not pair and gen.allows("before") and gen.rng.chance(0.5)
    bound, fixed = trips(gen, scope)
    counter = gen.value("index")

    def body(inner):
        if pair:
            here, there = (s.arg for s in pair)
            inner.add("nest", [there, here], old=False, style="for", **numbers(gen))
        if begin is None or begin(inner):
            gen.grow(inner, gen.inner(scope))

    regions, results, style = carry(gen, scope, made, body, [counter], first)
    operands = [bound] if bound else []
    often = 0.5 if gen.allows("affine_if") else 0.2
    affine = kind == "for" and not bound and gen.allows("affine") and gen.rng.chance(often)
    finish_loop(scope, made, kind, operands, results, regions, style, bounded=bool(bound), fixed=fixed,
                affine=affine)  # fmt: skip
    return True


def parts(e, s):
    """(bound's name, initial values, counter, carried arguments, body)"""
    block = s.regions[0]
    bound = s.operands[0] if s.attrs["bounded"] else e.constant(s.attrs["fixed"])
    return bound, s.operands[1 if s.attrs["bounded"] else 0 :], block.args[0], block.args[1:], block


def bindings(args, starts):
    return ", ".join(f"{a} = {b}" for a, b in zip(args, starts))


@emits("for")
def emit_for(e, s):
    if as_branches(e, s):
        emit_cf_loop(e, s)
        return
    bound, starts, counter, args, block = parts(e, s)
    carried = f" iter_args({bindings(args, starts)})" + e.result_types(s) if args else ""
    if s.attrs["affine"]:
        e.line(f"{e.results(s)}affine.for {counter} = 0 to {s.attrs['fixed']}{carried} {{")
        e.yielding(block, "affine.yield")
    else:
        head = f"scf.for {counter} = {e.constant(0)} to {bound} step {e.constant(1)}"
        e.line(f"{e.results(s)}{head}{carried} {{")
        e.yielding(block)
    e.line("}")


@emits("while")
def emit_while(e, s):
    if as_branches(e, s):
        emit_cf_loop(e, s)
        return
    bound, starts, counter, args, block = parts(e, s)
    first = s.regions[1] if len(s.regions) > 1 else None
    before = [(v, v.type) for v in first.args] if first else [
        (e.temporary(), a.type) for a in [counter] + args]  # fmt: skip
    names = ", ".join(str(name) for name, _ in before)
    types = ", ".join(str(type) for _, type in before)
    initial = ", ".join(f"{name} = {v}" for (name, _), v in zip(before, [e.constant(0)] + starts))
    ends = e.temporary()
    results = ", ".join([ends] + [str(v) for v in s.results])
    e.line(f"{results} = scf.while ({initial}) : ({types}) -> ({types}) {{")
    if first:
        e.region(first)
        names = ", ".join(map(str, [first.args[0]] + first.yields))
    e.depth += 1
    more = e.let(f"arith.cmpi slt, {before[0][0]}, {bound} : index")
    e.line(f"scf.condition({more}) {names} : {types}")
    e.depth -= 1
    e.line("} do {")
    e.line("^bb0(" + ", ".join(f"{a}: {a.type}" for a in [counter] + args) + "):")
    e.region(block)
    e.depth += 1
    next = e.let(f"arith.addi {counter}, {e.constant(1)} : index")
    names = ", ".join([next] + [str(v) for v in block.yields])
    e.line(f"scf.yield {names} : {types}")
    e.depth -= 1
    e.line("}")


def emit_cf_loop(e, s):
    bound, starts, counter, args, block = parts(e, s)
    head, inside, end = e.label(), e.label(), e.label()

    def arguments(first, rest):
        names = ", ".join([str(first)] + [str(v) for v in rest])
        return f"({names} : {', '.join(['index'] + [str(v.type) for v in args])})"

    first = s.regions[1] if len(s.regions) > 1 else None
    e.line(f"cf.br {head}{arguments(e.constant(0), starts)}")
    e.start(head, first.args if first else [counter] + args)
    if first:
        e.block(first)
    at, going = (first.args[0], first.yields) if first else (counter, args)
    more = e.let(f"arith.cmpi slt, {at}, {bound} : index")
    on = arguments(at, going) if first else ""
    e.line(f"cf.cond_br {more}, {inside}{on}, {e.target(end, going)}")
    e.start(inside, [counter] + args if first else ())
    e.loops.append((len(e.frames), end, args))
    e.block(block)
    e.loops.pop()
    next = e.let(f"arith.addi {counter}, {e.constant(1)} : index")
    e.line(f"cf.br {head}{arguments(next, block.yields)}")
    e.start(end, s.results)


# ---- Iterations beside each other: each writes its own row of one buffer.


@action("parallel")
def grow_parallel(gen, scope):
    return grow_beside(gen, scope, "parallel")


@action("forall")
def grow_forall(gen, scope):
    return grow_beside(gen, scope, "forall")


def grow_beside(gen, scope, kind):
    if scope.depth >= DEPTH:
        return False
    goal = scope.find(
        lambda v: scope.writable(v) and scope.readable(v) and v.type.rank and 0 < v.dims[0] <= 16
    )
    if goal is None:
        return False
    inner = iteration(gen, scope, goal)
    inner.goal = gen.collector(inner)

    def body():
        call_some(gen, inner, 0.5)
        gen.grow(inner, gen.inner(scope, 0.4))

    fill_row(gen, inner, goal, body)
    scope.add("beside", [goal], [], [inner.block], how=kind, trips=goal.dims[0])
    return True


def iteration(gen, scope, goal):
    """The body of a loop over the rows of a buffer."""
    inner = gen.region(scope, args=[gen.value("index")])
    inner.gone |= roots(goal)
    inner.writable_only = set()
    return inner


def fill_row(gen, inner, goal, grow):
    """What an iteration does, and what it leaves in its row."""
    row = inner.block.args[0]
    inner.add("salt", [inner.goal, row], **numbers(gen))
    inner.salt = inner.goal
    grow()
    inner.add("pause")
    gen.finish(inner)
    sources = [v for v in (inner.goal, inner.find(inner.full)) if v and inner.full(v) and apart(v, goal)]
    inner.gone -= roots(goal)
    inner.add("row", [goal, row] + sources, **numbers(gen))


# What an iteration may do of which there are many: nothing that takes long, and no stack memory of its own.
CROWDED = {"alloc", "write", "mix", "cell", "copy", "sink", "fresh", "transposed", "transfer", "linalg", "subview",
           "cast", "reinterpret", "reshape", "permute", "view", "assume", "select", "pair", "condition", "if",
           "extent", "elements", "moves"}  # fmt: skip


@action("crowd")
def grow_crowd(gen, scope):
    """So many iterations that their buffers do not fit on the stack together: driver.c has a small one."""
    if scope.depth or gen.function.name != "main":
        return False
    kind = gen.rng.pick(["parallel", "forall", "for"])
    goal = filled(gen, scope, MemRef((gen.rng.between(600, 700),), ELEMENTS["i8"]))
    inner = iteration(gen, scope, goal)
    inner.depth = DEPTH  # nothing nested
    inner.goal = filled(gen, inner, MemRef((gen.rng.between(64, 90),), ELEMENTS["i64"]))
    weights, gen.weights = gen.weights, {k: w for k, w in gen.weights.items() if k in CROWDED}

    def body():
        gen.grow(inner, gen.rng.between(1, 4))
        if gen.rng.chance(0.5):
            grow_scoped_alloca(gen, inner)

    fill_row(gen, inner, goal, body)
    gen.weights = weights
    scope.add("crowd", [goal], [], [inner.block], how=kind, trips=goal.dims[0])
    return True


def grow_scoped_alloca(gen, scope):
    inner = gen.region(scope)
    made = allocate(gen, inner, MemRef((gen.rng.between(64, 90),), ELEMENTS["i64"]), "alloca")
    write(gen, inner, made)
    gen.sink(inner, made)
    scope.add("alloca_scope", [], [], [inner.block])


@emits("crowd")
@emits("beside")
def emit_beside(e, s):
    block, trips = s.regions[0], s.attrs["trips"]
    row = block.args[0]
    if s.attrs["how"] == "forall":
        e.line(f"scf.forall ({row}) in ({trips}) {{")
        e.region(block)
    elif s.attrs["how"] == "for":
        e.line(f"scf.for {row} = {e.constant(0)} to {e.constant(trips)} step {e.constant(1)} {{")
        e.region(block)
    else:
        zero, one = e.constant(0), e.constant(1)
        e.line(f"scf.parallel ({row}) = ({zero}) to ({e.constant(trips)}) step ({one}) {{")
        e.region(block, "scf.reduce")
    e.line("}")


@emits("salt")
def emit_salt(e, s):
    goal, row = s.operands

    def body(variables):
        word = e.let(f"arith.index_cast {row} : index to i64")
        e.store(e.mix(e.load(goal, variables), word, s.attrs["factor"], s.attrs["term"]), goal, variables)

    e.nest(goal.dims, "for", body)


@emits("pause")
def emit_pause(e, s):
    e.line("func.call @stow_fuzz_pause() : () -> ()")


@emits("row")
def emit_row(e, s):
    """All elements of the sources go into one row of the goal."""
    goal, row, sources, a = s.operands[0], s.operands[1], s.operands[2:], s.attrs
    if not count(goal.dims):
        return

    def body(source, variables):
        where = [str(row)] + e.spread(variables, goal.dims[1:], a["shift"])
        word = e.mix(e.load(goal, where), e.load(source, variables), a["factor"], a["term"])
        e.store(word, goal, where)

    for source in sources:
        e.nest(source.dims, "for", lambda variables, source=source: body(source, variables))
