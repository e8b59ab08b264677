//===- calls.c - the functions of a module, callees first -----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a module. Computes which functions each call may call. Calls by address are followed
// back to the constants that they may be; one from elsewhere may be any function of as many
// arguments and results whose address is taken. Functions that call each other form a component,
// callees first.
//
//===----------------------------------------------------------------------===//

#include "ir/calls.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// Calls of addresses from elsewhere with so many arguments and results: one number for all.
typedef struct elsewhere {
  intptr_t arguments, results;
  int32_t number;
} elsewhere;

typedef struct collecting {
  stow_calls *calls;
  MlirOperation module;
  stow_op_list found;    // calls, wherever they are
  stow_op_list pointers; // constants that are functions
  bool foreign;          // some address may come from outside of the module
  STOW_ARRAY(elsewhere) elsewhere;
  size_t function_capacity, count_capacity;
} collecting;

static bool calls_a_body(const stow_calls *calls, MlirOperation op) {
  const MlirOperation callee = stow_bridge_callee(op, calls->symbols);
  return !mlirOperationIsNull(callee) && !mlirRegionIsNull(stow_bridge_function_body(callee));
}

static bool regions_take_address(MlirOperation op) {
  for (intptr_t r = 0, n = mlirOperationGetNumRegions(op); r < n; ++r)
    if (stow_ir_takes(mlirOperationGetRegion(op, r), mlirTypeIsAFunction))
      return true;
  return false;
}

// Whether the op may give an address that is none of the module's constants. Types are asked first:
// few programs have addresses at all.
static bool brings_address(const stow_calls *calls, MlirOperation op) {
  const bool gives = stow_ir_gives(op, mlirTypeIsAFunction), takes = regions_take_address(op);
  if (!(gives || takes) || stow_ir_is(op, STOW_FUNC_CONSTANT) ||
      stow_ir_is(op, STOW_ARITH_SELECT) || (stow_op_facts(op) & STOW_OP_REGION_BRANCH))
    return false;
  return (gives && !(stow_bridge_op_is_call(op) && calls_a_body(calls, op))) ||
         (takes && !(stow_bridge_op_is_function(op) && stow_bridge_is_private(op)));
}

static void collect_op(collecting *c, MlirOperation op) {
  stow_calls *calls = c->calls;
  const uint32_t facts = stow_ir_look_up(c->calls->names, op).facts;
  if ((facts & STOW_OP_FUNCTION) && mlirOperationGetNumRegions(op) > 0 &&
      !mlirRegionIsNull(stow_bridge_function_body(op))) {
    stow_map_add(&calls->index, op.ptr, (int32_t)calls->function_count);
    calls->functions = stow_ir_grow(calls->functions, calls->function_count, &c->function_capacity,
                                    sizeof *calls->functions);
    calls->op_counts = stow_ir_grow(calls->op_counts, calls->function_count, &c->count_capacity,
                                    sizeof *calls->op_counts);
    calls->op_counts[calls->function_count] = 0;
    calls->functions[calls->function_count++] = op;
  } else if (facts & STOW_OP_CALL) {
    STOW_PUSH(c->found, op);
  } else if (stow_ir_is(op, STOW_FUNC_CONSTANT)) {
    STOW_PUSH(c->pointers, op);
  }
  if (calls->function_count > 0)
    ++calls->op_counts[calls->function_count - 1];
}

// The function with a body that a constant is the address of, or -1.
static int32_t function_of_constant(const stow_calls *calls, MlirOperation constant) {
  MlirOperation function = stow_bridge_named_function(constant, "value", calls->symbols);
  return mlirOperationIsNull(function) ? -1 : stow_map_get(&calls->index, function.ptr);
}

static void find_pointed(collecting *c) {
  stow_calls *calls = c->calls;
  calls->pointed = stow_ir_allocate(calls->function_count, sizeof *calls->pointed);
  for (size_t i = 0; i < c->pointers.count; ++i) {
    const int32_t f = function_of_constant(calls, c->pointers.at[i]);
    if (f < 0)
      continue;
    calls->pointed[f] = true;
    c->foreign = c->foreign ||
                 stow_ir_takes(stow_bridge_function_body(calls->functions[f]), mlirTypeIsAFunction);
  }
}

// Only calls of addresses from elsewhere ask, and few modules have any.
static void find_foreign(collecting *c) {
  if (!c->foreign && c->elsewhere.count == 0)
    STOW_EACH_OP_OF(op, c->module)
      c->foreign = c->foreign || brings_address(c->calls, op);
}

