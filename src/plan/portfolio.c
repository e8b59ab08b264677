//===- portfolio.c - many searches for one plan ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long a search takes depends wildly on the order in which it tries items:
// what one order finds at once, another does not find in a day. So many orders
// get a little effort each, round by round, a round allowing several times what
// the last one did. First in a round come fixed orders, the one that does best in
// general with a larger share, then random shuffles of them, new in every round.
//
// Where the graph suits it, all but one search along a skyline (valleys.h), which finds
// plans for tight problems far more often; that one searches by offset (search.h), which
// proves more often that there is none. Else, and where a rule of that search is
// switched off, all search by offset.
//
// All rounds but the first end, where little stays empty, with a search along time (sweep.h).
//
// Searches of one round do not depend on each other and may run on threads. Each
// has a number; the lowest that comes to an end decides, and only those above it
// are cut short. So what is found, and the effort it is said to have taken, do
// not depend on how many threads there are or which is fast.
//
//===----------------------------------------------------------------------===//

#include "portfolio.h"
#include "limits.h"
#include "order.h"
#include "random.h"
#include "sort.h"
#include "sweep.h"
#include "valleys.h"

#include <pthread.h>
#include <string.h>

struct entry {
  stow_block_order order;
  bool by_load;   // of a search by offset
  bool by_offset; // does so in any case
  unsigned share; // of the round's limit
};

static const struct entry entries[] = {
    {{{STOW_LONGEST, STOW_MOST_AREA}}, true, true, 1},
    {{{STOW_LONGEST, STOW_MOST_AREA}}, true, false, 4},
    {{{STOW_LARGEST, STOW_LONGEST}}, false, false, 1},
    {{{STOW_LATEST_END, STOW_WIDEST}}, false, false, 1},
    {{{STOW_LONGEST, STOW_EARLIEST_BEGIN}}, true, false, 1},
    {{{STOW_MOST_BOX}}, false, false, 1},
    {{{STOW_LATEST_END, STOW_LARGEST}}, false, false, 1},
    {{{STOW_EARLIEST_BEGIN, STOW_SMALLEST}}, false, false, 1},
    {{{STOW_MOST_AREA, STOW_LONGEST}}, true, false, 1},
    {{{STOW_LONGEST, STOW_LATEST_BEGIN}}, true, false, 1},
    {{{STOW_WIDEST, STOW_LARGEST}}, false, false, 1},
    {{{STOW_LATEST_BEGIN, STOW_LONGEST}}, true, false, 1},
    {{{STOW_LATEST_BEGIN, STOW_LARGEST}}, false, false, 1},
};

enum {
  ENTRY_COUNT = sizeof entries / sizeof *entries,
  SHUFFLES = 4,
  RUN_COUNT = ENTRY_COUNT + SHUFFLES,
  MAX_THREADS = RUN_COUNT,
};

struct run {
  const uint32_t *ranks; // of an entry; a shuffle has its own
  uint64_t *offsets;
  uint64_t limit;
  stow_verdict verdict;
  uint64_t effort;
  atomic_int stop;
};

struct worker {
  struct round *round;
  stow_search *search;
  stow_valleys *valleys; // NULL where the graph does not suit it
  uint32_t *ranks;       // for shuffles
  stow_sort_pair *pairs, *scratch;
  pthread_t thread;
};

struct stow_portfolio {
  const stow_plan_graph *graph;
  stow_context *context;
  uint32_t *ranks; // of all entries, entry by entry
  struct run runs[RUN_COUNT];
  struct worker workers[MAX_THREADS];
  unsigned thread_count;
};

// What the threads of a round share.
struct round {
  stow_portfolio *portfolio;
  uint64_t capacity;
  unsigned number;
  atomic_uint next;    // run to take
  atomic_uint decided; // lowest run that came to an end
  uint64_t polled;     // steps the calling thread has finished in this round
};

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

static stow_status rank_entry(const stow_model *model, const stow_plan_graph *graph,
                              const struct entry *entry, stow_memory *memory, uint32_t *ranks) {
  const uint32_t count = graph->item_count;
  uint32_t *blocks = STOW_TAKE(memory, uint32_t, count);
  uint32_t *item_of = STOW_TAKE(memory, uint32_t, model->block_count);
  if (!blocks || !item_of)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < count; ++i) {
    blocks[i] = graph->blocks[i];
    item_of[blocks[i]] = i;
  }
  const stow_status status = stow_plan_order_blocks(model, &entry->order, memory, blocks, count);
  for (uint32_t i = 0; i < count && status == STOW_OK; ++i)
    ranks[item_of[blocks[i]]] = i;
  stow_memory_drop(memory, item_of);
  stow_memory_drop(memory, blocks);
  return status;
}

