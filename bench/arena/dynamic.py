#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks whose sizes are known at run time only: their arenas at many sizes, beside the plan of the same network that is
generated with that size.

    python3 -m bench.arena.dynamic --output bench/dynamic.md
    python3 -m bench.arena.dynamic --only transformer --few

The network is bufferized and planned once, with dynamic=exact; the size of its arena at given sizes is what the ops
compute that the pass wrote before the alloc, which are interpreted here. --few takes a handful of sizes. What
they cost in time is measured by dynamic_times.py.
"""

import re
import sys
from dataclasses import dataclass

from bench import measure
from bench.arena import dynamic_forms
from bench.arena.networks import arenas_of, bytes_of
from testing import networks, tables
from testing.execute import Tools
from testing.process import ToolError

PASSES = "merge-alloc{dynamic=exact}"
SEQUENCES = [1, 2, 3, 5, 8, 13, 16, 17, 31, 32, 48, 64, 100, 127, 128, 129, 200, 256, 300, 384, 511, 512, 777, 1000, 1024, 1536, 2047, 2048]
BATCHES = [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 16, 17, 24, 31, 32, 48, 63, 64]
IMAGES = [32, 33, 64, 65, 96, 97, 128, 160, 191, 192, 224, 225, 256, 320, 333, 384, 448, 512]


HEAD = """# Dynamic sizes

Written by `python3 -m bench.arena.dynamic`.

Each network is bufferized and planned once, with `dynamic=exact`. The size of its arena at given sizes is what the ops compute that the pass
wrote; it is compared with the *static plan*, that of the same network generated with these sizes. *Ops for sizes and offsets* are those that
the pass adds.

