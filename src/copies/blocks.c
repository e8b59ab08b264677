//===- blocks.c - buffers that loops of blocks carry ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an iteration allocates for the next one is made in memory that the loop carries and nobody
// needs any more, as carried.c does it for loops of scf:
//
//   ^head(%a):                            ^head(%a):
//     ...                                   ...
//     %n = memref.alloc()            =>     ... of %a, into %a
//     ... of %a, into %n                    cf.br ^head(%a)
//     cf.br ^head(%n)
//
// All names of the memory are followed: allocations, and arguments of blocks (phis) to which edges
// pass it. An edge passes each memory to one argument, and the name before is dead behind it. So
// all names that are live at one time are of different memory, and what has no live name may be
// overwritten.
//
// Requires no deallocs. Needs no memory more; what that would take is left to loops of scf.
//
//===----------------------------------------------------------------------===//

#include "copies/copies.h"
#include "ir/build.h"
#include "ir/size.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

// A buffer that an edge passes to an argument of a block.
typedef struct pass {
  MlirOperation end;
  intptr_t successor, operand; // operand: -1, the branch makes it
  MlirBlock to;
  MlirValue target;
} pass;

typedef struct blocks {
  stow_copies_trial *trial;
  MlirRegion region;
  STOW_ARRAY(MlirBlock) list; // those that the first one reaches
  stow_map index;             // of the list
  STOW_ARRAY(pass) passes;
  bool known; // all terminators with successors tell what they give
  stow_dominance *dominance;
} blocks;

static void add_passes(void *user, const stow_control_edge *edge) {
  blocks *b = user;
  for (size_t i = 0; i < edge->count; ++i)
    if (stow_ir_is_buffer(mlirValueGetType(edge->passes[i].target)))
      STOW_PUSH(b->passes, ((pass){edge->end, edge->successor, edge->passes[i].operand, edge->block,
                                   edge->passes[i].target}));
}

static void add_block(blocks *b, MlirBlock block) {
  if (stow_map_get(&b->index, block.ptr) >= 0)
    return;
  stow_map_add(&b->index, block.ptr, (int32_t)b->list.count);
  STOW_PUSH(b->list, block);
}

static void read_block(blocks *b, MlirBlock block) {
  const MlirOperation end = mlirBlockGetTerminator(block);
  if (mlirOperationIsNull(end)) {
    b->known = false;
    return;
  }
  for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end); ++s)
    add_block(b, mlirOperationGetSuccessor(end, s));
  if (stow_op_facts(end) & STOW_OP_BRANCH)
    stow_bridge_branch_edges(end, add_passes, b);
  else if (mlirOperationGetNumSuccessors(end) > 0)
    b->known = false;
}

static blocks read_blocks(stow_copies_trial *trial, MlirRegion region) {
  blocks b = {.trial = trial, .region = region, .known = true};
  add_block(&b, mlirRegionGetFirstBlock(region));
  for (size_t i = 0; i < b.list.count; ++i)
    read_block(&b, b.list.at[i]);
  b.dominance = stow_dominance_create(trial->function);
  return b;
}

static void forget_blocks(blocks *b) {
  if (b->dominance)
    stow_dominance_destroy(b->dominance);
  stow_map_free(&b->index);
  free(b->list.at);
  free(b->passes.at);
}

// What is passed; null: the branch makes it.
static MlirValue given(const pass *p) {
  return p->operand < 0 ? (MlirValue){NULL} : mlirOperationGetOperand(p->end, p->operand);
}

// The block of the region that an op is in, or an op around it.
static MlirBlock block_around(const blocks *b, MlirOperation op) {
  while (!mlirRegionEqual(mlirBlockGetParentRegion(mlirOperationGetBlock(op)), b->region))
    op = mlirOperationGetParentOperation(op);
  return mlirOperationGetBlock(op);
}

// Per block, whether it uses the value or a view of it.
static bool *users_of(const blocks *b, MlirValue value) {
  bool *uses = stow_ir_allocate(b->list.count, sizeof *uses);
  STOW_EACH_USE(use, value) {
    const int32_t block = stow_map_get(&b->index, block_around(b, mlirOpOperandGetOwner(use)).ptr);
    if (block >= 0)
      uses[block] = true;
  }
  return uses;
}

// Whether the value is used from the beginning of a block on, before it is made again. Views are
// used in the block that makes them.
static bool is_live_into(const blocks *b, MlirValue value, MlirBlock block) {
  bool *uses = users_of(b, value), *seen = stow_ir_allocate(b->list.count, sizeof *seen);
  STOW_ARRAY(MlirBlock) open = {0};
  bool live = false;
  STOW_PUSH(open, block);
  while (open.count > 0 && !live) {
    const MlirBlock at = open.at[--open.count];
    const int32_t number = stow_map_get(&b->index, at.ptr);
    if (seen[number] || mlirBlockEqual(at, stow_block_of(value)))
      continue;
    seen[number] = true;
    live = uses[number];
    const MlirOperation end = mlirBlockGetTerminator(at);
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end); ++s)
      STOW_PUSH(open, mlirOperationGetSuccessor(end, s));
  }
  b->trial->effort -= (int64_t)b->list.count;
  free(open.at);
  free(seen);
  free(uses);
  return live;
}

