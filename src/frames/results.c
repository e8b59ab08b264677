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
// away, the analysis finds the argument to escape, and leaves that alloc alone. What is
// returned may be a view of the alloc. An argument that is returned is known to the
// caller, and no result any more; so is an allocation that is returned as a second result.
//
// Where the option asks for it, any other result is copied into such an allocation first
// (returned.c).
//
//===----------------------------------------------------------------------===//

#include "frames/frames.h"

#include "ir/parts.h"
#include "ir/state.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

// What a return operand is: a view of an allocation, or of an argument.
typedef struct result {
  MlirValue base;     // the alloc's result, or the argument
  stow_op_list views; // from the returned value down to `base`, each of one operand
} result;

//===----------------------------------------------------------------------===//
// What can be an argument
//===----------------------------------------------------------------------===//

static bool is_view(MlirOperation op) {
  return stow_ir_op_traits(op) & STOW_VIEWS && mlirOperationGetNumOperands(op) == 1;
}

// The views are freed with free(views.at). Of views of each other the base is one of them.
static result result_of(MlirValue returned) {
  result r = {.base = returned};
  stow_way way = {0};
  while (mlirValueIsAOpResult(r.base) && is_view(mlirOpResultGetOwner(r.base)) &&
         !stow_ir_comes_again(&way, r.base)) {
    STOW_PUSH(r.views, mlirOpResultGetOwner(r.base));
    r.base = mlirOperationGetOperand(mlirOpResultGetOwner(r.base), 0);
  }
  return r;
}

static MlirValue base_of(MlirValue returned) {
  const result r = result_of(returned);
  free(r.views.at);
  return r.base;
}

static MlirType result_type(MlirOperation function, intptr_t k) {
  const MlirType type = stow_ir_function_type(function);
  return mlirFunctionTypeGetResult(type, k);
}

static bool is_return_of(MlirOperation op, MlirRegion body) {
  return stow_ir_is(op, STOW_FUNC_RETURN) &&
         mlirRegionEqual(mlirBlockGetParentRegion(mlirOperationGetBlock(op)), body);
}

// The returns of a function, in the order of its blocks; none where a block ends in an op that
// nobody knows, as that may be a return, too.
static stow_op_list returns_of(MlirRegion body) {
  stow_op_list returns = {0};
  bool known = true;
  STOW_EACH_BLOCK(block, body) {
    MlirOperation end = mlirBlockGetTerminator(block);
    known &= !mlirOperationIsNull(end);
    if (known && is_return_of(end, body))
      STOW_PUSH(returns, end);
  }
  returns.count = known ? returns.count : 0;
  return returns;
}

// The value that every return has as result `k`; null where they differ.
static MlirValue returned_as(const stow_op_list *returns, intptr_t k) {
  for (size_t i = 1; i < returns->count; ++i)
    if (!mlirValueEqual(mlirOperationGetOperand(returns->at[i], k),
                        mlirOperationGetOperand(returns->at[0], k)))
      return (MlirValue){NULL};
  return returns->count > 0 ? mlirOperationGetOperand(returns->at[0], k) : (MlirValue){NULL};
}

// Whether a value or a view of it is only ever returned as a result that is the same on all paths.
static bool is_returned_alike(const stow_op_list *returns, MlirValue base) {
  for (size_t i = 0; i < returns->count; ++i)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(returns->at[i]); ++k)
      if (mlirValueEqual(base_of(mlirOperationGetOperand(returns->at[i], k)), base) &&
          mlirValueIsNull(returned_as(returns, k)))
        return false;
  return true;
}

static bool is_freed(MlirValue value) {
  STOW_EACH_USE(use, value)
    if (stow_ir_op_traits(mlirOpOperandGetOwner(use)) & (STOW_DEALLOCATES | STOW_FREES_BY_BIT))
      return true;
  return false;
}

static bool is_argument_of(MlirRegion body, MlirValue value) {
  return mlirValueIsABlockArgument(value) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(value), mlirRegionGetFirstBlock(body));
}

