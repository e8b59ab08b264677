//===- trial.c - one fusion, tried on a copy ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trial opens copies of both tasks, tries their alignments one by one, the most
// promising first, and drops the copies. What came of it can be done again, for good,
// with the same alignment.
//
//===----------------------------------------------------------------------===//

#include "taskflow/fusion.h"

#include "taskflow/ops.h"

#include <stdlib.h>

// A pair with the nests of its two parts.
typedef struct workplace {
  stow_open_pair pair;
  stow_loop_nest writer, reader;
  stow_alignments alignments;
} workplace;

static workplace set_up(const stow_task *writer, const stow_task *reader,
                        const stow_values *buffers, stow_trial_options options) {
  workplace w = {.pair = stow_open(writer, reader)};
  MlirOperation first = mlirBlockGetFirstOperation(w.pair.body);
  MlirOperation yield = mlirBlockGetTerminator(w.pair.body);
  w.writer = stow_nest_of((stow_part){first, w.pair.reader_begins});
  w.reader = stow_nest_of((stow_part){w.pair.reader_begins, yield});
  w.alignments = stow_align(&w.writer, &w.reader, buffers, options.align);
  return w;
}

static void leave(workplace *w) {
  stow_alignments_free(&w->alignments);
  stow_nest_free(&w->writer);
  stow_nest_free(&w->reader);
}

static void tear_down(workplace *w) {
  leave(w);
  stow_open_drop(&w->pair);
}

//===----------------------------------------------------------------------===//
// Verdicts
//===----------------------------------------------------------------------===//

static void blame(stow_trial *trial, MlirOperation op) {
  trial->blame[trial->blame_count++] = mlirOperationGetLocation(op);
}

// Keeps the first verdict: that of the most promising alignment.
static bool refuse(stow_trial *trial, stow_fusion_reason reason, MlirOperation first,
                   MlirOperation second) {
  if (trial->reason != STOW_FUSION_FUSED)
    return false;
  trial->reason = reason;
  if (!mlirOperationIsNull(first))
    blame(trial, first);
  if (!mlirOperationIsNull(second))
    blame(trial, second);
  return false;
}

static bool refuse_conflict(stow_trial *trial, stow_fusion_reason reason,
                            const stow_conflict *conflict) {
  const MlirOperation none = {NULL};
  if (!conflict->first)
    return refuse(trial, reason, none, none);
  return refuse(trial, conflict->aliased ? STOW_FUSION_ALIAS : reason, conflict->first->op,
                conflict->second->op);
}

static bool is_legal(const workplace *w, const stow_alignment *a, bool distinct,
                     stow_trial *trial) {
  stow_conflict conflict = {0};
  if (!stow_permutation_is_legal(&w->writer, a->writer_order, distinct, &conflict) ||
      !stow_permutation_is_legal(&w->reader, a->reader_order, distinct, &conflict))
    return refuse_conflict(trial, STOW_FUSION_PERMUTATION, &conflict);
  if (!stow_sharing_is_legal(&w->writer, &w->reader, a, distinct, &conflict))
    return refuse_conflict(trial, STOW_FUSION_DEPENDENCE, &conflict);
  return true;
}

//===----------------------------------------------------------------------===//
// Doing it
//===----------------------------------------------------------------------===//

static void fuse(workplace *w, size_t alignment, const stow_values *buffers,
                 stow_trial_options options) {
  const stow_forward_options forward = {options.align.reduction, options.distinct_arguments};
  stow_reshape(&w->pair, &w->writer, &w->reader, &w->alignments.at[alignment]);
  stow_open_compose(&w->pair);
  for (size_t i = 0; i < buffers->count; ++i)
    stow_forward(w->pair.body, buffers->at[i], forward);
  stow_remove_unused(w->pair.body);
}

typedef struct load_search {
  MlirValue buffer;
  MlirOperation readers; // a load that was the reader's
} load_search;

static void see_load(void *user, MlirOperation op, MlirValue memref, uint8_t effects) {
  load_search *search = user;
  if (mlirValueIsNull(memref) || !(effects & STOW_READ) ||
      !mlirValueEqual(stow_root_of(memref), stow_root_of(search->buffer)))
    return;
  if (mlirOperationIsNull(search->readers) && !(stow_is_load(op) && stow_is_writers_load(op)))
    search->readers = op;
}

