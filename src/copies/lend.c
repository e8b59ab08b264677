//===- lend.c - buffers in the bytes of arguments that are not yet written ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a function overwrites an argument before it reads it, the argument's bytes are unused until
// then. They can hold *guests*: buffers of the same element type that are dead when the argument is
// first touched. The largest guests come first; each gets the lowest cells that no other guest has
// at the same time.
//
//   %guest = memref.reinterpret_cast %argument to offset: [CELL], sizes: [...], strides: [...]
//
// The first touch must be one op of the function's own block, so that it runs whenever the
// function does, and must set all of the argument: its caller never sees what guests left there.
// Nothing else may reach the memory meanwhile, which attributes or options promise.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"

#include "ir/alias.h"
#include "ir/build.h"
#include "ir/size.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

typedef struct guest {
  MlirOperation alloc;
  MlirOperation first, last; // ops of the block that touch it
  int64_t cells, offset;
  size_t number; // in program order
} guest;

typedef struct lending {
  stow_copies_trial *trial;
  MlirOperation link; // the argument's first touch
  MlirValue argument;
  MlirType element;
  int64_t cells;                // of the argument
  uint64_t alignment;           // that it has for certain
  STOW_ARRAY(guest) candidates; // the largest first
  STOW_ARRAY(guest) guests;     // by offset
} lending;

//===----------------------------------------------------------------------===//
// The argument
//===----------------------------------------------------------------------===//

static MlirBlock body_of(const stow_copies_trial *trial) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(trial->function, 0));
}

static bool says(const stow_copies_trial *trial, MlirValue argument, const char *attribute) {
  const intptr_t index = mlirBlockArgumentGetArgNumber(argument);
  return !mlirAttributeIsNull(stow_argument_attribute(trial->function, index, attribute));
}

bool stow_copies_is_lender(const stow_copies_trial *trial, MlirValue value) {
  return trial->lends && mlirTypeIsAMemRef(mlirValueGetType(value)) &&
         stow_ir_is_reached_alone(value, trial->noalias) && !says(trial, value, "llvm.writeonly") &&
         !says(trial, value, "llvm.readnone");
}

// Whether the link is the op that touches the argument first, and by one operand.
static bool touches_first(lending *l, const stow_copies_uses *uses, intptr_t operand) {
  STOW_EACH(const stow_copies_touch, touch, uses->touches) {
    MlirOperation at = stow_ir_op_in_block(body_of(l->trial), touch->op);
    const bool own = mlirOperationEqual(touch->op, l->link) && touch->operand == operand;
    const bool later = !mlirOperationEqual(at, l->link) &&
                       (mlirOperationIsNull(at) || mlirOperationIsBeforeInBlock(l->link, at));
    if (!own && !later)
      return false;
  }
  return true;
}

static bool is_overwritten_first(lending *l, intptr_t operand) {
  stow_copies_uses uses;
  stow_copies_uses_of(l->argument, &uses);
  const bool first = stow_copies_afford(l->trial, &uses) && touches_first(l, &uses, operand);
  stow_copies_uses_free(&uses);
  return first;
}

// Cells of a memref of static shape and identity layout, or 0 for any other.
static int64_t cells_of(MlirType type) {
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type) || !stow_ir_can_alloc(type))
    return 0;
  const int64_t limit = INT64_C(1) << 40;
  int64_t cells = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d) {
    const int64_t size = mlirShapedTypeGetDimSize(type, d);
    if (size == 0 || size > limit / cells)
      return 0;
    cells *= size;
  }
  return cells;
}

//===----------------------------------------------------------------------===//
// Guests
//===----------------------------------------------------------------------===//