// An allocation that is made once, of a type that says all of its size, and returned on all paths.
static bool can_be_argument(MlirRegion body, const stow_op_list *returns, MlirValue base) {
  if (!stow_ir_is_plainly_made(base))
    return false;
  MlirOperation alloc = mlirOpResultGetOwner(base);
  return mlirBlockEqual(mlirOperationGetBlock(alloc), mlirRegionGetFirstBlock(body)) &&
         mlirOperationGetNumOperands(alloc) == 0 && is_returned_alike(returns, base) &&
         !is_freed(base);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

// What the call's result is a view of, in the caller; made there where it is an allocation.
static MlirValue base_at(MlirOperation call, const result *r) {
  if (mlirValueIsABlockArgument(r->base))
    return mlirOperationGetOperand(call, mlirBlockArgumentGetArgNumber(r->base));
  MlirOperation alloc = mlirOperationClone(mlirOpResultGetOwner(r->base));
  stow_ir_insert_before(call, alloc);
  return mlirOperationGetResult(alloc, 0);
}

// The same views again, of what the caller has.
static MlirValue view_at(MlirOperation call, const result *r, MlirValue base) {
  for (size_t i = r->views.count; i-- > 0;) {
    MlirOperation view = mlirOperationClone(r->views.at[i]);
    mlirOperationSetOperand(view, 0, base);
    stow_ir_insert_before(call, view);
    base = mlirOperationGetResult(view, 0);
  }
  return base;
}

// A call without result `k`.
static MlirOperation without_result(MlirOperation call, intptr_t k) {
  MlirOperationState state =
      mlirOperationStateGet(stow_ir_op_name(call), mlirOperationGetLocation(call));
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(call); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(call, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    MlirValue operand = mlirOperationGetOperand(call, i);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(call, i));
    if (i != k)
      mlirOperationStateAddResults(&state, 1, &type);
  }
  return mlirOperationCreate(&state);
}

// The call again, with what its result `k` is of as an operand. The old one goes.
static MlirOperation call_again(MlirOperation call, intptr_t k, const result *r) {
  MlirValue base = base_at(call, r), view = view_at(call, r, base);
  MlirOperation again = without_result(call, k);
  stow_ir_insert_before(call, again);
  if (!mlirValueIsABlockArgument(r->base))
    stow_bridge_append_operands(again, &base, 1);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(call, i),
                                  i == k ? view : mlirOperationGetResult(again, i < k ? i : i - 1));
  mlirOperationDestroy(call);
  return again;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static void drop_unused(const stow_op_list *views) {
  for (size_t i = 0; i < views->count; ++i) {
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(views->at[i], 0))))
      return;
    mlirOperationDestroy(views->at[i]);
  }
}

static void drop_result(stow_framed *framed, const stow_op_list *returns, intptr_t k,
                        const result *r) {
  for (size_t i = 0; i < framed->calls.count; ++i)
    framed->calls.at[i] = call_again(framed->calls.at[i], k, r);
  for (size_t i = 0; i < returns->count; ++i)
    stow_bridge_erase_operand(returns->at[i], k);
  stow_bridge_erase_result_type(framed->function, k);
  drop_unused(&r->views);
}

static void make_argument(stow_framed *framed, MlirValue memory) {
  MlirOperation alloc = mlirOpResultGetOwner(memory);
  assert(mlirOperationGetNumOperands(alloc) == 0); // every caller can make one
  STOW_PUSH(framed->moved, stow_ir_alignment_attribute(alloc));
  mlirValueReplaceAllUsesOfWith(
      memory, stow_bridge_append_argument(framed->function, mlirValueGetType(memory),
                                          mlirOperationGetLocation(alloc)));
  mlirOperationDestroy(alloc);
}

static bool moves(MlirRegion body, const stow_op_list *returns, MlirValue base) {
  return is_argument_of(body, base) || can_be_argument(body, returns, base);
}

// Notes where a result will be, of those left number `k`. `in` is an argument, the last one if
// null.
static void note_place(stow_framed *framed, intptr_t k, MlirValue returned, MlirValue in) {
  const intptr_t argument = mlirValueIsNull(in)
                                ? stow_bridge_function_argument_count(framed->function)
                                : mlirBlockArgumentGetArgNumber(in);
  STOW_PUSH(framed->results, (stow_result_place){.result = (intptr_t)framed->results.count + k,
                                                 .argument = argument,
                                                 .type = mlirValueGetType(returned)});
}