int32_t stow_ir_called(const stow_calls *calls, MlirOperation op) {
  MlirOperation callee = stow_bridge_callee(op, calls->symbols);
  return mlirOperationIsNull(callee) ? -1 : stow_map_get(&calls->index, callee.ptr);
}

int32_t stow_calls_caller(const stow_calls *calls, MlirOperation op) {
  for (op = mlirOperationGetParentOperation(op); !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op)) {
    int32_t function = stow_map_get(&calls->index, op.ptr);
    if (function >= 0)
      return function;
  }
  return -1;
}

//===----------------------------------------------------------------------===//
// Calls by address
//===----------------------------------------------------------------------===//

typedef STOW_ARRAY(stow_jump) jumps;

// The functions that an address may be of.
typedef struct addressed {
  stow_values values;
  STOW_ARRAY(int32_t) functions;
  bool leaves; // it may be of one without a body
} addressed;

static void add_function(const stow_calls *calls, addressed *a, MlirOperation constant) {
  const int32_t f = function_of_constant(calls, constant);
  if (f >= 0)
    STOW_PUSH(a->functions, f);
  else
    a->leaves = true;
}

// False: it may be any.
static bool follow_address(const stow_calls *calls, addressed *a, MlirValue value) {
  MlirOperation op = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){0};
  if (mlirOperationIsNull(op))
    return false;
  if (stow_ir_is(op, STOW_ARITH_SELECT)) {
    stow_values_add(&a->values, mlirOperationGetOperand(op, 1));
    stow_values_add(&a->values, mlirOperationGetOperand(op, 2));
    return true;
  }
  if (!stow_ir_is(op, STOW_FUNC_CONSTANT))
    return false;
  add_function(calls, a, op);
  return true;
}

static bool follow_addresses(const stow_calls *calls, MlirOperation call, addressed *a) {
  if (!stow_ir_is(call, STOW_FUNC_CALL_INDIRECT))
    return false;
  stow_values_add(&a->values, mlirOperationGetOperand(call, 0));
  bool known = true;
  for (size_t i = 0; i < a->values.count && known; ++i)
    known = follow_address(calls, a, a->values.at[i]);
  return known;
}

static bool is_of_as_many(MlirOperation constant, const elsewhere *calls) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(constant, 0));
  return mlirFunctionTypeGetNumInputs(type) == calls->arguments &&
         mlirFunctionTypeGetNumResults(type) == calls->results;
}

// Each function once.
static void add_as_many(const collecting *c, const elsewhere *calls, addressed *a) {
  bool *added = stow_ir_allocate(c->calls->function_count, sizeof *added);
  a->leaves = c->foreign;
  for (size_t i = 0; i < c->pointers.count; ++i) {
    const int32_t f = function_of_constant(c->calls, c->pointers.at[i]);
    if (!is_of_as_many(c->pointers.at[i], calls) || (f >= 0 && added[f]))
      continue;
    add_function(c->calls, a, c->pointers.at[i]);
    if (f >= 0)
      added[f] = true;
  }
  free(added);
}

// A new number of calls that may call the functions, with a jump to each.
static int32_t number_calls(stow_calls *calls, const addressed *a, jumps *callees) {
  const int32_t number = (int32_t)calls->by_address_count++;
  calls->leaves[number] = a->leaves;
  for (size_t i = 0; i < a->functions.count; ++i) {
    stow_ir_unite(calls->alike, a->functions.at[0], a->functions.at[i]);
    STOW_PUSH(*callees, (stow_jump){number, a->functions.at[i]});
  }
  return number;
}

static int32_t number_elsewhere(collecting *c, MlirOperation call, jumps *callees) {
  elsewhere its = {.results = mlirOperationGetNumResults(call)};
  intptr_t first;
  stow_bridge_call_arguments(call, &first, &its.arguments);
  for (size_t i = 0; i < c->elsewhere.count; ++i)
    if (c->elsewhere.at[i].arguments == its.arguments && c->elsewhere.at[i].results == its.results)
      return c->elsewhere.at[i].number;
  addressed a = {0};
  find_foreign(c);
  add_as_many(c, &its, &a);
  its.number = number_calls(c->calls, &a, callees);
  STOW_PUSH(c->elsewhere, its);
  free(a.functions.at);
  return its.number;
}

