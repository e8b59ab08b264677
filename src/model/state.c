//===- state.c - state of a model, kept by its caller ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All mutable globals of ml_program are in one memory, the *state*, which the caller keeps from one
// call to the next. It becomes the last argument of each function that reads or writes one of them,
// and of the functions that call these:
//
//     %l = ml_program.global_load @s       =>  %l = alloc_tensor() copy(to_tensor (view of %state))
//     ml_program.global_store @s = %v      =>  memref.copy (to_buffer %v), (view of %state)
//
// Both copy, because a loaded or stored tensor must not change with a later store. elide-copies
// removes the copies that are not needed. Each public function with state gets a function
// NAME_state_init, which writes the initial values of the globals.
//
//===----------------------------------------------------------------------===//

#include "ir/state.h"

#include "ir/calls.h"
#include "ir/size.h"
#include "ir/symbols.h"
#include "model/model.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

// One global in the memory.
typedef struct stow_cell {
  MlirOperation global;
  MlirType tensor, memref;
  uint64_t offset;
} stow_cell;

// An op in a function, and what it mentions: a cell, or another function.
typedef struct stow_mention {
  MlirOperation op;
  int32_t function, of;
} stow_mention;

typedef STOW_ARRAY(stow_mention) stow_mentions;

typedef struct stow_state {
  MlirOperation module;
  stow_calls calls;
  STOW_ARRAY(stow_cell) cells;
  stow_map cell_of; // by the op of a global
  uint64_t bytes, alignment;
  stow_mentions accesses, called;
  bool *has;         // per function
  MlirValue *memory; // of those that have it
} stow_state;

//===----------------------------------------------------------------------===//
// The memory
//===----------------------------------------------------------------------===//

// As a heap aligns.
enum { LEAST_ALIGNMENT = 16 };

static bool is_state(MlirOperation op) {
  return stow_ir_is(op, STOW_ML_PROGRAM_GLOBAL) && stow_ir_has_attribute(op, "is_mutable");
}

// The memref of a tensor, or null after an error.
static MlirType memref_of(MlirOperation global, MlirType tensor) {
  const MlirLocation location = mlirOperationGetLocation(global);
  if (mlirTypeIsARankedTensor(tensor) && mlirShapedTypeHasStaticShape(tensor))
    return stow_model_memref_of(location, tensor);
  stow_ir_refuse(location, "state must be a tensor of static shape, as the caller keeps it in "
                           "memory of a fixed size; give each dimension a number");
  return (MlirType){NULL};
}

// What it holds at first; null where the program does not say.
static MlirAttribute initial_value(MlirOperation global) {
  const MlirAttribute value = stow_attribute_of(global, "value");
  const bool said = !mlirAttributeIsNull(value) && mlirAttributeIsAElements(value);
  return said ? value : mlirAttributeGetNull();
}

static bool place(stow_state *state, MlirOperation global, MlirType tensor, MlirType memref) {
  const stow_layout layout = stow_layout_at(state->module);
  stow_extent size = {0};
  uint64_t alignment = 0;
  if (stow_ir_memref_size(&layout, memref, &size, &alignment) != STOW_SIZE_OK)
    return stow_ir_refuse(mlirOperationGetLocation(global),
                          "the bytes of this state are not known");
  alignment = stow_ir_larger(alignment, LEAST_ALIGNMENT);
  const uint64_t offset = stow_ir_rounded_up(state->bytes, alignment);
  assert(offset >= state->bytes && offset % alignment == 0);
  if (size.bytes > (UINT64_C(1) << 62) - offset)
    return stow_ir_refuse(mlirOperationGetLocation(global),
                          "with this state all state has more than 2^62 bytes");
  stow_map_add(&state->cell_of, global.ptr, (int32_t)state->cells.count);
  STOW_PUSH(state->cells, (stow_cell){global, tensor, memref, offset});
  state->bytes = offset + size.bytes;
  state->alignment = stow_ir_larger(state->alignment, alignment);
  return true;
}

