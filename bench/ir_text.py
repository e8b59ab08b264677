# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads memref IR as text, and says what its heap does.

The text is MLIR's generic form (`mlir-opt --mlir-print-op-generic`), which puts one op on a
line whatever its dialect. Nothing here knows the passes that are measured: sizes, aliases and
positions are worked out again from the text.

A function is its ops in program order. What is followed from an allocation: views and casts,
selects, results of structured ops through their yields, values that go into a loop. That is
enough to find what a `memref.dealloc` frees; it is no proof of anything.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field

OP = re.compile(r'^\s*(?:(%[\w#$.-]+)(?::(\d+))? = )?"([^"]+)"\(([^()]*)\)')
LABEL = re.compile(r"^\s*\^(\w+)(?:\((.*)\))?:")
VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
SYMBOL = re.compile(r'sym_name = "([^"]+)"')

ALLOCATE = ("memref.alloc", "bufferization.clone")
YIELD = ("scf.yield", "affine.yield", "memref.alloca_scope.return")
LOOP_OPERANDS = {"scf.for": 3}  # operands before the values that a loop carries
SAME_BUFFER = {"memref.cast", "memref.subview", "memref.reinterpret_cast", "memref.view",
               "memref.expand_shape", "memref.collapse_shape", "memref.transpose",
               "memref.memory_space_cast", "memref.extract_strided_metadata",
               "memref.extract_aligned_pointer_as_index", "memref.distinct_objects",
               "memref.assume_alignment", "memref.reshape", "arith.select"}


@dataclass(eq=False)
class Op:
    name: str
    position: int
    block: object
    operands: list
    results: list
    line: str
    regions: list = field(default_factory=list)


@dataclass(eq=False)
class Block:
    parent: Op  # None for a function's own blocks
    arguments: list
    entry: bool = False


class Function:
    """`aliases[value]`: the values that value flows into at once."""

    def __init__(self, name, line):
        self.name, self.ops, self.aliases = name, [], defaultdict(list)
        self.returns_memref = "memref<" in line.split("function_type = ", 1)[-1].split("->")[-1]

    def closure(self, value):
        """Every value that `value` may flow into, itself first."""
        found, todo = {value: None}, [value]
        while todo:
            for alias in self.aliases[todo.pop()]:
                if alias not in found:
                    found[alias] = None
                    todo.append(alias)
        return list(found)


def _operands(text):
    return VALUE.findall(text)


def _results(first, count):
    if not first:
        return []
    return [f"{first}#{i}" for i in range(int(count))] if count else [first]


def _flow(function, op):
    if op.name in SAME_BUFFER:
        for operand in op.operands:
            function.aliases[operand] += op.results
    elif op.name in YIELD and op.block.parent:
        parent = op.block.parent
        for operand, result in zip(op.operands, parent.results):
            function.aliases[operand].append(result)
        if parent.name in LOOP_OPERANDS:
            for operand, argument in zip(op.operands, op.block.arguments[1:]):
                function.aliases[operand].append(argument)


def _enter(function, block):
    """A loop's first values flow into its block's arguments and, with no iteration, its results."""
    parent = block.parent
    if parent and parent.name in LOOP_OPERANDS:
        carried = parent.operands[LOOP_OPERANDS[parent.name]:]
        for operand, argument, result in zip(carried, block.arguments[1:], parent.results):
            function.aliases[operand] += [argument, result]


def read(text):
    """The functions of a module in generic form that have a body."""
    functions, function, stack, block = [], None, [], None
    for line in text.splitlines():
        label = LABEL.match(line)
        if label and function:
            block = Block(block.parent, VALUE.findall(label[2] or ""), entry=False)
            if not function.ops and not stack:
                block.entry = True
            _enter(function, block)
            continue
        stripped = line.strip()
        if function and (stripped.startswith("})") or stripped.startswith("}, {")):
            if stripped.startswith("})"):
                if not stack:
                    function, block = None, None
                    continue
                block = stack.pop()[1]
            else:
                block = Block(stack[-1][0], [])
            continue
        match = OP.match(line)
        if not match:
            continue
        if match[3] == "func.func":
            if stripped.endswith("({") and SYMBOL.search(line):
                function = Function(SYMBOL.search(line)[1], line)
                functions.append(function)
                block, stack = Block(None, [], entry=True), []
            continue
        if not function:
            continue
        op = Op(match[3], len(function.ops), block, _operands(match[4]),
                _results(match[1], match[2]), line)
        function.ops.append(op)
        _flow(function, op)
        if stripped.endswith("({"):
            stack.append((op, block))
            block = Block(op, [])
    return functions


# ---- sizes ------------------------------------------------------------------------------


