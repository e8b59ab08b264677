//===- place.c - a buffer becomes the part that it is copied into ---------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *link* sets all of its *part* (the target, or a view of it) cell by cell to what it reads
// of the *source* there: a copy, or an op that computes. If the source is dead after the link,
// and the part is not accessed between the source's first use and the link, the source can be
// the part from the beginning. Then
//
//   the target's alloc, and what leads from it to the part, stand before that first use;
//   so does what sets other cells together with those of the part (the fill of a frame);
//   every op that is given the source takes the part's strides;
//   a link that only copies goes.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"

#include "bridge/linalg.h"
#include "ir/build.h"
#include "ir/size.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

typedef struct placing {
  stow_copies_trial *trial;
  MlirOperation link;
  intptr_t from, to; // operands of the link
  bool copies;       // it does nothing else
  bool carried;      // the target is memory that a loop carries, and its alone
  MlirValue source, part, target;
  MlirBlock block; // in which the source is allocated, and the link stands
  stow_copies_uses of_source, of_target;
  MlirOperation first, last; // ops of the block that use the source
  stow_copies_lift lift;
  stow_copies_types types;             // of the source's views
  uint64_t alignment;                  // that the target must have
  STOW_ARRAY(stow_copies_touch) fills; // of the target, to stand before `first`
  MlirOperation blame;
} placing;

//===----------------------------------------------------------------------===//
// The source
//===----------------------------------------------------------------------===//

static void widen(placing *p, MlirOperation user, bool touches) {
  MlirOperation op = stow_ir_op_in_block(p->block, user);
  if (mlirOperationIsNull(p->first) || stow_copies_is_before(op, p->first))
    p->first = op;
  if (touches && stow_copies_is_before(p->last, op))
    p->last = op;
}

static void find_ends(placing *p) {
  const stow_copies_uses *uses = &p->of_source;
  p->last = p->link;
  for (size_t i = 0; i < uses->touches.count; ++i)
    widen(p, uses->touches.at[i].op, true);
  for (size_t i = 0; i < uses->views.count; ++i)
    widen(p, uses->views.at[i], false);
  for (size_t i = 0; i < uses->asks.count; ++i)
    widen(p, uses->asks.at[i], false);
}

// From the loops of an op to cells of an operand, with the only index of loops that run once.
static MlirAffineMap map_to_cells(MlirOperation op, intptr_t operand) {
  const intptr_t count = stow_bridge_loop_count(op);
  int64_t *extents = stow_ir_allocate((size_t)count, sizeof *extents);
  bool *parallel = stow_ir_allocate((size_t)count, sizeof *parallel);
  MlirAffineMap map = stow_bridge_loop_map(op, operand);
  MlirContext context = mlirAffineMapGetContext(map);
  stow_bridge_loops(op, extents, parallel);
  for (intptr_t loop = 0; loop < count; ++loop)
    if (extents[loop] == 1)
      map = mlirAffineMapReplace(map, mlirAffineDimExprGet(context, loop),
                                 mlirAffineConstantExprGet(context, 0), count, 0);
  free(extents);
  free(parallel);
  return map;
}

// Whether the op reads each cell of `from` where it sets that cell of `to`.
static bool is_same_cell(MlirOperation op, intptr_t from, intptr_t to) {
  const MlirAffineMap read = stow_bridge_loop_map(op, from), set = stow_bridge_loop_map(op, to);
  return mlirAffineMapEqual(read, set) ||
         (mlirAffineMapIsPermutation(set) &&
          mlirAffineMapEqual(map_to_cells(op, from), map_to_cells(op, to)));
}

// Whether the op computes each cell of `to` from that cell of `from`, and sets it.
static bool is_cellwise(MlirOperation op, intptr_t from, intptr_t to) {
  MlirType a = mlirValueGetType(mlirOperationGetOperand(op, from));
  MlirType b = mlirValueGetType(mlirOperationGetOperand(op, to));
  if (!mlirTypeIsAMemRef(a) || stow_bridge_loop_writes(op, from) ||
      !mlirTypeEqual(mlirShapedTypeGetElementType(a), mlirShapedTypeGetElementType(b)))
    return false;
  return is_same_cell(op, from, to);
}

