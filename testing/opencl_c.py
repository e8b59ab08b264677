# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as OpenCL C, from what MLIR makes of them for a device of NVIDIA.

A block is a label; a branch assigns the arguments of the block and is a `goto`. A struct or a vector is as many variables as it has
scalars. An f16 is a float that is rounded when it is computed. Types in memory may alias, as in MLIR. Workgroup memory holds
`poison` when a kernel begins. Copies of cp.async are done when they are started, or with LATE when their thread waits for them."""

import math
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.paths import generic
from testing import places, process

LOWERING = ("builtin.module(gpu.module(convert-scf-to-cf,convert-nvgpu-to-nvvm,expand-strided-metadata,lower-affine,"
            "convert-gpu-to-nvvm,reconcile-unrealized-casts))")  # fmt: skip

PRELUDE = """\
#pragma OPENCL FP_CONTRACT OFF
void move(__local uchar *to, __global uchar *from, uint size) {
  for (uint i = 0; i < size / 4; ++i)
    ((__local any_uint *)to)[i] = ((__global any_uint *)from)[i];
}
#ifdef LATE
enum { COPIES = 64 };
typedef struct { __local uchar *to[COPIES]; __global uchar *from[COPIES]; uint size[COPIES], end[COPIES], started, done, groups; } copies;
void finish(copies *c, uint count) {
  for (; c->done < count; ++c->done)
    move(c->to[c->done % COPIES], c->from[c->done % COPIES], c->size[c->done % COPIES]);
}
void start(copies *c, __local uchar *to, __global uchar *from, uint size) {
  uint i = c->started++ % COPIES;
  c->to[i] = to, c->from[i] = from, c->size[i] = size;
}
void commit(copies *c) { c->end[c->groups++ % COPIES] = c->started; }
void wait(copies *c, uint left) {
  if (c->groups > left)
    finish(c, c->end[(c->groups - 1 - left) % COPIES]);
}
#else
typedef struct { uint started, done, groups; } copies;
void finish(copies *c, uint count) {}
void start(copies *c, __local uchar *to, __global uchar *from, uint size) { move(to, from, size); }
void commit(copies *c) {}
void wait(copies *c, uint left) {}
#endif
ushort bits_of(float x) {
  ushort bits;
  vstore_half_rte(x, 0, (half *)&bits);
  return bits;
}
float number_of(ushort bits) { return vload_half(0, (half *)&bits); }
float rounded(float x) { return number_of(bits_of(x)); }
void fill(__local uchar *bytes, ulong count, uchar poison) {
  ulong size = get_local_size(0) * get_local_size(1) * get_local_size(2);
  for (ulong i = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0); i < count; i += size)
    bytes[i] = poison;
}
"""

SCALARS = {"i1": "uchar", "i8": "uchar", "i16": "ushort", "i32": "uint", "i64": "ulong", "f16": "float", "f32": "float", "f64": "double"}
BYTES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "f32": 4, "f64": 8}
SIGNED = {"uchar": "char", "ushort": "short", "uint": "int", "ulong": "long"}
BINARY = {"add": "+", "sub": "-", "mul": "*", "udiv": "/", "urem": "%", "and": "&", "or": "|", "xor": "^", "shl": "<<", "lshr": ">>",
          "fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/"}  # fmt: skip
BINARY_SIGNED = {"sdiv": "/", "srem": "%", "ashr": ">>"}
COMPARE = ["==", "!=", *["<", "<=", ">", ">="] * 2]  # of integers; the first four are signed
ORDERED = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 13: "!="}  # of floats, by the number of their predicate
CALLS = {"intr.maximum": "fmax", "intr.maxnum": "fmax", "intr.minimum": "fmin", "intr.minnum": "fmin", "intr.fma": "fma",
         "intr.umax": "max", "intr.umin": "min", "intr.exp": "exp", "intr.sqrt": "sqrt", "intr.fabs": "fabs"}  # fmt: skip
CONVERT = {"trunc", "zext", "uitofp", "fpext", "fptrunc", "fptoui"}
PLACES = {"tid": "get_local_id", "ntid": "get_local_size", "ctaid": "get_group_id", "nctaid": "get_num_groups"}
CALLEE, SIZE, GROUPS, PREDICATE = r"callee = @(\w+)", r"size = (\d+)", r"n = (\d+)", r"predicate = (\d+)"
LIBRARY = r"callee = @__nv_(fma|exp|sqrt|fmax|fmin)f?>?\b"
GLOBAL = r"global_type = ([^=]*), linkage"
SPECIAL = re.compile(r"read\.ptx\.sreg\.(\w+)\.([xyz])")


class Unknown(Exception):
    """No row here says what an op is in OpenCL C."""


def split(text):
    """At commas outside of all brackets."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<([") - (c in ">)]")
        if c == "," and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    return [*parts, text[last:].strip()] if text[last:].strip() else parts


