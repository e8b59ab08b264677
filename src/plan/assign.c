//===- assign.c - all ways to divide groups among spaces ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tree search: the groups in order of size, each tried in every space it may go
// to, cheapest first. At every node it is known per space and section what is
// alive there, so also how large each space must be at least. What is not yet
// assigned has to go somewhere: in any section it first fills what the spaces
// have paid for already, and the rest costs at least what it costs in the
// cheapest spaces that have capacity left. All that is alive in a section is either
// assigned or not, so what is left over is its load less the sizes of all spaces: most
// in the section of the largest load, at every node. If the node costs no less than the
// best plan, it is left.
//
//===----------------------------------------------------------------------===//

#include "order.h"
#include "spaces.h"

struct search {
  const stow_assignment *task;
  uint32_t section_count, space_count;
  uint32_t *order;        // groups, largest first
  uint32_t *choices;      // per depth, how many spaces have been tried
  uint32_t *first_height; // per block and one more
  uint64_t *loads;        // per space, per section
  uint64_t *sizes;        // per space: the largest load
  uint64_t *old_sizes;    // per depth: that of the space its group went to, before
  uint64_t most_load;     // of all groups in one section
  uint32_t depth;
  uint64_t effort;
};

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static uint64_t add_cost(uint64_t cost, const stow_space *space, uint64_t bytes) {
  uint64_t more;
  if (__builtin_mul_overflow(space->cost, bytes, &more) ||
      __builtin_add_overflow(cost, more, &cost))
    return UINT64_MAX;
  return cost;
}

// What `bytes` more than the spaces have in a section cost at least.
static uint64_t price_of(const struct search *search, uint64_t bytes, uint64_t cost) {
  for (uint32_t i = 0; i < search->space_count && bytes && cost != UINT64_MAX; ++i) {
    const uint32_t s = search->task->spaces[i];
    const stow_space *space = &search->task->problem->spaces[s];
    const uint64_t left = space->capacity ? space->capacity - search->sizes[s] : UINT64_MAX;
    const uint64_t taken = bytes < left ? bytes : left;
    cost = add_cost(cost, space, taken);
    bytes -= taken;
  }
  return bytes ? UINT64_MAX : cost;
}

static uint64_t bound(struct search *search) {
  const uint64_t *sizes = search->sizes;
  uint64_t cost = 0, missing = search->most_load;
  for (uint32_t s = 0; s < search->space_count; ++s) {
    const stow_space *space = &search->task->problem->spaces[s];
    if (space->capacity && sizes[s] > space->capacity)
      return UINT64_MAX;
    cost = add_cost(cost, space, sizes[s]);
    missing -= sizes[s] < missing ? sizes[s] : missing;
  }
  search->effort += search->space_count;
  return price_of(search, missing, cost);
}

// Of groups that may go to no other space, what a space holds at once.
static stow_status forced_load(const struct search *search, uint32_t space,
                               const uint32_t *group_of, stow_height *forced, stow_memory *memory,
                               uint64_t *out_load) {
  const stow_heights *heights = search->task->heights;
  stow_heights chosen = {forced, 0};
  *out_load = 0;
  for (size_t i = 0; i < heights->count; ++i)
    if (search->task->allowed[group_of[heights->at[i].block]] == UINT64_C(1) << space)
      forced[chosen.count++] = heights->at[i];
  if (!chosen.count)
    return STOW_OK;
  return stow_heights_load(&chosen, search->section_count, memory, out_load);
}

