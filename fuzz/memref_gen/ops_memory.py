# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers: made, written, mixed, copied."""

from dataclasses import replace

from fuzz.memref_gen.actions import action
from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.memtypes import ELEMENTS, MemRef, count
from fuzz.memref_gen.scope import apart
from fuzz.memref_gen.tree import roots

# ---- Scalars read from the control buffer at a function's start.


def scalars(gen, scope, control):
    for i, type in enumerate(["i1", "i1", "i1", "index", "index", "i64"]):
        scope.add("scalar", [control], [gen.value(type)], slot=i)
        gen.symbols.add(scope.values[-1])


@emits("scalar")
def emit_scalar(e, s):
    source, result = s.operands[0], s.results[0]
    word = e.let(f"memref.load {source}[{e.constant(s.attrs['slot'])}] : {source.type}")
    emit_as(e, word, result)


def emit_as(e, word, result):
    """Cuts an i64 down to the type of `result`; an index becomes 0..3."""
    if result.type == "i1":
        e.line(f"{result} = arith.trunci {word} : i64 to i1")
    elif result.type == "index":
        small = e.let(f"arith.andi {word}, {e.constant(3, 'i64')} : i64")
        e.line(f"{result} = arith.index_cast {small} : i64 to index")
    else:
        e.line(f"{result} = arith.ori {word}, {e.constant(1, 'i64')} : i64")


@action("condition")
def grow_condition(gen, scope):
    source = scope.find(scope.full)
    if source is None:
        return False
    kind = gen.rng.weighted([("i1", 6), ("index", 2), ("i64", 2)])
    scope.add("condition", [source], [gen.value(kind)], shift=gen.rng.below(30))
    return True


@emits("condition")
def emit_condition(e, s):
    source, result = s.operands[0], s.results[0]
    word = e.load(source, [e.constant(s.attrs["shift"] % d) for d in source.dims])
    emit_as(e, word, result)


# ---- Allocations.


def natural(type):
    return type.element.bytes


def alignment(gen, type):
    if not gen.allows("alignment") or gen.rng.chance(0.6):
        return 0
    return gen.rng.pick([a for a in (8, 16, 32, 64, 128, 256) if a >= natural(type)])


def allocate(gen, scope, type, kind="alloc", **fields):
    align = alignment(gen, type)
    fields = {"align": align, **fields}
    made = gen.owned(type, **fields) if kind != "alloca" else gen.value(type, whole=True, align=align, stack=True)
    scope.add(kind, results=[made])
    if count(made.dims) == 0:
        scope.written.add(made)
    return made


def filled(gen, scope, type, dims=None, **fields):
    """An allocation that is written at once."""
    if type.static:
        made = allocate(gen, scope, type, **fields)
    else:
        made = allocate_sized(gen, scope, type, dims)
    write(gen, scope, made)
    return made


def allocate_sized(gen, scope, type, dims):
    """Its type tells some of its sizes only."""
    made = gen.owned(type, dims=dims)
    scope.add("dynamic", results=[made])
    if count(dims) == 0:
        scope.written.add(made)
    return made


@action("alloc")
def grow_alloc(gen, scope):
    made = allocate(gen, scope, gen.type())
    if gen.rng.chance(0.6):
        write(gen, scope, made)
    return True


@action("fresh")
def grow_fresh(gen, scope):
    """Several at once, written one after the other, each from the one before:
    the shape of a network's activations."""
    made = [allocate(gen, scope, gen.type()) for _ in range(gen.rng.between(2, 4))]
    for value in made:
        write(gen, scope, value)
        if gen.rng.chance(0.3):
            gen.sink(scope, value)
    return True


@action("alloca")
def grow_alloca(gen, scope):
    if scope.beside:
        return False
    write(gen, scope, allocate(gen, scope, replace(gen.type(), space=0), "alloca"))
    return True


@action("dynamic")
def grow_dynamic(gen, scope):
    dims = gen.type().shape
    if not dims or not count(dims):
        return False
    type = MemRef((None,) * len(dims), gen.element())
    write(gen, scope, allocate_sized(gen, scope, type, dims))
    return True


