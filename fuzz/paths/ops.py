# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the ops do that grow.py writes and the passes add, on a machine."""

import itertools

from fuzz.paths.machine import HANDLERS, Ref, Task


def handles(*names):
    def add(function):
        for name in names:
            HANDLERS[name] = function
        return function
    return add


@handles("arith.constant")
def constant(m, op, v, env):
    text = op.attribute(r"value = (true|false|-?\d+)")
    return [{"true": 1, "false": 0}[text] if text in ("true", "false") else int(text)]


LOGIC = {"arith.andi": lambda a, b: a & b, "arith.ori": lambda a, b: a | b,
         "arith.xori": lambda a, b: a ^ b, "arith.addi": lambda a, b: a + b,
         "arith.subi": lambda a, b: a - b, "arith.muli": lambda a, b: a * b}


@handles(*LOGIC)
def logic(m, op, v, env):
    v = [1 if x == -1 else x for x in v] if "i1" in op.types else v
    return [LOGIC[op.name](*v)]


@handles("arith.cmpi")
def compare(m, op, v, env):
    a, b = v
    return [int([a == b, a != b, a < b, a <= b, a > b, a >= b, a < b, a <= b, a > b, a >= b]
                [int(op.attribute(r"predicate = (\d+)"))])]


@handles("arith.select")
def select(m, op, v, env):
    return [v[1] if v[0] else v[2]]


@handles("arith.index_cast", "arith.extui", "arith.trunci", "arith.index_castui")
def same_number(m, op, v, env):
    return [v[0]]


@handles("memref.alloc", "memref.alloca")
def allocate(m, op, v, env):
    kind = "heap" if op.name == "memref.alloc" else "stack"
    buffer = m.make(kind, op.results[0])
    if kind == "stack":
        buffer.level = m.depth
    return [Ref(buffer)]


@handles("memref.dealloc")
def dealloc(m, op, v, env):
    m.free(v[0], op)


@handles("memref.realloc")
def realloc(m, op, v, env):
    cells = dict(m.use(v[0], op).cells)
    m.free(v[0], op)
    buffer = m.make("heap", op.results[0])
    buffer.cells = cells
    return [Ref(buffer)]


@handles("bufferization.clone")
def clone(m, op, v, env):
    buffer = m.make("heap", "clone " + op.results[0])
    buffer.cells = dict(m.use(v[0], op).cells)
    return [Ref(buffer)]


@handles("memref.cast", "memref.subview", "memref.reinterpret_cast", "memref.memory_space_cast",
         "memref.expand_shape", "memref.collapse_shape", "memref.transpose",
         "memref.assume_alignment")
def same_buffer(m, op, v, env):
    return [v[0]]


@handles("builtin.unrealized_conversion_cast", "memref.distinct_objects")
def casts(m, op, v, env):
    return list(v)


@handles("memref.view")
def view(m, op, v, env):
    return [Ref(v[0].buffer, v[0].shift + v[1])]


@handles("memref.extract_strided_metadata")
def metadata(m, op, v, env):
    return [v[0]] + [0] * (len(op.results) - 1)


@handles("memref.extract_aligned_pointer_as_index")
def pointer(m, op, v, env):
    return [v[0].buffer.address + v[0].shift]


@handles("memref.dim")
def dim(m, op, v, env):
    return [8]


@handles("memref.get_global")
def get_global(m, op, v, env):
    return [Ref(m.globals[op.attribute(r"name = @(\w+)")])]


@handles("memref.store", "affine.store")
def store(m, op, v, env):
    m.use(v[1], op).cells[tuple(v[2:])] = v[0]


@handles("memref.load", "affine.load")
def load(m, op, v, env):
    return [m.use(v[0], op).cells.get(tuple(v[1:]), "?")]


@handles("memref.copy")
def copy(m, op, v, env):
    m.use(v[1], op).cells = dict(m.use(v[0], op).cells)


@handles("func.call")
def call(m, op, v, env):
    return m.call(op.attribute(r"callee = @(\w+)"), v)


@handles("func.constant")
def function_pointer(m, op, v, env):
    return [("function", op.attribute(r"value = @(\w+)"))]


@handles("func.call_indirect")
def call_indirect(m, op, v, env):
    return m.call(v[0][1], v[1:])


@handles("scf.if")
def if_(m, op, v, env):
    return m.run(op.regions[0 if v[0] else 1], env, [])[1]


@handles("affine.if")
def affine_if(m, op, v, env):  # the generator's only set: (d0 - 1 >= 0)
    return m.run(op.regions[0 if v[0] - 1 >= 0 else 1], env, [])[1]


@handles("scf.index_switch")
def index_switch(m, op, v, env):
    cases = op.numbers("cases")
    region = 1 + cases.index(v[0]) if v[0] in cases else 0
    return m.run(op.regions[region], env, [])[1]


@handles("scf.execute_region", "memref.alloca_scope")
def execute_region(m, op, v, env):
    return m.run(op.regions[0], env, [])[1]


@handles("scf.for")
def for_(m, op, v, env):
    carried = v[3:]
    for i in range(v[0], v[1], v[2]):
        carried = m.run(op.regions[0], env, [i] + carried)[1]
    return carried


@handles("affine.for")
def affine_for(m, op, v, env):  # the generator's only bounds: 0 to a constant
    carried = v
    for i in range(int(op.attribute(r"upperBoundMap = affine_map<\(\) -> \((\d+)\)>"))):
        carried = m.run(op.regions[0], env, [i] + carried)[1]
    return carried


@handles("scf.while")
def while_(m, op, v, env):
    while True:
        _, values = m.run(op.regions[0], env, v)
        if not values[0]:
            return values[1:]
        v = m.run(op.regions[1], env, values[1:])[1]


@handles("scf.parallel")
def parallel(m, op, v, env):
    n, *_ = sizes = op.numbers("operandSegmentSizes")
    accumulated = v[sum(sizes[:3]):]
    order = list(itertools.product(*(range(*v[i:3 * n:n]) for i in range(n))))
    if m.backwards:
        order.reverse()
    for indices in order:
        end, values = m.run(op.regions[0], env, list(indices))
        if end is not None:
            for r, region in enumerate(end.regions):
                accumulated[r] = m.run(region, env, [accumulated[r], values[r]])[1][0]
    return accumulated


@handles("scf.forall")
def forall(m, op, v, env):
    order = list(range(op.numbers("staticUpperBound")[0]))
    if m.backwards:
        order.reverse()
    for i in order:
        m.run(op.regions[0], env, [i])


@handles("async.execute")
def async_execute(m, op, v, env):
    task = Task(op.regions[0], dict(env))
    m.tasks.append(task)
    if m.at_once:
        m.do(task)
    return [task]


@handles("async.await")
def async_await(m, op, v, env):
    m.do(v[0])
