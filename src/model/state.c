//===- state.c - state of a model, passed by its caller -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mutable ml_program.global of tensor type becomes an argument of each function that reads or
// writes it, and of those that call them. It is memory that the caller keeps from one call to the
// next; what it holds at first is a constant memref.global of the name NAME_initial:
//
//     %l = ml_program.global_load @s            %c = alloc(); memref.copy %state, %c
//                                         =>    %l = to_tensor %c
//     ml_program.global_store @s = %v           materialize_in_destination %v in %state
//
// Loads copy, so that no later store is seen through what was loaded. elide-copies takes away those
// that nobody needs.
//
//===----------------------------------------------------------------------===//

#include "ir/planned.h"
#include "model/model.h"

#include "mlir-c/BuiltinTypes.h"

static MlirAttribute attribute(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, stow_string(name));
}

typedef struct stow_state {
  MlirOperation module, global;
  MlirStringRef name;
  MlirType type; // of the argument
  stow_op_list functions;
  bool *has;           // per function
  MlirValue *argument; // of those that have it
} stow_state;

static bool is_state(MlirOperation op) {
  return stow_is(op, STOW_ML_PROGRAM_GLOBAL) && !mlirAttributeIsNull(attribute(op, "is_mutable")) &&
         stow_type_is_tensor(mlirTypeAttrGetValue(attribute(op, "type")));
}

static bool is_access(MlirOperation op) {
  return stow_is(op, STOW_ML_PROGRAM_GLOBAL_LOAD) || stow_is(op, STOW_ML_PROGRAM_GLOBAL_STORE);
}

static bool is_call(MlirOperation op) { return stow_is(op, STOW_FUNC_CALL); }

static intptr_t function_around(const stow_state *state, MlirOperation op) {
  for (MlirOperation at = op; !mlirOperationIsNull(at); at = mlirOperationGetParentOperation(at))
    for (size_t i = 0; i < state->functions.count; ++i)
      if (mlirOperationEqual(state->functions.at[i], at))
        return (intptr_t)i;
  return -1;
}

static bool accesses(const stow_state *state, MlirOperation op) {
  return function_around(state, op) >= 0 &&
         mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(attribute(op, "global")), state->name);
}

static intptr_t called_by(const stow_state *state, MlirOperation call) {
  const MlirStringRef name = mlirFlatSymbolRefAttrGetValue(attribute(call, "callee"));
  for (size_t i = 0; i < state->functions.count; ++i)
    if (mlirStringRefEqual(stow_function_name(state->functions.at[i]), name))
      return (intptr_t)i;
  return -1;
}

static void find_users(stow_state *state, const stow_op_list *ops, const stow_op_list *calls) {
  for (size_t i = 0; i < ops->count; ++i)
    if (accesses(state, ops->at[i]))
      state->has[function_around(state, ops->at[i])] = true;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < calls->count; ++i) {
      const intptr_t callee = called_by(state, calls->at[i]);
      const intptr_t caller = function_around(state, calls->at[i]);
      if (callee >= 0 && caller >= 0 && state->has[callee] && !state->has[caller])
        more = state->has[caller] = true;
    }
  }
}

static void pass_on(const stow_state *state, const stow_op_list *calls) {
  for (size_t i = 0; i < calls->count; ++i) {
    const intptr_t callee = called_by(state, calls->at[i]);
    const intptr_t caller = function_around(state, calls->at[i]);
    if (callee >= 0 && caller >= 0 && state->has[callee])
      stow_append_operands(calls->at[i], &state->argument[caller], 1);
  }
}

static void add_arguments(const stow_state *state) {
  for (size_t i = 0; i < state->functions.count; ++i)
    if (state->has[i])
      state->argument[i] = stow_append_argument(state->functions.at[i], state->type,
                                                mlirOperationGetLocation(state->global));
}

// That nothing else names the memory, and that it may be written.
typedef struct stow_flags {
  stow_attribute both[2];
} stow_flags;

static stow_flags flags_of(const stow_builder *builder) {
  const MlirAttribute unit = mlirUnitAttrGet(builder->context);
  return (stow_flags){{{"restrict", unit}, {"writable", unit}}};
}

