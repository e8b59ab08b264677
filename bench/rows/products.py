#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products by convert-linalg-to-vectors, beside what exists: MLIR's mmt4d, libxsmm, oneDNN.

    python3 -m bench.rows.products [--output FILE] [--milliseconds N]

Needs Debian's libxsmm-dev and libdnnl-dev. One thread; products of real networks with constant weights. mmt4d is MLIR's own form
of packed operands, tiled, vectorized and unrolled by its transform dialect with tiles that fill this machine's registers; that
both operands are packed for it costs no time here.
"""

import random
import tempfile
from array import array
from pathlib import Path

from bench import measure
from bench.rows import vectors
from testing import tables
from testing.execute import Tools
from testing.native import Native
from testing.process import call

SHAPES = [  # rows, columns, sums
    ("MobileNetV2, expansion of 56 x 56", 3136, 144, 24),
    ("ResNet-50, 1 x 1 of 56 x 56", 3136, 256, 64),
    ("ResNet-50, 1 x 1 of 14 x 14", 196, 256, 1024),
    ("ResNet-50, 1 x 1 of 7 x 7", 49, 2048, 512),
    ("BERT-base, projection", 128, 768, 768),
    ("BERT-base, up", 128, 3072, 768),
    ("BERT-base, down", 128, 768, 3072),
    ("a row of streamed BERT-base", 8, 768, 768),
]
ROADS = ("vectors", "mmt4d", "libxsmm", "onednn")
SOURCE = Path(__file__).with_suffix(".c")

OURS = """
memref.global "private" constant @b : memref<{k}x{n}xf32> = dense<"0x{weights}"> {{alignment = 64}}
func.func @generated(%a: memref<{m}x{k}xf32>, %c: memref<{m}x{n}xf32>) {{
  %b = memref.get_global @b : memref<{k}x{n}xf32>
  linalg.matmul ins(%a, %b : memref<{m}x{k}xf32>, memref<{k}x{n}xf32>) outs(%c : memref<{m}x{n}xf32>)
  return
}}
"""

UPSTREAM = """
module attributes {{transform.with_named_sequence}} {{
func.func @packed(%a: {a}, %b: {b}, %c: {c}) {{
  linalg.mmt4d ins(%a, %b : {a}, {b}) outs(%c : {c})
  return
}}
transform.named_sequence @__transform_main(%root: !transform.any_op) {{
  %mm = transform.structured.match ops{{["linalg.mmt4d"]}} in %root : (!transform.any_op) -> !transform.any_op
  %tile, %l:3 = transform.structured.tile_using_for %mm tile_sizes [1, 1, 1, 0, 0, 0]
    : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
  transform.structured.vectorize %tile : !transform.any_op
  %f = transform.structured.match ops{{["func.func"]}} in %root : (!transform.any_op) -> !transform.any_op
  transform.apply_patterns to %f {{
    transform.apply_patterns.memref.fold_memref_alias_ops
    transform.apply_patterns.vector.reduction_to_contract
    transform.apply_patterns.vector.cast_away_vector_leading_one_dim
    transform.apply_patterns.vector.transfer_permutation_patterns
    transform.apply_patterns.canonicalization
  }} : !transform.any_op
  %g = transform.structured.hoist_redundant_vector_transfers %f : (!transform.any_op) -> !transform.any_op
  transform.apply_patterns to %g {{
    transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
    transform.apply_patterns.vector.lower_outerproduct
    transform.apply_patterns.vector.lower_transpose
    transform.apply_patterns.canonicalization
  }} : !transform.any_op
  transform.yield
}}
}}
"""
SCHEDULE = "builtin.module(transform-interpreter,test-transform-dialect-erase-schedule)"
LOWERING = """
    convert-linalg-to-loops convert-vector-to-scf{full-unroll=1} expand-strided-metadata lower-affine convert-scf-to-cf convert-vector-to-llvm
    finalize-memref-to-llvm convert-func-to-llvm{use-bare-ptr-memref-call-conv=1} convert-arith-to-llvm convert-ub-to-llvm
    convert-index-to-llvm convert-cf-to-llvm reconcile-unrealized-casts""".split()


def up(value, by):
    return (value + by - 1) // by


def upstream(m, n, k):
    """mmt4d on operands packed in tiles: half of the registers hold sums."""
    bits = 512 if "512" in vectors.registers() else 256
    rows, columns = (8, 32) if bits == 512 else (4, 16)
    rows = min(rows, m)
    a = f"memref<{up(m, rows)}x{k}x{rows}x1xf32>"
    b = f"memref<{up(n, columns)}x{k}x{columns}x1xf32>"
    c = f"memref<{up(m, rows)}x{up(n, columns)}x{rows}x{columns}xf32>"
    return UPSTREAM.format(a=a, b=b, c=c)


def object_of(native, text):
    return native.object(native.tools.apply(text, f"builtin.module({','.join(LOWERING)})", native.tools.mlir_opt),
                         "default<O2>", cpu="native")


def microseconds(native, folder, shape, milliseconds):
    m, n, k = shape
    weights = array("f", (random.gauss(0, 1) for _ in range(k * n)))
    (folder / "b").write_bytes(weights.tobytes())
    ours = OURS.format(m=m, n=n, k=k, weights=weights.tobytes().hex().upper())
    ours = vectors.vectorized(native.tools, ours, "contract=true")
    theirs = native.tools.apply(upstream(m, n, k), SCHEDULE, native.tools.mlir_opt)
    objects = [object_of(native, text) for text in (ours, theirs)]
    call(["cc", "-O2", SOURCE, *objects, "-lxsmm", "-lxsmmnoblas", "-ldnnl", "-ldl", "-lpthread", "-lm", "-o", folder / "products"])
    said = call([folder / "products", *map(str, shape), folder / "b", str(milliseconds)], environment={"OMP_NUM_THREADS": "1"}).out
    return {name: float(time) for name, time in map(str.split, said.splitlines())}


def main():
    parser = measure.arguments(__doc__)
    parser.add_argument("--milliseconds", type=int, default=3000, help="for all roads of a product (default: %(default)s)")
    args = parser.parse_args()
    native, rows = Native(Tools(opt=args.opt)), []
    for name, *shape in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            times = microseconds(native, Path(folder), shape, args.milliseconds)
        least = min(times.values())
        rows.append([name, " x ".join(map(str, shape)), *(f"{times[road]:.1f}" for road in ROADS), f"{times['vectors'] / least:.2f}"])
        print(*rows[-1], flush=True)
    head = HEAD.format(machine=tables.machine())
    shown = tables.table(["<product", "rows x columns x sums", *ROADS, "vectors / best"], rows)
    tables.write(args.output, f"{head}\n\n{shown}" if args.output else shown)


HEAD = """\
# Products beside what exists

Written by `python3 -m bench.rows.products --output FILE`.

{machine}

Matrix products of real networks with constant weights, one thread; microseconds, the least of some seconds in which all roads take
turns. Products are fused with sums.

- vectors: `convert-linalg-to-vectors{{contract}}`, weights packed when compiled
- mmt4d: MLIR's packed product, tiled, vectorized and unrolled by its transform dialect; packing is not counted
- libxsmm: a call of its kernel for each 64 rows
- onednn: `dnnl_sgemm`
- vectors / best: the time of vectors over that of the fastest"""

if __name__ == "__main__":
    main()
