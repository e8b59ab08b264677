//===- search.c - memory-access-streaming-fusion: the best way ----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusion by gain may take a pair that rules out two others. So the function is fused
// again, each time with some pairs of tasks kept apart, and the way that leaves the fewest
// bytes, then the fewest accesses, is taken.
//
// There are two trees of ways. In the second one buffers take the place of others first
// (inplace.c), so that they stay whole at no cost, and tasks are fused for the sake of the rest: of
// two orders of loops that do as well, the one in which sums run over the outermost loops is
// taken. Of a product then a row or a column of each factor is enough.
//
// Each tree has the way of no choice at its root. Each child of one keeps apart two tasks that it
// joined, and what is below that child never keeps apart what was joined before those: so no choice
// of pairs is looked at twice, and all are when the tree has been walked. The best way found is
// continued first. Steps are trials of pairs; where they run out, the floor tells how much is lost
// at most: what only tasks name may go, the rest stays. In each way the pairs are joined by gain;
// their order is no choice.
//
// Source: the partition of the space of solutions by Lawler, A procedure for computing the K best
// solutions to discrete optimization problems, 1972.
//
//===----------------------------------------------------------------------===//

#include "taskflow/fusion.h"

#include "ir/support.h"
#include "taskflow/memory.h"
#include "taskflow/steps.h"
#include "taskflow/thread.h"

#include <stdlib.h>

// A way that was tried, and has children.
typedef struct choice {
  stow_task_edges apart;   // in all that is below it
  stow_task_edges settled; // joined in all that is below it
  stow_task_edges joined;  // by it, without those settled: each has a child that keeps it apart
  size_t next;             // the first without a child as yet
  stow_figures figures;
} choice;

typedef struct search {
  const stow_fusion_options *options;
  MlirOperation original;     // owned, in no module
  stow_buffer_count in_place; // buffers of it that took the place of others
  stow_fusion_way best;       // its function is in the module
  size_t first_trials;        // of the first way
  STOW_ARRAY(choice) choices;
  stow_fusion_search *account;
  stow_twins twins;
} search;

static int compare_figures(const stow_figures *a, const stow_figures *b) {
  return stow_ir_then(STOW_COMPARE(a->bytes, b->bytes),
                      STOW_COMPARE(a->loads + a->stores, b->loads + b->stores));
}

