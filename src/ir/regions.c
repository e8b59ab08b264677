//===- regions.c - how ops run their regions ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces say which region may follow which, but not when a region runs, how many times at
// once, or whether the op waits for it: other dialects implement the same interfaces with
// other semantics. So what interfaces say is relied on only for ops that have
// STOW_REGIONS_AS_TOLD in ops.def. The regions of any other op may run in any order, any
// number of times, even later, and buffers used in them escape unless unknown-ops says
// otherwise.
//
//===----------------------------------------------------------------------===//

#include "ir/flow_tables.h"
#include "ir/op.h"

bool stow_ir_goes_back(const stow_control_edge *edge) {
  return edge->from != STOW_PARENT && edge->to != STOW_PARENT && edge->to <= edge->from;
}

static void see_back_edge(void *found, const stow_control_edge *edge) {
  *(bool *)found |= stow_ir_goes_back(edge);
}

static bool has_back_edge(MlirOperation op) {
  bool found = false;
  stow_bridge_region_edges(op, see_back_edge, &found);
  return found;
}

// Ops whose regions run as their interfaces say and are done when the op is done. The interfaces
// alone do not promise that: acc.parallel implements them.
static bool runs_as_told(uint32_t facts, stow_traits traits) {
  const uint32_t telling =
      STOW_OP_REGION_BRANCH | STOW_OP_LOOP | STOW_OP_STRUCTURED | STOW_OP_PARALLEL;
  return (facts & STOW_OP_STRUCTURED) || (traits & STOW_RUNS_ONCE) ||
         ((traits & STOW_REGIONS_AS_TOLD) && (facts & telling));
}

static bool runs_later(MlirOperation op, uint32_t facts, stow_traits traits) {
  return (traits & STOW_RUNS_LATER) || stow_ir_starts_work_with(op, traits) ||
         (!(facts & STOW_OP_REGION_BRANCH) && stow_ir_makes_handle(op));
}

stow_region_manner stow_region_manner_of(MlirOperation op, uint32_t facts, stow_traits traits,
                                         stow_unknown_ops unknown_ops) {
  bool known = runs_as_told(facts, traits);
  stow_region_manner manner = {.opaque = STOW_PLANNED};
  if (runs_later(op, facts, traits))
    manner.opaque = STOW_ASYNC;
  else if (!known && unknown_ops != STOW_UNKNOWN_OPS_USE)
    manner.opaque = STOW_UNKNOWN_OP;
  manner.owns_arena = (facts & (STOW_OP_PARALLEL | STOW_OP_STRUCTURED | STOW_OP_ISOLATED)) ||
                      !known || manner.opaque != STOW_PLANNED;
  bool told_to_repeat = (facts & STOW_OP_REGION_BRANCH) && has_back_edge(op);
  manner.repeats = (facts & (STOW_OP_LOOP | STOW_OP_PARALLEL | STOW_OP_STRUCTURED)) ||
                   !(facts & STOW_OP_REGION_BRANCH) || told_to_repeat;
  manner.any_order = !known || manner.opaque != STOW_PLANNED || (facts & STOW_OP_PARALLEL) ||
                     (manner.repeats && !told_to_repeat);
  manner.atomic = facts & STOW_OP_STRUCTURED;
  return manner;
}