static void load_from(const stow_builder *builder, MlirOperation load, MlirValue memory) {
  const MlirValue copy = stow_build_alloc(builder, mlirValueGetType(memory), 0);
  stow_build_copy(builder, memory, copy);
  const MlirValue loaded = mlirOperationGetResult(load, 0);
  const stow_flags flags = flags_of(builder);
  const stow_op_parts parts = {STOW_BUFFERIZATION_TO_TENSOR, &copy,      1,
                               mlirValueGetType(loaded),     flags.both, 2};
  mlirValueReplaceAllUsesOfWith(loaded, mlirOperationGetResult(stow_build_op(builder, &parts), 0));
}

static void store_to(const stow_builder *builder, MlirOperation store, MlirValue memory) {
  const MlirValue operands[] = {mlirOperationGetOperand(store, 0), memory};
  const stow_flags flags = flags_of(builder);
  stow_build_op(builder, &(stow_op_parts){.kind = STOW_BUFFERIZATION_MATERIALIZE_IN_DESTINATION,
                                          .operands = operands,
                                          .operand_count = 2,
                                          .attributes = flags.both,
                                          .attribute_count = 2});
}

static void replace(const stow_state *state, MlirOperation op) {
  const stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(op));
  const MlirValue memory = state->argument[function_around(state, op)];
  if (stow_is(op, STOW_ML_PROGRAM_GLOBAL_LOAD))
    load_from(&builder, op, memory);
  else
    store_to(&builder, op, memory);
  mlirOperationDestroy(op);
}

// What the state holds at first.
static void keep_image(const stow_state *state) {
  const MlirAttribute value = attribute(state->global, "value");
  if (mlirAttributeIsNull(value) || !mlirAttributeIsAElements(value))
    return;
  const MlirContext context = mlirOperationGetContext(state->module);
  const stow_builder builder =
      stow_builder_before(state->global, mlirOperationGetLocation(state->global));
  stow_text name = {0};
  stow_text_append(&name, state->name.data, state->name.length);
  stow_text_printf(&name, "_initial");
  char *const text = stow_text_take(&name);
  const stow_attribute parts[] = {
      {"sym_name", mlirStringAttrGet(context, stow_string(text))},
      {"sym_visibility", mlirStringAttrGet(context, stow_string("public"))},
      {"type", mlirTypeAttrGet(state->type)},
      {"initial_value", value},
      {"constant", mlirUnitAttrGet(context)}};
  stow_build_op(
      &builder,
      &(stow_op_parts){.kind = STOW_MEMREF_GLOBAL, .attributes = parts, .attribute_count = 5});
  free(text);
}

static MlirType memory_of(MlirType tensor) {
  int64_t shape[64];
  const intptr_t rank = mlirShapedTypeGetRank(tensor);
  if (rank > 64 || !mlirShapedTypeHasStaticShape(tensor))
    return (MlirType){0};
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeGetDimSize(tensor, i);
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(tensor), rank, shape,
                                     mlirAttributeGetNull());
}

static void pass(stow_state *state) {
  const stow_op_list calls = stow_ops_in(state->module, is_call);
  stow_op_list ops = stow_ops_in(state->module, is_access);
  find_users(state, &ops, &calls);
  add_arguments(state);
  pass_on(state, &calls);
  for (size_t i = 0; i < ops.count; ++i)
    if (accesses(state, ops.at[i]))
      replace(state, ops.at[i]);
  free(ops.at);
  free(calls.at);
}

static bool pass_global(MlirOperation module, MlirOperation global) {
  stow_state state = {.module = module, .global = global};
  const MlirType tensor = mlirTypeAttrGetValue(attribute(global, "type"));
  if (mlirTypeIsARankedTensor(tensor))
    state.type = memory_of(tensor);
  if (mlirTypeIsNull(state.type)) {
    stow_error(mlirOperationGetLocation(global),
               "state must have a static shape to be memory of the caller's", NULL, 0);
    return false;
  }
  state.name = mlirStringAttrGetValue(attribute(global, "sym_name"));
  state.functions = stow_functions_in(module);
  state.has = stow_allocate(state.functions.count, sizeof *state.has);
  state.argument = stow_allocate(state.functions.count, sizeof *state.argument);
  pass(&state);
  keep_image(&state);
  mlirOperationDestroy(global);
  free(state.argument);
  free(state.has);
  free(state.functions.at);
  return true;
}

bool stow_pass_state(MlirOperation module) {
  const stow_op_list globals = stow_ops_in(module, is_state);
  bool good = true;
  for (size_t i = 0; i < globals.count; ++i)
    good &= pass_global(module, globals.at[i]);
  free(globals.at);
  return good;
}