def bare(type):
    return type.strip().removeprefix("!llvm.")


def within(type):
    """(how often, the type) of an array's or a vector's elements."""
    count, inner = re.fullmatch(r"(?:array|vector)<(\d+) ?x ?(.*)>", bare(type)).groups()
    return int(count), inner


def fields(type):
    """The types of a struct's or an array's, or None."""
    type = bare(type)
    if type.startswith("struct<("):
        return split(type[len("struct<(") : -len(")>")])
    if type.startswith(("array<", "vector<")):
        count, inner = within(type)
        return [inner] * count
    return None


def leaves(type, path=()):
    """(path, type) of the scalars in it."""
    inside = fields(type)
    if inside is None:
        return [(path, bare(type))]
    return [leaf for i, inner in enumerate(inside) for leaf in leaves(inner, (*path, i))]


def in_c(type):
    if type in ("ptr", "ptr<1>"):
        return "__global uchar *"
    if type == "ptr<3>":
        return "__local uchar *"
    if type not in SCALARS:
        raise Unknown(type)
    return SCALARS[type]


def size_of(type):
    inside = fields(type)
    if inside is None:
        return 8 if bare(type).startswith("ptr") else BYTES[bare(type)]
    if not bare(type).startswith("array"):
        raise Unknown(type)
    return len(inside) * size_of(inside[0]) if inside else 0


def number(text, type):
    """A constant."""
    if text in ("true", "false"):
        return str(int(text == "true"))
    if type[0] != "f":
        return f"({SCALARS[type]}){int(text)}L"
    value = float(text) if not text.startswith("0x") else bits(int(text, 16), type)
    if math.isnan(value) or math.isinf(value):
        return "NAN" if math.isnan(value) else "-INFINITY" if value < 0 else "INFINITY"
    return f"({SCALARS[type]}){value.hex()}"


def bits(value, type):
    form = {"f16": "He", "f32": "If", "f64": "Qd"}[type]
    return struct.unpack("<" + form[1], struct.pack("<" + form[0], value))[0]


def variable(name, path=()):
    return "_".join([re.sub(r"\W", "_", "v" + name), *map(str, path)])


@dataclass
class Function:
    lines: list = field(default_factory=list)
    declared: dict = field(default_factory=dict)  # variable -> type in C
    types: dict = field(default_factory=dict)     # value -> type in MLIR
    used: list = field(default_factory=list)      # globals


