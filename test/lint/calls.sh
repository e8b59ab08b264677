#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# scripts/circles.py finds a call from a component to one above it, which no #include tells, and not one below; and a
# symbol without the prefix of the project.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# archive COMPONENT FILE TEXT
archive() {
  echo "$3" | cc -c -x c - -o "$work/$2.o"
  ar -rc "$work/libstowage_$1.a" "$work/$2.o"
}

archive ir life.c 'void stow_plan_only(void); void stow_low(void); void stow_low(void) { stow_plan_only(); }'
archive arena reuse.c 'void stow_plan_only(void) {}'
archive reduce attempts.c 'void stow_plan_only(void); void stow_try(void) { stow_plan_only(); }'
archive reduce_peak reduce_peak.c 'void stow_try(void); void stow_reduce_peak(void) { stow_try(); }'
! found=$(scripts/circles.py "$work"/*.a) || { echo "found nothing"; exit 1; }
[ "$found" = 'src/ir/life.c calls src/arena/reuse.c, which src/ir may not know' ] || { echo "$found"; exit 1; }

archive order graph.c 'int next_node(int node) { return node; }'
! found=$(scripts/circles.py "$work/libstowage_order.a") || { echo "found nothing"; exit 1; }
[ "$found" = 'graph.c: next_node begins neither with stow_ nor with tool_' ] || { echo "$found"; exit 1; }
