# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocations, what is done with them, and sizes."""

from fuzz.dynamic_gen.actions import LOADED, action
from fuzz.dynamic_gen.sizes import BINARY, BY_SIZE, LOW, UNARY, Size, corners, union
from fuzz.dynamic_gen.tree import Node
from fuzz.memref_gen import bits
from fuzz.memref_gen.memtypes import MemRef

CONSTANTS = (1, 2, 3, 4, 7, 8, 16, 33)


# ---- Sizes ----------------------------------------------------------------------------------


def made(scope, text, function, operands, careful):
    """The size that an op gives. Affine ops and divisions must not overflow; other arithmetic wraps."""
    careful = careful or "affine" in text or "div" in text
    if careful and not all(s.within(-(1 << 60), 1 << 60, scope.active) for s in operands):
        return None
    if not all(s.within(LOW + 1, -LOW - 1, scope.active) for s in operands):
        return None
    return scope.size(text, lambda t: corners(function, *(s.ranges[t] for s in operands)))


def new_size(scope, operand=None):
    """One more op on sizes; None where it would be none."""
    rng = scope.rng
    pool = scope.all("sizes")
    if not pool:
        return None
    a = operand or rng.pick(pool)
    if rng.chance(0.5):
        b = rng.pick(pool)
        text, function, natural = BINARY[rng.pick(list(BINARY))]
        if natural and not all(s.within(0, 1 << 62, scope.active) for s in (a, b)):
            return None
        return made(scope, text.format(a=a, b=b), function, (a, b), False)
    name = rng.pick(list(UNARY))
    text, function, natural = UNARY[name]
    k = rng.between(1, 4) if name == "shifted" else rng.pick(CONSTANTS)
    if natural and not a.within(0, 1 << 50, scope.active):
        return None
    c = scope.constant(k) if "{c}" in text else None
    return made(scope, text.format(a=a, k=k, c=c), lambda x: function(x, k), (a,), False)


@action
def size(scope):
    return new_size(scope) is not None


@action
def quotient(scope):
    """By a size that may be 0 where control does not come."""
    rng = scope.rng
    pool = scope.all("sizes")
    by = [s for s in pool if s.within(1, 1 << 50, scope.active)]
    risky = [s for s in by if not all(low > 0 for low, _ in s.ranges)]
    of = [s for s in pool if s.within(0, 1 << 50, scope.active)]
    if not by or not of:
        return False
    a, b = rng.pick(of), rng.pick(risky or by)
    text, function = BY_SIZE[rng.pick(list(BY_SIZE))]
    text = text.format(a=a, b=b)
    if function:
        return scope.size(text, lambda t: corners(function, a.ranges[t], b.ranges[t])) is not None
    return scope.size(text, lambda t: remainder(a.ranges[t], b.ranges[t])) is not None


def remainder(a, b):
    """The range of what is left, where nothing is negative."""
    if a[0] == a[1] and b[0] == b[1] and b[0] > 0:
        return a[0] % b[0], a[0] % b[0]
    return 0, max(a[1], 0)


@action
def dim(scope):
    found = scope.readable(lambda b: b.dims) + [f.root for f in scope.pending()]
    if not found:
        return False
    buffer = scope.rng.pick(found)
    scope.dim(buffer, scope.rng.below(len(buffer.dims)))


@action
def loaded(scope):
    """Told to the function it runs in through memory."""
    if not hasattr(scope.gen, "loaded") or scope.function.name:
        return False
    at = scope.rng.below(LOADED)
    values = scope.gen.loaded[at]
    scope.size(f"memref.load %sizes[{scope.constant(at)}] : memref<{LOADED}xindex>", lambda t: (values[t], values[t]))


@action
def stored(scope):
    """Through memory of the program's own."""
    found = scope.sane()
    if not found:
        return False
    given = scope.rng.pick(found)
    with scope.together():
        cell = scope.let("memref.alloca() : memref<index>") if scope.trips == 1 else None
        if cell is None:
            word = scope.let(f"arith.index_cast {given} : index to i32")
            scope.size(f"arith.index_cast {word} : i32 to index", lambda t: given.ranges[t])
            return
        scope.line(f"memref.store {given}, {cell}[] : memref<index>")
        scope.size(f"memref.load {cell}[] : memref<index>", lambda t: given.ranges[t])


