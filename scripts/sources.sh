#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# sources.sh PATTERN...: the project's files of these names, one per line, such as '*.c' 'src/ir/*': those
# that git knows, and in a tree without git all but those in build folders.
set -eu
cd "$(dirname "$0")/.."
if [ -e .git ] && git ls-files -- "$@" 2>/dev/null; then
  exit 0
fi
first=$1
shift
count=$#
for pattern; do set -- "$@" -o -path "./$pattern"; done
shift "$count"
find . -type d -exec test -e '{}/CMakeCache.txt' ';' -prune -o \
  -type f '(' -path "./$first" "$@" ')' -print | sed 's|^\./||' | sort
