//===- results.c - returned buffers become arguments ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that returns an allocation it makes once, on every path, can write into its
// caller's memory as well:
//
//     func @f(%x) -> memref<4xf32> {            func @f(%x, %r: memref<4xf32>) {
//       %r = alloc() : memref<4xf32>      =>      ...
//       ...                                       return
//       return %r                               }
//     }
//     %y = call @f(%x)                          %y = alloc() : memref<4xf32>
//                                               call @f(%x, %y)
//
// The caller's alloc is as any other of its buffers. Where the callee gives its address
// away, the analysis finds the argument to escape, and leaves that alloc alone.
//
//===----------------------------------------------------------------------===//

#include "frames/frames.h"

// What a return operand is: an allocation of the entry block, or a cast of one.
typedef struct result {
  MlirOperation alloc; // null: neither
  MlirOperation cast;  // or null
} result;

//===----------------------------------------------------------------------===//
// What can be an argument
//===----------------------------------------------------------------------===//

static MlirOperation defining(MlirValue value, stow_op_kind kind) {
  return stow_is_result_of(value, kind) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
}

static result result_of(MlirValue returned) {
  result r = {.cast = defining(returned, STOW_MEMREF_CAST)};
  if (!mlirOperationIsNull(r.cast))
    returned = mlirOperationGetOperand(r.cast, 0);
  r.alloc = defining(returned, STOW_MEMREF_ALLOC);
  return r;
}

static bool is_return_of(MlirOperation op, MlirRegion body) {
  return stow_is(op, STOW_FUNC_RETURN) &&
         mlirRegionEqual(mlirBlockGetParentRegion(mlirOperationGetBlock(op)), body);
}

// The returns of a function, in the order of its blocks.
static stow_op_list returns_of(MlirRegion body) {
  stow_op_list returns = {0};
  for (MlirBlock block = mlirRegionGetFirstBlock(body); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    if (is_return_of(mlirBlockGetTerminator(block), body))
      STOW_PUSH(returns, mlirBlockGetTerminator(block));
  return returns;
}

// How often a value is returned, directly or by a cast.
static size_t count_returned(const stow_op_list *returns, MlirOperation alloc) {
  size_t count = 0;
  for (size_t i = 0; i < returns->count; ++i)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(returns->at[i]); ++k)
      count +=
          mlirOperationEqual(result_of(mlirOperationGetOperand(returns->at[i], k)).alloc, alloc);
  return count;
}

static bool is_freed(MlirOperation alloc) {
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(alloc, 0));
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (stow_op_traits(mlirOpOperandGetOwner(use)) & (STOW_DEALLOCATES | STOW_FREES_BY_BIT))
      return true;
  return false;
}

// Made once, of a type that says all of its size, and returned by every return as result `k` and
// no other.
static bool can_be_argument(MlirRegion body, const stow_op_list *returns, intptr_t k, result *out) {
  if (returns->count == 0)
    return false;
  *out = result_of(mlirOperationGetOperand(returns->at[0], k));
  if (mlirOperationIsNull(out->alloc))
    return false;
  for (size_t i = 1; i < returns->count; ++i)
    if (!mlirValueEqual(mlirOperationGetOperand(returns->at[i], k),
                        mlirOperationGetOperand(returns->at[0], k)))
      return false;
  return mlirBlockEqual(mlirOperationGetBlock(out->alloc), mlirRegionGetFirstBlock(body)) &&
         mlirOperationGetNumOperands(out->alloc) == 0 &&
         count_returned(returns, out->alloc) == returns->count && !is_freed(out->alloc);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

// A call without result `k`, and with the alloc's like as its last operand. The old one goes.
static MlirOperation call_again(MlirOperation call, intptr_t k, const result *r) {
  MlirOperationState state =
      mlirOperationStateGet(stow_op_name(call), mlirOperationGetLocation(call));
  MlirBlock block = mlirOperationGetBlock(call);
  MlirOperation alloc = mlirOperationClone(r->alloc), cast = {NULL};
  mlirBlockInsertOwnedOperationBefore(block, call, alloc);
  MlirValue memory = mlirOperationGetResult(alloc, 0), stands_for = memory;
  if (!mlirOperationIsNull(r->cast)) {
    cast = mlirOperationClone(r->cast);
    mlirOperationSetOperand(cast, 0, memory);
    mlirBlockInsertOwnedOperationBefore(block, call, cast);
    stands_for = mlirOperationGetResult(cast, 0);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(call); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(call, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    MlirValue operand = mlirOperationGetOperand(call, i);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  mlirOperationStateAddOperands(&state, 1, &memory);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(call, i));
    if (i != k)
      mlirOperationStateAddResults(&state, 1, &type);
  }
  MlirOperation again = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(block, call, again);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(call, i),
                                  i == k ? stands_for
                                         : mlirOperationGetResult(again, i < k ? i : i - 1));
  mlirOperationDestroy(call);
  return again;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static void make_argument(stow_framed *framed, const stow_op_list *returns, intptr_t k,
                          const result *r) {
  MlirValue memory = mlirOperationGetResult(r->alloc, 0);
  for (size_t i = 0; i < framed->calls.count; ++i)
    framed->calls.at[i] = call_again(framed->calls.at[i], k, r);
  STOW_PUSH(framed->moved, stow_alignment_attribute(r->alloc));
  MlirValue argument = stow_append_argument(framed->function, mlirValueGetType(memory),
                                            mlirOperationGetLocation(r->alloc));
  for (size_t i = 0; i < returns->count; ++i)
    stow_erase_operand(returns->at[i], k);
  stow_erase_result_type(framed->function, k);
  mlirValueReplaceAllUsesOfWith(memory, argument);
  mlirOperationDestroy(r->alloc);
  if (!mlirOperationIsNull(r->cast) &&
      mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(r->cast, 0))))
    mlirOperationDestroy(r->cast);
}

static bool is_movable(const stow_frames *frames, const stow_framed *framed) {
  return framed->changeable && (!framed->entry || frames->options->result_arguments);
}

static void move_results(stow_framed *framed) {
  MlirRegion body = stow_function_body(framed->function);
  stow_op_list returns = returns_of(body);
  for (intptr_t k = 0; k < stow_function_result_count(framed->function);) {
    result r;
    if (can_be_argument(body, &returns, k, &r))
      make_argument(framed, &returns, k, &r);
    else
      ++k;
  }
  free(returns.at);
}

void stow_move_results(const stow_frames *frames) {
  const stow_components *components = &frames->calls.components;
  for (size_t i = 0; i < frames->calls.function_count; ++i) {
    stow_framed *framed = &frames->functions[components->members[i]];
    if (is_movable(frames, framed))
      move_results(framed);
  }
}
