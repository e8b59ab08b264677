//===- workgroup_beside.c - workgroup memory that is not planned ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel reserves all static workgroup memory that it or a function that it calls mentions: also
// globals, once each; what MLIR lowers to one, such as a group of mbarriers; and what a function
// that is called allocates.
//
//===----------------------------------------------------------------------===//

#include "arena/workgroup.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// Of the buffer that a gpu.all_reduce is lowered to: an element for each thread of a subgroup.
enum { SUBGROUP = 32, MBARRIER_BYTES = 8 };

typedef struct beside {
  stow_layout layout;
  stow_symbols *symbols;
  stow_op_list functions; // that are called
  stow_map met;           // these, and names of globals
  stow_beside_list found;
} beside;

static void note(beside *b, MlirOperation op, uint64_t bytes) {
  if (bytes > 0)
    STOW_PUSH(b->found, (stow_beside){op, bytes});
}

// Of the type of a memref in workgroup memory; 0 for any other, and where it is not known.
static uint64_t bytes_of(const beside *b, MlirType type) {
  stow_extent size;
  uint64_t alignment;
  return mlirTypeIsAMemRef(type) && stow_ir_is_workgroup_space(stow_ir_memory_space(type)) &&
                 stow_ir_memref_size(&b->layout, type, &size, &alignment) == STOW_SIZE_OK
             ? size.bytes
             : 0;
}

static uint64_t bytes_of_reduction(const beside *b, MlirOperation op) {
  static const int64_t shape[] = {SUBGROUP};
  stow_extent size;
  uint64_t alignment;
  const MlirType element = mlirValueGetType(mlirOperationGetResult(op, 0));
  const MlirType type = mlirMemRefTypeContiguousGet(element, 1, shape, mlirAttributeGetNull());
  return stow_ir_memref_size(&b->layout, type, &size, &alignment) == STOW_SIZE_OK ? size.bytes : 0;
}

static void note_called(beside *b, MlirOperation call) {
  const MlirOperation callee = stow_bridge_callee(call, b->symbols);
  if (!mlirOperationIsNull(callee) && !mlirRegionIsNull(stow_bridge_function_body(callee)) &&
      stow_map_note(&b->met, callee.ptr))
    STOW_PUSH(b->functions, callee);
}

static void note_in_kernel(beside *b, MlirOperation op) {
  if (stow_bridge_op_is_call(op))
    note_called(b, op);
  else if (stow_ir_is(op, STOW_MEMREF_GET_GLOBAL) &&
           stow_map_note(&b->met, stow_attribute_of(op, "name").ptr))
    note(b, op, bytes_of(b, mlirValueGetType(mlirOperationGetResult(op, 0))));
  else if (stow_ir_is(op, STOW_NVGPU_MBARRIER_CREATE))
    note(b, op,
         MBARRIER_BYTES *
             stow_bridge_mbarriers_in(mlirValueGetType(mlirOperationGetResult(op, 0))));
  else if (stow_ir_is(op, STOW_GPU_ALL_REDUCE))
    note(b, op, bytes_of_reduction(b, op));
}

static void note_in_function(beside *b, MlirOperation op) {
  note_in_kernel(b, op);
  if (stow_ir_is_allocation(op) || (stow_ir_op_traits(op) & STOW_CLONES))
    note(b, op, bytes_of(b, mlirValueGetType(mlirOperationGetResult(op, 0))));
}

stow_beside_list stow_arena_beside(MlirOperation kernel) {
  beside b = {.layout = stow_layout_at(kernel), .symbols = stow_symbols_create()};
  STOW_EACH_OP_OF(op, kernel)
    note_in_kernel(&b, op);
  for (size_t next = 0; next < b.functions.count; ++next)
    STOW_EACH_OP_OF(op, b.functions.at[next])
      note_in_function(&b, op);
  stow_symbols_destroy(b.symbols);
  free(b.functions.at);
  stow_map_free(&b.met);
  return b.found;
}

void stow_arena_add_saturating(uint64_t *sum, uint64_t bytes) {
  if (__builtin_add_overflow(*sum, bytes, sum))
    *sum = UINT64_MAX;
}

uint64_t stow_arena_beside_bytes(MlirOperation kernel) {
  uint64_t sum = 0;
  stow_beside_list all = stow_arena_beside(kernel);
  STOW_EACH(const stow_beside, one, all)
    stow_arena_add_saturating(&sum, one->bytes);
  free(all.at);
  return sum;
}
