//===- frames.h - the arenas of a whole module -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function's *frame* is the memory that the arenas of its body need: bytes and
// alignment, per memory space. A function that is called from within the module takes its
// frame as an argument, and the caller makes it:
//
//     call @f(%x)      =>      %frame = alloc(bytes of f's frame)
//                              call @f(%x, %frame)
//                              dealloc %frame
//
// That is one more buffer of the caller, whose life is the call, and the planner puts it
// into the caller's frame with all others. So functions are planned callees first, in
// *rounds*: those of a round call none of the same or a later one. What is left at the end
// is the frame of each *entry point*, which the program outside of the module calls.
//
//     split      entry points that are also called become two functions
//     survey     who is an entry point, what speaks against a frame, and rounds
//     results    returned buffers become arguments, where the signature may change; returned.c
//                copies those that are no allocation of their own
//     measure    the bytes of a frame, where the function's arguments say them
//     call       the frame of a function at each call of it
//     sizes      functions that tell the frames of entry points
//     tree       the same as a report
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_FRAMES_FRAMES_H
#define STOWAGE_FRAMES_FRAMES_H

#include "arena/arena.h"
#include "ir/build.h"
#include "ir/calls.h"
#include "ir/index.h"

// What the bytes of a frame are computed from: an argument, or a dimension of one.
typedef struct stow_read {
  intptr_t argument;
  int64_t dimension; // -1: the argument itself
  char *name;        // "n", "arg0[1]"
} stow_read;

// The bytes of a frame that are known at run time only.
typedef struct stow_measure {
  STOW_ARRAY(stow_read) reads; // by argument, then dimension
  MlirOperation function;      // of these, as indices; null where an entry point tells it
  char *text;                  // "2048*n + 64"; NULL: the bytes are a number
} stow_measure;

// What a frame needs in one memory space.
typedef struct stow_need {
  MlirAttribute space;
  uint64_t bytes, alignment; // the bytes for typical sizes, where there is a measure
  stow_measure measure;
  stow_backing backing; // the function's, or the heap where it is too large for that
} stow_need;

static inline bool stow_frames_is_measured(const stow_need *need) {
  return need->measure.text != NULL;
}

// Where a result is that became an argument, or was one.
typedef struct stow_result_place {
  intptr_t result, argument;
  MlirType type; // of the result
} stow_result_place;

// Why a result stays one, and what can be done about that; {NULL} for nothing.
typedef struct stow_objection {
  const char *reason, *advice;
} stow_objection;

typedef struct stow_framed {
  MlirOperation function;
  stow_backing backing;
  bool changeable;       // its signature may change
  bool entry;            // its frame is told to the world outside
  bool asked;            // its results are to be arguments, where the options say that
  bool lends;            // what it returns is surely no memory that it allocates
  bool told;             // by an earlier run: now there must be nothing to plan
  const char *objection; // why its arena stays on the heap, or NULL
  const char *advice;    // what can be done about that, or NULL
  size_t round;
  STOW_ARRAY(uint64_t) moved;            // what results that became arguments are aligned to
  STOW_ARRAY(stow_result_place) results; // that are none any more
  stow_op_list calls;                    // of it
  STOW_ARRAY(stow_need) needs;           // set when it has been planned
} stow_framed;

// An entry point that became two functions.
typedef struct stow_split {
  MlirOperation wrapper; // has the name and the signature
  MlirOperation inner;   // has the body
} stow_split;

typedef struct stow_splits {
  STOW_ARRAY(stow_split) all;
  stow_map wrappers, inners; // indices of `all`, by function
} stow_splits;

typedef struct stow_frames {
  MlirOperation module;
  const stow_reuse_options *options;
  stow_calls calls;
  stow_framed *functions; // those with a body, in the order of the module
  stow_index by_round;    // the functions of each round
  stow_map asked;         // the names that the option `entries` has
  stow_map told;          // those of entry points of an earlier run, and of what tells their frames
  size_t rounds;
} stow_frames;

//===----------------------------------------------------------------------===//
// survey.c
//===----------------------------------------------------------------------===//

// Valid while no function is added or removed. Freed with stow_frames_free.
stow_frames stow_frames_survey(MlirOperation module, const stow_reuse_options *options,
                               const stow_splits *splits);
void stow_frames_free(stow_frames *frames);

// False, with a located error, where the option `entries` names what is no public function with a
// body.
bool stow_frames_entries_exist(MlirOperation module, const stow_reuse_options *options);

//===----------------------------------------------------------------------===//
// The other stages
//===----------------------------------------------------------------------===//

// split.c. Splits what `frames` says must be. The survey is no longer valid then. Freed with
// stow_splits_free.
stow_splits stow_split_entries(const stow_frames *frames, stow_symbol_names *names);
void stow_splits_free(stow_splits *splits);

// The name of the entry point that a function has the body of.
char *stow_frames_entry_name(const stow_splits *splits, MlirOperation function);

// results.c. Makes arguments of the returned buffers of functions whose signature may change.
// False, with a located error, where options ask for what cannot be.
bool stow_frames_move_results(const stow_frames *frames);

// returned.c. Replaces result `k`, and all results that are the same value, by a copy in a new
// allocation. `flow` was read before any of its results was copied.
stow_objection stow_frames_copy_result(const stow_frames *frames, const stow_framed *framed,
                                       const stow_flow *flow, const stow_op_list *returns,
                                       intptr_t k);

// Whether the function allocates nothing of what result `k` may be.
bool stow_frames_lends_result(const stow_frames *frames, const stow_flow *flow,
                              const stow_op_list *returns, intptr_t k);

// measure.c. That of a planned arena, and the bytes at a call of its function. Freed with
// stow_measure_free.
stow_measure stow_measure_of(const stow_arenas *arenas, const stow_arena *arena);
MlirValue stow_frames_build_measure(const stow_builder *builder, const stow_measure *measure,
                                    MlirOperation call);
void stow_measure_free(stow_measure *measure);

// call.c. Makes the frame of a function at each call of it.
void stow_frames_pass(const stow_framed *framed);

// sizes.c. Adds NAME_arena_bytes and NAME_arena_alignment for each entry point. False, with a
// located error, where a symbol has such a name.
bool stow_frames_add_sizes(const stow_frames *frames, const stow_splits *splits,
                           stow_symbol_names *names);

// The names of entry points whose frames functions of these names tell already, of these, and of
// what initializes state: what an earlier run made. Freed with stow_map_free.
stow_map stow_frames_told_names(const stow_calls *calls);

// header.c. Writes the header that the options ask for, and has functions return what it says.
// False, with an error, where that fails.
bool stow_frames_write_header(const stow_frames *frames, const stow_splits *splits);

// tree.c. The frames as a report; its texts are appended to `strings` and freed by the caller.
typedef STOW_ARRAY(char *) stow_strings;
stow_report_frames stow_frame_tree(const stow_frames *frames, stow_strings *strings);

#endif // STOWAGE_FRAMES_FRAMES_H
