//===- framed.c - arenas in memory from outside of the function ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arena/framed.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

const char *stow_arena_why_not_options(const stow_reuse_options *options) {
  const bool own = stow_arena_place_is(options->arena, STOW_BACKING_IS_OWN);
  const bool has_entries = options->entry_count > 0 || options->public_entries;
  if (own && (has_entries || options->header))
    return "entries, public and emit-header need an arena other than alloc";
  if (options->result_arguments && !has_entries)
    return "result-arguments needs entries or public: whose results it may change";
  if (options->keep_wrapper && !stow_arena_place_is(options->arena, STOW_BACKING_IS_PASSED))
    return "keep-wrapper needs arena=argument; elsewhere signatures stay";
  if (options->callback && !stow_arena_place_is(options->arena, STOW_BACKING_IS_CALLED))
    return "callback needs arena=callback; elsewhere no function gives memory";
  if (!own && options->analysis_only)
    return "analysis-only needs arena=alloc; report tells frames in any case";
  if (!own && options->leave_arena)
    return "dealloc-arena=false needs arena=alloc";
  return NULL;
}

static MlirType bytes_of(const stow_builder *builder, const stow_arena *arena) {
  return arena->stackings.count > 0
             ? stow_ir_any_bytes_type(builder->context, arena->memory_space)
             : stow_ir_bytes_type(builder, arena->plan.arena_size, arena->memory_space);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

MlirValue stow_arena_build_frame_argument(const stow_builder *builder, MlirOperation function,
                                          const stow_arena *arena) {
  MlirValue argument =
      stow_bridge_append_argument(function, bytes_of(builder, arena), builder->location);
  return stow_ir_build_aligned(builder, argument, stow_arena_alignment(arena));
}

//===----------------------------------------------------------------------===//
// Globals
//===----------------------------------------------------------------------===//

static MlirAttribute string_attribute(MlirContext context, const char *string) {
  return mlirStringAttrGet(context, stow_ir_string(string));
}

static void declare_global(const stow_builder *builder, MlirOperation function, const char *name,
                           MlirType type, uint64_t alignment) {
  const stow_builder before = stow_builder_before(function, builder->location);
  MlirContext context = builder->context;
  const stow_attribute attributes[] = {
      {"sym_name", string_attribute(context, name)},
      {"sym_visibility", string_attribute(context, "private")},
      {"type", mlirTypeAttrGet(type)},
      {"initial_value", mlirUnitAttrGet(context)}, // there is memory, with nothing in it
      {"alignment", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), (int64_t)alignment)},
  };
  stow_ir_build_op(&before,
                   &(stow_op_parts){.kind = STOW_MEMREF_GLOBAL,
                                    .attributes = attributes,
                                    .attribute_count = sizeof attributes / sizeof *attributes});
}

MlirValue stow_arena_build_frame_global(const stow_builder *builder, const stow_arenas *arenas,
                                        const stow_arena *arena) {
  MlirOperation function = stow_arena_function(arenas, arena)->flow.function;
  const uint64_t alignment = stow_arena_alignment(arena);
  MlirStringRef owner = stow_bridge_function_name(function);
  char *wanted = stow_ir_format("%.*s_arena", (int)owner.length, owner.data);
  char *name = stow_ir_take_free_name(arenas->framing->names, wanted);
  MlirType type = bytes_of(builder, arena);
  declare_global(builder, function, name, type, alignment);
  const stow_attribute of = {"name",
                             mlirFlatSymbolRefAttrGet(builder->context, stow_ir_string(name))};
  MlirOperation global = stow_ir_build_op(builder, &(stow_op_parts){.kind = STOW_MEMREF_GET_GLOBAL,
                                                                    .result = type,
                                                                    .attributes = &of,
                                                                    .attribute_count = 1});
  free(wanted);
  free(name);
  return stow_ir_build_aligned(builder, mlirOperationGetResult(global, 0), alignment);
}

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

// The function that gives memory in a space, or the one that takes it back. Freed with free().
static char *callback_name(const stow_reuse_options *options, bool gives, MlirAttribute space) {
  const char *name = options->callback ? options->callback : STOW_DEFAULT_CALLBACK;
  char *suffix = stow_arena_space_suffix(space);
  char *whole = stow_ir_format("%s%s%s", name, gives ? "" : "_release", suffix);
  free(suffix);
  return whole;
}

static bool has_name(MlirOperation function, const stow_reuse_options *options, bool gives,
                     MlirType memory) {
  char *name = callback_name(options, gives, stow_ir_memory_space(memory));
  const bool same = stow_ir_string_equal(stow_bridge_function_name(function), name);
  free(name);
  return same;
}

bool stow_arena_is_callback(MlirOperation function, const stow_reuse_options *options) {
  MlirType type = stow_ir_function_type(function);
  const bool gives = mlirFunctionTypeGetNumResults(type) == 1;
  if (!stow_arena_place_is(options->arena, STOW_BACKING_IS_CALLED) ||
      (!gives && mlirFunctionTypeGetNumInputs(type) != 1))
    return false;
  MlirType memory = gives ? mlirFunctionTypeGetResult(type, 0) : mlirFunctionTypeGetInput(type, 0);
  return stow_ir_is_buffer(memory) && has_name(function, options, gives, memory);
}

