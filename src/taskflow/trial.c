//===- trial.c - one fusion, tried on a copy ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trial opens copies of both tasks, tries their alignments one by one, the most
// promising first, then paces, and drops the copies; then again, where that makes a difference,
// with loops that run backwards. What came of it can be done again, for good, with the same
// candidate.
//
//===----------------------------------------------------------------------===//

#include "taskflow/fusion.h"

#include "taskflow/ops.h"

#include <assert.h>
#include <stdlib.h>

// A pair with the nests of its two parts.
typedef struct workplace {
  const stow_task *tasks[2]; // the writer, the reader
  stow_open_pair pair;
  stow_loop_nest writer, reader;
  stow_alignments alignments;
  stow_paces paces;
  stow_alignment paced; // of a pace that was taken
  bool opposed;         // some load runs in the opposite direction of a store
} workplace;

static bool tries_windows(stow_trial_options options) {
  return options.windows && options.align.permutation && options.align.reduction;
}

static void list_nests(workplace *w) {
  MlirOperation first = mlirBlockGetFirstOperation(w->pair.body);
  MlirOperation yield = mlirBlockGetTerminator(w->pair.body);
  w->writer = stow_taskflow_nest_of((stow_part){first, w->pair.reader_begins});
  w->reader = stow_taskflow_nest_of((stow_part){w->pair.reader_begins, yield});
}

// Lets the nests run in one direction; false where they cannot.
static bool reverse(workplace *w, const stow_values *buffers, bool distinct_arguments) {
  const bool reversed =
      stow_taskflow_reverse_opposed(&w->pair, &w->writer, &w->reader, buffers, distinct_arguments);
  stow_taskflow_nest_free(&w->writer);
  stow_taskflow_nest_free(&w->reader);
  list_nests(w);
  return reversed;
}

// There are no candidates if the nests cannot be `reversed`.
static workplace set_up(const stow_task *writer, const stow_task *reader,
                        const stow_values *buffers, stow_trial_options options, bool reversed) {
  workplace w = {.tasks = {writer, reader}, .pair = stow_taskflow_open(writer, reader)};
  list_nests(&w);
  w.opposed =
      options.align.permutation && stow_taskflow_runs_opposed(&w.writer, &w.reader, buffers);
  if (reversed && !reverse(&w, buffers, options.distinct_arguments))
    return w;
  w.alignments = stow_taskflow_align(&w.writer, &w.reader, buffers, options.align);
  if (tries_windows(options))
    w.paces = stow_paces_of(&w.writer, &w.reader, buffers);
  return w;
}

static void leave(workplace *w) {
  stow_alignments_free(&w->alignments);
  stow_alignment_free(&w->paced);
  free(w->paces.at);
  stow_taskflow_nest_free(&w->writer);
  stow_taskflow_nest_free(&w->reader);
}

static void tear_down(workplace *w) {
  leave(w);
  stow_taskflow_open_drop(&w->pair);
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
  if (!stow_taskflow_permutation_is_legal(&w->writer, a->writer_order, distinct, &conflict) ||
      !stow_taskflow_permutation_is_legal(&w->reader, a->reader_order, distinct, &conflict))
    return refuse_conflict(trial, STOW_FUSION_PERMUTATION, &conflict);
  if (!stow_taskflow_sharing_is_legal(&w->writer, &w->reader, a, distinct, &conflict))
    return refuse_conflict(trial, STOW_FUSION_DEPENDENCE, &conflict);
  return true;
}

//===----------------------------------------------------------------------===//
// Doing it
//===----------------------------------------------------------------------===//

static size_t count_candidates(const workplace *w) { return w->alignments.count + w->paces.count; }

// The alignment of a candidate; NULL where the nests cannot keep its pace.
static stow_alignment *take(workplace *w, size_t candidate, bool distinct) {
  if (candidate < w->alignments.count)
    return &w->alignments.at[candidate];
  const stow_pace *pace = &w->paces.at[candidate - w->alignments.count];
  return stow_taskflow_keep_pace(&w->pair, &w->writer, &w->reader, pace, distinct, &w->paced)
             ? &w->paced
             : NULL;
}

