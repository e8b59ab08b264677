//===- steps.h - the steps of conversion and of fusion ---------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callees come before their callers. convert.c and trial.c go through them.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_STEPS_H
#define STOWAGE_TASKFLOW_STEPS_H

#include "taskflow/open.h"
#include "taskflow/order.h"

//===----------------------------------------------------------------------===//
// describe.c: why two tasks stay two
//===----------------------------------------------------------------------===//

// (name, code, what it says, what may help or NULL)
#define STOW_FUSION_REASONS(REASON)                                                                \
  REASON(FUSED, "fused", "fused", NULL)                                                            \
  REASON(COPY, "copy", "the writer only copies: the reader reads what it copied", NULL)            \
  REASON(NO_NEST, "no-nest", "one of the tasks has no loop, or several",                           \
         "make a task of each loop nest")                                                          \
  REASON(UNKNOWN_EFFECTS, "unknown-effects",                                                       \
         "one of the tasks holds an op whose effects are unknown", NULL)                           \
  REASON(VALUE, "value-dependence", "the reader needs a value that the writer ends with", NULL)    \
  REASON(BETWEEN, "between",                                                                       \
         "an op between the tasks conflicts with the reader moving up, and one with the writer "   \
         "moving down",                                                                            \
         NULL)                                                                                     \
  REASON(PEAK, "peak", "more bytes of buffers would be alive at once", "set allow-higher-peak")    \
  REASON(BOUNDS, "bounds-differ", "the loops to share have different bounds", NULL)                \
  REASON(INDEX, "index-maps-differ", "no common iteration stores the cell that is loaded", NULL)   \
  REASON(CONDITIONAL, "conditional-store", "the cell that is loaded is stored under a condition",  \
         NULL)                                                                                     \
  REASON(OVERWRITTEN, "not-forwarded",                                                             \
         "the cell that is loaded may be written in between, or not at all", NULL)                 \
  REASON(DEPENDENCE, "dependence", "two accesses to the same cell would change their order", NULL) \
  REASON(ALIAS, "may-alias", "two buffers that the tasks access may be the same memory",           \
         "if arguments never overlap, nor a global, set assume-noalias-arguments")                 \
  REASON(OTHERS, "other-users",                                                                    \
         "a window of the buffer would be enough for the two, but others use it", NULL)            \
  REASON(PERMUTATION, "permutation",                                                               \
         "it needs other loop orders or bounds, which accesses forbid", NULL)                      \
  REASON(PERMUTATION_OFF, "permutation-off", "it needs other loop orders or bounds",               \
         "set allow-permutation")                                                                  \
  REASON(REDUCTION_OFF, "reduction-off", "only some of the loops can be shared",                   \
         "set allow-reduction")                                                                    \
  REASON(CHANNEL, "channel", "a channel takes the place of the buffer between them", NULL)         \
  REASON(CHANNEL_ORDER, "channel-order",                                                           \
         "the writer does not store each cell once in loops of constant bounds, or the reader "    \
         "does not load in about that order",                                                      \
         NULL)                                                                                     \
  REASON(CHANNEL_WAY, "channel-way",                                                               \
         "something else connects them, too: with a channel each could wait for the other", NULL)

typedef enum stow_fusion_reason {
#define REASON(name, code, text, suggestion) STOW_FUSION_##name,
  STOW_FUSION_REASONS(REASON)
#undef REASON
} stow_fusion_reason;

//===----------------------------------------------------------------------===//
// raise.c: what is affine without saying so
//===----------------------------------------------------------------------===//

// In the ops nested in `root`: each memref.load and memref.store whose indices are affine becomes
// an affine.load or affine.store, and an affine access to a memref.cast, a memref.assume_alignment
// or a memref.subview of static offsets and strides becomes an access to what is under it.
void stow_taskflow_raise_accesses(MlirOperation root);

// Replaces each memref.copy in `block` between memories that cannot overlap by a nest of
// affine.for.
void stow_taskflow_raise_copies(MlirBlock block);

//===----------------------------------------------------------------------===//
// raise_loops.c: loops that are affine without saying so
//===----------------------------------------------------------------------===//

// In `block` of `function`: each scf.for of affine bounds becomes an affine.for and, if asked, each
// scf.parallel and affine.parallel a nest of them; so do those inside of loops. One that stays has
// a remark.
void stow_taskflow_raise_loops(MlirOperation function, MlirBlock block, bool parallel_loops);