// Whether result `k` went.
static bool move_result(stow_framed *framed, MlirRegion body, const stow_op_list *returns,
                        intptr_t k) {
  MlirValue returned = returned_as(returns, k);
  if (mlirValueIsNull(returned) || !stow_ir_is_buffer(mlirValueGetType(returned)))
    return false;
  const result r = result_of(returned);
  const bool argument = is_argument_of(body, r.base), goes = moves(body, returns, r.base);
  const bool is_unsigned = stow_bridge_result_has_attribute(framed->function, k, STOW_UNSIGNED);
  if (goes) {
    note_place(framed, k, returned, argument ? r.base : (MlirValue){NULL});
    drop_result(framed, returns, k, &r);
  }
  if (goes && !argument) {
    make_argument(framed, r.base);
    stow_ir_keep_sign(framed->function, is_unsigned);
  }
  free(r.views.at);
  return goes;
}

static void move_results(stow_framed *framed, MlirRegion body, const stow_op_list *returns) {
  for (intptr_t k = 0; k < stow_bridge_function_result_count(framed->function);)
    k += !move_result(framed, body, returns, k);
}

//===----------------------------------------------------------------------===//
// Results that must be arguments
//===----------------------------------------------------------------------===//

static bool refuse_result(const stow_framed *framed, intptr_t k, const char *reason,
                          const char *advice) {
  return stow_ir_refuse(mlirOperationGetLocation(framed->function),
                        "merge-alloc: result-arguments: result %lld cannot be an argument: %s; %s",
                        (long long)k, reason, advice ? advice : "name other functions in entries");
}

static bool is_buffer_result(const stow_framed *framed, intptr_t k) {
  return stow_ir_is_buffer(result_type(framed->function, k));
}

// Copies what could not become an argument. False, with a located error, where the function's
// caller is out there and that is not possible.
static bool copy_results(const stow_frames *frames, stow_reader *reader, stow_framed *framed,
                         MlirRegion body, const stow_op_list *returns) {
  const int32_t f = stow_map_get(&frames->calls.index, framed->function.ptr);
  stow_module_memory memory = stow_ir_read_functions(reader, &f, 1);
  const stow_flow *flow = &memory.functions[0].flow;
  bool ok = true;
  framed->lends = true;
  for (intptr_t k = 0; k < stow_bridge_function_result_count(framed->function) && ok; ++k) {
    const MlirValue returned = returned_as(returns, k);
    if (!is_buffer_result(framed, k) ||
        (!mlirValueIsNull(returned) && moves(body, returns, base_of(returned))))
      continue;
    const stow_objection objection = stow_frames_copy_result(frames, framed, flow, returns, k);
    if (objection.reason)
      framed->lends &= stow_frames_lends_result(frames, flow, returns, k);
    ok = !objection.reason || !framed->entry ||
         refuse_result(framed, k, objection.reason, objection.advice);
  }
  stow_module_memory_free(&memory);
  return ok;
}

// False, with a located error, where a buffer stays a result that the options ask to be none.
static bool check_results(const stow_frames *frames, const stow_framed *framed) {
  if (!frames->options->result_arguments || !framed->asked)
    return true;
  for (intptr_t k = 0; k < stow_bridge_function_result_count(framed->function); ++k)
    if (is_buffer_result(framed, k))
      return framed->objection ? refuse_result(framed, k, framed->objection, framed->advice)
                               : refuse_result(framed, k, "not every path ends in a func.return",
                                               "lower what ends the others before");
  return true;
}

static bool is_movable(const stow_frames *frames, const stow_framed *framed) {
  return framed->changeable && (!framed->entry || frames->options->result_arguments);
}

static bool settle_results(const stow_frames *frames, stow_reader *reader, stow_framed *framed) {
  if (!is_movable(frames, framed))
    return check_results(frames, framed);
  MlirRegion body = stow_bridge_function_body(framed->function);
  stow_op_list returns = returns_of(body);
  const bool ok =
      !reader || returns.count == 0 || copy_results(frames, reader, framed, body, &returns);
  if (ok)
    move_results(framed, body, &returns);
  if (ok && reader && framed->results.count > 0)
    stow_ir_read_again(reader, stow_map_get(&frames->calls.index, framed->function.ptr));
  free(returns.at);
  return ok && check_results(frames, framed);
}

bool stow_frames_move_results(const stow_frames *frames) {
  const stow_components *components = &frames->calls.components;
  stow_reader *reader =
      stow_reader_create(&frames->calls, frames->options->unknown_ops, 0, frames->options->dynamic);
  bool ok = true;
  for (size_t i = 0; i < frames->calls.function_count && ok; ++i)
    ok = settle_results(frames, reader, &frames->functions[components->members[i]]);
  stow_reader_free(reader);
  return ok;
}
