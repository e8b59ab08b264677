//===- control.c - when what ops do is done, and where control goes -------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/read/steps.h"

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

typedef struct region_flow {
  stow_map ends;    // terminators that control leaves regions by
  stow_map entered; // regions, by index + 1, that control enters
  bool sound;       // no region is entered that has no block, and all ends are among `ends`
} region_flow;

static void note_edge(void *user, const stow_control_edge *edge) {
  region_flow *flow = user;
  if (edge->to != STOW_PARENT)
    stow_map_note(&flow->entered, (const void *)(edge->to + 1));
  flow->sound &= edge->to == STOW_PARENT || !mlirBlockIsNull(edge->block);
  if (!mlirOperationIsNull(edge->end))
    stow_map_note(&flow->ends, edge->end.ptr);
}

// Whether the interface knows every end of the region; `entered`: control ever gets there.
static bool all_ends_known(MlirRegion region, bool entered, const stow_map *ends) {
  for (MlirBlock b = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(b);
       b = mlirBlockGetNextInRegion(b)) {
    MlirOperation end = mlirBlockGetTerminator(b);
    if (mlirOperationIsNull(end))
      return false;
    if (entered && mlirOperationGetNumSuccessors(end) == 0 && stow_map_get(ends, end.ptr) < 0 &&
        !(stow_op_traits(end) & STOW_NEVER_RETURNS))
      return false;
  }
  return true;
}

bool stow_tells_control_flow(MlirOperation op, uint32_t facts) {
  const uint32_t others = STOW_OP_ISOLATED | STOW_OP_GRAPH_REGION | STOW_OP_STRUCTURED;
  if (!(facts & STOW_OP_REGION_BRANCH) || (facts & others) ||
      (stow_op_traits(op) & STOW_REGIONS_MAY_LAST))
    return false;
  region_flow flow = {.sound = true};
  stow_region_edges(op, note_edge, &flow);
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n && flow.sound; ++r) {
    bool entered = stow_map_get(&flow.entered, (const void *)(r + 1)) >= 0;
    flow.sound = all_ends_known(mlirOperationGetRegion(op, r), entered, &flow.ends);
  }
  stow_map_free(&flow.ends), stow_map_free(&flow.entered);
  return flow.sound;
}

bool stow_leaves_function(const stow_domain *domain, MlirOperation op, uint32_t facts) {
  return domain->is_function && (facts & STOW_OP_RETURN) &&
         mlirOperationEqual(mlirOperationGetParentOperation(op), domain->op);
}

//===----------------------------------------------------------------------===//
// Work that goes on
//===----------------------------------------------------------------------===//

// Work that is waited for in the block where it starts is done there.
bool stow_is_awaited_nearby(MlirOperation op) {
  return stow_is(op, STOW_ASYNC_EXECUTE) && mlirOperationGetNumResults(op) == 1 &&
         stow_is_waited_for(op);
}

// Whether an op without regions may still use its operands when its block is done.
static bool goes_on(MlirOperation op) {
  return (stow_starts_work(op) || stow_makes_handle(op)) && mlirValueIsNull(stow_settled_token(op));
}

bool stow_runs_later(MlirOperation op) {
  return ((stow_op_traits(op) & STOW_RUNS_LATER) || stow_starts_work(op) ||
          stow_makes_handle(op)) &&
         !stow_is_awaited_nearby(op);
}

const char *stow_why_kept(const stow_domain_context *context, MlirOperation op, uint32_t facts,
                          const stow_effects *effects, intptr_t operand) {
  if (stow_is_by_bit(op))
    return NULL;
  const unsigned common = stow_common_fates(op, facts, stow_op_traits(op), effects);
  const unsigned fates = stow_fates_of(op, common, effects, operand);
  if (goes_on(op))
    return fates & STOW_FATE_WORK ? "work that goes on later uses it"
                                  : "its address becomes something else than a memref";
  if (fates & STOW_FATE_UNKNOWN)
    return context->unknown_ops_escape ? "an op of unknown effects may keep it" : NULL;
  if (fates & STOW_FATE_NUMBER)
    return "its address becomes a number";
  if (fates & STOW_FATE_STORED)
    return "its address is stored";
  return fates & STOW_FATE_BY_BIT ? "it is freed by a dealloc that decides at run time" : NULL;
}
