# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that keep a buffer and write it later: in a memref of memrefs that they are given, or in
a global one."""

from fuzz.memref_gen.actions import action
from fuzz.memref_gen.emit import emits
from fuzz.memref_gen.ops_memory import numbers
from fuzz.memref_gen.tree import Block, Function, Stmt

ELEMENTS = ("i8", "i32", "i64")


@action("deposit")
def grow_deposit(gen, scope):
    source = scope.find(lambda v: v.type.element.text in ELEMENTS and v.type.plain and v.type.space == 0
                        and v.whole and scope.full(v) and scope.writable(v))  # fmt: skip
    if source is None or scope.beside or scope.writable_only is not None:
        return False
    # A function that calls itself would find its callee's buffer in a global.
    place = gen.rng.pick([in_box, in_box, in_global]) if gen.function.name == "main" else in_box
    box, keep, change = place(gen, scope, source.type)
    scope.add("deposit", [source, *box], callee=keep.name)
    gen.grow(scope, gen.rng.between(1, 4))
    word = scope.scalar("i64")
    if word and scope.readable(source) and scope.writable(source):
        scope.add("overwrite", [source, *box, word], callee=change.name)
        gen.grow(scope, gen.rng.between(1, 3))
    return True


def in_box(gen, scope, type):
    """A memref of the program's own: (it, the function that keeps, the one that writes later)"""
    box = gen.owned(f"memref<1x{type}>")
    scope.add("box", results=[box])
    return [box], *functions(gen, type, box.type, None)


def in_global(gen, scope, type):
    name = f"g{len(gen.program.globals)}"
    gen.program.globals.append((name, f"memref<1x{type}>"))
    return [], *functions(gen, type, f"memref<1x{type}>", name)


def functions(gen, type, box, name):
    """Those that keep a buffer of this type in such a box, or in the global of this name, and that write it."""
    made = []
    for kind, argument, results in (("put", type, []), ("change", "i64", [gen.value(type)])):
        value, places = gen.value(argument), [] if name else [gen.value(box)]
        body = Stmt(kind, [value, *places], results, attrs={"box": box, "global": name, **numbers(gen)})
        function = Function(f"f{10 + len(gen.program.functions)}", Block(args=places + [value], body=[body]))
        gen.program.functions.append(function)
        made.append(function)
    return made


def box_of(e, s):
    if s.attrs["global"]:
        return e.let(f"memref.get_global {e.callee(s.attrs['global'])} : {s.attrs['box']}")
    return s.operands[1]


@emits("box")
def emit_box(e, s):
    e.line(f"{s.results[0]} = memref.alloc() : {s.results[0].type}")


@emits("deposit")
def emit_deposit(e, s):
    e.call(s, s.operands[1:] + s.operands[:1])


@emits("overwrite")
def emit_overwrite(e, s):
    e.call(s, s.operands[1:])


@emits("put")
def emit_put(e, s):
    e.line(f"memref.store {s.operands[0]}, {box_of(e, s)}[{e.constant(0)}] : {s.attrs['box']}")


@emits("change")
def emit_change(e, s):
    """Every element of what is kept."""
    word, kept = s.operands[0], s.results[0]
    e.line(f"{kept} = memref.load {box_of(e, s)}[{e.constant(0)}] : {s.attrs['box']}")

    def body(variables):
        changed = e.mix(e.load(kept, variables), word, s.attrs["factor"], s.attrs["term"])
        e.store(changed, kept, variables)

    e.nest(kept.type.shape, "for", body)