static void share(workplace *w, stow_alignment *alignment) {
  const bool paced = alignment == &w->paced;
  stow_taskflow_reshape(&w->pair, &w->writer, &w->reader, alignment);
  if (paced)
    stow_taskflow_tighten(w->pair.body);
  stow_taskflow_open_compose(&w->pair);
}

static void forward_values(workplace *w, const stow_values *buffers, stow_trial_options options) {
  const stow_forward_options forward = {options.align.reduction, options.distinct_arguments};
  for (size_t i = 0; i < buffers->count; ++i)
    stow_taskflow_forward(w->pair.body, buffers->at[i], forward);
  stow_taskflow_remove_unused(w->pair.body);
}

typedef struct load_search {
  MlirValue buffer;
  MlirOperation readers; // a load that was the reader's
} load_search;

static void see_load(void *user, MlirOperation op, MlirValue memref, uint8_t effects) {
  load_search *search = user;
  if (mlirValueIsNull(memref) || !(effects & STOW_READ) ||
      !mlirValueEqual(stow_ir_root_of(memref), stow_ir_root_of(search->buffer)))
    return;
  if (mlirOperationIsNull(search->readers) &&
      !(stow_taskflow_is_load(op) && stow_taskflow_is_writers_load(op)))
    search->readers = op;
}

static void add_dry(stow_trial *trial, MlirValue buffer, uint64_t stores) {
  STOW_PUSH(trial->dry, (stow_dry_buffer){buffer, stores});
}

// Whether all of the reader's loads of some buffer are gone; lists the buffers of which nothing but
// stores is left.
static bool streams(const workplace *w, const stow_values *buffers, stow_trial *trial) {
  bool any = false;
  for (size_t i = 0; i < buffers->count; ++i) {
    load_search search = {.buffer = buffers->at[i]};
    stow_taskflow_walk_memory(w->pair.shell, see_load, &search);
    if (mlirOperationIsNull(search.readers))
      any = true;
    else if (stow_taskflow_is_access(search.readers))
      refuse(trial, stow_taskflow_why_not_forwarded(w->pair.body, search.readers), search.readers,
             (MlirOperation){NULL});
    else
      refuse(trial, STOW_FUSION_INDEX, search.readers, (MlirOperation){NULL});
    if (stow_taskflow_is_only_stored(w->pair.body, buffers->at[i]))
      add_dry(trial, buffers->at[i],
              stow_taskflow_accesses_to(w->pair.shell, buffers->at[i]).stores);
  }
  return any;
}

// Whether the pair, run, finds in the window all that the two tasks read of the buffer.
static bool holds(const workplace *w, const stow_window *window) {
  stow_open_pair both = stow_taskflow_open(w->tasks[0], w->tasks[1]);
  const bool found = stow_window_holds(both.body, w->pair.body, window);
  stow_taskflow_open_drop(&both);
  return found;
}

static void find_windows(const workplace *w, const stow_values *buffers, stow_trial *trial) {
  stow_window window;
  for (size_t i = 0; i < buffers->count; ++i) {
    if (stow_taskflow_is_only_stored(w->pair.body, buffers->at[i]) ||
        !stow_taskflow_find_window(w->pair.body, buffers->at[i], &window))
      continue;
    const bool right = holds(w, &window);
    assert(right);
    if (right)
      STOW_PUSH(trial->windows, window);
    else
      stow_window_free(&window);
  }
}

static uint64_t saved(uint64_t before, uint64_t after) {
  return before > after ? before - after : 0;
}

