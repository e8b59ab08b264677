//===- fixed.c - offsets that the program states ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An alloc's attribute stowage.offset says where in its arena it lies: a plan made elsewhere, or by
// an earlier analysis. Requires a stated problem; what is asked for is checked before planning. An
// arena whose sizes are known at run time, or of which an analysis put something into a result, is
// planned as if nothing was said.
//
//===----------------------------------------------------------------------===//

#include "arena/arena.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <inttypes.h>
#include <stdlib.h>

static MlirOperation alloc_of(const stow_arenas *arenas, const stow_arena *arena, size_t planned) {
  return stow_arena_function(arenas, arena)->flow.allocs.at[arena->planned[planned]].op;
}

// Such an attribute is none that the op declares itself: these are not looked through.
static MlirAttribute note_on(MlirOperation op, const char *name) {
  return mlirOperationGetDiscardableAttributeByName(op, stow_ir_string(name));
}

static bool refuse(const stow_arenas *arenas, MlirOperation op, const char *what, uint64_t number,
                   const char *advice) {
  return stow_ir_refuse(mlirOperationGetLocation(op),
                        "%s: stowage.offset %s%" PRIu64 "; %s, or remove the attribute",
                        arenas->pass, what, number, advice);
}

static bool is_number(MlirAttribute attribute) {
  if (!mlirAttributeIsAInteger(attribute))
    return false;
  const MlirType type = mlirAttributeGetType(attribute);
  return mlirTypeIsAIndex(type) ||
         (mlirIntegerTypeIsSignless(type) && mlirIntegerTypeGetWidth(type) <= 64);
}

// False, with an error, where the attribute is no offset of the buffer.
static bool read_offset(const stow_arenas *arenas, MlirOperation op, const stow_buffer *buffer,
                        MlirAttribute attribute, uint64_t *out) {
  const uint64_t most = arenas->options.capacity ? arenas->options.capacity : UINT64_C(1) << 62;
  const MlirLocation location = mlirOperationGetLocation(op);
  if (!is_number(attribute))
    return stow_ir_refuse(location,
                          "%s: stowage.offset must be an integer, such as 64 : i64; write one, or "
                          "remove the attribute",
                          arenas->pass);
  const int64_t number = mlirIntegerAttrGetValueInt(attribute);
  if (number < 0)
    return stow_ir_refuse(location,
                          "%s: stowage.offset must not be negative; count from the arena's first "
                          "byte, or remove the attribute",
                          arenas->pass);
  *out = (uint64_t)number;
  if (*out % buffer->alignment)
    return refuse(arenas, op, "must be a multiple of the alignment of the buffer, ",
                  buffer->alignment, "round it up");
  if (buffer->size > most || *out > most - buffer->size)
    return refuse(arenas, op, "puts the buffer's end above the capacity, ", most, "lower it");
  return true;
}

// Reads the offsets; false, with an error, where one cannot be.
static bool read_offsets(const stow_arenas *arenas, stow_arena *arena, bool *out_any) {
  bool ok = true;
  for (size_t i = 0; i < arena->planned_count; ++i) {
    const MlirOperation op = alloc_of(arenas, arena, i);
    const MlirAttribute attribute = note_on(op, "stowage.offset");
    arena->fixed[i] = STOW_ANY_OFFSET;
    if (mlirAttributeIsNull(attribute))
      continue;
    *out_any = true;
    ok &= read_offset(arenas, op, &arena->buffers[i], attribute, &arena->fixed[i]);
  }
  return ok;
}

// Whether what is fixed can be together: all else counts for nothing.
static bool is_possible(const stow_arenas *arenas, const stow_arena *arena) {
  stow_buffer *buffers = stow_ir_allocate(arena->planned_count, sizeof *buffers);
  stow_problem problem = arena->problem;
  stow_fault fault = {0};
  problem.buffers = buffers;
  problem.fixed_offsets = NULL;
  for (size_t i = 0; i < arena->planned_count; ++i) {
    const bool fixed = arena->fixed[i] != STOW_ANY_OFFSET;
    buffers[i] = arena->buffers[i];
    buffers[i].size = fixed ? buffers[i].size : 0;
    arena->offsets[i] = fixed ? arena->fixed[i] : 0;
  }
  if (stow_verify(&problem, arena->offsets, UINT64_MAX, &fault) == STOW_NO_MEMORY)
    stow_bridge_out_of_memory();
  free(buffers);
  if (fault.kind == STOW_FAULT_NONE)
    return true;
  const stow_note other = {mlirOperationGetLocation(alloc_of(arenas, arena, fault.second)),
                           "the other buffer"};
  char *text =
      stow_ir_format("%s: stowage.offset puts this buffer where another one is while both are "
                     "live; move one of them, or remove the attribute",
                     arenas->pass);
  stow_bridge_error(mlirOperationGetLocation(alloc_of(arenas, arena, fault.first)), text, &other,
                    1);
  free(text);
  return false;
}

static bool is_annotated_with_results(const stow_arenas *arenas, const stow_arena *arena) {
  for (size_t i = 0; i < arena->planned_count; ++i)
    if (!mlirAttributeIsNull(note_on(alloc_of(arenas, arena, i), "stowage.lent_by")))
      return true;
  return false;
}

bool stow_arena_fix_offsets(const stow_arenas *arenas, stow_arena *arena, bool is_dynamic) {
  bool any = false;
  if (arenas->unfixed || is_dynamic || stow_backing_is(arena->backing, STOW_BACKING_IS_SHARED) ||
      is_annotated_with_results(arenas, arena))
    return true;
  arena->fixed = stow_ir_allocate(arena->planned_count, sizeof *arena->fixed);
  if (!read_offsets(arenas, arena, &any) || (any && !is_possible(arenas, arena)))
    return false;
  if (any) {
    arena->problem.fixed_offsets = arena->fixed;
    return true;
  }
  free(arena->fixed);
  arena->fixed = NULL;
  return true;
}