static bool make_worker(struct worker *worker, const stow_plan_graph *graph, bool by_skyline,
                        stow_memory *memory) {
  worker->search = stow_search_create(graph, memory);
  if (by_skyline && !(worker->valleys = stow_valleys_create(graph, memory)))
    return false;
  worker->ranks = STOW_TAKE(memory, uint32_t, graph->item_count);
  worker->pairs = STOW_TAKE(memory, stow_sort_pair, graph->item_count);
  worker->scratch = STOW_TAKE(memory, stow_sort_pair, graph->item_count);
  return worker->search && worker->ranks && worker->pairs && worker->scratch;
}

static unsigned wanted_threads(const stow_context *context) {
  const unsigned threads = context->options->threads;
  return threads == 0 ? 1 : threads < MAX_THREADS ? threads : MAX_THREADS;
}

stow_portfolio *stow_portfolio_create(const stow_model *model, const stow_plan_graph *graph,
                                      stow_context *context, stow_memory *memory) {
  stow_portfolio *portfolio = STOW_TAKE_ZEROED(memory, stow_portfolio, 1);
  if (!portfolio)
    return NULL;
  portfolio->graph = graph;
  portfolio->context = context;
  portfolio->thread_count = wanted_threads(context);
  portfolio->ranks = STOW_TAKE(memory, uint32_t, (size_t)graph->item_count *ENTRY_COUNT);
  if (!portfolio->ranks)
    return NULL;
  for (unsigned i = 0; i < RUN_COUNT; ++i) {
    portfolio->runs[i].offsets = STOW_TAKE(memory, uint64_t, graph->item_count);
    portfolio->runs[i].ranks = portfolio->ranks + (size_t)graph->item_count * (i % ENTRY_COUNT);
    if (!portfolio->runs[i].offsets)
      return NULL;
  }
  for (unsigned i = 0; i < ENTRY_COUNT; ++i)
    if (rank_entry(model, graph, &entries[i], memory,
                   portfolio->ranks + (size_t)graph->item_count * i) != STOW_OK)
      return NULL;
  const bool by_skyline = !context->options->rules_off && stow_valleys_suit(graph);
  for (unsigned i = 0; i < portfolio->thread_count; ++i)
    if (!make_worker(&portfolio->workers[i], graph, by_skyline, memory))
      return NULL;
  return portfolio;
}

//===----------------------------------------------------------------------===//
// One run
//===----------------------------------------------------------------------===//

