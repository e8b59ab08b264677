//===- rates.c - what choices cost at least, memory by memory -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budget/rates.h"

#include "stream/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROUNDS = 2000,         // in which rates and tolls are improved
  PATIENCE = 20,         // rounds without a better bound, before they move less
  PASSES = 4,            // over the nodes, to see what is of use
  CELLS_PER_STEP = 8,    // of a table that is read, as effort
  MOST_BEHIND = 1000000, // cells, if memories are followed behind their last access
  MOST_CELLS = 4000000,  // otherwise, or nothing is bounded
};

#define NEVER 1e300  // the price of what cannot be
#define DOUBT 1e-10  // of the sum of all that is added up in doubles
#define FLAT 1e-6    // slopes, squared, that are none
#define INERTIA 0.85 // of a step, in the next one

enum { IS_THERE = 1, IS_COMPUTED = 2 }; // on a shortest path

typedef struct life {
  size_t born; // the first node in front of which it may be there
  size_t last; // the last node that accesses it
  size_t end;  // the last node in front of which it may be of use
  size_t cell; // of `born`
} life;

typedef struct toll {
  size_t to; // the cell of what is computed from
  double best, tried, slope;
} toll;

typedef struct rates {
  stow_budget_walk *walk;
  uint64_t capacity;
  double scale; // the bytes for which a rate is paid
  life *lives;  // per memory
  size_t cell_count, toll_count, toll_room;
  // Per cell, which is a memory and a node.
  double *there, *missing; // what is paid from the node on, if the memory is there or missing
  double *price;           // to compute it
  double *wish;            // tolls that are saved where it is there
  size_t *first_toll;      // and one more
  bool *accessed;
  uint8_t *taken; // on the shortest path
  toll *tolls;
  // Per node.
  double *bytes; // that may wait there
  double *best, *tried, *slope, *before;
} rates;

static bool is_followed(const life *l, size_t node) { return l->born <= node && node <= l->end; }

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

static size_t count_cells(rates *r) {
  size_t count = 0;
  for (size_t m = 0; m < r->walk->problem->memory_count; ++m) {
    life *l = &r->lives[m];
    l->cell = count;
    count += l->born <= l->end ? l->end + 1 - l->born : 0;
  }
  return count;
}

