//===- carried.c - buffers that loops carry -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that allocates what the next iteration reads needs no allocation in an iteration:
//
//   scf.for ... iter_args(%a = %x)        the update is made in %a, if nothing reads %a
//     %n = memref.alloc()            =>   afterwards; else the loop carries a spare buffer, in
//     ... of %a, into %n                  which it is made, and %a is the spare of the next
//     scf.yield %n                        iteration
//
// Both require that only the loop uses the memory. So its names are followed, from the allocations
// through all loops that carry it. Each name has at most one *taker*: a loop that takes it as an
// initial value, or a terminator that passes it to the next iteration. After the taker, the name
// has no use. Loops then only permute their buffers: one without taker in an iteration is free.
//
// Requires no deallocs. Memory that a loop gives back as it was is carried no longer afterwards.
//
//===----------------------------------------------------------------------===//

#include "copies/carried.h"

#include "bridge/affine.h"
#include "copies/copies.h"
#include "copies/limits.h"
#include "ir/build.h"
#include "ir/calls.h"
#include "ir/size.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

// A loop has regions that give to each other in a ring: one, or the two of scf.while.
static intptr_t regions_of(MlirOperation op) {
  if (stow_ir_is(op, STOW_SCF_FOR) || stow_ir_is(op, STOW_AFFINE_FOR))
    return 1;
  return stow_ir_is(op, STOW_SCF_WHILE) ? 2 : 0;
}

// Nothing is gained where no iteration is, and a spare buffer would cost its bytes.
static bool never_runs(MlirOperation op) {
  int64_t lower, upper;
  if (stow_ir_is(op, STOW_AFFINE_FOR))
    return stow_bridge_affine_trip_count(op) == 0;
  return stow_ir_is(op, STOW_SCF_FOR) &&
         stow_ir_constant_of(mlirOperationGetOperand(op, 0), &lower) &&
         stow_ir_constant_of(mlirOperationGetOperand(op, 1), &upper) && 0 <= upper &&
         upper <= lower;
}

static bool carries_buffers(MlirOperation op) {
  return regions_of(op) > 0 && stow_ir_gives_buffer(op) && !never_runs(op);
}

static bool is_while(MlirOperation loop) { return regions_of(loop) == 2; }

static MlirBlock body_of(MlirOperation loop, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, region));
}

static MlirOperation end_of(MlirOperation loop, intptr_t region) {
  return mlirBlockGetTerminator(body_of(loop, region));
}

// Where what is carried begins among the loop's operands, a block's arguments, and the operands of
// its terminator.
static intptr_t first_begun(MlirOperation loop) {
  return is_while(loop) ? 0 : mlirOperationGetNumOperands(loop) - mlirOperationGetNumResults(loop);
}

static intptr_t first_taken(MlirOperation loop) { return is_while(loop) ? 0 : 1; }

static intptr_t first_given(MlirOperation loop, intptr_t region) {
  return is_while(loop) && region == 0 ? 1 : 0; // behind the condition
}

// A number of what a loop carries.
typedef struct position {
  MlirOperation loop; // null: none
  intptr_t index;
} position;

static MlirValue begun(position p) {
  return mlirOperationGetOperand(p.loop, first_begun(p.loop) + p.index);
}

static MlirValue taken(position p, intptr_t region) {
  return mlirBlockGetArgument(body_of(p.loop, region), first_taken(p.loop) + p.index);
}

static MlirValue given(position p, intptr_t region) {
  return mlirOperationGetOperand(end_of(p.loop, region), first_given(p.loop, region) + p.index);
}

static void give(position p, intptr_t region, MlirValue value) {
  mlirOperationSetOperand(end_of(p.loop, region), first_given(p.loop, region) + p.index, value);
}

static MlirValue left(position p) { return mlirOperationGetResult(p.loop, p.index); }

static intptr_t begun_count(MlirOperation loop) {
  return mlirOperationGetNumOperands(loop) - first_begun(loop);
}

