//===- planted.c - stowage-opt that asks about windows that are wrong ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked with stowage-opt's own objects in front of src/taskflow/replay.c (the
// linker's --wrap). Of each window that holds, it asks whether the window still
// does
//
//   cell     with an index less, per dimension
//   reader   with a loop that loads from it before the loop that stores to it,
//            where one stands behind the other in one body
//
// and prints kind and answer, a line each: "cell found", "reader passes".
//
//===----------------------------------------------------------------------===//

#include "mlir-c/BuiltinTypes.h"
#include "taskflow/loops.h"
#include "taskflow/steps.h"

#include <stdio.h>

bool __real_stow_window_holds(MlirBlock before, MlirBlock after, const stow_window *window);
bool __wrap_stow_window_holds(MlirBlock before, MlirBlock after, const stow_window *window);

static void ask(const char *kind, MlirBlock before, MlirBlock after, const stow_window *window) {
  const bool holds = __real_stow_window_holds(before, after, window);
  fprintf(stderr, "%s %s\n", kind, holds ? "passes" : "found");
}

static void take_a_cell(MlirBlock before, MlirBlock after, const stow_window *window) {
  const intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(window->buffer));
  for (intptr_t k = 0; k < rank; ++k) {
    if (window->sizes[k] == 1)
      continue;
    --window->sizes[k];
    ask("cell", before, after, window);
    ++window->sizes[k];
  }
}

static bool uses(MlirOperation loop, MlirValue buffer, bool stores) {
  bool any = false;
  STOW_EACH_OP_OF(op, loop)
    any |= (stores ? stow_taskflow_is_store(op) : stow_taskflow_is_load(op)) &&
           mlirValueEqual(stow_taskflow_access_memref(op), buffer);
  return any;
}

static bool reads_behind(MlirOperation writer, MlirOperation reader, MlirValue buffer) {
  return stow_taskflow_is_loop(writer) && stow_taskflow_is_loop(reader) &&
         uses(writer, buffer, true) && !uses(writer, buffer, false) && uses(reader, buffer, false);
}

static void move_readers(MlirBlock before, MlirBlock after, const stow_window *window) {
  STOW_EACH_OP_OF(loop, mlirBlockGetParentOperation(after)) {
    if (!stow_taskflow_is_loop(loop))
      continue;
    for (MlirOperation op = mlirBlockGetFirstOperation(stow_taskflow_loop_body(loop)), next;
         !mlirOperationIsNull(op); op = next) {
      next = mlirOperationGetNextInBlock(op);
      if (mlirOperationIsNull(next) || !reads_behind(op, next, window->buffer))
        continue;
      const MlirOperation writer = op, reader = next;
      mlirOperationMoveBefore(reader, writer);
      ask("reader", before, after, window);
      mlirOperationMoveAfter(reader, writer);
    }
  }
}

bool __wrap_stow_window_holds(MlirBlock before, MlirBlock after, const stow_window *window) {
  if (!__real_stow_window_holds(before, after, window))
    return false;
  take_a_cell(before, after, window);
  move_readers(before, after, window);
  return true;
}