static bool is_parallel(MlirOperation op) {
  const intptr_t count = stow_bridge_loop_count(op);
  if (count < 0)
    return false;
  int64_t *extents = stow_ir_allocate((size_t)count, sizeof *extents);
  bool *parallel = stow_ir_allocate((size_t)count, sizeof *parallel), all = true;
  stow_bridge_loops(op, extents, parallel);
  for (intptr_t i = 0; i < count; ++i)
    all &= parallel[i];
  free(extents);
  free(parallel);
  return all;
}

// Whether loops in any order compute each cell of `to` from that cell of `from`; also of sizes that
// are not known.
static bool works_in_place(MlirOperation op, intptr_t from, intptr_t to) {
  const MlirValue read = mlirOperationGetOperand(op, from), set = mlirOperationGetOperand(op, to);
  return (is_parallel(op) && is_cellwise(op, from, to)) ||
         (mlirTypeEqual(mlirValueGetType(read), mlirValueGetType(set)) &&
          stow_bridge_sets_same_cells(op, from, to));
}

// At the link, a cell of the source is read before that cell of the part is set, and in no other
// way. After a link that copies, the source may be read.
static bool allows(const placing *p, const stow_copies_touch *touch) {
  MlirOperation at = stow_ir_op_in_block(p->block, touch->op);
  if (mlirOperationEqual(at, p->link))
    return mlirOperationEqual(touch->op, p->link) && !touch->writes &&
           mlirValueEqual(touch->view, p->source) &&
           (p->copies || is_same_cell(p->link, touch->operand, p->to));
  return stow_copies_is_before(at, p->link) || (p->copies && !touch->writes);
}

static stow_copies_reason read_source(placing *p) {
  stow_copies_uses_of(p->source, &p->of_source);
  if (!stow_copies_afford(p->trial, &p->of_source))
    return STOW_COPIES_EFFORT;
  p->blame = p->of_source.opaque;
  if (!mlirOperationIsNull(p->blame))
    return STOW_COPIES_OPAQUE;
  find_ends(p);
  for (size_t i = 0; i < p->of_source.touches.count; ++i) {
    p->blame = p->of_source.touches.at[i].op;
    if (!allows(p, &p->of_source.touches.at[i]))
      return STOW_COPIES_LIVES_ON;
  }
  return STOW_COPIES_DONE;
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

// Where a touch of the target is, seen from the source's life.
typedef enum moment { ELSEWHERE, BEFORE, MEANWHILE, AFTER } moment;

static moment moment_of(const placing *p, const stow_copies_touch *touch) {
  MlirOperation at = stow_ir_op_in_block(p->block, touch->op);
  if (mlirOperationIsNull(at))
    return ELSEWHERE;
  if (stow_copies_is_before(at, p->first))
    return BEFORE;
  return stow_copies_is_before(p->link, at) ? AFTER : MEANWHILE;
}

static bool is_links_own(const placing *p, const stow_copies_touch *touch) {
  return mlirOperationEqual(touch->op, p->link) && touch->operand == p->to;
}

// Whether a linalg op does nothing but set what is behind one operand, and reads no memory.
static bool sets_only(MlirOperation own, intptr_t operand) {
  bool only = stow_op_facts(own) & STOW_OP_STRUCTURED;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(own); ++i)
    only &= i == operand || !stow_ir_is_buffer(mlirValueGetType(mlirOperationGetOperand(own, i)));
  STOW_EACH_OP_OF(op, own)
    only = only && (mlirOperationEqual(op, own) || stow_bridge_op_has_no_effect(op));
  return only;
}

