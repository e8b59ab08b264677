//===- raise_loops.c - loops that are affine without saying so ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// scf.for, scf.parallel and affine.parallel become affine.for. Iterations of a parallel loop may
// run in any order, so also one after the other, the last dimension fastest. The loops around one
// are raised before it: its bounds may depend on their variables, which are affine from then on.
//
//===----------------------------------------------------------------------===//

#include "taskflow/steps.h"

#include "bridge/bridge.h"
#include "ir/op.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "taskflow/memory.h"
#include "taskflow/ops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

typedef struct refusal {
  const char *code, *text, *suggestion;
} refusal;

static const refusal not_affine = {"not-affine",
                                   "its bounds are not affine, or its step is no constant", NULL},
                     not_signed_index = {"not-index",
                                         "its variable is no index that is compared with a sign",
                                         NULL},
                     reduces = {"reduction", "it combines values in an order that is not fixed",
                                "write it as a loop that carries the value"},
                     carries_memref = {"carries-memref", "it carries a memref", NULL},
                     is_mapped = {"mapped", "its iterations are mapped to processors", NULL},
                     waits = {"barrier", "its iterations wait for each other", NULL},
                     has_no_variable = {"no-variable", "it has no induction variable", NULL},
                     stays_parallel = {"parallel", "its iterations may run at once",
                                       "set parallel-loops"};

typedef struct raising {
  MlirStringRef function; // its name
  bool parallel_loops;
} raising;

static void tell(const raising *r, MlirOperation loop, const refusal *why) {
  const stow_remark remark = {.kind = STOW_REMARK_MISSED,
                              .location = mlirOperationGetLocation(loop),
                              .category = "convert-affine-to-taskflow",
                              .name = why->code,
                              .function = r->function,
                              .text = "the loop stays as it is",
                              .reason = why->text,
                              .suggestion = why->suggestion};
  stow_remark_emit(&remark);
}

//===----------------------------------------------------------------------===//
// What a loop runs over
//===----------------------------------------------------------------------===//

// One dimension of a loop; what it holds is freed with free_range.
typedef struct range {
  stow_affine_value lower, upper;
  int64_t step;
} range;

typedef STOW_ARRAY(range) ranges;

static void free_ranges(ranges *list) {
  STOW_EACH(range, one, *list) {
    free(one->lower.operands);
    free(one->upper.operands);
  }
  free(list->at);
}

static stow_affine_value value_of_map(MlirAffineMap map, MlirOperation op, intptr_t first) {
  const size_t count = (size_t)mlirAffineMapGetNumInputs(map);
  stow_affine_value value = {map, stow_ir_allocate(count, sizeof(MlirValue)), count};
  for (size_t i = 0; i < count; ++i)
    value.operands[i] = mlirOperationGetOperand(op, first + (intptr_t)i);
  return value;
}

static stow_affine_value constant_value(MlirContext context, int64_t number) {
  return (stow_affine_value){mlirAffineMapConstantGet(context, number),
                             stow_ir_allocate(0, sizeof(MlirValue)), 0};
}

// The map is null where the value is not affine at `loop`. Of several results of an affine.min the
// smallest is an upper bound, as of an affine.max the largest is a lower one.
static stow_affine_value affine_value(MlirValue value, MlirOperation loop, stow_op_kind several) {
  MlirContext context = mlirOperationGetContext(loop);
  int64_t number;
  if (stow_ir_constant_of(value, &number))
    return constant_value(context, number);
  if (stow_ir_is_result_of(value, several)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    stow_affine_value bound =
        value_of_map(mlirAffineMapAttrGetValue(stow_attribute_of(op, "map")), op, 0);
    for (size_t i = 0; i < bound.operand_count; ++i)
      if (!stow_taskflow_may_be_in_map(bound.operands[i], loop))
        bound.map = (MlirAffineMap){NULL};
    return bound;
  }
  stow_affine_value bound = {.operands = stow_ir_allocate(1, sizeof(MlirValue)),
                             .operand_count = 1};
  bound.operands[0] = value;
  if (!stow_taskflow_may_be_in_map(value, loop))
    return bound;
  const bool symbol = stow_bridge_affine_is_symbol(value, loop);
  const MlirAffineExpr result =
      symbol ? mlirAffineSymbolExprGet(context, 0) : mlirAffineDimExprGet(context, 0);
  bound.map = mlirAffineMapGet(context, !symbol, symbol, 1, (MlirAffineExpr[]){result});
  return bound;
}

