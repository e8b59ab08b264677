# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structured operations: linalg and vector transfers."""

from fuzz.memref_gen import bits
from fuzz.memref_gen.actions import action
from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.memtypes import ELEMENTS, MemRef
from fuzz.memref_gen.ops_memory import allocate, filled, numbers
from fuzz.memref_gen.scope import apart


@emits("fill")
def emit_fill(e, s):
    goal = s.operands[0]
    element = bits.from_bits(e, e.constant(s.attrs["factor"], "i64"), goal.type.element)
    e.line(f"linalg.fill ins({element} : {goal.type.element.text}) outs({goal} : {goal.type})")


@emits("generic")
def emit_generic(e, s):
    goal, source, a = s.operands[0], s.operands[1], s.attrs
    rank = goal.type.rank
    names = ", ".join(f"d{i}" for i in range(rank))
    one = f"affine_map<({names}) -> ({names})>"
    kinds = ", ".join(['"parallel"'] * rank)
    e.line(f"linalg.generic {{indexing_maps = [{one}, {one}], iterator_types = [{kinds}]}}")
    e.line(f"    ins({source} : {source.type}) outs({goal} : {goal.type}) {{")
    new, old = e.temporary(), e.temporary()
    e.line(f"^bb0({new}: {source.type.element.text}, {old}: {goal.type.element.text}):")
    e.depth += 1
    word = bits.to_bits(e, new, source.type.element)
    before = bits.to_bits(e, old, goal.type.element) if a["old"] else e.constant(a["shift"], "i64")
    word = e.mix(before, word, a["factor"], a["term"])
    result = bits.from_bits(e, word, goal.type.element)
    e.line(f"linalg.yield {result} : {goal.type.element.text}")
    e.depth -= 1
    e.line("}")


INTEGERS = {"i8", "i16", "i32", "i64"}


@action("matmul")
def grow_matmul(gen, scope):
    def fits(v):
        return scope.full(v) and v.type.rank == 2 and v.type.element.text in INTEGERS

    left = scope.find(fits)
    if left is None:
        rows = gen.rng.between(1, 6), gen.rng.between(1, 6)
        left = filled(gen, scope, MemRef(rows, ELEMENTS[gen.rng.pick(sorted(INTEGERS))]))
    right = scope.find(
        lambda v: fits(v) and v.dims[0] == left.dims[1] and v.type.element == left.type.element
    )
    if right is None:
        right = filled(gen, scope, MemRef((left.dims[1], gen.rng.between(1, 6)), left.type.element))
    dims = (left.dims[0], right.dims[1])
    goal = scope.find(
        lambda v: fits(v) and scope.writable(v) and v.dims == dims
        and v.type.element == left.type.element and apart(v, left) and apart(v, right)
    )  # fmt: skip
    if goal is None:
        goal = allocate(gen, scope, MemRef(dims, left.type.element))
        scope.add("fill", [goal], **numbers(gen))
        scope.wrote_all(goal)
    scope.add("matmul", [goal, left, right])
    return True


@emits("matmul")
def emit_matmul(e, s):
    goal, left, right = s.operands
    ins = f"{left}, {right} : {left.type}, {right.type}"
    e.line(f"linalg.matmul ins({ins}) outs({goal} : {goal.type})")


@action("transposed")
def grow_transposed(gen, scope):
    source = scope.find(lambda v: scope.full(v) and v.type.rank == 2 and v.type.static)
    if source is None:
        return False
    type = MemRef(source.dims[::-1], source.type.element)
    goal = allocate(gen, scope, type)
    scope.add("transposed", [source, goal])
    scope.wrote_all(goal)
    return True


@emits("transposed")
def emit_transposed(e, s):
    source, goal = s.operands
    ins = f"ins({source} : {source.type}) outs({goal} : {goal.type})"
    e.line(f"linalg.transpose {ins} permutation = [1, 0]")


@action("wide")
def grow_wide(gen, scope):
    """Sixteen bytes of a new buffer as one vector. Their place is aligned as every heap gives it, or as
    the alloc says, which must not be less."""
    goal = filled(gen, scope, MemRef((gen.rng.between(16, 80),), ELEMENTS["i8"]))
    goal.align = goal.align and max(goal.align, 16)
    scope.add("wide", [goal], at=16 * gen.rng.below(goal.dims[0] // 16), promise=gen.rng.chance(0.4),
              **numbers(gen))  # fmt: skip
    return True


@emits("wide")
def emit_wide(e, s):
    goal, a = s.operands[0], s.attrs
    type = "vector<16xi8>" if a["promise"] else "vector<4xi32>"
    factor = bits.narrow(e, e.constant(a["factor"], "i64"), 8 if a["promise"] else 32)
    at, zero = e.constant(a["at"]), e.constant(0)
    if a["promise"]:
        place, access = f"{goal}[{at}] {{alignment = 16 : i64}} : {goal.type}, {type}", "vector"
    else:
        row = e.let(f"memref.view {goal}[{at}][] : {goal.type} to memref<1x{type}>")
        place, access = f"{row}[{zero}] : memref<1x{type}>", "memref"
    old = e.let(f"{access}.load {place}")
    odd = e.let(f"vector.broadcast {factor} : {'i8' if a['promise'] else 'i32'} to {type}")
    new = e.let(f"arith.muli {old}, {odd} : {type}")
    e.line(f"{access}.store {new}, {place}")


WIDE = {"i8", "i32", "i64", "f32", "f64"}


@action("transfer")
def grow_transfer(gen, scope):
    """Four elements of a row, read, mixed and written as a vector."""

    def fits(v):
        return (scope.full(v) and v.type.rank and v.dims[-1] >= 4 and v.type.space == 0
                and v.type.strides()[-1] == 1 and v.type.element.text in WIDE)  # fmt: skip

    goal = scope.find(lambda v: fits(v) and scope.writable(v))
    if goal is None:
        return False
    source = scope.find(lambda v: fits(v) and v.type.element == goal.type.element) or goal
    scope.add("transfer", [goal, source], **numbers(gen))
    return True


@emits("transfer")
def emit_transfer(e, s):
    goal, source, a = s.operands[0], s.operands[1], s.attrs
    element = goal.type.element
    type, lanes = f"vector<4x{element.text}>", f"vector<4xi{element.width}>"

    def place(v, shift):
        first = [shift % d for d in v.dims[:-1]] + [shift % (v.dims[-1] - 3)]
        return f"{v}[{', '.join(e.constant(i) for i in first)}]"

    def as_lanes(vector):
        return vector if type == lanes else e.let(f"arith.bitcast {vector} : {type} to {lanes}")

    def read(v, shift):
        pad = bits.from_bits(e, e.constant(1, "i64"), element)
        where = f"{place(v, shift)}, {pad} {{in_bounds = [true]}}"
        return as_lanes(e.let(f"vector.transfer_read {where} : {v.type}, {type}"))

    old, new = read(goal, a["shift"]), read(source, a["term"] % 7)
    factor = bits.narrow(e, e.constant(a["factor"], "i64"), element.width)
    odd = e.let(f"vector.broadcast {factor} : i{element.width} to {lanes}")
    scaled = e.let(f"arith.muli {old}, {odd} : {lanes}")
    mixed = e.let(f"arith.addi {scaled}, {new} : {lanes}")
    if type != lanes:
        mixed = e.let(f"arith.bitcast {mixed} : {lanes} to {type}")
    where = f"{mixed}, {place(goal, a['shift'])} {{in_bounds = [true]}}"
    e.line(f"vector.transfer_write {where} : {type}, {goal.type}")
