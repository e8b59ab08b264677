//===- exact.c - improving a plan until it is proven optimal --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where at some moment nothing is alive, what comes before and what comes after
// are independent *parts*, each with a plan of its own; the arena is the largest
// of theirs. Every part lies between two numbers: `low`, below which no plan of
// it exists or would help, and `high`, the arena it has. The search closes the
// gap from both sides: a plan found within a capacity lowers `high`, a proof that
// there is none raises `low`. It asks for its *target* first, which is `low` or the
// multiple of the alignment next to it, because the lower bound is met more often
// than not; with each proof the next question is asked twice as far above it. Where one
// stays open it descends from `high`, by a part of the gap to the open question at a time,
// and each plan found is the next question's `high`. In the next round all questions get
// more effort each.
//
// What is then above the bound by more than a *rung* is fitted to it, from the lowest
// rung on, each as if its capacity had been asked for. So minimising never ends above a
// plan that fitting finds at the bound or at a rung with the same effort. Not so where
// blocks have byte windows: of 55 such problems that stayed open none had a plan at a
// rung, with ten times the effort either, and the rungs took a third of the steps.
//
// Where all sizes are multiples of a unit, so are all floors, and numbers between
// two multiples are not worth asking about.
//
//===----------------------------------------------------------------------===//

#include "exact.h"
#include "limits.h"
#include "portfolio.h"
#include "sort.h"
#include "windows.h"

struct part {
  const uint32_t *blocks;
  uint32_t block_count;
  uint64_t low, high;
  stow_memory memory; // of the graph and what searches it, while the part is open
  stow_plan_graph graph;
  stow_portfolio *portfolio; // searches it if the model is flat,
  stow_windows *windows;     // or else this does; both NULL before the first question
  bool hopeless;             // too large to search
  unsigned round;            // of the questions it is asked next
  uint64_t open;             // largest question of this round that stayed open; 0: none
  uint64_t finest;           // gap between that and `high` at which the round ends
  uint64_t effort;           // that questions above the target took in this round
};

struct improver {
  const stow_model *model;
  uint64_t capacity;
  stow_context *context;
  stow_memory *memory;
  stow_incumbent *incumbent;
  struct part *parts;
  uint32_t part_count;
  uint64_t unit;
  uint64_t *found; // offsets of a part's items
  bool short_of_memory;
  uint64_t descents, most_descents; // steps
};

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static uint32_t last_section(const stow_plan_block *block) {
  uint32_t last = 0;
  for (uint32_t i = 0; i < block->span_count; ++i)
    last = block->spans[i].end > last ? block->spans[i].end : last;
  return last;
}

static stow_status sort_by_section(const struct improver *improver, uint32_t *blocks,
                                   uint32_t *out_count) {
  const stow_model *model = improver->model;
  stow_sort_pair *pairs = STOW_TAKE(improver->memory, stow_sort_pair, model->block_count);
  stow_sort_pair *scratch = STOW_TAKE(improver->memory, stow_sort_pair, model->block_count);
  if (!pairs || !scratch)
    return STOW_NO_MEMORY;
  uint32_t count = 0;
  for (uint32_t i = 0; i < model->block_count; ++i)
    if (model->blocks[i].span_count)
      pairs[count++] = (stow_sort_pair){model->blocks[i].spans->begin, i};
  stow_sort_pairs(pairs, scratch, count);
  for (uint32_t i = 0; i < count; ++i)
    blocks[i] = pairs[i].index;
  *out_count = count;
  stow_memory_drop(improver->memory, scratch);
  stow_memory_drop(improver->memory, pairs);
  return STOW_OK;
}

static void open_part(struct improver *improver, const uint32_t *blocks, uint32_t count) {
  const stow_incumbent *incumbent = improver->incumbent;
  struct part *part = &improver->parts[improver->part_count++];
  *part = (struct part){
      .blocks = blocks, .block_count = count, .low = incumbent->lower_bound, .high = 0};
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t end = incumbent->offsets[blocks[i]] + improver->model->blocks[blocks[i]].size;
    part->high = end > part->high ? end : part->high;
  }
  stow_memory_begin(&part->memory, &improver->memory->allocator);
}

