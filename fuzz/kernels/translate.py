# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as functions of Python, which run much faster than ops that are read one by one.

A function has the thread as its first parameter and calls its methods where the thread touches shared memory. Barriers, waits and
fences are numbered in the order of the text."""

import re
from dataclasses import dataclass

from fuzz.kernels.grow import ELEMENTS, THREADS

COMPARE = ["==", "!=", *["<", "<=", ">", ">="] * 2]
NUMBERS = {"arith.addi": "+", "arith.subi": "-", "arith.andi": "&", "arith.xori": "^", "arith.muli": "*", "arith.remui": "%"}
NOTHING = {"nvgpu.mbarrier.init", "memref.dealloc", "linalg.yield", "gpu.terminator", "gpu.return", "func.return"}
VALUE, PREDICATE = r"value = (true|false|-?\d+)", r"predicate = (\d+)"
CALLEE, GROUPS = r"callee = @(\w+)", r"numGroups = (\d+)"


class Ref:
    __slots__ = ("memory", "view", "start", "element", "count")

    def __init__(self, memory, view, start, element, count):
        self.memory = memory  # what the bytes are of
        self.view = view      # the memory that the program has there, before it is planned
        self.start, self.element, self.count = start, element, count  # bytes, bytes, elements

    def part(self, offset, element, count):
        return Ref(self.memory, self.view, self.start + offset, element, count)


@dataclass
class Kernel:
    run: object  # (thread, arguments)
    uses: list   # whether it uses n, c and d


def variable(name):
    return re.sub(r"\W", "_", name)


def shape(type):
    """Elements and bytes of one in a memref's type of one dimension."""
    found = re.search(r"memref<(\d+)x(\w+)", type)
    return int(found.group(1)), ELEMENTS[found.group(2)]


def result_type(op):
    return op.types.rpartition("->")[2]


def ops_in(op):
    yield op
    for region in op.regions:
        for block in region:
            for inner in block.ops:
                yield from ops_in(inner)