//===----------------------------------------------------------------------===//
// Who has the memory
//===----------------------------------------------------------------------===//

// All names of memory that may come to one argument.
typedef struct following {
  const blocks *in;
  stow_values values;
  stow_copies_refusal refusal; // why it is not the blocks' alone
} following;

static bool can_be_followed(const following *f, MlirValue value) {
  const MlirType type = mlirValueGetType(value);
  return mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type) && stow_ir_can_alloc(type) &&
         mlirAttributeIsNull(stow_ir_memory_space(type)) &&
         mlirTypeEqual(type, mlirValueGetType(f->values.at[0])) &&
         mlirRegionEqual(mlirBlockGetParentRegion(stow_block_of(value)), f->in->region);
}

static void see_value(following *f, MlirValue value, MlirOperation blame) {
  if (mlirValueIsNull(value)) {
    stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_KEPT, blame);
    return;
  }
  stow_values_add(&f->values, value);
  if (!can_be_followed(f, value))
    stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_TYPE, blame);
}

static void see_origin(following *f, MlirValue value) {
  const MlirBlock block = stow_block_of(value);
  if (mlirValueIsAOpResult(value) && !stow_ir_is_plainly_made(value))
    stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_SHARED, mlirOpResultGetOwner(value));
  if (mlirValueIsABlockArgument(value) && mlirBlockEqual(block, f->in->list.at[0]))
    stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_SHARED, mlirBlockGetParentOperation(block));
  STOW_EACH(const pass, p, f->in->passes)
    if (mlirValueEqual(p->target, value))
      see_value(f, given(p), p->end);
}

static bool is_pass(const following *f, const stow_copies_touch *touch) {
  STOW_EACH(const pass, p, f->in->passes)
    if (mlirOperationEqual(p->end, touch->op) && p->operand == touch->operand)
      return true;
  return false;
}

// A program may do what it likes with what it is left with when no block follows.
static bool is_last(MlirBlock block) {
  return mlirOperationGetNumSuccessors(mlirBlockGetTerminator(block)) == 0;
}

// What a block does with the value, and with the views of it that it makes.
static void see_uses_in(following *f, MlirValue value, MlirBlock block) {
  stow_copies_uses uses;
  stow_copies_uses_in(value, block, &uses);
  if (!stow_copies_afford(f->in->trial, &uses))
    stow_copies_refuse(&f->refusal, STOW_COPIES_EFFORT, mlirBlockGetParentOperation(block));
  for (size_t i = 0; i < uses.deallocs.count; ++i)
    stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_FREED, uses.deallocs.at[i]);
  STOW_EACH(const stow_copies_touch, touch, uses.touches) {
    const bool own = mlirValueEqual(touch->view, value);
    if (mlirOperationIsNull(stow_ir_op_in_block(block, touch->op))
            ? !own
            : touch->opaque && !is_last(block) && !(own && is_pass(f, touch)))
      stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_KEPT, touch->op);
  }
  stow_copies_uses_free(&uses);
}

// Each edge passes the value once, and the value is dead behind it.
static void see_passes_of(following *f, MlirValue value) {
  STOW_EACH(const pass, p, f->in->passes) {
    if (!mlirValueEqual(given(p), value))
      continue;
    see_value(f, p->target, p->end);
    STOW_EACH(const pass, other, f->in->passes)
      if (other != p && mlirOperationEqual(other->end, p->end) &&
          other->successor == p->successor && mlirValueEqual(given(other), value))
        stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_KEPT, p->end);
    if (is_live_into(f->in, value, p->to))
      stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_KEPT, p->end);
  }
}

static void see_all_of(following *f, MlirValue value) {
  bool *uses = users_of(f->in, value);
  see_origin(f, value);
  see_passes_of(f, value);
  for (size_t i = 0; i < f->in->list.count && f->refusal.reason == STOW_COPIES_DONE; ++i)
    if (uses[i])
      see_uses_in(f, value, f->in->list.at[i]);
  f->in->trial->effort -= (int64_t)f->in->passes.count;
  free(uses);
}

