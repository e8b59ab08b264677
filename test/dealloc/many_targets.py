# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a program in which a buffer is often exchanged for another one: see many-targets.test."""

LINKS = 80  # more than the pass tries other owners in one function

LINK = """
  %other{i} = memref.alloc() : memref<4xf32>
  memref.copy %x{i}, %other{i} : memref<4xf32> to memref<4xf32>
  %either{i} = scf.if %c -> memref<4xf32> {{
    memref.dealloc %other{i} : memref<4xf32>
    scf.yield %x{i} : memref<4xf32>
  }} else {{
    memref.dealloc %x{i} : memref<4xf32>
    scf.yield %other{i} : memref<4xf32>
  }}
  %x{next} = scf.if %c -> memref<4xf32> {{
    scf.yield %either{i} : memref<4xf32>
  }} else {{
    %new = memref.alloc() : memref<4xf32>
    memref.copy %either{i}, %new : memref<4xf32> to memref<4xf32>
    memref.dealloc %either{i} : memref<4xf32>
    scf.yield %new : memref<4xf32>
  }}"""

PROGRAM = """
func.func private @exchange(%x0: memref<4xf32>, %c: i1) {{
  %i = arith.constant 0 : index {links}
  %v = memref.load %x{last}[%i] : memref<4xf32>
  vector.print %v : f32
  memref.dealloc %x{last} : memref<4xf32>
  return
}}
func.func private @run(%f: f32, %c: i1) {{
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%m : memref<4xf32>)
  call @exchange(%m, %c) : (memref<4xf32>, i1) -> ()
  return
}}
func.func @main() {{
  %yes = arith.constant true
  %no = arith.constant false
  %f = arith.constant 1.0 : f32
  call @run(%f, %yes) : (f32, i1) -> ()
  call @run(%f, %no) : (f32, i1) -> ()
  return
}}"""

links = "".join(LINK.format(i=i, next=i + 1) for i in range(LINKS))
print(PROGRAM.format(links=links, last=LINKS))
