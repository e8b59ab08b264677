#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# scripts/lint.sh finds nothing in the tree, and each breach that is put into a copy of it.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
kept=$(mktemp -d)
trap 'rm -rf "$work" "$kept"' EXIT
scripts/sources.sh '*' | tar -c -T - | tar -x -C "$work"
cd "$work"
scripts/lint.sh

# breach FILE LINE: the line, put at the file's beginning, is found. Breaches of different files are looked for at once.
breach() {
  [ ! -e "$kept/$1" ] || find_all
  mkdir -p "$kept/$(dirname "$1")"
  cp "$1" "$kept/$1"
  { echo "$2"; cat "$kept/$1"; } >"$1"
}

find_all() {
  ! found=$(scripts/lint.sh) || { echo "nothing found"; exit 1; }
  (cd "$kept" && find . -type f) | while read -r file; do
    case $found in
      *"${file#./}"*) mv "$kept/$file" "$file" ;;
      *) echo "not found: $(head -1 "$file") in $file; but $found"; exit 1 ;;
    esac
  done
}

breach src/plan/fit.c '#include "report/report.h"'
breach src/ir/life.c '#include "arena/arena.h"'
breach src/check/live.c '#include "ir/op.h"'
breach src/check/live.c '#include "../ir/op.h"'
breach src/dealloc/read/needs_no_owner.c '#include "dealloc/own/owners.h"'
breach src/arena/partners.c '#include "mlir/IR/Operation.h"'
breach docs/ARCHITECTURE.md "src/ir/no_such_file.c"
breach include/stowage/plan.h '#include "stowage/passes.h"'
breach tools/stowage/output.c '#include <mlir-c/IR.h>'
breach src/check/backward.h 'void stow_check_nobody_calls_this(void);'
breach src/plan/fit.c 'enum { MAX_GAPS = 10 };'
breach src/dealloc/own/speculate.c '#define MAX_TRIES 64'
breach src/stream/cut.c 'void *moved = realloc(items, 8);'
breach src/order/graph.c 'static void both(int *a, int *b) { *a = 1, *b = 2; }'
breach src/order/graph.c 'static int next(int *a) { return (++*a, *a); }'
breach fuzz/net_gen/layers.py 'import fuzz.net_gen.grow'
breach src/check/backward.h '

int is_not_licensed_in_its_first_twelve_lines;









'
find_all
