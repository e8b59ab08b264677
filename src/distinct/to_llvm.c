//===- to_llvm.c - convert-view-accesses-to-llvm --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two views of an arena are two pointers into one object to LLVM. memref.distinct_objects does not
// help: it is lowered to `separate_storage`, which LLVM 22 takes to be of whole objects, so that an
// access of the arena does not even alias itself. Alias scopes are of accesses, and no op of the
// memref dialect can carry them, so accesses are lowered here.
//
//===----------------------------------------------------------------------===//

#include "bridge/accesses.h"
#include "distinct/views.h"
#include "stowage/passes.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

// Of each view, its scope and those that it has no byte in common with.
typedef struct told {
  MlirAttribute scope, own, others;
} told;

static told *make_scopes(const stow_distinct *d) {
  const MlirContext context = mlirOperationGetContext(d->function);
  const size_t count = d->views.count;
  told *all = stow_allocate(count, sizeof *all);
  MlirAttribute *scopes = stow_allocate(count, sizeof *scopes),
                *others = stow_allocate(count, sizeof *others);
  stow_alias_scopes(context, (intptr_t)count, scopes);
  for (size_t v = 0; v < count; ++v) {
    const stow_distinct_view *view = &d->views.at[v];
    for (size_t i = 0; i < view->others.count; ++i)
      others[i] = scopes[view->others.at[i]];
    all[v] = (told){scopes[v], mlirArrayAttrGet(context, 1, &scopes[v]),
                    mlirArrayAttrGet(context, (intptr_t)view->others.count, others)};
  }
  free(scopes);
  free(others);
  return all;
}

static void convert_in(MlirOperation function, unsigned index_bits) {
  stow_distinct d = stow_distinct_read(function);
  told *all = make_scopes(&d);
  for (size_t v = d.views.count; v-- > 0;)
    if (d.views.at[v].others.count > 0)
      stow_declare_scope(function, all[v].scope);
  STOW_EACH(const stow_view_access, access, d.accesses)
    if (d.views.at[access->view].others.count > 0)
      stow_access_by_llvm(access->op, index_bits, all[access->view].own, all[access->view].others);
  free(all);
  stow_distinct_free(&d);
}

static bool is_function(MlirOperation op) { return stow_is(op, STOW_FUNC_FUNC); }

void stow_view_accesses_to_llvm(MlirOperation module,
                                const stow_view_accesses_to_llvm_options *options) {
  stow_view_accesses_to_llvm_options o = {0};
  if (options)
    stow_take_options(&o, options, sizeof o);
  stow_load_dialects(mlirOperationGetContext(module));
  stow_op_list functions = stow_functions_in(module);
  STOW_EACH_ITEM(MlirOperation, function, functions)
    if (is_function(function))
      convert_in(function, o.index_bits);
  free(functions.at);
}
