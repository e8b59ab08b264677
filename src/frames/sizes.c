//===- sizes.c - functions that tell the frames of entry points -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires entry points with measured frames. Adds a function for each that tells the bytes, and
// one for the alignment, in each memory space; of sizes that are known at run time only they are
// computed from the arguments. Names that another run took, or the program, are not taken.
//
//===----------------------------------------------------------------------===//

#include "frames/frames.h"

#include "ir/state.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// What an earlier run made
//===----------------------------------------------------------------------===//

static const char BYTES[] = "_arena_bytes", ALIGNMENT[] = "_arena_alignment";

// Whether a function computes one index from numbers or shapes, as those made here do.
static bool gives_number(MlirOperation function) {
  if (!stow_ir_is(function, STOW_FUNC_FUNC))
    return false;
  const MlirType type = stow_ir_function_type(function);
  return mlirFunctionTypeGetNumResults(type) == 1 &&
         mlirTypeIsAIndex(mlirFunctionTypeGetResult(type, 0));
}

static const void *name_attribute(MlirOperation function, const char *name) {
  return mlirStringAttrGet(mlirOperationGetContext(function), mlirStringRefCreateFromCString(name))
      .ptr;
}

// What `function`, of a name that has BYTES after that of an entry point, tells with another one.
static void note_told(const stow_map *numbers, MlirOperation function, stow_map *told) {
  char *name = stow_ir_copy_string(stow_bridge_function_name(function));
  for (char *at = strstr(name, BYTES); at; at = strstr(at + 1, BYTES)) {
    char *entry = stow_ir_format("%.*s", (int)(at - name), name);
    char *other = stow_ir_format("%s%s%s", entry, ALIGNMENT, at + sizeof BYTES - 1);
    const void *alignment = name_attribute(function, other);
    if (stow_map_get(numbers, alignment) >= 0) {
      stow_map_note(told, name_attribute(function, entry));
      stow_map_note(told, name_attribute(function, name));
      stow_map_note(told, alignment);
    }
    free(entry);
    free(other);
  }
  free(name);
}

stow_map stow_frames_told_names(const stow_calls *calls) {
  stow_map numbers = {0}, told = {0};
  for (size_t f = 0; f < calls->function_count; ++f)
    if (stow_ir_has_attribute(calls->functions[f], STOW_STATE_INIT))
      stow_map_note(&told, stow_attribute_of(calls->functions[f], "sym_name").ptr);
  for (size_t f = 0; f < calls->function_count; ++f)
    if (gives_number(calls->functions[f]))
      stow_map_note(&numbers, stow_attribute_of(calls->functions[f], "sym_name").ptr);
  for (size_t f = 0; f < calls->function_count; ++f)
    if (gives_number(calls->functions[f]))
      note_told(&numbers, calls->functions[f], &told);
  stow_map_free(&numbers);
  return told;
}

//===----------------------------------------------------------------------===//
// What this one makes
//===----------------------------------------------------------------------===//

// False, with a located error, where the name is taken.
static bool take_name(stow_symbol_names *names, const stow_framed *framed, const char *name) {
  return stow_ir_take_name(names, name) ||
         stow_ir_refuse(mlirOperationGetLocation(framed->function),
                        "merge-alloc: there is a symbol '%s' already; nothing was rewritten", name);
}

// func.func @NAME() -> index { return NUMBER }
static void add_number(const stow_framed *framed, const char *name, uint64_t number) {
  MlirLocation location = mlirOperationGetLocation(framed->function);
  MlirType index = mlirIndexTypeGet(mlirLocationGetContext(location));
  MlirType type = mlirFunctionTypeGet(mlirLocationGetContext(location), 0, NULL, 1, &index);
  const stow_builder outside = stow_builder_before(framed->function, location);
  MlirOperation function = stow_ir_build_function(&outside, name, type, true);
  MlirOperation end =
      mlirBlockGetTerminator(mlirRegionGetFirstBlock(stow_bridge_function_body(function)));
  const stow_builder inside = stow_builder_before(end, location);
  MlirValue value = stow_ir_build_number(&inside, index, (int64_t)number);
  stow_bridge_append_operands(end, &value, 1);
}

// func.func @NAME(%n: index, ...) -> index
static void add_measure(const stow_framed *framed, const char *name, stow_measure *measure) {
  const MlirOperation function = measure->function;
  measure->function = (MlirOperation){NULL}; // the module's now
  stow_bridge_rename_symbol(function, name);
  stow_ir_insert_before(framed->function, function);
}

static bool add_bytes(stow_symbol_names *names, const stow_framed *framed, stow_need *need,
                      const char *name) {
  if (!take_name(names, framed, name))
    return false;
  if (!stow_frames_is_measured(need))
    add_number(framed, name, need->bytes);
  else
    add_measure(framed, name, &need->measure);
  return true;
}

static bool add_alignment(stow_symbol_names *names, const stow_framed *framed,
                          const stow_need *need, const char *name) {
  if (!take_name(names, framed, name))
    return false;
  add_number(framed, name, need->alignment);
  return true;
}

// Whether an earlier memory space of the function has the same name in symbols.
static bool is_namesake(const stow_framed *framed, size_t i) {
  char *name = stow_arena_space_suffix(framed->needs.at[i].space);
  bool same = false;
  for (size_t k = 0; k < i && !same; ++k) {
    char *other = stow_arena_space_suffix(framed->needs.at[k].space);
    same = strcmp(name, other) == 0;
    free(other);
  }
  free(name);
  return same;
}

static bool refuse_namesake(const stow_framed *framed, MlirAttribute space) {
  char *text = stow_attribute_text(space);
  stow_ir_refuse(mlirOperationGetLocation(framed->function),
                 "merge-alloc: it has arenas in two memory spaces whose letters and digits are the "
                 "same, which gives both one name; one is %s; nothing was rewritten",
                 text);
  free(text);
  return false;
}

static bool add_need(stow_symbol_names *names, const stow_framed *framed, stow_need *need,
                     const char *entry) {
  char *space = stow_arena_space_suffix(need->space);
  char *bytes = stow_ir_format("%s%s%s", entry, BYTES, space);
  char *alignment = stow_ir_format("%s%s%s", entry, ALIGNMENT, space);
  const bool ok =
      add_bytes(names, framed, need, bytes) && add_alignment(names, framed, need, alignment);
  free(space);
  free(bytes);
  free(alignment);
  return ok;
}

static bool add_for(stow_symbol_names *names, const stow_framed *framed, const char *name) {
  bool ok = true;
  for (size_t i = 0; i < framed->needs.count && ok; ++i) {
    if (is_namesake(framed, i))
      return refuse_namesake(framed, framed->needs.at[i].space);
    ok = add_need(names, framed, &framed->needs.at[i], name);
  }
  return ok;
}

bool stow_frames_add_sizes(const stow_frames *frames, const stow_splits *splits,
                           stow_symbol_names *names) {
  bool ok = true;
  for (size_t f = 0; f < frames->calls.function_count && ok; ++f) {
    if (!frames->functions[f].entry)
      continue;
    char *name = stow_frames_entry_name(splits, frames->functions[f].function);
    ok = add_for(names, &frames->functions[f], name);
    free(name);
  }
  return ok;
}