@action("extent")
def grow_extent(gen, scope):
    """The size of a buffer, as that of another one or as a number. The buffer may be freed before: this
    is no use of its memory."""
    sources = [v for v in scope.visible() if isinstance(v.type, MemRef) and v.type.rank]
    if not sources:
        return False
    source = gen.rng.pick(sources)
    at = gen.rng.below(source.type.rank)
    size = source.dims[at]
    others = [v for v in sources if v.type.rank > at and v.dims[at] == size]
    chosen = [scope.scalar("i1"), source, gen.rng.pick(others)]
    if size and gen.rng.chance(0.6):
        made = gen.owned(MemRef((None,), gen.element()), dims=(size,))
        scope.add("sized_by", results=[made], of=chosen, at=at)
        write(gen, scope, made)
    elif scope.writable(gen.out) and scope.full(gen.out):
        scope.add("measured", [gen.out], of=chosen, at=at, shift=gen.rng.below(50))
    return True


def extent(e, s):
    """Of one of two buffers."""
    choice, *buffers = s.attrs["of"]
    sizes = [e.let(f"memref.dim {v}, {e.constant(s.attrs['at'])} : {v.type}") for v in buffers]
    return e.let(f"arith.select {choice}, {sizes[0]}, {sizes[1]} : index") if choice else sizes[0]


@emits("sized_by")
def emit_sized_by(e, s):
    e.line(f"{s.results[0]} = memref.alloc({extent(e, s)}) : {s.results[0].type}")


@emits("measured")
def emit_measured(e, s):
    goal = s.operands[0]
    where = [e.constant(s.attrs["shift"] % d) for d in goal.dims]
    word = e.let(f"arith.index_cast {extent(e, s)} : index to i64")
    e.store(e.mix(e.load(goal, where), word, 5, 7), goal, where)


@action("clone")
def grow_clone(gen, scope):
    """Where clones are not yet made copies, neither side may be written again."""
    source = scope.find(lambda v: scope.readable(v) and v.type.plain and v.type.space == 0)
    if source is None:
        return False
    if not gen.strict_clones:
        made = gen.owned(source.type)
    elif roots(source) <= scope.locals - set(gen.function.body.args):
        made = gen.owned(source.type, constant=True)
        for root in roots(source):
            root.constant = True
    else:
        return False
    scope.add("clone", [source], [made])
    scope.written.add(made)
    return True


@action("table")
def grow_table(gen, scope):
    made = gen.value(MemRef((16,), ELEMENTS["i32"]), whole=True, constant=True)
    scope.add("table", results=[made])
    scope.written.add(made)
    return True


def attributes(value):
    return f" {{alignment = {value.align} : i64}}" if value.align else ""


@emits("alloc")
def emit_alloc(e, s):
    made = s.results[0]
    e.line(f"{made} = memref.alloc(){attributes(made)} : {made.type}")


@emits("alloca")
def emit_alloca(e, s):
    made = s.results[0]
    e.line(f"{made} = memref.alloca(){attributes(made)} : {made.type}")


@emits("dynamic")
def emit_dynamic(e, s):
    made = s.results[0]
    sizes = ", ".join(e.constant(d) for d, told in zip(made.dims, made.type.shape) if told is None)
    e.line(f"{made} = memref.alloc({sizes}) : {made.type}")


@emits("clone")
def emit_clone(e, s):
    source, made = s.operands[0], s.results[0]
    e.line(f"{made} = bufferization.clone {source} : {source.type} to {made.type}")


@emits("table")
def emit_table(e, s):
    made = s.results[0]
    e.line(f"{made} = memref.get_global @stow_fuzz_table : {made.type}")


# ---- Writing and mixing.


def style(gen, rng):
    return rng.weighted([("for", 5), ("affine", 2 if gen.allows("affine") else 0),
                         ("parallel", 1 if gen.allows("parallel") else 0)])  # fmt: skip


def numbers(gen):
    return {"factor": gen.rng.odd(), "term": gen.rng.odd(), "shift": gen.rng.below(50)}


def write(gen, scope, goal):
    """Writes every element of `goal` without reading it."""
    sources = [v for v in (scope.find(lambda v: scope.full(v) and apart(v, goal))
                           for _ in range(gen.rng.below(3))) if v]  # fmt: skip
    salt = scope.salt
    if salt and scope.full(salt) and apart(salt, goal):
        scope.add("nest", [goal, salt] + sources, old=False, style=style(gen, gen.rng), **numbers(gen))
    elif gen.allows("linalg") and gen.rng.chance(0.4):
        same = scope.find(lambda v: scope.full(v) and apart(v, goal) and v.dims == goal.dims)
        kind = "generic" if same else "fill"
        scope.add(kind, [goal, same] if same else [goal], old=False, **numbers(gen))
    else:
        scope.add("nest", [goal] + sources, old=False, style=style(gen, gen.rng), **numbers(gen))
    scope.wrote_all(goal)