// Memories are not followed that take no bytes, or stay: these are always there.
static bool find_lives(rates *r) {
  const stow_budget_walk *w = r->walk;
  const stow_budget_problem *p = w->problem;
  size_t *ends = calloc(p->memory_count + 1, sizeof *ends);
  if (!ends)
    return false;
  for (size_t m = 0; m < p->memory_count; ++m) {
    const stow_budget_memory *memory = &p->memories[m];
    const stow_budget_epoch *e = &w->epochs[m];
    const bool stays = memory->bytes == 0 || memory->to_end || e->first == SIZE_MAX;
    r->lives[m] = (life){.born = SIZE_MAX};
    ends[m] = memory->to_end ? p->node_count - 1 : e->last;
    if (!stays)
      r->lives[m] = (life){memory->from_start ? 0 : e->first + 1, e->last, e->last, 0};
  }
  size_t passes = 0;
  while (passes < PASSES && spread_use(p, ends))
    ++passes;
  for (size_t m = 0; m < p->memory_count; ++m)
    if (r->lives[m].born < SIZE_MAX)
      r->lives[m].end = passes < PASSES ? ends[m] : p->node_count - 1;
  free(ends);
  if (count_cells(r) > MOST_BEHIND)
    for (size_t m = 0; m < p->memory_count; ++m)
      r->lives[m].end = r->lives[m].last;
  r->cell_count = count_cells(r);
  return true;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

// To what the memory is computed from, as far as that is followed.
static bool add_tolls(rates *r, size_t memory, size_t node) {
  const stow_budget_writers writers = stow_budget_writers_at(r->walk, memory, node);
  for (size_t v = 0; v < writers.count; ++v) {
    const stow_budget_node *n = &r->walk->problem->nodes[writers.nodes[v]];
    for (size_t a = 0; a < n->access_count; ++a) {
      const life *l = &r->lives[n->accesses[a].memory];
      if (n->accesses[a].memory == memory || !is_followed(l, node))
        continue;
      if (!STOW_STREAM_ROOM(r->tolls, r->toll_count, r->toll_room))
        return false;
      r->tolls[r->toll_count++] = (toll){.to = l->cell + node - l->born};
    }
  }
  return true;
}

static bool fill_cells(rates *r) {
  for (size_t m = 0; m < r->walk->problem->memory_count; ++m) {
    const life *l = &r->lives[m];
    for (size_t node = l->born; node <= l->end && l->born < SIZE_MAX; ++node) {
      const size_t cell = l->cell + node - l->born;
      const bool may = stow_budget_allows(r->walk, m, node, STOW_BUDGET_COMPUTED);
      r->first_toll[cell] = r->toll_count;
      r->price[cell] =
          may ? (double)stow_budget_price(r->walk, m, node, STOW_BUDGET_COMPUTED) : NEVER;
      if (may && !add_tolls(r, m, node))
        return false;
    }
  }
  r->first_toll[r->cell_count] = r->toll_count;
  r->walk->effort += (r->cell_count + r->toll_count) / CELLS_PER_STEP;
  return true;
}

// What is accessed, and the bytes that are left at each node for what waits.
static void fill_nodes(rates *r) {
  const stow_budget_walk *w = r->walk;
  size_t followed = 0;
  for (size_t t = 0; t < w->touch_count; ++t) {
    const life *l = &r->lives[w->epochs[w->touches[t].epoch].memory];
    if (is_followed(l, w->touches[t].step))
      r->accessed[l->cell + w->touches[t].step - l->born] = true;
  }
  for (size_t n = 0; n < w->problem->node_count; ++n)
    r->bytes[n] = (double)r->capacity - (double)w->levels[n];
  for (size_t m = 0; m < w->problem->memory_count; ++m) {
    const life *l = &r->lives[m];
    for (size_t n = l->born; n <= l->last && l->born < SIZE_MAX; ++n)
      if (!r->accessed[l->cell + n - l->born])
        r->bytes[n] += (double)w->problem->memories[m].bytes;
    r->scale += l->born < SIZE_MAX ? (double)w->problem->memories[m].bytes : 0;
    followed += l->born < SIZE_MAX;
  }
  r->scale = followed > 0 ? r->scale / (double)followed : 1;
}

static bool begin(rates *out) {
  const size_t nodes = out->walk->problem->node_count + 1;
  const size_t cells = out->cell_count + 1;
  out->there = calloc(cells, sizeof *out->there);
  out->missing = calloc(cells, sizeof *out->missing);
  out->price = calloc(cells, sizeof *out->price);
  out->wish = calloc(cells, sizeof *out->wish);
  out->first_toll = calloc(cells, sizeof *out->first_toll);
  out->accessed = calloc(cells, sizeof *out->accessed);
  out->taken = calloc(cells, sizeof *out->taken);
  out->bytes = calloc(nodes, sizeof *out->bytes);
  out->best = calloc(nodes, sizeof *out->best);
  out->tried = calloc(nodes, sizeof *out->tried);
  out->slope = calloc(nodes, sizeof *out->slope);
  out->before = calloc(nodes, sizeof *out->before);
  if (!out->there || !out->missing || !out->price || !out->wish || !out->first_toll ||
      !out->accessed || !out->taken || !out->bytes || !out->best || !out->tried || !out->slope ||
      !out->before || !fill_cells(out))
    return false;
  fill_nodes(out);
  return true;
}

static void end(rates *r) {
  void *const all[] = {r->lives,      r->there,    r->missing, r->price, r->wish,
                       r->first_toll, r->accessed, r->taken,   r->tolls, r->bytes,
                       r->best,       r->tried,    r->slope,   r->before};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    free(all[i]);
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

static double toll_of(const rates *r, size_t cell) {
  double sum = 0;
  for (size_t i = r->first_toll[cell]; i < r->first_toll[cell + 1]; ++i)
    sum += r->tolls[i].tried;
  return sum;
}

// What it costs that the memory comes anew for the node of the cell.
static double renewal(const rates *r, size_t memory, size_t node, size_t cell) {
  const double computed = r->price[cell] + toll_of(r, cell);
  if (!stow_budget_allows(r->walk, memory, node, STOW_BUDGET_SPILLED))
    return computed;
  const double spill = (double)r->walk->problem->memories[memory].spill;
  return spill < computed ? spill : computed;
}

static double held(const rates *r, size_t memory, size_t node, size_t cell) {
  const double bytes = (double)r->walk->problem->memories[memory].bytes / r->scale;
  return r->accessed[cell] ? 0 : bytes * r->tried[node];
}

// What is paid behind a node, where the memory is there, for it to stay or not.
static double stay(const rates *r, size_t memory, size_t node, size_t cell) {
  if (node == r->lives[memory].end)
    return 0;
  const double stays = r->there[cell + 1] + held(r, memory, node, cell);
  return stays < r->missing[cell + 1] ? stays : r->missing[cell + 1];
}

// From the end of a memory to its beginning. Returns what all of it costs.
static double find_path(rates *r, size_t memory) {
  const life *l = &r->lives[memory];
  if (l->born > l->end)
    return 0;
  for (size_t node = l->end + 1; node-- > l->born;) {
    const size_t cell = l->cell + node - l->born;
    const double behind = stay(r, memory, node, cell) - r->wish[cell];
    const double gone = node == l->end ? 0 : r->missing[cell + 1];
    const double renewed = behind + renewal(r, memory, node, cell);
    r->there[cell] = behind;
    r->missing[cell] = r->accessed[cell] || renewed < gone ? renewed : gone;
  }
  const double first = r->missing[l->cell] < r->there[l->cell] && l->born > 0 ? r->missing[l->cell]
                                                                              : r->there[l->cell];
  return first;
}

// Marks what the shortest path of a memory does, and adds the bytes that wait on it.
static void follow_path(rates *r, size_t memory) {
  const life *l = &r->lives[memory];
  if (l->born > l->end)
    return;
  bool there = l->born == 0 || r->there[l->cell] <= r->missing[l->cell];
  for (size_t node = l->born; node <= l->end; ++node) {
    const size_t cell = l->cell + node - l->born;
    const double gone = node == l->end ? 0 : r->missing[cell + 1];
    r->taken[cell] = 0;
    if (!there && !r->accessed[cell] && r->missing[cell] >= gone)
      continue;
    const double renewed = there ? 0 : renewal(r, memory, node, cell);
    const bool computed = !there && renewed >= r->price[cell] + toll_of(r, cell);
    r->taken[cell] = (uint8_t)(IS_THERE | (computed ? IS_COMPUTED : 0));
    there = node < l->end && stay(r, memory, node, cell) < r->missing[cell + 1];
    if (there && !r->accessed[cell])
      r->slope[node] += (double)r->walk->problem->memories[memory].bytes / r->scale;
  }
}

// The bound of the rates and tolls that are tried, less what is uncertain of it.
static double relax(rates *r) {
  const stow_budget_problem *p = r->walk->problem;
  double bound = 0, size = 0;
  memset(r->wish, 0, r->cell_count * sizeof *r->wish);
  for (size_t i = 0; i < r->toll_count; ++i) {
    r->wish[r->tolls[i].to] += r->tolls[i].tried;
    size += r->tolls[i].tried;
  }
  for (size_t m = 0; m < p->memory_count; ++m) {
    const double path = find_path(r, m);
    bound += path;
    size += path > 0 ? path : -path;
  }
  for (size_t n = 0; n < p->node_count; ++n) {
    const double paid = r->tried[n] * r->bytes[n] / r->scale;
    bound -= paid;
    size += paid > 0 ? paid : -paid;
  }
  r->walk->effort += (p->node_count + r->cell_count + r->toll_count) / CELLS_PER_STEP;
  return bound - DOUBT * size;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

// One that is 0 and would fall has no slope. Returns its square.
static double settle(double tried, double step, double *slope) {
  const double moved = step + INERTIA * *slope;
  *slope = tried <= 0 && moved < 0 ? 0 : moved;
  return *slope * *slope;
}

// The slopes of the bound, with a part of the step before. Returns the sum of their squares.
static double find_slopes(rates *r) {
  double square = 0;
  for (size_t m = 0; m < r->walk->problem->memory_count; ++m)
    follow_path(r, m);
  for (size_t cell = 0; cell < r->cell_count; ++cell)
    for (size_t i = r->first_toll[cell]; i < r->first_toll[cell + 1]; ++i) {
      toll *l = &r->tolls[i];
      const double step = (double)(r->taken[cell] / IS_COMPUTED) - (r->taken[l->to] & IS_THERE);
      square += settle(l->tried, step, &l->slope);
    }
  return square;
}

static double raised(double tried, double by, double most) {
  const double sum = tried + by < most ? tried + by : most;
  return sum > 0 ? sum : 0;
}

// Whether there was a step. No rate or toll needs to be more than all costs, so that sums of them
// are certain.
static bool improve(rates *r, double missing, double best) {
  const size_t nodes = r->walk->problem->node_count;
  memcpy(r->before, r->slope, nodes * sizeof *r->before);
  memset(r->slope, 0, nodes * sizeof *r->slope);
  double square = find_slopes(r);
  for (size_t n = 0; n < nodes; ++n) {
    const double step = r->slope[n] - r->bytes[n] / r->scale;
    r->slope[n] = r->before[n];
    square += settle(r->tried[n], step, &r->slope[n]);
  }
  for (size_t n = 0; n < nodes && square > FLAT; ++n)
    r->tried[n] = raised(r->tried[n], missing / square * r->slope[n], best);
  for (size_t i = 0; i < r->toll_count && square > FLAT; ++i)
    r->tolls[i].tried = raised(r->tolls[i].tried, missing / square * r->tolls[i].slope, best);
  r->walk->effort += (r->cell_count + r->toll_count) / CELLS_PER_STEP;
  return square > FLAT;
}

static void keep(rates *r) {
  memcpy(r->best, r->tried, r->walk->problem->node_count * sizeof *r->best);
  for (size_t i = 0; i < r->toll_count; ++i)
    r->tolls[i].best = r->tolls[i].tried;
}

static void take_back(rates *r) {
  memcpy(r->tried, r->best, r->walk->problem->node_count * sizeof *r->best);
  for (size_t i = 0; i < r->toll_count; ++i)
    r->tolls[i].tried = r->tolls[i].best;
}

// The most that the rates and tolls give which are tried within the effort.
static double find_most(rates *r, double best, uint64_t limit) {
  double most = 0, pace = 1;
  for (size_t round = 0, idle = 0; round < ROUNDS && r->walk->effort < limit; ++round, ++idle) {
    const double bound = relax(r);
    if (bound > most) {
      most = bound;
      idle = 0;
      keep(r);
    }
    if (idle >= PATIENCE) {
      idle = 0;
      pace /= 2;
      take_back(r);
      relax(r);
    }
    if (most >= best || !improve(r, pace * (best - bound), best))
      break;
  }
  return most;
}

bool stow_budget_bound_rates(stow_budget_walk *walk, uint64_t capacity, uint64_t best,
                             uint64_t effort, uint64_t *out_bound) {
  rates r = {.walk = walk, .capacity = capacity};
  const uint64_t limit = walk->effort + effort;
  double most = 0;
  assert(best < UINT64_MAX); // the rates move by what is missing from it
  r.lives = calloc(walk->problem->memory_count + 1, sizeof *r.lives);
  bool done = r.lives && find_lives(&r);
  if (done && r.cell_count <= MOST_CELLS) {
    done = begin(&r);
    most = done ? find_most(&r, (double)best, limit) : 0;
  }
  end(&r);
  const uint64_t whole = (uint64_t)most, bound = whole + (most > (double)whole); // costs are whole
  *out_bound = bound < best ? bound : best;
  return done;
}
