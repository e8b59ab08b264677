//===- framed.h - arenas in memory from outside of the function ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory of arenas in an argument, in a global, or from a function that the program calls. Each
// gives the arena's bytes where the builder stands, as a memref of i8 that is known to be aligned.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ARENA_FRAMED_H
#define STOWAGE_ARENA_FRAMED_H

#include "arena/arena.h"
#include "ir/build.h"

// A new last argument of the function.
MlirValue stow_arena_build_frame_argument(const stow_builder *builder, MlirOperation function,
                                          const stow_arena *arena);

// A new memref.global, FUNCTION_arena, of the function's module.
MlirValue stow_arena_build_frame_global(const stow_builder *builder, const stow_arenas *arenas,
                                        const stow_arena *arena);

// What is in the way of the place of the options, or NULL; what to do about it in `out_advice`,
// where something is known. By the other options, by a function, which is an entry point or gets
// its frame from its callers, and by one of the planned arenas (freed with free()).
const char *stow_arena_why_not_options(const stow_reuse_options *options);
const char *stow_arena_why_not_function(MlirOperation function, const stow_reuse_options *options,
                                        const char **out_advice);
char *stow_arena_why_not_arena(const stow_arenas *arenas, const stow_arena *arena,
                               const char **out_advice);

// Whether a function is one that gives an arena's memory by the options, or its counterpart, in
// some memory space: in one other than the default one their names end in the space's.
bool stow_arena_is_callback(MlirOperation function, const stow_reuse_options *options);

// Declares those that arenas need. False, with a located error, where a
// symbol of such a name is something else.
bool stow_arena_declare_callbacks(const stow_arenas *arenas);

// A call of the function that gives memory, and of its counterpart.
MlirValue stow_arena_build_taking(const stow_builder *builder, const stow_arenas *arenas,
                                  const stow_arena *arena, MlirValue bytes,
                                  stow_constants *constants);
void stow_arena_build_giving_back(const stow_builder *builder, const stow_arenas *arenas,
                                  const stow_arena *arena, MlirValue memory);

#endif // STOWAGE_ARENA_FRAMED_H