static bool add_cell(stow_state *state, MlirOperation global) {
  if (!mlirOperationEqual(mlirOperationGetParentOperation(global), state->module))
    return stow_ir_refuse(mlirOperationGetLocation(global),
                          "state of a module inside of the module; move it to the outer one");
  const MlirType tensor = mlirTypeAttrGetValue(stow_attribute_of(global, "type"));
  const MlirAttribute value = initial_value(global);
  if (!mlirAttributeIsNull(value) && !mlirTypeEqual(mlirAttributeGetType(value), tensor))
    return stow_ir_refuse(mlirOperationGetLocation(global), "its value has another type");
  const MlirType memref = memref_of(global, tensor);
  return !mlirTypeIsNull(memref) && place(state, global, tensor, memref);
}

static bool add_cells(stow_state *state) {
  bool good = true;
  STOW_EACH_FOUND(global, stow_ir_ops_in(state->module, is_state))
    good &= add_cell(state, global);
  return good;
}

//===----------------------------------------------------------------------===//
// Other forms of state
//===----------------------------------------------------------------------===//

static const struct {
  const char *name, *advice;
} other_forms[] = {
    {"tosa.variable", "run tosa-to-mlprogram before"},
    {"util.global", "make it an ml_program.global, or an argument and a result"},
    {"ml_program.subgraph", "make it a func.func"},
};
enum { OTHER_FORMS = sizeof other_forms / sizeof *other_forms };

static size_t form_of(MlirOperation op) {
  size_t i = 0;
  while (i < OTHER_FORMS && !stow_ir_op_is(op, other_forms[i].name))
    ++i;
  return i;
}

static bool has_other_form(MlirOperation op) { return form_of(op) < OTHER_FORMS; }

static bool refuse_other_forms(MlirOperation module) {
  const stow_op_list found = stow_ir_ops_in(module, has_other_form);
  const bool good = found.count == 0;
  STOW_EACH(const MlirOperation, op, found)
    stow_ir_refuse(mlirOperationGetLocation(*op), "'%s' is no state that can be the caller's; %s",
                   other_forms[form_of(*op)].name, other_forms[form_of(*op)].advice);
  free(found.at);
  return good;
}

//===----------------------------------------------------------------------===//
// Who has it
//===----------------------------------------------------------------------===//

// In the order of the module. A mention outside of all functions is of function -1.
static void note_mention(void *user, MlirOperation op, MlirOperation symbol) {
  stow_state *const state = user;
  if (mlirOperationIsNull(symbol))
    return;
  const int32_t function = stow_calls_caller(&state->calls, op);
  const int32_t cell = stow_map_get(&state->cell_of, symbol.ptr);
  const int32_t callee = stow_map_get(&state->calls.index, symbol.ptr);
  if (cell >= 0)
    STOW_PUSH(state->accesses, (stow_mention){op, function, cell});
  else if (callee >= 0)
    STOW_PUSH(state->called, (stow_mention){op, function, callee});
}

static void find_users(stow_state *state) {
  STOW_ARRAY(stow_jump) callers = {0};
  STOW_EACH(const stow_mention, access, state->accesses)
    if (access->function >= 0)
      state->has[access->function] = true;
  STOW_EACH(const stow_mention, call, state->called)
    if (call->function >= 0)
      STOW_PUSH(callers, (stow_jump){call->of, call->function});
  const size_t count = state->calls.function_count;
  stow_index index = stow_ir_successors_of(callers.at, callers.count, count);
  stow_ir_mark_reached(&index, count, state->has);
  stow_index_free(&index);
  free(callers.at);
}

static bool is_in_plain_function(const stow_state *state, const stow_mention *mention) {
  if (mention->function < 0)
    return false;
  const MlirOperation function = state->calls.functions[mention->function];
  return stow_ir_is(function, STOW_FUNC_FUNC) &&
         mlirOperationEqual(mlirOperationGetParentOperation(function), state->module);
}

