# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints COUNT functions with the same block, whose best order is found by searching only."""

import random
import sys

NODES = 20


def node(i, sizes, r):
    ins = r.sample(range(i), min(i, r.choice((1, 1, 2, 3)))) if r.random() < 0.85 else []
    maps = ["affine_map<(d0, d1) -> (d0)>"] + ["affine_map<(d0, d1) -> (d0, 0)>"] * len(ins)
    maps.append("affine_map<(d0, d1) -> (d0, d1)>")
    operands = ", ".join(["%x"] + [f"%a{k}" for k in ins])
    types = ", ".join(["memref<8xf32>"] + [f"memref<8x{sizes[k]}xf32>" for k in ins])
    values = ", ".join(f"%p{k}: f32" for k in range(len(ins) + 2))
    return f"""  %a{i} = memref.alloc() : memref<8x{sizes[i]}xf32>
  linalg.generic {{indexing_maps = [{", ".join(maps)}], iterator_types = ["parallel", "parallel"]}}
      ins({operands} : {types}) outs(%a{i} : memref<8x{sizes[i]}xf32>) {{
  ^bb0({values}):
    linalg.yield %p0 : f32
  }}"""


def function(name):
    r = random.Random(1)
    sizes = [r.randrange(8, 64) for _ in range(NODES)]
    body = "\n".join(node(i, sizes, r) for i in range(NODES))
    last = f"%a{NODES - 1}"
    return f"""func.func @{name}(%x: memref<8xf32>, %y: memref<8xf32>) {{
{body}
  %v = memref.subview {last}[0, 0] [8, 1] [1, 1] : memref<8x{sizes[-1]}xf32> to memref<8xf32, strided<[{sizes[-1]}]>>
  memref.copy %v, %y : memref<8xf32, strided<[{sizes[-1]}]>> to memref<8xf32>
  return
}}"""


print("\n".join(function(f"f{i}") for i in range(int(sys.argv[1]))))