def _up(value, to):
    return -(-value // to) * to


def _power(value):
    return 1 << max(0, value - 1).bit_length()


def element_bytes(text):
    """Of one element as the lowering to LLVM allocates it; None where this file does not know."""
    vector = re.fullmatch(r"vector<([\dx]+)x(\w+)>", text)
    if vector:
        *outer, row = map(int, vector[1].split("x"))
        inner = element_bytes(vector[2])
        size = None if inner is None else _power(inner * row)
        for dimension in outer if size else []:
            size *= dimension
        return size
    if re.fullmatch(r"complex<\w+>", text):
        inner = element_bytes(text[8:-1])
        return inner and 2 * inner
    if text == "index":
        return 8
    number = re.fullmatch(r"(?:[su]?i|b?f|tf)(\d+)(?:E\w+)?", text)
    if not number:
        return None
    size = _up(int(number[1]), 8) // 8
    return _power(size) if size <= 8 else _up(size, 16)


def memref_bytes(type_text):
    """Of a memref with a static shape and the identity layout; None for any other."""
    match = re.fullmatch(r"memref<((?:\d+x)*)([^,]+)(?:, *(\d+|#gpu[^,]*))?>", type_text)
    size = match and element_bytes(match[2])
    if size is None or not match:
        return None
    for dimension in match[1].split("x")[:-1]:
        size *= int(dimension)
    return size


def allocated_bytes(op):
    return memref_bytes(op.line.rsplit("-> ", 1)[-1].strip())


# ---- the heap ---------------------------------------------------------------------------


@dataclass
class Heap:
    """Of one pass through a function from top to bottom: both branches of an if, each loop body
    once. `unmatched` deallocations free a value that this walk cannot trace to one allocation."""

    allocs: int = 0
    total: int = 0
    peak: int = 0
    unsized: int = 0
    unmatched: int = 0


class Liveness:
    """Which allocation each dealloc frees, and what is used after it was freed."""

    def __init__(self, function):
        self.function = function
        self.allocs = [op for op in function.ops if op.name in ALLOCATE]
        self.closures = {op: function.closure(op.results[0]) for op in self.allocs}
        self.sources = defaultdict(list)  # of each value: the allocations it may be
        for op in self.allocs:
            for value in self.closures[op]:
                self.sources[value].append(op)

    def freed(self, dealloc):
        return self.sources[dealloc.operands[0]]

    def used_after_free(self):
        """Allocations with a use, in program order, after a dealloc that stands in the same
        block or around it."""
        uses = defaultdict(list)
        for op in self.function.ops:
            for operand in op.operands:
                uses[operand].append(op)
        late = set()
        for dealloc in self.function.ops:
            if dealloc.name != "memref.dealloc" or len(self.freed(dealloc)) != 1:
                continue
            alloc = self.freed(dealloc)[0]
            for value in self.closures[alloc]:
                if any(op.position > dealloc.position and op is not dealloc
                       and op.name != "memref.dealloc" and _inside(op, dealloc.block)
                       for op in uses[value]):
                    late.add(alloc)
        return len(late)


def _inside(op, block):
    while op and op.block is not block:
        op = op.block.parent
    return op is not None


def heap(liveness, arena=None):
    """The heap as the deallocs stand. With `arena`, (bytes, allocs in it): these allocs are one,
    made where the first of them was and, as LLVM 23 leaves it, never freed."""
    size, inside = arena or (0, ())
    result, live, held = Heap(), 0, {}
    made = False
    for op in liveness.function.ops:
        if op.name in ALLOCATE:
            if op in inside:
                bytes_, made_before, made = size, made, True
                if made_before:
                    continue
            else:
                bytes_ = allocated_bytes(op)
                held[op] = bytes_ or 0
            result.allocs += 1
            result.unsized += bytes_ is None
            result.total += bytes_ or 0
            live += bytes_ or 0
            result.peak = max(result.peak, live)
        elif op.name == "memref.dealloc":
            freed = [a for a in liveness.freed(op) if a in held]
            if len(liveness.freed(op)) == 1:
                live -= held.pop(freed[0]) if freed else 0
            else:
                result.unmatched += 1
    return result


def least_peak(liveness):
    """The least peak of this walk that any placement of deallocs has: an allocation lives to the
    last op of the text that mentions it, itself at least."""
    mentioned = defaultdict(int)
    for op in liveness.function.ops:
        if op.name != "memref.dealloc":
            for operand in op.operands:
                mentioned[operand] = op.position
    ends = {op: max(op.position, *(mentioned[v] for v in liveness.closures[op]))
            for op in liveness.allocs}
    live, peak, held = 0, 0, []
    for op in liveness.allocs:
        live -= sum(size for end, size in held if end < op.position)
        held = [(end, size) for end, size in held if end >= op.position]
        held.append((ends[op], allocated_bytes(op) or 0))
        live += held[-1][1]
        peak = max(peak, live)
    return peak


def leaked(liveness):
    """How many allocations no dealloc names, by any name, and no return gives away."""
    ends = {name for op in liveness.function.ops if op.name in ("memref.dealloc", "func.return")
            for name in op.operands}
    return sum(ends.isdisjoint(liveness.closures[op]) for op in liveness.allocs)
