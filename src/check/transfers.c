//===- transfers.c - where transfers are complete -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a memref.dma_start every path is walked op by op, through branches and the regions of scf
// and affine, until an op waits for that element of the tag and as many elements. What else is done
// to the tag on the way must be about other elements, as constants tell, or wait, too; and neither
// a buffer of the start nor what names its element may be made anew. A path that ends without a
// wait, or one longer than the limit, leaves the transfer without an end. A wait that comes behind
// such a one is for nobody.
//
//===----------------------------------------------------------------------===//

#include "bridge/bridge.h"
#include "check/limits.h"
#include "check/op.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static const char start_name[] = "memref.dma_start", wait_name[] = "memref.dma_wait";

static intptr_t behind_indices(MlirOperation op, intptr_t memref) {
  return memref + 1 +
         (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(op, memref)));
}

// The operand that counts elements, and the one that is the tag.
static intptr_t count_operand(MlirOperation op) {
  return behind_indices(op, stow_ir_op_is(op, wait_name) ? 0 : behind_indices(op, 0));
}

static intptr_t tag_operand(MlirOperation op) {
  return stow_ir_op_is(op, wait_name) ? 0 : count_operand(op) + 1;
}

static MlirValue tag_of(MlirOperation op) { return mlirOperationGetOperand(op, tag_operand(op)); }

static MlirValue tag_index(MlirOperation op, intptr_t i) {
  return mlirOperationGetOperand(op, tag_operand(op) + 1 + i);
}

static intptr_t tag_rank(MlirOperation op) {
  return (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(tag_of(op)));
}

static MlirAttribute constant_of(MlirValue value) {
  return mlirValueIsAOpResult(value) && stow_ir_op_is(mlirOpResultGetOwner(value), "arith.constant")
             ? stow_attribute_of(mlirOpResultGetOwner(value), "value")
             : mlirAttributeGetNull();
}

static bool are_equal(MlirValue a, MlirValue b) {
  const MlirAttribute x = constant_of(a), y = constant_of(b);
  return mlirValueEqual(a, b) || (!mlirAttributeIsNull(x) && mlirAttributeEqual(x, y));
}

static bool waits_for(MlirOperation wait, MlirOperation start) {
  if (!stow_ir_op_is(wait, wait_name) || !mlirValueEqual(tag_of(wait), tag_of(start)) ||
      !are_equal(mlirOperationGetOperand(wait, count_operand(wait)),
                 mlirOperationGetOperand(start, count_operand(start))))
    return false;
  for (intptr_t i = 0; i < tag_rank(start); ++i)
    if (!are_equal(tag_index(wait, i), tag_index(start, i)))
      return false;
  return true;
}

static bool have_other_tags(MlirOperation a, MlirOperation b) {
  for (intptr_t i = 0; i < tag_rank(a); ++i) {
    const MlirAttribute x = constant_of(tag_index(a, i)), y = constant_of(tag_index(b, i));
    if (!mlirAttributeIsNull(x) && !mlirAttributeIsNull(y) && !mlirAttributeEqual(x, y))
      return true;
  }
  return false;
}

static bool may_take_tag(MlirOperation op, MlirOperation start) {
  if (!stow_ir_has_operand(op, tag_of(start)) || stow_ir_op_is(op, wait_name))
    return false;
  return !stow_ir_op_is(op, start_name) || !mlirValueEqual(tag_of(op), tag_of(start)) ||
         !have_other_tags(op, start);
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

// Counts a step. What is not known for want of effort is taken to be the worst.
static bool affordable(stow_check_transfers *t) { return ++t->steps <= t->most_steps; }

typedef struct walk {
  stow_check_transfers *transfers;
  MlirOperation start;
  stow_map seen;      // blocks and ops with regions that control leaves, where paths go on
  stow_op_list next;  // the first ops of paths
  stow_op_list waits; // that paths end with
  size_t steps;
  bool lost; // some path has no certain end
} walk;

// Whether a wait is to know an operand of the start: what lies where in the buffers is of no
// interest.
static bool identifies(MlirOperation start, intptr_t operand) {
  return mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(start, operand))) ||
         (operand >= count_operand(start) && operand <= tag_operand(start) + tag_rank(start));
}

