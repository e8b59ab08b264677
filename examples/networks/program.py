# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module around a network."""

import math
import struct

from networks.ops import Data, literal, shaped

HASH = """\
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %shift = arith.constant 15 : i32
  %odd = arith.constant 739982445 : i32
  %size = memref.dim %into, %c0 : memref<?x{element}>
  scf.for %i = %c0 to %size step %c1 {{
    %index = arith.index_cast %i : index to i32
    %h0 = arith.addi %index, %seed : i32
    %h1 = arith.muli %h0, %odd : i32
    %h2 = arith.shrui %h1, %shift : i32
    %h3 = arith.xori %h1, %h2 : i32
    %h4 = arith.muli %h3, %odd : i32
    %h5 = arith.shrui %h4, %shift : i32
    %h6 = arith.xori %h4, %h5 : i32
"""

FILL = {
    "f32": """\
// offset + range * u, u in [-1, 1) hashed from the index and the seed.
func.func private @fill(%into: memref<?xf32>, %seed: i32, %range: f32, %offset: f32) {{
""" + HASH + """\
    %unit = arith.constant 4.65661287e-10 : f32
    %hash = arith.sitofp %h6 : i32 to f32
    %u = arith.mulf %hash, %unit : f32
    %scaled = arith.mulf %u, %range : f32
    %value = arith.addf %scaled, %offset : f32
    memref.store %value, %into[%i] : memref<?xf32>
  }}
  return
}}
""",
    "i32": """\
// The upper bits of a hash of the index and the seed: all but `unused`.
func.func private @fill_i32(%into: memref<?xi32>, %seed: i32, %unused: i32) {{
""" + HASH + """\
    %value = arith.shrsi %h6, %unused : i32
    memref.store %value, %into[%i] : memref<?xi32>
  }}
  return
}}
""",
    "i8": """\
// The same in 8 bits.
func.func private @fill_i8(%into: memref<?xi8>, %seed: i32, %unused: i32) {{
""" + HASH + """\
    %upper = arith.shrsi %h6, %unused : i32
    %value = arith.trunci %upper : i32 to i8
    memref.store %value, %into[%i] : memref<?xi8>
  }}
  return
}}
""",
}  # fmt: skip

# FNV-1a over the elements of the output.
MAIN = """\
func.func private @rtclock() -> f64

func.func @main() {{
  call @fill_all() : () -> ()
{arguments}  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %runs = arith.constant {runs} : index
  %size = arith.constant {size} : index
  %basis = arith.constant -3750763034362895579 : i64
  %prime = arith.constant 1099511628211 : i64
  scf.for %run = %c0 to %runs step %c1 {{
    %start = func.call @rtclock() : () -> f64
    %output = func.call @forward({names}) : ({types}) -> {output}
    %end = func.call @rtclock() : () -> f64
    %seconds = arith.subf %end, %start : f64
    vector.print str "# seconds "
    vector.print %seconds : f64
{cast_output}    %flat = tensor.collapse_shape {result} {all} : {static_output} into tensor<{size}x{element}>
    %hash = scf.for %i = %c0 to %size step %c1 iter_args(%h = %basis) -> (i64) {{
      %element = tensor.extract %flat[%i] : tensor<{size}x{element}>
{word}      %mixed = arith.xori %h, %word : i64
      %next = arith.muli %mixed, %prime : i64
      scf.yield %next : i64
    }}
    vector.print %hash : i64
    %first = tensor.extract %flat[%c0] : tensor<{size}x{element}>
    vector.print %first : {element}
  }}
  return
}}
"""
WORD = {
    "f32": """\
      %bits = arith.bitcast %element : f32 to i32
      %word = arith.extui %bits : i32 to i64
""",
    "i8": "      %word = arith.extui %element : i8 to i64\n",
}


def fill_call(number, data):
    size = math.prod(data.shape)
    held, flat = shaped("memref", data.shape, data.element), shaped("memref", [size], data.element)
    start = f"""\
  %held{number} = memref.get_global {data.symbol} : {held}
  %flat{number} = memref.reinterpret_cast %held{number} to offset: [0],
    sizes: [{size}], strides: [1] : {held} to {flat}
  %into{number} = memref.cast %flat{number} : {flat} to memref<?x{data.element}>
  %seed{number} = arith.constant {(number + 1) * 1000003} : i32
"""
    if data.element == "f32":
        return start + f"""\
  %range{number} = arith.constant {literal(data.spread, "f32")}
  %offset{number} = arith.constant {literal(data.offset, "f32")}
  call @fill(%into{number}, %seed{number}, %range{number}, %offset{number})
    : (memref<?xf32>, i32, f32, f32) -> ()
"""
    return start + f"""\
  %unused{number} = arith.constant {32 - data.bits} : i32
  call @fill_{data.element}(%into{number}, %seed{number}, %unused{number})
    : (memref<?x{data.element}>, i32, i32) -> ()
"""


