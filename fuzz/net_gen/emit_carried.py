# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From loops that carry tensors to MLIR."""

from fuzz.net_gen.elements import Body, is_float
from fuzz.net_gen.emit import OUT, affine, emits, load_lines, save_lines
from fuzz.net_gen.tree import tensor


class Writer:
    """Lines of one step; all its names begin with that of its first result."""

    def __init__(self, step, program):
        self.step, self.program, self.n = step, program, step.result.name
        self.lines, self.count = [], 0

    def name(self, ref):
        if not ref.made:
            return self.step.inputs[ref.number].name
        return f"{self.n}_l{ref.number}" if ref.number > 0 else f"{self.n}_spare{'' if self.step.attrs['shared'] else -ref.number}"

    def names(self, refs):
        return ", ".join(self.name(r) for r in refs)

    def let(self, text):
        self.count += 1
        self.lines.append(f"{self.n}_t{self.count} = {text}")
        return f"{self.n}_t{self.count}"

    def index(self, number):
        return self.let(f"arith.constant {number} : index")

    def into(self, op):
        return self.name(op.attrs["into"]) if op.attrs["into"] else self.let(f"tensor.empty() : {op.makes[0].type}")

    def generic(self, op, maps, body, yielded, reads):
        made, rank = op.makes[0], len(op.makes[0].shape)
        into = self.into(op)
        kinds = ", ".join(['"parallel"'] * rank)
        names = [f"%a{i}: {made.element}" for i in range(len(reads))] + [f"%o0: {made.element}"]
        self.lines += [
            f"{self.name(made)} = linalg.generic {{indexing_maps = [{', '.join(affine(rank, m) for m in maps)}], iterator_types = [{kinds}]}}",
            f"    ins({self.names(reads)} : {', '.join(r.type for r in reads)}) outs({into} : {made.type}) {{",
            f"  ^bb0({', '.join(names)}):", *("    " + line for line in body.lines),
            f"    linalg.yield {yielded} : {made.element}", f"  }} -> {made.type}"]  # fmt: skip

    def map(self, op, counter):
        body, element, reads = Body(), op.makes[0].element, op.reads
        every = [f"d{d}" for d in range(len(op.makes[0].shape))]
        names = [f"%a{i}" for i in range(len(reads))] + ["%o0"] * op.attrs["onto"]
        value = names[0]
        for other in names[1:] or [body.constant(op.attrs["factor"] / 16 if is_float(element) else op.attrs["factor"], element)]:
            value = combined(body, element, op.attrs["way"], value, other, op.attrs["factor"])
        self.generic(op, [every] * (len(reads) + 1), body, value, reads)

    def turn(self, op, counter):
        shape = op.makes[0].shape
        every = [f"d{d}" for d in range(len(shape))]
        self.generic(op, [[f"{shape[0] - 1} - d0", *every[1:]], every], Body(), "%a0", op.reads)

    def row(self, op, counter):
        (source, into), made = op.reads, op.makes[0]
        rest = f"{''.join(', 0' for _ in made.shape[1:])}] [1{''.join(f', {s}' for s in made.shape[1:])}] [1{', 1' * (len(made.shape) - 1)}]"
        row = tensor((1, *made.shape[1:]), made.element)
        cut = self.let(f"tensor.extract_slice {self.name(source)}[{op.attrs['from']}{rest} : {made.type} to {row}")
        self.lines.append(f"{self.name(made)} = tensor.insert_slice {cut} into {self.name(into)}[{op.attrs['to']}{rest} : {row} into {made.type}")  # fmt: skip

    def branch(self, op, counter):
        two = self.index(2)
        odd = self.let(f"arith.remui {counter}, {two} : index")
        which = self.index(op.attrs["parity"])
        condition = self.let(f"arith.cmpi eq, {odd}, {which} : index")
        types = ", ".join(r.type for r in op.makes)
        self.lines.append(f"{self.names(op.makes)} = scf.if {condition} -> ({types}) {{")
        for arm, (ops, given) in enumerate(op.attrs["arms"]):
            self.ops(ops, counter)
            self.lines += [f"scf.yield {self.names(given)} : {types}", "} else {" if arm == 0 else "}"]

    def load(self, op, counter):
        self.lines += load_lines(self.program, op.attrs["kept"], self.name(op.makes[0]))

    def save(self, op, counter):
        self.lines += save_lines(self.program, op.attrs["kept"], self.name(op.reads[0]))

    def ops(self, ops, counter):
        for op in ops:
            getattr(self, op.kind)(op, counter)

    def loop(self, op, counter):
        self.write_loop(op.attrs["loop"], self.names(op.makes))

    def trips(self, loop):
        if loop.trips is not None:
            return self.index(loop.trips)
        at = self.index(loop.word)
        word = self.let(f"memref.load %out[{at}] : memref<{OUT}xi64>")
        three = self.let("arith.constant 3 : i64")
        few = self.let(f"arith.andi {word}, {three} : i64")
        return self.let(f"arith.index_cast {few} : i64 to index")

    def write_loop(self, loop, results):
        (self.write_for if loop.form == "for" else self.write_while)(loop, results)

    def write_for(self, loop, results):
        end, zero, one = self.trips(loop), self.index(0), self.index(1)
        counter = f"{self.n}_i{self.count}"
        types = ", ".join(a.type for a in loop.args)
        carried = ", ".join(f"{self.name(a)} = {self.name(s)}" for a, s in zip(loop.args, loop.starts))
        self.lines.append(f"{results} = scf.for {counter} = {zero} to {end} step {one} iter_args({carried}) -> ({types}) {{")
        self.ops(loop.body, counter)
        self.lines += [f"scf.yield {self.names(loop.yields)} : {types}", "}"]

    def write_while(self, loop, results):
        end, zero, one = self.trips(loop), self.index(0), self.index(1)
        before, counter = f"{self.n}_w{self.count}", f"{self.n}_i{self.count}"
        types = ", ".join(["index"] + [a.type for a in loop.args])
        args, some, passed = loop.first
        carried = ", ".join(f"{self.name(a)} = {self.name(s)}" for a, s in zip(args, loop.starts))
        self.lines.append(f"{counter}_end, {results} = scf.while ({before} = {zero}, {carried}) : ({types}) -> ({types}) {{")
        self.ops(some, before)
        more = self.let(f"arith.cmpi slt, {before}, {end} : index")
        self.lines += [f"scf.condition({more}) {before}, {self.names(passed)} : {types}", "} do {",
                       f"^bb0({counter}: index, {', '.join(f'{self.name(a)}: {a.type}' for a in loop.args)}):"]  # fmt: skip
        self.ops(loop.body, counter)
        after = self.let(f"arith.addi {counter}, {one} : index")
        self.lines += [f"scf.yield {after}, {self.names(loop.yields)} : {types}", "}"]


def combined(body, element, way, x, y, factor):
    """Floats stay within the larger bound of the two."""
    if not is_float(element):
        if way == 3:
            return body.op("max", element, x, y)
        odd = body.op("mul", element, x, body.constant(2 * (factor % 50) + 1, element))
        return body.op("add" if way % 2 else "sub", element, odd, y)
    if way > 1:
        return body.op("max" if way == 2 else "min", element, x, y)
    both = body.op("add" if way else "sub", element, x, y)
    return body.op("mul", element, both, body.constant(0.5, element))


@emits
def carried(step, name):
    writer = Writer(step, name)
    for spare in step.attrs["spares"][: 1 if step.attrs["shared"] else None]:
        writer.lines.append(f"{writer.name(spare)} = tensor.empty() : {spare.type}")
    writer.write_loop(step.attrs["loop"], ", ".join(r.name for r in step.results))
    return writer.lines