static void add_dry(stow_trial *trial, MlirValue buffer, uint64_t stores) {
  STOW_PUSH(trial->dry, (stow_dry_buffer){buffer, stores});
}

// Whether all of the reader's loads of some buffer are gone; lists the buffers of which nothing but
// stores is left.
static bool pays(const workplace *w, const stow_values *buffers, stow_trial *trial) {
  bool streams = false;
  trial->dry.count = 0;
  for (size_t i = 0; i < buffers->count; ++i) {
    load_search search = {.buffer = buffers->at[i]};
    stow_walk_memory(w->pair.shell, see_load, &search);
    if (mlirOperationIsNull(search.readers))
      streams = true;
    else if (stow_is_access(search.readers))
      refuse(trial, stow_why_not_forwarded(w->pair.body, search.readers), search.readers,
             (MlirOperation){NULL});
    else
      refuse(trial, STOW_FUSION_INDEX, search.readers, (MlirOperation){NULL});
    if (stow_is_only_stored(w->pair.body, buffers->at[i]))
      add_dry(trial, buffers->at[i], stow_accesses_to(w->pair.shell, buffers->at[i]).stores);
  }
  if (streams)
    trial->reason = STOW_FUSION_FUSED;
  return streams;
}

static uint64_t saved(uint64_t before, uint64_t after) {
  return before > after ? before - after : 0;
}

static bool try_alignment(workplace *w, size_t index, const stow_values *buffers,
                          stow_trial_options options, stow_trial *trial) {
  if (!is_legal(w, &w->alignments.at[index], options.distinct_arguments, trial))
    return false;
  stow_figures before = stow_accesses_in(w->pair.shell);
  fuse(w, index, buffers, options);
  if (!pays(w, buffers, trial))
    return false;
  stow_figures after = stow_accesses_in(w->pair.shell);
  trial->alignment = index;
  trial->loads = saved(before.loads, after.loads);
  trial->stores = saved(before.stores, after.stores);
  trial->blame_count = 0;
  return true;
}

static bool reader_needs_value(const stow_task *writer, const stow_task *reader) {
  for (intptr_t i = 0; i < reader->values; ++i) {
    MlirValue value = mlirOperationGetOperand(reader->op, reader->reads + reader->writes + i);
    if (mlirValueIsAOpResult(value) && mlirOperationEqual(mlirOpResultGetOwner(value), writer->op))
      return true;
  }
  return false;
}

// What needs no alignment to be refused.
static bool is_candidate(const workplace *w, stow_trial *trial) {
  const MlirOperation none = {NULL};
  if (!mlirOperationIsNull(w->writer.unknown))
    return refuse(trial, STOW_FUSION_UNKNOWN_EFFECTS, w->writer.unknown, none);
  if (!mlirOperationIsNull(w->reader.unknown))
    return refuse(trial, STOW_FUSION_UNKNOWN_EFFECTS, w->reader.unknown, none);
  if (w->alignments.count == 0)
    return refuse(trial, w->alignments.reason, none, none);
  return true;
}

stow_trial stow_try_fusion(const stow_task *writer, const stow_task *reader,
                           const stow_values *buffers, stow_trial_options options) {
  stow_trial trial = {.reason = STOW_FUSION_FUSED};
  if (reader_needs_value(writer, reader)) {
    trial.reason = STOW_FUSION_VALUE;
    return trial;
  }
  bool done = false;
  for (size_t i = 0; !done; ++i) {
    workplace w = set_up(writer, reader, buffers, options);
    done = !is_candidate(&w, &trial) || i == w.alignments.count ||
           try_alignment(&w, i, buffers, options, &trial);
    tear_down(&w);
  }
  return trial;
}

stow_open_pair stow_redo_fusion(const stow_task *writer, const stow_task *reader,
                                const stow_values *buffers, stow_trial_options options,
                                const stow_trial *trial) {
  workplace w = set_up(writer, reader, buffers, options);
  fuse(&w, trial->alignment, buffers, options);
  leave(&w);
  return w.pair;
}

void stow_trial_free(stow_trial *trial) {
  free(trial->dry.at);
  *trial = (stow_trial){0};
}