@action("write")
def grow_write(gen, scope):
    """A first write, or a second life for a buffer whose contents are dead."""
    def wanted(v):
        return v.whole and scope.writable(v) and (not scope.readable(v) or gen.rng.chance(0.2))

    goal = scope.find(lambda v: v is not gen.out and wanted(v))
    if goal is None:
        return False
    write(gen, scope, goal)
    return True


@action("mix")
def grow_mix(gen, scope):
    goal = scope.find(lambda v: scope.writable(v) and scope.readable(v))
    if goal is None:
        return False
    source = scope.find(lambda v: scope.full(v) and apart(v, goal))
    how = style(gen, gen.rng)
    sources = [source] if source else []
    if gen.allows("linalg") and source and source.dims == goal.dims:
        scope.add("generic", [goal, source], old=True, **numbers(gen))
    else:
        scope.add("nest", [goal] + sources, old=True, style=how, **numbers(gen))
    return True


@action("hole")
def grow_hole(gen, scope):
    """Read, dead for a while, written anew."""
    value = scope.find(lambda v: v.whole and v is not gen.out and scope.writable(v) and scope.full(v))
    if value is None:
        return False
    gen.sink(scope, value)
    gen.grow(scope, gen.rng.between(1, 4))
    if scope.writable(value) and scope.alive(value):
        write(gen, scope, value)
    return True


@action("sink")
def grow_sink(gen, scope):
    source = scope.find(lambda v: scope.full(v) and v is not gen.out)
    if source is None:
        return False
    gen.sink(scope, source)
    return True


@action("cell")
def grow_cell(gen, scope):
    goal = scope.find(lambda v: scope.writable(v) and scope.full(v))
    if goal is None:
        return False
    scope.add("cell", [goal], **numbers(gen))
    return True


@action("copy")
def grow_copy(gen, scope):
    source = scope.find(scope.readable)
    if source is None:
        return False

    def fits(v):
        return (scope.writable(v) and apart(v, source) and v.dims == source.dims
                and v.type.element == source.type.element and v.type.space == source.type.space)  # fmt: skip

    goal = scope.find(fits)
    if goal is None:
        if not source.type.plain or gen.rng.chance(0.3):
            return False
        goal = allocate(gen, scope, source.type)
    linalg = gen.allows("linalg") and gen.rng.chance(0.3)
    scope.add("linalg_copy" if linalg else "copy", [source, goal])
    scope.wrote_all(goal)
    return True


@emits("nest")
def emit_nest(e, s):
    goal, sources, a = s.operands[0], s.operands[1:], s.attrs
    racing = any(roots(goal) & roots(source) for source in sources)
    how = "for" if racing else a["style"]
    dialect = "affine" if how == "affine" and goal.type.plain else "memref"

    def body(variables):
        word = e.constant(a["term"], "i64")
        for step, variable in enumerate(variables):
            number = e.let(f"arith.index_cast {variable} : index to i64")
            word = e.mix(word, number, a["factor"], a["term"] + 2 * step)
        for source in sources:
            read = e.load(source, e.spread(variables, source.dims, a["shift"]))
            word = e.mix(word, read, a["factor"], a["term"])
        if a["old"]:
            word = e.mix(e.load(goal, variables, dialect), word, a["factor"], a["term"])
        e.store(word, goal, variables, dialect)

    e.nest(goal.dims, how, body)


@emits("sink")
def emit_sink(e, s):
    goal, source, a = s.operands[0], s.operands[1], s.attrs

    def body(variables):
        where = e.spread(variables, goal.dims, a["shift"])
        word = e.mix(e.load(goal, where), e.load(source, variables), a["factor"], a["term"])
        e.store(word, goal, where)

    e.nest(source.dims, "for", body)


@emits("cell")
def emit_cell(e, s):
    goal, a = s.operands[0], s.attrs
    where = [e.constant(a["shift"] % d) for d in goal.dims]
    e.store(e.mix(e.load(goal, where), e.constant(a["term"], "i64"), a["factor"], 1), goal, where)


@emits("copy")
def emit_copy(e, s):
    source, goal = s.operands
    e.line(f"memref.copy {source}, {goal} : {source.type} to {goal.type}")


@emits("linalg_copy")
def emit_linalg_copy(e, s):
    source, goal = s.operands
    e.line(f"linalg.copy ins({source} : {source.type}) outs({goal} : {goal.type})")
