//===- call.c - the frame of a function at each call of it ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires measured frames of functions that get them from their callers. Makes the bytes in front
// of each call, frees them behind it, and passes them as the last operand.
//
//===----------------------------------------------------------------------===//

#include "frames/frames.h"

#include <assert.h>

// "frame of f" is the name that reports show.
static MlirLocation named(MlirOperation call, const stow_framed *framed) {
  MlirLocation location = mlirOperationGetLocation(call);
  MlirStringRef function = stow_bridge_function_name(framed->function);
  char *name = stow_ir_format("frame of %.*s", (int)function.length, function.data);
  MlirLocation result =
      mlirLocationNameGet(mlirLocationGetContext(location), stow_ir_string(name), location);
  free(name);
  return result;
}

static MlirValue allocate(const stow_builder *before, const stow_need *need, MlirOperation call) {
  if (!stow_frames_is_measured(need))
    return stow_ir_build_alloc(before, stow_ir_bytes_type(before, need->bytes, need->space),
                               need->alignment);
  return stow_ir_build_alloc_bytes(before, stow_frames_build_measure(before, &need->measure, call),
                                   need->space, need->alignment);
}

// Nothing is allocated for no bytes.
static MlirValue make(const stow_builder *before, const stow_builder *after, const stow_need *need,
                      MlirOperation call) {
  if (need->bytes == 0 && !stow_frames_is_measured(need))
    return stow_ir_build_alloca(before, stow_ir_bytes_type(before, 0, need->space),
                                need->alignment);
  MlirValue frame = allocate(before, need, call);
  stow_ir_build_dealloc(after, frame);
  return frame;
}

static void pass_at(const stow_framed *framed, MlirOperation call) {
  const stow_builder before = stow_builder_before(call, named(call, framed));
  const stow_builder after =
      stow_builder_before(mlirOperationGetNextInBlock(call), before.location);
  for (size_t i = 0; i < framed->needs.count; ++i) {
    MlirValue frame = make(&before, &after, &framed->needs.at[i], call);
    stow_bridge_append_operands(call, &frame, 1);
  }
  assert(mlirOperationGetNumOperands(call) ==
         stow_bridge_function_argument_count(framed->function));
}

void stow_frames_pass(const stow_framed *framed) {
  for (size_t i = 0;
       i < framed->calls.count && stow_backing_is(framed->backing, STOW_BACKING_IS_PASSED); ++i)
    pass_at(framed, framed->calls.at[i]);
}
