# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A main for a function on memrefs that has none.

    text = callers.with_main(text, "forward")

Main fills each argument from a seed, calls the function, and prints the seconds that it took and a hash of the bits of
each result. Arguments are globals, so main allocates nothing. Floating-point values are positive, and so small that sums
over all dimensions but the first stay near one: variances have roots, and nothing overflows. Integers are 0 or 1, which
every table has entries for.
"""

import math
import re

from testing.process import ToolError

SIGNATURE = r"func\.func (?:public )?@{name}\((?P<arguments>.*?)\)(?: -> (?P<results>\(.*?\)|memref<[^>]*>))? (?:attributes .*)?\{{$"
MEMREF = re.compile(r"memref<((?:\d+x)*)([a-z]\w*)>")
ELIDED = re.compile(r"(memref\.global .*: memref<(?:\d+x)*(\w+)> = )dense_resource<\w+>")
FLOATS = ("f64", "f32", "f16", "bf16")
BITS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "i64": 64, "i32": 32, "i16": 16, "i8": 8, "i1": 1}

FILL = """
  func.func private @fill_{type}(%into: memref<?x{type}>, %seed: i64, %range: f64, %offset: f64) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %multiplier = arith.constant 6364136223846793005 : i64
    %shift = arith.constant 40 : i64
    %size = memref.dim %into, %c0 : memref<?x{type}>
    scf.for %i = %c0 to %size step %c1 {{
      %number = arith.index_cast %i : index to i64
      %mixed = arith.xori %number, %seed : i64
      %product = arith.muli %mixed, %multiplier : i64
      %square = arith.muli %product, %product : i64
      %high = arith.shrui %square, %shift : i64
{value}
      memref.store %value, %into[%i] : memref<?x{type}>
    }}
    return
  }}
"""
FLOAT = """\
      %unit = arith.constant 5.9604644775390625e-08 : f64
      %real = arith.uitofp %high : i64 to f64
      %share = arith.mulf %real, %unit : f64
      %scaled = arith.mulf %share, %range : f64
      {sum} = arith.addf %scaled, %offset : f64"""
HASH = """
  func.func private @hash_{type}(%of: memref<?x{type}>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %basis = arith.constant -3750763034362895579 : i64
    %prime = arith.constant 1099511628211 : i64
    %size = memref.dim %of, %c0 : memref<?x{type}>
    %hash = scf.for %i = %c0 to %size step %c1 iter_args(%h = %basis) -> (i64) {{
      %element = memref.load %of[%i] : memref<?x{type}>
{word}
      %mixed = arith.xori %h, %word : i64
      %next = arith.muli %mixed, %prime : i64
      scf.yield %next : i64
    }}
    vector.print %hash : i64
    return
  }}
