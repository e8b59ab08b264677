//===- stage.c - copies of constants in the first memory ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant that is read often is copied to the first memory, as a whole, and is a buffer there
// like any other: it is alive from the copy to the last op that reads it, may be copied again
// before a later one, and where there is no room for it the constant is read where it lies.
//
//===----------------------------------------------------------------------===//

#include "fit/fit.h"

#include "ir/build.h"
#include "ir/parts.h"
#include "ir/size.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

//===----------------------------------------------------------------------===//
// A copy
//===----------------------------------------------------------------------===//

// Whether there are other ops that use the buffer, and all of these are behind the op.
static bool is_first(MlirValue buffer, MlirOperation op) {
  MlirBlock block = stow_block_of(buffer);
  const stow_fit_users others = stow_fit_users_of(block, buffer, op);
  return mlirBlockEqual(mlirOperationGetBlock(op), block) && !mlirOperationIsNull(others.first) &&
         mlirOperationIsBeforeInBlock(op, others.first);
}

static uint64_t assumed_of_copy(MlirOperation alloc) {
  const MlirAttribute assumed = stow_attribute_of(alloc, STOW_ASSUMED_ALIGNMENT);
  return mlirAttributeIsNull(assumed) ? 0 : (uint64_t)mlirIntegerAttrGetValueInt(assumed);
}

// Whether the constant is aligned as the program relies on of the buffer. What a memory asks for is
// no such reliance.
static bool is_aligned(const stow_reorder_facts *facts, MlirOperation alloc, MlirValue constant) {
  const stow_function_memory *memory = facts->memory;
  const int32_t buffer = stow_map_get(&facts->allocs, alloc.ptr);
  const uint64_t stated = stow_ir_alignment_attribute(stow_reorder_constant_of(facts, constant));
  const uint64_t natural =
      stow_ir_natural_alignment(&memory->flow.layout, mlirValueGetType(constant));
  const uint64_t known = stow_ir_larger(stow_ir_larger(stated, natural), assumed_of_copy(alloc));
  return buffer >= 0 && stow_fit_own_alignment(alloc) <= known &&
         memory->lives[memory->flow.allocs.at[buffer].value].alignment <= known;
}

MlirOperation stow_fit_filling_of(const stow_reorder_facts *facts, MlirOperation alloc) {
  const MlirValue buffer = mlirOperationGetResult(alloc, 0);
  STOW_EACH_USE(use, buffer) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!stow_ir_is(op, STOW_MEMREF_COPY) || mlirOpOperandGetOperandNumber(use) != 1)
      continue;
    const MlirValue source = mlirOperationGetOperand(op, 0);
    if (mlirValueEqual(source, stow_ir_root_of(source)) &&
        stow_reorder_is_constant(facts, source) && stow_ir_can_alloc(mlirValueGetType(source)) &&
        stow_ir_can_alloc(mlirValueGetType(buffer)) && is_aligned(facts, alloc, source) &&
        is_first(buffer, op))
      return op;
  }
  return (MlirOperation){NULL};
}

// The only copy to the buffer.
static MlirOperation copy_to(MlirValue buffer) {
  STOW_EACH_USE(use, buffer)
    if (stow_ir_is(mlirOpOperandGetOwner(use), STOW_MEMREF_COPY) &&
        mlirOpOperandGetOperandNumber(use) == 1)
      return mlirOpOperandGetOwner(use);
  return (MlirOperation){NULL};
}

void stow_fit_unstage(MlirOperation alloc) {
  const MlirValue buffer = mlirOperationGetResult(alloc, 0);
  MlirOperation copy = copy_to(buffer);
  assert(!mlirOperationIsNull(copy));
  const MlirValue constant = mlirOperationGetOperand(copy, 0);
  mlirOperationDestroy(copy);
  stow_ir_erase_deallocs(buffer);
  stow_fit_replace_buffer(buffer, constant);
  mlirOperationDestroy(alloc);
}

//===----------------------------------------------------------------------===//
// All that may be copied
//===----------------------------------------------------------------------===//