static intptr_t smaller(intptr_t a, intptr_t b) { return a < b ? a : b; }

// The condition of scf.while may give other values than it takes.
static intptr_t position_count(MlirOperation loop) {
  return smaller(begun_count(loop), mlirOperationGetNumResults(loop));
}

static bool has_type(MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type);
}

static bool has_one_type(position p) {
  const MlirType type = mlirValueGetType(begun(p));
  bool same = p.index < position_count(p.loop) && has_type(left(p), type);
  for (intptr_t region = 0; region < regions_of(p.loop) && same; ++region)
    same = has_type(taken(p, region), type) && has_type(given(p, region), type);
  return same;
}

static bool can_be_followed(position p) {
  const MlirType type = mlirValueGetType(begun(p));
  return mlirTypeIsAMemRef(type) && stow_ir_can_alloc(type) &&
         mlirAttributeIsNull(stow_ir_memory_space(type)) && has_one_type(p);
}

static bool has_static_size(position p) {
  const MlirType type = mlirValueGetType(begun(p));
  return mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type);
}

// The position that takes an operand.
static position taker(MlirOperation op, intptr_t operand) {
  if (regions_of(op) > 0)
    return (position){op, operand - first_begun(op)};
  const MlirOperation loop = mlirOperationGetParentOperation(op);
  for (intptr_t region = 0; !mlirOperationIsNull(loop) && region < regions_of(loop); ++region)
    if (mlirOperationEqual(op, end_of(loop, region)))
      return (position){loop, operand - first_given(loop, region)};
  return (position){{NULL}, 0};
}

static bool takes(MlirOperation op, intptr_t operand) {
  const position p = taker(op, operand);
  return !mlirOperationIsNull(p.loop) && p.index >= 0 && p.index < position_count(p.loop);
}

static bool is_taken(MlirValue value) {
  STOW_EACH_USE(use, value)
    if (takes(mlirOpOperandGetOwner(use), (intptr_t)mlirOpOperandGetOperandNumber(use)))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Who has the memory
//===----------------------------------------------------------------------===//

// What is carried together: all names of memory that may come to one position.
typedef struct following {
  stow_copies_trial *trial;
  stow_values values;
  STOW_ARRAY(stow_copies_touch) leaving; // uses that may keep what loops leave
  stow_copies_refusal refusal;           // why it is not the loops' alone
} following;

// A use other than by its taker. For the initial value of a loop, a copy would remove the conflict.
static void refuse_use(following *f, MlirValue value, MlirOperation blame) {
  bool begins = false;
  STOW_EACH_USE(use, value)
    begins |= regions_of(mlirOpOperandGetOwner(use)) > 0;
  stow_copies_refuse(&f->refusal, begins ? STOW_COPIES_CARRIED_SHARED : STOW_COPIES_CARRIED_KEPT,
                     blame);
}

static void see_position(following *f, position p) {
  if (p.index < 0 || p.index >= position_count(p.loop) || !can_be_followed(p)) {
    stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_TYPE, p.loop);
    return;
  }
  stow_values_add(&f->values, begun(p));
  stow_values_add(&f->values, left(p));
  for (intptr_t region = 0; region < regions_of(p.loop); ++region) {
    stow_values_add(&f->values, taken(p, region));
    stow_values_add(&f->values, given(p, region));
  }
}

static MlirOperation maker_of(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                     : mlirBlockGetParentOperation(stow_block_of(value));
}

// The other names, of the position that the value is of.
static void see_origin(following *f, MlirValue value) {
  const bool argument = mlirValueIsABlockArgument(value);
  const MlirOperation op = maker_of(value);
  if (regions_of(op) > 0 && argument)
    see_position(f, (position){op, mlirBlockArgumentGetArgNumber(value) - first_taken(op)});
  else if (regions_of(op) > 0)
    see_position(f, (position){op, mlirOpResultGetResultNumber(value)});
  else if (!stow_ir_is_plainly_made(value))
    refuse_use(f, value, op);
}