// Moves every item up to a tenth of the way, or in every second round a third.
static void shuffle(struct worker *worker, const uint32_t *ranks, uint32_t count, unsigned round,
                    unsigned index) {
  uint64_t state = (uint64_t)round << 32 | index;
  const uint64_t reach = count / (round % 2 ? 3 : 10) + 2;
  for (uint32_t i = 0; i < count; ++i)
    worker->pairs[i] = (stow_sort_pair){ranks[i] + stow_plan_random_next(&state) % reach, i};
  stow_sort_pairs(worker->pairs, worker->scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    worker->ranks[worker->pairs[i].index] = i;
}

static bool poll_context(void *user, uint64_t effort) {
  const struct round *round = user;
  return stow_context_poll(round->portfolio->context, round->polled + effort);
}

static void lower_decided(struct round *round, unsigned index) {
  unsigned decided = atomic_load(&round->decided);
  while (index < decided && !atomic_compare_exchange_weak(&round->decided, &decided, index))
    ;
  for (unsigned i = index + 1; i < RUN_COUNT; ++i)
    atomic_store(&round->portfolio->runs[i].stop, 1);
}

static void do_run(struct worker *worker, unsigned index, bool is_caller) {
  struct round *round = worker->round;
  stow_portfolio *portfolio = round->portfolio;
  struct run *run = &portfolio->runs[index];
  const struct entry *entry = &entries[index % ENTRY_COUNT];
  const bool shuffled = index >= ENTRY_COUNT;
  if (shuffled)
    shuffle(worker, run->ranks, portfolio->graph->item_count, round->number, index);
  const stow_search_task task = {
      .capacity = round->capacity,
      .max_effort = run->limit,
      .ranks = shuffled ? worker->ranks : run->ranks,
      .by_load = entry->by_load,
      .rules = stow_context_rules(portfolio->context),
      .stop = &run->stop,
      .poll = is_caller ? poll_context : NULL,
      .poll_user = round,
  };
  if (!run->limit)
    return;
  if (worker->valleys && !entry->by_offset)
    run->verdict = stow_valleys_run(worker->valleys, &task, (uint64_t)round->number << 32 | index,
                                    run->offsets, &run->effort);
  else
    run->verdict = stow_search_run(worker->search, &task, run->offsets, &run->effort);
  if (is_caller)
    round->polled += run->effort;
  if (run->verdict != STOW_VERDICT_OPEN)
    lower_decided(round, index);
}

static void work(struct worker *worker, bool is_caller) {
  struct round *round = worker->round;
  for (;;) {
    const unsigned index = atomic_fetch_add(&round->next, 1);
    if (index >= RUN_COUNT || index > atomic_load(&round->decided))
      return;
    do_run(worker, index, is_caller);
    if (is_caller && round->portfolio->context->stopped)
      lower_decided(round, 0);
  }
}

static void *work_on_thread(void *user) {
  work(user, false);
  return NULL;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

// The limits of a round's runs together stay within what is left to spend; the last ones may get
// nothing.
static void reset_runs(stow_portfolio *portfolio, uint64_t limit) {
  uint64_t left = stow_context_left(portfolio->context);
  for (unsigned i = 0; i < RUN_COUNT; ++i) {
    const uint64_t wanted = limit * (i < ENTRY_COUNT ? entries[i].share : 1);
    portfolio->runs[i].limit = wanted < left ? wanted : left;
    left -= portfolio->runs[i].limit;
    portfolio->runs[i].verdict = STOW_VERDICT_OPEN;
    portfolio->runs[i].effort = 0;
    atomic_store(&portfolio->runs[i].stop, 0);
  }
}

// Runs on as many threads as can be had. A thread that cannot be started only costs time.
static void run_all(stow_portfolio *portfolio, struct round *round) {
  unsigned started = 1;
  for (unsigned i = 0; i < portfolio->thread_count; ++i)
    portfolio->workers[i].round = round;
  while (started < portfolio->thread_count &&
         pthread_create(&portfolio->workers[started].thread, NULL, work_on_thread,
                        &portfolio->workers[started]) == 0)
    ++started;
  work(&portfolio->workers[0], true);
  for (unsigned i = 1; i < started; ++i)
    pthread_join(portfolio->workers[i].thread, NULL);
}

static stow_verdict run_round(stow_portfolio *portfolio, uint64_t capacity, unsigned number,
                              uint64_t limit, uint64_t *out_offsets) {
  struct round round = {.portfolio = portfolio, .capacity = capacity, .number = number};
  atomic_init(&round.next, 0);
  atomic_init(&round.decided, RUN_COUNT);
  reset_runs(portfolio, limit);
  run_all(portfolio, &round);
  uint64_t effort = 0;
  stow_verdict verdict = STOW_VERDICT_OPEN;
  for (unsigned i = 0; i < RUN_COUNT && verdict == STOW_VERDICT_OPEN; ++i) {
    effort += portfolio->runs[i].effort;
    verdict = portfolio->runs[i].verdict;
    if (verdict == STOW_VERDICT_FITS)
      memcpy(out_offsets, portfolio->runs[i].offsets,
             portfolio->graph->item_count * sizeof *out_offsets);
  }
  stow_context_spend(portfolio->context, effort);
  return verdict;
}

static bool poll_alone(void *user, uint64_t effort) { return stow_context_poll(user, effort); }

// Looks for a plan along time with so much effort, or with what is left.
static stow_verdict sweep(stow_portfolio *portfolio, uint64_t capacity, uint64_t seed,
                          uint64_t wanted, uint64_t *out_offsets) {
  stow_context *context = portfolio->context;
  const uint64_t left = stow_context_left(context);
  const stow_search_task task = {.capacity = capacity,
                                 .max_effort = wanted < left ? wanted : left,
                                 .rules = stow_context_rules(context),
                                 .poll = poll_alone,
                                 .poll_user = context};
  uint64_t effort;
  const stow_verdict verdict = stow_plan_sweep_run(
      portfolio->graph, &task, seed, context->options->allocator, out_offsets, &effort);
  stow_context_spend(context, effort);
  return verdict;
}

// Looks for a plan once with every order, then along time in all rounds but the first, on the
// calling thread.
stow_verdict stow_portfolio_run(stow_portfolio *portfolio, uint64_t capacity, unsigned round,
                                uint64_t limit, uint64_t *out_offsets) {
  if (!stow_context_may_work(portfolio->context))
    return STOW_VERDICT_OPEN;
  const stow_verdict verdict = run_round(portfolio, capacity, round, limit, out_offsets);
  if (verdict != STOW_VERDICT_OPEN || !round || !portfolio->workers[0].valleys ||
      !stow_context_may_work(portfolio->context))
    return verdict;
  return sweep(portfolio, capacity, round, STOW_SWEEP_SHARE * limit, out_offsets);
}
