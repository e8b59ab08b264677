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
// WHAT IS PROMISED. A pass that can fail returns whether it did not, and false means that the
// module is as it was. One that returns nothing cannot fail: what it cannot do it leaves, with a
// remark. The module that a pass leaves verifies and computes the same results. No arena is larger
// than the buffers it replaces (unless pool_all asks for it), and none is allocated before the
// first of its buffers or freed after the last, as far as blocks allow. Equal input gives equal
// output.
//
// OWNERSHIP. Nothing is kept after a call returns. The context's arith, memref and
// (for `poison`) linalg dialects are loaded where they are not yet.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PASSES_H
#define STOWAGE_PASSES_H

#include "mlir-c/IR.h"
#include "stowage/places.h"
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
  STOW_UNKNOWN_OPS_DEFAULT = 0, // escape; use in the passes that place deallocs
  STOW_UNKNOWN_OPS_ESCAPE,      // keep it: the buffer is left alone
  STOW_UNKNOWN_OPS_USE,         // use it while it runs, and return it, but not keep or free it
} stow_unknown_ops;

//===----------------------------------------------------------------------===//
// Tracers and schedulers
//===----------------------------------------------------------------------===//
//
// The engine collects buffers, traces their lives, schedules them into an arena and rewrites. A
// caller can replace both middle steps, for targets whose memory has special rules. They are called
// once for each arena with buffers, in the order of the module, and again each time an arena is
// planned again; their arguments are valid during the call only. With a tracer or a scheduler, no
// buffer uses the bytes of a result that is not yet written; with a tracer, which has another
// clock, branches get no separate arenas and the heap is not bounded. Remarks say so.

// The buffers of one arena.
typedef struct stow_arena_view {
  MlirOperation scope;        // the function-like op, or the op whose region owns the arena
  MlirAttribute memory_space; // null: the default one
  size_t buffer_count;
  const MlirOperation
      *allocs;                // memref.alloc or bufferization.clone, in program order; or the scope
  const uint64_t *sizes;      // bytes
  const uint64_t *alignments; // bytes
  const MlirValue *values;    // the results of the allocs; or workgroup attributions of a kernel,
                              // arguments of its body
} stow_arena_view;

// Collects the pieces of lives that a tracer reports.
typedef struct stow_trace stow_trace;

// The life of buffer `index`, or a piece of it: points [begin, end), begin < end, on any clock that
// is the same for all buffers of the arena. Pieces may come in any order and overlap.
STOW_EXPORT void stow_trace_live(stow_trace *trace, size_t index, int64_t begin, int64_t end);

// The same for a part of the buffer, as in plan.h: other buffers may use the rest. Pieces that
// overlap in time count as one: it has the bytes of both, and those between them, as long as either
// is alive.
STOW_EXPORT void stow_trace_piece(stow_trace *trace, size_t index, stow_piece piece);

// What is special about a pair of buffers, as in plan.h, by their indices.
STOW_EXPORT void stow_trace_relate(stow_trace *trace, stow_relation relation);

// The buffer keeps its own allocation.
STOW_EXPORT void stow_trace_leave_alone(stow_trace *trace, size_t index);

// A buffer's lives as the engine finds them, on the clock of program order, as in the attribute
// stowage.life. Returns how many pieces there are; piece `piece` is written where there is one.
STOW_EXPORT size_t stow_trace_default(const stow_trace *trace, size_t index, size_t piece,
                                      stow_piece *out_piece);

// Reports the lives of all buffers of an arena. A buffer that it does not mention keeps the
// engine's life. The tracer is trusted: buffers may share bytes where it reports disjoint lives or
// parts, or a relation. Workgroup attributions keep the engine's lives, on a clock of barriers.
typedef struct stow_tracer {
  void (*trace)(void *user, const stow_arena_view *arena, stow_trace *trace);
  void *user;
} stow_tracer;

// Gives every buffer its offset in bytes, and the arena its size, for a problem as in plan.h. False
// where it cannot: the pass fails and changes nothing. The plan is verified before it is used.
// `capacity` is the arena's, in bytes; for workgroup attributions what their kernel has left for
// them. 0: any.
typedef struct stow_scheduler {
  bool (*schedule)(void *user, const stow_arena_view *arena, const stow_problem *problem,
                   uint64_t capacity, uint64_t *out_offsets, uint64_t *out_size);
  void *user;
} stow_scheduler;

