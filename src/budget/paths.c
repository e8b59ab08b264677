//===- paths.c - where each memory may be, node by node -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budget/paths.h"

#include "stream/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  PASSES = 4,           // over the nodes, to see what is of use
  CELLS_PER_STEP = 8,   // of a table that is read, as effort
  MOST_BEHIND = 1000000 // cells, if memories are followed behind their last access
};

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

// From what a node reads, what it writes may be computed as long as that is of use.
static bool spread_use(const stow_budget_problem *p, size_t *ends) {
  bool changed = false;
  for (size_t n = p->node_count; n-- > 0;) {
    const stow_budget_node *node = &p->nodes[n];
    size_t end = 0;
    for (size_t a = 0; a < node->access_count; ++a)
      if (node->accesses[a].writes && ends[node->accesses[a].memory] > end)
        end = ends[node->accesses[a].memory];
    for (size_t a = 0; a < node->access_count && node->repeatable; ++a)
      if (ends[node->accesses[a].memory] < end) {
        ends[node->accesses[a].memory] = end;
        changed = true;
      }
  }
  return changed;
}

static size_t count_cells(stow_budget_paths *p) {
  size_t count = 0;
  for (size_t m = 0; m < p->walk->problem->memory_count; ++m) {
    stow_budget_life *l = &p->lives[m];
    l->cell = count;
    count += l->born <= l->end ? l->end + 1 - l->born : 0;
  }
  return count;
}

