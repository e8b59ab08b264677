# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the tree to MLIR text.

An operation's own text is written by the function its file registers with
`@emits(kind)`; what all share is here: names, constants, indentation, where the
deallocs go, and blocks of a CFG. A statement with `style` cf is written as
branches between blocks where the place allows several blocks, and as a region
operation of scf elsewhere.
"""

import re

from fuzz.memref_gen import bits, tree
from fuzz.rng import Rng

EMITTERS = {}

# Declared in every module; driver.c defines them.
OUTSIDE = [
    "func.func private @stow_fuzz_touch(memref<?xi8>, i64) attributes {llvm.emit_c_interface}",
    "func.func private @stow_fuzz_keep(memref<?xi8>) attributes {llvm.emit_c_interface}",
    "func.func private @stow_fuzz_revise(i64) attributes {llvm.emit_c_interface}",
    "func.func private @stow_fuzz_pause() attributes {llvm.emit_c_interface}",
    "func.func private @stow_fuzz_recall() -> i64 attributes {llvm.emit_c_interface}",
    "func.func private @stow_fuzz_echo(memref<?xi8>) -> memref<?xi8> attributes {llvm.emit_c_interface}",
    "func.func private @stow_fuzz_poke(index, i64) attributes {llvm.emit_c_interface}",
    "func.func private @stow_fuzz_peek(index) -> i64 attributes {llvm.emit_c_interface}",
    'memref.global "private" constant @stow_fuzz_table : memref<16xi32> = '
    "dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]>",
]


def emits(kind):
    def register(function):
        EMITTERS[kind] = function
        return function

    return register


def module(functions, only_used=False):
    """The text of a module with these emitted functions."""
    body = "\n".join(functions)
    outside = [x for x in OUTSIDE if not only_used or re.search(r"@\w+", x).group() in body]
    return "\n".join(["module {"] + outside + [body, "}"]) + "\n"


def program(tree_program, name, input="freed", mutation=None):
    """All functions of one program, the run one called `name`. `input` says
    which deallocs it has: all (freed), all and none later than it must be (prompt),
    all and many as upstream's passes know them (others), some, or none."""
    texts = [f'memref.global "private" @{name}_{g} : {type} = uninitialized' for g, type in tree_program.globals]
    for function in tree_program.functions:
        left = kept(function, tree_program.seed, input)
        marks = tree_program.seed if input == "others" else None
        texts.append(FunctionEmitter(function, name, left, mutation, input == "prompt", marks).text())
    return "\n".join(texts)


def kept(function, seed, input):
    """The values whose dealloc is left out."""
    owned = [v for block in tree.blocks(function.body) for v, _ in tree.owned_values(block)]
    if input in ("freed", "prompt", "others"):
        return set()
    return set(owned) if input == "none" else tree.half(function, owned, seed)


# How a dealloc may be written.
MANUAL = "bufferization.manual_deallocation"
MARKS = ("plain", "bit", "manual")


