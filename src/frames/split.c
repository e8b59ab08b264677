//===- split.c - entry points that keep their signature -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// @f is renamed to @f_with_arena, which takes a frame like any function that is called. A new @f
// with the old signature calls it: the *wrapper*, which has the arena.
//
//===----------------------------------------------------------------------===//

#include "frames/frames.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

// In a place of its own the arena of an entry point that is called from within would be taken
// twice. As an argument it is the caller's, whoever that is.
static bool must_split(const stow_frames *frames, const stow_framed *framed) {
  if (!framed->entry)
    return false;
  return stow_arena_place_is(frames->options->arena, STOW_BACKING_IS_PASSED)
             ? frames->options->keep_wrapper
             : framed->calls.count > 0;
}

static void copy_attributes(MlirOperation from, MlirOperation to) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(from); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(from, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (!stow_ir_string_equal(name, "sym_name"))
      mlirOperationSetAttributeByName(to, name, attribute.attribute);
  }
}

// Calls the function with the arguments of the block, and returns what it returns.
static void forward(MlirBlock block, const char *name, MlirType type, MlirLocation location) {
  MlirContext context = mlirLocationGetContext(location);
  MlirOperationState state =
      mlirOperationStateGet(stow_ir_string(stow_ir_kind_name(STOW_FUNC_CALL)), location);
  MlirNamedAttribute callee =
      mlirNamedAttributeGet(mlirIdentifierGet(context, stow_ir_string("callee")),
                            mlirFlatSymbolRefAttrGet(context, stow_ir_string(name)));
  mlirOperationStateAddAttributes(&state, 1, &callee);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i) {
    MlirType result = mlirFunctionTypeGetResult(type, i);
    mlirOperationStateAddResults(&state, 1, &result);
  }
  MlirOperation call = mlirOperationCreate(&state), end = mlirBlockGetTerminator(block);
  mlirBlockInsertOwnedOperationBefore(block, end, call);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    stow_bridge_append_operands(call, &argument, 1);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i) {
    MlirValue result = mlirOperationGetResult(call, i);
    stow_bridge_append_operands(end, &result, 1);
  }
}

static stow_split split(const stow_frames *frames, const stow_framed *framed,
                        stow_symbol_names *names) {
  MlirOperation inner = framed->function;
  MlirLocation location = mlirOperationGetLocation(inner);
  MlirContext context = mlirLocationGetContext(location);
  char *name = stow_ir_copy_string(stow_bridge_function_name(inner));
  char *wanted = stow_ir_format("%s_with_arena", name);
  char *inner_name = stow_ir_take_free_name(names, wanted);
  MlirType type = stow_ir_function_type(inner);
  stow_bridge_rename_symbol(inner, inner_name);
  const stow_builder builder = stow_builder_before(inner, location);
  MlirOperation wrapper = stow_ir_build_function(&builder, name, type, true);
  copy_attributes(inner, wrapper);
  forward(mlirRegionGetFirstBlock(stow_bridge_function_body(wrapper)), inner_name, type, location);
  for (size_t i = 0; i < framed->calls.count; ++i)
    mlirOperationSetAttributeByName(framed->calls.at[i], stow_ir_string("callee"),
                                    mlirFlatSymbolRefAttrGet(context, stow_ir_string(inner_name)));
  if (!stow_arena_place_is(frames->options->arena, STOW_BACKING_IS_PASSED))
    mlirOperationSetAttributeByName(inner, stow_ir_string("sym_visibility"),
                                    mlirStringAttrGet(context, stow_ir_string("private")));
  free(name);
  free(wanted);
  free(inner_name);
  return (stow_split){.wrapper = wrapper, .inner = inner};
}

stow_splits stow_split_entries(const stow_frames *frames, stow_symbol_names *names) {
  stow_splits splits = {0};
  for (size_t f = 0; f < frames->calls.function_count; ++f) {
    if (!must_split(frames, &frames->functions[f]))
      continue;
    const stow_split made = split(frames, &frames->functions[f], names);
    stow_map_add(&splits.wrappers, made.wrapper.ptr, (int32_t)splits.all.count);
    stow_map_add(&splits.inners, made.inner.ptr, (int32_t)splits.all.count);
    STOW_PUSH(splits.all, made);
  }
  return splits;
}

void stow_splits_free(stow_splits *splits) {
  free(splits->all.at);
  stow_map_free(&splits->wrappers);
  stow_map_free(&splits->inners);
}

char *stow_frames_entry_name(const stow_splits *splits, MlirOperation function) {
  const int32_t split = stow_map_get(&splits->inners, function.ptr);
  return stow_ir_copy_string(
      stow_bridge_function_name(split >= 0 ? splits->all.at[split].wrapper : function));
}
