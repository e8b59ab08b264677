//===- pairs.h - writers and readers that may become one task -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_PAIRS_H
#define STOWAGE_TASKFLOW_PAIRS_H

#include "taskflow/fusion.h"
#include "taskflow/ops.h"
#include "taskflow/steps.h"

//===----------------------------------------------------------------------===//
// alive.c: how many bytes of buffers are alive at once in a block
//===----------------------------------------------------------------------===//
//
// A buffer is alive from the first op of the block that touches it to the last one.
// The most bytes that are alive at once are what a planner can reach, and does but for
// what is lost between buffers. Fusion moves what two ops touch to the place of one.
//
// One that is returned, or used in other blocks, too, is alive to the end of the block.
//
// Whether a planner may put other buffers into a result before it is written is its
// option: peaks are counted with the buffers that are returned and without, and neither
// may rise.
//
// Left out are buffers of unknown size, and those of other blocks that ops elsewhere
// use, too.

typedef struct stow_tenant {
  MlirValue buffer;
  uint64_t bytes;
  size_t pool;
  bool to_end;                // something keeps a name of it
  bool returned;              // by the function
  STOW_ARRAY(size_t) touches; // positions
} stow_tenant;

// Memory that shares nothing with other pools: a memory space of the heap, or of the stack.
typedef struct stow_pool {
  MlirAttribute memory_space;
  bool stack;
  uint64_t peak, peak_of_own; // of all buffers; of those that are not returned
} stow_pool;

typedef struct stow_alive {
  stow_map positions; // of the ops that stood in the block at first
  size_t op_count;
  STOW_ARRAY(stow_tenant) tenants;
  STOW_ARRAY(stow_pool) pools;
  uint64_t allowed; // bytes up to which a peak may rise
} stow_alive;

// Buffers of a pair that change with its fusion.
typedef struct stow_pair_buffers {
  stow_values gone;
  STOW_ARRAY(const stow_window *) windows; // of a trial
} stow_pair_buffers;

void stow_pair_buffers_free(stow_pair_buffers *buffers);

typedef STOW_ARRAY(size_t) stow_positions;

// What two tasks touch is touched where one of them stands, the buffers that are gone not at all,
// and those with a window take up less. Tasks between the two may come before.
typedef struct stow_alive_change {
  size_t writer, reader;
  bool at_reader;
  const stow_positions *rising; // of the tasks that come before the writer; none at the reader
  const stow_pair_buffers *buffers;
} stow_alive_change;

// Where what stands at a position stands after a change.
size_t stow_taskflow_position_after(const stow_alive_change *change, size_t position);

// The position of the op that `op` is, or lies in; -1 where none of these has one.
int32_t stow_taskflow_position_around(const stow_map *positions, MlirOperation op);

stow_alive stow_alive_in(MlirBlock block);
void stow_alive_free(stow_alive *alive);

size_t stow_alive_position(const stow_alive *alive, MlirOperation op);

// Whether a peak of some pool would rise.
bool stow_alive_rises(const stow_alive *alive, stow_alive_change change);

void stow_alive_apply(stow_alive *alive, stow_alive_change change);

// Without its positions, which do not change; and back, limits included.
stow_alive stow_alive_save(const stow_alive *alive);
void stow_alive_restore(stow_alive *alive, stow_alive *saved);

// Lets the peaks of `saved` be those that may not rise.
void stow_alive_keep_limits(stow_alive *alive, const stow_alive *saved);

// `made` takes the place of `buffer`.
void stow_alive_rename(stow_alive *alive, MlirValue buffer, MlirValue made);

//===----------------------------------------------------------------------===//
// pairs.c: pairs of tasks
//===----------------------------------------------------------------------===//

// A task; its number is never given again.
typedef struct stow_task_node {
  MlirOperation op; // null: fused away
  uint32_t number;
  size_t round;    // that it was fused in, or 0
  size_t position; // in the block as it was at first (above)
  bool windows;    // it keeps some buffer as a window
} stow_task_node;

typedef enum stow_task_place { STOW_NOWHERE, STOW_AT_READER, STOW_AT_WRITER } stow_task_place;

typedef struct stow_task_pair {
  stow_task_node writer, reader;
  size_t writer_index, reader_index; // among the nodes
  stow_values buffers;               // what the one writes and the other reads
  size_t trial;                      // index of its trial
  bool tried;                        // or else the trial is that of tasks which these were made of
  uint64_t bytes, accesses;
  bool simple; // one buffer written, one read
  // Found by stow_taskflow_pair_find_place:
  stow_task_place place;
  stow_move down, up;    // as far as they were looked at
  stow_positions rising; // of the tasks that come before the writer, at its place
  bool peak_rises;       // at a place where it could stand
} stow_task_pair;