What the choice at run time saves, measured once at 1 to 2048: with one stacking for all sizes (`stackings=1`), torchmlir-gpt2 needs up to 1.21
times as many bytes, the decoder 1.09, iree-mobilebert 1.05 and gen-bert-base 1.03. If only stackings are chosen, and not which buffers
lie in results, torchmlir-gpt2 needs 1.21 and the decoder 1.09. The other twelve differ by 1 in 10,000 at most."""


@dataclass(frozen=True)
class Case:
    network: str
    dynamic: str  # the option that makes it so
    option: str  # that gives the size
    sizes: tuple


CASES = [
    Case("mlp", "--dynamic 1", "--batch", BATCHES),
    Case("transformer", "--dynamic 1", "--sequence", SEQUENCES),
    Case("decoder", "--dynamic 1", "--context", SEQUENCES),
    Case("mobilenetv2", "--dynamic batch", "--batch", BATCHES),
    Case("mobilenetv2", "--dynamic image", "--size", IMAGES),
]

# ---- The size code of a function, interpreted -----------------------------------------------


class Number(int):
    """With the operators of affine expressions; @ is ceildiv."""

    def __add__(self, o): return Number(int(self) + int(o))
    def __sub__(self, o): return Number(int(self) - int(o))
    def __mul__(self, o): return Number(int(self) * int(o))
    def __floordiv__(self, o): return Number(int(self) // int(o))
    def __mod__(self, o): return Number(int(self) % int(o))
    def __matmul__(self, o): return Number(-(-int(self) // int(o)))
    def __neg__(self): return Number(-int(self))
    __radd__, __rmul__ = __add__, __mul__


ARITH = {
    "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b,
    "maxsi": max, "maxui": max, "minsi": min, "minui": min, "divui": lambda a, b: a // b, "divsi": lambda a, b: int(a / b),
    "ceildivui": lambda a, b: -(-a // b), "ceildivsi": lambda a, b: -(-a // b), "floordivsi": lambda a, b: a // b,
    "andi": lambda a, b: a & b, "shli": lambda a, b: a << b, "shrui": lambda a, b: a >> b, "remui": lambda a, b: a % b,
}  # fmt: skip
COMPARE = {
    "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b, "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b,
    "ult": lambda a, b: a < b, "ule": lambda a, b: a <= b, "ugt": lambda a, b: a > b, "uge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
}  # fmt: skip
BYTES = {"f32": 4, "i8": 1, "i32": 4, "i64": 8, "f64": 8, "f16": 2, "bf16": 2, "i1": 1, "index": 8, "i16": 2}
NAME, TYPE = r"%[\w#$.-]+", r"memref<([^>]*)>"


class Machine:
    """Runs the straight-line index arithmetic of a function for given dims of its arguments."""

    def __init__(self, module, function="forward"):
        self.maps = dict(re.findall(r"^(#map\d*) = affine_map<(.*)>$", module, re.M))
        start = module.index(f" @{function}(")
        self.lines = module[start : module.index("\n  }\n", start)].splitlines()
        self.freed = set(re.findall(rf"memref\.dealloc ({NAME})", "\n".join(self.lines)))  # a result that lends is not

    def run(self, dim, index=None):
        """[(bytes, whether it is an arena)] of the allocations; dim(argument, position) tells sizes, and every argument
        that is an index is the other one. What is computed from something else is passed over."""
        values, allocations = dict.fromkeys(re.findall(r"(%arg\d+): index", self.lines[0]), index), []
        for line in self.lines[1:]:
            try:
                self.step(line.strip(), values, allocations, dim)
            except KeyError:
                continue
        return allocations

    def step(self, line, values, allocations, dim):
        def of(names):
            return [values[n] for n in re.findall(NAME, names)]

        if found := re.match(rf"({NAME}) = arith\.constant (-?\d+) : index", line):
            values[found[1]] = int(found[2])
        elif found := re.match(rf"({NAME}) = memref\.dim (%arg\d+), ({NAME})", line):
            values[found[1]] = dim(found[2], values[found[3]])
        elif found := re.match(rf"({NAME}) = arith\.(\w+) ({NAME}), ({NAME}).* : index", line):
            values[found[1]] = ARITH[found[2]](*of(f"{found[3]} {found[4]}"))
        elif found := re.match(rf"({NAME}) = arith\.cmpi (\w+), ({NAME}), ({NAME}) : index", line):
            values[found[1]] = COMPARE[found[2]](*of(f"{found[3]} {found[4]}"))
        elif found := re.match(rf"({NAME}) = arith\.select ({NAME}), ({NAME}), ({NAME}) : index", line):
            c, a, b = of(" ".join(found.groups()[1:]))
            values[found[1]] = a if c else b
        elif found := re.match(rf"({NAME}) = affine\.(apply|max|min) (#map\d*)(\(.*?\))?(\[.*?\])?", line):
            results = self.affine(self.maps[found[3]], of(found[4] or ""), of(found[5] or ""))
            values[found[1]] = {"apply": lambda r: r[0], "max": max, "min": min}[found[2]](results)
        elif found := re.match(rf"({NAME}) = memref\.alloc\((.*?)\)(.*) : {TYPE}", line):
            is_arena = re.fullmatch(r"[\d?]+xi8", found[4]) and found[1] in self.freed
            allocations.append((bytes_in(found[4], of(found[2])), bool(is_arena)))

    def affine(self, text, dims, symbols):
        left, right = text.split(" -> ", 1)
        names = re.findall(r"[ds]\d+", left)
        for word, operator in (("ceildiv", "@"), ("floordiv", "//"), ("mod", "%")):
            right = right.replace(f" {word} ", f" {operator} ")
        made = eval(right, {"__builtins__": {}}, dict(zip(names, map(Number, [*dims, *symbols]))))
        return [int(x) for x in (made if isinstance(made, tuple) else [made])]


def bytes_in(type, sizes):
    *shape, element = type.split("x")
    total, sizes = BYTES[element], iter(sizes)
    for d in shape:
        total *= next(sizes) if d == "?" else int(d)
    return total


# ---- Networks -------------------------------------------------------------------------------


def dims_of(case, module, size):
    """What memref.dim gives for the arguments of forward: every dynamic dimension is the size."""
    head = re.search(r"@forward\((.*?)\) ->", module)[1]
    types = dict(re.findall(rf"(%arg\d+): {TYPE}", head))

    def dim(argument, position):
        extent = types[argument].split("x")[position]
        return size if extent == "?" else int(extent)

    return dim


def static_arena(tools, case, size):
    memrefs = networks.bufferized(tools, case.network, case.option, str(size))
    return bytes_of(arenas_of(tools, memrefs, "merge-alloc"), "forward")


def measured(tools, case, few):
    """(rows of sizes, a row of the whole)"""
    before = networks.bufferized(tools, case.network, *case.dynamic.split())
    after = tools.apply(before, f"builtin.module({PASSES})")
    buffers = before.count("memref.alloc(")
    views = after.count("memref.view ")
    arith = len(re.findall(r"= arith\.\w+ .*: index", after)) - len(re.findall(r"= arith\.\w+ .*: index", before))
    machines, rows, worst, least_share = (Machine(before), Machine(after)), [], 0, 1
    for size in case.sizes[:: len(case.sizes) // 4 if few else 1]:
        apart, made = (m.run(dims_of(case, text, size)) for m, text in zip(machines, (before, after)))
        total, arena = sum(b for b, _ in apart), sum(b for b, is_arena in made if is_arena)
        left = sum(b for b, is_arena in made if not is_arena)
        static = static_arena(tools, case, size)
        worst, least_share = max(worst, arena / static), min(least_share, 1 - left / total)
        rows.append((f"{case.network} {case.option[2:]} {size}", tables.count(total), tables.count(arena),
                     tables.count(static), f"{arena / static:.4f}", len(apart), len(made)))  # fmt: skip
    name = f"{case.network} {case.dynamic}"
    return rows, (name, buffers, views, f"{100 * least_share:.1f} %", f"{worst:.4f}", arith, f"{arith / max(views, 1):.2f}")


# ---- Networks that others bufferized --------------------------------------------------------

# Name, the extent that becomes dynamic, and whether only of the first dimension (a batch) or of all (a sequence).
MODELS = [
    ("gen-bert-base-s128", 128, False), ("iree-mobilebert", 384, False), ("hexagon-attention", 1024, False),
    ("buddy-deepseek-r1-1.5b-decode", 1024, False), ("torchmlir-gpt2", 5, False), ("gen-unet-256", 1, True),
    ("buddy-resnet18", 1, True), ("iree-mobilenetv2", 1, True), ("imex-mobilenetv3", 1, True),
    ("lean4-efficientnet_fwd_eval", 32, True), ("lean4-vit_fwd", 32, True),
]  # fmt: skip
OTHERS = (1, 3, 8, 32, 100)  # sizes that they are looked at with, and their own


def planned(tools, text, function):
    """Bytes of all arenas of a function with static sizes."""
    return bytes_of(arenas_of(tools, text, "merge-alloc"), function)


def model_row(tools, path, extent, leading):
    """Of one model: how much is in arenas, and its arenas beside those of the model with other numbers in its types."""
    text = path.read_text()
    before = dynamic_forms.resized(text, extent, leading)
    printed = tools.apply(before, "builtin.module()")
    after = tools.apply(before, f"builtin.module({PASSES})")
    function = max(re.findall(r"func\.func (?:private |public )?@([\w.$-]+)\(", after), key=lambda f: in_function(after, f))
    machines, ratios, least_share = (Machine(printed, function), Machine(after, function)), [], 1
    for size in dict.fromkeys([*OTHERS, extent]):
        apart, made = (m.run(lambda argument, position: size, size) for m in machines)
        arena, left = (sum(b for b, is_arena in made if is_arena is wanted) for wanted in (True, False))
        static = planned(tools, dynamic_forms.resized(text, extent, leading, size), function)
        ratios.append(arena / max(static, 1))
        least_share = min(least_share, 1 - left / max(sum(b for b, _ in apart), 1))
    return (path.name.removesuffix(".memref.mlir"), f"{'first ' if leading else ''}{extent}", len(apart), len(made), f"{100 * least_share:.1f} %",
            f"{ratios[-1]:.4f}", f"{max(ratios):.4f}")  # fmt: skip


def in_function(text, name):
    start = text.index(f"@{name}(")
    return text[start : text.find("\n  }\n", start)].count("memref.view")


def main():
    parser = measure.arguments(__doc__, models=True)
    parser.add_argument("--only", help="networks whose name matches this regular expression")
    parser.add_argument("--few", action="store_true")
    args = parser.parse_args()
    tools, rows, whole = Tools(opt=args.opt), [], []
    for case in [c for c in CASES if re.search(args.only or "", c.network)]:
        tables.say(f"{case.network} {case.dynamic}")
        more, one = measured(tools, case, args.few)
        rows += more
        whole.append(one)
    parts = [HEAD] if args.output else []
    parts.append(tables.table(["<network", "buffers", "in arenas", "of their bytes", "arena to the static plan, at most",
                               "ops for sizes and offsets", "per buffer"], whole))  # fmt: skip
    models = [m for m in MODELS if re.search(args.only or "", m[0]) and (args.models / f"{m[0]}.memref.mlir").exists()]
    if models:
        rows_of_models = []
        for name, extent, leading in models:
            tables.say(name)
            rows_of_models.append(model_row(tools, args.models / f"{name}.memref.mlir", extent, leading))
        parts.append("Networks of other compilers, each made dynamic in one extent (`bench.arena.dynamic_forms`); their arenas beside "
                     f"those of the static plan, at the network's own extent, and at most at extents of {', '.join(map(str, OTHERS))}.")  # fmt: skip
        parts.append(tables.table(["<network", "extent", "allocations", "with arenas", "of their bytes", "to the static plan at its own extent",
                                   "at most"], rows_of_models))  # fmt: skip
    parts.append(tables.table(["<network at a size", "bytes apart", "arena", "arena of the static plan", "ratio", "allocations",
                               "with the arena"], rows))  # fmt: skip
    tables.write(args.output, "\n\n".join(parts))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"dynamic: {error}", file=sys.stderr)
        sys.exit(2)
