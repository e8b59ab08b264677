# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What MLIR's own planner does from LLVM 23 on, to compare with.

The pass is static-memory-planner-analysis{algorithm=best-fit}. Restated here from what it does:

- It looks at the allocations that stand directly in a function's first block, with a static
  shape and at least one dealloc. One whose dealloc may also free an allocation outside that
  block is left alone. (bufferization.clone is no memref.alloc and is left alone.)
- A buffer's life is from its alloc to its last dealloc, in ops of that block; a dealloc further
  in counts as the op of the block that holds it.
- Buffers are placed one after the other in the order of their allocs. Each goes into the
  tightest gap, below the arena's present end, that lies between buffers still alive; if there
  is none, above the highest of these, which is where the arena grows.

Two things differ from the original, both in its favour. It refuses a function that returns a
memref, or that holds an allocation without a dealloc; here such allocations are skipped and the
rest is planned (`refused` tells). And it takes alignment from the alloc alone and a size from
the bit width; here both are what the lowering needs, as in buffer-reuse.
"""

from dataclasses import dataclass

from bench.ir_text import allocated_bytes

ALIGNMENT = 64


@dataclass
class Placed:
    begin: int
    end: int
    size: int
    offset: int = 0

    @property
    def top(self):
        return self.offset + self.size


@dataclass
class Plan:
    arena: int
    allocs: set
    bytes_without_reuse: int
    refused: bool


def _anchor(op):
    """The op of the function's first block that holds `op`, or None."""
    while op.block.parent:
        op = op.block.parent
    return op if op.block.entry else None


def candidates(liveness):
    deallocs = {}
    for op in liveness.function.ops:
        if op.name == "memref.dealloc":
            for alloc in liveness.freed(op):
                deallocs.setdefault(alloc, []).append(op)
    found, refused = {}, liveness.function.returns_memref
    for alloc in liveness.allocs:
        size = allocated_bytes(alloc)
        if alloc.name != "memref.alloc" or not alloc.block.entry or size is None:
            continue
        frees = deallocs.get(alloc, [])
        if not frees or not all(map(_anchor, frees)):
            refused = True
        elif all(a.block.entry and a.name == "memref.alloc" for f in frees
                 for a in liveness.freed(f)):
            end = max(_anchor(f).position for f in frees)
            found[alloc] = Placed(alloc.position, end, size)
    return found, refused


def _up(offset):
    return -(-offset // ALIGNMENT) * ALIGNMENT


def _gaps(alive, arena):
    """(start, end) of what is free between buffers alive, and below the arena's end."""
    start = 0
    for other in sorted(alive, key=lambda p: p.offset):
        if _up(start) < other.offset:
            yield _up(start), other.offset
        start = max(start, other.top)
    yield _up(start), arena


def place(buffers):
    """Sets the offsets of `buffers`, which are in the order of their begin; returns the arena."""
    arena, alive = 0, []
    for buffer in buffers:
        alive = [p for p in alive if p.end > buffer.begin]
        above = _up(max((p.top for p in alive), default=0))
        fits = [(end - start, start) for start, end in _gaps(alive, arena)
                if end - start >= buffer.size]
        # The first of equally tight gaps; min() would take the lowest start, which is the first.
        buffer.offset = min(fits)[1] if fits else above
        arena = max(arena, buffer.top)
        alive.append(buffer)
    return arena


def plan(liveness):
    found, refused = candidates(liveness)
    arena = place(list(found.values()))
    return Plan(arena, set(found), sum(p.size for p in found.values()), refused)