// Whether an op of the block sets cells of the target and looks at nothing that changes: so that it
// may stand earlier.
static bool may_fill(const placing *p, const stow_copies_touch *touch) {
  return !touch->reads && !touch->opaque &&
         mlirBlockEqual(mlirOperationGetBlock(touch->op), p->block) &&
         !mlirOperationEqual(touch->op, p->link) && sets_only(touch->op, touch->operand);
}

// What the rest of the program does with the target once the link has set the part.
static bool may_follow(const placing *p, const stow_copies_touch *touch) {
  MlirOperation at = stow_ir_op_in_block(p->block, touch->op);
  if (stow_copies_is_before(p->last, at))
    return true;
  return !touch->opaque && (!touch->writes || stow_ir_are_disjoint(touch->view, p->part));
}

// What a loop carries is looked at in one iteration.
static MlirBlock targets_block(const placing *p) {
  return p->carried ? p->block : stow_block_of(p->target);
}

// Whether an op runs when the link has run for the last time: the target is new in each run of the
// block that allocates it.
static bool is_behind(const placing *p, MlirOperation op) {
  MlirOperation at = stow_ir_op_in_block(targets_block(p), op);
  return mlirOperationIsNull(at) ||
         stow_copies_is_before(stow_ir_op_in_block(targets_block(p), p->link), at);
}

// Whether the first op that touches the source sets each cell of it by the same cell of the part,
// and looks at nothing else of it.
static bool begins_in_place(const placing *p, const stow_copies_touch *touch) {
  const stow_copies_touch *set = NULL;
  size_t count = 0;
  if (touch->writes || touch->opaque || !mlirValueEqual(touch->view, p->part) ||
      !mlirOperationEqual(touch->op, p->first))
    return false;
  STOW_EACH(const stow_copies_touch, other, p->of_source.touches)
    if (mlirOperationEqual(stow_ir_op_in_block(p->block, other->op), p->first)) {
      set = other;
      ++count;
    }
  return count == 1 && mlirOperationEqual(touch->op, set->op) &&
         mlirValueEqual(set->view, p->source) && !set->reads &&
         works_in_place(touch->op, touch->operand, set->operand);
}

static stow_copies_reason look_at(placing *p, const stow_copies_touch *touch) {
  const moment when = moment_of(p, touch);
  if (touch->opaque && !is_behind(p, touch->op))
    return STOW_COPIES_OPAQUE;
  if (when == AFTER)
    return may_follow(p, touch) ? STOW_COPIES_DONE : STOW_COPIES_LIVES_ON;
  if (when != MEANWHILE || stow_ir_are_disjoint(touch->view, p->part) || begins_in_place(p, touch))
    return STOW_COPIES_DONE;
  if (!may_fill(p, touch))
    return STOW_COPIES_BETWEEN;
  STOW_PUSH(p->fills, *touch);
  return STOW_COPIES_DONE;
}

static int by_place(const void *a, const void *b) {
  MlirOperation x = ((const stow_copies_touch *)a)->op, y = ((const stow_copies_touch *)b)->op;
  return stow_copies_is_before(x, y) ? -1 : stow_copies_is_before(y, x);
}

static bool is_fill(const placing *p, MlirOperation op) {
  for (size_t i = 0; i < p->fills.count; ++i)
    if (mlirOperationEqual(p->fills.at[i].op, op))
      return true;
  return false;
}

// A fill passes what stands before it, from the source's first use on: nothing there may use cells
// that it sets, but other fills.
static bool fills_come_first(placing *p) {
  STOW_EACH(const stow_copies_touch, touch, p->of_target.touches) {
    if (is_links_own(p, touch) || moment_of(p, touch) != MEANWHILE || is_fill(p, touch->op))
      continue;
    MlirOperation at = stow_ir_op_in_block(p->block, touch->op);
    for (size_t f = 0; f < p->fills.count; ++f)
      if (stow_copies_is_before(at, p->fills.at[f].op) &&
          !stow_ir_are_disjoint(touch->view, p->fills.at[f].view)) {
        p->blame = touch->op;
        return false;
      }
  }
  return true;
}

