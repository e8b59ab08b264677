//===- outline.c - outline-distinct-views ---------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM sees one allocation where a plan has many buffers. A loop over some of them becomes a
// function whose arguments are pointers to the buffers; a buffer that shares no byte with other
// memory that the loop touches is llvm.noalias. LLVM inlines the function, and keeps these facts
// for the loop alone.
//
// Views share no byte if their bytes in the arena are proven to be disjoint: that holds at all
// times. memref.distinct_objects would not do: LLVM takes it as two allocations, which no view of
// an arena is.
//
//===----------------------------------------------------------------------===//

#include "ir/build.h"
#include "ir/parts.h"
#include "ir/symbols.h"
#include "stowage/passes.h"
#include "vectors/disjoint.h"
#include "vectors/share.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

enum {
  MOST_BUFFERS = 24, // of a loop; one with more is left as it is
  MOST_RANK = 16,
};

typedef STOW_ARRAY(MlirValue) value_list;
typedef STOW_ARRAY(MlirType) type_list;

typedef struct outlining {
  MlirOperation module;
  stow_disjointness disjoint; // of the function around the loops
  stow_symbol_names *names;
} outlining;

//===----------------------------------------------------------------------===//
// A loop
//===----------------------------------------------------------------------===//

typedef struct loop {
  MlirOperation op;
  value_list numbers; // what it uses from outside, once each
  value_list buffers;
  bool written[MOST_BUFFERS], alone[MOST_BUFFERS];
} loop;

static bool is_loop(MlirOperation op) {
  return stow_ir_is(op, STOW_AFFINE_FOR) || stow_ir_is(op, STOW_SCF_FOR) ||
         ((stow_op_facts(op) & STOW_OP_STRUCTURED) && stow_ir_op_has_prefix(op, "linalg."));
}

static bool is_from_outside(const loop *l, MlirValue value) {
  return !stow_ir_is_inside(mlirBlockGetParentOperation(stow_block_of(value)), l->op);
}

static size_t index_in(const value_list *list, MlirValue value) {
  size_t i = 0;
  while (i < list->count && !stow_vectors_is_same(list->at[i], value))
    ++i;
  return i;
}

// False: it is neither a number nor a buffer.
static bool add_captured(loop *l, MlirValue value) {
  const MlirType type = mlirValueGetType(value);
  value_list *list = mlirTypeIsAMemRef(type) ? &l->buffers : &l->numbers;
  if (mlirTypeIsAMemRef(type) ? !stow_ir_is_strided(type) || mlirShapedTypeGetRank(type) > MOST_RANK
                              : !stow_bridge_type_is_plain(type))
    return false;
  if (index_in(list, value) == list->count)
    STOW_PUSH(*list, value);
  return l->buffers.count <= MOST_BUFFERS;
}

// Ops of these dialects reach memory by their operands alone, as their effects say.
static bool is_known(MlirOperation op) {
  static const char *const dialects[] = {"affine.", "arith.",  "complex.", "index.", "linalg.",
                                         "math.",   "memref.", "scf.",     "vector."};
  for (size_t i = 0; i < sizeof dialects / sizeof *dialects; ++i)
    if (stow_ir_op_has_prefix(op, dialects[i]))
      return (stow_op_facts(op) & STOW_OP_EFFECTS_KNOWN) && !stow_ir_starts_work(op) &&
             !stow_ir_is(op, STOW_MEMREF_POINTER);
  return false;
}

// What it makes are numbers, or views of what it uses.
static bool makes_known(MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r) {
    const MlirValue result = mlirOperationGetResult(op, r);
    const bool view = stow_ir_is_view(result) && !stow_ir_is(op, STOW_MEMREF_REINTERPRET_CAST);
    if (!view && !stow_bridge_type_is_plain(mlirValueGetType(result)))
      return false;
  }
  return true;
}