// An allocation or a free: a problem as a sequence of these, for a scheduler that works like
// malloc.
typedef struct stow_memory_event {
  size_t buffer; // its index
  uint64_t size; // bytes
  int64_t time;
  bool frees; // or allocates
} stow_memory_event;

// Writes the 2 x buffer_count events of a problem in order of time; at one time frees come first,
// then lower indices. A life with gaps is one alloc and one free. Relations are ignored.
STOW_EXPORT void stow_problem_events(const stow_problem *problem, stow_memory_event *out_events);

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

// What 0 in an option is, where that is neither none nor any.
#define STOW_DEFAULT_PLANNER_EFFORT 4000000 // some 10 ms where none is proven smallest sooner
#define STOW_DEFAULT_STACKINGS 4
#define STOW_DEFAULT_HOIST_LIMIT 67108864
#define STOW_DEFAULT_STACK_LIMIT 65536
#define STOW_DEFAULT_CALLBACK "stowage_arena"
#define STOW_DEFAULT_SPILL_COST 4
#define STOW_DEFAULT_MAX_MOVED 0.2
#define STOW_DEFAULT_LEAST_SAVED 0.02

// In elide-copies of the command and of stow_reduce_peak; stow_elide_copies has none.
#define STOW_DEFAULT_CONSTANT_BYTES 65536

// Where the arenas of functions are: STOW_ARENA_ALLOC = 0 and the other rows of
// stowage/places.h, in their order.
typedef enum stow_arena_place {
#define STOW_ARENA_PLACE_ENUMERATOR(ENUM, WORD, BACKING, KIND) STOW_ARENA_##ENUM,
  STOW_ARENA_PLACES(STOW_ARENA_PLACE_ENUMERATOR, )
#undef STOW_ARENA_PLACE_ENUMERATOR
} stow_arena_place;

// What happens to buffers whose size is known at run time only. See docs/dynamic-shapes.md.
typedef enum stow_dynamic_sizes {
  STOW_DYNAMIC_OFF = 0, // they are left alone
  STOW_DYNAMIC_EXACT,   // the size of their arena, and their offsets, are computed where it begins
  STOW_DYNAMIC_BOUND,   // they are planned with the largest size that the program states
} stow_dynamic_sizes;

// Zero-initialised means defaults.
typedef struct stow_reuse_options {
  size_t struct_size;      // sizeof(stow_reuse_options), or 0 for this version's
  stow_strategy strategy;  //
  uint64_t alignment;      // bytes every slice is aligned to at least; 0: 64
  uint64_t capacity;       // bytes an arena may have, more is an error; 0: any
  uint64_t min_size;       // bytes; smaller buffers are left alone
  uint64_t planner_effort; // steps (see stow_plan_options.max_effort) per arena; 0: its default
  stow_unknown_ops unknown_ops;
  bool allow_missing_dealloc; // plan buffers that nothing deallocates, too
  bool pool_all;              // plan buffers that can share with no other, too
  bool poison;                // fill a slice with a pattern where its life begins and ends
  bool verify_sizes;          // assert at run time what plans for unknown sizes rely on
  bool annotate;              // (analysis) write lives and offsets on the allocs
  // The memory spaces to plan, as MLIR prints them ("1", "#gpu.address_space<global>"; "0" is the
  // default one). NULL: all.
  const char *const *memory_spaces;
  size_t memory_space_count;
  // The reports to write, each "text" (to standard error) or "FORMAT:FILE". The formats of this
  // and of other passes are in their pages of docs.
  // With several arenas csv writes FILE for the first and puts "-2", "-3", ... before the extension
  // for the others.
  const char *const *reports;
  size_t report_count;
  bool leave_arena;                // do not free the arenas: a deallocation pass will
  bool analysis_only;              // write lives and offsets on the allocs instead of rewriting
  const stow_tracer *tracer;       // NULL: the engine's own
  const stow_scheduler *scheduler; // NULL: the planner
  bool hoist_parallel;             // (merge-alloc) one alloc for all iterations of a parallel loop
  uint64_t hoist_limit;            // bytes such an alloc may have; 0: its default
  uint64_t workgroup_capacity;     // (merge-alloc) bytes the workgroup memory of a GPU kernel may
                                   // have, more is an error; 0: any
  bool results_apart;              // place no buffer in the bytes of a result
  bool bound_heap;      // the heap's peak is at most that of separate buffers, each freed after its
                        // last use,
  double heap_overhead; // plus this share of it
  double conditional_share; // a region that may not run gets a separate arena if a common one would
                            // exceed this multiple of what every path needs; 0: never
  // (merge-alloc) See docs/frames.md. Where `arena` is not STOW_ARENA_ALLOC, the arenas of
  // functions called from within the module are parts of their callers' arenas.
  stow_arena_place arena;
  const char *const *entries; // public functions whose signature may change, by name
  size_t entry_count;
  bool public_entries;   // all public functions are entries
  bool keep_wrapper;     // with STOW_ARENA_ARGUMENT: keep each entry with its old signature, too
  bool result_arguments; // buffers that entries allocate and return become arguments
  uint64_t stack_limit;  // bytes an entry point may have on the stack; 0: its default
  const char *callback;  // the function that gives memory; NULL: its default
  const char *header;    // a C header to write, or NULL
  stow_dynamic_sizes dynamic;
  unsigned stackings;    // (exact) plans that an arena chooses from at run time, at most; 0: 4
  const char *const *at; // (exact) example sizes for reports and for one of the plans: "n=128", by
  size_t at_count;       // names that stowage.dims states
  // (merge-alloc) of a GPU multiprocessor: bytes of workgroup memory, for a remark on each kernel;
  // 0: none. And the most workgroups that it runs at a time; 0: any.
  uint64_t occupancy_memory;
  unsigned occupancy_workgroups;
  // (merge-alloc) the merged workgroup memory of a GPU kernel is dynamic shared memory, of a size
  // that each launch states, where all launches are in the module.
  bool dynamic_workgroup;
} stow_reuse_options;

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

