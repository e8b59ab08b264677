//===- symbols.c - the names of a module's symbols ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/symbols.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

stow_symbol_names stow_symbol_names_of(MlirOperation module) {
  stow_symbol_names names = {.context = mlirOperationGetContext(module)};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  STOW_EACH_OP(op, body) {
    MlirAttribute name = stow_attribute_of(op, "sym_name");
    if (!mlirAttributeIsNull(name))
      stow_map_note(&names.taken, name.ptr);
  }
  return names;
}

void stow_symbol_names_free(stow_symbol_names *names) { stow_map_free(&names->taken); }

bool stow_ir_take_name(stow_symbol_names *names, const char *name) {
  MlirStringRef text = stow_ir_string(name);
  return stow_map_note(&names->taken, mlirStringAttrGet(names->context, text).ptr);
}

char *stow_ir_take_free_name(stow_symbol_names *names, const char *wanted) {
  char *name = stow_ir_format("%s", wanted);
  for (unsigned i = 0; !stow_ir_take_name(names, name); ++i) {
    free(name);
    name = stow_ir_format("%s_%u", wanted, i);
  }
  return name;
}
