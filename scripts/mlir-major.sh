#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# mlir-major.sh: the version of LLVM and MLIR that the tree is for, as CMakeLists.txt has it.
sed -n 's/^set(STOWAGE_MLIR_MAJOR \([0-9]*\)).*/\1/p' "$(dirname "$0")/../CMakeLists.txt"
