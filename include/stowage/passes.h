//===- stowage/passes.h - the passes as C functions -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// WHAT. Stowage's passes, callable without a pass manager: plain functions over a
// module, for compilers built on MLIR's C API. The plugin and stowage-opt call the
// same functions.
//
//     stow_reuse_options options = {.strategy = STOW_AUTO};
//     if (!stow_buffer_reuse(mlirModuleGetOperation(module), &options))
//       ...; // the context's diagnostic handlers have been told why
//
// WHAT IS PROMISED. A function that returns false has left the module as it was.
// One that returns true leaves a module that verifies and computes the same results.
// No arena is larger than the buffers it replaces (unless pool_all asks for it), and
// none lives longer than from the first of their lives to the last, as far as blocks
// allow. Equal input gives equal output.
//
// OWNERSHIP. Nothing is kept after a call returns. The context's arith, memref and
// (for `poison`) linalg dialects are loaded where they are not yet.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PASSES_H
#define STOWAGE_PASSES_H

#include "mlir-c/IR.h"
#include "stowage/plan.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define STOW_EXPORT __declspec(dllexport)
#else
#define STOW_EXPORT __attribute__((visibility("default")))
#endif

// What an op of unknown effects, or a function without a body, may do with a buffer it is given.
typedef enum stow_unknown_ops {
  STOW_UNKNOWN_OPS_ESCAPE = 0, // keep it: the buffer is left alone
  STOW_UNKNOWN_OPS_USE,        // use it while it runs, and return it, but not keep or free it
} stow_unknown_ops;

// Zero-initialised means defaults.
typedef struct stow_reuse_options {
  size_t struct_size;      // sizeof(stow_reuse_options), or 0 for this version's
  stow_strategy strategy;  //
  uint64_t alignment;      // bytes every slice is aligned to at least; 0: 64
  uint64_t capacity;       // bytes an arena may have, more is an error; 0: any
  uint64_t min_size;       // bytes; smaller buffers are left alone
  uint64_t planner_effort; // steps (see stow_plan_options.max_effort) per arena; 0: 300,000
  stow_unknown_ops unknown_ops;
  bool allow_missing_dealloc; // plan buffers that nothing deallocates, too
  bool pool_all;              // plan buffers that can share with no other, too
  bool poison;                // fill a slice with a pattern where its life begins and ends
  bool annotate;              // (analysis) write lives and offsets on the allocs
  // The memory spaces to plan, as MLIR prints them ("1", "#gpu.address_space<global>"; "0" is the
  // default one). NULL: all.
  const char *const *memory_spaces;
  size_t memory_space_count;
  // The reports to write, each "text" (to standard error), "text:FILE", "json:FILE", "csv:FILE" or
  // "html:FILE".
  // With several arenas csv writes FILE for the first and puts "-2", "-3", ... before the extension
  // for the others.
  const char *const *reports;
  size_t report_count;
} stow_reuse_options;

// Puts allocations that are never needed at the same time into shared arenas. See
// docs/buffer-reuse.md.
STOW_EXPORT bool stow_buffer_reuse(MlirOperation module, const stow_reuse_options *options);

// Does all of the above but the rewriting: reports, remarks, and with `annotate` attributes.
STOW_EXPORT bool stow_buffer_reuse_analysis(MlirOperation module,
                                            const stow_reuse_options *options);

// The lifetime dialect, see docs/lifetime-markers.md. To be loaded where IR has its ops or the passes
// below make them.
STOW_EXPORT MlirDialectHandle mlirGetDialectHandle__lifetime__(void);

// Zero-initialised means defaults.
typedef struct stow_lifetime_options {
  size_t struct_size; // sizeof(stow_lifetime_options), or 0 for this version's
  stow_unknown_ops unknown_ops;
  bool value_form; // lifetime.start makes a new value, which takes the buffer's place
} stow_lifetime_options;

// Puts markers around the lives of allocations, on the heap and on the stack, and of the views that
// an allocation is carved into. What cannot be proven is left alone.
STOW_EXPORT void stow_insert_lifetimes(MlirOperation module, const stow_lifetime_options *options);

// Whether what markers say holds on every path. Where not, errors tell.
STOW_EXPORT bool stow_verify_lifetimes(MlirOperation module);

// Keeps of all markers those on the very result of a memref.alloca, in the marker form and with the
// attribute `whole`; LLVM can carry no others. With `poison`, for tests, each marker also
// overwrites the memory that is not alive; the arith, memref and llvm dialects must be loaded for it.
STOW_EXPORT void stow_expand_lifetimes(MlirOperation module, bool poison);

// After stow_expand_lifetimes and finalize-memref-to-llvm: makes LLVM's intrinsics of markers.
STOW_EXPORT bool stow_convert_lifetimes_to_llvm(MlirOperation module);

// Zero-initialised means defaults.
typedef struct stow_deallocation_options {
  size_t struct_size;      // sizeof(stow_deallocation_options), or 0 for this version's
  bool unknown_ops_escape; // what an op of unknown effects is given is kept by it, and not freed
} stow_deallocation_options;

// Frees every heap allocation once on every path, by static ownership. See
// docs/buffer-deallocation.md.
STOW_EXPORT bool stow_buffer_deallocation(MlirOperation module,
                                          const stow_deallocation_options *options);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_PASSES_H
