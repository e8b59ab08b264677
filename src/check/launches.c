//===- launches.c - whether launches ask for enough dynamic memory --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel has as many bytes of gpu.dynamic_shared_memory as its launch states, and none where it
// states nothing. Its views at constant offsets tell how many it needs, where these surely run.
//
// MLIR lowers gpu.dynamic_shared_memory to a variable without bytes, so that what else the kernel
// has of workgroup memory, or what it calls, may lie at the same address.
//
//===----------------------------------------------------------------------===//

#include "check/op.h"
#include "check/steps.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <inttypes.h>

typedef struct need {
  MlirOperation view; // the one that ends last
  int64_t bytes;
} need;

static bool is_of_dynamic(MlirValue memory) {
  while (mlirValueIsAOpResult(memory) && stow_ir_op_is(mlirOpResultGetOwner(memory), "memref.cast"))
    memory = mlirOperationGetOperand(mlirOpResultGetOwner(memory), 0);
  return mlirValueIsAOpResult(memory) &&
         stow_ir_op_is(mlirOpResultGetOwner(memory), "gpu.dynamic_shared_memory");
}

// Where the view ends, INT64_MAX for what is behind that; or 0 where that is known at run time
// only.
static int64_t end_of(MlirOperation view, const stow_layout *layout) {
  stow_extent size;
  uint64_t alignment;
  int64_t offset, end;
  const MlirType type = mlirValueGetType(mlirOperationGetResult(view, 0));
  const MlirValue rest = stow_check_offset_split(mlirOperationGetOperand(view, 1), &offset);
  const bool known = mlirValueIsNull(rest) &&
                     stow_ir_memref_size(layout, type, &size, &alignment) == STOW_SIZE_OK &&
                     size.bytes <= STOW_CHECK_FAR;
  if (!known)
    return 0;
  return __builtin_add_overflow(offset, (int64_t)size.bytes, &end) ? INT64_MAX : end;
}

// Whether threads surely come to the op when the kernel runs.
static bool surely_runs(MlirOperation op, MlirOperation kernel) {
  for (;;) {
    const MlirBlock block = mlirOperationGetBlock(op);
    op = mlirOperationGetParentOperation(op);
    if (!mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block))))
      return false;
    if (mlirOperationEqual(op, kernel))
      return true;
    if (!stow_check_loop_runs(op))
      return false;
  }
}

static need needed_by(MlirOperation kernel) {
  const stow_layout layout = stow_layout_at(kernel);
  need most = {.bytes = 0};
  STOW_EACH_OP_OF(op, kernel)
    if (stow_ir_op_is(op, "memref.view") && is_of_dynamic(mlirOperationGetOperand(op, 0)) &&
        end_of(op, &layout) > most.bytes && surely_runs(op, kernel))
      most = (need){op, end_of(op, &layout)};
  return most;
}

// What the launch states, an i32 that runtimes read as unsigned; false where that is known at run
// time only.
static bool read_stated(MlirOperation launch, int64_t *out) {
  enum { SIZE_SEGMENT = 10 }; // of gpu.launch and gpu.launch_func alike
  const MlirAttribute segments = stow_attribute_of(launch, "operandSegmentSizes");
  intptr_t operand = 0;
  for (intptr_t s = 0; s < SIZE_SEGMENT; ++s)
    operand += mlirDenseI32ArrayGetElement(segments, s);
  *out = 0;
  if (mlirDenseI32ArrayGetElement(segments, SIZE_SEGMENT) == 0)
    return true;
  const MlirValue rest = stow_check_offset_split(mlirOperationGetOperand(launch, operand), out);
  *out = (uint32_t)*out;
  return mlirValueIsNull(rest);
}

static char *say(int64_t stated, int64_t needed) {
  if (needed > UINT32_MAX)
    return stow_ir_format("states %" PRId64 " bytes of dynamic shared memory, but the views of the "
                          "kernel need more than any launch can state",
                          stated);
  return stow_ir_format("states %" PRId64 " bytes of dynamic shared memory, but the views of the "
                        "kernel need %" PRId64 ": state these at the launch",
                        stated, needed);
}

static bool check_launch(MlirOperation launch, MlirOperation kernel) {
  int64_t stated;
  if (mlirOperationIsNull(kernel) || !read_stated(launch, &stated))
    return true;
  const need most = needed_by(kernel);
  if (most.bytes <= stated)
    return true;
  const stow_note note = {mlirOperationGetLocation(most.view), "this is the view that ends last"};
  char *text = say(stated, most.bytes);
  stow_bridge_error(mlirOperationGetLocation(launch), text, &note, 1);
  free(text);
  return false;
}

