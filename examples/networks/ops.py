# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of a network: text of linalg, tensor and arith, appended in order."""

import math
import sys
from dataclasses import dataclass


def demand(condition, message):
    if not condition:
        sys.exit(f"generate.py: {message}")


def shaped(kind, shape, element="f32"):
    return f"{kind}<{'x'.join(map(str, shape))}x{element}>"


def dims(rank):
    return [f"d{i}" for i in range(rank)]


def affine_map(rank, results):
    return f"affine_map<({', '.join(dims(rank))}) -> ({', '.join(results)})>"


def literal(value, element):
    if element != "f32":
        return f"{value} : {element}"
    return {math.inf: "0x7F800000", -math.inf: "0xFF800000"}.get(value, f"{value:.8e}") + " : f32"


def least(element):
    return -math.inf if element == "f32" else -(1 << (int(element[1:]) - 1))


def quoted(words):
    return ", ".join(f'"{word}"' for word in words)


class Dynamic(int):
    """A size that is known as the program runs only; the number is what `main` runs it with. One of a network is an affine
    function of a tensor's dimension: `inner`, a text in s0, and a constant more."""

    def __new__(cls, number, net=None, base=None, inner="s0", more=0):
        made = super().__new__(cls, number)
        made.net, made.base, made.inner, made.more = net, base, inner, more
        return made

    def __str__(self):
        return "?"

    @property
    def text(self):
        return f"{self.inner} + {self.more}" if self.more else self.inner

    @property
    def name(self):
        """Of the value in the program."""
        return self.net.applied(self.base, self.text)

    def made(self, number, inner, more=0):
        return Dynamic(number, self.net, self.base, inner, more)

    def __add__(self, k): return self.made(int(self) + k, self.inner, self.more + k)
    def __sub__(self, k): return self + -k
    def __mul__(self, k): return self if k == 1 else self.made(int(self) * k, f"({self.text}) * {k}")
    def __floordiv__(self, k): return self if k == 1 else self.made(int(self) // k, f"({self.text}) floordiv {k}")
    __radd__, __rmul__ = __add__, __mul__


def listed(sizes):
    """As operands of an op."""
    return f"[{', '.join(s.name if isinstance(s, Dynamic) else str(s) for s in sizes)}]"


class Tensor:
    def __init__(self, name, shape, element="f32"):
        self.name, self.shape, self.element = name, tuple(shape), element
        self.type = shaped("tensor", shape, element)
        self.typed = f"{name} : {self.type}"
        self.rectified = False  # nothing below zero: half as much variance


def operands(tensors):
    return f"{', '.join(t.name for t in tensors)} : {', '.join(t.type for t in tensors)}"


class Scalar:
    """A value in the body of a linalg.generic. Arithmetic on it appends ops to the body."""

    def __init__(self, body, name, element):
        self.body, self.name, self.element = body, name, element

    def op(self, op, *others, element=None):
        names = [self.name] + [x.name if isinstance(x, Scalar) else self.constant(x)
                               for x in others]
        types = f"{self.element} to {element}" if element else self.element
        return Scalar(self.body, self.append(f"{op} {', '.join(names)} : {types}"),
                      element or self.element)

    def constant(self, value):
        return self.append(f"arith.constant {literal(value, self.element)}")

    def append(self, text):
        name = f"%s{len(self.body)}"
        self.body.append(f"{name} = {text}")
        return name

    def arith(self, of_floats, of_integers, other):
        return self.op(f"arith.{of_floats if self.element == 'f32' else of_integers}", other)

    def __add__(self, other): return self.arith("addf", "addi", other)
    def __sub__(self, other): return self.arith("subf", "subi", other)
    def __mul__(self, other): return self.arith("mulf", "muli", other)
    def __truediv__(self, other): return self.op("arith.divf", other)
    def __rshift__(self, bits): return self.op("arith.shrsi", bits)
    def maximum(self, other): return self.arith("maximumf", "maxsi", other)
    def minimum(self, other): return self.arith("minimumf", "minsi", other)
    def exp(self): return self.op("math.exp")
    def tanh(self): return self.op("math.tanh")
    def rsqrt(self): return self.op("math.rsqrt")
    def widened(self, element): return self if self.element == element else self.op("arith.extsi", element=element)
    def narrowed(self, element): return self.op("arith.trunci", element=element)


def linear(x): return x
def relu(x): return x.maximum(0.0)
def relu6(x): return x.maximum(0.0).minimum(6.0)
def gelu(x): return x * 0.5 * (((x * x * x * 0.044715 + x) * 0.7978845608).tanh() + 1.0)


def requantized(x, scale, low):
    """The integer nearest to x * scale, from low to 127; the scale as a fraction of 31 bits and a shift."""
    shift = 30 - math.floor(math.log2(scale))
    product = x.widened("i64") * round(scale * 2**shift) + (1 << (shift - 1))
    return (product >> shift).maximum(low).minimum(127).narrowed("i8")


@dataclass(frozen=True)
class Data:
    """What main fills with hashes: numbers around `offset`, at most `spread` away; integers of `bits`."""

    symbol: str
    shape: tuple
    element: str = "f32"
    spread: float = 1.0
    offset: float = 0.0
    bits: int = 8


class Ops:
    """The ops of `forward` in order, its arguments, and the weights that they read."""

    def __init__(self, *input_shape, element="f32"):
        self.ops, self.weights, self.names = [], [], 0
        self.element, self.sums = element, "f32" if element == "f32" else "i32"
        self.arguments, self.bound, self.affine = [], {}, {}
        self.input = self.argument(*input_shape, name="%input", element=element)

    def argument(self, *shape, name=None, element="f32"):
        """One more, which `forward` may write. It tells the dynamic sizes that are first seen in it."""
        made = Tensor(name or f"%argument{len(self.arguments)}", shape, element)
        for position, size in enumerate(shape):
            if isinstance(size, Dynamic) and not size.net and id(size) not in self.bound:
                at = self.value(f"arith.constant {position} : index")
                self.bound[id(size)] = Dynamic(size, self, self.value(f"tensor.dim {made.name}, {at} : {made.type}"))
        made.shape = tuple(self.bound[id(s)] if isinstance(s, Dynamic) and not s.net else s for s in shape)
        self.arguments.append(made)
        return made

    def applied(self, base, text):
        """An affine function of an index, once."""
        if text != "s0" and (base, text) not in self.affine:
            self.affine[base, text] = self.value(f"affine.apply affine_map<()[s0] -> ({text})>()[{base}]")
        return self.affine.get((base, text), base)

    def value(self, text):
        self.names += 1
        self.ops.append(f"%{self.names} = {text}")
        return f"%{self.names}"

    def tensor(self, shape, text, element="f32"):
        return Tensor(self.value(text), shape, element)

    # ---- Destinations and weights

    def data(self, *shape, element="f32", **fields):
        shown = shape, element
        self.weights.append(Data(f"@weight{len(self.weights)}", *shown, **fields))
        held = self.value(f"memref.get_global {self.weights[-1].symbol} : {shaped('memref', *shown)}")
        return self.tensor(shape, f"bufferization.to_tensor {held} restrict : {shaped('memref', *shown)} "
                                  f"to {shaped('tensor', *shown)}", element)  # fmt: skip

    def empty(self, *shape, element="f32"):
        sizes = ", ".join(s.name for s in shape if isinstance(s, Dynamic))
        return self.tensor(shape, f"tensor.empty({sizes}) : {shaped('tensor', shape, element)}", element)

    def filled(self, number, *shape, element="f32"):
        into = self.empty(*shape, element=element)
        constant = self.value(f"arith.constant {literal(number, element)}")
        return self.tensor(shape, f"linalg.fill ins({constant} : {element}) outs({into.typed}) "
                                  f"-> {into.type}", element)  # fmt: skip

    # ---- Ops

    def named(self, op, inputs, into, attributes=""):
        return self.tensor(into.shape, f"linalg.{op}{attributes} ins({operands(inputs)}) "
                                       f"outs({into.typed}) -> {into.type}", into.element)  # fmt: skip

    def generic(self, inputs, maps, into, into_map, function, rank=None):
        """function computes an element of the destination from one of each input; in a reduction
        (some dimension is not in the destination's map) also from its present value."""
        rank = rank or len(inputs[0].shape)
        kinds = ["parallel" if d in into_map else "reduction" for d in dims(rank)]
        body, names = [], [f"%x{i}" for i in range(len(inputs))] + ["%into"]
        types = [t.element for t in (*inputs, into)]
        elements = [Scalar(body, *named) for named in zip(names, types)]
        result = function(*(elements if "reduction" in kinds else elements[:-1]))
        return self.tensor(into.shape, "\n    ".join([
            "linalg.generic {",
            f"    indexing_maps = [{', '.join(affine_map(rank, m) for m in [*maps, into_map])}],",
            f"    iterator_types = [{quoted(kinds)}]}}",
            f"    ins({operands(inputs)}) outs({into.typed}) {{",
            f"^bb0({', '.join(f'{name}: {type}' for name, type in zip(names, types))}):",
            *(f"  {line}" for line in body),
            f"  linalg.yield {result.name} : {into.element}",
            f"}} -> {into.type}"]), into.element)  # fmt: skip

    def pointwise(self, function, x, *others, element=None):
        """Elementwise over x; each other input is a tensor, or (tensor, its dimensions)."""
        every = dims(len(x.shape))
        others = [o if isinstance(o, tuple) else (o, every) for o in others]
        into = self.empty(*x.shape, element=element or x.element)
        return self.generic([x] + [o[0] for o in others], [every] + [o[1] for o in others], into,
                            every, function)

    def reduce(self, x, keep, start, function, element="f32"):
        """Over all but the dimensions to keep."""
        into = self.filled(start, *[x.shape[d] for d in keep], element=element)
        return self.generic([x], [dims(len(x.shape))], into, [f"d{d}" for d in keep], function)

    def reduce_rows(self, x, start, function):
        return self.reduce(x, range(len(x.shape) - 1), start, function)

    def padded(self, x, low, high, value):
        shape = [sum(sizes) for sizes in zip(low, x.shape, high)]
        around = self.value(f"arith.constant {literal(value, x.element)}")
        indices = ", ".join(f"%{name}: index" for name in "abcdefg"[:len(shape)])
        into = self.tensor(shape, f"tensor.pad {x.name} low{list(low)} high{list(high)} {{\n"
                                  f"    ^bb0({indices}):\n"
                                  f"      tensor.yield {around} : {x.element}\n"
                                  f"    }} : {x.type} to {shaped('tensor', shape, x.element)}", x.element)  # fmt: skip
        into.rectified = x.rectified
        return into

    def transpose(self, x, order):
        into = self.empty(*[x.shape[d] for d in order])
        return self.tensor(into.shape, f"linalg.transpose ins({x.typed}) outs({into.typed}) "
                                       f"permutation = {order}")

    def inserted(self, part, into, offsets):
        return self.tensor(into.shape, f"tensor.insert_slice {part.name} into {into.name}{listed(offsets)} "
                                       f"{listed(part.shape)} {[1] * len(part.shape)} : {part.type} into "
                                       f"{into.type}", into.element)  # fmt: skip

    def concat(self, parts, dimension):
        """Of one part: itself."""
        if len(parts) == 1:
            return parts[0]
        shape = list(parts[0].shape)
        shape[dimension] = sum(part.shape[dimension] for part in parts)
        into, offsets = self.empty(*shape, element=parts[0].element), [0] * len(shape)
        for part in parts:
            into = self.inserted(part, into, offsets)
            offsets[dimension] += part.shape[dimension]
        into.rectified = all(part.rectified for part in parts)
        return into

    def collapsed(self, x, groups):
        shape = [math.prod(x.shape[d] for d in group) for group in groups]
        return self.tensor(shape, f"tensor.collapse_shape {x.name} {groups} : {x.type} into "
                                  f"{shaped('tensor', shape, x.element)}", x.element)  # fmt: skip
