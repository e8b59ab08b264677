//===- share.c - equal nests are one function -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires: the nests of a module and their tiles, with weights in their final order. Computes
// functions: a network repeats layers, and the code of a tile is long, so each is compiled once.
//
// A function gets of each memref the allocation and the element where it begins, which all calling
// conventions pass; of numbers those that are no constants. LLVM inlines what is short.
//
//===----------------------------------------------------------------------===//

#include "vectors/share.h"

#include "bridge/linalg.h"
#include "ir/symbols.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// What is equal
//===----------------------------------------------------------------------===//

static bool is_constant(MlirValue value) {
  return stow_ir_is_result_of(value, STOW_ARITH_CONSTANT);
}

static MlirAttribute number_of(MlirValue constant) {
  return stow_attribute_of(mlirOpResultGetOwner(constant), "value");
}

// A function gets a number, or has the constant itself.
static bool same_number(MlirValue a, MlirValue b) {
  if (is_constant(a) && is_constant(b))
    return mlirAttributeEqual(number_of(a), number_of(b));
  return !is_constant(a) && !is_constant(b) &&
         mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b));
}

static bool same_numbers(const int64_t *a, const int64_t *b, intptr_t count) {
  return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool same_operand(const stow_nest_operand *a, const stow_nest_operand *b, intptr_t loops) {
  if (a->memref != b->memref || !mlirTypeEqual(a->element, b->element))
    return false;
  if (!a->memref)
    return same_number(a->value, b->value);
  return a->written == b->written && a->packed == b->packed && a->first == b->first &&
         a->span == b->span && same_numbers(a->strides, b->strides, loops) &&
         stow_ir_in_one_space(a->value, b->value);
}

static bool same_tile(const stow_tile *a, const stow_tile *b, intptr_t loops) {
  return a->lanes == b->lanes && a->width == b->width && a->vectors == b->vectors &&
         same_numbers(a->sizes, b->sizes, loops) && a->inner == b->inner &&
         a->lanes_outside == b->lanes_outside && a->together == b->together &&
         a->dot_kind == b->dot_kind && a->dot.input == b->dot.input &&
         a->dot.weight == b->dot.weight && a->dot.is_unsigned == b->dot.is_unsigned &&
         a->dot.flips == b->dot.flips && a->dot.more == b->dot.more;
}

static bool same_loops(const stow_nest *a, const stow_nest *b) {
  if (a->loop_count != b->loop_count || a->operand_count != b->operand_count ||
      a->read_count != b->read_count || a->bits != b->bits || a->drops != b->drops ||
      a->excess != b->excess)
    return false;
  for (intptr_t l = 0; l < a->loop_count; ++l)
    if (a->extents[l] != b->extents[l] || a->parallel[l] != b->parallel[l])
      return false;
  return true;
}

static bool same_start(const stow_nest *a, const stow_nest *b) {
  if (mlirOperationIsNull(a->start) || mlirOperationIsNull(b->start))
    return mlirOperationEqual(a->start, b->start);
  return mlirAttributeEqual(stow_attribute_of(a->start, "value"),
                            stow_attribute_of(b->start, "value"));
}

static bool same_then(const stow_nest_then *a, const stow_nest_then *b) {
  if (mlirOperationIsNull(a->op) || mlirOperationIsNull(b->op))
    return mlirOperationEqual(a->op, b->op);
  return a->count == b->count &&
         memcmp(a->places, b->places, (size_t)a->count * sizeof *a->places) == 0 &&
         stow_bridge_same_bodies(a->op, b->op);
}

static bool are_equal(const stow_tiled *a, const stow_tiled *b) {
  const intptr_t loops = a->nest.loop_count;
  if (!same_loops(&a->nest, &b->nest) || !same_tile(&a->tile, &b->tile, loops))
    return false;
  for (intptr_t i = 0; i < a->nest.read_count; ++i)
    if (!same_operand(&a->nest.operands[i], &b->nest.operands[i], loops))
      return false;
  return same_start(&a->nest, &b->nest) && same_then(&a->nest.then, &b->nest.then) &&
         stow_bridge_same_bodies(a->nest.op, b->nest.op);
}

//===----------------------------------------------------------------------===//
// Where a call can be
//===----------------------------------------------------------------------===//

MlirOperation stow_vectors_function_around(MlirOperation op, MlirOperation module) {
  const MlirOperation none = {NULL};
  for (op = mlirOperationGetParentOperation(op); !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op)) {
    if (stow_ir_is(op, STOW_FUNC_FUNC))
      return mlirOperationEqual(mlirOperationGetParentOperation(op), module) ? op : none;
    if (!stow_ir_op_has_prefix(op, "scf.") && !stow_ir_op_has_prefix(op, "affine."))
      return none;
  }
  return none;
}

