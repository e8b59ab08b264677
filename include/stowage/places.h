//===- stowage/places.h - where the arenas of functions may be ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one list of these places. Of it are made the enumerators of stow_arena_place in
// stowage/passes.h, the words of merge-alloc's option `arena`, the kinds of frames in reports and
// in their schema, and which backing of src/arena/arena.h the arena of an entry point has.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLACES_H
#define STOWAGE_PLACES_H

// X(ENUM, word of the option, BACKING, kind of frame), with AND between them. Each has a backing of
// its own.
//
//     ALLOC     each function allocates its own
//     STACK     on the stack of the entry points, where they fit
//     ARGUMENT  in memory that the caller of an entry point passes as its last argument
//     GLOBAL    in a global of each entry point
//     CALLBACK  in memory that a function of the program gives an entry point
//
// clang-format off
#define STOW_ARENA_PLACES(X, AND)                                                                  \
  X(ALLOC, "alloc", HEAP, "heap") AND                                                              \
  X(STACK, "stack", STACK, "stack") AND                                                            \
  X(ARGUMENT, "argument", ARGUMENT, "argument") AND                                                \
  X(GLOBAL, "global", GLOBAL, "global") AND                                                        \
  X(CALLBACK, "callback", CALLBACK, "callback")
// clang-format on

#endif // STOWAGE_PLACES_H
