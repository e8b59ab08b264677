#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# scripts/lint.sh finds nothing in the tree, and each breach that is put into a copy of it.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/sources.sh '*' | tar -c -T - | tar -x -C "$work"
cd "$work"
scripts/lint.sh

# breach FILE LINE: the line, put at the file's beginning, is found
breach() {
  cp "$1" kept
  { echo "$2"; cat kept; } >"$1"
  ! found=$(scripts/lint.sh) || { echo "not found: $2 in $1"; exit 1; }
  case $found in
    *"$1"*) ;;
    *) echo "$found"; exit 1 ;;
  esac
  mv kept "$1"
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
breach src/check/backward.h '

int is_not_licensed_in_its_first_twelve_lines;









'