// Fusions that are undone if they lead to nothing. Nothing else happens to buffers meanwhile, and
// peaks may rise.
typedef struct stow_fusion_attempt {
  stow_alive alive; // as it was
  STOW_ARRAY(stow_task_node) nodes;
  size_t records, joined;
  stow_op_list removed; // tasks taken out of their block
  stow_op_list next;    // by removed task: the op that followed it
  stow_op_list made;    // the fused tasks: one for two removed ones
} stow_fusion_attempt;

// The numbers of the tasks that one was fused from; 0 of those that were there at first. And of the
// one that it was fused into last, in an attempt that was undone, too; 0: none.
typedef struct stow_parents {
  uint32_t number[2], child;
} stow_parents;

// The work on one block.
typedef struct stow_fuser {
  const stow_fusion_options *asked;
  stow_fusion_way *way;
  const stow_task_edges *apart; // of tasks that stay two
  stow_twins *twins;
  size_t block; // its number
  stow_trial_options options;
  STOW_ARRAY(stow_task_node) nodes;
  STOW_ARRAY(stow_parents) parents; // by number; that of 0 is empty
  stow_map known, expected; // pairs of numbers to trials: their own, and those that stand for them
  stow_map names;           // attributes: of tasks in other blocks
  stow_map in_vain;         // pairs of numbers from which an attempt began
  stow_fusion_attempt *attempt; // that is going on, or NULL
  stow_alive alive;
  stow_footprints footprints;
  STOW_ARRAY(stow_trial) trials;
  STOW_ARRAY(stow_task_pair) pairs;
} stow_fuser;

// Finds the pairs of the tasks that are there: each reader with the last writer of each buffer that
// it reads. A pair whose tasks were fused before has the trial of those for the time
// being; all others are tried. In program order.
void stow_fuser_find_pairs(stow_fuser *f);

// Tries a pair that has another one's trial.
void stow_taskflow_pair_try(stow_fuser *f, stow_task_pair *p);

const void *stow_taskflow_pair_key(const stow_task_pair *p);

// Whether a way keeps some task of the one apart from some task of the other.
bool stow_taskflow_pair_is_apart(const stow_fuser *f, const stow_task_pair *p);

// Two tasks of the pair that were there at first, of which the one read what the other wrote last,
// if there are such.
stow_task_edge stow_taskflow_pair_edge(const stow_fuser *f, const stow_task_pair *p);

// Sorts pairs[first..] by what they gain.
void stow_fuser_sort_pairs(stow_fuser *f, size_t first);

// Whether pair `index` gains less than the next one.
bool stow_taskflow_pair_comes_later(const stow_fuser *f, size_t index);

// Whether two pairs gain the same.
bool stow_taskflow_pairs_tie(const stow_fuser *f, size_t one, size_t other);

// The round of what a pair becomes.
size_t stow_taskflow_pair_round(const stow_task_pair *p);

// Finds where a pair may stand, so that no more bytes are alive at once than before.
void stow_taskflow_pair_find_place(stow_fuser *f, stow_task_pair *p);

// The buffers that nobody needs when the pair is fused, and those of which nobody needs more than a
// window.
stow_pair_buffers stow_pair_buffers_of(const stow_fuser *f, const stow_task_pair *p);

// Whether a window of `buffer` is enough for the pair, and whether the buffer may have it when the
// pair is fused; then, whether other tasks of the block are all that is in the way.
bool stow_taskflow_pair_windows(const stow_fuser *f, const stow_task_pair *p, MlirValue buffer);
bool stow_taskflow_pair_shrinks(const stow_fuser *f, const stow_task_pair *p, MlirValue buffer);
bool stow_taskflow_only_tasks_use(MlirValue buffer, MlirBlock block);

// Whether fusing the pair is worth anything as long as others use what they use.
bool stow_taskflow_pair_gains(const stow_fuser *f, const stow_task_pair *p);

// What fusing a pair at its place changes of the bytes alive.
stow_alive_change stow_taskflow_pair_change(const stow_task_pair *p, stow_task_place place,
                                            const stow_pair_buffers *buffers);

void stow_fuser_free(stow_fuser *f);

#endif // STOWAGE_TASKFLOW_PAIRS_H