"""


def filler_of(element):
    if element not in FLOATS:
        value = ("      %one = arith.constant 1 : i64\n      %bit = arith.andi %high, %one : i64\n      %value = "
                 + (f"arith.trunci %bit : i64 to {element}" if element != "i64" else "arith.ori %bit, %bit : i64"))
    elif element == "f64":
        value = FLOAT.format(sum="%value")
    else:
        value = FLOAT.format(sum="%sum") + f"\n      %value = arith.truncf %sum : f64 to {element}"
    return FILL.format(type=element, value=value)


def hasher_of(element):
    bits, lines, name = f"i{BITS[element]}", [], "%element"
    if element in FLOATS:
        lines.append(f"      %bits = arith.bitcast %element : {element} to {bits}")
        name = "%bits"
    lines.append(f"      %word = arith.extui {name} : {bits} to i64" if bits != "i64"
                 else f"      %word = arith.ori {name}, {name} : i64")
    return HASH.format(type=element, word="\n".join(lines))


def parsed(type):
    match = MEMREF.fullmatch(type)
    if not match or match[2] not in BITS:
        raise ToolError(f"{type} is no memref of static shape and identity layout, of a type that is known here")
    return [int(n) for n in match[1].split("x")[:-1]], match[2]


def signature_of(text, name):
    """The types of arguments and results."""
    found = re.search(SIGNATURE.format(name=re.escape(name)), text, re.M)
    if not found:
        raise ToolError(f"no function @{name}")
    arguments = [re.sub(r" \{.*\}$", "", part.strip(" ,")) for part in re.split(r"%\w+ ?:", found["arguments"])[1:]]
    results = re.findall(r"[a-z]\w*(?:<[^>]*>)?", re.sub(r"\{.*?\}", "", found["results"] or ""))
    return arguments, results


def flat(name, value, type):
    """Ops that make a memref<?xT> of a value, and the T."""
    shape, element = parsed(type)
    size = math.prod(shape)
    return [f"%flat_{name} = memref.reinterpret_cast {value} to offset: [0], sizes: [{size}], strides: [1] : {type} to "
            f"memref<{size}x{element}>",
            f"%any_{name} = memref.cast %flat_{name} : memref<{size}x{element}> to memref<?x{element}>"], element  # fmt: skip


def values_of(shape):
    """What is multiplied by numbers from 0 to 1, and what is added."""
    return (1.0, 0.5) if len(shape) < 2 else (2.0 / math.prod(shape[1:]), 0.0)


def renamed(name):
    """The name of a function of the module in the one with a main."""
    return "given_main" if name == "main" else name


def with_main(text, name, arguments_too=False):
    """The module. What was named main there has another name, no address is printed, and elided globals are splats.
    With `arguments_too` hashes of the arguments are printed behind those of the results."""
    text = re.sub(r"^ *(?:func\.)?call @printMemref\w+\(.*\n", "", text, flags=re.M)
    text, name = re.sub(r"@main\b", f"@{renamed('main')}", text), renamed(name)
    text = ELIDED.sub(lambda g: g[1] + ("dense<1.0e-02>" if g[2] in FLOATS else "dense<0>"), text)
    arguments, results = signature_of(text, name)
    globals, body = [], []
    for i, type in enumerate(arguments):
        shape, _ = parsed(type)
        scale, offset = values_of(shape)
        globals.append(f"  memref.global \"private\" @argument{i} : {type} = uninitialized {{alignment = 64 : i64}}")
        ops, element = flat(f"a{i}", f"%argument{i}", type)
        body += [f"%argument{i} = memref.get_global @argument{i} : {type}", *ops,
                 f"%seed{i} = arith.constant {1000003 * (i + 1)} : i64", f"%range{i} = arith.constant {scale:e} : f64",
                 f"%offset{i} = arith.constant {offset:e} : f64",
                 f"func.call @fill_{element}(%any_a{i}, %seed{i}, %range{i}, %offset{i}) : (memref<?x{element}>, i64, f64, f64) -> ()"]  # fmt: skip
    names = ", ".join(f"%argument{i}" for i in range(len(arguments)))
    given = f"%results:{len(results)} = " if results else ""
    body += ["%start = func.call @rtclock() : () -> f64",
             f"{given}func.call @{name}({names}) : ({', '.join(arguments)}) -> ({', '.join(results)})",
             "%end = func.call @rtclock() : () -> f64", "%seconds = arith.subf %end, %start : f64",
             'vector.print str "# seconds "', "vector.print %seconds : f64"]  # fmt: skip
    for i, type in enumerate(results):
        ops, element = flat(f"r{i}", f"%results#{i}", type)
        body += [*ops, f"func.call @hash_{element}(%any_r{i}) : (memref<?x{element}>) -> ()"]
    hashed = list(results)
    if arguments_too:
        hashed += arguments
        body += [f"func.call @hash_{parsed(t)[1]}(%any_a{i}) : (memref<?x{parsed(t)[1]}>) -> ()" for i, t in enumerate(arguments)]
    fillers = [filler_of(e) for e in sorted({parsed(t)[1] for t in arguments})]
    hashers = [hasher_of(e) for e in sorted({parsed(t)[1] for t in hashed})]
    main = "\n".join(["  func.func @main() {", *(f"    {line}" for line in body), "    return", "  }"])
    clock = [] if "@rtclock()" in text else ["  func.func private @rtclock() -> f64"]
    end = text.rindex("}")
    return "\n".join([text[:end], *globals, *fillers, *hashers, *clock, main, "}", ""])
