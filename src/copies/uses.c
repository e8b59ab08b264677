//===- uses.c - who does what with a buffer -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"

#include "bridge/linalg.h"
#include "ir/flow_tables.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

enum { MAX_RANK = 16 };

MlirOperation stow_copies_within(MlirBlock block, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static bool is_view(MlirValue value) {
  return mlirValueIsAOpResult(value) && (stow_op_traits(mlirOpResultGetOwner(value)) & STOW_VIEWS);
}

// In a block that nothing reaches, views may be views of each other.
MlirValue stow_copies_root(MlirValue view) {
  MlirValue seen = view;
  for (size_t steps = 1; is_view(view); ++steps) {
    view = mlirOperationGetOperand(mlirOpResultGetOwner(view), 0);
    if (mlirValueEqual(view, seen))
      return view;
    if ((steps & (steps - 1)) == 0)
      seen = view;
  }
  return view;
}

//===----------------------------------------------------------------------===//
// Ops around
//===----------------------------------------------------------------------===//

// What its regions do is done when the op is.
static bool ends_with_op(MlirOperation op) {
  return mlirValueIsNull(stow_settled_token(op)) &&
         stow_region_manner_of(op, stow_op_facts(op), STOW_UNKNOWN_OPS_ESCAPE).opaque ==
             STOW_PLANNED;
}

bool stow_copies_runs_alone(MlirBlock block, MlirBlock outer) {
  while (!mlirBlockEqual(block, outer)) {
    MlirOperation op = mlirBlockGetParentOperation(block);
    const uint32_t facts = stow_op_facts(op);
    if (!(facts & STOW_OP_REGION_BRANCH) || (facts & (STOW_OP_PARALLEL | STOW_OP_ISOLATED)) ||
        !ends_with_op(op))
      return false;
    block = mlirOperationGetBlock(op);
  }
  return true;
}

// Whether an op is done when the op of the block that has it inside is done.
static bool is_done_in(MlirBlock block, MlirOperation op) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block)) {
    op = mlirOperationGetParentOperation(op);
    if (mlirOperationIsNull(op) || !ends_with_op(op))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

static bool gives_buffer(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (stow_is_buffer(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

// What an op that makes no view does with an operand.
static stow_copies_touch touch_of(MlirOperation op, intptr_t operand, MlirValue view) {
  const uint32_t facts = stow_op_facts(op);
  stow_effects e = stow_effects_of(op);
  const uint8_t own = e.operands[operand];
  const bool plain = (own == STOW_READ || own == STOW_WRITE || own == (STOW_READ | STOW_WRITE)) &&
                     stow_fates_of(op, facts, &e, operand) == 0 && !gives_buffer(op) &&
                     !(facts & (STOW_OP_CALL | STOW_OP_TERMINATOR)) &&
                     !(stow_op_traits(op) & (STOW_MARKS | STOW_CLONES));
  stow_effects_free(&e);
  return (stow_copies_touch){.op = op,
                             .operand = operand,
                             .view = view,
                             .reads = !plain || (own & STOW_READ),
                             .writes = !plain || (own & STOW_WRITE),
                             .opaque = !plain};
}

static void add_touch(stow_copies_uses *uses, MlirBlock block, stow_copies_touch touch) {
  touch.opaque |= !is_done_in(block, touch.op);
  touch.writes |= touch.opaque;
  if (touch.opaque && mlirOperationIsNull(uses->opaque))
    uses->opaque = touch.op;
  STOW_PUSH(uses->touches, touch);
}

// An op that tells the shape of a memref and nothing of what is in it.
static bool asks_shape(MlirOperation op) {
  return (stow_op_traits(op) & STOW_TELLS_SHAPE) && !gives_buffer(op);
}

static void add_use(stow_copies_uses *uses, MlirBlock block, MlirOperation op, intptr_t operand,
                    MlirValue view) {
  const uint32_t traits = stow_op_traits(op);
  const bool frees = (traits & STOW_DEALLOCATES) && mlirValueEqual(view, uses->value) &&
                     mlirBlockEqual(mlirOperationGetBlock(op), block);
  if ((traits & STOW_VIEWS) && operand == 0 && is_done_in(block, op))
    STOW_PUSH(uses->views, op);
  else if (asks_shape(op))
    STOW_PUSH(uses->asks, op);
  else if (frees)
    STOW_PUSH(uses->deallocs, op);
  else
    add_touch(uses, block, touch_of(op, operand, view));
}

static void add_uses(stow_copies_uses *uses, MlirBlock block, MlirValue view) {
  for (MlirOpOperand use = mlirValueGetFirstUse(view); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    add_use(uses, block, mlirOpOperandGetOwner(use), (intptr_t)mlirOpOperandGetOperandNumber(use),
            view);
}

void stow_copies_uses_of(MlirValue value, stow_copies_uses *out) {
  MlirBlock block = mlirOperationGetBlock(mlirOpResultGetOwner(value));
  *out = (stow_copies_uses){.value = value};
  add_uses(out, block, value);
  for (size_t i = 0; i < out->views.count; ++i)
    add_uses(out, block, mlirOperationGetResult(out->views.at[i], 0));
}

void stow_copies_uses_free(stow_copies_uses *uses) {
  free(uses->touches.at);
  free(uses->views.at);
  free(uses->asks.at);
  free(uses->deallocs.at);
  *uses = (stow_copies_uses){0};
}

//===----------------------------------------------------------------------===//
// Parts of a buffer
//===----------------------------------------------------------------------===//

// Along one dimension of the buffer: indices from `low` to `high`.
typedef struct span {
  int64_t low, high;
} span;

// A dimension of a view: which one of the buffer it runs along, and how far apart its indices are;
// 0: that is not known, nor which they are among those of the span.
typedef struct run {
  intptr_t dim;
  int64_t stride;
} run;

typedef struct box {
  intptr_t buffer_rank, rank;
  span spans[MAX_RANK];
  run runs[MAX_RANK];
} box;

static int64_t entry(MlirOperation op, const char *attribute, intptr_t at) {
  return mlirDenseI64ArrayGetElement(stow_attribute_of(op, attribute), at);
}

// Cuts a dimension to `size` of its indices, `step` apart.
static void narrow(box *b, run *r, int64_t offset, int64_t size, int64_t step) {
  const int64_t unknown = mlirShapedTypeGetDynamicSize(), limit = INT64_C(1) << 30;
  if (offset == unknown || size == unknown || step == unknown || offset < 0 || size < 1 ||
      step < 1 || offset > limit || size > limit || step > limit || r->stride > limit / step)
    r->stride = 0;
  if (r->stride == 0)
    return;
  span *s = &b->spans[r->dim];
  s->low += offset * r->stride;
  r->stride *= step;
  s->high = s->low + (size - 1) * r->stride;
}

static void cut(box *b, MlirOperation subview) {
  bool dropped[MAX_RANK];
  intptr_t left = 0;
  stow_subview_drops(subview, dropped);
  for (intptr_t i = 0; i < b->rank; ++i) {
    run r = b->runs[i];
    narrow(b, &r, entry(subview, "static_offsets", i), entry(subview, "static_sizes", i),
           entry(subview, "static_strides", i));
    if (!dropped[i])
      b->runs[left++] = r;
  }
  b->rank = left;
}

static bool begin_box(MlirType type, box *b) {
  if (!mlirTypeIsAMemRef(type) || mlirShapedTypeGetRank(type) > MAX_RANK)
    return false;
  b->buffer_rank = b->rank = (intptr_t)mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < b->rank; ++i) {
    const bool known = !mlirShapedTypeIsDynamicDim(type, i);
    b->spans[i] = (span){0, known ? mlirShapedTypeGetDimSize(type, i) - 1 : INT64_MAX};
    b->runs[i] = (run){i, 1};
  }
  return true;
}

// What the elements of a view are certain to be among. Views of views of another shape are not
// followed: what they name is in what they are made of. Only a reinterpret_cast may name anything
// behind the address that its source's buffer begins at.
static bool box_of(MlirValue view, box *b) {
  MlirOperation chain[MAX_RANK];
  size_t count = 0;
  for (; is_view(view); view = mlirOperationGetOperand(mlirOpResultGetOwner(view), 0)) {
    if (count == MAX_RANK || stow_is(mlirOpResultGetOwner(view), STOW_MEMREF_REINTERPRET_CAST))
      return false;
    chain[count++] = mlirOpResultGetOwner(view);
  }
  if (!begin_box(mlirValueGetType(view), b))
    return false;
  for (; count > 0; --count) {
    const bool subview = stow_is(chain[count - 1], STOW_MEMREF_SUBVIEW);
    if (!subview &&
        !(stow_is(chain[count - 1], STOW_MEMREF_CAST) &&
          mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(chain[count - 1], 0)))))
      break;
    if (subview)
      cut(b, chain[count - 1]);
  }
  return true;
}

bool stow_copies_are_apart(MlirValue a, MlirValue b) {
  box one, other;
  if (!box_of(a, &one) || !box_of(b, &other))
    return false;
  for (intptr_t i = 0; i < one.buffer_rank; ++i) {
    const span x = one.spans[i], y = other.spans[i];
    if (x.high < y.low || y.high < x.low)
      return true;
  }
  return false;
}