//===----------------------------------------------------------------------===//
// A function
//===----------------------------------------------------------------------===//

typedef STOW_ARRAY(MlirValue) value_list;
typedef STOW_ARRAY(MlirType) type_list;

typedef struct kernel {
  const stow_nest *nest;
  char *name;
  value_list captured; // what the body uses from outside, once each
} kernel;

static void add_once(value_list *list, MlirValue value) {
  STOW_EACH_ITEM(MlirValue, known, *list)
    if (mlirValueEqual(known, value))
      return;
  STOW_PUSH(*list, value);
}

static void add_captured(MlirBlock body, value_list *found) {
  STOW_EACH_OP(op, body)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      if (!mlirBlockEqual(stow_block_of(mlirOperationGetOperand(op, i)), body))
        add_once(found, mlirOperationGetOperand(op, i));
}

static value_list captured_by(const stow_nest *nest) {
  value_list found = {0};
  add_captured(nest->body, &found);
  if (!mlirOperationIsNull(nest->then.op))
    add_captured(nest->then.body, &found);
  return found;
}

// The arguments of a call that replaces a nest.
static value_list arguments_at(const kernel *k, const stow_nest *nest) {
  const stow_builder at = stow_builder_before(nest->op, mlirOperationGetLocation(nest->op));
  value_list found = {0};
  for (intptr_t i = 0; i < nest->read_count; ++i) {
    const MlirValue value = nest->operands[i].value;
    if (nest->operands[i].memref) {
      const stow_row_start origin = stow_ir_build_row_start(&at, value);
      STOW_PUSH(found, origin.base);
      STOW_PUSH(found, origin.offset);
    } else if (!is_constant(value)) {
      STOW_PUSH(found, value);
    }
  }
  STOW_EACH_ITEM(MlirValue, value, k->captured)
    if (!is_constant(value))
      STOW_PUSH(found, value);
  return found;
}

static void call_at(const kernel *k, const stow_nest *nest) {
  const stow_builder at = stow_builder_before(nest->op, mlirOperationGetLocation(nest->op));
  value_list arguments = arguments_at(k, nest);
  const stow_attribute callee = {"callee",
                                 mlirFlatSymbolRefAttrGet(at.context, stow_ir_string(k->name))};
  stow_ir_build_op(&at, &(stow_op_parts){.kind = STOW_FUNC_CALL,
                                         .operands = arguments.at,
                                         .operand_count = arguments.count,
                                         .attributes = &callee,
                                         .attribute_count = 1});
  free(arguments.at);
}

MlirOperation stow_vectors_build_internal_function(const stow_builder *at, const char *name,
                                                   MlirType type) {
  MlirOperation function = stow_ir_build_function(at, name, type, true);
  mlirOperationSetAttributeByName(function, stow_ir_string("sym_visibility"),
                                  mlirStringAttrGet(at->context, stow_ir_string("private")));
  mlirOperationSetAttributeByName(
      function, stow_ir_string("llvm.linkage"),
      mlirAttributeParseGet(at->context, stow_ir_string("#llvm.linkage<internal>")));
  return function;
}

// In front of the function that `arguments` are of.
static MlirOperation declare(const kernel *k, MlirOperation before, const value_list *arguments) {
  const stow_builder at = stow_builder_before(before, mlirOperationGetLocation(k->nest->op));
  type_list types = {0};
  STOW_EACH_ITEM(MlirValue, argument, *arguments)
    STOW_PUSH(types, mlirValueGetType(argument));
  const MlirType type = mlirFunctionTypeGet(at.context, (intptr_t)types.count, types.at, 0, NULL);
  free(types.at);
  return stow_vectors_build_internal_function(&at, k->name, type);
}

// Hands out what a function has of each value, in the order of `arguments_at`.
typedef struct parameters {
  MlirBlock block;
  stow_builder at;
  intptr_t next;
} parameters;

static MlirValue next_number(parameters *p, MlirValue outside) {
  if (!is_constant(outside))
    return mlirBlockGetArgument(p->block, p->next++);
  MlirOperation copy = mlirOperationClone(mlirOpResultGetOwner(outside));
  stow_ir_insert_before(p->at.before, copy);
  return mlirOperationGetResult(copy, 0);
}