static const refusal *add_range(ranges *list, MlirOperation loop, MlirValue lower, MlirValue upper,
                                MlirValue step) {
  if (!mlirTypeIsAIndex(mlirValueGetType(lower)))
    return &not_signed_index;
  range one = {.lower = affine_value(lower, loop, STOW_AFFINE_MAX),
               .upper = affine_value(upper, loop, STOW_AFFINE_MIN)};
  const bool steps = stow_ir_constant_of(step, &one.step) && one.step > 0;
  STOW_PUSH(*list, one);
  return steps && !mlirAffineMapIsNull(one.lower.map) && !mlirAffineMapIsNull(one.upper.map)
             ? NULL
             : &not_affine;
}

static const refusal *ranges_of_scf(MlirOperation loop, intptr_t dimensions, ranges *list) {
  const refusal *why = NULL;
  for (intptr_t k = 0; k < dimensions && !why; ++k)
    why = add_range(list, loop, mlirOperationGetOperand(loop, k),
                    mlirOperationGetOperand(loop, dimensions + k),
                    mlirOperationGetOperand(loop, 2 * dimensions + k));
  return why;
}

// Results [first, first + count) of one of the loop's bound maps.
static stow_affine_value group_of_bounds(MlirOperation loop, const char *name, intptr_t operand,
                                         intptr_t first, intptr_t count) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(stow_attribute_of(loop, name));
  const MlirAffineExpr only = mlirAffineMapGetResult(map, first);
  if (count == 1 && mlirAffineExprIsAConstant(only))
    return constant_value(mlirAffineMapGetContext(map), mlirAffineConstantExprGetValue(only));
  intptr_t *results = stow_ir_allocate((size_t)count, sizeof *results);
  for (intptr_t i = 0; i < count; ++i)
    results[i] = first + i;
  const stow_affine_value value =
      value_of_map(mlirAffineMapGetSubMap(map, count, results), loop, operand);
  free(results);
  return value;
}

static intptr_t group_size(MlirOperation loop, const char *name, intptr_t dimension) {
  return mlirDenseElementsAttrGetInt32Value(stow_attribute_of(loop, name), dimension);
}

static void ranges_of_affine(MlirOperation loop, intptr_t dimensions, ranges *list) {
  const intptr_t upper_operand = mlirAffineMapGetNumInputs(
      mlirAffineMapAttrGetValue(stow_attribute_of(loop, "lowerBoundsMap")));
  MlirAttribute steps = stow_attribute_of(loop, "steps");
  intptr_t lower = 0, upper = 0;
  for (intptr_t k = 0; k < dimensions; ++k) {
    const intptr_t lowers = group_size(loop, "lowerBoundsGroups", k),
                   uppers = group_size(loop, "upperBoundsGroups", k);
    STOW_PUSH(*list, (range){group_of_bounds(loop, "lowerBoundsMap", 0, lower, lowers),
                             group_of_bounds(loop, "upperBoundsMap", upper_operand, upper, uppers),
                             mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(steps, k))});
    lower += lowers;
    upper += uppers;
  }
}

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

static bool is_parallel(MlirOperation op) {
  return stow_ir_is(op, STOW_SCF_PARALLEL) || stow_ir_is(op, STOW_AFFINE_PARALLEL);
}

static bool may_become_affine(MlirOperation op) {
  return stow_ir_is(op, STOW_SCF_FOR) || is_parallel(op);
}

static bool holds_barrier(MlirOperation loop) {
  STOW_EACH_OP_OF(op, loop)
    if (stow_ir_is(op, STOW_GPU_BARRIER))
      return true;
  return false;
}

static const refusal *why_not_in_sequence(MlirOperation loop, bool parallel_loops) {
  if (!parallel_loops)
    return &stays_parallel;
  if (mlirOperationGetNumResults(loop) > 0)
    return &reduces;
  if (!mlirAttributeIsNull(stow_attribute_of(loop, "mapping")))
    return &is_mapped;
  return holds_barrier(loop) ? &waits : NULL;
}

