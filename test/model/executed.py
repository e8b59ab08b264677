# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""executed.py FILE: its function @net, of two tensors and two results, before and after stowage-model.

Bits of results and arguments are compared; after it, nothing but the caller may allocate."""

import re
import sys
from pathlib import Path

from testing import places, process
from testing.execute import Tools

CELLS = 8
MEMORY = f"memref<{CELLS}xf32>"
BEFORE = ("builtin.module(func.func(empty-tensor-to-alloc-tensor),one-shot-bufferize{bufferize-function-boundaries=1 "
          "allow-return-allocs-from-loops=1 function-boundary-type-conversion=identity-layout-map})")  # fmt: skip
OPTIONS = ["", "reduce-peak=false", "arena=global", "reduce-peak=false merge-options=poison"]
SHOW = f"""
func.func private @printI64(i64)
func.func private @printNewline()
func.func @show(%m: {MEMORY}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant {CELLS} : index
  scf.for %i = %c0 to %end step %c1 {{
    %v = memref.load %m[%i] : {MEMORY}
    %b = arith.bitcast %v : f32 to i32
    %w = arith.extsi %b : i32 to i64
    func.call @printI64(%w) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }}
  return
}}
"""


def filled(name, first, step):
    lines = [f"%{name} = memref.alloc() : {MEMORY}"]
    for i in range(CELLS):
        lines += [f"%{name}v{i} = arith.constant {first + step * i:.3f} : f32",
                  f"%{name}i{i} = arith.constant {i} : index",
                  f"memref.store %{name}v{i}, %{name}[%{name}i{i}] : {MEMORY}"]  # fmt: skip
    return lines


def caller(call):
    shown = [f"call @show(%{name}) : ({MEMORY}) -> ()" for name in "pqxy"]
    lines = filled("x", -0.9, 0.37) + filled("y", 1.13, -0.21) + call + shown + ["return"]
    return SHOW + "func.func @main() {\n  " + "\n  ".join(lines) + "\n}\n"


def joined(module, text):
    at = module.rindex("}")
    return module[:at] + text + "}\n"


def original(tools, text):
    kept = re.sub(r"(%[xy]: tensor<8xf32>)", r"\1 {bufferization.writable = false}", text, count=2)
    call = [f"%p, %q = call @net(%x, %y) : ({MEMORY}, {MEMORY}) -> ({MEMORY}, {MEMORY})"]
    return tools.run(joined(tools.apply(kept, BEFORE, opt=tools.mlir_opt), caller(call)))


def modelled(tools, path, options):
    """The run, and how often the caller itself allocates."""
    text = process.call([places.OPT, path, f"--stowage-model={options}"]).out
    arena = re.search(r"func\.func public @net\(.*?(memref<\d+xi8>)", text)
    call = [f"%p = memref.alloc() : {MEMORY}", f"%q = memref.alloc() : {MEMORY}"]
    more, kind = "", ""
    if arena:
        call.append(f"%arena = memref.alloc() {{alignment = 64 : i64}} : {arena[1]}")
        more, kind = ", %arena", f", {arena[1]}"
    call.append(f"call @net(%x, %y, %p, %q{more}) : ({', '.join([MEMORY] * 4)}{kind}) -> ()")
    return tools.run(joined(text, caller(call))), 5 if arena else 4


def main(path):
    tools, differ = Tools(), 0
    first = original(tools, path.read_text())
    for options in OPTIONS:
        run, own = modelled(tools, path, options)
        fine = not first.fault() and not run.fault() and run.output == first.output and run.heap.allocs == own
        differ += not fine
        if not fine:
            print(f"{options}: {run.fault() or 'other bits, or an allocation'}")
    print(f"{len(OPTIONS)} pipelines, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
