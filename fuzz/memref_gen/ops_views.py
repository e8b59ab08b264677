# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other names for the same bytes."""

from dataclasses import replace

from fuzz.memref_gen.actions import action
from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.memtypes import ELEMENT_WEIGHTS, ELEMENTS, Layout, MemRef, count, number
from fuzz.memref_gen.ops_memory import filled
from fuzz.memref_gen.scope import apart


def listed(numbers):
    return ", ".join(map(number, numbers))


def alias(gen, source, type, dims, whole=None):
    whole = source.whole if whole is None else whole
    return gen.value(type, dims=tuple(dims), whole=whole, alias_of=[source])


@action("subview")
def grow_subview(gen, scope):
    source = scope.find(lambda v: scope.readable(v) and v.type.rank and count(v.dims) > 0)
    if source is None:
        return False
    type, shape, attrs = a_part(gen, source.type, source.dims)
    scope.add("subview", [source], [alias(gen, source, type, shape, False)], **attrs)
    return True


def a_part(gen, whole, dims, known=False):
    """(type, sizes, what the statement says) of a part of a buffer of this type; `known`: where it lies."""
    offsets, sizes, steps = [], [], []
    for d in dims:
        step = gen.rng.weighted([(1, 6), (2, 1.5), (3, 0.5)])
        size = gen.rng.between(1, max(1, (d + step - 1) // step))
        step = step if size > 1 else 1
        offsets.append(gen.rng.below(d - (size - 1) * step))
        sizes.append(size)
        steps.append(step)
    given = list(offsets)
    if not known and gen.rng.chance(0.3):
        given[gen.rng.below(len(given))] = None
    inner, base = whole.strides(), whole.offset()
    strides = [None if a is None else a * b for a, b in zip(inner, steps)]
    for offset, stride in zip(given, inner):
        known = base is not None and (offset == 0 or None not in (offset, stride))
        base = base + offset * (stride or 0) if known else None
    shape = list(sizes)
    # All dimensions of one element or none: 22 crashes where it has to tell which.
    drop = gen.rng.chance(0.4)
    kept = [i for i, d in enumerate(sizes) if d != 1 or not drop]
    if len(kept) < len(sizes) and None not in inner:
        shape = [sizes[i] for i in kept]
        strides = [strides[i] for i in kept]
    type = MemRef(tuple(shape), whole.element, whole.space, Layout(tuple(strides), base))
    return type, shape, {"offsets": offsets, "given": given, "sizes": sizes, "steps": steps}


@emits("subview")
def emit_subview(e, s):
    source, result, a = s.operands[0], s.results[0], s.attrs
    offsets = ", ".join(
        str(known) if given is not None else opaque(e, known)
        for known, given in zip(a["offsets"], a["given"])
    )
    where = f"[{offsets}] [{listed(a['sizes'])}] [{listed(a['steps'])}]"
    e.line(f"{result} = memref.subview {source}{where} : {source.type} to {result.type}")


def opaque(e, number):
    """An index that folds, but not before a pass that looks at the type."""
    return e.constant(number)


@action("cast")
def grow_cast(gen, scope):
    source = scope.find(lambda v: v.type.rank > 0)
    if source is None:
        return False
    t = source.type
    shape = tuple(None if gen.rng.chance(0.5) else d for d in t.shape)
    type = replace(t, shape=shape)
    if gen.rng.chance(0.4) or t.layout:
        type = type.with_layout((None,) * t.rank, None)
    elif None in t.shape and gen.rng.chance(0.5):
        type = replace(t, shape=source.dims)
    if type == t:
        return False
    scope.add("cast", [source], [alias(gen, source, type, source.dims)])
    return True


@emits("cast")
def emit_cast(e, s):
    source, result = s.operands[0], s.results[0]
    e.line(f"{result} = memref.cast {source} : {source.type} to {result.type}")


@action("reinterpret")
def grow_reinterpret(gen, scope):
    source = scope.find(lambda v: v.type.plain and v.type.rank and count(v.dims) > 0)
    if source is None:
        return False
    total = count(source.dims)
    offset = gen.rng.below(total) if gen.rng.chance(0.5) else 0
    size = total - offset if gen.rng.chance(0.5) else gen.rng.between(1, total - offset)
    whole = source.whole and offset == 0 and size == total
    layout = Layout((1,), offset) if offset or gen.rng.chance(0.4) else None
    type = MemRef((size,), source.type.element, source.type.space, layout)
    scope.add("reinterpret", [source], [alias(gen, source, type, (size,), whole)], offset=offset)
    return True


@emits("reinterpret")
def emit_reinterpret(e, s):
    source, result, offset = s.operands[0], s.results[0], s.attrs["offset"]
    where = f"offset: [{offset}], sizes: [{result.dims[0]}], strides: [1]"
    e.line(f"{result} = memref.reinterpret_cast {source} to {where} : {source.type} to {result.type}")


@action("reshape")
def grow_reshape(gen, scope):
    source = scope.find(lambda v: v.type.plain and v.type.rank and count(v.dims) > 0)
    if source is None:
        return False
    dims = source.dims
    if len(dims) > 1 and gen.rng.chance(0.5):
        at = gen.rng.below(len(dims) - 1)
        shape = dims[:at] + (dims[at] * dims[at + 1],) + dims[at + 2 :]
        kind = "collapse_shape"
    else:
        if len(dims) >= 3:
            return False
        at = gen.rng.below(len(dims))
        part = gen.rng.pick([n for n in range(1, dims[at] + 1) if dims[at] % n == 0])
        shape = dims[:at] + (part, dims[at] // part) + dims[at + 1 :]
        kind = "expand_shape"
    type = replace(source.type, shape=shape)
    scope.add("reshape", [source], [alias(gen, source, type, shape)], how=kind, at=at)
    return True


@emits("reshape")
def emit_reshape(e, s):
    source, result, at = s.operands[0], s.results[0], s.attrs["at"]
    groups, i = [], 0
    for group in range(min(source.type.rank, result.type.rank)):
        size = 2 if group == at else 1
        groups.append(f"[{', '.join(str(i + k) for k in range(size))}]")
        i += size
    sizes = f" output_shape [{listed(result.dims)}]" if s.attrs["how"] == "expand_shape" else ""
    types = f"{source.type} into {result.type}"
    e.line(f"{result} = memref.{s.attrs['how']} {source} [{', '.join(groups)}]{sizes} : {types}")


@action("permute")
def grow_permute(gen, scope):
    source = scope.find(lambda v: v.type.rank >= 2 and v.type.static and count(v.dims) > 0)
    if source is None:
        return False
    order = gen.rng.shuffled(range(source.type.rank))
    strides = source.type.strides()
    shape = tuple(source.dims[i] for i in order)
    type = replace(source.type, shape=shape).with_layout([strides[i] for i in order], source.type.offset())
    scope.add("permute", [source], [alias(gen, source, type, shape)], order=order)
    return True


@emits("permute")
def emit_permute(e, s):
    source, result, order = s.operands[0], s.results[0], s.attrs["order"]
    names = [f"d{i}" for i in range(len(order))]
    mapped = f"({', '.join(names)}) -> ({', '.join(names[i] for i in order)})"
    e.line(f"{result} = memref.transpose {source} {mapped} : {source.type} to {result.type}")


@action("view")
def grow_view(gen, scope):
    """Typed elements in a buffer of bytes, as an arena has them."""
    def fits(v):
        return v.type.plain and v.type.element.text == "i8" and v.type.rank == 1 and v.align >= 32

    source = scope.find(lambda v: fits(v) and scope.readable(v) and v.dims[0] > 0)
    if source is None:
        source = filled(gen, scope, MemRef((gen.rng.between(40, 160),), ELEMENTS["i8"]), align=64)
    found = ELEMENTS[gen.rng.weighted(ELEMENT_WEIGHTS)]
    if not found.viewable or found.bytes > source.dims[0]:
        return False
    shift = gen.rng.below((source.dims[0] - found.bytes) // found.bytes + 1) * found.bytes
    room = (source.dims[0] - shift) // found.bytes
    dims = (gen.rng.between(1, room),)
    if gen.rng.chance(0.4) and room >= 4:
        dims = (2, gen.rng.between(1, room // 2))
    shape = (None,) + dims[1:] if gen.rng.chance(0.2) else dims
    type = MemRef(shape, found, source.type.space)
    scope.add("view", [source], [alias(gen, source, type, dims, False)], shift=shift)
    return True


@emits("view")
def emit_view(e, s):
    source, result = s.operands[0], s.results[0]
    sizes = ", ".join(e.constant(d) for d, shown in zip(result.dims, result.type.shape) if shown is None)
    at = e.constant(s.attrs["shift"])
    e.line(f"{result} = memref.view {source}[{at}][{sizes}] : {source.type} to {result.type}")


@action("assume")
def grow_assume(gen, scope):
    source = scope.find(lambda v: v.align >= 8)
    if source is None:
        return False
    result = alias(gen, source, source.type, source.dims)
    result.align = source.align
    scope.add("assume", [source], [result])
    return True


@emits("assume")
def emit_assume(e, s):
    source, result = s.operands[0], s.results[0]
    e.line(f"{result} = memref.assume_alignment {source}, {source.align} : {source.type}")


@action("distinct")
def grow_distinct(gen, scope):
    first = scope.find(scope.readable)
    other = first and scope.find(lambda v: scope.readable(v) and apart(v, first))
    if not other:
        return False
    scope.add("distinct", [first, other], [alias(gen, v, v.type, v.dims) for v in (first, other)])
    return True


@emits("distinct")
def emit_distinct(e, s):
    a, b = s.results
    e.line(f"{a}, {b} = memref.distinct_objects{e.typed(s.operands)}")


@action("select")
def grow_select(gen, scope):
    choice = scope.scalar("i1")
    first = scope.find(scope.readable)
    other = first and scope.find(
        lambda v: scope.readable(v) and v is not first and v.type == first.type and v.dims == first.dims
    )
    if not other or not choice:
        return False
    result = gen.twin(first, alias_of=[first, other])
    result.whole = first.whole and other.whole
    scope.add("select", [choice, first, other], [result])
    return True


@emits("select")
def emit_select(e, s):
    choice, first, other = s.operands
    e.line(f"{s.results[0]} = arith.select {choice}, {first}, {other} : {first.type}")


# ---- Names that take the ownership with them.


@action("pair")
def grow_pair(gen, scope):
    """(s, t) = c ? (a, b) : (b, a); the frees go by s and t."""
    choice = scope.scalar("i1")
    from_here = scope.memrefs() if gen.unowned else scope.mine()
    mine = [v for v in from_here if scope.readable(v)][:20]
    pairs = [(a, b) for a in mine for b in mine if a is not b and a.type == b.type and a.dims == b.dims]
    if not choice:
        return False
    if pairs:
        a, b = gen.rng.pick(pairs)
    else:
        type = gen.type()
        a, b = filled(gen, scope, type), filled(gen, scope, type)
    if gen.unowned:
        whole = a.whole and b.whole
        results = [gen.value(a.type, dims=a.dims, whole=whole, alias_of=[a, b]) for _ in range(2)]
    else:
        results = [gen.owned(a.type, dims=a.dims) for _ in range(2)]
    scope.add("pair", [choice, a, b], results, moves=[] if gen.unowned else [a, b])
    scope.written |= set(results)
    return True


@emits("pair")
def emit_pair(e, s):
    choice, a, b = s.operands
    e.line(f"{s.results[0]} = arith.select {choice}, {a}, {b} : {a.type}")
    e.line(f"{s.results[1]} = arith.select {choice}, {b}, {a} : {a.type}")


@action("recast")
def grow_recast(gen, scope):
    mine = [v for v in scope.mine() if v.type.plain and v.type.rank and scope.readable(v)]
    if not mine:
        return False
    source = gen.rng.pick(mine)
    type = replace(source.type, shape=(None,) + source.type.shape[1:])
    result = gen.owned(type, dims=source.dims)
    scope.add("cast", [source], [result], moves=[source])
    scope.written.add(result)
    return True