// With MLIR's C interface, so that C code can give the memory.
static MlirOperation declare(const stow_arenas *arenas, const char *name, MlirType type) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(arenas->module, 0));
  const stow_builder builder = stow_builder_before(mlirBlockGetFirstOperation(body),
                                                   mlirOperationGetLocation(arenas->module));
  MlirOperation function = stow_ir_build_function(&builder, name, type, false);
  stow_ir_set_unit(function, "llvm.emit_c_interface");
  return function;
}

static bool is_function_of(MlirOperation symbol, MlirType type) {
  return stow_ir_is(symbol, STOW_FUNC_FUNC) && mlirTypeEqual(stow_ir_function_type(symbol), type);
}

static bool refuse_symbol(const stow_arenas *arenas, MlirOperation symbol, const char *name,
                          MlirType type) {
  char *wanted = stow_ir_type_text(type);
  stow_ir_refuse(mlirOperationGetLocation(symbol),
                 "%s: for arena=%s '%s' must be a func.func %s: give this symbol another name, "
                 "or set callback",
                 arenas->pass, stow_backing_kind(stow_backing_of_place(arenas->options.arena)),
                 name, wanted);
  free(wanted);
  return false;
}

// What a declared function gives is never the caller's to free: its counterpart takes it back.
// Takes the name.
static bool declare_once(const stow_arenas *arenas, char *name, MlirType type) {
  MlirOperation symbol = stow_bridge_symbol_named(arenas->module, name);
  const bool there = !mlirOperationIsNull(symbol);
  const bool ok =
      !there || is_function_of(symbol, type) || refuse_symbol(arenas, symbol, name, type);
  if (!there) {
    stow_ir_take_name(arenas->framing->names, name);
    symbol = declare(arenas, name, type);
  }
  if (ok && mlirFunctionTypeGetNumResults(type) > 0 &&
      mlirRegionIsNull(stow_bridge_function_body(symbol)))
    stow_bridge_mark_result(symbol, 0, STOW_BORROWED);
  free(name);
  return ok;
}

static bool declare_for(const stow_arenas *arenas, const stow_arena *arena) {
  MlirContext context = mlirOperationGetContext(arenas->module);
  const stow_reuse_options *options = &arenas->options;
  MlirType index = mlirIndexTypeGet(context), numbers[] = {index, index};
  MlirType memory = stow_ir_any_bytes_type(context, arena->memory_space);
  return declare_once(arenas, callback_name(options, true, arena->memory_space),
                      mlirFunctionTypeGet(context, 2, numbers, 1, &memory)) &&
         declare_once(arenas, callback_name(options, false, arena->memory_space),
                      mlirFunctionTypeGet(context, 1, &memory, 0, NULL));
}

static bool has_space(const stow_spaces *spaces, MlirAttribute space) {
  for (size_t i = 0; i < spaces->count; ++i)
    if (mlirAttributeEqual(spaces->at[i], space))
      return true;
  return false;
}

static bool needs_callbacks(const stow_arenas *arenas, const stow_arena *arena) {
  return stow_backing_is(arena->backing, STOW_BACKING_IS_CALLED) && stow_arena_is_made(arena) &&
         !has_space(arenas->framing->declared, arena->memory_space);
}

bool stow_arena_declare_callbacks(const stow_arenas *arenas) {
  STOW_EACH(const stow_arena, arena, arenas->arenas) {
    if (!needs_callbacks(arenas, arena))
      continue;
    if (!declare_for(arenas, arena))
      return false;
    STOW_PUSH(*arenas->framing->declared, arena->memory_space);
  }
  return true;
}

// Calls the function of that name. Takes the name.
static MlirOperation call(const stow_builder *builder, const MlirValue *operands, size_t count,
                          MlirType result, char *name) {
  const stow_attribute callee = {"callee",
                                 mlirFlatSymbolRefAttrGet(builder->context, stow_ir_string(name))};
  free(name);
  return stow_ir_build_op(builder, &(stow_op_parts){.kind = STOW_FUNC_CALL,
                                                    .operands = operands,
                                                    .operand_count = count,
                                                    .result = result,
                                                    .attributes = &callee,
                                                    .attribute_count = 1});
}

MlirValue stow_arena_build_taking(const stow_builder *builder, const stow_arenas *arenas,
                                  const stow_arena *arena, MlirValue bytes,
                                  stow_constants *constants) {
  const MlirValue operands[] = {bytes, stow_constant(constants, stow_arena_alignment(arena))};
  MlirOperation taken =
      call(builder, operands, 2, stow_ir_any_bytes_type(builder->context, arena->memory_space),
           callback_name(&arenas->options, true, arena->memory_space));
  return stow_ir_build_aligned(builder, mlirOperationGetResult(taken, 0),
                               stow_arena_alignment(arena));
}

void stow_arena_build_giving_back(const stow_builder *builder, const stow_arenas *arenas,
                                  const stow_arena *arena, MlirValue memory) {
  call(builder, &memory, 1, (MlirType){NULL},
       callback_name(&arenas->options, false, arena->memory_space));
}