static bool has(const stow_task_edges *edges, const stow_task_edge *edge) {
  STOW_EACH(const stow_task_edge, one, *edges)
    if (one->block == edge->block && one->writer == edge->writer && one->reader == edge->reader)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

static stow_task_edges first_of(const stow_task_edges *edges, size_t count) {
  stow_task_edges copy = {0};
  for (size_t i = 0; i < count; ++i)
    STOW_PUSH(copy, edges->at[i]);
  return copy;
}

static void add_choice(search *s, const stow_fusion_way *way, choice made) {
  made.figures = way->figures;
  STOW_EACH(const stow_task_edge, edge, way->joined)
    if (!has(&made.settled, edge))
      STOW_PUSH(made.joined, *edge);
  STOW_PUSH(s->choices, made);
}

static void free_choice(choice *one) {
  free(one->apart.at);
  free(one->settled.at);
  free(one->joined.at);
}

// The best of those with children left; NULL: the tree has been walked.
static choice *best_choice(search *s) {
  choice *best = NULL;
  STOW_EACH(choice, one, s->choices)
    if (one->next < one->joined.count &&
        (!best || compare_figures(&one->figures, &best->figures) < 0))
      best = one;
  return best;
}

static choice next_child(choice *parent) {
  choice child = {.apart = first_of(&parent->apart, parent->apart.count),
                  .settled = first_of(&parent->settled, parent->settled.count)};
  for (size_t i = 0; i < parent->next; ++i)
    STOW_PUSH(child.settled, parent->joined.at[i]);
  STOW_PUSH(child.apart, parent->joined.at[parent->next++]);
  return child;
}

static void drop_way(stow_fusion_way *way) {
  mlirOperationDestroy(way->function);
  stow_fusion_way_free(way);
}

// Keeps the better one of the best way and this one, which stands before it in the module.
static void compete(search *s, stow_fusion_way way) {
  const int order = compare_figures(&way.figures, &s->best.figures);
  s->account->as_good = order < 0 ? 0 : s->account->as_good + (order == 0);
  drop_way(order < 0 ? &s->best : &way);
  if (order >= 0)
    return;
  s->best = way;
  s->account->in_place = s->in_place;
}

static void try_child(search *s, choice child) {
  const MlirOperation function = mlirOperationClone(s->original);
  stow_ir_insert_before(s->best.function, function);
  const stow_fusion_way way =
      stow_taskflow_fuse(function, s->options, &child.apart, s->in_place.buffers > 0, &s->twins);
  s->account->ways++;
  s->account->trials += way.trials;
  add_choice(s, &way, child);
  compete(s, way);
}

static size_t most_trials(const search *s) {
  return s->options->search_trials ? (size_t)s->options->search_trials : STOW_SEARCH_TRIALS;
}

// Another way is expected to take as many trials as the first one.
static void walk_tree(search *s) {
  const size_t before = s->account->trials;
  choice *parent = best_choice(s);
  while (parent && s->best.figures.bytes > s->account->floor &&
         s->account->trials - before + s->first_trials <= most_trials(s)) {
    try_child(s, next_child(parent));
    parent = best_choice(s);
  }
  s->account->exhausted &= !parent;
}

static void drop_tree(search *s) {
  STOW_EACH(choice, one, s->choices)
    free_choice(one);
  s->choices.count = 0;
}

static bool may_work_in_place(const search *s) {
  return !s->options->separate_buffers && !s->options->whole_buffers && !s->options->channels &&
         s->options->max_rounds >= 0 && s->best.figures.bytes > s->account->floor &&
         s->first_trials <= most_trials(s);
}

// Walks the second tree, where there is one.
static void try_in_place(search *s) {
  stow_ir_insert_before(s->best.function, s->original);
  stow_taskflow_work_in_place(s->original, &s->in_place.buffers, &s->in_place.bytes);
  mlirOperationRemoveFromParent(s->original);
  if (s->in_place.buffers == 0)
    return;
  drop_tree(s);
  try_child(s, (choice){.next = 0});
  walk_tree(s);
}

// The best way that was found; its function is in the module, in the place of the one given.
// `account`: its floor is given.
static stow_fusion_way find_way(MlirOperation function, const stow_fusion_options *options,
                                stow_fusion_search *account) {
  const stow_task_edges none = {0};
  search s = {.options = options, .original = mlirOperationClone(function), .account = account};
  s.best = stow_taskflow_fuse(function, options, &none, false, &s.twins);
  s.first_trials = s.best.trials;
  account->ways = 1;
  account->exhausted = options->search_trials >= 0;
  add_choice(&s, &s.best, (choice){.next = 0});
  if (options->search_trials >= 0)
    walk_tree(&s);
  if (options->search_trials >= 0 && may_work_in_place(&s))
    try_in_place(&s);
  drop_tree(&s);
  free(s.choices.at);
  stow_twins_free(&s.twins);
  mlirOperationDestroy(s.original);
  return s.best;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static void take_records(stow_fusion *fusion, stow_fusion_way *way) {
  STOW_EACH(const stow_fusion_record, record, way->records)
    STOW_PUSH(fusion->records, *record);
  way->records.count = 0; // they are given away
  stow_fusion_way_free(way);
}

// A task before a channel may be there to copy.
static bool reads_through_copies(const stow_fusion_options *options) {
  return options->max_rounds >= 0 && !options->kept_copies && !options->channels;
}

static void fuse_function(stow_fusion *fusion, MlirOperation function) {
  stow_taskflow_unthread(function);
  stow_function_fusion account = {.function = function,
                                  .before = stow_figures_of(function),
                                  .graph_before = stow_task_graph_of(function)};
  account.after = account.before;
  account.search.floor = account.before.fixed;
  if (reads_through_copies(&fusion->options) && stow_taskflow_read_through_copies(fusion, function))
    stow_taskflow_remove_unread(function, &account.unread_buffers, &account.unread_bytes);
  if (account.before.tasks > 0) {
    stow_fusion_way way = find_way(function, &fusion->options, &account.search);
    account.function = way.function;
    account.after = way.figures;
    account.unread_buffers += way.unread_buffers;
    account.unread_bytes += way.unread_bytes;
    take_records(fusion, &way);
  }
  account.graph_after = stow_task_graph_of(account.function);
  stow_taskflow_thread(account.function);
  STOW_PUSH(fusion->functions, account);
}

static void free_fusion(stow_fusion *fusion) {
  STOW_EACH(stow_fusion_record, record, fusion->records)
    stow_fusion_record_free(record);
  for (size_t i = 0; i < fusion->functions.count; ++i) {
    stow_task_graph_free(&fusion->functions.at[i].graph_before);
    stow_task_graph_free(&fusion->functions.at[i].graph_after);
  }
  free(fusion->records.at);
  free(fusion->functions.at);
}

bool stow_streaming_fusion(MlirOperation module, const stow_fusion_options *options) {
  stow_fusion fusion = {.module = module};
  stow_ir_take_options(&fusion.options, options, sizeof fusion.options);
  const stow_report_files files = stow_fusion_files(&fusion);
  bool ok = stow_ir_can_report(&files);
  if (ok) {
    STOW_EACH_FOUND(function, stow_ir_functions_in(module))
      fuse_function(&fusion, function);
    stow_fusion_remarks(&fusion);
    ok = stow_ir_write_reports(&files, &fusion);
  }
  free_fusion(&fusion);
  return ok;
}
