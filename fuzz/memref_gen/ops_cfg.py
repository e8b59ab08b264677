# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks that jump where they like: a *maze*.

A maze is a statement with one region per block of a CFG. All blocks take the
same arguments: fuel, which ends a walk that goes in circles, and the carried
buffers. `targets[i]` lists where block i may go, `len(regions)` being the way
out; its yields are the operands for one target after the other. A maze with two
entries is irreducible as soon as these reach each other; one that only goes
forward has no fuel to check.

Which buffer a lent argument is cannot be told ahead: all arguments of one type
may be any of a *pool*, the buffers that come in and those that blocks make.
"""

from fuzz.memref_gen.actions import action
from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.ops_control import DEPTH
from fuzz.memref_gen.ops_loops import Slot, a_start
from fuzz.memref_gen.ops_memory import write
from fuzz.memref_gen.scope import apart
from fuzz.memref_gen.yields import hand_on


class Carried(Slot):
    def __init__(self, gen, moved, start):
        super().__init__(gen, moved, start)
        self.pool = [start]  # what an argument may be, if it is lent

    def name(self):
        name = super().name()
        if not self.moved:
            name.alias_of, name.whole = self.pool, all(v.whole for v in self.pool)
        return name


def carried(gen, scope):
    made = []
    for _ in range(gen.rng.weighted([(0, 2), (1, 4), (2, 4), (3, 2)])):
        moved, start = a_start(gen, scope)
        if start and all(apart(c.start, start) for c in made if c.moved or moved):
            made.append(Carried(gen, moved, start))
    return made


def share_pools(gen, made, number):
    """Carried buffers of one type share a pool. Gives, per block, the buffers it
    makes for it."""
    lent = [c for c in made if not c.moved]
    for c in lent:
        first = next(other for other in lent if other.like(c))
        if first is not c:
            first.pool.append(c.start)
            c.pool = first.pool
    fresh = [[] for _ in range(number)]
    for c in lent:
        if gen.unowned and c.start.type.plain:
            for block in fresh:
                if gen.rng.chance(0.4):
                    block.append(gen.value(c.start.type, whole=True))
                    c.pool.append(block[-1])
    return fresh


def ways_out(gen, number, forward):
    """Where each block may go."""
    targets = []
    for i in range(number):
        first = i + 1 if forward else 0
        found = [gen.rng.between(first, number) for _ in range(gen.rng.between(1, 3))]
        targets.append(sorted(set(found)) if forward else [number] + found)
    return targets


def connect(targets, entries):
    """Adds jumps so that every block is reached: conversions leave others alone."""
    lost = unreached(targets, entries)
    while lost:
        targets[lost[0] - 1].append(lost[0])
        lost = unreached(targets, entries)


def unreached(targets, entries):
    reached, todo = {len(targets)}, list(entries)
    while todo:
        at = todo.pop()
        if at not in reached:
            reached.add(at)
            todo += targets[at]
    return [i for i in range(len(targets)) if i not in reached]


@action("maze")
def grow_maze(gen, scope):
    if scope.depth >= DEPTH - 1:
        return False
    made, number = carried(gen, scope), gen.rng.between(2, 5)
    fresh = share_pools(gen, made, number)
    forward = gen.rng.chance(0.4)
    targets = ways_out(gen, number, forward)
    choice = scope.scalar("i1")
    entries = [0] + ([gen.rng.below(number)] if choice and gen.rng.chance(0.5) else [])
    connect(targets, entries)
    budget = max(1, gen.inner(scope) * 2 // number)
    regions = [
        grow_block(gen, scope, made, fresh[i], len(targets[i]), budget) for i in range(number)
    ]
    results = [c.name() for c in made]
    operands = ([choice] if choice else []) + [c.start for c in made]
    scope.add("maze", operands, results, regions, [c.start for c in made if c.moved],
              targets=targets, entries=entries, forward=forward, choice=bool(choice),
              fuel=gen.rng.between(1, 7), odd=gen.rng.odd())  # fmt: skip
    scope.written |= set(results)
    return True


def grow_block(gen, scope, made, fresh, ways, budget):
    fuel, args = gen.value("index"), [c.name() for c in made]
    inner = gen.region(scope, [fuel] + args, blocks_allowed=scope.blocks_allowed or "region")
    inner.loop = inner.loop and bool(scope.blocks_allowed)
    inner.gone |= {c.start for c in made if c.moved}
    early = gen.rng.chance(0.5)
    if early:
        make(gen, inner, fresh)
    gen.grow(inner, gen.rng.between(0, budget))
    if not early:
        make(gen, inner, fresh)
    gen.finish(inner)
    handed = {c: hand_on(gen, inner, c.start.type, c.start.dims) for c in made if c.moved}
    for _ in range(ways):
        for c in made:
            inner.block.yields.append(handed[c] if c.moved else passed(gen, made, c, args, fresh))
    return inner.block


def make(gen, inner, fresh):
    for value in fresh:
        inner.add("alloc", results=[value])
        write(gen, inner, value)


def passed(gen, made, c, args, fresh):
    """Some buffer of the pool that this block knows, the new ones being likelier."""
    own = [v for v in fresh if v in c.pool]
    known = [a for a, other in zip(args, made) if not other.moved and other.like(c)]
    starts = [other.start for other in made if not other.moved and other.like(c)]
    return gen.rng.pick(own if own and gen.rng.chance(0.6) else own + known * 2 + starts)


# ---- Emission.


@emits("maze")
def emit_maze(e, s):
    if e.blocks_allowed:
        emit_blocks(e, s)
        return
    e.line(f"{e.results(s)}scf.execute_region{e.result_types(s)} {{")
    allowed, loops = e.blocks_allowed, e.loops
    e.blocks_allowed, e.loops = "region", []
    e.depth += 1
    inside = [e.temporary() for _ in s.results]
    emit_blocks(e, s, inside)
    types = ", ".join(str(v.type) for v in s.results)
    e.line("scf.yield" + (f" {', '.join(inside)} : {types}" if inside else ""))
    e.depth -= 1
    e.blocks_allowed, e.loops = allowed, loops
    e.line("}")


def emit_blocks(e, s, names=None):
    """The blocks, and the one they lead to, which has the results as arguments,
    by other `names` if need be."""
    labels = [e.label() for _ in s.regions]
    end = e.label()
    starts = s.operands[1 if s.attrs["choice"] else 0 :]
    enter(e, s, [f"{labels[i]}{passing(e.constant(s.attrs['fuel']), starts)}" for i in s.attrs["entries"]])
    for i, region in enumerate(s.regions):
        e.start(labels[i], region.args)
        e.block(region)
        if not e.returned(region):
            leave(e, s, i, labels, end)
    listed = ", ".join(f"{n}: {v.type}" for n, v in zip(names or s.results, s.results))
    e.lines.append("  " * (e.depth - 1) + end + (f"({listed}):" if listed else ":"))


def passing(fuel, values):
    names = ", ".join([str(fuel)] + [str(v) for v in values])
    return f"({names} : {', '.join(['index'] + [str(v.type) for v in values])})"


def enter(e, s, targets):
    if len(targets) == 1:
        e.line(f"cf.br {targets[0]}")
    else:
        e.line(f"cf.cond_br {s.operands[0]}, {', '.join(targets)}")


def leave(e, s, i, labels, end):
    """From the end of block i to one of its targets."""
    region, number, slots = s.regions[i], len(s.regions), len(s.results)
    fuel, next = region.args[0], None
    if not s.attrs["forward"]:
        next = e.let(f"arith.subi {fuel}, {e.constant(1)} : index")
    texts, plain = [], True
    for way, target in enumerate(s.attrs["targets"][i]):
        values = region.yields[way * slots : (way + 1) * slots]
        plain = plain and not e.several & set(values)
        texts.append(e.target(end, values) if target == number
                     else labels[target] + passing(next or fuel, values))  # fmt: skip
    if not s.attrs["forward"]:
        more, on = e.let(f"arith.cmpi sgt, {fuel}, {e.constant(0)} : index"), e.label()
        e.line(f"cf.cond_br {more}, {on}, {texts.pop(0)}")
        e.start(on)
    choose(e, s, i, fuel, texts, plain)


def choose(e, s, i, fuel, texts, plain):
    """22 prints a switch that passes on one of several results (`%1#0`), but does
    not read it; if not `plain`, blocks between pass them on."""
    if len(texts) == 1:
        e.line(f"cf.br {texts[0]}")
        return
    mixed = e.let(f"arith.muli {fuel}, {e.constant(s.attrs['odd'] % 1001 + 2 * i + 1)} : index")
    if s.attrs["choice"]:
        flag = e.let(f"arith.extui {s.operands[0]} : i1 to i64")
        flag = e.let(f"arith.index_cast {flag} : i64 to index")
        mixed = e.let(f"arith.addi {mixed}, {flag} : index")
    mixed = e.let(f"arith.remui {mixed}, {e.constant(len(texts))} : index")
    if len(texts) == 2:
        flag = e.let(f"arith.cmpi eq, {mixed}, {e.constant(0)} : index")
        e.line(f"cf.cond_br {flag}, {', '.join(texts)}")
        return
    flag = e.let(f"arith.index_cast {mixed} : index to i32")
    between = [] if plain else [(e.label(), text) for text in texts]
    texts = texts if plain else [label for label, _ in between]
    cases = "".join(f",\n    {k}: {text}" for k, text in enumerate(texts[1:]))
    e.line(f"cf.switch {flag} : i32, [\n  default: {texts[0]}{cases}\n  ]")
    for label, text in between:
        e.start(label)
        e.line(f"cf.br {text}")
