//===- deallocation.c - buffer-deallocation -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass in its two forms. One decides who owns each buffer of the module (own) and places
// deallocs (place). The other, `tighten`, takes the deallocs that are there away and places them
// anew, in rounds, while that makes ops that the next round has to read.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/limits.h"
#include "dealloc/place/place.h"

#include <stdlib.h>

void stow_buffer_deallocation(MlirOperation module, const stow_deallocation_options *options) {
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  stow_ownership_settings settings = stow_ownership_settings_of("buffer-deallocation", options);
  settings.prefer.free_early = true;
  stow_ownership ownership = stow_ownership_of(module, &settings);
  stow_dealloc_place(module, &ownership);
  stow_ownership_free(&ownership);
}

//===----------------------------------------------------------------------===//
// Deallocs placed anew
//===----------------------------------------------------------------------===//

static stow_placement tighten(MlirOperation module, const stow_ownership_settings *settings) {
  stow_ownership before = stow_ownership_of(module, settings);
  stow_op_list deallocs = {0};
  for (size_t i = 0; i < before.decisions.count; ++i)
    stow_dealloc_add(before.decisions.at[i], NULL, &deallocs);
  stow_placement placement = stow_dealloc_place_anew(module, &deallocs, &before);
  stow_ownership_free(&before);
  free(deallocs.at);
  return placement;
}

void stow_tighten_deallocs(MlirOperation module, const stow_deallocation_options *options) {
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  const stow_ownership_settings settings =
      stow_ownership_settings_of("buffer-deallocation", options);
  for (int round = 0; round < STOW_OWN_MOST_ROUNDS; ++round)
    if (tighten(module, &settings) != STOW_PLACED_WITH_OPS)
      break;
}
