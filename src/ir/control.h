//===- control.h - where control goes -------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the control flow of positions. *Segments* are the runs that control passes from the
// first to the last: a block is divided behind each op with regions that control enters. *Jumps*
// lead from the end of one to the beginning of another, by branches and into and out of regions
// alike.
//
// A walk over the IR numbers positions as it meets ops, and opens and closes segments. A jump is
// added when both of its ends have been met; where one is inside of a segment, there is none.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_IR_CONTROL_H
#define STOWAGE_IR_CONTROL_H

#include "bridge/bridge.h"
#include "ir/digraph.h"
#include "ir/support.h"

typedef struct stow_segment {
  int64_t begin, end;  // positions; ascending in the table
  MlirBlock block;     // null for a segment in which no op stands
  MlirOperation after; // the op with regions it begins behind; null: it begins its block
  MlirOperation last;  // its last op: one with regions, or the block's terminator; or null
  int32_t region;      // filled by stow_control_read, like `reachable`
  bool reachable;
} stow_segment;

// How control takes a jump.
typedef struct stow_exit {
  intptr_t successor;    // of a branch, or -1
  intptr_t empty_region; // of an scf.if or affine.if whose else is not there, or -1
} stow_exit;

typedef struct stow_control {
  STOW_ARRAY(stow_segment) segments;
  STOW_ARRAY(stow_jump) jumps; // between segments
  STOW_ARRAY(stow_exit) exits; // of jumps
  stow_map starts;             // the segment that begins a block, or behind an op
  stow_map ends;               // the segment that ends a block, or with an op that has regions
} stow_control;

void stow_control_free(stow_control *control);

// Begins a segment in a block: behind an op with regions or, if null, where the block begins. One
// in no block is a *hub*, and stays empty.
int32_t stow_control_open(stow_control *control, int64_t position, MlirBlock block,
                          MlirOperation after);

// Ends the last segment: with an op that has regions, or, if null, with its block.
void stow_control_close(stow_control *control, int64_t position, MlirOperation op);

// The jump along an edge of `op`, a branch or an op with regions; -1: there is none.
int32_t stow_control_follow(stow_control *control, MlirOperation op, const stow_control_edge *edge);

// Jumps to the successors of a block whose terminator is not asked how it chooses.
void stow_control_branch(stow_control *control, MlirBlock block);

// From the op to its hub, from there into each of its regions and on, and back from their ends.
void stow_control_any_order(stow_control *control, MlirOperation op, int32_t hub);

// From the end of a block to the hub of an op around.
void stow_control_to_hub(stow_control *control, MlirBlock from, int32_t hub);

//===----------------------------------------------------------------------===//
// control_read.c: regions of which all control is known
//===----------------------------------------------------------------------===//

typedef struct stow_control_region {
  MlirRegion region;
  int32_t parent, depth; // parent: -1 for the outermost
} stow_control_region;

// An operand of the op that control leaves, a memref or a token, which becomes `target`.
typedef struct stow_carried {
  int32_t jump; // -1: there is none, as its ends were not met
  intptr_t operand;
  MlirValue target;
} stow_carried;

typedef struct stow_region_control {
  stow_control flow; // its first segment is the entry
  stow_op_list ops;  // by position
  STOW_ARRAY(stow_control_region) regions;
  STOW_ARRAY(stow_carried) carried; // by jump, ascending, but for those whose jump is -1
} stow_region_control;

// Whether control enters the op's regions and leaves them as its interface says, and by no other
// way.
bool stow_ir_tells_control_flow(MlirOperation op, uint32_t facts);

// Reads a region, and the regions of the ops in it that tell. Regions of other ops are part of the
// segment around them. Freed with stow_region_control_free.
void stow_control_read(MlirRegion region, stow_region_control *out);
void stow_region_control_free(stow_region_control *control);

// Whether it is a memref or a token, which control may give other names.
bool stow_control_follows(MlirValue value);

#endif // STOWAGE_IR_CONTROL_H