static bool check_access(const stow_state *state, const stow_mention *access) {
  const bool known = stow_ir_is(access->op, STOW_ML_PROGRAM_GLOBAL_LOAD) ||
                     stow_ir_is(access->op, STOW_ML_PROGRAM_GLOBAL_STORE);
  return (known && is_in_plain_function(state, access)) ||
         stow_ir_refuse(mlirOperationGetLocation(access->op),
                        "state is read and written by ml_program.global_load and "
                        "ml_program.global_store in a func.func of the module only");
}

static bool check_call(const stow_state *state, const stow_mention *call) {
  if (!state->has[call->of] ||
      (stow_ir_is(call->op, STOW_FUNC_CALL) && !stow_ir_has_attribute(call->op, "arg_attrs") &&
       is_in_plain_function(state, call)))
    return true;
  const MlirStringRef name = stow_bridge_function_name(state->calls.functions[call->of]);
  return stow_ir_refuse(
      mlirOperationGetLocation(call->op),
      "'%.*s' keeps state, which a plain func.call in a func.func of the module can "
      "pass to it; call it by such an op",
      (int)name.length, name.data);
}

static bool check_mentions(const stow_state *state) {
  bool good = true;
  STOW_EACH(const stow_mention, access, state->accesses)
    good &= check_access(state, access);
  STOW_EACH(const stow_mention, call, state->called)
    good &= check_call(state, call);
  return good;
}

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

static MlirValue view_of(const stow_builder *builder, MlirValue memory, const stow_cell *cell) {
  const MlirValue offset =
      stow_ir_build_number(builder, mlirIndexTypeGet(builder->context), (int64_t)cell->offset);
  return stow_ir_build_view(builder, memory, offset, NULL, 0, cell->memref);
}

static void load_from(const stow_builder *builder, MlirOperation load, MlirValue memory) {
  const stow_attribute only = {"restrict", mlirUnitAttrGet(builder->context)};
  const MlirValue loaded = mlirOperationGetResult(load, 0),
                  tensor = stow_ir_build_with(builder, STOW_BUFFERIZATION_TO_TENSOR, &memory, 1,
                                              mlirValueGetType(loaded), only);
  mlirValueReplaceAllUsesOfWith(loaded, stow_model_build_own(builder, tensor));
}

