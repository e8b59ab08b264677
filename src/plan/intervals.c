//===- intervals.c - a bound from what is alive in an interval -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan, taken of some blocks only, is a plan of these: so the least arena of any
// of them is a bound for all. Where the least arena is above the load, those to
// blame are often alive close together, and few: a search that does not end for
// all of them proves within milliseconds what these need. So the blocks alive in
// an interval of cliques are searched alone, in one interval after another that
// overlap by half, few blocks at first, then half as many more. An interval that
// does not fit the bound is halved down to the arena that it needs.
//
//===----------------------------------------------------------------------===//

#include "intervals.h"
#include "limits.h"
#include "search.h"

struct question {
  stow_intervals *intervals;
  stow_plan_graph graph; // of the interval's blocks
  stow_search *search;
  uint32_t *ranks;
  uint64_t *offsets;
  uint64_t max_effort, end_effort; // of a search, and of the context
  bool open;                       // some search had no answer
};

static bool poll_context(void *user, uint64_t effort) { return stow_context_poll(user, effort); }

static bool may_ask(const struct question *question) {
  return !question->open && question->intervals->context->effort < question->end_effort &&
         stow_context_may_work(question->intervals->context);
}

static stow_verdict ask(struct question *question, uint64_t capacity) {
  stow_context *context = question->intervals->context;
  const uint64_t left = stow_context_left(context);
  const stow_search_task task = {
      .capacity = capacity,
      .max_effort = left < question->max_effort ? left : question->max_effort,
      .ranks = question->ranks,
      .by_load = true,
      .rules = stow_context_rules(context),
      .poll = poll_context,
      .poll_user = context,
  };
  uint64_t effort;
  const stow_verdict verdict = stow_search_run(question->search, &task, question->offsets, &effort);
  stow_context_spend(context, effort);
  question->open |= verdict == STOW_VERDICT_OPEN;
  return verdict;
}

static uint64_t arena_found(const struct question *question) {
  uint64_t arena = 0;
  for (uint32_t i = 0; i < question->graph.item_count; ++i) {
    const uint64_t end = question->offsets[i] + question->graph.items[i].size;
    arena = end > arena ? end : arena;
  }
  return arena;
}

// The first question is whether the interval fits the bound, as most do.
static void halve(struct question *question, uint64_t high, uint64_t *inout_low) {
  uint64_t capacity = *inout_low;
  while (*inout_low < high && may_ask(question)) {
    const stow_verdict verdict = ask(question, capacity);
    if (verdict == STOW_VERDICT_FITS)
      high = arena_found(question);
    else if (verdict == STOW_VERDICT_IMPOSSIBLE)
      *inout_low = capacity + question->intervals->unit;
    if (*inout_low < high) {
      capacity = *inout_low + (high - *inout_low) / 2;
      capacity -= capacity % question->intervals->unit;
    }
  }
}

static stow_status prepare(struct question *question, const uint32_t *blocks, uint32_t count,
                           stow_memory *memory) {
  bool fits;
  const stow_status status =
      stow_graph_build(question->intervals->model, blocks, count, STOW_EXACT_MOST_EDGES, memory,
                       &question->graph, &fits);
  if (status != STOW_OK)
    return status;
  question->search = stow_search_create(&question->graph, memory);
  question->ranks = STOW_TAKE(memory, uint32_t, count);
  question->offsets = STOW_TAKE(memory, uint64_t, count);
  if (!question->search || !question->ranks || !question->offsets)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i)
    question->ranks[i] = i;
  stow_context_spend(question->intervals->context,
                     (uint64_t)question->graph.items[count - 1].past_edge *
                         STOW_EXACT_EFFORT_PER_EDGE);
  return STOW_OK;
}

// Takes the blocks from `begin` on, as long as they are not too many; returns where they end. All
// of one clique are taken in any case.
static uint32_t take_blocks(const stow_intervals *intervals, uint32_t begin, uint32_t *counts,
                            uint32_t *blocks, uint32_t *out_count) {
  const stow_plan_graph *graph = intervals->graph;
  uint32_t alive = 0, end = begin;
  for (uint32_t c = begin; c < graph->clique_count; ++c)
    counts[c] = 0;
  for (uint32_t i = 0; i < graph->item_count; ++i)
    if (graph->items[i].end > begin)
      ++counts[graph->items[i].begin > begin ? graph->items[i].begin : begin];
  do
    alive += counts[end++];
  while (end < graph->clique_count && alive + counts[end] <= intervals->most_items);
  *out_count = 0;
  for (uint32_t i = 0; i < graph->item_count; ++i)
    if (graph->items[i].end > begin && graph->items[i].begin < end)
      blocks[(*out_count)++] = graph->blocks[i];
  stow_context_spend(intervals->context, graph->item_count);
  return end;
}

// Looks at intervals of one size.
static stow_status sweep(struct question *question, uint32_t *counts, uint32_t *blocks,
                         uint64_t high, uint64_t *inout_low) {
  stow_intervals *intervals = question->intervals;
  stow_status status = STOW_OK;
  bool open = false;
  for (uint32_t begin = 0, end = 0; end < intervals->graph->clique_count && status == STOW_OK &&
                                    *inout_low < high && may_ask(question);
       begin += (end - begin + 1) / 2) {
    uint32_t count;
    stow_memory memory;
    end = take_blocks(intervals, begin, counts, blocks, &count);
    stow_memory_begin(&memory, &intervals->memory->allocator);
    if (count)
      status = prepare(question, blocks, count, &memory);
    if (count && status == STOW_OK)
      halve(question, high, inout_low);
    stow_memory_end(&memory);
    open |= question->open;
    question->open = false;
  }
  question->open = open;
  return status;
}

stow_status stow_intervals_raise(stow_intervals *intervals, uint64_t high, uint64_t max_effort,
                                 uint64_t *inout_low) {
  struct question question = {.intervals = intervals,
                              .max_effort = max_effort / STOW_INTERVALS_QUESTIONS,
                              .end_effort = intervals->context->effort + max_effort};
  uint32_t *counts = STOW_TAKE(intervals->memory, uint32_t, intervals->graph->clique_count);
  uint32_t *blocks = STOW_TAKE(intervals->memory, uint32_t, intervals->graph->item_count);
  stow_status status = counts && blocks ? STOW_OK : STOW_NO_MEMORY;
  while (status == STOW_OK && *inout_low < high && may_ask(&question)) {
    status = sweep(&question, counts, blocks, high, inout_low);
    if (question.open || intervals->most_items >= intervals->graph->item_count)
      break;
    intervals->most_items += intervals->most_items / 2;
  }
  stow_memory_drop(intervals->memory, blocks);
  stow_memory_drop(intervals->memory, counts);
  return status;
}
