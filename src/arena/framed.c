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

static MlirStringRef text(const char *string) { return mlirStringRefCreateFromCString(string); }

static MlirType bytes_of(const stow_builder *builder, const stow_arena *arena) {
  return stow_bytes_type(builder, arena->plan.arena_size, arena->memory_space);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

MlirValue stow_build_frame_argument(const stow_builder *builder, MlirOperation function,
                                    const stow_arena *arena) {
  MlirValue argument = stow_append_argument(function, bytes_of(builder, arena), builder->location);
  return stow_build_aligned(builder, argument, stow_arena_alignment(arena));
}

//===----------------------------------------------------------------------===//
// Globals
//===----------------------------------------------------------------------===//

static MlirAttribute string_attribute(MlirContext context, const char *string) {
  return mlirStringAttrGet(context, text(string));
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
  stow_build_op(&before,
                &(stow_op_parts){.kind = STOW_MEMREF_GLOBAL,
                                 .attributes = attributes,
                                 .attribute_count = sizeof attributes / sizeof *attributes});
}

MlirValue stow_build_frame_global(const stow_builder *builder, MlirOperation function,
                                  const stow_arena *arena) {
  const uint64_t alignment = stow_arena_alignment(arena);
  MlirStringRef owner = stow_function_name(function);
  char *wanted = stow_format("%.*s_arena", (int)owner.length, owner.data);
  char *name = stow_free_symbol(mlirOperationGetParentOperation(function), wanted);
  MlirType type = bytes_of(builder, arena);
  declare_global(builder, function, name, type, alignment);
  const stow_attribute of = {"name", mlirFlatSymbolRefAttrGet(builder->context, text(name))};
  MlirOperation global = stow_build_op(builder, &(stow_op_parts){.kind = STOW_MEMREF_GET_GLOBAL,
                                                                 .result = type,
                                                                 .attributes = &of,
                                                                 .attribute_count = 1});
  free(wanted), free(name);
  return stow_build_aligned(builder, mlirOperationGetResult(global, 0), alignment);
}

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

static MlirType any_bytes_type(const stow_builder *builder, const stow_arena *arena) {
  const int64_t shape = mlirShapedTypeGetDynamicSize();
  return mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(builder->context, 8), 1, &shape,
                                     arena->memory_space);
}

static char *callback_name(const stow_arenas *arenas, const stow_arena *arena, const char *end) {
  char *space = stow_space_suffix(arena->memory_space);
  char *name = stow_format("%s%s%s", arenas->framing->callback, end, space);
  free(space);
  return name;
}

static MlirType function_type(MlirContext context, const MlirValue *operands, size_t count,
                              MlirType result) {
  MlirType *inputs = stow_allocate(count, sizeof *inputs);
  for (size_t i = 0; i < count; ++i)
    inputs[i] = mlirValueGetType(operands[i]);
  MlirType type =
      mlirFunctionTypeGet(context, (intptr_t)count, inputs, !mlirTypeIsNull(result), &result);
  free(inputs);
  return type;
}

// With MLIR's C interface, so that C code can give the memory.
static void declare(const stow_arenas *arenas, const char *name, MlirType type) {
  if (!mlirOperationIsNull(stow_symbol_named(arenas->module, name)))
    return;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(arenas->module, 0));
  const stow_builder builder = stow_builder_before(mlirBlockGetFirstOperation(body),
                                                   mlirOperationGetLocation(arenas->module));
  mlirOperationSetDiscardableAttributeByName(stow_build_function(&builder, name, type, false),
                                             text("llvm.emit_c_interface"),
                                             mlirUnitAttrGet(builder.context));
}

// Calls the function of that name. Takes the name.
static MlirOperation call(const stow_builder *builder, const stow_arenas *arenas,
                          const MlirValue *operands, size_t count, MlirType result, char *name) {
  const stow_attribute callee = {"callee", mlirFlatSymbolRefAttrGet(builder->context, text(name))};
  declare(arenas, name, function_type(builder->context, operands, count, result));
  free(name);
  return stow_build_op(builder, &(stow_op_parts){.kind = STOW_FUNC_CALL,
                                                 .operands = operands,
                                                 .operand_count = count,
                                                 .result = result,
                                                 .attributes = &callee,
                                                 .attribute_count = 1});
}

MlirValue stow_build_taking(const stow_builder *builder, const stow_arenas *arenas,
                            const stow_arena *arena, stow_constants *constants) {
  const MlirValue operands[] = {stow_constant(constants, arena->plan.arena_size),
                                stow_constant(constants, stow_arena_alignment(arena))};
  MlirOperation taken = call(builder, arenas, operands, 2, any_bytes_type(builder, arena),
                             callback_name(arenas, arena, ""));
  return stow_build_aligned(builder, mlirOperationGetResult(taken, 0), stow_arena_alignment(arena));
}

void stow_build_giving_back(const stow_builder *builder, const stow_arenas *arenas,
                            const stow_arena *arena, MlirValue memory) {
  call(builder, arenas, &memory, 1, (MlirType){NULL}, callback_name(arenas, arena, "_release"));
}