// What the groups that have no choice cost wherever the others go.
static stow_status forced_cost(const struct search *search, stow_memory *memory,
                               uint64_t *out_cost) {
  const stow_assignment *task = search->task;
  uint32_t *group_of = STOW_TAKE(memory, uint32_t, task->model->block_count);
  stow_height *forced = STOW_TAKE(memory, stow_height, task->heights->count);
  stow_status status = group_of && forced ? STOW_OK : STOW_NO_MEMORY;
  *out_cost = 0;
  for (uint32_t i = 0; i < task->group_count && status == STOW_OK; ++i)
    if (task->block_of[i] != STOW_NO_BLOCK)
      group_of[task->block_of[i]] = i;
  for (uint32_t s = 0; s < search->space_count && status == STOW_OK; ++s) {
    uint64_t load;
    if (!task->problem->spaces[s].cost)
      continue;
    status = forced_load(search, s, group_of, forced, memory, &load);
    if (status == STOW_OK)
      *out_cost = add_cost(*out_cost, &task->problem->spaces[s], load);
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

// Adds the group at the depth at hand to what a space holds, or takes it away.
static void move(struct search *search, uint32_t space, bool there) {
  const uint32_t block = search->task->block_of[search->order[search->depth]];
  if (block == STOW_NO_BLOCK)
    return;
  uint64_t *loads = search->loads + (size_t)space * search->section_count;
  for (uint32_t i = search->first_height[block]; i < search->first_height[block + 1]; ++i) {
    const stow_height *height = &search->task->heights->at[i];
    const uint64_t bytes = there ? height->bytes : -height->bytes;
    for (uint32_t t = height->begin; t < height->end; ++t)
      loads[t] += bytes;
    search->effort += height->end - height->begin;
  }
}

static void raise_size(struct search *search, uint32_t space) {
  const uint32_t block = search->task->block_of[search->order[search->depth]];
  uint64_t *size = &search->sizes[space];
  search->old_sizes[search->depth] = *size;
  if (block == STOW_NO_BLOCK)
    return;
  const uint64_t *loads = search->loads + (size_t)space * search->section_count;
  const stow_plan_block *b = &search->task->model->blocks[block];
  *size = b->size > *size ? b->size : *size;
  for (uint32_t i = search->first_height[block]; i < search->first_height[block + 1]; ++i)
    for (uint32_t t = search->task->heights->at[i].begin; t < search->task->heights->at[i].end; ++t)
      *size = loads[t] > *size ? loads[t] : *size;
}

// Takes back the group at the depth at hand, if it is anywhere.
static void take_back(struct search *search) {
  uint32_t *assigned = &search->task->assigned[search->order[search->depth]];
  if (*assigned == UINT32_MAX)
    return;
  move(search, *assigned, false);
  search->sizes[*assigned] = search->old_sizes[search->depth];
  *assigned = UINT32_MAX;
}

// Puts that group into the next space it may go to. False where there is none left.
static bool try_next(struct search *search) {
  const stow_assignment *task = search->task;
  const uint32_t group = search->order[search->depth];
  uint32_t *choice = &search->choices[search->depth];
  take_back(search);
  while (*choice < search->space_count && !(task->allowed[group] >> task->spaces[*choice] & 1))
    ++*choice;
  if (*choice == search->space_count)
    return false;
  const uint32_t space = task->spaces[(*choice)++];
  task->assigned[group] = space;
  move(search, space, true);
  raise_size(search, space);
  return true;
}

// Returns false where the visitor wants no more, or effort ends.
static bool explore(struct search *search, stow_context *context) {
  const stow_assignment *task = search->task;
  for (;;) {
    if (search->depth == task->group_count) {
      if (!task->visit(task->user))
        return false;
    } else if (try_next(search)) {
      ++search->depth;
      if (bound(search) >= *task->best_cost)
        --search->depth;
      else if (search->depth < task->group_count)
        search->choices[search->depth] = 0;
      continue;
    }
    if (!search->depth)
      return true;
    --search->depth;
    const bool goes_on = stow_context_spend(context, search->effort);
    search->effort = 0;
    if (!goes_on)
      return false;
  }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static stow_status order_groups(struct search *search, stow_memory *memory) {
  const stow_assignment *task = search->task;
  const stow_block_order largest = {{STOW_MOST_BOX, STOW_LARGEST}};
  const uint32_t block_count = task->model->block_count;
  uint32_t *blocks = STOW_TAKE(memory, uint32_t, block_count);
  uint32_t *group_of = STOW_TAKE(memory, uint32_t, block_count);
  if (!blocks || !group_of)
    return STOW_NO_MEMORY;
  for (uint32_t i = 0; i < block_count; ++i)
    blocks[i] = i;
  if (stow_plan_order_blocks(task->model, &largest, memory, blocks, block_count) != STOW_OK)
    return STOW_NO_MEMORY;
  uint32_t made = block_count;
  for (uint32_t i = 0; i < task->group_count; ++i)
    if (task->block_of[i] != STOW_NO_BLOCK)
      group_of[task->block_of[i]] = i;
    else
      search->order[made++] = i;
  for (uint32_t i = 0; i < block_count; ++i)
    search->order[i] = group_of[blocks[i]];
  return STOW_OK;
}

static void list_heights(struct search *search) {
  const stow_heights *heights = search->task->heights;
  for (size_t i = 0; i < heights->count; ++i)
    ++search->first_height[heights->at[i].block + 1];
  for (uint32_t i = 0; i < search->task->model->block_count; ++i)
    search->first_height[i + 1] += search->first_height[i];
}

static stow_status prepare(struct search *search, stow_memory *memory) {
  const size_t groups = search->task->group_count, blocks = search->task->model->block_count;
  search->order = STOW_TAKE(memory, uint32_t, groups);
  search->choices = STOW_TAKE_ZEROED(memory, uint32_t, groups);
  search->first_height = STOW_TAKE_ZEROED(memory, uint32_t, blocks + 1);
  search->loads =
      STOW_TAKE_ZEROED(memory, uint64_t, (size_t)search->space_count * search->section_count);
  search->old_sizes = STOW_TAKE(memory, uint64_t, groups);
  if (!search->order || !search->choices || !search->first_height || !search->loads ||
      !search->old_sizes || order_groups(search, memory) != STOW_OK)
    return STOW_NO_MEMORY;
  for (size_t i = 0; i < groups; ++i)
    search->task->assigned[i] = UINT32_MAX;
  list_heights(search);
  return STOW_OK;
}

static struct search search_of(const stow_assignment *task) {
  return (struct search){.task = task,
                         .section_count = task->model->section_count,
                         .space_count = (uint32_t)task->problem->space_count};
}

// Readies what the bound of no assignment at all needs.
static stow_status measure(struct search *search, stow_memory *memory) {
  search->sizes = STOW_TAKE_ZEROED(memory, uint64_t, search->space_count);
  if (!search->sizes)
    return STOW_NO_MEMORY;
  return stow_heights_load(search->task->heights, search->section_count, memory,
                           &search->most_load);
}

stow_status stow_assignment_bound(const stow_assignment *task, stow_memory *memory,
                                  uint64_t *out_bound) {
  struct search search = search_of(task);
  uint64_t forced;
  *out_bound = 0;
  stow_status status = measure(&search, memory);
  if (status == STOW_OK)
    status = forced_cost(&search, memory, &forced);
  if (status != STOW_OK)
    return status == STOW_OVERFLOW ? STOW_OK : status;
  *out_bound = bound(&search);
  *out_bound = forced > *out_bound ? forced : *out_bound;
  return STOW_OK;
}

stow_status stow_plan_assign(const stow_assignment *task, stow_context *context,
                             stow_memory *memory, bool *out_complete) {
  struct search search = search_of(task);
  *out_complete = false;
  if (*task->best_cost != UINT64_MAX && !stow_context_may_work(context))
    return STOW_OK;
  stow_status status = measure(&search, memory);
  if (status == STOW_OK)
    status = prepare(&search, memory);
  if (status == STOW_OK)
    *out_complete = explore(&search, context);
  return status == STOW_OVERFLOW ? STOW_OK : status;
}