// What a loop leaves and nothing takes: a program may do with it what it likes, if the memory is
// new when the loop runs again.
static bool is_at_end(MlirValue value) {
  return mlirValueIsAOpResult(value) && regions_of(mlirOpResultGetOwner(value)) > 0 &&
         !is_taken(value);
}

// The only op of the value's block that takes it, or null.
static MlirOperation find_taker(following *f, const stow_copies_uses *uses) {
  const MlirBlock block = stow_block_of(uses->value);
  MlirOperation found = {NULL};
  STOW_EACH(const stow_copies_touch, touch, uses->touches) {
    const bool own = mlirValueEqual(touch->view, uses->value) && takes(touch->op, touch->operand) &&
                     mlirBlockEqual(mlirOperationGetBlock(touch->op), block);
    if (own && mlirOperationIsNull(found)) {
      found = touch->op;
      see_position(f, taker(touch->op, touch->operand));
    } else if (touch->opaque && !is_at_end(uses->value)) {
      refuse_use(f, uses->value, touch->op);
    }
  }
  return found;
}

static void see_uses(following *f, const stow_copies_uses *uses) {
  const MlirBlock block = stow_block_of(uses->value);
  const MlirOperation end = find_taker(f, uses);
  for (size_t i = 0; i < uses->deallocs.count; ++i)
    stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_FREED, uses->deallocs.at[i]);
  if (is_at_end(uses->value)) {
    STOW_EACH(const stow_copies_touch, touch, uses->touches)
      STOW_PUSH(f->leaving, *touch);
    return;
  }
  STOW_EACH(const stow_copies_touch, touch, uses->touches) {
    const MlirOperation at = stow_ir_op_in_block(block, touch->op);
    const bool before =
        !mlirOperationIsNull(at) && (mlirOperationIsNull(end) || stow_copies_is_before(at, end));
    if (!before && !mlirOperationEqual(touch->op, end))
      refuse_use(f, uses->value, touch->op);
  }
}

static void see_all_of(following *f, MlirValue value) {
  stow_copies_uses uses;
  see_origin(f, value);
  stow_copies_uses_of(value, &uses);
  if (stow_copies_afford(f->trial, &uses))
    see_uses(f, &uses);
  else
    stow_copies_refuse(&f->refusal, STOW_COPIES_EFFORT,
                       mlirBlockGetParentOperation(stow_block_of(value)));
  stow_copies_uses_free(&uses);
}

// What may be kept is new in each run of the block that it is left in.
static void see_leaving(following *f) {
  STOW_EACH(const stow_copies_touch, touch, f->leaving)
    for (size_t i = 0;
         i < f->values.count && touch->opaque && f->refusal.reason == STOW_COPIES_DONE; ++i)
      if (mlirOperationIsNull(
              stow_ir_op_in_block(stow_block_of(touch->view), maker_of(f->values.at[i]))))
        stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_KEPT, touch->op);
}

// The memref whose size along a dimension a number is, or null.
static MlirValue measured(MlirValue number, intptr_t dimension) {
  int64_t index;
  if (!stow_ir_is_result_of(number, STOW_MEMREF_DIM))
    return (MlirValue){NULL};
  const MlirOperation dim = mlirOpResultGetOwner(number);
  const bool along =
      stow_ir_constant_of(mlirOperationGetOperand(dim, 1), &index) && index == dimension;
  return along ? mlirOperationGetOperand(dim, 0) : (MlirValue){NULL};
}

static bool is_one_size(MlirValue a, MlirValue b, intptr_t dimension) {
  const MlirValue of = measured(a, dimension);
  return mlirValueEqual(a, b) ||
         (!mlirValueIsNull(of) && mlirValueEqual(of, measured(b, dimension)));
}