static bool find_lives(stow_budget_paths *p) {
  const stow_budget_walk *w = p->walk;
  const stow_budget_problem *problem = w->problem;
  size_t *ends = calloc(problem->memory_count + 1, sizeof *ends);
  if (!ends)
    return false;
  for (size_t m = 0; m < problem->memory_count; ++m) {
    const stow_budget_memory *memory = &problem->memories[m];
    const stow_budget_epoch *e = &w->epochs[m];
    p->lives[m] = (stow_budget_life){.born = SIZE_MAX};
    ends[m] = memory->to_end ? problem->node_count - 1 : e->last;
    if (!memory->to_end && e->first != SIZE_MAX)
      p->lives[m] = (stow_budget_life){memory->from_start ? 0 : e->first + 1, e->last, e->last, 0};
  }
  size_t passes = 0;
  while (passes < PASSES && spread_use(problem, ends))
    ++passes;
  for (size_t m = 0; m < problem->memory_count; ++m)
    if (p->lives[m].born < SIZE_MAX)
      p->lives[m].end = passes < PASSES ? ends[m] : problem->node_count - 1;
  free(ends);
  p->whole = count_cells(p) <= MOST_BEHIND;
  for (size_t m = 0; m < problem->memory_count && !p->whole; ++m)
    p->lives[m].end = p->lives[m].last;
  p->cell_count = count_cells(p);
  return true;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

static uint64_t bytes_of_node(const stow_budget_problem *p, size_t node) {
  uint64_t bytes = 0;
  for (size_t a = 0; a < p->nodes[node].access_count; ++a)
    bytes += p->memories[p->nodes[node].accesses[a].memory].bytes;
  return bytes;
}

// What the memory is computed from, as far as that is followed.
static bool add_sources(stow_budget_paths *p, size_t cell) {
  const stow_budget_problem *problem = p->walk->problem;
  const size_t memory = p->memory[cell], node = p->node[cell];
  const stow_budget_writers writers = stow_budget_writers_at(p->walk, memory, node);
  ++p->stamp;
  p->writer[cell] = writers.nodes[0];
  for (size_t v = 0; v < writers.count; ++v) {
    const stow_budget_node *n = &problem->nodes[writers.nodes[v]];
    if (bytes_of_node(problem, writers.nodes[v]) > bytes_of_node(problem, p->writer[cell]))
      p->writer[cell] = writers.nodes[v];
    for (size_t a = 0; a < n->access_count; ++a) {
      const size_t source = n->accesses[a].memory;
      if (source == memory || p->stamps[source] == p->stamp ||
          !stow_budget_is_followed(p, source, node))
        continue;
      p->stamps[source] = p->stamp;
      if (!STOW_STREAM_ROOM(p->sources, p->source_count, p->source_room))
        return false;
      p->sources[p->source_count++] = stow_budget_path_cell(p, source, node);
    }
  }
  return true;
}

static bool fill_cell(stow_budget_paths *p, size_t memory, size_t node) {
  const size_t cell = stow_budget_path_cell(p, memory, node);
  p->memory[cell] = memory;
  p->node[cell] = node;
  p->first_source[cell] = p->source_count;
  p->front[cell] = node == 0 ? STOW_BUDGET_IN_FRONT : STOW_BUDGET_EITHER; // alive from the start
  ++p->first_at[node + 1];
  for (uint8_t c = STOW_BUDGET_STAYS; c < STOW_BUDGET_PLACED; ++c)
    if (stow_budget_allows(p->walk, memory, node, c))
      p->comes[cell] |= STOW_BUDGET_COMES(c);
  return !(p->comes[cell] & STOW_BUDGET_MAY_COMPUTE) || add_sources(p, cell);
}

static bool fill_cells(stow_budget_paths *p) {
  const stow_budget_problem *problem = p->walk->problem;
  for (size_t m = 0; m < problem->memory_count; ++m) {
    const stow_budget_life *l = &p->lives[m];
    for (size_t node = l->born; node <= l->end && l->born < SIZE_MAX; ++node)
      if (!fill_cell(p, m, node))
        return false;
  }
  p->first_source[p->cell_count] = p->source_count;
  for (size_t n = 0; n < problem->node_count; ++n)
    p->first_at[n + 1] += p->first_at[n];
  for (size_t cell = p->cell_count; cell-- > 0;)
    p->at[--p->first_at[p->node[cell] + 1]] = cell;
  // Now each entry has the place of its own node's first cell, one further on.
  memmove(p->first_at, p->first_at + 1, problem->node_count * sizeof *p->first_at);
  p->first_at[problem->node_count] = p->cell_count;
  p->walk->effort += (p->cell_count + p->source_count) / CELLS_PER_STEP;
  return true;
}

// What is accessed, and the bytes that are left at each node.
static void fill_nodes(stow_budget_paths *p) {
  const stow_budget_walk *w = p->walk;
  const stow_budget_problem *problem = w->problem;
  for (size_t t = 0; t < w->touch_count; ++t) {
    const size_t memory = w->epochs[w->touches[t].epoch].memory, node = w->touches[t].step;
    if (stow_budget_is_followed(p, memory, node))
      p->accessed[stow_budget_path_cell(p, memory, node)] = true;
  }
  for (size_t n = 0; n < problem->node_count; ++n)
    p->room[n] = (int64_t)p->capacity - (int64_t)w->levels[n];
  for (size_t cell = 0; cell < p->cell_count; ++cell)
    if (p->node[cell] <= p->lives[p->memory[cell]].last && !p->accessed[cell])
      p->room[p->node[cell]] += (int64_t)stow_budget_path_bytes(p, cell);
  for (size_t m = 0; m < problem->memory_count; ++m) {
    const stow_budget_memory *memory = &problem->memories[m];
    if (memory->to_end && memory->from_start)
      p->others[0] += (int64_t)memory->bytes;
    else if (memory->to_end && w->epochs[m].first != SIZE_MAX)
      p->others[w->epochs[m].first + 1] += (int64_t)memory->bytes;
  }
  for (size_t n = 0; n < problem->node_count; ++n)
    p->others[n + 1] += p->others[n];
}

static bool make_tables(stow_budget_paths *p) {
  const size_t cells = p->cell_count + 1, nodes = p->walk->problem->node_count + 2,
               memories = p->walk->problem->memory_count + 1;
  p->memory = calloc(cells, sizeof *p->memory);
  p->node = calloc(cells, sizeof *p->node);
  p->accessed = calloc(cells, sizeof *p->accessed);
  p->front = calloc(cells, sizeof *p->front);
  p->comes = calloc(cells, sizeof *p->comes);
  p->first_source = calloc(cells, sizeof *p->first_source);
  p->writer = calloc(cells, sizeof *p->writer);
  p->at = calloc(cells, sizeof *p->at);
  p->first_at = calloc(nodes, sizeof *p->first_at);
  p->room = calloc(nodes, sizeof *p->room);
  p->others = calloc(nodes, sizeof *p->others);
  p->node_changed = calloc(nodes, sizeof *p->node_changed);
  p->memory_changed = calloc(memories, sizeof *p->memory_changed);
  p->stamps = calloc(memories, sizeof *p->stamps);
  return p->memory && p->node && p->accessed && p->front && p->comes && p->first_source &&
         p->writer && p->at && p->first_at && p->room && p->others && p->node_changed &&
         p->memory_changed && p->stamps;
}

bool stow_budget_paths_begin(stow_budget_walk *walk, uint64_t capacity, uint64_t limit,
                             size_t most_cells, stow_budget_paths *out) {
  const stow_budget_problem *problem = walk->problem;
  *out = (stow_budget_paths){.walk = walk, .capacity = capacity, .limit = limit};
  out->lives = calloc(problem->memory_count + 1, sizeof *out->lives);
  if (!out->lives || !find_lives(out) || !stow_budget_walk_begin(problem, &out->alone))
    return false;
  if (out->cell_count > most_cells) {
    for (size_t m = 0; m < problem->memory_count; ++m)
      out->lives[m] = (stow_budget_life){.born = SIZE_MAX};
    out->cell_count = 0;
  }
  if (!make_tables(out) || !fill_cells(out))
    return false;
  fill_nodes(out);
  memset(out->memory_changed, true, problem->memory_count * sizeof *out->memory_changed);
  memset(out->node_changed, true, problem->node_count * sizeof *out->node_changed);
  return true;
}

void stow_budget_paths_end(stow_budget_paths *p) {
  void *const all[] = {p->lives,    p->memory,       p->node,          p->accessed, p->front,
                       p->comes,    p->writer,       p->first_source,  p->sources,  p->at,
                       p->first_at, p->room,         p->others,        p->trail,    p->stamps,
                       p->levels,   p->node_changed, p->memory_changed};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    free(all[i]);
  stow_budget_walk_free(&p->alone);
}