//===----------------------------------------------------------------------===//
// close.c: from a body that uses outside values to a task
//===----------------------------------------------------------------------===//

// While passes work on a body it is *open*: its ops use buffers and values of the
// function directly. Closing it finds out what it takes from outside and makes that
// the task's operands, with copies inside of the views that it looks through and of the
// dimensions whose size it asks for.

// Makes a task of `body`, which belongs to no op, has no arguments and no terminator, and becomes
// the task's. `yielded` are the values that the task gives out. Inserts the task before `before`.
stow_task stow_taskflow_close(MlirBlock body, MlirLocation location, MlirStringRef name,
                              const MlirValue *yielded, size_t yielded_count, MlirOperation before);

//===----------------------------------------------------------------------===//
// executions.c: executions of ops as sets of integers
//===----------------------------------------------------------------------===//

// Some execution of `op`, and what `value`, a map over values that are there, then gives. The
// value is owned by the set that is made of it.
typedef struct stow_execution {
  MlirOperation op;
  stow_affine_value value;
  size_t point; // executions of one number give the same
} stow_execution;

stow_execution stow_taskflow_access_execution(MlirOperation access, size_t point);

// Of point 0: the results of a loop's lower or upper bound.
stow_execution stow_taskflow_bound_execution(MlirOperation loop, bool lower);

// How the iterations of two loops, one around each execution, relate.
typedef enum stow_iteration_order {
  STOW_ITERATION_SAME,   // variable of b = variable of a + shift
  STOW_ITERATION_BEFORE, // variable of b < variable of a + shift
  STOW_ITERATION_AFTER   // variable of b > variable of a + shift
} stow_iteration_order;

typedef struct stow_iteration_relation {
  MlirOperation loop_of_a, loop_of_b; // affine.for ops around a and around b
  int64_t shift;
  stow_iteration_order order;
  size_t a; // index of the execution a; b is the next one
} stow_iteration_relation;

// All choices of one execution each. A row of the set has an entry per column and one for the
// constant 1.
typedef struct stow_executions stow_executions;
stow_executions *stow_executions_create(const stow_execution *at, size_t count);
void stow_executions_free(stow_executions *e);

int64_t *stow_executions_row(const stow_executions *e); // zeros, the caller's to free()
size_t stow_executions_variable(const stow_executions *e, size_t index, MlirValue variable);
size_t stow_executions_result(const stow_executions *e, size_t point, size_t result);
size_t stow_executions_constant(const stow_executions *e);

void stow_executions_equal(stow_executions *e, const int64_t *row);
void stow_executions_at_least(stow_executions *e, const int64_t *row);
bool stow_executions_possible(const stow_executions *e);

// The largest sum of `row`, of executions that also have these relations.
stow_affine_extent stow_executions_largest(const stow_executions *e,
                                           const stow_iteration_relation *relations,
                                           size_t relation_count, const int64_t *row,
                                           int64_t *out_largest);

// Whether an execution of access `a` and one of access `b` may name the same cell, where their
// iterations have these relations. They are two executions, even of one op. `b` and `a` are taken
// to access the same buffer. True where it is not known.
bool stow_taskflow_may_meet(MlirOperation a, MlirOperation b,
                            const stow_iteration_relation *relations, size_t relation_count);

//===----------------------------------------------------------------------===//
// align.c: which loops of a writer and a reader may become common ones
//===----------------------------------------------------------------------===//

typedef struct stow_alignments {
  stow_alignment *at; // the most promising first
  size_t count, capacity;
  stow_fusion_reason reason; // why there is none
} stow_alignments;

typedef struct stow_align_options {
  bool permutation;  // also other than loop by loop from the outermost, with equal bounds
  bool reduction;    // also fewer than all loops
  bool sums_outside; // of equal alignments the one whose outermost loops the reader sums over
} stow_align_options;

// Alignments under which a store of the writer and a load of the reader name the same cell of one
// of `buffers` in the same iteration of the common loops. They are not proven legal.
stow_alignments stow_taskflow_align(const stow_loop_nest *writer, const stow_loop_nest *reader,
                                    const stow_values *buffers, stow_align_options options);

void stow_alignments_free(stow_alignments *alignments);

//===----------------------------------------------------------------------===//
// pace.c: two nests that keep pace
//===----------------------------------------------------------------------===//

enum { STOW_MOST_LEVELS = 4 };

// A loop of each spine, and how many of its iterations run per iteration of the common loop.
typedef struct stow_level {
  size_t writer, reader;
  int64_t writer_steps, reader_steps;
} stow_level;

