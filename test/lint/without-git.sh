#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A tree without .git, as it comes out of a tarball, with a blank in its path and a build in it, has the
# same sources as the checkout.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree="$work/with a blank"
mkdir -p "$tree/build"
scripts/sources.sh '*' | tar -c -T - | tar -x -C "$tree"
touch "$tree/build/CMakeCache.txt" "$tree/build/made.c"

for names in '*' '*.c' 'src/ir/*' 'src/*.cpp'; do
  scripts/sources.sh "$names" | sort >"$work/here"
  "$tree/scripts/sources.sh" "$names" | sort >"$work/there"
  [ -s "$work/here" ]
  diff "$work/here" "$work/there"
done
