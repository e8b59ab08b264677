# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other names of buffers, with sizes of their own."""

from fuzz.dynamic_gen.actions import action
from fuzz.dynamic_gen.buffers import allocate, some_condition, some_dims
from fuzz.dynamic_gen.sizes import Size, corners, union
from fuzz.memref_gen.memtypes import ELEMENTS, Layout, MemRef


def whole(scope, accept=lambda b: True):
    return scope.readable(lambda b: b.dims and b.type.layout is None and accept(b))


def product(scope, sizes):
    """A size: the product of these."""
    total = sizes[0]
    for s in sizes[1:]:
        a, b = total, s
        total = scope.size(f"arith.muli {a}, {b} : index", lambda t: corners(lambda x, y: x * y, a.ranges[t], b.ranges[t]))
    return total


@action
def subview(scope):
    """The last elements of a dimension, or the first."""
    found = whole(scope, lambda b: len(b.dims) <= 2)
    if not found:
        return False
    source = scope.rng.pick(found)
    with scope.together():
        offsets, sizes = [], []
        for i, d in enumerate(source.dims):
            d = d if isinstance(d, Size) else scope.fixed(d)
            part, rest = split(scope, d)
            first = scope.rng.chance(0.5)
            offsets.append("0" if first else rest.name)
            sizes.append(part)
        strides = source.type.strides()
        constant = all(o == "0" for o in offsets)
        type = MemRef((None,) * len(sizes), source.type.element, 0, Layout(tuple(strides), 0 if constant else None))
        listed = ", ".join(s.name for s in sizes)
        scope.alias(f"memref.subview {source}[{', '.join(offsets)}] [{listed}] [{', '.join(['1'] * len(sizes))}] : "
                    f"{source.type} to {type}", type, sizes, source)  # fmt: skip


def split(scope, d):
    """(a size of at most d, what is left of d)"""
    kind, k = scope.rng.below(3), scope.rng.pick((2, 3, 5))
    c = scope.constant(k)
    if kind == 0:
        text, function = f"arith.ceildivui {d}, {c} : index", lambda x: -(-x // k)
    elif kind == 1:
        text, function = f"arith.minui {d}, {c} : index", lambda x: min(x, k)
    else:
        text, function = f"arith.divui {d}, {c} : index", lambda x: x // k
    part = scope.size(text, lambda t: corners(function, d.ranges[t]))
    rest = scope.size(f"arith.subi {d}, {part} : index",
                      lambda t: tuple(x - function(x) for x in d.ranges[t]))  # fmt: skip
    return part, rest


@action
def cast(scope):
    found = whole(scope)
    if not found:
        return False
    source = scope.rng.pick(found)
    rank = len(source.dims)
    if source.type.static:
        type = MemRef((None,) * rank, source.type.element)
    else:
        type = MemRef((None,) * rank, source.type.element, 0, Layout((None,) * rank, None))
    scope.alias(f"memref.cast {source} : {source.type} to {type}", type, source.dims, source)


@action
def collapse(scope):
    found = whole(scope, lambda b: len(b.dims) == 2)
    if not found:
        return False
    source = scope.rng.pick(found)
    dims = [d if isinstance(d, Size) else scope.fixed(d) for d in source.dims]
    if not all(d.within(0, 6000, scope.active) for d in dims):
        return False
    a, b = source.type.shape
    type = MemRef((None if a is None or b is None else a * b,), source.type.element)
    with scope.together():
        if type.static:
            total = a * b
        else:
            total = product(scope, dims)
        scope.alias(f"memref.collapse_shape {source} [[0, 1]] : {source.type} into {type}", type, [total], source)


def flat(scope):
    """(an allocation of n times m in one dimension, n, m); None if none fits"""
    dims = some_dims(scope, 2)
    if dims is None:
        return None
    if scope.rng.chance(0.5):
        dims[1] = scope.rng.pick((2, 3, 4, 8))
    n, m = sizes = [d if isinstance(d, Size) else scope.fixed(d) for d in dims]
    if not scope.fits(sizes):
        return None
    return allocate(scope, scope.gen.element(), [product(scope, sizes)], write=True), n, dims[1]


@action
def expand(scope):
    """An allocation of n times m, as n by m. Upstream lowers expand_shape with one dynamic dim."""
    with scope.together():
        found = flat(scope)
        if found is None:
            return False
        source, n, m = found
        if isinstance(m, int):
            type = MemRef((None, m), source.type.element)
            scope.alias(f"memref.expand_shape {source} [[0, 1]] output_shape [{n}, {m}] : {source.type} into {type}",
                        type, [n, m], source)  # fmt: skip
        else:
            type = MemRef((None, None), source.type.element, 0, Layout((None, 1), 0))
            scope.alias(f"memref.reinterpret_cast {source} to offset: [0], sizes: [{n}, {m}], strides: [{m}, 1] : "
                        f"{source.type} to {type}", type, [n, m], source)  # fmt: skip
    return True


@action
def transpose(scope):
    found = whole(scope, lambda b: len(b.dims) == 2)
    if not found:
        return False
    source = scope.rng.pick(found)
    strides = source.type.strides()
    type = MemRef(source.type.shape[::-1], source.type.element, 0, Layout(strides[::-1], 0))
    scope.alias(f"memref.transpose {source} (a, b) -> (b, a) : {source.type} to {type}", type, source.dims[::-1], source)


@action
def view(scope):
    """Bytes as elements, as arenas have it."""
    dims = some_dims(scope, 1)
    if dims is None:
        return False
    element = ELEMENTS[scope.rng.pick(("i8", "f32", "i64", "i16"))]
    with scope.together():
        count = product(scope, [d if isinstance(d, Size) else scope.fixed(d) for d in dims])
        wide = product(scope, [count, scope.fixed(element.bytes)])
        shift = scope.fixed(64 * scope.rng.below(2))
        total = scope.size(f"arith.addi {wide}, {shift} : index", lambda t: corners(lambda x, y: x + y, wide.ranges[t], shift.ranges[t]))
        byte = ELEMENTS["i8"]
        raw = allocate(scope, byte, [total], write=True)
        type = MemRef((None,), element)
        scope.alias(f"memref.view {raw}[{shift}][{count}] : {raw.type} to {type}", type, [count], raw)


@action
def select(scope):
    found = scope.readable(lambda b: b.dims)
    pairs = [(a, b) for a in found for b in found if a is not b and a.type == b.type]
    if not pairs:
        return False
    q = some_condition(scope)
    if q is None:
        return False
    a, b = scope.rng.pick(pairs)
    with scope.together():
        made = scope.alias(f"arith.select {q.name}, {a}, {b} : {a.type}", a.type, a.dims, a, b)
        merged(scope, made, a, b)


def merged(scope, made, *sources):
    """The dims of a value that is one of several."""
    dims = []
    for i, first in enumerate(made.dims):
        if isinstance(first, Size) and any(s.dims[i] is not first for s in sources):
            ranges = [s.dims[i] for s in sources]
            ranges = [d.ranges if isinstance(d, Size) else ((d, d),) * scope.gen.tuples for d in ranges]
            both = tuple(union([r[t] for r in ranges]) for t in range(scope.gen.tuples))
            first = scope.size(f"memref.dim {made}, {scope.constant(i)} : {made.type}", lambda t: both[t])
        dims.append(first)
    made.dims = tuple(dims)