// Puts allocations that are never needed at the same time into shared arenas. See
// docs/buffer-reuse.md.
STOW_EXPORT bool stow_buffer_reuse(MlirOperation module, const stow_reuse_options *options);

// The same before deallocation, for all buffers of a scope: no dealloc is needed, nor a partner
// (allow_missing_dealloc and pool_all are taken as set). The arenas are freed. See
// docs/merge-alloc.md.
STOW_EXPORT bool stow_merge_alloc(MlirOperation module, const stow_reuse_options *options);

// What a function needs after merge-alloc.
typedef struct stow_planned {
  uint64_t arenas; // bytes of all its arenas
  uint64_t heap; // bytes of its heap at the peak: arenas, results, buffers that are left alone and
                 // what callees return, as the lowering asks for them, with room to align each
  uint64_t in_space; // bytes of its arenas in the memory space that is asked for
  uint64_t held;     // bytes that the heap holds at most while it runs, with what callees hold
                     // themselves meanwhile, and with room to align each
} stow_planned;

// Calls `tell` for each function with a body, in program order, with what it would need after
// merge-alloc, and of that in one memory space, which is null for the default one. Of the options
// unknown_ops and results_apart count. Changes nothing.
typedef void (*stow_planned_fn)(void *user, MlirOperation function, stow_planned planned);
STOW_EXPORT void stow_plan_only(MlirOperation module, const stow_reuse_options *options,
                                MlirAttribute space, stow_planned_fn tell, void *user);

// The same as merge-alloc's report in JSON, with the given title. Freed with free().
STOW_EXPORT char *stow_planned_map(MlirOperation module, stow_unknown_ops unknown_ops,
                                   const char *title);

// The same as stow_buffer_reuse for memref.alloca, and nothing else. The default alignment is 16.
STOW_EXPORT bool stow_pack_stack(MlirOperation module, const stow_reuse_options *options);

// Does all of buffer-reuse but the rewriting: reports, remarks, and with `annotate` attributes.
STOW_EXPORT bool stow_buffer_reuse_analysis(MlirOperation module,
                                            const stow_reuse_options *options);

// The lifetime dialect, see docs/lifetime-markers.md. To be loaded where IR has its ops or the
// passes below make them.
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

// True if what the markers say holds on every path; else errors are reported.
STOW_EXPORT bool stow_verify_lifetimes(MlirOperation module);

// Removes all markers that LLVM cannot express. Those that stay are on the result of a
// memref.alloca itself, in the marker form, with the attribute `whole`. With `poison`, for tests,
// each marker also overwrites the memory that is not alive; the arith, memref and llvm dialects
// must be loaded for it.
STOW_EXPORT void stow_expand_lifetimes(MlirOperation module, bool poison);

// After stow_expand_lifetimes and finalize-memref-to-llvm: converts markers to LLVM's intrinsics.
STOW_EXPORT bool stow_convert_lifetimes_to_llvm(MlirOperation module);

