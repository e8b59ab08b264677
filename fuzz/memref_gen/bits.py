# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Any element as 64 bits and back."""


def widen(e, value, width, type):
    return value if width == 64 else e.let(f"arith.extui {value} : i{width} to i64")


def narrow(e, value, width):
    return value if width == 64 else e.let(f"arith.trunci {value} : i64 to i{width}")


def to_bits(e, value, element):
    return TO[element.kind](e, value, element)


def from_bits(e, i64, element):
    return FROM[element.kind](e, i64, element)


def int_to(e, value, element):
    return widen(e, value, element.width, element)


def int_from(e, i64, element):
    return narrow(e, i64, element.width)


def index_to(e, value, element):
    return e.let(f"arith.index_cast {value} : index to i64")


def index_from(e, i64, element):
    return e.let(f"arith.index_cast {i64} : i64 to index")


def float_to(e, value, element):
    whole = e.let(f"arith.bitcast {value} : {element.text} to i{element.width}")
    return widen(e, whole, element.width, element)


# Of 16 bits all but the top one of the exponent. Between blocks, targets keep such a float as an f32, and a
# signaling NaN comes back as another one.
FINITE = 0xBFFF


def float_from(e, i64, element):
    bits = narrow(e, i64, element.width)
    if element.width == 16:
        bits = e.let(f"arith.andi {bits}, {e.constant(FINITE - 0x10000, 'i16')} : i16")
    return e.let(f"arith.bitcast {bits} : i{element.width} to {element.text}")


def complex_to(e, value, element):
    halves = []
    for part in ("re", "im"):
        half = e.let(f"complex.{part} {value} : complex<f32>")
        halves.append(e.let(f"arith.bitcast {half} : f32 to i32"))
    low, high = (e.let(f"arith.extui {half} : i32 to i64") for half in halves)
    high = e.let(f"arith.shli {high}, {e.constant(32, 'i64')} : i64")
    return e.let(f"arith.ori {low}, {high} : i64")


def complex_from(e, i64, element):
    high = e.let(f"arith.shrui {i64}, {e.constant(32, 'i64')} : i64")
    halves = []
    for half in (i64, high):
        narrow32 = e.let(f"arith.trunci {half} : i64 to i32")
        halves.append(e.let(f"arith.bitcast {narrow32} : i32 to f32"))
    return e.let(f"complex.create {halves[0]}, {halves[1]} : complex<f32>")


def vector_to(e, value, element):
    lanes = f"vector<{element.lanes}xi64>"
    whole = e.let(f"vector.bitcast {value} : {element.text} to {lanes}")
    total = None
    for lane in range(element.lanes):
        one = e.let(f"vector.extract {whole}[{lane}] : i64 from {lanes}")
        scaled = e.let(f"arith.muli {one}, {e.constant(2 * lane + 3, 'i64')} : i64")
        total = scaled if total is None else e.let(f"arith.addi {total}, {scaled} : i64")
    return total


def vector_from(e, i64, element):
    lanes = f"vector<{element.lanes}xi64>"
    parts = [i64]
    for lane in range(1, element.lanes):
        parts.append(e.let(f"arith.addi {i64}, {e.constant(lane * 0x1234567, 'i64')} : i64"))
    whole = e.let(f"vector.from_elements {', '.join(parts)} : {lanes}")
    return e.let(f"vector.bitcast {whole} : {lanes} to {element.text}")


TO = {"int": int_to, "index": index_to, "float": float_to, "complex": complex_to, "vector": vector_to}
FROM = {
    "int": int_from,
    "index": index_from,
    "float": float_from,
    "complex": complex_from,
    "vector": vector_from,
}