class Printer:
    """Of one module's functions."""

    def __init__(self, module):
        ops = module.regions[0][0].ops
        self.globals = {op.attribute(r'sym_name = "(\w+)"'): op for op in ops if op.name == "llvm.mlir.global"}
        self.functions = [op for op in ops if op.name == "llvm.func" and op.regions[0]]

    def text(self):
        heads = [self.head(op) + ";" for op in self.functions if not is_kernel(op)]
        any = [f"typedef {type} __attribute__((may_alias)) any_{type};" for type in dict.fromkeys(SCALARS.values())]
        return "\n".join([*any, PRELUDE, *heads, *map(self.function, self.functions)])

    def head(self, op, more=()):
        block = op.regions[0][0]
        arguments = [f"{in_c(type)} {variable(name, path)}" for name, whole in zip(block.arguments, block.types)
                     for path, type in leaves(whole)]  # fmt: skip
        first = [] if is_kernel(op) else ["copies *started"]
        return f"{'__kernel ' if is_kernel(op) else ''}void {name_of(op)}({', '.join([*first, *arguments, *more])})"

    def function(self, op):
        self.f = Function()
        for block in op.regions[0]:
            self.define(block.arguments, block.types, declare=block is not op.regions[0][0])
        for block in op.regions[0]:
            self.f.lines.append(f"{label(block.name)}:;" if block.name else "")
            for inner in block.ops:
                self.op(inner, op)
        shared, more, fills = [], [], []
        for name in dict.fromkeys(self.f.used):
            size = size_of(self.globals[name].attribute(r"global_type = ([^=]*), linkage"))
            if size:
                shared.append(f"__local uchar {name}[{size}] __attribute__((aligned(128)));")
            else:
                more = ["__local uchar *dynamic", "ulong dynamic_size"]
            fills.append(f"fill({name if size else 'dynamic'}, {size or 'dynamic_size'}, poison);")
        if is_kernel(op):
            more += ["uchar poison"]
            shared += ["copies own, *started = &own;", "own.started = own.done = own.groups = 0;"]
            fills += ["barrier(CLK_LOCAL_MEM_FENCE);"]
        declared = [f"{type} {name};" for name, type in self.f.declared.items()]
        return "\n".join([self.head(op, more) + " {", *shared, *declared, *fills, *self.f.lines, "}", ""])

    def define(self, names, types, declare=True):
        for name, whole in zip(names, types):
            self.f.types[name] = whole
            for path, type in leaves(whole) if declare else ():
                self.f.declared[variable(name, path)] = in_c(type)

    def set(self, name, value, path=()):
        self.f.lines.append(f"{variable(name, path)} = {value};")

    def compute(self, name, value):
        type = bare(self.f.types[name])
        self.set(name, f"rounded({value})" if type == "f16" else f"({value}) & 1" if type == "i1" else value)

    def op(self, op, function):
        given, _, made = op.types.rpartition("->")
        made = made.strip()
        types = split(made[1:-1]) if made.startswith("(") else [made]
        self.define(op.results, types)
        dialect, _, tail = op.name.partition(".")
        v = [variable(name) for name in op.operands]
        for way in (self.control, self.places, self.aggregate, self.copies):
            if way(op, dialect, tail, v, function):
                return
        self.compute(op.results[0], self.value(op, tail, v))

    # ---- Control

    def control(self, op, dialect, tail, v, function):
        if op.name == "llvm.return":
            self.f.lines.append("finish(started, started->started); return;" if is_kernel(function) else "return;")
        elif op.name == "llvm.br":
            self.go(function, op.successors[0], op.operands)
        elif op.name == "llvm.cond_br":
            sizes = op.numbers("operandSegmentSizes")
            self.f.lines.append(f"if ({v[0]}) {{")
            self.go(function, op.successors[0], op.operands[1 : 1 + sizes[1]])
            self.f.lines.append("}")
            self.go(function, op.successors[1], op.operands[1 + sizes[1] :])
        elif op.name == "llvm.call" and not op.results:
            self.f.lines.append(f"f_{op.attribute(CALLEE)}({', '.join(['started', *v])});")
        elif tail in ("barrier0", "barrier"):
            self.f.lines.append("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")
        else:
            return False
        return True

    def go(self, function, way, given):
        block = next(b for b in function.regions[0] if b.name == way)
        pairs = [(path, type, name, value) for name, value in zip(block.arguments, given)
                 for path, type in leaves(self.f.types[name])]  # fmt: skip
        kept = [f"{in_c(type)} k{i} = {variable(value, path)};" for i, (path, type, _, value) in enumerate(pairs)]
        put = [f"{variable(name, path)} = k{i};" for i, (path, _, name, _) in enumerate(pairs)]
        self.f.lines.append(f"{{ {' '.join([*kept, *put])} goto {label(way)}; }}")

    # ---- Memory

    def places(self, op, dialect, tail, v, function):
        if tail == "mlir.addressof":
            name = op.attribute(r"global_name = @(\w+)")
            if not is_kernel(function):
                raise Unknown("a function that has workgroup memory of its own")
            self.f.used.append(name)
            size = size_of(self.globals[name].attribute(r"global_type = ([^=]*), linkage"))
            self.set(op.results[0], name if size else "dynamic")
        elif tail == "getelementptr":
            self.set(op.results[0], self.element(op, v))
        elif tail == "load":
            for path, place, half in self.parts(op.results[0], op.operands[0]):
                self.set(op.results[0], f"number_of(*{place})" if half else f"*{place}", path)
        elif tail == "store":
            for path, place, half in self.parts(*op.operands):
                value = variable(op.operands[0], path)
                self.f.lines.append(f"*{place} = " + (f"bits_of({value});" if half else f"{value};"))
        else:
            return False
        return True

    def parts(self, value, pointer):
        """(path, place in memory, whether it is an f16) of each scalar of a value."""
        for i, (path, type) in enumerate(leaves(self.f.types[value])):
            at = f"({variable(pointer)} + {i * size_of(type)})"
            yield path, f"({space(self.f.types[pointer])} {stored(type)} *){at}", type == "f16"

    def element(self, op, v):
        type, text, dynamic = op.attribute(r"elem_type = ([^=]*), (?:noWrap|rawConst)"), v[0], iter(v[1:])
        for i, at in enumerate(op.numbers("rawConstantIndices")):
            if i:
                type = within(type)[1]
            text += f" + (long)({next(dynamic) if at == -(2**31) else at}) * {size_of(type)}"
        return text

    def aggregate(self, op, dialect, tail, v, function):
        if tail in ("mlir.poison", "mlir.undef"):
            for path, type in leaves(self.f.types[op.results[0]]):
                self.set(op.results[0], "0", path)
        elif tail == "insertvalue":
            at = tuple(op.numbers("position"))
            for path, _ in leaves(self.f.types[op.results[0]]):
                inside = path[: len(at)] == at
                self.set(op.results[0], variable(op.operands[inside], path[len(at) :] if inside else path), path)
        elif tail == "extractvalue":
            for path, _ in leaves(self.f.types[op.results[0]]):
                self.set(op.results[0], variable(op.operands[0], (*op.numbers("position"), *path)), path)
        elif tail == "select":
            for path, _ in leaves(self.f.types[op.results[0]]):
                a, b = (variable(name, path) for name in op.operands[1:])
                self.set(op.results[0], f"{v[0]} ? {a} : {b}", path)
        else:
            return False
        return True

    def copies(self, op, dialect, tail, v, function):
        if tail == "cp.async.shared.global":
            if len(v) > 2:
                raise Unknown("a copy of fewer bytes")
            self.f.lines.append(f"start(started, {v[0]}, {v[1]}, {op.attribute(SIZE)});")
        elif tail == "cp.async.commit.group":
            self.f.lines.append("commit(started);")
        elif tail == "cp.async.wait.group":
            self.f.lines.append(f"wait(started, {op.attribute(GROUPS)});")
        else:
            return False
        return True

    # ---- Numbers

    def value(self, op, tail, v):
        made = bare(self.f.types[op.results[0]])
        given = bare(self.f.types[op.operands[0]]) if v else ""
        signed = SIGNED.get(SCALARS.get(given))
        special = SPECIAL.fullmatch(tail)
        if special and special[1] in PLACES:
            return f"{PLACES[special[1]]}({'xyz'.index(special[2])})"
        if tail == "mlir.constant":
            return number(op.attribute(r"value = ([^ ,]*)"), made)
        if tail in BINARY:
            return f"{v[0]} {BINARY[tail]} {v[1]}"
        if tail in BINARY_SIGNED:
            return f"({signed}){v[0]} {BINARY_SIGNED[tail]} ({signed}){v[1]}"
        predicate = int(op.attribute(PREDICATE) or 0)
        if tail == "icmp":
            cast = f"({signed})" if 2 <= predicate < 6 else ""
            return f"{cast}{v[0]} {COMPARE[predicate]} {cast}{v[1]}"
        if tail == "fcmp" and predicate in ORDERED:
            return f"{v[0]} {ORDERED[predicate]} {v[1]}"
        return self.converted(op, tail, v, made, signed)

    def converted(self, op, tail, v, made, signed):
        if tail in CALLS:
            return f"{CALLS[tail]}({', '.join(v)})"
        if tail in CONVERT:
            return f"({SCALARS[made]}){v[0]}"
        if tail in ("sext", "sitofp") and signed and self.f.types[op.operands[0]] != "i1":
            return f"({SCALARS[made]})({signed}){v[0]}"
        if tail == "call" and op.attribute(LIBRARY):
            return f"{op.attribute(LIBRARY)}({', '.join(v)})"
        if tail in ("fneg", "mlir.zero"):
            return f"-{v[0]}" if v else "0"
        if tail in ("addrspacecast", "ptrtoint", "inttoptr"):
            return f"({in_c(made)}){v[0]}"
        raise Unknown(op.name)


def stored(type):
    return "any_ushort" if type == "f16" else f"any_{in_c(type)}"


def space(type):
    return in_c(bare(type)).split()[0]


def label(name):
    return re.sub(r"\W", "_", "b" + name)


def name_of(op):
    return "f_" + op.attribute(r'sym_name = "(\w+)"')


def is_kernel(op):
    return "nvvm.kernel" in op.attributes


def source_of(text):
    """The kernels of a module, in OpenCL C."""
    opt = Path(places.llvm_bindir()) / "mlir-opt"
    lowered = process.call([opt, f"--pass-pipeline={LOWERING}", "--mlir-print-op-generic"], text).out
    modules = [op for op in generic.read_modules(lowered)[0].regions[0][0].ops if op.name == "gpu.module"]
    return "\n".join(Printer(module).text() for module in modules)