// Whether the candidate gains something.
static bool try_candidate(workplace *w, size_t candidate, const stow_values *buffers,
                          stow_trial_options options, stow_trial *trial) {
  stow_alignment *alignment = take(w, candidate, options.distinct_arguments);
  if (!alignment)
    return refuse(trial, STOW_FUSION_BOUNDS, (MlirOperation){NULL}, (MlirOperation){NULL});
  if (!is_legal(w, alignment, options.distinct_arguments, trial))
    return false;
  share(w, alignment);
  stow_figures before = stow_taskflow_accesses_in(w->pair.shell);
  forward_values(w, buffers, options);
  trial->streams = streams(w, buffers, trial);
  if (tries_windows(options))
    find_windows(w, buffers, trial);
  if (!trial->streams && trial->windows.count == 0)
    return false;
  stow_figures after = stow_taskflow_accesses_in(w->pair.shell);
  trial->reason = STOW_FUSION_FUSED;
  trial->candidate = candidate;
  trial->loads = saved(before.loads, after.loads);
  trial->stores = saved(before.stores, after.stores);
  trial->blame_count = 0;
  return true;
}

static uint64_t bytes_of_windows(const stow_trial *trial) {
  uint64_t sum = 0;
  for (size_t i = 0; i < trial->windows.count; ++i)
    sum += trial->windows.at[i].bytes;
  return sum;
}

// Whether one that gains is better than the best one before.
static bool is_better(const stow_trial *trial, const stow_trial *best) {
  if (best->reason != STOW_FUSION_FUSED || trial->windows.count > best->windows.count)
    return true;
  if (trial->reversed && trial->streams != best->streams)
    return trial->streams;
  return trial->windows.count == best->windows.count &&
         bytes_of_windows(trial) < bytes_of_windows(best);
}

bool stow_taskflow_reader_needs_value(const stow_task *writer, const stow_task *reader) {
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
  if (count_candidates(w) == 0)
    return refuse(trial, w->alignments.reason, none, none);
  return true;
}

// What is tried, and the best so far.
typedef struct trying {
  const stow_task *writer, *reader;
  const stow_values *buffers;
  stow_trial_options options;
  stow_trial best;
  bool any;     // candidate gains
  bool opposed; // it makes a difference whether the nests are reversed
} trying;

// Takes the candidate's outcome if it is better, or the first refusal.
static void keep(trying *t, stow_trial *one, bool gains, bool first) {
  if ((first && !gains && one->reason != STOW_FUSION_FUSED) ||
      (gains && (!t->any || is_better(one, &t->best)))) {
    stow_trial_free(&t->best);
    t->best = *one;
  } else {
    stow_trial_free(one);
  }
  t->any |= gains;
}

// Tells whether a candidate gave all loads of a buffer their values.
static bool try_candidates(trying *t, bool reversed) {
  bool done = false, streams = false;
  for (size_t i = 0; !done; ++i) {
    stow_trial one = {.reason = STOW_FUSION_FUSED, .reversed = reversed};
    workplace w = set_up(t->writer, t->reader, t->buffers, t->options, reversed);
    t->opposed = w.opposed;
    done = !is_candidate(&w, &one) || i == count_candidates(&w);
    const bool gains = !done && try_candidate(&w, i, t->buffers, t->options, &one);
    streams = gains && one.streams;
    done |= streams;
    tear_down(&w);
    keep(t, &one, gains, i == 0 && !reversed);
  }
  return streams;
}

stow_trial stow_taskflow_try_fusion(const stow_task *writer, const stow_task *reader,
                                    const stow_values *buffers, stow_trial_options options) {
  trying t = {writer, reader, buffers, options, {.reason = STOW_FUSION_FUSED}, false, false};
  if (stow_taskflow_reader_needs_value(writer, reader))
    t.best.reason = STOW_FUSION_VALUE;
  else if (!try_candidates(&t, false) && t.opposed)
    try_candidates(&t, true);
  return t.best;
}

stow_open_pair stow_taskflow_redo_fusion(const stow_task *writer, const stow_task *reader,
                                         const stow_values *buffers, stow_trial_options options,
                                         const stow_trial *trial) {
  workplace w = set_up(writer, reader, buffers, options, trial->reversed);
  share(&w, take(&w, trial->candidate, options.distinct_arguments));
  forward_values(&w, buffers, options);
  leave(&w);
  return w.pair;
}

void stow_trial_free(stow_trial *trial) {
  for (size_t i = 0; i < trial->windows.count; ++i)
    stow_window_free(&trial->windows.at[i]);
  free(trial->dry.at);
  free(trial->windows.at);
  *trial = (stow_trial){0};
}
