#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run.sh BUILD mlir|plain: installs BUILD into an empty folder, then builds and runs the outside
# project against it, once through find_package and once through pkg-config.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
kind=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -S "$here/outside" -B "$work/outside" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DWITH_PASSES="$([ "$kind" = mlir ] && echo ON || echo OFF)" >"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/outside" >"$work/log" || { cat "$work/log"; exit 1; }
"$work/outside/plan"
if [ "$kind" = mlir ]; then
  "$work/outside/passes"
  "$work/outside/deallocation"
  for example in plug-in dialect; do
    cmake -S "$here/../../examples/$example" -B "$work/$example" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" &&
      cmake --build "$work/$example" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  done
  PATH="$work/plug-in:/usr/lib/llvm-22/bin:$PATH"
  plug-in "$here/banks.mlir" | FileCheck "$here/banks.mlir"
  plug-in "$here/no-room.mlir" 2>&1 | FileCheck "$here/no-room.mlir"
  mlir-opt-22 "$here/downstream.mlir" --load-dialect-plugin="$work/dialect/libdownstream.so" \
    --load-pass-plugin="$work/prefix/lib/StowagePlugin.so" \
    --pass-pipeline='builtin.module(merge-alloc{analysis-only})' | FileCheck "$here/downstream.mlir"
fi

pc=$(find "$work/prefix" -name stowage.pc)
prefix_of() { sed -n "s/^$1=//p" "$pc" | sed "s|\${prefix}|$work/prefix|"; }
cc -std=c17 "$here/outside/plan.c" -o "$work/plan" -I"$(prefix_of includedir)" \
  -L"$(prefix_of libdir)" $(sed -n 's/^Libs: -L[^ ]* //p' "$pc")
"$work/plan"