static bool is_operand_of(const walk *w, MlirValue value) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(w->start); i < n; ++i)
    if (mlirValueEqual(mlirOperationGetOperand(w->start, i), value) && identifies(w->start, i))
      return mlirAttributeIsNull(constant_of(value));
  return false;
}

static bool makes_operand(const walk *w, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumResults(op); i < n; ++i)
    if (is_operand_of(w, mlirOperationGetResult(op, i)))
      return true;
  return false;
}

// Whether a value is surely defined in front of the op.
static bool is_defined_before(MlirValue value, MlirOperation op) {
  const MlirBlock block = stow_block_of(value);
  const MlirRegion region = mlirBlockGetParentRegion(block);
  const MlirOperation there = stow_ir_op_in_block(block, op);
  if (mlirOperationIsNull(there))
    return mlirBlockEqual(mlirRegionGetFirstBlock(region), block) &&
           !mlirOperationIsNull(stow_ir_op_in_region(region, op));
  return !mlirValueIsAOpResult(value) ||
         mlirOperationIsBeforeInBlock(mlirOpResultGetOwner(value), there);
}

static bool sees_operands(const walk *w, MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(w->start); i < n; ++i)
    if (identifies(w->start, i) && !is_defined_before(mlirOperationGetOperand(w->start, i), op))
      return false;
  return true;
}

static void go_to_block(walk *w, MlirBlock block) {
  if (!stow_map_note(&w->seen, block.ptr))
    return;
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i < n; ++i)
    w->lost |= is_operand_of(w, mlirBlockGetArgument(block, i));
  STOW_PUSH(w->next, mlirBlockGetFirstOperation(block));
}

static void go_behind(walk *w, MlirOperation op) {
  if (stow_map_note(&w->seen, op.ptr)) {
    w->lost |= makes_operand(w, op);
    STOW_PUSH(w->next, mlirOperationGetNextInBlock(op));
  }
}

typedef struct leaving {
  walk *walk;
  MlirOperation op, end; // control leaves `end`, a terminator in `op`, or enters `op`
  bool any;
} leaving;

static void take_edge(void *user, const stow_control_edge *edge) {
  leaving *l = user;
  if (!mlirOperationEqual(edge->end, l->end) &&
      !(mlirOperationIsNull(edge->end) && mlirOperationIsNull(l->end)))
    return;
  l->any = true;
  if (!mlirBlockIsNull(edge->block))
    go_to_block(l->walk, edge->block);
  else if (edge->to == STOW_PARENT)
    go_behind(l->walk, l->op);
  else
    l->walk->lost = true;
}

static void take_branch(void *user, const stow_control_edge *edge) {
  leaving *l = user;
  l->any = true;
  go_to_block(l->walk, edge->block);
}

static bool tells_regions(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 && (stow_op_facts(op) & STOW_OP_REGION_BRANCH) &&
         (stow_ir_op_has_prefix(op, "scf.") || stow_ir_op_has_prefix(op, "affine."));
}

// A terminator, or an op whose regions control enters: where control goes from there.
static void leave(walk *w, MlirOperation op, bool enters) {
  leaving l = {.walk = w, .op = op};
  if (!enters) {
    l.op = mlirOperationGetParentOperation(op);
    l.end = op;
    if (mlirOperationGetNumSuccessors(op) > 0)
      stow_bridge_branch_edges(op, take_branch, &l);
    else if (tells_regions(l.op))
      stow_bridge_region_edges(l.op, take_edge, &l);
  } else {
    stow_bridge_region_edges(op, take_edge, &l);
  }
  w->lost |= !l.any;
}

static bool may_step(walk *w) {
  return affordable(w->transfers) && ++w->steps <= STOW_CHECK_MOST_PASSED;
}

static bool takes_tag_inside(walk *w, MlirOperation op) {
  STOW_EACH_OP_OF(inner, op)
    if (!may_step(w) || may_take_tag(inner, w->start))
      return true;
  return false;
}

