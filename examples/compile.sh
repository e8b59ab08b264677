#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From linalg on tensors to an object file and a C header: no malloc, no runtime.
#
#     examples/compile.sh network.mlir FOLDER                        for this computer
#     examples/compile.sh network.mlir FOLDER cortex-m4              for a microcontroller; or cortex-m7
#     examples/compile.sh network.mlir FOLDER host vectorize.mlir    linalg ops become vectors as a script says
#
# With ARENA=global in the environment the network has its arena itself; otherwise its caller passes it.
# REDUCE in the environment: the passes before merge-alloc, instead of those that make the arena smallest. LOOPS=1: no vectors.
# FOLDER gets network.o, network.h, and the IR after each step. docs/tutorial.md explains each pass.

set -eu

root=$(cd -P "$(dirname "$0")/.." && pwd)
stowage_opt=${STOWAGE_BUILD:-$root/build}/bin/stowage-opt
llvm=${LLVM_BINDIR:-$("llvm-config-$("$root/scripts/mlir-major.sh")" --bindir)}

[ $# -ge 2 ] || { echo "usage: compile.sh SOURCE.mlir FOLDER [host|cortex-m4|cortex-m7 [SCRIPT.mlir]]" >&2; exit 2; }
source=$1 folder=$2 target=${3:-host} script=${4:-}
case $target in
host)
  index=64 machine="-mtriple=$("$llvm/llvm-config" --host-target) -mcpu=native" place=pic unroll=
  [ -n "$script${LOOPS:-}" ] || tiles="convert-linalg-to-vectors{$(PYTHONPATH=$root python3 -m testing.registers)}"
  [ -n "$script" ] || distinct=outline-distinct-views
  ;;
cortex-m4 | cortex-m7)
  index=32 machine="-mtriple=thumbv7em-none-eabihf -mcpu=$target" place=static
  tiles="convert-linalg-to-vectors{vector-bits=32 registers=7 dot=dsp}"
  [ -z "$script${LOOPS:-}" ] || tiles=
  unroll=-unroll-threshold=50 # the default needs up to three times the flash for no fewer instructions
  ;;
*) echo "compile.sh: $target: not a target; there are host, cortex-m4 and cortex-m7" >&2; exit 2 ;;
esac
mkdir -p "$folder"

# 1. Tensors become buffers.
"$llvm/mlir-opt" "$source" -o "$folder/memrefs.mlir" --pass-pipeline='builtin.module(
  eliminate-empty-tensors,empty-tensor-to-alloc-tensor,
  one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},
  canonicalize,cse,symbol-dce)'

# 2. The network needs less memory; its results lie where the caller says, and all else in one arena. Copies are
# memcpy or loops.
# A script gets ops on four rows: of single rows there would be little to make vectors of.
[ -z "$script" ] && reduce=${REDUCE:-reduce-peak} || reduce="stream-rows{rows=4}"
"$stowage_opt" "$folder/memrefs.mlir" -o "$folder/planned.mlir" --pass-pipeline="builtin.module($reduce,
  merge-alloc{arena=${ARENA:-argument} result-arguments public emit-header=\"$folder/network.h\"},
  lower-strided-copies)"

# 3. Ops become loops over tiles that stay in the machine's registers; of others LLVM learns which buffers share no byte.
"$stowage_opt" "$folder/planned.mlir" -o "$folder/tiled.mlir" --pass-pipeline="builtin.module(${tiles:-}${tiles:+${distinct:+,}}${distinct:-})"

# 4. Vectors where a script asks for them, loops of what is left; then LLVM's dialect, where a memref is a pointer.
width=index-bitwidth=$index
[ -z "$script" ] || vectors="transform-preload-library{transform-library-paths=$script},transform-interpreter,"
"$llvm/mlir-opt" "$folder/tiled.mlir" -o "$folder/llvm.mlir" --pass-pipeline="builtin.module(${vectors:-}
  convert-linalg-to-loops,func.func(convert-vector-to-scf),expand-strided-metadata,lower-affine,convert-scf-to-cf,
  func.func(math-extend-to-supported-types{extra-types=f16}),
  arith-emulate-unsupported-floats{source-types=bf16 target-type=f32},arith-expand{include-bf16},memref-expand,convert-math-to-llvm,convert-math-to-libm,convert-vector-to-llvm,convert-ub-to-llvm,
  finalize-memref-to-llvm{$width},convert-arith-to-llvm{$width},convert-cf-to-llvm{$width},
  convert-func-to-llvm{$width use-bare-ptr-memref-call-conv},reconcile-unrealized-casts)"

# 5. LLVM IR, optimized.
"$llvm/mlir-translate" --mlir-to-llvmir "$folder/llvm.mlir" -o "$folder/network.ll"
# shellcheck disable=SC2086
"$llvm/opt" $machine -O2 $unroll "$folder/network.ll" -o "$folder/network.bc"

# 6. Machine code.
# shellcheck disable=SC2086
"$llvm/llc" $machine -O2 -relocation-model=$place -filetype=obj "$folder/network.bc" -o "$folder/network.o"