// All allocations have one size along a dimension, of which they take it as that operand. What asks
// for it by a name of the memory gets it from one before.
static void see_size(following *f, MlirOperation loop, intptr_t dimension, intptr_t operand) {
  MlirValue size = {NULL};
  STOW_EACH(const MlirValue, value, f->values) {
    if (!stow_ir_is_plainly_made(*value))
      continue;
    const MlirOperation alloc = mlirOpResultGetOwner(*value);
    const MlirValue other = mlirOperationGetOperand(alloc, operand);
    const MlirValue of = measured(other, dimension);
    if (!mlirValueIsNull(of) && stow_values_find(&f->values, of) >= 0)
      continue;
    if (!mlirValueIsNull(size) && !is_one_size(size, other, dimension))
      stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_TYPE, loop);
    size = other;
  }
  if (mlirValueIsNull(size))
    stow_copies_refuse(&f->refusal, STOW_COPIES_CARRIED_TYPE, loop);
}

static void see_sizes(following *f, MlirOperation loop) {
  const MlirType type = mlirValueGetType(f->values.at[0]); // all have one
  intptr_t operand = 0;
  for (intptr_t d = 0; d < (intptr_t)mlirShapedTypeGetRank(type); ++d)
    if (mlirShapedTypeIsDynamicDim(type, d))
      see_size(f, loop, d, operand++);
}

// Follows the memory that comes to a position. Freed with forget().
static following follow(stow_copies_trial *trial, position p) {
  following f = {.trial = trial};
  see_position(&f, p);
  for (size_t i = 0; i < f.values.count && f.refusal.reason == STOW_COPIES_DONE; ++i)
    see_all_of(&f, f.values.at[i]);
  see_leaving(&f);
  if (f.refusal.reason == STOW_COPIES_DONE)
    see_sizes(&f, p.loop);
  return f;
}

static void forget(following *f) {
  stow_values_free(&f->values);
  free(f->leaving.at);
}

// Any of the buffers may replace any other.
static void align(const following *f) {
  uint64_t most = 0;
  for (size_t i = 0; i < f->values.count; ++i)
    if (stow_ir_is_plainly_made(f->values.at[i]))
      most =
          stow_ir_larger(most, stow_ir_alignment_attribute(mlirOpResultGetOwner(f->values.at[i])));
  for (size_t i = 0; i < f->values.count && most > 0; ++i)
    if (stow_ir_is_plainly_made(f->values.at[i]))
      stow_ir_set_alignment(mlirOpResultGetOwner(f->values.at[i]), most);
}

//===----------------------------------------------------------------------===//
// Updates in place
//===----------------------------------------------------------------------===//

static bool is_new_in(MlirValue value, MlirBlock block) {
  return stow_ir_is_plainly_made(value) && mlirBlockEqual(stow_block_of(value), block);
}

// Whether what the position gives in a region can be made in `old`, whose memory it is to give.
static bool update(stow_copies_trial *trial, position p, intptr_t region, MlirValue old) {
  const MlirValue updated = given(p, region);
  const MlirOperation end = end_of(p.loop, region);
  if (!has_type(old, mlirValueGetType(updated)) || is_taken(old))
    return false;
  const stow_builder builder = stow_builder_before(end, mlirOperationGetLocation(p.loop));
  const MlirOperation copy = stow_ir_build_plain(&builder, STOW_MEMREF_COPY,
                                                 (MlirValue[]){updated, old}, 2, (MlirType){NULL});
  give(p, region, old);
  if (stow_copies_place_carried(trial, copy, p.loop))
    return true;
  mlirOperationDestroy(copy);
  give(p, region, updated);
  return false;
}

// In its own old memory, or in what another position leaves.
static void update_region(const following *f, position p, intptr_t region) {
  const MlirBlock body = body_of(p.loop, region);
  if (!is_new_in(given(p, region), body) || update(f->trial, p, region, taken(p, region)))
    return;
  for (position other = {p.loop, 0}; other.index < position_count(p.loop); ++other.index)
    if (other.index != p.index && stow_values_find(&f->values, taken(other, region)) >= 0 &&
        update(f->trial, p, region, taken(other, region)))
      return;
}