// False: the path ends with the op, or goes on elsewhere.
static bool pass(walk *w, MlirOperation op) {
  if (waits_for(op, w->start)) {
    w->lost |= !sees_operands(w, op);
    STOW_PUSH(w->waits, op);
    return false;
  }
  const bool enters = tells_regions(op),
             ends = mlirOperationIsNull(mlirOperationGetNextInBlock(op));
  w->lost |= !may_step(w) || makes_operand(w, op) ||
             (enters ? may_take_tag(op, w->start) : takes_tag_inside(w, op));
  if (!w->lost && (enters || ends))
    leave(w, op, enters);
  return !enters && !ends;
}

// The waits that paths from the start end with, or none: some path has no certain end.
static stow_op_list waits_on_paths(stow_check_transfers *transfers, MlirOperation start) {
  walk w = {.transfers = transfers, .start = start};
  STOW_PUSH(w.next, mlirOperationGetNextInBlock(start));
  while (w.next.count > 0 && !w.lost) {
    MlirOperation op = w.next.at[--w.next.count];
    w.lost |= mlirOperationIsNull(op);
    while (!w.lost && pass(&w, op))
      op = mlirOperationGetNextInBlock(op);
  }
  if (w.lost)
    w.waits.count = 0;
  stow_map_free(&w.seen);
  free(w.next.at);
  return w.waits;
}

//===----------------------------------------------------------------------===//
// What comes first
//===----------------------------------------------------------------------===//

// Whether control may come from one block to the other by edges between blocks.
bool stow_check_leads_to(stow_check_transfers *t, MlirBlock from, MlirBlock to) {
  stow_block_set next = {0};
  bool found = false;
  STOW_PUSH(next, from);
  while (next.count > 0 && !found) {
    const MlirOperation end = mlirBlockGetTerminator(next.at[--next.count]);
    const intptr_t count = mlirOperationIsNull(end) ? 0 : mlirOperationGetNumSuccessors(end);
    for (intptr_t i = 0; i < count; ++i) {
      const MlirBlock block = mlirOperationGetSuccessor(end, i);
      found |= mlirBlockEqual(block, to) || !affordable(t);
      STOW_INCLUDE(next, block);
    }
  }
  STOW_SET_FREE(next);
  return found;
}

static void note_region_after_region(void *found, const stow_control_edge *edge) {
  *(bool *)found |= !mlirOperationIsNull(edge->end) && !mlirBlockIsNull(edge->block);
}

// Whether one of its regions runs, once.
static bool chooses_region(MlirOperation op) {
  bool more = false;
  if (!tells_regions(op))
    return false;
  stow_bridge_region_edges(op, note_region_after_region, &more);
  return !more;
}

// The allocation that a tag is, or is a view of, or null.
static MlirOperation allocation_of(MlirValue tag) {
  while (mlirValueIsAOpResult(tag)) {
    const MlirOperation op = mlirOpResultGetOwner(tag);
    if (stow_ir_op_is(op, "memref.alloc") || stow_ir_op_is(op, "memref.alloca"))
      return op;
    if (!stow_ir_op_is(op, "memref.view"))
      break;
    tag = mlirOperationGetOperand(op, 0);
  }
  return (MlirOperation){NULL};
}

// Whether control may come to the op again in the region in which the tag is allocated.
static bool may_run_again(stow_check_transfers *t, MlirOperation op, MlirOperation allocation) {
  const MlirRegion made = mlirBlockGetParentRegion(mlirOperationGetBlock(allocation));
  for (MlirBlock block = mlirOperationGetBlock(op);;) {
    if (stow_check_leads_to(t, block, block))
      return true;
    if (mlirRegionEqual(mlirBlockGetParentRegion(block), made))
      return false;
    const MlirOperation around = mlirBlockGetParentOperation(block);
    if (!chooses_region(around))
      return true;
    block = mlirOperationGetBlock(around);
  }
}