@action
def chosen(scope):
    pool, conditions = scope.all("sizes"), scope.all("conditions")
    if not pool or not conditions:
        return False
    q, a, b = scope.rng.pick(conditions), scope.rng.pick(pool), scope.rng.pick(pool)

    def ranges(t):
        truth = q.truth[t]
        return union([a.ranges[t], b.ranges[t]]) if truth is None else (a if truth else b).ranges[t]

    if scope.rng.chance(0.5):
        scope.size(f"arith.select {q.name}, {a}, {b} : index", ranges)
    else:
        scope.size(f"scf.if {q.name} -> (index) {{ scf.yield {a} : index }} else {{ scf.yield {b} : index }}", ranges)


def compared(scope):
    """A condition about two sizes, of which one is known in each run."""
    pool = [s for s in scope.all("sizes") if s.exact(scope.active)]
    if not pool:
        return None
    a = scope.rng.pick(pool)
    b = scope.rng.pick(pool + [scope.fixed(scope.rng.pick((0, 1, 5, 100)))] * 2)
    name, function = scope.rng.pick([("slt", lambda x, y: x < y), ("sge", lambda x, y: x >= y), ("eq", lambda x, y: x == y)])
    return scope.condition(f"arith.cmpi {name}, {a}, {b} : index",
                           lambda t: function(a.ranges[t][0], b.ranges[t][0]))  # fmt: skip


def some_condition(scope):
    conditions = scope.all("conditions")
    return scope.rng.pick(conditions) if conditions and scope.rng.chance(0.5) else compared(scope)


@action
def asserted(scope):
    """What is true in all runs that come here."""
    known = [s for s in scope.all("sizes") if s.exact(scope.active)]
    if not known or not scope.active:
        return False
    a = scope.rng.pick(known)
    values = [a.ranges[t][0] for t in scope.active]
    same = [b for b in known if b is not a and all(b.ranges[t] == a.ranges[t] for t in scope.active)]
    signs = "su" if min(values) >= 0 else "s"
    if same and scope.rng.chance(0.6):
        text = f"eq, {a}, {scope.rng.pick(same)}"
    elif min(values) == max(values) and scope.rng.chance(0.5):
        text = f"eq, {a}, {scope.constant(values[0])}"
    else:
        most, sign = max(values) + scope.rng.pick((0, 0, 1, 100)), scope.rng.pick(signs)
        text = scope.rng.pick([f"{sign}le, {a}, {scope.constant(most)}", f"{sign}ge, {scope.constant(most)}, {a}",
                               f"{sign}lt, {a}, {scope.constant(most + 1)}"])  # fmt: skip
    with scope.together():
        scope.line(f'cf.assert {scope.let(f"arith.cmpi {text} : index", "q")}, "as in all runs"')
    return True


# ---- Allocations ----------------------------------------------------------------------------


def alignment(scope, element):
    if not scope.gen.allows("alignment") or not scope.rng.chance(0.15):
        return ""
    return f" {{alignment = {scope.rng.pick([a for a in (16, 32, 64, 128, 256) if a >= element.bytes])} : i64}}"


def allocate(scope, element, dims, write=None):
    """A buffer; it is written at once or later."""
    type = MemRef(tuple(None if isinstance(d, Size) else d for d in dims), element)
    sizes = ", ".join(d.name for d in dims if isinstance(d, Size))
    name = scope.let(f"memref.alloc({sizes}){alignment(scope, element)} : {type}", "b")
    if not sizes:
        count = 1
        for d in dims:
            count *= d
        scope.gen.program.static_bytes += count * element.bytes
    buffer = scope.new(name, type, dims, written=False)
    if scope.rng.chance(0.5) if write is None else write:
        scope.write(buffer)
    return buffer


def some_dims(scope, rank, least=1):
    """Dims of a new buffer, at least one of them a size of the program; None if there are none that fit."""
    rng, sane = scope.rng, scope.sane()
    liked = [s for s in scope.preferred if s.within(0, 6000, scope.active)]
    if not sane and not liked:
        return None
    for _ in range(8):
        dims = [rng.pick(liked) if liked and rng.chance(0.7) else rng.pick(sane or liked) if rng.chance(0.8)
                else rng.pick((1, 2, 3, 5, 8)) for _ in range(rank)]  # fmt: skip
        if any(isinstance(d, Size) for d in dims) and scope.fits(dims):
            return dims
    return None