static bool gives_new(position p) {
  bool any = false;
  for (intptr_t region = 0; region < regions_of(p.loop); ++region)
    any |= is_new_in(given(p, region), body_of(p.loop, region));
  return any;
}

static void update_position(stow_copies_trial *trial, position p) {
  following f = follow(trial, p);
  for (intptr_t region = 0; region < regions_of(p.loop) && f.refusal.reason == STOW_COPIES_DONE;
       ++region)
    update_region(&f, p, region);
  forget(&f);
}

//===----------------------------------------------------------------------===//
// Another number of values
//===----------------------------------------------------------------------===//

// What another loop is to be made of.
typedef struct remake {
  STOW_ARRAY(MlirValue) operands, left; // without what goes
  STOW_ARRAY(MlirType) types;
} remake;

// The loop without the positions that go, or with a spare value, which may be null, at its end.
// Blocks and terminators are as they are to be.
static MlirOperation remade(MlirOperation loop, intptr_t begins, const bool *goes,
                            MlirValue spare) {
  remake r = {0};
  for (intptr_t i = 0; i < first_begun(loop); ++i)
    STOW_PUSH(r.operands, mlirOperationGetOperand(loop, i));
  for (intptr_t i = 0; i < begins; ++i)
    if (!goes[i])
      STOW_PUSH(r.operands, begun((position){loop, i}));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    if (!goes[i]) {
      STOW_PUSH(r.left, left((position){loop, i}));
      STOW_PUSH(r.types, mlirValueGetType(left((position){loop, i})));
    }
  if (!mlirValueIsNull(spare)) {
    STOW_PUSH(r.operands, spare);
    STOW_PUSH(r.types, mlirValueGetType(spare));
  }
  const MlirOperation made =
      stow_ir_build_again(loop, r.operands.at, r.operands.count, r.types.at, r.types.count);
  for (size_t i = 0; i < r.left.count; ++i)
    mlirValueReplaceAllUsesOfWith(r.left.at[i], left((position){made, (intptr_t)i}));
  mlirOperationDestroy(loop);
  free(r.operands.at);
  free(r.left.at);
  free(r.types.at);
  return made;
}

// One per position, of either end.
static bool *flags_of(MlirOperation loop) {
  return stow_ir_allocate((size_t)(begun_count(loop) + mlirOperationGetNumResults(loop)),
                          sizeof(bool));
}

static bool is_given_back(position p) {
  bool same = stow_ir_is_buffer(mlirValueGetType(begun(p))) && has_one_type(p);
  for (intptr_t region = 0; region < regions_of(p.loop) && same; ++region)
    same = mlirValueEqual(given(p, region), taken(p, region));
  return same;
}

static void drop(position p) {
  mlirValueReplaceAllUsesOfWith(left(p), begun(p));
  for (intptr_t region = 0; region < regions_of(p.loop); ++region) {
    mlirValueReplaceAllUsesOfWith(taken(p, region), begun(p));
    stow_bridge_erase_operand(end_of(p.loop, region), first_given(p.loop, region) + p.index);
    mlirBlockEraseArgument(body_of(p.loop, region), (unsigned)(first_taken(p.loop) + p.index));
  }
}

// The loop, without memory that it gives back as it was.
static MlirOperation without_given_back(stow_copies_trial *trial, MlirOperation loop) {
  const intptr_t begins = begun_count(loop);
  bool *goes = flags_of(loop), any = false;
  for (intptr_t i = position_count(loop); i-- > 0;)
    if ((goes[i] = is_given_back((position){loop, i})))
      any = true;
  for (intptr_t i = position_count(loop); i-- > 0 && any;)
    if (goes[i])
      drop((position){loop, i});
  if (any) {
    loop = remade(loop, begins, goes, (MlirValue){NULL});
    ++trial->rewrites;
  }
  free(goes);
  return loop;
}

