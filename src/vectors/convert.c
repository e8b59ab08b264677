//===- convert.c - convert-linalg-to-vectors ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One op after another; those that are no nests stay, with a remark, for convert-linalg-to-loops.
//
//===----------------------------------------------------------------------===//

#include "ir/reason.h"
#include "stowage/passes.h"
#include "vectors/emit.h"

#include <stdlib.h>

static bool is_structured(MlirOperation op) {
  return (stow_op_facts(op) & STOW_OP_STRUCTURED) && stow_op_has_prefix(op, "linalg.");
}

static void tell_left(MlirOperation op, const char *why) {
  stow_remark_emit(&(stow_remark){.kind = STOW_REMARK_MISSED,
                                  .location = mlirOperationGetLocation(op),
                                  .category = "convert-linalg-to-vectors",
                                  .name = "left-alone",
                                  .text = "no vectors are made of this op",
                                  .reason = why,
                                  .suggestion = "run convert-linalg-to-loops behind this pass"});
}

void stow_linalg_to_vectors(MlirOperation module, const stow_linalg_to_vectors_options *given) {
  stow_linalg_to_vectors_options options = {0};
  if (given)
    stow_take_options(&options, given, sizeof options);
  const unsigned bits = options.vector_bits ? options.vector_bits : 128;
  const stow_machine machine = {bits < STOW_MOST_VECTOR_BITS ? bits : STOW_MOST_VECTOR_BITS,
                                options.registers ? options.registers : 16};
  stow_load_dialects(mlirOperationGetContext(module));
  stow_op_list found = stow_ops_in(module, is_structured);
  for (size_t i = 0; i < found.count; ++i) {
    stow_nest nest;
    stow_tile tile;
    const char *why;
    if (!stow_nest_read(found.at[i], &nest, &why)) {
      tell_left(found.at[i], why);
      continue;
    }
    stow_tile_choose(&nest, machine, &tile);
    stow_emit_nest(&nest, &tile, options.contract);
  }
  free(found.at);
}