class Translation:
    def __init__(self):
        self.lines, self.depth, self.waits, self.barriers, self.fences, self.blocks = [], 0, 0, 0, 0, 0
        self.dynamic = None  # bytes of dynamic memory that a launch states

    def put(self, text):
        self.lines.append(" " * self.depth + text)

    def assign(self, names, values):
        """All at once."""
        if names:
            self.put(f"{', '.join(map(variable, names))} = {', '.join(values)}")

    # ---- Control

    def function(self, name, region, more=()):
        block = region[0]
        scalars = len(block.arguments) - len(more)
        self.put(f"def {name}({', '.join(['thread', *map(variable, block.arguments[:scalars])])}):")
        self.depth += 1
        self.assign(block.arguments[scalars:], more)
        self.region(region, [])
        self.put("return")
        self.depth -= 1

    def region(self, region, results):
        """`results`: what the terminator's operands become."""
        if len(region) == 1:
            return self.block(region[0], results)
        self.blocks += 1
        at, numbers = f"at{self.blocks}", {b.name: i for i, b in enumerate(region)}
        self.put(f"{at} = 0")
        self.put("while True:")
        self.depth += 1
        self.put("thread.turn()")
        for i, block in enumerate(region):
            self.put(f"if {at} == {i}:")
            self.depth += 1
            self.block(block, results)
            self.branch(block.ops[-1], at, numbers, {b.name: b.arguments for b in region})
            self.depth -= 1
        self.depth -= 1

    def branch(self, op, at, numbers, arguments):
        if op.name not in ("cf.br", "cf.cond_br"):
            return self.put("break")
        ways, values = [op.successors[0]], [op.operands]
        if op.name == "cf.cond_br":
            sizes = op.numbers("operandSegmentSizes")
            ways, values = op.successors, [op.operands[1 : 1 + sizes[1]], op.operands[1 + sizes[1] :]]
        for i, (way, given) in enumerate(zip(ways, values)):
            self.put("if True:" if len(ways) == 1 else "else:" if i else f"if {variable(op.operands[0])}:")
            self.depth += 1
            self.assign(arguments[way], map(variable, given))
            self.put(f"{at} = {numbers[way]}")
            self.depth -= 1
        self.put("continue")

    def block(self, block, results):
        for op in block.ops[:-1]:
            self.op(op)
        last = block.ops[-1]
        if last.name == "scf.yield":
            self.assign(results, map(variable, last.operands))
        elif not last.name.startswith("cf."):
            self.op(last)
        self.put("pass")

    def for_(self, op, v):
        block = op.regions[0][0]
        carried = block.arguments[1:]
        self.assign(carried, v[3:])
        self.put(f"for {variable(block.arguments[0])} in range({v[0]}, {v[1]}, {v[2]}):")
        self.depth += 1
        self.region(op.regions[0], carried)
        self.depth -= 1
        self.assign(op.results, map(variable, carried))

    def if_(self, op, v):
        for region, head in zip(op.regions, (f"if {v[0]}:", "else:")):
            if region:
                self.put(head)
                self.depth += 1
                self.region(region, op.results)
                self.depth -= 1

    def launch_(self, op, v):
        block, first = op.regions[0][0], 12
        places = [*["0"] * 3, "thread.place", "0", "0", *["1"] * 3, str(THREADS), "1", "1"]
        self.assign(block.arguments, [*places, *map(memory, block.arguments[first:], block.types[first:])])
        self.region(op.regions[0], [])

    # ---- Ops

    def op(self, op):
        v = [variable(name) for name in op.operands]
        head, _, tail = op.name.partition(".")
        if op.name in ("scf.for", "scf.if", "gpu.launch"):
            getattr(self, tail + "_")(op, v)
        elif op.name == "func.call":
            self.put(f"{op.attribute(CALLEE)}({', '.join(['thread', *v])})")
        elif op.name == "nvvm.fence.proxy":
            self.put(f"thread.fence({self.fences})")
            self.fences += 1
        elif op.name.startswith("nvgpu.mbarrier.") or tail == "tma.async.load":
            self.mbarrier(op, tail.rpartition(".")[2], v)
        elif op.name not in NOTHING and head in ("gpu", "nvgpu"):
            getattr(self, head)(op, tail, v)
        elif op.name not in NOTHING:
            self.simple(op, tail, v)

    def simple(self, op, tail, v):
        value = self.touch(tail, v) or self.number(op, v) or self.part(op, tail, v)
        if not value:
            raise NotImplementedError(op.name)
        self.put(f"{variable(op.results[0])} = {value}" if op.results else value)

    def touch(self, tail, v):
        if tail == "fill":
            return f"thread.fill({v[1]})"
        if tail == "store":
            return f"thread.store({v[1]}, {v[2]})"
        return f"thread.{tail}({v[0]}, {v[1]})" if tail in ("load", "copy") else ""

    def number(self, op, v):
        if op.name == "arith.constant":
            text = op.attribute(VALUE)
            return {"true": "1", "false": "0"}.get(text, text)
        if op.name == "arith.cmpi":
            return f"int({v[0]} {COMPARE[int(op.attribute(PREDICATE))]} {v[1]})"
        if op.name == "arith.select":
            return f"{v[1]} if {v[0]} else {v[2]}"
        if op.name == "memref.extract_aligned_pointer_as_index":
            return "0"
        return op.name in NUMBERS and f"{v[0]} {NUMBERS[op.name]} {v[1]}"

    def part(self, op, tail, v):
        if tail == "view":
            count, element = shape(result_type(op))
            return f"{v[0]}.part({v[1]}, {element}, {count})"
        if tail == "subview":
            return f"{v[0]}.part({op.numbers('static_offsets')[0]} * {v[0]}.element, {v[0]}.element, 4)"
        if tail == "alloc":
            count, element = shape(result_type(op))
            return f"thread.new({op.results[0]!r}, {element}, {count})"
        return ""

    def gpu(self, op, tail, v):
        if tail == "barrier":
            self.put(f"thread.barrier({self.barriers})")
            self.barriers += 1
        elif tail == "dynamic_shared_memory":
            self.put(f"{variable(op.results[0])} = Ref('dynamic', 'dynamic', 0, 1, {self.dynamic})")
        elif tail == "thread_id":
            self.put(f"{variable(op.results[0])} = thread.place")
        else:
            raise NotImplementedError(op.name)

    def nvgpu(self, op, tail, v):
        if tail == "device_async_wait":
            self.put(f"thread.wait({self.waits}, {op.attribute(GROUPS)})")
            self.waits += 1
        elif tail == "device_async_copy":
            self.put(f"{variable(op.results[0])} = thread.start({v[0]}, {v[1]})")
        else:
            self.put(f"{variable(op.results[0])} = thread.group({', '.join(v)})")


    def mbarrier(self, op, what, v):
        """Elements are told from each other by their index: there is one group."""
        if what == "parity":
            self.put(f"thread.wait_for_phase({self.waits}, {v[3]}, {v[1]})")
            self.waits += 1
        elif what == "expect_tx":
            self.put(f"thread.arrive({v[2]}, {v[1]})")
        elif what == "load":
            self.put(f"thread.load_tile({v[0]}, {v[-1]})")


def memory(name, type):
    count, element = shape(type)
    return f"Ref({name!r}, {name!r}, 0, {element}, {count})"


def dynamic_bytes(ops):
    """What a launch states."""
    numbers = {op.results[0]: op.attribute(VALUE) for op in ops if op.name == "arith.constant"}
    for op in ops:
        if op.name in ("gpu.launch", "gpu.launch_func"):
            sizes = op.numbers("operandSegmentSizes")
            if sizes[10]:
                return numbers[op.operands[sum(sizes[:10])]]
    return 0


def translate(module):
    """The translation, with its `kernels`."""
    t = Translation()
    scalars = len(ELEMENTS) + 5
    ops = [op for top in module.regions[0][0].ops for op in ops_in(top)]
    t.dynamic = dynamic_bytes(ops)
    functions, names = [], []
    for op in ops:
        if op.name in ("gpu.func", "func.func") and not any(inner.name == "gpu.launch_func" for inner in ops_in(op)):
            block, name = op.regions[0][0], op.attribute(r'sym_name = "(\w+)"')
            t.function(name, op.regions[0], list(map(memory, block.arguments[scalars:], block.types[scalars:])))
            functions.append(op)
            names.append(name)
    scope = {"Ref": Ref}
    exec(compile("\n".join(t.lines), "kernels", "exec"), scope)
    t.kernels = [Kernel(scope[name], uses(op)) for name, op in zip(names, functions) if name.startswith("k")]
    return t


def uses(function):
    used = {operand for op in ops_in(function) for operand in op.operands}
    first = len(ELEMENTS)
    return [name in used for name in function.regions[0][0].arguments[first : first + 3]]