static stow_status make_parts(struct improver *improver) {
  const stow_model *model = improver->model;
  uint32_t *blocks = STOW_TAKE(improver->memory, uint32_t, model->block_count);
  improver->parts = STOW_TAKE(improver->memory, struct part, model->block_count);
  improver->found = STOW_TAKE(improver->memory, uint64_t, model->block_count);
  uint32_t count;
  if (!blocks || !improver->parts || !improver->found ||
      sort_by_section(improver, blocks, &count) != STOW_OK)
    return STOW_NO_MEMORY;
  uint32_t first = 0, reach = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const stow_plan_block *block = &model->blocks[blocks[i]];
    if (i > first && block->spans->begin >= reach) {
      open_part(improver, blocks + first, i - first);
      first = i;
    }
    const uint32_t last = last_section(block);
    reach = last > reach ? last : reach;
  }
  if (count)
    open_part(improver, blocks + first, count - first);
  return STOW_OK;
}

// A graph costs some steps for every edge; there may be as many as the effort left allows.
static stow_status prepare_flat(struct improver *improver, struct part *part) {
  bool fits;
  const uint64_t left = stow_context_left(improver->context) / STOW_EXACT_EFFORT_PER_EDGE;
  const uint32_t max_edges = left < STOW_EXACT_MOST_EDGES ? (uint32_t)left : STOW_EXACT_MOST_EDGES;
  const stow_status status = stow_plan_graph_build(improver->model, part->blocks, part->block_count,
                                                   max_edges, &part->memory, &part->graph, &fits);
  if (status != STOW_OK)
    return status;
  const uint32_t edges = fits ? part->graph.items[part->block_count - 1].past_edge : max_edges;
  stow_context_spend(improver->context, (uint64_t)edges * STOW_EXACT_EFFORT_PER_EDGE);
  if (!fits)
    return STOW_OK;
  part->portfolio =
      stow_portfolio_create(improver->model, &part->graph, improver->context, &part->memory);
  return part->portfolio ? STOW_OK : STOW_NO_MEMORY;
}