// The target is not freed while the source is still read.
static bool outlives(placing *p) {
  for (size_t i = 0; i < p->of_target.deallocs.count; ++i) {
    MlirOperation at = stow_ir_op_in_block(p->block, p->of_target.deallocs.at[i]);
    p->blame = p->of_target.deallocs.at[i];
    if (!mlirOperationIsNull(at) && !stow_copies_is_before(p->last, at))
      return false;
  }
  return true;
}

// Threads share such memory, and barriers order what they do.
static bool is_shared(const placing *p) {
  MlirOperation op = p->link;
  bool on_gpu = false;
  for (; !mlirOperationIsNull(op) && !on_gpu; op = mlirOperationGetParentOperation(op))
    on_gpu = stow_ir_op_traits(op) & STOW_OF_GPU;
  return on_gpu && !mlirAttributeIsNull(stow_ir_memory_space(mlirValueGetType(p->target)));
}

static bool is_ordered(const placing *p) {
  return !(stow_op_facts(mlirBlockGetParentOperation(p->block)) & STOW_OP_GRAPH_REGION);
}

static stow_copies_reason read_target(placing *p) {
  if (is_shared(p) || !is_ordered(p) || !stow_copies_runs_alone(p->block, targets_block(p)))
    return STOW_COPIES_AT_ONCE;
  stow_copies_uses_in(p->target, targets_block(p), &p->of_target);
  if (!stow_copies_afford(p->trial, &p->of_target))
    return STOW_COPIES_EFFORT;
  STOW_EACH(const stow_copies_touch, touch, p->of_target.touches) {
    p->blame = touch->op;
    const stow_copies_reason reason = is_links_own(p, touch) ? STOW_COPIES_DONE : look_at(p, touch);
    if (reason != STOW_COPIES_DONE)
      return reason;
  }
  STOW_SORT(p->fills, by_place);
  if (!fills_come_first(p))
    return STOW_COPIES_BETWEEN;
  return outlives(p) ? STOW_COPIES_DONE : STOW_COPIES_LIVES_ON;
}

//===----------------------------------------------------------------------===//
// What must move, and what must hold
//===----------------------------------------------------------------------===//

static bool plan_moves(placing *p) {
  p->lift = (stow_copies_lift){.block = p->block, .to = p->first, .without = p->source};
  p->blame = p->first;
  bool ok = stow_copies_lift_value(&p->lift, p->part);
  for (size_t i = 0; i < p->fills.count && ok; ++i) {
    p->blame = p->fills.at[i].op;
    ok = stow_copies_lift_op(&p->lift, p->fills.at[i].op);
  }
  return ok;
}

// Bytes that views of bytes between the target and the part skip, or -1 where that is not known.
static int64_t skipped(const placing *p) {
  int64_t sum = 0, shift;
  for (MlirValue view = p->part; !mlirValueEqual(view, p->target);) {
    MlirOperation op = mlirOpResultGetOwner(view);
    if (stow_ir_is(op, STOW_MEMREF_VIEW)) {
      if (!stow_ir_constant_of(mlirOperationGetOperand(op, 1), &shift) || shift < 0 ||
          shift > INT64_MAX / 4 - sum)
        return -1;
      sum += shift;
    }
    view = mlirOperationGetOperand(op, 0);
  }
  return sum;
}