//===----------------------------------------------------------------------===//
// Static memory beside it
//===----------------------------------------------------------------------===//

static bool is_used_in_workgroup(MlirValue value) {
  const MlirType type = mlirValueGetType(value);
  return mlirTypeIsAMemRef(type) && stow_ir_is_workgroup_space(stow_ir_memory_space(type)) &&
         !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

// An argument of the kernel's body that is no operand of its launch, or null.
static MlirValue static_argument(MlirOperation kernel) {
  const MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
  const bool function = stow_ir_op_is(kernel, "gpu.func");
  intptr_t i = function ? mlirFunctionTypeGetNumInputs(stow_ir_function_type(kernel)) : 0;
  for (; i < mlirBlockGetNumArguments(entry); ++i)
    if (is_used_in_workgroup(mlirBlockGetArgument(entry, i)))
      return mlirBlockGetArgument(entry, i);
  return (MlirValue){NULL};
}

// Also what LLVM gets a variable for when MLIR lowers the op.
static bool makes_static(MlirOperation op) {
  if (stow_ir_op_is(op, "gpu.all_reduce"))
    return true;
  if (stow_ir_op_is(op, "nvgpu.mbarrier.create"))
    return !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, 0)));
  return stow_check_kinds(op) & (STOW_CHECK_MAKES | STOW_CHECK_GLOBAL) &&
         is_used_in_workgroup(mlirOperationGetResult(op, 0));
}

// Memory of a kernel, in it or in what it calls: the first of each kind, or null.
typedef struct memories {
  MlirValue fixed, dynamic;
} memories;

static void note_memory(memories *m, MlirOperation op) {
  if (mlirValueIsNull(m->fixed) && makes_static(op))
    m->fixed = mlirOperationGetResult(op, 0);
  if (mlirValueIsNull(m->fixed) &&
      (stow_ir_op_is(op, "gpu.func") || stow_ir_op_is(op, "gpu.launch")))
    m->fixed = static_argument(op);
  if (mlirValueIsNull(m->dynamic) && stow_ir_op_is(op, "gpu.dynamic_shared_memory") &&
      is_used_in_workgroup(mlirOperationGetResult(op, 0)))
    m->dynamic = mlirOperationGetResult(op, 0);
}

static memories memories_of(MlirOperation kernel, stow_symbols *symbols) {
  memories m = {0};
  stow_op_set called = stow_check_called_in(kernel, symbols);
  STOW_EACH_OP_OF(op, kernel)
    note_memory(&m, op);
  STOW_EACH_ITEM(MlirOperation, function, called)
    STOW_EACH_OP_OF(op, function)
      note_memory(&m, op);
  STOW_SET_FREE(called);
  return m;
}

// `told`: the dynamic memory that errors have named.
static bool check_memories(MlirOperation kernel, stow_symbols *symbols, stow_map *told) {
  const memories m = memories_of(kernel, symbols);
  if (mlirValueIsNull(m.fixed) || mlirValueIsNull(m.dynamic) || !stow_map_note(told, m.dynamic.ptr))
    return true;
  const stow_note notes[] = {{mlirValueGetLocation(m.fixed), "this is static"},
                             {mlirOperationGetLocation(kernel), "this kernel comes to both"}};
  const bool called =
      !stow_ir_is_inside(mlirOpResultGetOwner(m.dynamic), kernel) ||
      !stow_ir_is_inside(mlirBlockGetParentOperation(stow_block_of(m.fixed)), kernel);
  stow_bridge_error(mlirValueGetLocation(m.dynamic),
                    "may lie at the same bytes as static workgroup memory of the kernel: let it "
                    "have one of the two only",
                    notes, called ? 2 : 1);
  return false;
}

bool stow_check_launches_find(MlirOperation module, stow_symbols *symbols) {
  bool right = true;
  stow_map told = {0};
  STOW_EACH_OP_OF(op, module) {
    if (stow_ir_op_is(op, "gpu.func") || stow_ir_op_is(op, "gpu.launch"))
      right &= check_memories(op, symbols, &told);
    if (stow_ir_op_is(op, "gpu.launch"))
      right &= check_launch(op, op);
    else if (stow_ir_op_is(op, "gpu.launch_func"))
      right &= check_launch(op, stow_bridge_named_function(op, "kernel", symbols));
  }
  stow_map_free(&told);
  return right;
}