static void replace(const stow_state *state, const stow_mention *access) {
  const stow_builder builder =
      stow_builder_before(access->op, mlirOperationGetLocation(access->op));
  assert(state->has[access->function] && state->memory[access->function].ptr);
  const MlirValue memory =
      view_of(&builder, state->memory[access->function], &state->cells.at[access->of]);
  if (stow_ir_is(access->op, STOW_ML_PROGRAM_GLOBAL_LOAD))
    load_from(&builder, access->op, memory);
  else
    stow_model_build_store(&builder, mlirOperationGetOperand(access->op, 0), memory);
  mlirOperationDestroy(access->op);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static MlirValue add_memory(const stow_state *state, MlirOperation function, MlirType type) {
  const MlirValue argument =
      stow_model_append_memory(function, type, STOW_STATE, (int64_t)state->alignment);
  const MlirBlock entry = mlirRegionGetFirstBlock(stow_bridge_function_body(function));
  const stow_builder builder =
      stow_builder_before(mlirBlockGetFirstOperation(entry), mlirOperationGetLocation(function));
  return stow_ir_build_aligned(&builder, argument, state->alignment);
}

static MlirType memory_type(const stow_state *state) {
  const MlirLocation location = mlirOperationGetLocation(state->module);
  const stow_builder builder = {.context = mlirLocationGetContext(location)};
  return stow_ir_bytes_type(&builder, state->bytes, mlirAttributeGetNull());
}

static void pass_memory(const stow_state *state) {
  for (size_t f = 0; f < state->calls.function_count; ++f)
    if (state->has[f])
      state->memory[f] = add_memory(state, state->calls.functions[f], memory_type(state));
  STOW_EACH(const stow_mention, call, state->called)
    if (state->has[call->of]) {
      assert(state->has[call->function]);
      stow_bridge_append_operands(call->op, &state->memory[call->function], 1);
    }
}

//===----------------------------------------------------------------------===//
// What it holds at first
//===----------------------------------------------------------------------===//

static void initialize(const stow_builder *builder, MlirValue memory, const stow_cell *cell) {
  const MlirAttribute value = initial_value(cell->global);
  if (mlirAttributeIsNull(value))
    return;
  const MlirValue tensor = stow_ir_build_with(builder, STOW_ARITH_CONSTANT, NULL, 0, cell->tensor,
                                              (stow_attribute){"value", value});
  stow_model_build_store(builder, tensor, view_of(builder, memory, cell));
}

static void build_init(const stow_state *state, MlirOperation function, const char *name) {
  const MlirLocation location = mlirOperationGetLocation(function);
  const stow_builder outside = stow_builder_before(function, location);
  const MlirType none = mlirFunctionTypeGet(outside.context, 0, NULL, 0, NULL);
  const MlirOperation init = stow_ir_build_function(&outside, name, none, true);
  stow_ir_set_unit(init, STOW_STATE_INIT);
  if (stow_ir_has_attribute(function, "llvm.emit_c_interface"))
    stow_ir_set_unit(init, "llvm.emit_c_interface");
  const MlirValue memory = add_memory(state, init, memory_type(state));
  const MlirBlock body = mlirRegionGetFirstBlock(stow_bridge_function_body(init));
  const stow_builder inside = stow_builder_before(mlirBlockGetTerminator(body), location);
  STOW_EACH(const stow_cell, cell, state->cells)
    initialize(&inside, memory, cell);
}

static bool add_init(const stow_state *state, stow_symbol_names *names, MlirOperation function) {
  const MlirStringRef own = stow_bridge_function_name(function);
  char *const name = stow_ir_format("%.*s" STOW_STATE_INIT_SUFFIX, (int)own.length, own.data);
  const bool free_name =
      stow_ir_take_name(names, name) ||
      stow_ir_refuse(mlirOperationGetLocation(function),
                     "there is a symbol '%s' already, the name of what initializes the state",
                     name);
  if (free_name)
    build_init(state, function, name);
  free(name);
  return free_name;
}

static bool add_inits(const stow_state *state) {
  stow_symbol_names names = stow_symbol_names_of(state->module);
  bool good = true;
  for (size_t f = 0; f < state->calls.function_count; ++f)
    if (state->has[f] && !stow_bridge_is_private(state->calls.functions[f]))
      good &= add_init(state, &names, state->calls.functions[f]);
  stow_symbol_names_free(&names);
  return good;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

static bool find_mentions(stow_state *state) {
  if (!stow_bridge_symbol_uses(state->module, state->calls.symbols, note_mention, state))
    return stow_ir_refuse(mlirOperationGetLocation(state->module),
                          "an op of the module may use state that it does not name");
  find_users(state);
  return check_mentions(state);
}

static bool pass_state(stow_state *state) {
  if (!find_mentions(state) || !add_inits(state))
    return false;
  pass_memory(state);
  STOW_EACH(const stow_mention, access, state->accesses)
    replace(state, access);
  STOW_EACH(const stow_cell, cell, state->cells)
    mlirOperationDestroy(cell->global);
  return true;
}

bool stow_model_pass_state(MlirOperation module) {
  if (!refuse_other_forms(module))
    return false;
  stow_state state = {.module = module, .calls = stow_calls_of(module)};
  state.has = stow_ir_allocate(state.calls.function_count, sizeof *state.has);
  state.memory = stow_ir_allocate(state.calls.function_count, sizeof *state.memory);
  const bool good = add_cells(&state) && (state.cells.count == 0 || pass_state(&state));
  free(state.memory);
  free(state.has);
  free(state.cells.at);
  free(state.accesses.at);
  free(state.called.at);
  stow_map_free(&state.cell_of);
  stow_calls_free(&state.calls);
  return good;
}
