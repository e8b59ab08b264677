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
#include "vectors/fuse.h"
#include "vectors/share.h"
#include "vectors/words.h"

#include <stdlib.h>

static bool is_structured(MlirOperation op) {
  return (stow_op_facts(op) & STOW_OP_STRUCTURED) && stow_ir_op_has_prefix(op, "linalg.");
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

static void use_words(MlirOperation op) {
  if (mlirOperationGetNumRegions(op) == 1)
    stow_vectors_use_words(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

static size_t read_all(const stow_op_list *ops, stow_vectors_machine machine, stow_tiled *out) {
  size_t count = 0;
  for (size_t i = 0; i < ops->count; ++i) {
    const char *why;
    if (stow_vectors_machine_has_words(machine))
      use_words(ops->at[i]);
    if (!stow_vectors_nest_read(ops->at[i], &out[count].nest, &why)) {
      tell_left(ops->at[i], why);
      continue;
    }
    stow_vectors_tile_choose(&out[count].nest, machine, &out[count].tile);
    ++count;
  }
  return count;
}

static void pack(MlirOperation module, stow_tiled *tiled, size_t count,
                 stow_vectors_machine machine, stow_unused *out) {
  stow_map index = {0};
  for (size_t i = 0; i < count; ++i)
    stow_map_add(&index, tiled[i].nest.op.ptr, (int32_t)i);
  stow_vectors_pack_weights(module, tiled, &index, machine, out);
  stow_map_free(&index);
}

void stow_linalg_to_vectors(MlirOperation module, const stow_linalg_to_vectors_options *given) {
  stow_linalg_to_vectors_options options;
  stow_ir_take_options(&options, given, sizeof options);
  const unsigned bits = options.vector_bits ? options.vector_bits : 128;
  const stow_vectors_machine machine = {bits < STOW_MOST_VECTOR_BITS ? bits : STOW_MOST_VECTOR_BITS,
                                        options.registers ? options.registers : 16, options.pairs,
                                        options.dot};
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  stow_op_list found = stow_ir_ops_in(module, is_structured);
  stow_tiled *tiled = stow_ir_allocate(found.count, sizeof *tiled);
  stow_unused unused = {0};
  size_t count = read_all(&found, machine, tiled);
  count = stow_vectors_fuse_nests(tiled, count);
  if (!options.keep_weights)
    pack(module, tiled, count, machine, &unused);
  count = stow_vectors_share_nests(module, tiled, count);
  for (size_t i = 0; i < count; ++i)
    stow_vectors_emit_nest(&tiled[i].nest, &tiled[i].tile, options.contract);
  stow_vectors_unused_destroy(&unused);
  free(tiled);
  free(found.at);
}
