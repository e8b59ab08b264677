//===- flow_tables.h - filling the tables of flow.h -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between flow.c, which walks, and transfer.c, which knows what ops do to buffers.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_FLOW_TABLES_H
#define STOWAGE_IR_FLOW_TABLES_H

#include "ir/flow.h"

// An op as the walk leaves it behind.
typedef struct stow_visit {
  MlirOperation op;
  uint32_t facts;
  int64_t begin, end;
  int32_t nest, block; // around the op
  int32_t inner;       // the nest of its regions; `nest` where they have none of their own
} stow_visit;

int32_t stow_flow_value(stow_flow *flow, MlirValue value); // its index; adds it where it is new
void stow_flow_add_edge(stow_flow *flow, int32_t from, int32_t to, int32_t carried);
void stow_flow_add_branch(stow_flow *flow, int32_t from, int32_t to, int32_t nest);
void stow_flow_add_use(stow_flow *flow, int32_t value, const stow_visit *visit);
void stow_flow_add_free(stow_flow *flow, int32_t value, const stow_visit *visit);
int32_t stow_flow_add_escape(stow_flow *flow, int32_t value, stow_reason reason, MlirOperation op);
void stow_flow_add_alloc(stow_flow *flow, const stow_visit *visit);

// How an op with regions treats them.
typedef struct stow_region_manner {
  bool repeats;       // a region may run more than once, or regions in another order than written
  bool owns_arena;    // each region is a scope
  stow_reason opaque; // why what enters gets away, or STOW_PLANNED
} stow_region_manner;

stow_region_manner stow_region_manner_of(MlirOperation op, uint32_t facts,
                                         stow_unknown_ops unknown_ops);

// Records all that the visited op does to buffers.
void stow_transfer(stow_flow *flow, const stow_flow_context *context, const stow_visit *visit);

#endif // STOWAGE_IR_FLOW_TABLES_H
