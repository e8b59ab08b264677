#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A whole network through upstream's passes, buffer-reuse, and reduce-peak with vectors, executed in all
# these ways and compared bit for bit. What it writes stays in build/demo.
#
#     scripts/demo.sh                                   MobileNetV2 on a 224 x 224 image
#     scripts/demo.sh transformer --layers 4            any network of examples/generate.py

set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=${STOWAGE_BUILD:-$root/build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
export STOWAGE_BUILD="$build"
stowage_opt=$build/bin/stowage-opt
mlir_opt=${LLVM_BINDIR:-$("llvm-config-$("$root/scripts/mlir-major.sh")" --bindir)}/mlir-opt

[ $# -gt 0 ] || set -- mobilenetv2
network=$1
[ -x "$stowage_opt" ] || { echo "demo: no $stowage_opt; run 'make build' first" >&2; exit 2; }

rm -rf "$build/demo"
mkdir -p "$build/demo"
cd "$build/demo"

step() { printf '\n== %s\n\n' "$1"; }

# Upstream's own road from tensors to explicit deallocations, and its pass that shortens lives.
bufferize="eliminate-empty-tensors,empty-tensor-to-alloc-tensor,one-shot-bufferize{\
bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map},\
canonicalize,cse"

step "$*: from linalg on tensors to memrefs with deallocations, by stock passes"
python3 "$root/examples/generate.py" "$@" --runs 5 --constants > "$network.mlir"
"$mlir_opt" "$network.mlir" --pass-pipeline="builtin.module($bufferize)" -o memrefs.mlir
"$mlir_opt" memrefs.mlir --pass-pipeline='builtin.module(buffer-deallocation-pipeline)' -o upstream.mlir
"$mlir_opt" upstream.mlir -o liveness.mlir \
  --pass-pipeline='builtin.module(func.func(optimize-allocation-liveness))'
echo "$(grep -c "memref.alloc(" upstream.mlir) allocations, $(grep -c memref.dealloc upstream.mlir) deallocations"

step "buffer-reuse{analysis}: what could be shared"
"$stowage_opt" upstream.mlir -o /dev/null \
  --pass-pipeline='builtin.module(buffer-reuse{analysis report=text,json:plan.json})'

step "buffer-reuse: one arena; reduce-peak: its ops row by row; then as vectors; five runs of each, compared bit for bit"
"$stowage_opt" upstream.mlir -o reuse.mlir --pass-pipeline='builtin.module(buffer-reuse)'
"$stowage_opt" memrefs.mlir -o rows.mlir \
  --pass-pipeline='builtin.module(reduce-peak,merge-alloc{report=json:after.json},buffer-deallocation)'
"$stowage_opt" rows.mlir -o vectors.mlir \
  --pass-pipeline="builtin.module(convert-linalg-to-vectors{$(PYTHONPATH=$root python3 -m testing.registers)})"
PYTHONPATH=$root python3 "$root/test/exec/harness.py" compare --level 2 --time \
  upstream=upstream.mlir optimize-allocation-liveness=liveness.mlir buffer-reuse=reuse.mlir \
  reduce-peak=rows.mlir vectors=vectors.mlir

python3 - <<'SCRIPT'
import json
for arena in json.load(open("plan.json"))["arenas"]:
    print(f"planned: @{arena['function']}: an arena of {arena['arena_size']:,} bytes, "
          f"no plan can be below {arena['lower_bound']:,}; "
          f"{arena['left_alone_bytes']:,} bytes left alone")
SCRIPT

step "The memory maps: of one arena; before and after reduce-peak"
"$stowage_opt" memrefs.mlir -o /dev/null --pass-pipeline='builtin.module(merge-alloc{report=json:before.json})'
draw() {
  output=$build/demo/$1
  shift
  if "$build/bin/stowage" map "$@" --output="$output" >map.log 2>&1; then
    echo "$output"
  else
    echo "not drawn: $(head -n 1 map.log)"
  fi
}
draw map.html plan.json
draw before-after.html after.json --compare=before.json