stow_fit_users stow_fit_users_of(MlirBlock block, MlirValue value, MlirOperation but) {
  stow_fit_users out = {{NULL}, {NULL}};
  STOW_EACH_USE_OF_NAMES(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use), at = stow_ir_op_in_block(block, op);
    if (stow_ir_makes_view(use) || mlirOperationEqual(op, but))
      continue;
    if (mlirOperationIsNull(out.first) || mlirOperationIsBeforeInBlock(at, out.first))
      out.first = at;
    if (mlirOperationIsNull(out.last) || mlirOperationIsBeforeInBlock(out.last, at))
      out.last = at;
  }
  return out;
}

typedef struct stager {
  const stow_fit_staging *how;
  bool frees;      // the program has deallocs
  stow_map copies; // that were made
} stager;

// Whether the op is all that the block has of a constant, in the default memory space.
static bool may_stage(const stow_fit_staging *how, MlirOperation op) {
  if (!stow_ir_is(op, STOW_MEMREF_GET_GLOBAL))
    return false;
  const MlirValue value = mlirOperationGetResult(op, 0);
  return stow_reorder_is_constant(how->facts, value) && stow_ir_made_bytes(value) > 0 &&
         stow_ir_can_alloc(mlirValueGetType(value)) &&
         mlirAttributeIsNull(stow_ir_memory_space(mlirValueGetType(value))) &&
         stow_fit_may_be_in(value, how->first);
}

// Whether a transfer may run beside the op: it does something to memory.
static bool is_work(const stager *s, MlirOperation op) {
  const stow_traits nothing =
      STOW_VIEWS | STOW_DEALLOCATES | STOW_TELLS_SHAPE | STOW_ALLOCATES_HEAP | STOW_ALLOCATES_STACK;
  return stow_ir_takes_buffer(op) && !(stow_ir_op_traits(op) & nothing) &&
         stow_map_get(&s->copies, op.ptr) < 0;
}

// Where a copy for `user` stands, behind `get`.
static MlirOperation place_for(const stager *s, MlirOperation user, MlirOperation get) {
  MlirOperation place = user;
  for (MlirOperation op = get; s->how->ahead && !mlirOperationEqual(op, user);
       op = mlirOperationGetNextInBlock(op))
    if (is_work(s, op))
      place = op;
  return place;
}

// What the program assumes of where the constant begins; 0: nothing.
static uint64_t assumed_of(MlirValue constant) {
  uint64_t most = 0;
  STOW_EACH_USE(use, constant) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!stow_ir_view_is_whole(op))
      continue;
    const uint64_t own =
        stow_view_form_of(op) == STOW_VIEW_SAME ? stow_ir_alignment_attribute(op) : 0;
    most = stow_ir_larger(most, stow_ir_larger(own, assumed_of(mlirOperationGetResult(op, 0))));
  }
  return most;
}

void stow_fit_name_copy(MlirOperation alloc, MlirOperation global, const char *why) {
  char *name = stow_ir_copy_string(mlirStringAttrGetValue(stow_attribute_of(global, "sym_name")));
  stow_fit_name_buffer(alloc, name, why);
  free(name);
}

// A buffer that may take the constant's place.
static MlirValue build_copy_of(const stager *s, const stow_builder *at, MlirValue constant) {
  MlirOperation global = stow_reorder_constant_of(s->how->facts, constant);
  const uint64_t stated = stow_ir_alignment_attribute(global), assumed = assumed_of(constant);
  const MlirValue buffer =
      stow_ir_build_alloc(at, mlirValueGetType(constant), stow_ir_larger(stated, assumed));
  if (assumed > stated)
    stow_ir_set_number(mlirOpResultGetOwner(buffer), STOW_ASSUMED_ALIGNMENT, (int64_t)assumed);
  stow_fit_name_copy(mlirOpResultGetOwner(buffer), global, "(staged)");
  return buffer;
}

