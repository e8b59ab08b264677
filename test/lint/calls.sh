#!/bin/sh
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# scripts/circles.py finds a call from a component to one above it, which no #include tells, and not one below; and
# a symbol without the name of its component.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# archive COMPONENT FILE TEXT
archive() {
  echo "$3" | cc -c -x c - -o "$work/$2.o"
  ar -rc "$work/libstowage_$1.a" "$work/$2.o"
}

archive ir life.c 'void stow_arena_only(void); void stow_ir_low(void); void stow_ir_low(void) { stow_arena_only(); }'
archive arena reuse.c 'void stow_arena_only(void) {}'
archive reduce attempts.c 'void stow_arena_only(void); void stow_reduce_try(void) { stow_arena_only(); }'
archive reduce_peak reduce_peak.c 'void stow_reduce_try(void); void stow_reduce_peak(void) { stow_reduce_try(); }'
! found=$(scripts/circles.py "$work"/*.a) || { echo "found nothing"; exit 1; }
[ "$found" = 'src/ir/life.c calls src/arena/reuse.c, which src/ir may not know' ] || { echo "$found"; exit 1; }

# A name begins with the component, or with a type of it. Those of public headers are free.
archive plan sky.c 'int stow_plan_low, stow_skyline_low, stow_verify, stow_order_low, stow_low, low;'
! found=$(scripts/circles.py "$work/libstowage_plan.a") || { echo "found nothing"; exit 1; }
[ "$found" = 'sky.c: low begins neither with stow_plan nor with a type of plan
sky.c: stow_low begins neither with stow_plan nor with a type of plan
sky.c: stow_order_low begins neither with stow_plan nor with a type of plan' ] || { echo "$found"; exit 1; }
