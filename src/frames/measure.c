//===- measure.c - frames whose bytes the arguments say -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of such a frame are kept as a function, func.func @f(%n: index, ...) -> index, that
// is no part of the module until an entry point tells them. A caller computes them with the ops
// of its body.
//
//===----------------------------------------------------------------------===//

#include "frames/frames.h"

#include "arena/dynamic.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

STOW_BY_FIELDS(compare_reads, stow_read, argument, dimension)

static int64_t index_of(const stow_measure *measure, intptr_t argument, int64_t dimension) {
  for (size_t i = 0; i < measure->reads.count; ++i)
    if (measure->reads.at[i].argument == argument && measure->reads.at[i].dimension == dimension)
      return (int64_t)i;
  return -1;
}

// Several variables may be read from one argument: the cases of a switch.
static void list_reads(const stow_extents *extents, stow_formula bytes, stow_measure *out) {
  size_t count;
  size_t *read = stow_variables_of(extents, &bytes, 1, &count);
  for (size_t i = 0; i < count; ++i) {
    const stow_variable *variable = &extents->variables.at[read[i]];
    const intptr_t argument = stow_argument_of(extents, variable);
    assert(argument >= 0); // stow_arena_sort_dynamic sees to it
    if (index_of(out, argument, variable->dimension) < 0)
      STOW_PUSH(out->reads,
                (stow_read){.argument = argument,
                            .dimension = variable->dimension,
                            .name = stow_argument_name(extents, argument, variable->dimension)});
  }
  STOW_SORT(out->reads, compare_reads);
  free(read);
}

// A function without a name, in front of another, that is given what is read.
static MlirOperation build_function(const stow_measure *measure, MlirOperation before) {
  const stow_builder builder = stow_builder_before(before, mlirOperationGetLocation(before));
  const MlirType index = mlirIndexTypeGet(builder.context);
  MlirType *inputs = stow_ir_allocate(measure->reads.count, sizeof *inputs);
  for (size_t i = 0; i < measure->reads.count; ++i)
    inputs[i] = index;
  const MlirType type =
      mlirFunctionTypeGet(builder.context, (intptr_t)measure->reads.count, inputs, 1, &index);
  free(inputs);
  return stow_ir_build_function(&builder, "", type, true);
}

static MlirBlock body_of(MlirOperation function) {
  return mlirRegionGetFirstBlock(stow_bridge_function_body(function));
}

// Per variable what it is, of what is read. Freed with free().
static MlirValue *build_variables(const stow_extents *extents, stow_formula bytes,
                                  const stow_measure *measure, const stow_builder *builder) {
  const MlirBlock body = mlirOperationGetBlock(builder->before);
  MlirValue *given = stow_ir_allocate(extents->variables.count, sizeof *given);
  size_t count;
  size_t *read = stow_variables_of(extents, &bytes, 1, &count);
  for (size_t i = 0; i < count; ++i) {
    const stow_variable *variable = &extents->variables.at[read[i]];
    const int64_t from =
        index_of(measure, stow_argument_of(extents, variable), variable->dimension);
    given[read[i]] = stow_ir_build_variable(builder, variable, mlirBlockGetArgument(body, from));
  }
  free(read);
  return given;
}

static void fill_body(const stow_extents *extents, stow_formula bytes, const stow_measure *measure,
                      MlirOperation function) {
  const MlirBlock body = body_of(function);
  const MlirOperation end = mlirBlockGetTerminator(body);
  stow_constants constants = {.builder = stow_builder_before(end, mlirOperationGetLocation(end))};
  MlirValue *given = build_variables(extents, bytes, measure, &constants.builder);
  stow_emitter emitter = {
      .extents = extents, .builder = constants.builder, .constants = &constants, .given = given};
  const MlirValue result = stow_ir_emit(&emitter, bytes);
  stow_bridge_append_operands(end, &result, 1);
  stow_emitter_free(&emitter);
  stow_constants_free(&constants);
  free(given);
}

stow_measure stow_measure_of(const stow_arenas *arenas, const stow_arena *arena) {
  const stow_function_memory *function = stow_arena_function(arenas, arena);
  stow_measure measure = {0};
  if (arena->stackings.count == 0)
    return measure;
  const stow_formula bytes = stow_arena_bytes(arenas, arena);
  measure.text = stow_formula_text(function->extents, bytes);
  list_reads(function->extents, bytes, &measure);
  measure.function = build_function(&measure, function->flow.function);
  fill_body(function->extents, bytes, &measure, measure.function);
  mlirOperationRemoveFromParent(measure.function);
  return measure;
}

void stow_measure_free(stow_measure *measure) {
  if (!mlirOperationIsNull(measure->function))
    mlirOperationDestroy(measure->function);
  for (size_t i = 0; i < measure->reads.count; ++i)
    free(measure->reads.at[i].name);
  free(measure->reads.at);
  free(measure->text);
}

//===----------------------------------------------------------------------===//
// Using one
//===----------------------------------------------------------------------===//

// What a call gives of its callee's arguments, as an index.
static MlirValue read_at(const stow_builder *builder, MlirOperation call, const stow_read *read) {
  const MlirValue operand = mlirOperationGetOperand(call, read->argument);
  return read->dimension >= 0 ? stow_ir_build_dim(builder, operand, read->dimension)
                              : stow_ir_build_index(builder, operand);
}

// The values of a function's body, by those that stand for them at a call.
typedef struct stand_ins {
  stow_map index;
  STOW_ARRAY(MlirValue) values;
} stand_ins;

static void stand_in(stand_ins *s, MlirValue of, MlirValue value) {
  stow_map_add(&s->index, of.ptr, (int32_t)STOW_PUSH(s->values, value));
}

static MlirValue stands_for(const stand_ins *s, MlirValue value) {
  const int32_t known = stow_map_get(&s->index, value.ptr);
  assert(known >= 0);
  return s->values.at[known];
}

static void copy_op(const stow_builder *builder, stand_ins *s, MlirOperation op) {
  const MlirOperation copy = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(copy, i, stands_for(s, mlirOperationGetOperand(op, i)));
  stow_ir_insert_before(builder->before, copy);
  stand_in(s, mlirOperationGetResult(op, 0), mlirOperationGetResult(copy, 0));
}

MlirValue stow_frames_build_measure(const stow_builder *builder, const stow_measure *measure,
                                    MlirOperation call) {
  const MlirBlock body = body_of(measure->function);
  const MlirOperation end = mlirBlockGetTerminator(body);
  stand_ins s = {0};
  for (size_t i = 0; i < measure->reads.count; ++i)
    stand_in(&s, mlirBlockGetArgument(body, (intptr_t)i),
             read_at(builder, call, &measure->reads.at[i]));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    copy_op(builder, &s, op);
  const MlirValue bytes = stands_for(&s, mlirOperationGetOperand(end, 0));
  stow_map_free(&s.index);
  free(s.values.at);
  return bytes;
}
