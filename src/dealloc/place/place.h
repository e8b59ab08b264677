//===- place.h - clones and deallocs, made where they were decided --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_PLACE_H
#define STOWAGE_DEALLOC_PLACE_H

#include "dealloc/own/ownership.h"

//===----------------------------------------------------------------------===//
// apply.c, remarks.c, alignments.c: one region
//===----------------------------------------------------------------------===//

// The largest alignment, in bytes, that anything in a module relies on.
uint64_t stow_dealloc_largest_promise(MlirOperation module);

// Makes the clones and the deallocs. `largest_promise`: of the module.
void stow_dealloc_apply_decision(const stow_decision *decision, uint64_t largest_promise);

// Emits a pass's remarks on what is cloned and what is left alone.
void stow_dealloc_remark_decision(const stow_decision *decision, const char *pass);

// The same for a pass that places no deallocs: on allocations that it leaves to the program.
void stow_dealloc_remark_kept(const stow_decision *decision, const char *pass);

// That an allocation whose size is known only at run time stays, as an op before it may not be
// passed.
void stow_dealloc_remark_uncertain(const stow_decision *decision, const char *pass,
                                   MlirOperation alloc, MlirOperation before);

//===----------------------------------------------------------------------===//
// module.c: a module
//===----------------------------------------------------------------------===//

// Whether something in a region must be cloned.
bool stow_dealloc_makes_clones(const stow_decision *decision);

// Makes all clones and deallocs of a module, with remarks.
void stow_dealloc_place(MlirOperation module, const stow_ownership *ownership);

typedef enum stow_placement {
  STOW_NOT_PLACED,      // the deallocs freed what would be left alone: nothing is changed
  STOW_PLACED,          // all that was added are deallocs
  STOW_PLACED_WITH_OPS, // and clones, bits or branches
} stow_placement;

// Decides again as if the deallocs, and the names behind them, were not there, and puts other
// deallocs in their place.
stow_placement stow_dealloc_place_anew(MlirOperation module, const stow_op_list *deallocs,
                                       const stow_ownership *before);

#endif // STOWAGE_DEALLOC_PLACE_H