// Follows the memory that an allocation is. Freed with forget().
static following follow(const blocks *b, MlirValue made) {
  following f = {.in = b};
  stow_values_add(&f.values, made);
  const MlirOperation alloc = mlirOpResultGetOwner(made);
  if (!can_be_followed(&f, made))
    stow_copies_refuse(&f.refusal, STOW_COPIES_CARRIED_TYPE, alloc);
  if (!b->known)
    stow_copies_refuse(&f.refusal, STOW_COPIES_CARRIED_KEPT,
                       mlirBlockGetTerminator(stow_block_of(made)));
  for (size_t i = 0; i < f.values.count && f.refusal.reason == STOW_COPIES_DONE; ++i)
    see_all_of(&f, f.values.at[i]);
  if (b->trial->effort < 0)
    stow_copies_refuse(&f.refusal, STOW_COPIES_EFFORT, alloc);
  return f;
}

static void forget(following *f) { stow_values_free(&f->values); }

//===----------------------------------------------------------------------===//
// Updates in place
//===----------------------------------------------------------------------===//

static MlirOperation end_of(MlirValue made) { return mlirBlockGetTerminator(stow_block_of(made)); }

// Whether the value is dead behind the branch, and no edge of it passes the value.
static bool is_dead_at(const blocks *b, MlirValue value, MlirOperation end) {
  bool dead = true;
  STOW_EACH(const pass, p, b->passes)
    dead &= !mlirOperationEqual(p->end, end) || !mlirValueEqual(given(p), value);
  for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end) && dead; ++s)
    dead = !is_live_into(b, value, mlirOperationGetSuccessor(end, s));
  return dead;
}

// Whether the value is dead behind each edge that passes it.
static bool is_dead_behind_edges(const blocks *b, MlirValue value) {
  bool last = true;
  STOW_EACH(const pass, p, b->passes)
    last = last && (!mlirValueEqual(given(p), value) || !is_live_into(b, value, p->to));
  return last;
}

static void give(MlirOperation end, MlirValue from, MlirValue to) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(end, i), from))
      mlirOperationSetOperand(end, i, to);
}

// Whether an allocation can be made in `old`, which is dead where the block ends.
static bool update(const blocks *b, MlirValue made, MlirValue old) {
  const MlirOperation end = end_of(made);
  if (!mlirValueIsABlockArgument(old) || !stow_bridge_dominates(b->dominance, old, end) ||
      !is_dead_at(b, old, end))
    return false;
  const stow_builder builder =
      stow_builder_before(end, mlirOperationGetLocation(mlirOpResultGetOwner(made)));
  const MlirOperation copy = stow_ir_build_plain(&builder, STOW_MEMREF_COPY,
                                                 (MlirValue[]){made, old}, 2, (MlirType){NULL});
  give(end, made, old);
  if (is_dead_behind_edges(b, old) && stow_copies_place_carried(b->trial, copy, end))
    return true;
  mlirOperationDestroy(copy);
  give(end, old, made);
  return false;
}

// How an allocation comes into the next iteration, or null.
static const pass *carrying(const blocks *b, MlirValue made) {
  STOW_EACH(const pass, p, b->passes)
    if (mlirValueEqual(given(p), made) && stow_bridge_dominates(b->dominance, p->target, p->end))
      return p;
  return NULL;
}

// In its own old memory, or in another one's that the loop does not need any more.
static stow_copies_reason update_one(const blocks *b, MlirValue made, const pass *by,
                                     MlirOperation *out_blame) {
  following f = follow(b, made);
  const bool may =
      f.refusal.reason == STOW_COPIES_DONE && mlirOperationEqual(by->end, end_of(made));
  bool done = may && update(b, made, by->target);
  for (size_t i = 1; i < f.values.count && may && !done; ++i)
    done = !mlirValueEqual(f.values.at[i], by->target) && update(b, made, f.values.at[i]);
  if (!done)
    stow_copies_refuse(&f.refusal, STOW_COPIES_CARRIED_BLOCKS, by->end);
  *out_blame = f.refusal.blame;
  forget(&f);
  return f.refusal.reason;
}

bool stow_copies_is_given_by_branch(MlirOperation op) {
  if (!stow_ir_is_plain_alloc(op))
    return false;
  STOW_EACH_USE(use, mlirOperationGetResult(op, 0))
    if (mlirOperationGetNumSuccessors(mlirOpOperandGetOwner(use)) > 0)
      return true;
  return false;
}

void stow_copies_update_in_blocks(stow_copies_trial *trial) {
  blocks b = {0};
  STOW_EACH_FOUND(alloc, stow_ir_ops_in(trial->function, stow_copies_is_given_by_branch)) {
    const MlirValue made = mlirOperationGetResult(alloc, 0);
    const MlirRegion region = mlirBlockGetParentRegion(stow_block_of(made));
    if (!b.dominance || !mlirRegionEqual(region, b.region)) {
      forget_blocks(&b);
      b = read_blocks(trial, region);
    }
    const pass *by = carrying(&b, made);
    if (!by)
      continue;
    MlirOperation blame;
    const stow_copies_reason reason = update_one(&b, made, by, &blame);
    if (reason != STOW_COPIES_DONE)
      stow_copies_tell_left(trial, alloc, reason, blame);
  }
  forget_blocks(&b);
}