static stow_status prepare_search(struct improver *improver, struct part *part) {
  const stow_status status =
      improver->model->flat ? prepare_flat(improver, part)
                            : stow_windows_create(improver->model, part->blocks, part->block_count,
                                                  &part->memory, &part->windows);
  part->hopeless = !part->portfolio && !part->windows;
  if (part->hopeless)
    stow_memory_end(&part->memory);
  return status;
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

// An alignment that divides the unit changes no floor.
static uint64_t find_unit(const struct improver *improver) {
  const stow_model *model = improver->model;
  uint64_t unit = 0;
  if ((stow_context_rules(improver->context) & STOW_RULE_UNITS) == 0)
    return 1;
  for (uint32_t i = 0; i < model->block_count; ++i) {
    const stow_plan_block *block = &model->blocks[i];
    unit = stow_plan_common_divisor(unit, block->size);
    for (uint32_t s = 0; s < block->span_count; ++s) {
      unit = stow_plan_common_divisor(unit, block->spans[s].low);
      unit = stow_plan_common_divisor(unit, block->spans[s].high);
    }
    if (block->fixed != STOW_ANY_OFFSET)
      unit = stow_plan_common_divisor(unit, block->fixed);
  }
  for (uint32_t i = 0; i < model->block_count && unit; ++i)
    if (unit % model->blocks[i].alignment != 0)
      unit = stow_plan_common_divisor(unit, model->blocks[i].alignment);
  return unit ? unit : 1;
}

static uint64_t round_down(const struct improver *improver, uint64_t value) {
  return value - value % improver->unit;
}

static uint64_t round_up(const struct improver *improver, uint64_t value) {
  const uint64_t rest = value % improver->unit;
  return rest ? value + (improver->unit - rest) : value;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

static void adopt(struct improver *improver, struct part *part) {
  part->high = 0;
  for (uint32_t i = 0; i < part->block_count; ++i) {
    improver->incumbent->offsets[part->blocks[i]] = improver->found[i];
    const uint64_t end = improver->found[i] + improver->model->blocks[part->blocks[i]].size;
    part->high = end > part->high ? end : part->high;
  }
}

static void update_incumbent(struct improver *improver) {
  stow_incumbent *incumbent = improver->incumbent;
  const uint64_t arena_size = stow_plan_model_arena(improver->model, incumbent->offsets);
  incumbent->improved |= arena_size < incumbent->arena_size;
  incumbent->arena_size = arena_size;
  improver->context->arena_size = arena_size;
}

static void raise_bound(struct improver *improver, uint64_t bound) {
  stow_incumbent *incumbent = improver->incumbent;
  incumbent->lower_bound = bound > incumbent->lower_bound ? bound : incumbent->lower_bound;
  improver->context->lower_bound = incumbent->lower_bound;
}

static uint64_t limit_of(unsigned round) {
  uint64_t limit = STOW_EXACT_FIRST_LIMIT;
  for (unsigned i = 0; i < round; ++i)
    limit *= STOW_EXACT_LIMIT_GROWTH;
  return limit;
}

static stow_status search(struct improver *improver, struct part *part, uint64_t capacity,
                          unsigned round, stow_verdict *out_verdict) {
  uint64_t limit = limit_of(round);
  if (part->portfolio) {
    *out_verdict = stow_portfolio_run(part->portfolio, capacity, round, limit, improver->found);
    return STOW_OK;
  }
  const uint64_t left = stow_context_left(improver->context);
  limit = limit < left / STOW_EXACT_WINDOWS_SHARE ? limit * STOW_EXACT_WINDOWS_SHARE : left;
  return stow_windows_run(part->windows, capacity, limit, improver->context, improver->found,
                          out_verdict);
}

// Asks for a plan of the part within `capacity` and takes note of the answer. Memory that runs
// short is noted, too, and no answer.
static stow_verdict ask(struct improver *improver, struct part *part, uint64_t capacity) {
  stow_verdict verdict;
  const stow_status status = search(improver, part, capacity, part->round, &verdict);
  improver->short_of_memory |= status != STOW_OK;
  if (status != STOW_OK)
    return STOW_VERDICT_OPEN;
  if (verdict == STOW_VERDICT_FITS) {
    adopt(improver, part);
    update_incumbent(improver);
  } else if (verdict == STOW_VERDICT_IMPOSSIBLE) {
    part->low = capacity + improver->unit;
    raise_bound(improver, part->low);
  }
  return verdict;
}

static bool is_settled(const struct improver *improver, const struct part *part) {
  if (part->hopeless || improver->incumbent->impossible)
    return true;
  return improver->capacity
             ? part->high <= improver->capacity
             : part->high <= improver->incumbent->lower_bound || part->high <= part->low;
}

// A part that another one towers over need not be smaller yet.
static bool is_highest(const struct improver *improver, const struct part *part) {
  return part->high >= improver->incumbent->arena_size;
}

static bool needs_work(const struct improver *improver, const struct part *part) {
  return !is_settled(improver, part) && (improver->capacity || is_highest(improver, part));
}

static bool may_ask(const struct improver *improver, const struct part *part) {
  return needs_work(improver, part) && !improver->short_of_memory &&
         stow_context_may_work(improver->context);
}

// A part's target is its low end, rounded up to what all alignments divide while that still helps:
// below it only the topmost block's padding can be won, and that is harder.
static uint64_t target_of(const struct improver *improver, struct part *part) {
  const uint64_t bound = improver->incumbent->lower_bound;
  uint64_t target;
  part->low = round_up(improver, part->low > bound ? part->low : bound);
  return stow_plan_align_up(part->low, improver->model->common_alignment, &target) &&
                 target < part->high
             ? target
             : part->low;
}

static void end_round(struct part *part) {
  ++part->round;
  part->open = 0;
}

static void leave_open(struct part *part, uint64_t capacity) {
  if (!part->open) {
    part->finest = (part->high - capacity) / STOW_EXACT_FINEST_GAP;
    part->effort = 0;
  }
  part->open = capacity;
}

// The target `step` higher, but not past the middle to `high`.
static uint64_t raise_target(struct improver *improver, struct part *part, uint64_t step) {
  const uint64_t target = target_of(improver, part);
  if (target >= part->high)
    return target;
  const uint64_t middle = round_down(improver, (part->high - target) / 2);
  return target + (step < middle ? step : middle);
}

// What questions beside the targets take comes on top of the effort, and they end when that is as
// much again: so the targets are asked with all that a caller would spend who asked for them alone.
static uint64_t add_effort(struct improver *improver, uint64_t before) {
  const uint64_t taken = improver->context->effort - before;
  improver->context->max_effort += taken;
  return taken;
}

// With every proof the next question is asked twice as far above it: where the optimum lies far
// above the load, one unit after the other would take as many proofs as there are units between
// them.
static void ask_target(struct improver *improver, struct part *part) {
  uint64_t step = 0;
  for (uint64_t target = target_of(improver, part);
       may_ask(improver, part) && target < part->high && !part->open;
       target = raise_target(improver, part, step)) {
    const stow_verdict verdict = ask(improver, part, target);
    if (verdict == STOW_VERDICT_FITS)
      continue;
    if (verdict == STOW_VERDICT_OPEN)
      leave_open(part, target);
    else
      step = step < part->high ? 2 * step + improver->unit : step;
  }
}

// A capacity between an open question and `high`: in each round first one near to the question,
// which a little room may settle, and then ever a part of the gap below `high`, where plans are
// found soon.
static uint64_t between(const struct improver *improver, const struct part *part, bool first) {
  const uint64_t gap = part->high - part->open;
  const uint64_t near = round_up(improver, part->open + gap / STOW_EXACT_NEAR);
  const uint64_t step = gap / STOW_EXACT_DESCENT ? gap / STOW_EXACT_DESCENT : 1;
  return first && part->open < near && near < part->high ? near
                                                         : round_down(improver, part->high - step);
}

// A plan found lowers `high`, a question that stays open raises the other end.
static void descend(struct improver *improver, struct part *part) {
  for (bool first = true; may_ask(improver, part) && improver->descents < improver->most_descents &&
                          part->high - part->open > part->finest &&
                          part->effort < (uint64_t)STOW_EXACT_FIRST_DESCENT << 2 * part->round;
       first = false) {
    const uint64_t before = improver->context->effort, next = between(improver, part, first);
    if (next <= part->open)
      break;
    if (ask(improver, part, next) != STOW_VERDICT_FITS)
      leave_open(part, next);
    const uint64_t taken = add_effort(improver, before);
    part->effort += taken;
    improver->descents += taken;
  }
  if (needs_work(improver, part))
    end_round(part);
}

static void narrow(struct improver *improver, struct part *part) {
  if (part->open < improver->incumbent->lower_bound)
    part->open = 0;
  if (!part->open)
    ask_target(improver, part);
  if (part->open)
    descend(improver, part);
}

static void fit(struct improver *improver, struct part *part) {
  const uint64_t capacity = round_down(improver, improver->capacity);
  improver->incumbent->impossible |= ask(improver, part, capacity) == STOW_VERDICT_IMPOSSIBLE;
  end_round(part);
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

static stow_status work_on_part(struct improver *improver, struct part *part) {
  stow_status status = STOW_OK;
  if (!part->portfolio && !part->windows)
    status = prepare_search(improver, part);
  if (status != STOW_OK || part->hopeless)
    return status;
  if (improver->capacity)
    fit(improver, part);
  else
    narrow(improver, part);
  if (is_settled(improver, part)) {
    part->portfolio = NULL;
    part->windows = NULL;
    stow_memory_end(&part->memory);
  }
  return improver->short_of_memory ? STOW_NO_MEMORY : STOW_OK;
}

// The parts with the largest arenas at the start come first. When all that work on them was asked
// in this round, the next one begins.
static stow_status sweep(struct improver *improver, unsigned *inout_round) {
  stow_status status = STOW_OK;
  bool worked = false;
  for (uint32_t i = 0; i < improver->part_count && status == STOW_OK; ++i) {
    struct part *part = &improver->parts[i];
    if (!needs_work(improver, part) || part->round > *inout_round ||
        !stow_context_may_work(improver->context))
      continue;
    worked = true;
    part->round = *inout_round;
    status = work_on_part(improver, part);
  }
  *inout_round += !worked;
  return status;
}

static bool some_need_work(const struct improver *improver) {
  for (uint32_t i = 0; i < improver->part_count; ++i)
    if (needs_work(improver, &improver->parts[i]))
      return true;
  return false;
}

static stow_status work_on_parts(struct improver *improver) {
  stow_status status = STOW_OK;
  for (unsigned round = 0; round < STOW_EXACT_MOST_ROUNDS && status == STOW_OK &&
                           stow_context_may_work(improver->context) && some_need_work(improver);) {
    status = sweep(improver, &round);
    stow_context_spend(improver->context, improver->part_count);
  }
  return status;
}

static stow_status sort_parts(struct improver *improver) {
  stow_sort_pair *pairs = STOW_TAKE(improver->memory, stow_sort_pair, improver->part_count);
  stow_sort_pair *scratch = STOW_TAKE(improver->memory, stow_sort_pair, improver->part_count);
  struct part *sorted = STOW_TAKE(improver->memory, struct part, improver->part_count);
  if (!pairs || !scratch || !sorted)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < improver->part_count; ++i)
    pairs[i] = (stow_sort_pair){~improver->parts[i].high, i};
  stow_sort_pairs(pairs, scratch, improver->part_count);
  for (uint32_t i = 0; i < improver->part_count; ++i)
    sorted[i] = improver->parts[pairs[i].index];
  improver->parts = sorted;
  stow_memory_drop(improver->memory, scratch);
  stow_memory_drop(improver->memory, pairs);
  return STOW_OK;
}

static stow_status improve(struct improver *improver) {
  improver->part_count = 0;
  improver->most_descents = stow_context_left(improver->context);
  stow_status status = make_parts(improver);
  if (status == STOW_OK)
    status = sort_parts(improver);
  if (status == STOW_OK)
    status = work_on_parts(improver);
  for (uint32_t i = 0; i < improver->part_count; ++i)
    stow_memory_end(&improver->parts[i].memory);
  return status;
}

//===----------------------------------------------------------------------===//
// Rungs
//===----------------------------------------------------------------------===//

// Fits to a capacity, with as much effort as a caller who asks for it has; it comes on top.
static stow_status fit_rung(struct improver *improver, uint64_t capacity, uint64_t effort) {
  stow_context *context = improver->context;
  const uint64_t before = context->effort, whole = context->max_effort;
  context->max_effort = before + effort;
  improver->capacity = capacity;
  const stow_status status = improve(improver);
  context->max_effort = whole;
  add_effort(improver, before);
  improver->incumbent->impossible = false; // the bound says so
  return status;
}

static stow_status fit_rungs(struct improver *improver, uint64_t effort) {
  static const unsigned thousandths[] = {3, 10, 30}; // above the bound
  const stow_incumbent *incumbent = improver->incumbent;
  const uint64_t bound = incumbent->lower_bound;
  stow_status status = STOW_OK;
  uint64_t last = round_down(improver, bound);
  for (size_t i = 0; i < sizeof thousandths / sizeof *thousandths && status == STOW_OK; ++i) {
    const uint64_t above = bound / 1000 * thousandths[i] + bound % 1000 * thousandths[i] / 1000;
    const uint64_t rung = round_down(improver, bound + above);
    if (improver->context->stopped || rung >= incumbent->arena_size)
      return status;
    if (rung > last && rung >= incumbent->lower_bound)
      status = fit_rung(improver, rung, effort);
    last = rung;
  }
  return status;
}

stow_status stow_plan_improve_exactly(const stow_model *model, uint64_t capacity,
                                      stow_context *context, stow_memory *memory,
                                      stow_incumbent *inout_incumbent) {
  const uint64_t effort = stow_context_left(context);
  struct improver improver = {.model = model,
                              .capacity = capacity,
                              .context = context,
                              .memory = memory,
                              .incumbent = inout_incumbent};
  improver.unit = find_unit(&improver);
  const stow_status status = improve(&improver);
  if (status != STOW_OK || capacity || !model->flat || !some_need_work(&improver))
    return status;
  return fit_rungs(&improver, effort);
}