// False where it does more than read and write its operands.
static bool note_effects(loop *l, MlirOperation op) {
  stow_effects effects;
  stow_effects_of(op, &effects);
  bool fine = !(effects.all & ~(STOW_READ | STOW_WRITE)) && effects.other == 0;
  for (intptr_t i = 0; fine && i < mlirOperationGetNumOperands(op); ++i)
    if (effects.operands[i] & STOW_WRITE) {
      const MlirValue value = mlirOperationGetOperand(op, i);
      MlirValue root = value;
      while (!is_from_outside(l, root) && stow_ir_is_view(root))
        root = mlirOperationGetOperand(mlirOpResultGetOwner(root), 0);
      const size_t index = index_in(&l->buffers, root);
      fine = index < l->buffers.count;
      if (fine)
        l->written[index] = true;
    }
  stow_effects_free(&effects);
  return fine;
}

static bool read_op(loop *l, MlirOperation op) {
  if (!is_known(op) || !makes_known(op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is_from_outside(l, mlirOperationGetOperand(op, i)) &&
        !add_captured(l, mlirOperationGetOperand(op, i)))
      return false;
  return note_effects(l, op);
}

static bool read_loop(loop *l) {
  STOW_EACH_OP_OF(op, l->op)
    if (!read_op(l, op))
      return false;
  return true;
}

static bool is_in_arena(MlirValue buffer) {
  for (stow_way way = {0}; stow_ir_is_view(buffer) && !stow_ir_comes_again(&way, buffer);
       buffer = mlirOperationGetOperand(mlirOpResultGetOwner(buffer), 0))
    if (stow_ir_is_result_of(buffer, STOW_MEMREF_VIEW))
      return true;
  return false;
}

// How much LLVM learns about buffers in arenas. LLVM does not recognize an aligned one as an
// allocation, so it does not even know that constants are disjoint from it.
typedef enum learned { NOTHING, SOME, ALL } learned;

// Finds the buffers that share no byte with another, if either is written.
static learned find_alone(outlining *o, loop *l) {
  bool some = false, all = true;
  for (size_t i = 0; i < l->buffers.count; ++i) {
    bool in_arena = false;
    l->alone[i] = true;
    for (size_t j = 0; j < l->buffers.count && l->alone[i]; ++j) {
      if (i == j || (!l->written[i] && !l->written[j]))
        continue;
      l->alone[i] = stow_vectors_are_disjoint(&o->disjoint, l->buffers.at[i], l->buffers.at[j]);
      in_arena |= is_in_arena(l->buffers.at[i]) || is_in_arena(l->buffers.at[j]);
    }
    some |= l->alone[i] && in_arena;
    all &= l->alone[i];
  }
  return !some ? NOTHING : all ? ALL : SOME;
}

static bool has_inner_loop(MlirOperation outer) {
  STOW_EACH_OP_OF(op, outer)
    if (!mlirOperationEqual(op, outer) && is_loop(op))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Its function
//===----------------------------------------------------------------------===//

// What tells of a memref beside its type: where it begins, and sizes and strides that vary.
typedef struct shape {
  int64_t offset, sizes[MOST_RANK], strides[MOST_RANK];
  intptr_t rank;
  int32_t segments[4];
} shape;

static shape shape_of(MlirType type) {
  shape s = {.rank = mlirShapedTypeGetRank(type), .segments = {1, 0, 0, 0}};
  mlirMemRefTypeGetStridesAndOffset(type, s.strides, &s.offset);
  s.segments[1] = mlirShapedTypeIsDynamicStrideOrOffset(s.offset);
  for (intptr_t d = 0; d < s.rank; ++d) {
    s.sizes[d] = mlirShapedTypeGetDimSize(type, d);
    s.segments[2] += mlirShapedTypeIsDynamicDim(type, d);
    s.segments[3] += mlirShapedTypeIsDynamicStrideOrOffset(s.strides[d]);
  }
  return s;
}

static void add_parts(const stow_builder *at, MlirValue memref, value_list *out) {
  const shape s = shape_of(mlirValueGetType(memref));
  const stow_row_start start = stow_ir_build_row_start(at, memref);
  const MlirOperation metadata = mlirOpResultGetOwner(start.base);
  STOW_PUSH(*out, start.base);
  if (s.segments[1])
    STOW_PUSH(*out, start.offset);
  for (intptr_t d = 0; d < s.rank; ++d)
    if (mlirShapedTypeIsDynamicSize(s.sizes[d]))
      STOW_PUSH(*out, mlirOperationGetResult(metadata, 2 + d));
  for (intptr_t d = 0; d < s.rank; ++d)
    if (mlirShapedTypeIsDynamicStrideOrOffset(s.strides[d]))
      STOW_PUSH(*out, mlirOperationGetResult(metadata, 2 + s.rank + d));
}

// Of those, which arguments from `next` on are, the memref.
static MlirValue build_memref(const stow_builder *at, MlirType type, MlirBlock block,
                              intptr_t *next) {
  const shape s = shape_of(type);
  value_list parts = {0};
  const int32_t count = 1 + s.segments[1] + s.segments[2] + s.segments[3];
  for (int32_t i = 0; i < count; ++i)
    STOW_PUSH(parts, mlirBlockGetArgument(block, (*next)++));
  const MlirValue memref = stow_ir_build_part(at, parts.at, parts.count, type);
  free(parts.at);
  return memref;
}

static void replace_inside(const loop *l, MlirValue from, MlirValue to) {
  STOW_EACH_OP_OF(op, l->op)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      if (stow_vectors_is_same(mlirOperationGetOperand(op, i), from))
        mlirOperationSetOperand(op, i, to);
}

// Memrefs are passed as pointers: of others LLVM's dialect drops llvm.noalias.
static MlirOperation declare(const outlining *o, const loop *l, const char *name,
                             const value_list *arguments) {
  const stow_builder at =
      stow_builder_before(o->disjoint.function, mlirOperationGetLocation(l->op));
  type_list types = {0}, results = {0};
  STOW_EACH_ITEM(MlirValue, argument, *arguments)
    STOW_PUSH(types, mlirValueGetType(argument));
  for (intptr_t r = 0; r < mlirOperationGetNumResults(l->op); ++r)
    STOW_PUSH(results, mlirValueGetType(mlirOperationGetResult(l->op, r)));
  const MlirType type = mlirFunctionTypeGet(at.context, (intptr_t)types.count, types.at,
                                            (intptr_t)results.count, results.at);
  MlirOperation function = stow_vectors_build_internal_function(&at, name, type);
  stow_ir_set_unit(function, "llvm.bareptr");
  free(types.at);
  free(results.at);
  return function;
}

// What the function has of a number: an argument, or the constant itself.
static MlirValue number_in(const stow_builder *at, MlirBlock block, MlirValue number,
                           intptr_t *next) {
  if (!stow_ir_is_result_of(number, STOW_ARITH_CONSTANT))
    return mlirBlockGetArgument(block, (*next)++);
  MlirOperation copy = mlirOperationClone(mlirOpResultGetOwner(number));
  stow_ir_insert_before(at->before, copy);
  return mlirOperationGetResult(copy, 0);
}

static void move_into(MlirOperation function, const loop *l) {
  const MlirBlock block = mlirRegionGetFirstBlock(stow_bridge_function_body(function));
  const MlirOperation last = mlirBlockGetTerminator(block);
  const stow_builder at = stow_builder_before(last, mlirOperationGetLocation(l->op));
  intptr_t next = 0;
  for (size_t i = 0; i < l->buffers.count; ++i) {
    if (l->alone[i])
      stow_bridge_set_argument_attribute(function, next, "llvm.noalias",
                                         mlirUnitAttrGet(at.context));
    const MlirType type = mlirValueGetType(l->buffers.at[i]);
    replace_inside(l, l->buffers.at[i], build_memref(&at, type, block, &next));
  }
  STOW_EACH_ITEM(MlirValue, number, l->numbers)
    replace_inside(l, number, number_in(&at, block, number, &next));
  mlirOperationMoveBefore(l->op, last);
  value_list results = {0};
  for (intptr_t r = 0; r < mlirOperationGetNumResults(l->op); ++r)
    STOW_PUSH(results, mlirOperationGetResult(l->op, r));
  mlirOperationSetOperands(last, (intptr_t)results.count, results.at);
  free(results.at);
}

static MlirOperation call(const stow_builder *at, const char *name, const loop *l,
                          const value_list *arguments) {
  MlirOperationState state =
      mlirOperationStateGet(stow_ir_string(stow_ir_kind_name(STOW_FUNC_CALL)), at->location);
  const MlirNamedAttribute callee =
      mlirNamedAttributeGet(mlirIdentifierGet(at->context, stow_ir_string("callee")),
                            mlirFlatSymbolRefAttrGet(at->context, stow_ir_string(name)));
  mlirOperationStateAddOperands(&state, (intptr_t)arguments->count, arguments->at);
  mlirOperationStateAddAttributes(&state, 1, &callee);
  for (intptr_t r = 0; r < mlirOperationGetNumResults(l->op); ++r) {
    const MlirType type = mlirValueGetType(mlirOperationGetResult(l->op, r));
    mlirOperationStateAddResults(&state, 1, &type);
  }
  MlirOperation made = mlirOperationCreate(&state);
  stow_ir_insert_before(l->op, made);
  return made;
}

static void outline(const outlining *o, const loop *l) {
  const stow_builder at = stow_builder_before(l->op, mlirOperationGetLocation(l->op));
  const MlirStringRef around = stow_bridge_function_name(o->disjoint.function);
  char *wanted = stow_ir_format("%.*s_loop", (int)around.length, around.data);
  char *name = stow_ir_take_free_name(o->names, wanted);
  value_list arguments = {0};
  STOW_EACH_ITEM(MlirValue, buffer, l->buffers)
    add_parts(&at, buffer, &arguments);
  STOW_EACH_ITEM(MlirValue, number, l->numbers)
    if (!stow_ir_is_result_of(number, STOW_ARITH_CONSTANT))
      STOW_PUSH(arguments, number);
  MlirOperation function = declare(o, l, name, &arguments), made = call(&at, name, l, &arguments);
  for (intptr_t r = 0; r < mlirOperationGetNumResults(l->op); ++r)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(l->op, r),
                                  mlirOperationGetResult(made, r));
  move_into(function, l);
  free(arguments.at);
  free(name);
  free(wanted);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

// If only some buffers of a loop are distinct, more may be in the loops inside it.
static bool is_worth_it(outlining *o, loop *l) {
  const learned of_all = find_alone(o, l);
  return of_all == ALL || (of_all == SOME && !has_inner_loop(l->op));
}

static bool try_loop(outlining *o, MlirOperation op) {
  loop l = {.op = op};
  const bool found =
      is_loop(op) &&
      mlirOperationEqual(stow_vectors_function_around(op, o->module), o->disjoint.function) &&
      read_loop(&l) && is_worth_it(o, &l);
  if (found)
    outline(o, &l);
  free(l.numbers.at);
  free(l.buffers.at);
  return found;
}

// The outermost loops first: what is in one that became a function is done.
static void visit(outlining *o) {
  MlirOperation op = o->disjoint.function;
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = stow_ir_next_of(o->disjoint.function, op, false);
    op = try_loop(o, op) ? next : stow_ir_next_of(o->disjoint.function, op, true);
  }
}

// Whether a function tells LLVM how to compile its code, a processor or how to round: code that is
// moved out of it would be compiled otherwise.
static bool has_code_attributes(MlirOperation function) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(function); ++i) {
    const MlirStringRef name =
        mlirIdentifierStr(mlirOperationGetDiscardableAttribute(function, i).name);
    if (mlirStringRefEqual(name, stow_ir_string("passthrough")) ||
        (name.length > 5 && memcmp(name.data, "llvm.", 5) == 0 &&
         !mlirStringRefEqual(name, stow_ir_string("llvm.emit_c_interface"))))
      return true;
  }
  return false;
}

void stow_outline_distinct_views(MlirOperation module) {
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  stow_symbol_names names = stow_symbol_names_of(module);
  STOW_EACH_FOUND(function, stow_ir_functions_in(module)) {
    if (has_code_attributes(function))
      continue;
    outlining o = {module, {function, stow_layout_at(function)}, &names};
    visit(&o);
  }
  stow_symbol_names_free(&names);
}