// The type of what begins at some cell of the argument.
static MlirType type_at(MlirType type, int64_t offset) {
  if (offset == 0)
    return type;
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t *sizes = stow_ir_allocate((size_t)rank, sizeof *sizes),
          *strides = stow_ir_allocate((size_t)rank, sizeof *strides), none;
  for (intptr_t d = 0; d < rank; ++d)
    sizes[d] = mlirShapedTypeGetDimSize(type, d);
  mlirMemRefTypeGetStridesAndOffset(type, strides, &none);
  const MlirAttribute layout =
      mlirStridedLayoutAttrGet(mlirTypeGetContext(type), offset, rank, strides);
  const MlirType made = mlirMemRefTypeGet(mlirShapedTypeGetElementType(type), rank, sizes, layout,
                                          stow_ir_memory_space(type));
  free(sizes);
  free(strides);
  return made;
}

// Where the guest's life begins and ends. False where it is not over at the link.
static bool find_life(const lending *l, const stow_copies_uses *uses, guest *g) {
  g->first = g->last = (MlirOperation){NULL};
  for (size_t i = 0; i < uses->touches.count; ++i) {
    MlirOperation at = stow_ir_op_in_block(body_of(l->trial), uses->touches.at[i].op);
    if (mlirOperationIsNull(at) || !mlirOperationIsBeforeInBlock(at, l->link))
      return false;
    if (mlirOperationIsNull(g->first) || mlirOperationIsBeforeInBlock(at, g->first))
      g->first = at;
    if (mlirOperationIsNull(g->last) || mlirOperationIsBeforeInBlock(g->last, at))
      g->last = at;
  }
  return uses->touches.count > 0;
}

// Whether all ops that use it take it at a cell other than the first.
static bool may_be_shifted(const stow_copies_uses *uses) {
  stow_copies_types types;
  MlirOperation blame;
  const MlirType shifted = type_at(mlirValueGetType(uses->value), 1);
  const bool ok = stow_copies_types_of(uses, shifted, &types, &blame);
  free(types.at);
  return ok;
}

static bool may_be_guest(lending *l, guest *g) {
  const MlirValue buffer = mlirOperationGetResult(g->alloc, 0);
  const MlirType type = mlirValueGetType(buffer);
  g->cells = cells_of(type);
  if (g->cells == 0 || g->cells > l->cells ||
      !mlirTypeEqual(mlirShapedTypeGetElementType(type), l->element) ||
      !mlirAttributeEqual(stow_ir_memory_space(type),
                          stow_ir_memory_space(mlirValueGetType(l->argument))))
    return false;
  stow_copies_uses uses;
  MlirOperation blame;
  stow_copies_uses_of(buffer, &uses);
  const bool may = stow_copies_afford(l->trial, &uses) && mlirOperationIsNull(uses.opaque) &&
                   find_life(l, &uses, g) && stow_copies_keeps_elements(&uses, &blame) &&
                   stow_copies_promised_alignment(&uses, &blame) <= l->alignment &&
                   may_be_shifted(&uses);
  stow_copies_uses_free(&uses);
  return may;
}

static int larger_first(const void *a, const void *b) {
  const guest *x = a, *y = b;
  return stow_ir_then(STOW_COMPARE(y->cells, x->cells), STOW_COMPARE(x->number, y->number));
}

static void find_candidates(lending *l) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body_of(l->trial));
       !mlirOperationEqual(op, l->link) && l->trial->effort > 0;
       op = mlirOperationGetNextInBlock(op)) {
    guest g = {.alloc = op, .number = l->candidates.count};
    if (stow_ir_is_plain_alloc(op) && may_be_guest(l, &g))
      STOW_PUSH(l->candidates, g);
  }
  STOW_SORT(l->candidates, larger_first);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static bool live_together(const guest *a, const guest *b) {
  return !mlirOperationIsBeforeInBlock(a->last, b->first) &&
         !mlirOperationIsBeforeInBlock(b->last, a->first);
}

// Puts the candidate at the lowest cells that are free during its life, if there are some.
static void find_place(lending *l, guest *g) {
  g->offset = 0;
  size_t at = 0;
  STOW_EACH(const guest, other, l->guests) {
    if (!live_together(g, other))
      continue;
    if (other->offset >= g->offset + g->cells)
      break;
    g->offset = other->offset + other->cells > g->offset ? other->offset + other->cells : g->offset;
  }
  if (g->offset > l->cells - g->cells)
    return;
  while (at < l->guests.count && l->guests.at[at].offset <= g->offset)
    ++at;
  STOW_PUSH(l->guests, *g);
  for (size_t i = l->guests.count - 1; i > at; --i)
    l->guests.at[i] = l->guests.at[i - 1];
  l->guests.at[at] = *g;
}