typedef struct stow_pace {
  stow_level levels[STOW_MOST_LEVELS]; // from the outermost
  size_t depth;
} stow_pace;

typedef STOW_ARRAY(stow_pace) stow_paces;

// The outermost loop of the spine with which an index changes, and by how much it grows in
// STOW_AFFINE_SPAN iterations; negative where it falls. False where there is none.
bool stow_taskflow_find_driver(const stow_loop_nest *nest, MlirOperation access, intptr_t dimension,
                               size_t *out_loop, int64_t *out_rate);

// Paces at which a load of the reader goes over one of `buffers` as fast as a store of the writer
// does. They are not proven legal.
stow_paces stow_paces_of(const stow_loop_nest *writer, const stow_loop_nest *reader,
                         const stow_values *buffers);

// Cuts the loops of both nests so that they keep pace, one of them as late as conflicts demand, and
// lists both nests anew. False, with nothing changed, where that cannot be. The alignment is not
// proven legal.
bool stow_taskflow_keep_pace(stow_open_pair *pair, stow_loop_nest *writer, stow_loop_nest *reader,
                             const stow_pace *pace, bool distinct_arguments,
                             stow_alignment *out_alignment);

//===----------------------------------------------------------------------===//
// reverse.c: loops that run the other way
//===----------------------------------------------------------------------===//

// Whether some load of the reader goes over one of `buffers` in the opposite direction of a store.
bool stow_taskflow_runs_opposed(const stow_loop_nest *writer, const stow_loop_nest *reader,
                                const stow_values *buffers);

// Lets loops run backwards so that they go the same way; tells whether there are any that may. The
// nests have to be listed anew.
bool stow_taskflow_reverse_opposed(stow_open_pair *pair, const stow_loop_nest *writer,
                                   const stow_loop_nest *reader, const stow_values *buffers,
                                   bool distinct_arguments);

//===----------------------------------------------------------------------===//
// tighten.c: bounds that say no more than they must
//===----------------------------------------------------------------------===//

// In `body`: drops the bounds of loops that others imply, and puts the body of a loop that always
// runs once in its place.
void stow_taskflow_tighten(MlirBlock body);

//===----------------------------------------------------------------------===//
// window.c: buffers of which a window is enough
//===----------------------------------------------------------------------===//

// Dimension k of the buffer is kept modulo sizes[k].
typedef struct stow_window {
  MlirValue buffer;
  int64_t *sizes;
  uint64_t bytes; // of the window
} stow_window;

// Whether a window of `buffer` is enough for what `body` does, if nobody else uses the buffer and
// nothing is in it before. False, too, where it would save nothing.
bool stow_taskflow_find_window(MlirBlock body, MlirValue buffer, stow_window *out_window);

// Allocates the window beside the buffer, lets all accesses in `body` and all deallocs use it, and
// erases the buffer. Returns what it allocates.
MlirValue stow_taskflow_keep_window(MlirBlock body, const stow_window *window);

void stow_window_free(stow_window *window);

//===----------------------------------------------------------------------===//
// replay.c: windows, checked by running what uses them
//===----------------------------------------------------------------------===//

// Whether `after`, in which the window is not yet kept, reads of the buffer nothing but what
// `before` reads, and finds it in the window. True, too, where the bodies cannot be run.
bool stow_window_holds(MlirBlock before, MlirBlock after, const stow_window *window);

//===----------------------------------------------------------------------===//
// steady.c: loops split where their bodies become regular
//===----------------------------------------------------------------------===//

// In `body`: splits each loop of constant bounds in which inner loops have several bounds into a
// beginning, a part in which one bound of each always holds, and an end.
void stow_taskflow_split_steady(MlirBlock body);

// In `body`: unrolls loops of constant bounds so that indices modulo a small window are constants.
void stow_taskflow_unroll_windows(MlirBlock body);

//===----------------------------------------------------------------------===//
// reshape.c: other orders of loops, and common loops
//===----------------------------------------------------------------------===//

// What these do is proven legal before (order.h).

// Puts the loops of the pair into the alignment's orders and makes the shared ones common. The
// nests and the alignment hold no valid ops afterwards.
void stow_taskflow_reshape(stow_open_pair *pair, stow_loop_nest *writer, stow_loop_nest *reader,
                           stow_alignment *alignment);

//===----------------------------------------------------------------------===//
// forward.c: values that go straight from a store to its loads
//===----------------------------------------------------------------------===//

