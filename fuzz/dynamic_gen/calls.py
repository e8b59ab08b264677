# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the program, with sizes and buffers as arguments, and a new buffer as the result of some."""

from dataclasses import dataclass

from fuzz.dynamic_gen.actions import action
from fuzz.dynamic_gen.control import rank_one
from fuzz.dynamic_gen.scope import Buffer, Family, Scope
from fuzz.dynamic_gen.sizes import Size
from fuzz.dynamic_gen.tree import Function
from fuzz.memref_gen.memtypes import MemRef

MOST = 40  # a size that a function of the program is given
STATEMENTS = 7


@dataclass(eq=False)
class Callee:
    function: Function
    type: MemRef  # of its buffer
    back: MemRef = None  # of what it returns
    most: int = 0  # elements of that


def grow_callees(gen):
    for number in range(gen.rng.weighted([(0, 2), (1, 2), (2, 1)]) if gen.allows("call") else 0):
        grow_callee(gen, number)


def grow_callee(gen, number):
    function = Function(f"f{number}")
    scope = Scope(gen, function, active=frozenset(range(gen.tuples)), trips=4, blocks=True, digest="%seed", out="%out")
    rank = gen.rng.between(1, 2)
    shape = MemRef((None,) * rank, gen.element())
    limits = ((0, MOST),) * gen.tuples
    buffer = Buffer("%x", shape, (Size("", limits),) * rank, frozenset([Family(written=True)]))
    scope.buffers.append(buffer)
    scope.sizes.append(Size("%n", limits))
    buffer.dims = tuple(scope.dim(buffer, i) for i in range(rank))
    function.args = [("%out", "memref<16xi64>", ""), ("%x", str(shape), ""), ("%n", "index", ""), ("%seed", "i64", "")]
    gen.left, gen.deep = STATEMENTS, 1
    gen.grow(scope, STATEMENTS)
    gen.deep = 0
    callee = Callee(function, shape)
    made = rank_one(scope, gen.element()) if gen.rng.chance(0.5) else None
    scope.close(made.families if made else ())
    if made:
        function.results, callee.back, callee.most = [str(made.type)], made.type, made.dims[0].most(scope.active)
    scope.line(f"return {made} : {made.type}" if made else "return")
    function.body = scope.nodes
    gen.callees.append(callee)
    gen.program.functions.insert(0, function)


@action
def call(scope):
    if scope.function.name or not scope.gen.callees:
        return False
    callee = scope.rng.pick(scope.gen.callees)
    found = scope.readable(lambda b: b.type == callee.type and small(scope, b))
    sizes = [s for s in scope.all("sizes") if s.within(0, MOST, scope.active)]
    if not found or not sizes:
        return False
    buffer, n = scope.rng.pick(found), scope.rng.pick(sizes)
    text = (f"func.call @{scope.gen.program.name}_{callee.function.name}({scope.out}, {buffer}, {n}, {scope.digest}) : "
            f"(memref<16xi64>, {callee.type}, index, i64) -> ({callee.back or ''})")  # fmt: skip
    if callee.back is None:
        scope.line(text)
        return
    name = scope.let(text, "b")
    made = scope.new(name, callee.back, [Size("", ((0, callee.most),) * scope.gen.tuples)])
    made.dims = (scope.dim(made, 0),)


def small(scope, buffer):
    return all(d.within(0, MOST, scope.active) for d in buffer.dims if isinstance(d, Size)) and all(
        d <= MOST for d in buffer.dims if isinstance(d, int))
