//===- sizes.c - functions that tell the frames of entry points -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frames/frames.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

// The names of a module's symbols, by the attribute that a name is.
static stow_map names_of(MlirOperation module) {
  stow_map names = {0};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute name = stow_attribute_of(op, "sym_name");
    if (!mlirAttributeIsNull(name))
      stow_map_note(&names, name.ptr);
  }
  return names;
}

// func.func @NAME() -> index { return NUMBER }. False where the name is taken.
static bool add(stow_map *names, const stow_framed *framed, char *name, uint64_t number) {
  MlirLocation location = mlirOperationGetLocation(framed->function);
  MlirAttribute symbol =
      mlirStringAttrGet(mlirLocationGetContext(location), mlirStringRefCreateFromCString(name));
  if (!stow_map_note(names, symbol.ptr)) {
    stow_refuse(location, "merge-alloc: there is a symbol '%s' already; nothing was rewritten",
                name);
    free(name);
    return false;
  }
  MlirType index = mlirIndexTypeGet(mlirLocationGetContext(location));
  MlirType type = mlirFunctionTypeGet(mlirLocationGetContext(location), 0, NULL, 1, &index);
  const stow_builder outside = stow_builder_before(framed->function, location);
  MlirOperation function = stow_build_function(&outside, name, type, true);
  MlirOperation end = mlirBlockGetTerminator(mlirRegionGetFirstBlock(stow_function_body(function)));
  const stow_builder inside = stow_builder_before(end, location);
  MlirValue value = stow_build_number(&inside, index, (int64_t)number);
  stow_append_operands(end, &value, 1);
  free(name);
  return true;
}

// Whether an earlier memory space of the function has the same name in symbols.
static bool is_namesake(const stow_framed *framed, size_t i) {
  char *name = stow_space_suffix(framed->needs.at[i].space);
  bool same = false;
  for (size_t k = 0; k < i && !same; ++k) {
    char *other = stow_space_suffix(framed->needs.at[k].space);
    same = strcmp(name, other) == 0;
    free(other);
  }
  free(name);
  return same;
}

static bool refuse_namesake(const stow_framed *framed, MlirAttribute space) {
  char *text = stow_attribute_text(space);
  stow_refuse(mlirOperationGetLocation(framed->function),
              "merge-alloc: it has arenas in two memory spaces whose letters and digits are the "
              "same, which gives both one name; one is %s; nothing was rewritten",
              text);
  free(text);
  return false;
}

static bool add_for(stow_map *names, const stow_framed *framed, const char *name) {
  bool ok = true;
  for (size_t i = 0; i < framed->needs.count && ok; ++i) {
    const stow_need *need = &framed->needs.at[i];
    if (is_namesake(framed, i))
      return refuse_namesake(framed, need->space);
    char *space = stow_space_suffix(need->space);
    ok = add(names, framed, stow_format("%s_arena_bytes%s", name, space), need->bytes) &&
         add(names, framed, stow_format("%s_arena_alignment%s", name, space), need->alignment);
    free(space);
  }
  return ok;
}

bool stow_add_sizes(const stow_frames *frames, const stow_splits *splits) {
  stow_map names = names_of(frames->module);
  bool ok = true;
  for (size_t f = 0; f < frames->calls.function_count && ok; ++f) {
    if (!frames->functions[f].entry)
      continue;
    char *name = stow_entry_name(splits, frames->functions[f].function);
    ok = add_for(&names, &frames->functions[f], name);
    free(name);
  }
  stow_map_free(&names);
  return ok;
}