typedef struct stow_forward_options {
  bool reduction;          // also keep a cell in a value that a loop carries
  bool distinct_arguments; //
} stow_forward_options;

// In `body`: gives each load of `buffer` the value that the same iteration stored to its cell,
// where that is known, and removes stores that are overwritten before any load.
void stow_taskflow_forward(MlirBlock body, MlirValue buffer, stow_forward_options options);

// Whether `body` names `buffer` in nothing but stores to it.
bool stow_taskflow_is_only_stored(MlirBlock body, MlirValue buffer);

// Removes all stores to `buffer` in `body`.
void stow_taskflow_remove_stores(MlirBlock body, MlirValue buffer);

// Why `load` was not forwarded.
stow_fusion_reason stow_taskflow_why_not_forwarded(MlirBlock body, MlirOperation load);

// Removes ops without users that only read or compute.
void stow_taskflow_remove_unused(MlirBlock body);

//===----------------------------------------------------------------------===//
// place.c: where a fused task may stand
//===----------------------------------------------------------------------===//

// A buffer in a list of a task.
typedef struct stow_touch {
  MlirValue root;
  bool local; // allocated by an op
  bool writes;
} stow_touch;

// What a task touches.
typedef struct stow_footprint {
  bool known;  // or else it was not asked for yet
  bool others; // also memory that is neither in its lists nor its own
  STOW_ARRAY(stow_touch) touches;
} stow_footprint;

// Of the tasks of a block, by numbers that are never given again. The lists of a task stay as they
// are as long as it is there.
typedef struct stow_footprints {
  stow_map numbers; // of the tasks that are there
  STOW_ARRAY(stow_footprint) list;
} stow_footprints;

void stow_footprints_free(stow_footprints *prints);

typedef struct stow_move {
  bool possible;
  MlirOperation blame; // what is in the way, where it is not possible
  stow_op_list rising; // what lies between and must come before the task, in order
} stow_move;

// Whether the writer can move down to the reader, or the reader up to the writer, past all ops
// between them. Both are in one block, the writer first, and no versions are in use.
stow_move stow_move_down(stow_footprints *prints, MlirOperation writer, MlirOperation reader,
                         bool distinct_arguments);
stow_move stow_move_up(stow_footprints *prints, MlirOperation writer, MlirOperation reader,
                       bool distinct_arguments);

void stow_move_free(stow_move *move);

// Whether two tasks touch the same memory, and one of them writes it, apart from the buffer `but`.
bool stow_tasks_conflict(const stow_task *one, const stow_task *other, MlirValue but,
                         bool distinct_arguments);

// Whether `user`, or an op in it, has a result of `maker` as an operand.
bool stow_taskflow_uses_result_of(MlirOperation user, MlirOperation maker);

//===----------------------------------------------------------------------===//
// channels.c: channels in place of buffers between two tasks
//===----------------------------------------------------------------------===//

// A buffer that one task of the block writes and one other reads.
typedef struct stow_channel {
  MlirValue buffer;
  MlirStringRef writer, reader; // their names
  stow_fusion_reason reason;    // STOW_FUSION_CHANNEL where it can be a channel
  uint64_t depth, elements;
  uint64_t bytes; // fewer than those of the buffer
} stow_channel;

typedef STOW_ARRAY(stow_channel) stow_channels;

// In which buffers of a block without versions channels can take the place. Freed with
// free(list.at).
stow_channels stow_taskflow_plan_channels(MlirBlock block, bool distinct_arguments);

// Puts them there. Their buffers are gone, and their tasks made anew.
void stow_taskflow_make_channels(const stow_channels *list);

//===----------------------------------------------------------------------===//
// inplace.c: a buffer in the place of one that ends
//===----------------------------------------------------------------------===//

// Lets local buffers that a task writes first take the place of buffers that it reads last, cell by
// cell, and counts them. No versions are in use.
void stow_taskflow_work_in_place(MlirOperation function, size_t *out_buffers, uint64_t *out_bytes);

//===----------------------------------------------------------------------===//
// unread.c: buffers that are written and never read
//===----------------------------------------------------------------------===//

// Removes the local allocations of a function that tasks store to and nothing else but deallocs
// uses, with the stores, what is computed for them alone, and tasks that do nothing then. No
// versions are in use.
void stow_taskflow_remove_unread(MlirOperation function, size_t *out_buffers, uint64_t *out_bytes);

#endif // STOWAGE_TASKFLOW_STEPS_H