static MlirValue next_memref(parameters *p, int64_t span) {
  const stow_row_start origin = {mlirBlockGetArgument(p->block, p->next),
                                 mlirBlockGetArgument(p->block, p->next + 1)};
  p->next += 2;
  return stow_ir_build_row(&p->at, &origin, span);
}

static void rename_in(MlirBlock body, MlirValue from, MlirValue to) {
  STOW_EACH_OP(op, body)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      if (mlirValueEqual(mlirOperationGetOperand(op, i), from))
        mlirOperationSetOperand(op, i, to);
}

static void rename_in_bodies(const stow_nest *nest, MlirValue from, MlirValue to) {
  rename_in(nest->body, from, to);
  if (!mlirOperationIsNull(nest->then.op))
    rename_in(nest->then.body, from, to);
}

// Moves the op of a nest to the function.
static void move_into(MlirOperation function, stow_nest *nest, const value_list *captured) {
  parameters p = {.block = mlirRegionGetFirstBlock(stow_bridge_function_body(function))};
  mlirOperationMoveBefore(nest->op, mlirBlockGetTerminator(p.block));
  p.at = stow_builder_before(nest->op, mlirOperationGetLocation(nest->op));
  for (intptr_t i = 0; i < nest->read_count; ++i) {
    stow_nest_operand *o = &nest->operands[i];
    o->value = o->memref ? next_memref(&p, o->span) : next_number(&p, o->value);
    if (i < nest->operand_count)
      mlirOperationSetOperand(nest->op, i, o->value);
  }
  STOW_EACH_ITEM(MlirValue, value, *captured)
    rename_in_bodies(nest, value, next_number(&p, value));
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

typedef struct sharing {
  stow_tiled *tiled;
  size_t count;
  size_t *first; // of the equal nests, by nest
  MlirOperation *functions;
  stow_symbol_names names;
} sharing;

static size_t first_equal(const sharing *s, size_t nest) {
  for (size_t i = 0; i < nest; ++i)
    if (s->first[i] == i && !mlirOperationIsNull(s->functions[i]) &&
        are_equal(&s->tiled[i], &s->tiled[nest]))
      return i;
  return nest;
}

static bool is_repeated(const sharing *s, size_t nest) {
  for (size_t i = nest + 1; i < s->count; ++i)
    if (s->first[i] == nest)
      return true;
  return false;
}

static void share(sharing *s, size_t nest) {
  stow_nest *first = &s->tiled[nest].nest;
  const MlirStringRef name = stow_bridge_function_name(s->functions[nest]);
  char *wanted = stow_ir_format("%.*s_tiles", (int)name.length, name.data);
  kernel k = {first, stow_ir_take_free_name(&s->names, wanted), captured_by(first)};
  for (size_t i = nest; i < s->count; ++i)
    if (s->first[i] == nest)
      call_at(&k, &s->tiled[i].nest);
  value_list arguments = arguments_at(&k, first);
  MlirOperation function = declare(&k, s->functions[nest], &arguments);
  move_into(function, first, &k.captured);
  for (size_t i = nest + 1; i < s->count; ++i)
    if (s->first[i] == nest) {
      if (!mlirOperationIsNull(s->tiled[i].nest.then.op))
        mlirOperationDestroy(s->tiled[i].nest.then.op);
      mlirOperationDestroy(s->tiled[i].nest.op);
    }
  free(arguments.at);
  free(k.captured.at);
  free(k.name);
  free(wanted);
}

static size_t keep_first(sharing *s) {
  size_t kept = 0;
  for (size_t i = 0; i < s->count; ++i)
    if (s->first[i] == i)
      s->tiled[kept++] = s->tiled[i];
  return kept;
}

size_t stow_vectors_share_nests(MlirOperation module, stow_tiled *tiled, size_t count) {
  sharing s = {tiled, count, stow_ir_allocate(count, sizeof *s.first),
               stow_ir_allocate(count, sizeof *s.functions), stow_symbol_names_of(module)};
  for (size_t i = 0; i < count; ++i) {
    s.functions[i] = stow_vectors_function_around(tiled[i].nest.op, module);
    s.first[i] = i;
    if (!mlirOperationIsNull(s.functions[i]))
      s.first[i] = first_equal(&s, i);
  }
  for (size_t i = 0; i < count; ++i)
    if (s.first[i] == i && is_repeated(&s, i))
      share(&s, i);
  const size_t kept = keep_first(&s);
  stow_symbol_names_free(&s.names);
  free(s.first);
  free(s.functions);
  return kept;
}