// The loop, carrying one buffer more.
static MlirOperation with_spare(MlirOperation loop, MlirValue spare) {
  const MlirType type = mlirValueGetType(spare);
  bool *goes = flags_of(loop);
  for (intptr_t region = 0; region < regions_of(loop); ++region) {
    const MlirValue more =
        mlirBlockAddArgument(body_of(loop, region), type, mlirOperationGetLocation(loop));
    stow_bridge_append_operands(end_of(loop, region), &more, 1);
  }
  loop = remade(loop, begun_count(loop), goes, spare);
  free(goes);
  return loop;
}

//===----------------------------------------------------------------------===//
// Spare buffers
//===----------------------------------------------------------------------===//

// An allocation of the block that is followed, or null.
static MlirValue new_in(const following *f, MlirBlock block) {
  for (size_t i = 0; i < f->values.count; ++i)
    if (is_new_in(f->values.at[i], block))
      return f->values.at[i];
  return (MlirValue){NULL};
}

// A name of the block whose memory nothing takes, or null.
static MlirValue free_in(const following *f, MlirBlock block, MlirType type) {
  for (size_t i = 0; i < f->values.count; ++i)
    if (mlirBlockEqual(stow_block_of(f->values.at[i]), block) && has_type(f->values.at[i], type) &&
        !is_taken(f->values.at[i]))
      return f->values.at[i];
  return (MlirValue){NULL};
}

static void tell_exchanged(stow_copies_trial *trial, MlirOperation alloc) {
  char *text =
      stow_ir_format("%llu bytes change places with what the loop carries",
                     (unsigned long long)stow_ir_made_bytes(mlirOperationGetResult(alloc, 0)));
  stow_copies_tell_done(trial, alloc, "exchanged", text);
  free(text);
}

// What an iteration allocates is a buffer that the loop carries.
static MlirOperation exchange(stow_copies_trial *trial, MlirOperation loop, intptr_t region,
                              MlirValue made, MlirValue unused) {
  const MlirOperation alloc = mlirOpResultGetOwner(made);
  const MlirOperation spare = mlirOperationClone(alloc);
  stow_ir_insert_before(loop, spare);
  loop = with_spare(loop, mlirOperationGetResult(spare, 0));
  const position last = {loop, position_count(loop) - 1};
  tell_exchanged(trial, alloc);
  give(last, region, unused);
  mlirValueReplaceAllUsesOfWith(made, taken(last, region));
  mlirOperationDestroy(alloc);
  ++trial->rewrites;
  return loop;
}

// Has the loop carry a spare buffer for something that the memory at a position is given on to.
static bool exchange_one(stow_copies_trial *trial, MlirOperation *loop, intptr_t index) {
  following f = follow(trial, (position){*loop, index});
  bool done = false;
  for (intptr_t region = 0;
       region < regions_of(*loop) && f.refusal.reason == STOW_COPIES_DONE && !done; ++region) {
    const MlirBlock body = body_of(*loop, region);
    const MlirValue made = new_in(&f, body);
    const MlirValue unused =
        mlirValueIsNull(made) ? made : free_in(&f, body, mlirValueGetType(made));
    if (!(done = !mlirValueIsNull(unused)))
      continue;
    align(&f);
    *loop = exchange(trial, *loop, region, made, unused);
  }
  forget(&f);
  return done;
}

// Carries of scf.while may be of different numbers: a value is added behind all of them.
static bool takes_more(MlirOperation loop) {
  return mlirOperationGetNumResults(loop) == mlirOperationGetNumOperands(loop) - first_begun(loop);
}

static void exchange_all(stow_copies_trial *trial, MlirOperation loop) {
  const intptr_t count = takes_more(loop) ? position_count(loop) : 0;
  for (intptr_t i = 0; i < count; ++i)
    while (has_static_size((position){loop, i}) && exchange_one(trial, &loop, i))
      ;
}

//===----------------------------------------------------------------------===//
// All loops
//===----------------------------------------------------------------------===//

