# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""memref.realloc: it frees what it is given, or gives it back."""

from fuzz.memref_gen.actions import action
from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.memtypes import MemRef
from fuzz.memref_gen.ops_memory import filled, write


@action("realloc")
def grow_realloc(gen, scope):
    element = gen.element()
    before, after = gen.rng.between(1, 40), gen.rng.between(1, 60)
    source = filled(gen, scope, MemRef((before,), element))
    gen.grow(scope, gen.rng.between(0, 3))
    here = source in scope.owned or gen.unowned
    if not here or source.constant or not scope.readable(source):
        return True
    shape = (None,) if gen.rng.chance(0.3) else (after,)
    made = gen.owned(MemRef(shape, element), dims=(after,))
    scope.add("realloc", [source], [made], moves=[] if gen.unowned else [source])
    scope.gone.add(source)  # and all other names of it
    if after <= before:
        scope.written.add(made)
    else:
        write(gen, scope, made)
    return True


@emits("realloc")
def emit_realloc(e, s):
    source, made = s.operands[0], s.results[0]
    size = "" if made.type.static else f"({e.constant(made.dims[0])})"
    e.line(f"{made} = memref.realloc {source}{size} : {source.type} to {made.type}")
