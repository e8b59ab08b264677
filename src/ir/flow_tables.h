//===- flow_tables.h - filling the tables of flow.h -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between flow.c, which walks, regions.c and transfer.c, which know what ops do to their regions
// and to buffers, and control.c, which notes how control moves.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_FLOW_TABLES_H
#define STOWAGE_IR_FLOW_TABLES_H

#include "ir/flow.h"

// An op as the walk leaves it behind.
typedef struct stow_visit {
  MlirOperation op;
  uint32_t facts;
  stow_traits traits;
  int64_t begin, end;
  int32_t nest, block;          // around the op
  int32_t inner;                // the nest of its regions; `nest` where they have none of their own
  size_t first_use, first_edge; // where what its regions record begins
  bool passed_over;             // its regions compute numbers, and the walk does not enter them
  int32_t hub; // where its regions may run in any order: an empty segment between them
} stow_visit;

//===----------------------------------------------------------------------===//
// Where the walk is
//===----------------------------------------------------------------------===//

// Numbers the next position: the op begins or ends there.
int64_t stow_flow_take_position(stow_flow *flow, MlirOperation op);

// These begin at the next position, and end where the walk says later. They give indices.
int32_t stow_flow_add_nest(stow_flow *flow, int32_t parent, unsigned flags);
int32_t stow_flow_add_scope(stow_flow *flow, MlirOperation op, MlirRegion region,
                            int32_t parent_nest, uint32_t facts); // its nest
int32_t stow_flow_add_block(stow_flow *flow, MlirBlock block, int32_t parent, bool same_runs,
                            bool reachable);

//===----------------------------------------------------------------------===//
// What happens to buffers
//===----------------------------------------------------------------------===//

int32_t stow_flow_value(stow_flow *flow, MlirValue value); // its index; adds it where it is new
void stow_flow_add_edge(stow_flow *flow, int32_t from, int32_t to, const stow_visit *visit);

// Sorts the edges by both ends, once there are no more to come.
void stow_flow_index_edges(stow_flow *flow);
enum { STOW_UNREACHED_BRANCH = -2 }; // of an edge, until all blocks are known
void stow_flow_add_branch(stow_flow *flow, int32_t from, int32_t to, const stow_visit *visit);

// Carried by control into or out of a region of the op, from the position of `terminator` or, where
// that is null, of the op. `carried` is the nest around whose back edge it goes, or -1.
void stow_flow_add_transfer(stow_flow *flow, int32_t from, int32_t to, int32_t carried,
                            const stow_visit *visit, MlirOperation terminator);
void stow_flow_add_use(stow_flow *flow, int32_t value, const stow_visit *visit, bool overwrites);
void stow_flow_add_free(stow_flow *flow, int32_t value, const stow_visit *visit);
int32_t stow_flow_add_escape(stow_flow *flow, int32_t value, stow_reason reason, MlirOperation op);
void stow_flow_add_clone(stow_flow *flow, int32_t source, MlirValue clone);
void stow_flow_add_alloc(stow_flow *flow, const stow_visit *visit);

//===----------------------------------------------------------------------===//
// Ops with regions
//===----------------------------------------------------------------------===//

// How one treats them (regions.c).
typedef struct stow_region_manner {
  bool repeats;       // a region may run more than once, or regions in another order than written
  bool any_order;     // what follows what among its regions is not known
  bool owns_arena;    // each region is a scope
  bool atomic;        // it is part of one segment
  stow_reason opaque; // why what enters gets away, or STOW_PLANNED
} stow_region_manner;

stow_region_manner stow_region_manner_of(MlirOperation op, uint32_t facts, stow_traits traits,
                                         stow_unknown_ops unknown_ops);

// An edge between regions that goes back to one that may have run.
bool stow_ir_goes_back(const stow_control_edge *edge);

//===----------------------------------------------------------------------===//
// work.c: work that is still to come
//===----------------------------------------------------------------------===//

// What happens to tokens at an op: it waits for those it is given, or passes them on. `settled` is
// its own where its work is settled, or null.
void stow_ir_transfer_tokens(stow_flow *flow, const stow_visit *visit, MlirValue settled);

// What settled work with a token does to buffers: all that its op is given, and all that the op's
// regions use from outside, stays in use until the token is waited for.
void stow_ir_transfer_work(stow_flow *flow, const stow_visit *visit, MlirValue settled);

// What settled transfers do where they start and where they are waited for. False for any other op.
bool stow_ir_transfer_copy(stow_flow *flow, const stow_visit *visit);

// False: it is no launch of a kernel that is done when the op is.
bool stow_ir_transfer_launch(stow_flow *flow, const stow_visit *visit);

// What a marker of the lifetime dialect does to its buffer (markers.c).
void stow_ir_transfer_marker(stow_flow *flow, const stow_visit *visit);

// Records all that the visited op does to buffers.
void stow_flow_transfer(stow_flow *flow, const stow_flow_context *context, const stow_visit *visit);

#endif // STOWAGE_IR_FLOW_TABLES_H