static void find_by_address(collecting *c, MlirOperation call, jumps *callees) {
  stow_calls *calls = c->calls;
  addressed a = {0};
  const int32_t number = follow_addresses(calls, call, &a) ? number_calls(calls, &a, callees)
                                                           : number_elsewhere(c, call, callees);
  stow_map_add(&calls->by_address, call.ptr, number);
  stow_values_free(&a.values);
  free(a.functions.at);
}

static void find_all_by_address(collecting *c) {
  stow_calls *calls = c->calls;
  jumps callees = {0};
  calls->alike = stow_ir_sets_of(calls->function_count);
  calls->leaves = stow_ir_allocate(c->found.count, sizeof *calls->leaves);
  for (size_t i = 0; i < c->found.count; ++i)
    if (mlirOperationIsNull(stow_bridge_callee(c->found.at[i], calls->symbols)))
      find_by_address(c, c->found.at[i], &callees);
  for (size_t f = 0; f < calls->function_count; ++f)
    calls->alike[f] = stow_ir_leader(calls->alike, (int32_t)f);
  calls->callees = stow_ir_successors_of(callees.at, callees.count, calls->by_address_count);
  free(callees.at);
}

int32_t stow_ir_call_by_address(const stow_calls *calls, MlirOperation call) {
  return stow_map_get(&calls->by_address, call.ptr);
}

//===----------------------------------------------------------------------===//
// Who calls whom
//===----------------------------------------------------------------------===//

static void add_calls(const stow_calls *calls, MlirOperation op, jumps *known) {
  const int32_t caller = stow_calls_caller(calls, op), callee = stow_ir_called(calls, op),
                number = stow_ir_call_by_address(calls, op);
  if (caller < 0)
    return;
  if (callee >= 0)
    STOW_PUSH(*known, (stow_jump){caller, callee});
  for (int32_t i = number < 0 ? 0 : calls->callees.first[number];
       number >= 0 && i < calls->callees.first[number + 1]; ++i)
    STOW_PUSH(*known, (stow_jump){caller, calls->callees.items[i]});
}

// Functions that one call may call are as if they called each other.
static void find_components(const collecting *c) {
  stow_calls *calls = c->calls;
  jumps known = {0};
  for (size_t f = 0; f < calls->function_count; ++f) {
    if (calls->alike[f] == (int32_t)f)
      continue;
    STOW_PUSH(known, (stow_jump){(int32_t)f, calls->alike[f]});
    STOW_PUSH(known, (stow_jump){calls->alike[f], (int32_t)f});
  }
  for (size_t i = 0; i < c->found.count; ++i)
    add_calls(calls, c->found.at[i], &known);
  calls->called = stow_ir_successors_of(known.at, known.count, calls->function_count);
  calls->components = stow_components_of(&calls->called, calls->function_count);
  free(known.at);
}

stow_calls stow_calls_of(MlirOperation module) {
  stow_calls calls = {.symbols = stow_symbols_create(),
                      .names = stow_ir_allocate(1, sizeof *calls.names)};
  collecting c = {.calls = &calls, .module = module};
  STOW_EACH_OP_OF(op, module)
    collect_op(&c, op);
  find_pointed(&c);
  find_all_by_address(&c);
  find_components(&c);
  free(c.found.at);
  free(c.pointers.at);
  free(c.elsewhere.at);
  return calls;
}

void stow_calls_free(stow_calls *calls) {
  stow_map_free(&calls->index);
  stow_map_free(&calls->by_address);
  stow_index_free(&calls->callees);
  stow_symbols_destroy(calls->symbols);
  stow_by_name_free(calls->names);
  free(calls->names);
  stow_index_free(&calls->called);
  stow_components_free(&calls->components);
  free(calls->functions);
  free(calls->op_counts);
  free(calls->pointed);
  free(calls->alike);
  free(calls->leaves);
  *calls = (stow_calls){0};
}

bool stow_ir_call_borrows(const stow_calls *calls, MlirOperation op, intptr_t argument) {
  MlirOperation callee = stow_bridge_callee(op, calls->symbols);
  return !mlirOperationIsNull(callee) &&
         (stow_bridge_argument_has_attribute(callee, argument, "llvm.nocapture") ||
          stow_bridge_argument_has_attribute(callee, argument, "stowage.nocapture"));
}

bool stow_ir_call_lends(const stow_calls *calls, MlirOperation op, intptr_t result) {
  MlirOperation callee = stow_bridge_callee(op, calls->symbols);
  return !mlirOperationIsNull(callee) &&
         stow_bridge_result_has_attribute(callee, result, STOW_BORROWED);
}
