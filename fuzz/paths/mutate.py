# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants one fault in a module: a dealloc that is missing, there twice, or too early."""

from fuzz.paths import generic, machine

PLANTED = "planted"


def blocks_of(op):
    for region in op.regions:
        for block in region:
            yield block
            for inner in block.ops:
                yield from blocks_of(inner)


def places(module, name):
    return [(block, i) for block in blocks_of(module) for i, op in enumerate(block.ops)
            if op.name == name]


def marker():
    return generic.Op(PLANTED, [], [], [], "", [], "")


def note_reached(m, op, v, env):
    op.cache["reached"] = True


machine.HANDLERS[PLANTED] = note_reached
USES = ("memref.load", "memref.store", "memref.copy")


def drop(block, i):
    block.ops[i] = marker()


def double(block, i):
    block.ops[i:i] = [block.ops[i], marker()]


def earlier(block, i):
    """Before the last op ahead of it that has the buffer."""
    op = block.ops[i]
    for at in range(i - 1, -1, -1):
        if op.operands[0] in block.ops[at].results:
            break
        if op.operands[0] in block.ops[at].operands and block.ops[at].name in USES:
            del block.ops[i]
            block.ops[at:at] = [op, marker()]
            return
    drop(block, i)


def plant(module, rng):
    """Plants a fault, and says which; None where there is nothing to spoil."""
    found = places(module, "memref.dealloc")
    if not found:
        return None
    how = rng.pick([drop, double, earlier])
    how(*rng.pick(found))
    return f"{how.__name__} of a dealloc"


def is_reached(module):
    return any(op.cache.get("reached") for block in blocks_of(module) for op in block.ops
               if op.name == PLANTED)