static const refusal *why_not_carried(MlirOperation loop) {
  if (!mlirAttributeIsNull(stow_attribute_of(loop, "unsignedCmp")))
    return &not_signed_index;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(loop); i < n; ++i)
    if (stow_taskflow_is_memref(mlirOperationGetResult(loop, i)))
      return &carries_memref;
  return NULL;
}

static const refusal *find_ranges(MlirOperation loop, bool parallel_loops, ranges *list) {
  const intptr_t dimensions =
      is_parallel(loop) ? mlirBlockGetNumArguments(stow_taskflow_loop_body(loop)) : 1;
  const refusal *why =
      is_parallel(loop) ? why_not_in_sequence(loop, parallel_loops) : why_not_carried(loop);
  if (why || dimensions == 0)
    return why ? why : &has_no_variable;
  if (!stow_ir_is(loop, STOW_AFFINE_PARALLEL))
    return ranges_of_scf(loop, dimensions, list);
  ranges_of_affine(loop, dimensions, list);
  return NULL;
}

//===----------------------------------------------------------------------===//
// Raising
//===----------------------------------------------------------------------===//

// Builds a loop per dimension before `loop` and returns the innermost.
static MlirOperation build_nest(MlirOperation loop, const ranges *list) {
  MlirLocation location = mlirOperationGetLocation(loop);
  MlirBlock body = stow_taskflow_loop_body(loop);
  MlirOperation nest = {NULL};
  stow_values inits = {0};
  if (!is_parallel(loop))
    stow_values_append_operands(&inits, loop, 3);
  for (size_t k = 0; k < list->count; ++k) {
    const range *one = &list->at[k];
    MlirOperation made = stow_taskflow_build_loop_between(loop, location, &one->lower, &one->upper,
                                                          one->step, inits.at, inits.count);
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, (intptr_t)k),
                                  stow_taskflow_loop_variable(made));
    if (k > 0) {
      stow_move_to_end(made, stow_taskflow_loop_body(nest));
      stow_taskflow_build_affine_yield(stow_taskflow_loop_body(nest), location, NULL, 0);
    }
    nest = made;
  }
  stow_values_free(&inits);
  return nest;
}

static void raise_loop(MlirOperation loop, const ranges *list) {
  MlirOperation innermost = build_nest(loop, list);
  if (!is_parallel(loop))
    stow_taskflow_copy_discardable_attributes(loop, innermost);
  stow_taskflow_take_over_loop(loop, innermost);
  stow_values yielded = {0};
  stow_values_append_operands(&yielded, mlirBlockGetTerminator(stow_taskflow_loop_body(loop)), 0);
  stow_taskflow_build_affine_yield(stow_taskflow_loop_body(innermost),
                                   mlirOperationGetLocation(loop), yielded.at, yielded.count);
  stow_values_free(&yielded);
  mlirOperationDestroy(loop);
}

static bool try_loop(const raising *r, MlirOperation loop) {
  ranges list = {0};
  const refusal *why = find_ranges(loop, r->parallel_loops, &list);
  if (why)
    tell(r, loop, why);
  else
    raise_loop(loop, &list);
  free_ranges(&list);
  return !why;
}

// What is inside of a loop that stays is left alone, as that is no task.
static void raise_nest(const raising *r, MlirOperation root) {
  stow_op_list loops = stow_ir_ops_in(root, may_become_affine);
  bool is_task = stow_taskflow_is_loop(root);
  for (size_t i = 0; i < loops.count && (is_task || i == 0); ++i)
    is_task |= try_loop(r, loops.at[i]);
  free(loops.at);
}

void stow_taskflow_raise_loops(MlirOperation function, MlirBlock block, bool parallel_loops) {
  raising r = {stow_bridge_function_name(function), parallel_loops};
  STOW_EACH_OP_THAT_MAY_GO(op, block)
    if (may_become_affine(op) || stow_taskflow_is_loop(op))
      raise_nest(&r, op);
}
