#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run.sh BUILD mlir|plain: installs BUILD and uses what was installed, as somebody would who knows
# nothing of this tree: the commands, the plugin, find_package and pkg-config. First where it was
# installed to, then out of a DESTDIR, in a folder with a blank in its name.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
build=$1
kind=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH="/usr/lib/llvm-$("$root/scripts/mlir-major.sh")/bin:$PATH"
unset LD_LIBRARY_PATH

quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }

# build_project SOURCE BUILT PREFIX [OPTION...]
build_project() {
  source=$1 built=$2 prefix=$3
  shift 3
  quietly cmake -S "$source" -B "$built" -DCMAKE_PREFIX_PATH="$prefix" "$@"
  quietly cmake --build "$built"
}

# pkg-config escapes blanks for a shell, which reads its answer.
use_pkg_config() {
  flags=$(PKG_CONFIG_PATH="$1/lib/pkgconfig" pkg-config --cflags --libs stowage)
  eval "cc -std=c17 '$here/outside/plan.c' -o '$work/plan' $flags"
  "$work/plan"
}

use_commands() {
  "$1/bin/stowage" gen --buffers=20 --output="$work/made.csv"
  "$1/bin/stowage" plan "$work/made.csv" --quiet
  [ -f "$1/share/man/man1/stowage.1" ]
  cmp "$root/docs/report.schema.json" "$1/share/stowage/report.schema.json"
  "$1/bin/stowage" completion bash | cmp - "$1/share/bash-completion/completions/stowage"
  [ "$kind" = mlir ] || return 0
  "$1/bin/stowage-opt" "$root/test/driver/plugin.mlir" --buffer-reuse -o "$work/out.mlir"
  mlir-opt "$root/test/driver/plugin.mlir" --load-pass-plugin="$1/lib/StowagePlugin.so" \
    --pass-pipeline='builtin.module(buffer-reuse)' | cmp - "$work/out.mlir"
}

use_packages() {
  passes=$([ "$kind" = mlir ] && echo ON || echo OFF)
  build_project "$here/outside" "$2" "$1" -DWITH_PASSES="$passes"
  "$2/plan"
  [ "$kind" = mlir ] || return 0
  "$2/passes"
  "$2/deallocation"
}

# The sources as a part of another project, whose warnings are its own matter.
use_sources() {
  mkdir "$work/fetched"
  cat >"$work/fetched/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(fetched LANGUAGES C)
include(FetchContent)
set(STOWAGE_MLIR OFF)
set(BUILD_TESTING OFF)
FetchContent_Declare(stowage SOURCE_DIR "$(cd "$root" && pwd)")
FetchContent_MakeAvailable(stowage)
add_executable(plan "$here/outside/plan.c")
target_link_libraries(plan Stowage::plan)
END
  quietly cmake -G Ninja -S "$work/fetched" -B "$work/fetched/build"
  ! grep -q Werror "$work/fetched/build/build.ninja"
  quietly cmake --build "$work/fetched/build" --target plan
  "$(find "$work/fetched/build" -type f -name plan -perm -u+x)"
}

# use_allocation PREFIX CHECKS PASSES
use_allocation() {
  use_dialect allocation "$@"
}

# use_dialect TEST PREFIX CHECKS PASSES
use_dialect() {
  mlir-opt "$here/$1.mlir" --load-dialect-plugin="$work/dialect/libdownstream.so" \
    --load-pass-plugin="$2/lib/StowagePlugin.so" --pass-pipeline="builtin.module($4)" |
    FileCheck "$here/$1.mlir" --check-prefixes="$3"
}

use_examples() {
  for example in plug-in dialect; do
    build_project "$root/examples/$example" "$work/$example" "$1"
  done
  "$work/plug-in/plug-in" "$here/banks.mlir" | FileCheck "$here/banks.mlir"
  "$work/plug-in/plug-in" "$here/no-room.mlir" 2>&1 | FileCheck "$here/no-room.mlir"
  mlir-opt "$here/downstream.mlir" --load-dialect-plugin="$work/dialect/libdownstream.so" \
    --load-pass-plugin="$1/lib/StowagePlugin.so" \
    --pass-pipeline='builtin.module(merge-alloc{analysis-only})' | FileCheck "$here/downstream.mlir"
  use_allocation "$1" PLAN,MERGE merge-alloc,check-arena-plan
  use_allocation "$1" PLAN buffer-deallocation,buffer-reuse,check-arena-plan
  use_allocation "$1" FREE buffer-deallocation
  use_allocation "$1" STACK promote-allocs-to-stack
  use_allocation "$1" HOIST hoist-allocations
  mlir-opt "$here/moved.mlir" --load-dialect-plugin="$work/dialect/libdownstream.so" \
    --load-pass-plugin="$1/lib/StowagePlugin.so" --remarks-filter='.*' \
    --pass-pipeline='builtin.module(hoist-allocations)' 2>&1 | FileCheck "$here/moved.mlir"
  use_dialect asynchronous "$1" PLAN merge-alloc,check-arena-plan
  use_dialect asynchronous "$1" FREE buffer-deallocation
  use_allocation "$1" OWN buffer-deallocation,hoist-allocations,buffer-deallocation
  mlir-opt "$here/allocation.mlir" --load-dialect-plugin="$work/dialect/libdownstream.so" \
    --load-pass-plugin="$1/lib/StowagePlugin.so" --remarks-filter=buffer-deallocation -o "$work/freed.mlir" \
    --pass-pipeline='builtin.module(buffer-deallocation)' 2>&1 | FileCheck "$here/allocation.mlir" --check-prefix=SAID
}

prefix=$work/prefix
quietly cmake --install "$build" --prefix "$prefix"
use_commands "$prefix"
use_pkg_config "$prefix"
use_packages "$prefix" "$work/outside"
use_sources
[ "$kind" = plain ] || use_examples "$prefix"
rm -rf "$prefix"

DESTDIR=$work/stage quietly cmake --install "$build" --prefix /opt/stowage
moved="$work/an other place"
mv "$work/stage/opt/stowage" "$moved"
use_commands "$moved"
use_pkg_config "$moved"
use_packages "$moved" "$work/outside moved"