// Zero-initialised means defaults.
typedef struct stow_deallocation_options {
  size_t struct_size; // sizeof(stow_deallocation_options), or 0 for this version's
  stow_unknown_ops unknown_ops;
  bool clone_first; // where ownership differs between paths: clone, if that cannot be observed
} stow_deallocation_options;

// Frees every heap allocation once on every path, by static ownership. See
// docs/buffer-deallocation.md.
STOW_EXPORT void stow_buffer_deallocation(MlirOperation module,
                                          const stow_deallocation_options *options);

// The same for a module that has deallocs: moves those that are understood to the place after the
// last use on every path.
STOW_EXPORT void stow_tighten_deallocs(MlirOperation module,
                                       const stow_deallocation_options *options);

// Removes clones where the difference cannot be observed.
STOW_EXPORT void stow_simplify_clones(MlirOperation module);

// Replaces each clone of a ranked memref by an alloc and a copy; nothing else changes.
STOW_EXPORT void stow_lower_clones(MlirOperation module);

// Replaces each memref.copy that is not a single memcpy by a linalg.copy; nothing else changes.
STOW_EXPORT void stow_lower_strided_copies(MlirOperation module);

// Moves allocations up, out of branches, regions and loops, and their deallocs with them.
STOW_EXPORT void stow_hoist_allocations(MlirOperation module,
                                        const stow_deallocation_options *options);

// No field has a default: zero-initialised, nothing is small enough.
typedef struct stow_promotion_options {
  size_t struct_size; // sizeof(stow_promotion_options), or 0 for this version's
  uint64_t max_size;  // bytes of a buffer that becomes stack memory, at most
  uint64_t max_rank;
  stow_unknown_ops unknown_ops;
} stow_promotion_options;

// Puts small allocations that stay in their function on the stack.
STOW_EXPORT void stow_promote_allocs_to_stack(MlirOperation module,
                                              const stow_promotion_options *options);

// What check-arena-plan makes of views whose offset is known only at run time.
typedef enum stow_dynamic_offsets {
  STOW_DYNAMIC_OFFSETS_OVERLAP = 0, // they may be any bytes of the arena
  STOW_DYNAMIC_OFFSETS_IGNORE,      // they are not looked at
} stow_dynamic_offsets;

// Zero-initialised means defaults.
typedef struct stow_check_options {
  size_t struct_size; // sizeof(stow_check_options), or 0 for this version's
  stow_dynamic_offsets dynamic_offsets;
  bool leaks;          // report arenas that nothing frees, as remarks
  uint64_t max_effort; // steps per function; 0: 200,000,000. A function that needs more is an error
  uint64_t samples;    // so many checks with concrete values for sizes known at run time; 0: none
} stow_check_options;

// Reports, as errors, views of an arena whose contents another view destroys before they are read,
// and what else can be wrong with an arena. True where nothing is. Changes nothing. See
// docs/check-arena-plan.md.
STOW_EXPORT bool stow_check_arena_plan(MlirOperation module, const stow_check_options *options);

typedef struct stow_taskflow_conversion_options {
  size_t struct_size;  // sizeof(stow_taskflow_conversion_options), or 0 for this version's
  bool copies;         // a memref.copy becomes a task, too
  bool parallel_loops; // an affine.parallel or scf.parallel becomes one, its iterations in sequence
} stow_taskflow_conversion_options;

// Makes a task of each loop nest at the top of a function, and back. See docs/taskflow.md.
STOW_EXPORT void stow_affine_to_taskflow(MlirOperation module,
                                         const stow_taskflow_conversion_options *options);
STOW_EXPORT bool stow_taskflow_to_affine(MlirOperation module);

typedef struct stow_fusion_options {
  size_t struct_size;   // sizeof(stow_fusion_options), or 0 for this version's
  int64_t max_rounds;   // 0: until nothing changes; negative: none, only report
  bool keep_loop_order; // no loops are exchanged
  bool whole_nests;     // nests of equal bounds are fused at their full depth, or not at all
  bool assume_noalias_arguments; // different arguments of a function share no byte, nor one with a
                                 // global that the function names
  const char *const *reports;
  size_t report_count;
  bool allow_higher_peak;  // also fuse where more bytes of buffers are alive at once then
  bool whole_buffers;      // no buffer between tasks is replaced by a window of it
  bool rolled_windows;     // no loop is unrolled so that indices of windows are constants
  int64_t search_trials;   // trials of pairs for better choices; 0: 500; negative: the choice by
                           // gain is taken
  uint64_t max_live_bytes; // so many bytes of buffers may be alive at once even if it is more than
                           // before
  bool channels;           // a channel between two tasks takes the place of a buffer, not a window
  bool kept_copies;        // what a task copies from an argument or a global is read from the copy
  bool separate_buffers;   // no buffer takes the place of one that is read for the last time
} stow_fusion_options;