// Whether an op may have run when the other one does, both on a tag. Who else has the tag may have
// called the function before.
static bool may_come_first(stow_check_transfers *t, MlirOperation first, MlirOperation then) {
  const MlirOperation allocation = allocation_of(tag_of(then));
  if (mlirOperationIsNull(allocation) || !affordable(t))
    return true;
  MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(then));
  while (mlirOperationIsNull(stow_ir_op_in_region(region, first))) {
    then = mlirOperationGetParentOperation(then);
    region = mlirBlockGetParentRegion(mlirOperationGetBlock(then));
  }
  first = stow_ir_op_in_region(region, first);
  const MlirBlock from = mlirOperationGetBlock(first), to = mlirOperationGetBlock(then);
  if (may_run_again(t, then, allocation))
    return true;
  if (mlirOperationEqual(first, then)) // in two of its regions
    return !chooses_region(first);
  return mlirBlockEqual(from, to) ? mlirOperationIsBeforeInBlock(first, then)
                                  : stow_check_leads_to(t, from, to);
}

//===----------------------------------------------------------------------===//
// Transfers by a tag
//===----------------------------------------------------------------------===//

typedef struct transfer {
  MlirOperation start;
  stow_op_list waits; // none: some path has no certain end
} transfer;

typedef STOW_ARRAY(transfer) transfer_list;

// Whether its waits are for it: what waits may be told of a transfer on the element without an end
// that began before.
static bool has_certain_end(stow_check_transfers *t, const transfer *it, const transfer_list *all) {
  STOW_EACH(const transfer, other, *all)
    if (other->waits.count == 0 && !have_other_tags(other->start, it->start))
      STOW_EACH_ITEM(MlirOperation, wait, it->waits)
        if (may_come_first(t, other->start, wait))
          return false;
  return true;
}

void stow_check_note_partner(stow_check_transfers *t, MlirOperation op, MlirOperation partner) {
  int32_t index = stow_map_get(&t->partners_of, op.ptr);
  if (index < 0) {
    index = (int32_t)STOW_PUSH(t->partners, (stow_op_list){0});
    stow_map_add(&t->partners_of, op.ptr, index);
  }
  STOW_PUSH(t->partners.at[index], partner);
}

static void note_waits(stow_check_transfers *t, const transfer *it) {
  STOW_EACH_ITEM(MlirOperation, wait, it->waits) {
    stow_check_note_partner(t, it->start, wait);
    stow_check_note_partner(t, wait, it->start);
  }
}

static void read_tag(stow_check_transfers *t, MlirValue tag) {
  transfer_list all = {0};
  STOW_EACH_USE(use, tag) {
    const MlirOperation op = mlirOpOperandGetOwner(use);
    if (stow_ir_op_is(op, start_name) && mlirOpOperandGetOperandNumber(use) == tag_operand(op))
      STOW_PUSH(all, (transfer){op, waits_on_paths(t, op)});
  }
  STOW_EACH(const transfer, it, all)
    if (has_certain_end(t, it, &all))
      note_waits(t, it);
  STOW_EACH(transfer, it, all)
    free(it->waits.at);
  free(all.at);
}

stow_op_list stow_check_transfer_partners(stow_check_transfers *t, MlirOperation op) {
  const MlirValue group = stow_check_mbarrier_of(op);
  const bool phases = !mlirValueIsNull(group);
  if (!phases && !stow_ir_op_is(op, start_name) && !stow_ir_op_is(op, wait_name))
    return (stow_op_list){0};
  if (stow_map_note(&t->tags, phases ? group.ptr : tag_of(op).ptr)) {
    if (phases)
      t->read_phases(t, group);
    else
      read_tag(t, tag_of(op));
  }
  const int32_t index = stow_map_get(&t->partners_of, op.ptr);
  return index < 0 ? (stow_op_list){0} : t->partners.at[index];
}

void stow_check_transfers_free(stow_check_transfers *t) {
  STOW_EACH(stow_op_list, partners, t->partners)
    free(partners->at);
  free(t->partners.at);
  stow_map_free(&t->tags);
  stow_map_free(&t->partners_of);
}
