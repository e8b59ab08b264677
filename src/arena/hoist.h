//===- hoist.h - one arena for all iterations of a parallel loop -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterations that may run at once need an arena each. Where it is known how many
// there are, one alloc before the loop can hold all of these arenas, a *slice* per
// iteration:
//
//     scf.parallel (%i) = (0) to (4) {          %all = alloc(4 x 128)
//       %arena = alloc(128)               =>    scf.parallel (%i) = (0) to (4) {
//       ...                                       %arena = view %all[%i x 128]
//       dealloc %arena                            ...
//     }                                         }
//                                               dealloc %all
//
// No two iterations have the same linear index, so no two slices share a byte. The
// alloc stands where each run of the loop has its own.
//
// Innermost loops come first, in rounds: what a loop's slices were hoisted to is an
// ordinary buffer of the region around it, in the next round and in the pass itself.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_HOIST_H
#define STOWAGE_ARENA_HOIST_H

#include "arena/arena.h"
#include "ir/build.h"

// Hoists the arenas of all scf.parallel and scf.forall of the module that allow it and tells of the
// others. False, with a located error, where planning fails. `out_kept`: a clone of the module from
// before, or null where it did not change. To be passed to stow_arena_give_back. Sets `memory` of
// `arenas` where the module was analysed and did not change since.
bool stow_arena_hoist_parallel(stow_arenas *arenas, MlirOperation *out_kept);

// Makes the module what it was where the pass failed, and frees the clone.
void stow_arena_give_back(MlirOperation module, MlirOperation kept, bool ok);

//===----------------------------------------------------------------------===//
// slices.c: the memory of an arena that is a slice per iteration
//===----------------------------------------------------------------------===//

// How often an scf.parallel or scf.forall runs its body; 0 where a bound or a step is not constant,
// UINT64_MAX where that does not fit.
uint64_t stow_arena_trips_of(MlirOperation loop);

// Bytes from one slice to the next.
uint64_t stow_slice_stride(const stow_arena *arena);

// Makes the memory around the loop, freed behind it unless it is left, and the iteration's slice,
// bytes from 0 on, at the beginning of the body. Gives the slice.
MlirValue stow_arena_build_slice(const stow_arena *arena, const stow_scope *scope,
                                 bool leave_arena);

#endif // STOWAGE_ARENA_HOIST_H