def fixed(kind, tensor):
    """The type with the sizes that main runs the program with."""
    return shaped(kind, [int(size) for size in tensor.shape], tensor.element)


def given(argument):
    """The argument's bytes as a tensor; what `forward` writes into stays written."""
    name, static, held = argument.name, fixed("tensor", argument), fixed("memref", argument)
    casts, writable = argument.type != static, " writable" if name != "%input" else ""
    memory, whole = f"%memory_{name[1:]}", f"%static_{name[1:]}"
    return "".join([
        f"  {memory} = memref.get_global @{name[1:]} : {held}\n",
        f"  {whole if casts else name} = bufferization.to_tensor {memory} restrict{writable} : "
        f"{held} to {static}\n",
        f"  {name} = tensor.cast {whole} : {static} to {argument.type}\n" * casts])  # fmt: skip


def main_function(arguments, output, runs):
    static = fixed("tensor", output)
    casts = output.type != static
    return MAIN.format(
        arguments="".join(map(given, arguments)), names=", ".join(a.name for a in arguments),
        types=", ".join(a.type for a in arguments), output=output.type, element=output.element,
        word=WORD[output.element], runs=runs, static_output=static, result="%fixed" if casts else "%output",
        cast_output=f"    %fixed = tensor.cast %output : {output.type} to {static}\n" * casts,
        size=math.prod(map(int, output.shape)), all=[list(range(len(output.shape)))])  # fmt: skip


# ---- Weights that are constants -------------------------------------------------------------


def hashed(index, seed):
    """What HASH computes, as a signed number."""
    h = index + seed
    for _ in range(2):
        h = h * 739982445 & 0xFFFFFFFF
        h ^= h >> 15
    return h - (h >> 31 << 32)


def single(number):
    """Rounded to 32 bits."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def filled(data, number):
    """The elements that fill_call stores."""
    hashes = (hashed(index, (number + 1) * 1000003) for index in range(math.prod(data.shape)))
    if data.element != "f32":
        return [h >> 32 - data.bits for h in hashes]
    unit, spread, offset = (single(float(literal(x, "f32").split()[0])) for x in (2**-31, data.spread, data.offset))
    return [single(single(single(single(h) * unit) * spread) + offset) for h in hashes]


def constant(number, data):
    values = filled(data, number)
    bytes = struct.pack(f"<{len(values)}{ {'f32': 'f', 'i32': 'i', 'i8': 'b'}[data.element] }", *values)
    held = shaped("memref", data.shape, data.element)
    return f'memref.global "private" constant {data.symbol} : {held} = dense<"0x{bytes.hex().upper()}">\n'


# ---- Modules, in parts ----------------------------------------------------------------------


def uninitialized(data):
    return f'memref.global "private" {data.symbol} : {shaped("memref", data.shape, data.element)} = uninitialized\n'


def forward(network, output):
    arguments = ", ".join(a.typed for a in network.arguments)
    yield f"\nfunc.func @forward({arguments}) -> {output.type} {{\n"
    yield from (f"  {op}\n" for op in network.ops)
    yield f"  return {output.typed}\n}}\n"


def library(network, output):
    yield from (constant(number, d) for number, d in enumerate(network.weights))
    yield from forward(network, output)


def text(network, output, runs, constants):
    data = [*network.weights, *(Data(f"@{a.name[1:]}", tuple(map(int, a.shape)), a.element)
                                for a in network.arguments)]  # fmt: skip
    first = len(network.weights) if constants else 0  # that main fills
    yield from (constant(number, d) for number, d in enumerate(data[:first]))
    yield from map(uninitialized, data[first:])
    yield from forward(network, output)
    yield "\n"
    for element in [e for e in FILL if any(d.element == e for d in data[first:])]:
        yield FILL[element].format(element=element) + "\n"
    yield "func.func private @fill_all() {\n"
    yield from (fill_call(number, data[number]) for number in range(first, len(data)))
    yield "  return\n}\n\n"
    yield main_function(network.arguments, output, runs)