// Bytes from the beginning of the target to the part, or -1 where that is not known.
static int64_t distance(const placing *p) {
  MlirType type = mlirValueGetType(p->part);
  const stow_layout layout = stow_layout_at(p->link);
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t *strides = stow_ir_allocate((size_t)rank, sizeof *strides), offset;
  if (mlirLogicalResultIsFailure(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    offset = mlirShapedTypeGetDynamicStrideOrOffset();
  free(strides);
  uint64_t cell, alignment;
  if (offset == mlirShapedTypeGetDynamicStrideOrOffset() || offset < 0 ||
      stow_ir_element_size(&layout, type, &cell, &alignment) != STOW_SIZE_OK ||
      (cell > 0 && (uint64_t)offset > (UINT64_C(1) << 62) / cell) || skipped(p) < 0)
    return -1;
  return skipped(p) + offset * (int64_t)cell;
}

// Ops rely on the alignment of the elements, which a view of bytes may not have; some on more.
static uint64_t relied_on(placing *p) {
  const stow_layout layout = stow_layout_at(p->link);
  p->blame = p->link;
  const uint64_t most =
      skipped(p) == 0 ? 0 : stow_ir_natural_alignment(&layout, mlirValueGetType(p->source));
  return stow_ir_larger(most, stow_copies_promised_alignment(&p->of_source, &p->blame));
}

// An argument is aligned as its type is.
static bool argument_keeps_alignment(placing *p) {
  const stow_layout layout = stow_layout_at(p->link);
  const uint64_t needed = relied_on(p);
  const int64_t at = distance(p);
  if (!stow_copies_keeps_elements(&p->of_source, &p->blame))
    return false;
  return needed == 0 ||
         (needed <= stow_ir_natural_alignment(&layout, mlirValueGetType(p->target)) && at >= 0 &&
          (uint64_t)at % needed == 0);
}

// What is at the target's own address is aligned as both allocs ask for. Elsewhere, what the
// source's alloc asks for matters to an op only that says so.
static bool keeps_alignment(placing *p) {
  const uint64_t needed = relied_on(p),
                 own = stow_ir_alignment_attribute(mlirOpResultGetOwner(p->source));
  const int64_t at = distance(p);
  if (at == 0 || (needed > 0 && at > 0 && (uint64_t)at % needed == 0))
    p->alignment = stow_ir_larger(at == 0 ? own : 0, needed);
  return at == 0 || needed == 0 || (at > 0 && (uint64_t)at % needed == 0);
}

static bool have_one_shape(MlirType a, MlirType b) {
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(a);
  bool same = rank == mlirShapedTypeGetRank(b);
  for (intptr_t i = 0; i < rank && same; ++i)
    same = mlirShapedTypeGetDimSize(a, i) == mlirShapedTypeGetDimSize(b, i);
  return same;
}

// Whether no two indices of the part, or of a buffer, name one cell.
static bool has_own_cells(const placing *p) {
  for (MlirValue view = p->part; !mlirValueEqual(view, p->target);) {
    if (stow_ir_is_result_of(view, STOW_MEMREF_REINTERPRET_CAST) &&
        !stow_layout_keeps_apart(mlirValueGetType(view)))
      return false;
    view = mlirOperationGetOperand(mlirOpResultGetOwner(view), 0);
  }
  return stow_layout_keeps_apart(mlirValueGetType(p->target)) &&
         stow_layout_keeps_apart(mlirValueGetType(p->source));
}

static stow_copies_reason check(placing *p) {
  MlirType source = mlirValueGetType(p->source), part = mlirValueGetType(p->part);
  if (!mlirAttributeEqual(stow_ir_memory_space(source), stow_ir_memory_space(part)))
    return STOW_COPIES_SPACE;
  p->blame = p->link;
  if (!mlirTypeIsAMemRef(part) || !have_one_shape(source, part))
    return STOW_COPIES_LAYOUT;
  if (!has_own_cells(p))
    return STOW_COPIES_CELLS;
  stow_copies_reason reason = read_source(p);
  if (reason == STOW_COPIES_DONE)
    reason = read_target(p);
  if (reason != STOW_COPIES_DONE)
    return reason;
  if (!plan_moves(p))
    return STOW_COPIES_LATE;
  if (!(mlirValueIsABlockArgument(p->target) ? argument_keeps_alignment(p) : keeps_alignment(p)))
    return STOW_COPIES_ALIGNMENT;
  return stow_copies_types_of(&p->of_source, part, &p->types, &p->blame) ? STOW_COPIES_DONE
                                                                         : STOW_COPIES_LAYOUT;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

static void raise_alignment(MlirOperation alloc, uint64_t bytes) {
  if (bytes > stow_ir_alignment_attribute(alloc))
    stow_ir_set_alignment(alloc, bytes);
}

// The link reads the source by the map of what it sets.
static void read_in_place(placing *p) {
  const MlirAffineMap map = stow_bridge_loop_map(p->link, p->to);
  for (size_t i = 0; i < p->of_source.touches.count; ++i)
    if (mlirOperationEqual(p->of_source.touches.at[i].op, p->link)) {
      MlirOperation now =
          stow_bridge_read_at(p->link, p->of_source.touches.at[i].operand, p->source, map);
      for (size_t k = i + 1; k < p->of_source.touches.count; ++k)
        if (mlirOperationEqual(p->of_source.touches.at[k].op, p->link))
          p->of_source.touches.at[k].op = now;
      stow_copies_replaced(p->trial, p->link = now);
    }
}

static void rewrite(placing *p) {
  MlirOperation alloc = mlirOpResultGetOwner(p->source);
  stow_copies_lift_all(&p->lift);
  if (p->alignment > 0)
    raise_alignment(mlirOpResultGetOwner(p->target), p->alignment);
  for (size_t i = 0; i < p->of_source.deallocs.count; ++i)
    mlirOperationDestroy(p->of_source.deallocs.at[i]);
  if (p->copies)
    stow_copies_destroy(p->trial, p->link);
  else
    read_in_place(p);
  mlirValueReplaceAllUsesOfWith(p->source, p->part);
  stow_copies_set_types(&p->of_source, &p->types);
  mlirOperationDestroy(alloc);
}

// A target that leaves the function is in no arena. The arena lives beside it at the link at the
// latest; what else is allocated at run time may not. An aligned allocation takes its alignment
// more.
static uint64_t early_bytes(const placing *p) {
  if (!mlirValueIsAOpResult(p->target))
    return 0;
  const bool moves = stow_map_get(&p->lift.seen, mlirOpResultGetOwner(p->target).ptr) >= 0;
  return p->trial->has_others && moves && !mlirOperationIsNull(p->of_target.opaque)
             ? stow_ir_made_bytes(p->target) +
                   stow_ir_alignment_attribute(mlirOpResultGetOwner(p->target))
             : 0;
}

static void tell(placing *p) {
  const char *how = p->copies ? "were copied into" : "are the operand for";
  const unsigned long long bytes = stow_ir_made_bytes(p->source);
  char *text = bytes > 0
                   ? stow_ir_format("%llu bytes are part of the buffer that they %s", bytes, how)
                   : stow_ir_format("its bytes are part of the buffer that they %s", how);
  stow_copies_tell_done(p->trial, p->link, p->copies ? "placed" : "in-place", text);
  free(text);
}

static void forget(placing *p) {
  stow_copies_uses_free(&p->of_source);
  stow_copies_uses_free(&p->of_target);
  stow_copies_lift_free(&p->lift);
  free(p->types.at);
  free(p->fills.at);
}

// Why not both buffers are such that one can be in the place of the other.
static stow_copies_reason no_alloc(placing *p) {
  p->blame = stow_copies_unpromised(p->trial, p->link);
  if (!mlirOperationIsNull(p->blame))
    return STOW_COPIES_UNPROMISED;
  MlirRegion body = mlirOperationGetRegion(p->trial->function, 0);
  if (!stow_ir_is_plainly_made(p->source) || !mlirValueIsABlockArgument(p->target) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(p->target), mlirRegionGetFirstBlock(body)))
    return STOW_COPIES_NO_ALLOC;
  if (!p->trial->lends)
    return p->trial->noalias ? STOW_COPIES_NOT_LENT_ALONE : STOW_COPIES_NOT_LENT;
  return p->trial->noalias ? STOW_COPIES_NO_ALLOC : STOW_COPIES_MAY_OVERLAP;
}

static stow_copies_reason place(placing *p) {
  if (p->trial->effort <= 0)
    return STOW_COPIES_EFFORT;
  p->source = mlirOperationGetOperand(p->link, p->from);
  p->part = mlirOperationGetOperand(p->link, p->to);
  p->target = stow_ir_root_of(p->part);
  if (!stow_ir_is_plainly_made(p->source) ||
      !(p->carried || stow_ir_is_plainly_made(p->target) ||
        stow_copies_is_lender(p->trial, p->target)) ||
      mlirValueEqual(p->source, p->target))
    return no_alloc(p);
  p->block = mlirOperationGetBlock(mlirOpResultGetOwner(p->source));
  if (!mlirBlockEqual(p->block, mlirOperationGetBlock(p->link)))
    return STOW_COPIES_ELSEWHERE;
  const stow_copies_reason reason = check(p);
  if (reason == STOW_COPIES_DONE) {
    const bool lasts = mlirValueIsAOpResult(p->target) &&
                       stow_ir_made_bytes(p->target) > stow_ir_made_bytes(p->source);
    stow_copies_note(p->trial, p->link, lasts ? STOW_COPIES_DOUBTFUL : STOW_COPIES_FREE);
    p->trial->early += early_bytes(p);
    tell(p);
    rewrite(p);
  }
  forget(p);
  return reason;
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

static bool try_link(stow_copies_trial *trial, MlirOperation op, intptr_t from, intptr_t to,
                     bool copies) {
  placing p = {.trial = trial, .link = op, .from = from, .to = to, .copies = copies};
  const stow_copies_reason reason = place(&p);
  if (reason != STOW_COPIES_DONE && copies)
    stow_copies_tell_left(trial, op, reason, p.blame);
  return reason == STOW_COPIES_DONE;
}

static void try_cellwise(stow_copies_trial *trial, MlirOperation op, bool in_place) {
  const intptr_t copied = stow_bridge_moved_operand(op), count = mlirOperationGetNumOperands(op);
  if (!is_parallel(op))
    return;
  for (intptr_t to = 0; to < count; ++to)
    for (intptr_t from = 0; from < count && stow_bridge_is_overwritten_output(op, to); ++from)
      if (is_cellwise(op, from, to) && (in_place || copied == from) &&
          try_link(trial, op, from, to, copied == from))
        return;
}

bool stow_copies_place_carried(stow_copies_trial *trial, MlirOperation copy, MlirOperation by) {
  placing p = {.trial = trial, .link = copy, .to = 1, .copies = true, .carried = true};
  const size_t told = trial->if_undone.count;
  stow_copies_tell_undone(trial, mlirOpResultGetOwner(mlirOperationGetOperand(copy, 0)), by);
  if (place(&p) == STOW_COPIES_DONE)
    return true;
  while (trial->if_undone.count > told)
    stow_reduce_remark_drop(&trial->if_undone.at[--trial->if_undone.count]);
  return false;
}

// A copy of memory to itself.
static void drop(stow_copies_trial *trial, MlirOperation copy) {
  stow_copies_tell_done(trial, copy, "placed", "it is copied to where it is");
  stow_copies_note(trial, copy, STOW_COPIES_NOTHING);
  stow_copies_destroy(trial, copy);
}

static void see(stow_copies_trial *trial, MlirOperation op, bool in_place) {
  if (!stow_copies_may(trial, op))
    return;
  if (stow_ir_is(op, STOW_MEMREF_COPY) &&
      mlirValueEqual(mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1))) {
    drop(trial, op);
    return;
  }
  if (stow_ir_is(op, STOW_MEMREF_COPY))
    try_link(trial, op, 0, 1, true);
  else
    try_cellwise(trial, op, in_place);
}

void stow_copies_place(stow_copies_trial *trial, bool in_place) {
  for (size_t i = 0; i < trial->link_count; ++i)
    if (!mlirOperationIsNull(trial->ops[i]))
      see(trial, trial->ops[i], in_place);
}