@action
def alloc(scope):
    dims = some_dims(scope, scope.rng.weighted([(1, 5), (2, 4), (3, 1)]))
    if dims is None:
        return False
    allocate(scope, scope.gen.element(), dims)


@action
def fixed(scope):
    dims = [scope.rng.pick((1, 2, 3, 5, 8, 17, 32)) for _ in range(scope.rng.between(1, 2))]
    allocate(scope, scope.gen.element(), dims)


@action
def alike(scope):
    found = scope.readable(lambda b: b.dims and scope.fits(b.dims))
    if not found:
        return False
    source = scope.rng.pick(found)
    dims = [d if not isinstance(d, Size) or scope.rng.chance(0.4) else scope.dim(source, i) for i, d in enumerate(source.dims)]
    target = allocate(scope, source.type.element, dims, write=False)
    if scope.rng.chance(0.6):
        copied(scope, source, target)


def copied(scope, source, target):
    for family in target.families:
        family.written = True
    if scope.rng.chance(0.5):
        scope.line(f"memref.copy {source}, {target} : {source.type} to {target.type}")
    else:
        scope.line(f"linalg.copy ins({source} : {source.type}) outs({target} : {target.type})")


# ---- What is done with them -----------------------------------------------------------------


@action
def write(scope):
    found = scope.readable(lambda b: b.dims)
    if not found:
        return False
    scope.write(scope.rng.pick(found))


@action
def mix(scope):
    found = scope.readable(lambda b: b.dims)
    if not found:
        return False
    scope.mix(scope.rng.pick(found))


@action
def digest(scope):
    found = scope.readable(lambda b: b.dims)
    if not found:
        return False
    scope.read(scope.rng.pick(found))


def same_shape(a, b):
    return len(a.dims) == len(b.dims) and all(x is y or isinstance(x, int) and x == y for x, y in zip(a.dims, b.dims))


def pairs(scope):
    found = scope.readable(lambda b: b.dims)
    return [(a, b) for a in found for b in found
            if not a.families & b.families and same_shape(a, b) and a.type.element == b.type.element]  # fmt: skip


@action
def copy(scope):
    found = pairs(scope)
    if not found:
        return False
    copied(scope, *scope.rng.pick(found))


@action
def linalg(scope):
    found = scope.readable(lambda b: b.dims)
    if not found:
        return False
    target = scope.rng.pick(found)
    both = [p for p in pairs(scope) if p[1] is target]
    with scope.together():
        if scope.rng.chance(0.4):
            value = bits.from_bits(scope, scope.digest, target.type.element)
            scope.line(f"linalg.fill ins({value} : {target.type.element.text}) outs({target} : {target.type})")
        else:
            generic(scope, scope.rng.pick(both)[0] if both else None, target)


def generic(scope, source, target):
    """Into old contents, from another buffer if there is one."""
    rank, element = len(target.dims), target.type.element
    names = ", ".join(f"d{i}" for i in range(rank))
    maps = ", ".join([f"affine_map<({names}) -> ({names})>"] * (2 if source else 1))
    kinds = ", ".join(['"parallel"'] * rank)
    taken = f"ins({source} : {source.type}) " if source else ""
    args = f"%in: {element.text}, " if source else ""
    head = [f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"{taken}outs({target} : {target.type}) {{", f"^bb0({args}%old: {element.text}):"]  # fmt: skip
    with scope.inner() as inside:
        old = bits.to_bits(scope, "%old", element)
        new = bits.to_bits(scope, "%in", element) if source else scope.digest
        scope.line(f"linalg.yield {bits.from_bits(scope, scope.mixed(old, new), element)} : {element.text}")
    scope.nodes.append(Node([*head, inside, "}"]))


@action
def retire(scope):
    if not scope.owned:
        return False
    scope.retire(scope.rng.pick(scope.owned))


@action
def touch(scope):
    found = scope.readable(lambda b: str(b.type) == "memref<?xi8>")
    if not found:
        return False
    scope.line(f"func.call @stow_fuzz_touch({scope.rng.pick(found)}, {scope.digest}) : (memref<?xi8>, i64) -> ()")