static void assert_disjoint(const lending *l) {
  for (size_t i = 0; i < l->guests.count; ++i)
    for (size_t j = 0; j < i; ++j)
      assert(!live_together(&l->guests.at[i], &l->guests.at[j]) ||
             l->guests.at[j].offset + l->guests.at[j].cells <= l->guests.at[i].offset);
  (void)l;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

static void move_in(const lending *l, const guest *g) {
  const MlirValue buffer = mlirOperationGetResult(g->alloc, 0);
  const MlirType type = type_at(mlirValueGetType(buffer), g->offset);
  const stow_builder builder = stow_builder_before(g->alloc, mlirOperationGetLocation(g->alloc));
  stow_copies_uses uses;
  stow_copies_types types;
  MlirOperation blame;
  stow_copies_uses_of(buffer, &uses);
  const bool fits = stow_copies_types_of(&uses, type, &types, &blame);
  assert(fits);
  (void)fits;
  mlirValueReplaceAllUsesOfWith(buffer, stow_ir_build_part(&builder, &l->argument, 1, type));
  stow_copies_set_types(&uses, &types);
  for (size_t i = 0; i < uses.deallocs.count; ++i)
    mlirOperationDestroy(uses.deallocs.at[i]);
  mlirOperationDestroy(g->alloc);
  free(types.at);
  stow_copies_uses_free(&uses);
}

static void tell(const lending *l) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < l->guests.count; ++i)
    bytes += stow_ir_made_bytes(mlirOperationGetResult(l->guests.at[i].alloc, 0));
  char *text =
      stow_ir_format("%llu bytes of %zu buffer%s are in the argument that it overwrites",
                     (unsigned long long)bytes, l->guests.count, l->guests.count == 1 ? "" : "s");
  stow_copies_tell_done(l->trial, l->link, "lent", text);
  free(text);
}

static void take_guests(lending *l) {
  find_candidates(l);
  for (size_t i = 0; i < l->candidates.count; ++i)
    find_place(l, &l->candidates.at[i]);
  assert_disjoint(l);
  if (l->guests.count > 0) {
    stow_copies_note(l->trial, l->link, STOW_COPIES_FREE);
    tell(l);
  }
  for (size_t i = 0; i < l->guests.count; ++i)
    move_in(l, &l->guests.at[i]);
  free(l->candidates.at);
  free(l->guests.at);
}

static void see(stow_copies_trial *trial, MlirOperation link, intptr_t operand) {
  lending l = {.trial = trial, .link = link, .argument = mlirOperationGetOperand(link, operand)};
  if (!stow_copies_is_lender(trial, l.argument))
    return;
  const MlirType type = mlirValueGetType(l.argument);
  const stow_layout layout = stow_layout_at(link);
  l.cells = cells_of(type);
  l.element = mlirShapedTypeGetElementType(type);
  l.alignment = stow_ir_natural_alignment(&layout, type);
  if (l.cells == 0 || !stow_ir_overwrites(link, l.argument))
    return;
  if (trial->effort > 0 && is_overwritten_first(&l, operand))
    take_guests(&l);
  if (trial->effort <= 0)
    stow_copies_tell_left(trial, link, STOW_COPIES_EFFORT, (MlirOperation){NULL});
}

void stow_copies_lend(stow_copies_trial *trial) {
  for (size_t i = 0; i < trial->link_count && trial->lends; ++i) {
    MlirOperation op = trial->ops[i];
    if (mlirOperationIsNull(op) || !stow_copies_may(trial, op) ||
        !mlirBlockEqual(mlirOperationGetBlock(op), body_of(trial)))
      continue;
    for (intptr_t operand = 0; operand < mlirOperationGetNumOperands(op); ++operand)
      see(trial, op, operand);
  }
}
