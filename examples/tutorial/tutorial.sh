#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# docs/tutorial.md as a script: one network in three forms, each as an object file that main.c calls.
#
#     examples/tutorial/tutorial.sh FOLDER

set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$1
llvm=${LLVM_BINDIR:-$("llvm-config-$("$here/../../scripts/mlir-major.sh")" --bindir)}
mkdir -p "$folder"

"$llvm/mlir-opt" "$here/tosa.mlir" -o "$folder/from-tosa.mlir" --pass-pipeline='builtin.module(
  func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor),canonicalize,cse)'

classify() { # FORM SOURCE
  "$here/../compile.sh" "$2" "$folder/$1"
  cc -I"$folder/$1" "$here/main.c" "$folder/$1/network.o" -o "$folder/$1/classify"
  echo "$1: $("$folder/$1/classify")"
}
classify linalg "$here/network.mlir"
classify tosa "$folder/from-tosa.mlir"
classify torch "$here/torch.mlir"
