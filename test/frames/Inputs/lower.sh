#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# lower.sh OBJECT [OPTION] [FLAGS]: an object of the bufferized module on standard input; OPTION is for convert-func-to-llvm, FLAGS for llc
set -e
mlir-opt --pass-pipeline="builtin.module(convert-linalg-to-loops,convert-scf-to-cf,expand-strided-metadata,lower-affine,\
func.func(math-extend-to-supported-types{extra-types=f16}),arith-emulate-unsupported-floats{source-types=bf16 target-type=f32},\
arith-expand{include-bf16},convert-math-to-libm,finalize-memref-to-llvm,convert-func-to-llvm{$2},convert-arith-to-llvm,convert-index-to-llvm,\
convert-cf-to-llvm,reconcile-unrealized-casts)" | mlir-translate --mlir-to-llvmir |
  llc -O2 -filetype=obj -relocation-model=pic $3 -o "$1"