class FunctionEmitter:
    def __init__(self, function, prefix, kept, mutation=None, prompt=False, marks=None):
        self.function = function
        self.prefix = prefix
        self.kept = kept  # not to be freed
        self.mutation = mutation  # see mutate.py
        self.prompt = prompt
        self.marks = marks  # a seed: many deallocs are such as others know
        self.lines = []
        self.constants = {}
        self.temporaries = 0
        self.labels = 0
        self.depth = 1
        self.frames = []  # owned and not yet freed, a list per open block
        self.blocks_allowed = "func"  # or "region" (no return) or None
        self.several = set()  # results of operations that have several
        self.loops = []  # open cf loops: (depth of frames, label, values)

    # Names and lines.

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def temporary(self):
        self.temporaries += 1
        return f"%t{self.temporaries}"

    def let(self, text):
        """Writes `%new = text` and gives the new name."""
        name = self.temporary()
        self.line(f"{name} = {text}")
        return name

    def label(self):
        self.labels += 1
        return f"^b{self.labels}"

    def start(self, label, args=()):
        """Begins a block of the CFG."""
        listed = ", ".join(f"{v}: {v.type}" for v in args)
        self.lines.append("  " * (self.depth - 1) + label + (f"({listed}):" if args else ":"))

    def constant(self, number, type="index"):
        key = (number, type)
        if key not in self.constants:
            sign = "m" if number < 0 else ""
            suffix = "" if type == "index" else "_" + type
            self.constants[key] = f"%c{sign}{abs(number)}{suffix}"
        return self.constants[key]

    def callee(self, name):
        return f"@{self.prefix}" if name == "main" else f"@{self.prefix}_{name}"

    # Functions, blocks, statements.

    def text(self):
        body = self.function.body
        self.block(body)
        if not self.returned(body):
            self.give_back(body.yields)
        addressed = "addressed" in self.function.traits
        consts = [
            f"  {text} = arith.constant {number} : {type}"
            for (number, type), text in self.constants.items()
        ]
        name = self.callee("within" if addressed else self.function.name)
        text = [self.head(name) + " {"] + consts + self.lines + ["}"]
        return "\n".join(text + (self.door(name) if addressed else []))

    def head(self, name):
        args = ", ".join(f"{v}: {v.type}" for v in self.function.body.args)
        results = ", ".join(map(str, self.function.results))
        head = f"func.func {'' if 'open' in self.function.traits else 'private '}{name}({args})"
        if results:
            head += f" -> ({results})"
        if name == self.callee("main"):
            head += " attributes {llvm.emit_c_interface}"
        return head

    def door(self, within):
        """What is run: it calls the function `within` by its address."""
        args, types = self.function.body.args, self.function.results
        type = f"({', '.join(str(v.type) for v in args)}) -> ({', '.join(map(str, types))})"
        names = [f"%r{i}" for i in range(len(types))]
        back = f"{', '.join(names)} = " if names else ""
        given = f" {', '.join(names)} : {', '.join(map(str, types))}" if names else ""
        head = self.head(self.callee("main")).replace("private ", "")
        return [head + " {", f"  %f = func.constant {within} : {type}",
                f"  {back}func.call_indirect %f({', '.join(map(str, args))}) : {type}",
                f"  return{given}", "}"]  # fmt: skip

    def block(self, block):
        """The statements and frees of a block, but not its terminator."""
        places = tree.place_frees(block, self.prompt)
        frame = [v for v in block.adopts] + [v for v in block.args if v.owned]
        self.frames.append(frame)
        self.free(places.get(-1, ()))
        for i, stmt in enumerate(block.body):
            for value in stmt.moves:
                self.forget(value)
            if not (self.mutation and self.mutation.replaces(self, stmt)):
                EMITTERS[stmt.kind](self, stmt)
            if stmt.attrs.get("jumped"):
                break
            if len(stmt.results) > 1 or stmt.kind in ("while", "turn"):
                self.several.update(stmt.results)
            frame.extend(v for v in stmt.results if v.owned)
            self.free(places.get(i, ()))
        self.frames.pop()

    def forget(self, value):
        for frame in self.frames:
            if value in frame:
                frame.remove(value)

    def free(self, values):
        for value in values:
            self.forget(value)
            self.dealloc(value)

    def dealloc(self, value):
        if value in self.kept or (self.mutation and self.mutation.keeps(value)):
            return
        mark = "plain" if self.marks is None else Rng(self.marks * 1000003 + value.id).pick(MARKS)
        if mark == "bit":
            self.line(f"bufferization.dealloc ({value} : {value.type}) if ({self.constant(1, 'i1')})")
        elif mark == "manual":
            self.line(f"memref.dealloc {value} {{{MANUAL}}} : {value.type}")
            self.mark_alloc(value)
        else:
            self.line(f"memref.dealloc {value} : {value.type}")
        if self.mutation:
            self.mutation.after_free(self, value)

    def mark_alloc(self, value):
        """Where an allocation makes it, that says that it is freed by hand, too."""
        for i, line in enumerate(self.lines):
            if re.match(rf"\s*{value} = memref\.alloc\([^)]*\) :", line):
                self.lines[i] = line.replace(" :", f" {{{MANUAL}}} :", 1)

    def count(self):
        """One allocation more, freed at once, tells that control came here."""
        made = self.let("memref.alloc() : memref<1xi8>")
        self.line(f"memref.dealloc {made} : memref<1xi8>")

    def free_frames(self, depth):
        """Frees all that is owned by the open blocks above `depth`, for a jump
        out of them; the other path still owns it."""
        for frame in reversed(self.frames[depth:]):
            for value in frame:
                self.dealloc(value)

    def give_back(self, values):
        self.line("return" + self.typed(values))

    def returned(self, block):
        """Whether the block's text already ends with a jump elsewhere."""
        return bool(block.body) and block.body[-1].attrs.get("jumped", False)

    def typed(self, values):
        if not values:
            return ""
        names = ", ".join(map(str, values))
        return f" {names} : " + ", ".join(str(v.type) for v in values)

    def target(self, label, values):
        return f"{label}({self.typed(values).strip()})" if values else label

    def region(self, block, end=None):
        """A region's lines, without braces; `end` is its terminator."""
        allowed, self.blocks_allowed = self.blocks_allowed, None
        self.depth += 1
        self.block(block)
        if end:
            self.line(end)
        self.depth -= 1
        self.blocks_allowed = allowed

    def yielding(self, block, keyword="scf.yield"):
        self.region(block, keyword + self.typed(block.yields))

    def results(self, stmt):
        return ", ".join(map(str, stmt.results)) + " = " if stmt.results else ""

    def call(self, stmt, values):
        """A call of a statement's callee with these values."""
        names = ", ".join(map(str, values))
        callee = self.callee(stmt.attrs["callee"])
        self.line(f"{self.results(stmt)}func.call {callee}({names}) : {self.signature(stmt, values)}")

    def signature(self, stmt, values):
        """The type of a function that takes and gives this."""
        types, back = (", ".join(str(v.type) for v in some) for some in (values, stmt.results))
        return f"({types}) -> ({back})"

    def result_types(self, stmt):
        types = ", ".join(str(v.type) for v in stmt.results)
        return f" -> ({types})" if types else ""

    # Reading and writing single elements as 64 bits.

    def load(self, value, indices, dialect="memref"):
        element = self.let(f"{dialect}.load {value}[{', '.join(indices)}] : {value.type}")
        return bits.to_bits(self, element, value.type.element)

    def store(self, i64, value, indices, dialect="memref"):
        element = bits.from_bits(self, i64, value.type.element)
        self.line(f"{dialect}.store {element}, {value}[{', '.join(indices)}] : {value.type}")

    def mix(self, old, new, factor, term):
        """old * odd + new * odd + constant: nothing of either is lost."""
        a = self.let(f"arith.muli {old}, {self.constant(factor, 'i64')} : i64")
        b = self.let(f"arith.muli {new}, {self.constant(term, 'i64')} : i64")
        return self.let(f"arith.addi {a}, {b} : i64")

    def nest(self, dims, style, body):
        """A loop nest over `dims`; `body` gets the names of the variables."""
        variables = []
        for d in dims:
            variable = self.temporary()
            variables.append(variable)
            if style == "affine":
                self.line(f"affine.for {variable} = 0 to {d} {{")
            else:
                word = "scf.parallel" if style == "parallel" else "scf.for"
                zero, one, last = self.constant(0), self.constant(1), self.constant(d)
                listed = (variable, zero, last, one)
                if style == "parallel":
                    listed = tuple(f"({x})" for x in listed)
                self.line("{} {} = {} to {} step {} {{".format(word, *listed))
            self.depth += 1
        body(variables)
        for _ in dims:
            if style == "parallel":
                self.line("scf.reduce")
            self.depth -= 1
            self.line("}")

    def spread(self, variables, dims, shift):
        """Indices into `dims` that follow `variables` in some scattered way."""
        if not dims:
            return []
        line = self.constant(shift)
        for step, variable in enumerate(variables):
            scaled = self.let(f"arith.muli {variable}, {self.constant(2 * step + 1)} : index")
            line = self.let(f"arith.addi {line}, {scaled} : index")
        out = []
        for d in dims:
            out.append(self.let(f"arith.remui {line}, {self.constant(d)} : index"))
            line = self.let(f"arith.addi {line}, {self.constant(shift % 5 + 1)} : index")
        return out