// Fuses a task that writes a buffer and one that reads it, where that is proven to change no
// result. See docs/taskflow.md.
STOW_EXPORT bool stow_streaming_fusion(MlirOperation module, const stow_fusion_options *options);

STOW_EXPORT MlirDialectHandle mlirGetDialectHandle__taskflow__(void);

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

// Zero-initialised means defaults.
typedef struct stow_elide_copies_options {
  size_t struct_size; // sizeof(stow_elide_copies_options), or 0 for this version's
  bool keep_operands; // ops that compute do not write over an operand that nobody needs afterwards
  uint64_t max_constant_bytes;   // of a constant made of others; 0: none
  bool lend_arguments;           // use the bytes of arguments that are not yet written
  bool assume_noalias_arguments; // the memory of an argument is reached in no other way;
                                 // llvm.noalias says so of one argument
  bool strided_reads;    // a transposed copy is replaced by strided reads of its source, however
                         // little that saves
  bool contiguous_reads; // not where a reader would jump from one element to the next, however much
                         // that saves; before strided_reads
  bool allocation_free_loops; // what loops carry is updated in place even if the heap needs more
                              // bytes then
} stow_elide_copies_options;

// Replaces two buffers by one where one is a copy of the other, or of a part of it, if the
// function's planned arenas need no more bytes then. On request, buffers use the bytes of an
// argument until the function writes it. See docs/elide-copies.md.
STOW_EXPORT void stow_elide_copies(MlirOperation module, const stow_elide_copies_options *options);

//===----------------------------------------------------------------------===//
// The order of ops
//===----------------------------------------------------------------------===//

// Zero-initialised means defaults.
typedef struct stow_order_for_memory_options {
  size_t struct_size; // sizeof(stow_order_for_memory_options), or 0 for this version's
  uint64_t effort;    // steps (see stow_order_options.max_effort) per block; 0: STOW_ORDER_EFFORT.
                      // All blocks of a module have 8 times as many together
  const char *const *reports;
  size_t report_count;
  bool assume_noalias_arguments; // as in stow_elide_copies_options
} stow_order_for_memory_options;

// Reorders the ops of each block for the fewest live bytes at the peak, with all dependences kept,
// where that makes the function's planned arenas smaller. See docs/order-for-memory.md. False, with
// a located error, where a report cannot be written.
STOW_EXPORT bool stow_order_for_memory(MlirOperation module,
                                       const stow_order_for_memory_options *options);

//===----------------------------------------------------------------------===//
// Within a capacity
//===----------------------------------------------------------------------===//

// What is made as little as possible.
typedef enum stow_fit_objective {
  STOW_FIT_TIME =
      0,            // by the model: an operation on an element costs 1, a byte what its memory says
  STOW_FIT_TRAFFIC, // bytes that are read and written, times what their memory says
} stow_fit_objective;

// Zero-initialised but for the capacity means defaults.
typedef struct stow_fit_memory_options {
  size_t struct_size;      // sizeof(stow_fit_memory_options), or 0 for this version's
  uint64_t capacity;       // bytes that the arenas of a function may have
  uint64_t effort;         // steps (see stow_budget_options.max_effort) per search; 0: its default
  const char *spill_space; // memory space of spilled buffers, as MLIR prints it; NULL: none are
  uint64_t spill_cost; // of a byte that is copied to that space or from it, where an operation on
                       // an element costs 1; 0: its default
  bool keep_peak;      // without stow_reduce_peak
  const char *const *reports;
  size_t report_count;
  const char *memories; // file of the memories that buffers are placed in, for `capacity`; NULL and
                        // no capacity: the module's attribute `stowage.memories`
  bool transfers;       // constants that go to a faster memory are copied by memref.dma_start and
                        // memref.dma_wait, begun one op ahead
  bool results_apart;   // for a merge-alloc that places no buffer in the bytes of a result
  stow_fit_objective objective;
} stow_fit_memory_options;