static MlirOperation stage(stager *s, MlirOperation get) {
  const MlirValue constant = mlirOperationGetResult(get, 0);
  const stow_fit_users users = stow_fit_users_of(s->how->block, constant, (MlirOperation){NULL});
  if (mlirOperationIsNull(users.first))
    return users.first;
  stow_builder at =
      stow_builder_before(mlirOperationGetNextInBlock(get), mlirOperationGetLocation(get));
  const MlirValue buffer = build_copy_of(s, &at, constant);
  mlirValueReplaceAllUsesOfWith(constant, buffer);
  at.before = place_for(s, users.first, get);
  stow_map_note(&s->copies, stow_ir_build_copy(&at, constant, buffer).ptr);
  if (s->frees) {
    at.before = mlirOperationGetNextInBlock(users.last);
    stow_ir_build_dealloc(&at, buffer);
  }
  stow_fit_move_to(buffer, s->how->first);
  return mlirOpResultGetOwner(buffer);
}

bool stow_fit_has_deallocs(MlirOperation function) {
  stow_op_list deallocs =
      stow_ir_ops_in(mlirOperationGetParentOperation(function), stow_ir_is_dealloc);
  free(deallocs.at);
  return deallocs.count > 0;
}

// Gives the first op that gets a constant the uses of the others, which go to the end of `all`.
// Returns how many are left.
static size_t merge_gets(const stow_reorder_facts *facts, stow_op_list *all) {
  stow_map firsts = {0};
  stow_op_list others = {0};
  size_t count = 0;
  STOW_EACH_ITEM(MlirOperation, get, *all) {
    const MlirValue value = mlirOperationGetResult(get, 0);
    const void *global = stow_reorder_constant_of(facts, value).ptr;
    const int32_t first = stow_map_get(&firsts, global);
    if (first < 0) {
      stow_map_add(&firsts, global, (int32_t)count);
      all->at[count++] = get;
    } else {
      mlirValueReplaceAllUsesOfWith(value, mlirOperationGetResult(all->at[first], 0));
      STOW_PUSH(others, get);
    }
  }
  for (size_t i = 0; i < others.count; ++i)
    all->at[count + i] = others.at[i];
  free(others.at);
  stow_map_free(&firsts);
  return count;
}

void stow_fit_stage(const stow_fit_staging *how, stow_op_list *out) {
  stager s = {.how = how, .frees = stow_fit_has_deallocs(how->facts->memory->flow.function)};
  stow_op_list gets = {0};
  STOW_EACH_OP(op, how->block)
    if (may_stage(how, op))
      STOW_PUSH(gets, op);
  const size_t count = merge_gets(how->facts, &gets);
  for (size_t i = 0; i < count; ++i) {
    MlirOperation alloc = stage(&s, gets.at[i]);
    if (!mlirOperationIsNull(alloc))
      STOW_PUSH(*out, alloc);
  }
  for (size_t i = count; i < gets.count; ++i)
    mlirOperationDestroy(gets.at[i]); // now, as the facts know ops by their addresses
  free(gets.at);
  stow_map_free(&s.copies);
}

//===----------------------------------------------------------------------===//
// Their bytes
//===----------------------------------------------------------------------===//

static bool is_constant(MlirOperation op) {
  return stow_ir_is(op, STOW_MEMREF_GLOBAL) && stow_ir_has_attribute(op, "constant");
}

// Whether what has this memory space is in the memory of those that have none.
static bool is_there(MlirAttribute space, const stow_machine_memory *memory) {
  return mlirAttributeIsNull(space) ||
         (mlirAttributeIsAString(space) &&
          stow_ir_string_equal(mlirStringAttrGetValue(space), memory->name));
}

uint64_t stow_fit_bytes_of_constants(MlirOperation module, const stow_machine_memory *memory) {
  const stow_layout layout = stow_layout_at(module);
  uint64_t sum = 0;
  STOW_EACH_FOUND(global, stow_ir_ops_in(module, is_constant)) {
    const MlirType type = mlirTypeAttrGetValue(stow_attribute_of(global, "type"));
    stow_extent size;
    uint64_t alignment;
    if (is_there(stow_ir_memory_space(type), memory) &&
        stow_ir_memref_size(&layout, type, &size, &alignment) == STOW_SIZE_OK)
      sum = stow_fit_sum(sum, size.bytes);
  }
  return sum;
}