// What is rewritten.
typedef enum extent {
  NOTHING,
  IN_PLACE,  // what can be updated so
  EXCHANGED, // by spare buffers, too
} extent;

static void carry(stow_copies_trial *trial, MlirOperation loop, extent most) {
  for (intptr_t i = 0; i < position_count(loop); ++i)
    if (gives_new((position){loop, i}))
      update_position(trial, (position){loop, i});
  loop = without_given_back(trial, loop);
  if (most == EXCHANGED)
    exchange_all(trial, loop);
}

static void carry_all(stow_copies_trial *trial, extent most) {
  const stow_op_list loops = stow_ir_ops_in(trial->function, carries_buffers);
  for (size_t i = loops.count; i-- > 0;) // inner ones first
    carry(trial, loops.at[i], most);
  free(loops.at);
}

//===----------------------------------------------------------------------===//
// What is told
//===----------------------------------------------------------------------===//

// What could have been rewritten is dear.
static stow_copies_reason why_dear(position p) {
  return has_static_size(p) ? STOW_COPIES_CARRIED_PEAK : STOW_COPIES_CARRIED_TYPE;
}

static void tell_left(stow_copies_trial *trial, position p) {
  following f = follow(trial, p);
  if (f.refusal.reason == STOW_COPIES_DONE)
    stow_copies_refuse(&f.refusal, why_dear(p), p.loop);
  for (intptr_t region = 0; region < regions_of(p.loop); ++region)
    if (is_new_in(given(p, region), body_of(p.loop, region)))
      stow_copies_tell_left(trial, mlirOpResultGetOwner(given(p, region)), f.refusal.reason,
                            f.refusal.blame);
  forget(&f);
}

// Effort for it is taken when all is done: remarks change no decision.
static void tell_all_left(stow_copies_trial *trial) {
  const stow_op_list loops = stow_ir_ops_in(trial->function, carries_buffers);
  for (size_t l = loops.count; l-- > 0 && trial->tells_left;)
    for (intptr_t i = 0; i < position_count(loops.at[l]); ++i)
      if (gives_new((position){loops.at[l], i}))
        tell_left(trial, (position){loops.at[l], i});
  free(loops.at);
}

//===----------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------===//

typedef struct function {
  stow_attempt *attempt;
  stow_copies_trial trial;
  extent most;
  bool waits; // for a callee that takes a step back
} function;

typedef struct functions {
  stow_attempts attempts;
  STOW_ARRAY(function) list; // one each
} functions;

static bool has_carrying(MlirOperation root) {
  STOW_EACH_OP_OF(op, root)
    if (carries_buffers(op) || stow_copies_is_given_by_branch(op))
      return true;
  return false;
}

static bool rewrite(function *f) {
  const MlirOperation op = f->attempt->op;
  const bool remarks = stow_remarks_enabled(mlirOperationGetContext(op));
  f->trial = (stow_copies_trial){.function = op,
                                 .effort = STOW_COPIES_TRIAL_EFFORT,
                                 .tells_left = remarks,
                                 .tells_done = remarks};
  carry_all(&f->trial, f->most);
  stow_copies_update_in_blocks(&f->trial);
  tell_all_left(&f->trial);
  return f->trial.rewrites > 0;
}

static void forget_remarks(function *f, bool wanted) {
  stow_remarks_settle(&f->trial.remarks, f->attempt->op, wanted);
  stow_remarks_settle(&f->trial.if_undone, f->attempt->op, wanted && f->most == NOTHING);
}

// Updates in place are undone: what they left is told, and not what they did.
static void undo(function *f) {
  STOW_EACH(stow_remark, remark, f->trial.remarks)
    if (remark->kind == STOW_REMARK_MISSED)
      STOW_PUSH(f->trial.if_undone, *remark);
    else
      stow_reduce_remark_drop(remark);
  f->trial.remarks.count = 0;
  f->trial.rewrites = 0;
  stow_attempt_renew(f->attempt);
}