// Makes functions fit that need more than the capacity: by stow_reduce_peak, then by running ops
// again and spilling buffers, as cheaply as it can. Where all fit, nothing is touched. Of several
// memories each buffer gets one, which is its memory space then. False, with a located error that
// says what is in the way, where one does not fit; the others are rewritten then, and the module
// computes what it did. See docs/fit-memory.md.
STOW_EXPORT bool stow_fit_memory(MlirOperation module, const stow_fit_memory_options *options);

// Makes the address spaces of LLVM of the memory spaces that fit-memory gave to buffers, by the
// attribute `stowage.memories`, which goes. False, with a located error, where that is wrong.
STOW_EXPORT bool stow_lower_memory_spaces(MlirOperation module);

//===----------------------------------------------------------------------===//
// Streams of rows
//===----------------------------------------------------------------------===//

// Zero-initialised means defaults.
typedef struct stow_stream_rows_options {
  size_t struct_size; // sizeof(stow_stream_rows_options), or 0 for this version's
  int64_t rows;       // per step; 0: chosen for each stream, see docs/stream-rows.md
  double max_moved;   // bytes moved to keep the rows of a buffer together, as a share of the bytes
                      // that the ops of the stream touch; 0: its default, negative: none
  const char *const *reports;
  size_t report_count;
  bool keep_apart;    // no buffer's rows use the bytes of dead rows of another
  double least_saved; // streaming of a function is undone unless its arenas shrink by this share;
                      // 0: its default, negative: any
  bool assume_noalias_arguments; // as in stow_elide_copies_options
} stow_stream_rows_options;

// Runs linalg ops of a block together, some rows at a time, where their buffers then hold fewer
// bytes at the worst moment. See docs/stream-rows.md. False, with a located error, where a report
// cannot be written.
STOW_EXPORT bool stow_stream_rows(MlirOperation module, const stow_stream_rows_options *options);

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

// The instructions by which a machine adds four products of bytes to a lane of 32 bits.
typedef enum stow_dot_kind {
  STOW_DOT_NONE,
  STOW_DOT_VNNI, // x86's VPDPBUSD
  STOW_DOT_NEON, // AArch64's SDOT
  STOW_DOT_DSP,  // Cortex-M's SMLAD, twice, where a lane is a register
} stow_dot_kind;

typedef struct stow_linalg_to_vectors_options {
  size_t struct_size;   // sizeof(stow_linalg_to_vectors_options), or 0 for this version's
  unsigned vector_bits; // of a register; 0: 128
  unsigned registers;   // for vectors; 0: 16
  bool contract;        // products may be fused with sums; exp, tanh and erf are polynomials
  bool keep_weights;    // constants stay as they are
  bool pairs;           // the machine multiplies pairs of narrow integers and adds both products
  stow_dot_kind dot;    // products of bytes, four at once
} stow_linalg_to_vectors_options;

// Converts linalg ops on memrefs to loops over register tiles. See
// docs/convert-linalg-to-vectors.md.
STOW_EXPORT void stow_linalg_to_vectors(MlirOperation module,
                                        const stow_linalg_to_vectors_options *options);

// Makes functions of loops over views of one arena, which tell LLVM that the views share no byte.
STOW_EXPORT void stow_outline_distinct_views(MlirOperation module);

//===----------------------------------------------------------------------===//
// Together
//===----------------------------------------------------------------------===//

// Zero-initialised means defaults.
typedef struct stow_reduce_peak_options {
  size_t struct_size;            // sizeof(stow_reduce_peak_options), or 0 for this version's
  const char *const *steps;      // that may be run, each "elide-copies", "order-for-memory" or
                                 // "stream-rows"
  size_t step_count;             // 0: all
  bool contiguous_reads;         // as in stow_elide_copies_options
  bool assume_noalias_arguments; // of all steps, as there
} stow_reduce_peak_options;

// Runs the combination of elide-copies, order-for-memory and stream-rows, in this order, that gives
// the module's planned arenas the fewest bytes. Tries the combinations on clones of the module,
// with seven runs of a pass. See docs/reduce-peak.md. False, with a located error, where a step is
// not known.
STOW_EXPORT bool stow_reduce_peak(MlirOperation module, const stow_reduce_peak_options *options);

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

// A module on tensors, before bufferization: each value that a loop carries stays in one buffer,
// state is the caller's memory, arguments are read-only unless they say otherwise. False after an
// error. See docs/stowage-model.md.
STOW_EXPORT bool stow_prepare_model(MlirOperation module);

// An error at each op that still takes memory from the heap. Whether there was none.
STOW_EXPORT bool stow_refuse_allocs(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_PASSES_H