static void step_back(function *f) {
  f->most = f->most == EXCHANGED ? IN_PLACE : NOTHING;
  if (f->most == NOTHING) {
    undo(f);
    return;
  }
  forget_remarks(f, false);
  stow_attempt_renew(f->attempt);
  rewrite(f);
}

static bool is_dearer(const function *f) {
  return stow_reduce_holds_more(f->attempt->now, f->attempt->before);
}

static bool can_step_back(const function *f, extent least) {
  return f->most > least && is_dearer(f);
}

// Whether a call, or one in a callee, is of another function that is dear.
static bool calls_dear(const stow_calls *calls, MlirOperation caller, const bool *dear) {
  const int32_t number = stow_map_get(&calls->index, caller.ptr);
  bool *reached = stow_ir_allocate(calls->function_count, sizeof *reached), found = false;
  reached[number] = true;
  stow_ir_mark_reached(&calls->called, calls->function_count, reached);
  for (size_t f = 0; f < calls->function_count; ++f)
    found |= reached[f] && dear[f] && f != (size_t)number;
  free(reached);
  return found;
}

// How many functions can take a step back, and how many of them may be dearer for a callee only.
static size_t count_dearer(functions *all, MlirOperation module, extent least,
                           size_t *out_waiting) {
  stow_calls calls = stow_calls_of(module);
  bool *dear = stow_ir_allocate(calls.function_count, sizeof *dear);
  size_t count = *out_waiting = 0;
  STOW_EACH(const function, f, all->list)
    dear[stow_map_get(&calls.index, f->attempt->op.ptr)] = is_dearer(f);
  STOW_EACH(function, f, all->list) {
    const bool can = can_step_back(f, least);
    f->waits = can && calls_dear(&calls, f->attempt->op, dear);
    count += can;
    *out_waiting += f->waits;
  }
  free(dear);
  stow_calls_free(&calls);
  return count;
}

// Callees that stay as they are hold more; what else does is the caller's.
static bool is_dearer_alone(const function *f) {
  return stow_reduce_has_more_heap(f->attempt->now, f->attempt->before);
}

// Steps back: callees first, and all at once where each waits for another. Where callees may stay
// dearer, a caller that waits for one goes by what it holds itself. False: nobody did.
static bool step_all_back(functions *all, extent least, bool nobody_else, bool at_once) {
  bool any = false;
  STOW_EACH(function, f, all->list) {
    const bool may = !f->waits || at_once || (nobody_else && is_dearer_alone(f));
    if (!can_step_back(f, least) || !may)
      continue;
    step_back(f);
    any = true;
  }
  return any;
}

// A spare buffer, and the memory that is updated in place, are there for longer than a buffer of
// one iteration: no heap is to hold more for that.
static void settle(functions *all, MlirOperation module, extent least) {
  size_t dear, waiting, rounds = 0;
  stow_attempts_plan(module, &all->attempts);
  while ((dear = count_dearer(all, module, least, &waiting)) > 0) {
    const bool at_once = ++rounds > STOW_COPIES_MOST_WAITS || (least == NOTHING && waiting == dear);
    if (!step_all_back(all, least, waiting == dear, at_once))
      return;
    stow_attempts_plan(module, &all->attempts);
  }
}

bool stow_copies_carry_buffers(MlirOperation module, bool heap_may_grow) {
  functions all = {.attempts = stow_attempts_begin(module, has_carrying)};
  bool any = false;
  STOW_EACH(stow_attempt, attempt, all.attempts) {
    function f = {.attempt = attempt, .most = EXCHANGED};
    stow_attempt_keep(attempt);
    any |= rewrite(&f);
    STOW_PUSH(all.list, f);
  }
  if (any)
    settle(&all, module, heap_may_grow ? IN_PLACE : NOTHING);
  any = false;
  STOW_EACH(function, f, all.list) {
    any |= f->trial.rewrites > 0;
    forget_remarks(f, true);
    stow_attempt_end(f->attempt, true);
  }
  free(all.list.at);
  free(all.attempts.at);
  return any;
}
