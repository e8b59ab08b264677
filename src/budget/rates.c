//===- rates.c - what choices cost at least, memory by memory -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "budget/rates.h"

#include "stream/grow.h"

#include <stdlib.h>
#include <string.h>

enum {
  PATIENCE = 20,      // rounds without a better bound, before they move less
  ROUNDS_LISTED = 20, // in which the crowds are the same
  CELLS_PER_STEP = 8, // of a table that is read, as effort
};

#define NEVER 1e300  // the price of what cannot be
#define DOUBT 1e-10  // of the sum of all that is added up in doubles
#define FLAT 1e-6    // slopes, squared, that are none
#define INERTIA 0.85 // of a step, in the next one

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static bool list_ties(stow_budget_rates *r) {
  const stow_budget_paths *p = r->paths;
  r->ties = malloc((p->source_count + 1) * sizeof *r->ties);
  if (!r->ties)
    return false;
  for (size_t cell = 0; cell < p->cell_count; ++cell)
    for (size_t i = p->first_source[cell]; i < p->first_source[cell + 1]; ++i)
      r->ties[r->tie_count++] = (stow_budget_tie){cell, p->sources[i]};
  return true;
}

static bool make_rates(stow_budget_rates *r) {
  const size_t count = r->paths->walk->problem->node_count + r->tie_count + r->crowd_count;
  stow_budget_rate *rates = calloc(count + 1, sizeof *rates);
  free(r->active);
  r->active = calloc(count + 1, sizeof *r->active);
  if (rates && r->rates)
    memcpy(rates, r->rates, r->rate_count * sizeof *rates);
  free(r->rates);
  r->rates = rates;
  r->rate_count = count;
  return r->active && rates;
}

bool stow_budget_rates_begin(stow_budget_paths *p, uint64_t best, stow_budget_rates *out) {
  const size_t cells = p->cell_count + 1, memories = p->walk->problem->memory_count + 1;
  double bytes = 0, followed = 0;
  *out = (stow_budget_rates){.paths = p, .best = (double)best, .scale = 1};
  for (size_t m = 0; m + 1 < memories; ++m)
    if (p->lives[m].born < SIZE_MAX && p->walk->problem->memories[m].bytes > 0) {
      bytes += (double)p->walk->problem->memories[m].bytes;
      ++followed;
    }
  out->scale = followed > 0 ? bytes / followed : 1;
  out->there = calloc(cells, sizeof *out->there);
  out->missing = calloc(cells, sizeof *out->missing);
  out->there_before = calloc(cells, sizeof *out->there_before);
  out->missing_before = calloc(cells, sizeof *out->missing_before);
  out->computed = calloc(cells, sizeof *out->computed);
  out->load = calloc(cells, sizeof *out->load);
  out->wish = calloc(cells, sizeof *out->wish);
  out->kept = calloc(cells, sizeof *out->kept);
  out->counts = calloc(cells, sizeof *out->counts);
  out->taken = calloc(cells, sizeof *out->taken);
  out->lacks = calloc(p->walk->problem->node_count + 1, sizeof *out->lacks);
  out->paid = calloc(p->walk->problem->node_count + 1, sizeof *out->paid);
  out->open = calloc(memories, sizeof *out->open);
  return out->there && out->missing && out->there_before && out->missing_before && out->computed &&
         out->load && out->wish && out->kept && out->counts && out->taken && out->lacks &&
         out->paid && out->open && list_ties(out) && make_rates(out);
}

void stow_budget_rates_end(stow_budget_rates *r) {
  void *const all[] = {r->rates,    r->active, r->ties,    r->crowds,       r->others,
                       r->open,     r->there,  r->missing, r->there_before, r->missing_before,
                       r->computed, r->load,   r->wish,    r->kept,         r->counts,
                       r->taken,    r->lacks,  r->paid};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    free(all[i]);
}

bool stow_budget_rates_crowd(stow_budget_rates *r) {
  stow_budget_paths *p = r->paths;
  for (size_t cell = 0; cell < p->cell_count; ++cell) {
    const size_t node = p->node[cell];
    if (!(p->comes[cell] & STOW_BUDGET_MAY_COMPUTE))
      continue;
    if (!STOW_STREAM_ROOM(r->crowds, r->crowd_count, r->crowd_room))
      return false;
    r->crowds[r->crowd_count] = (stow_budget_crowd){.cell = cell, .first = r->other_count};
    stow_budget_paths_touched(p, cell);
    for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k) {
      if (p->stamps[p->memory[p->at[k]]] == p->stamp)
        continue;
      if (!STOW_STREAM_ROOM(r->others, r->other_count, r->other_room))
        return false;
      r->others[r->other_count++] = p->at[k];
    }
    r->crowds[r->crowd_count].count = r->other_count - r->crowds[r->crowd_count].first;
    ++r->crowd_count;
  }
  return make_rates(r);
}

//===----------------------------------------------------------------------===//
// What is open
//===----------------------------------------------------------------------===//

static bool is_settled(const stow_budget_paths *p, size_t cell) {
  const uint8_t comes = p->comes[cell];
  return p->front[cell] != STOW_BUDGET_EITHER && !(comes & (comes - 1));
}

static double price_of(const stow_budget_paths *p, size_t cell) {
  return (double)stow_budget_price(p->walk, p->memory[cell], p->node[cell], STOW_BUDGET_COMPUTED);
}

// What the memory comes by from the second one, at each cell. It goes there once for what is
// written into it. Of no more than so many copies back, each pays for its part of that.
static void share_stores(stow_budget_rates *r, size_t memory) {
  const stow_budget_paths *p = r->paths;
  const stow_budget_life *l = &p->lives[memory];
  const size_t last = l->cell + l->end - l->born;
  const double spill = (double)p->walk->problem->memories[memory].spill;
  for (size_t first = l->cell, cell = first; cell <= last; first = cell) {
    double loads = 0;
    const size_t *version =
        p->comes[cell] & STOW_BUDGET_MAY_SPILL ? stow_budget_paths_version(p, cell) : NULL;
    if (!version)
      r->load[cell++] = NEVER;
    for (; version && cell <= last && stow_budget_paths_version(p, cell) == version; ++cell)
      loads += p->comes[cell] & STOW_BUDGET_MAY_SPILL ? 1 : 0;
    for (size_t c = first; version && c < cell; ++c)
      r->load[c] = p->comes[c] & STOW_BUDGET_MAY_SPILL ? spill + spill / loads : NEVER;
    p->walk->effort += cell - first;
  }
}

static void list_open(stow_budget_rates *r) {
  const stow_budget_paths *p = r->paths;
  r->open_count = 0;
  r->settled = 0;
  for (size_t m = 0; m < p->walk->problem->memory_count; ++m) {
    const stow_budget_life *l = &p->lives[m];
    bool open = false;
    double cost = 0;
    if (p->walk->problem->memories[m].spillable && l->born <= l->end)
      share_stores(r, m);
    for (size_t node = l->born; node <= l->end && l->born < SIZE_MAX; ++node) {
      const size_t cell = l->cell + node - l->born;
      open |= !is_settled(p, cell);
      if (p->comes[cell] == STOW_BUDGET_MAY_COMPUTE)
        cost += price_of(p, cell);
      else if (p->comes[cell] == STOW_BUDGET_MAY_SPILL)
        cost += r->load[cell];
      r->kept[cell] = r->wish[cell] = r->counts[cell] = 0;
    }
    if (open)
      r->open[r->open_count++] = m;
    else
      r->settled += cost;
  }
}

// As what memories count at a node. Whether bytes must not wait.
static bool count_waiting(stow_budget_rates *r, size_t node) {
  const stow_budget_paths *p = r->paths;
  double lack = -(double)p->room[node];
  for (size_t k = p->first_at[node]; k < p->first_at[node + 1]; ++k)
    if (!p->accessed[p->at[k]] && stow_budget_behind(p, p->at[k]) & STOW_BUDGET_IN_FRONT)
      lack += (double)stow_budget_path_bytes(p, p->at[k]);
  r->lacks[node] = lack / r->scale;
  for (size_t k = p->first_at[node]; lack > 0 && k < p->first_at[node + 1]; ++k) {
    const size_t cell = p->at[k];
    const double bytes = (double)stow_budget_path_bytes(p, cell);
    if (p->accessed[cell] || stow_budget_behind(p, cell) != STOW_BUDGET_EITHER)
      continue;
    r->counts[cell] = (bytes < lack ? bytes : lack) / r->scale;
    r->lacks[node] -= r->counts[cell];
  }
  return lack > 0;
}

// Whether the cell may be kept, and whether it is open that it is.
static bool may_be_kept(const stow_budget_paths *p, size_t cell) {
  return p->front[cell] & STOW_BUDGET_IN_FRONT &&
         (p->accessed[cell] || stow_budget_behind(p, cell) & STOW_BUDGET_IN_FRONT);
}

static bool may_go(const stow_budget_paths *p, size_t cell) {
  return p->front[cell] & STOW_BUDGET_AWAY ||
         (!p->accessed[cell] && stow_budget_behind(p, cell) & STOW_BUDGET_AWAY);
}

// Where the node runs, too, what is kept has room. Whether it has less where the cell is computed.
static bool count_kept(stow_budget_rates *r, stow_budget_crowd *c) {
  stow_budget_paths *p = r->paths;
  const size_t node = p->node[c->cell];
  if (!(p->comes[c->cell] & STOW_BUDGET_MAY_COMPUTE))
    return false;
  const double touched = (double)stow_budget_paths_touched(p, c->cell);
  double lack = (double)p->others[node] - (double)p->capacity;
  for (size_t i = c->first; i < c->first + c->count; ++i)
    if (may_be_kept(p, r->others[i]))
      lack += (double)stow_budget_path_bytes(p, r->others[i]);
  const double at_run = lack + (double)p->walk->problem->nodes[node].inside;
  c->most = (lack + touched) / r->scale;
  c->always = at_run > 0 ? at_run / r->scale : 0;
  if (p->comes[c->cell] == STOW_BUDGET_MAY_COMPUTE)
    c->always = c->most;
  c->more = c->most - c->always;
  return c->most > 0 && (c->more > 0 || p->comes[c->cell] == STOW_BUDGET_MAY_COMPUTE);
}

static bool is_open_tie(const stow_budget_paths *p, const stow_budget_tie *t) {
  const uint8_t comes = p->comes[t->from];
  return comes & STOW_BUDGET_MAY_COMPUTE && comes != STOW_BUDGET_MAY_COMPUTE &&
         p->front[t->to] & STOW_BUDGET_AWAY && p->comes[t->to] & STOW_BUDGET_MAY_STAY;
}

static void list_active(stow_budget_rates *r) {
  const size_t nodes = r->paths->walk->problem->node_count;
  r->active_count = 0;
  for (size_t n = 0; n < nodes; ++n)
    if (count_waiting(r, n))
      r->active[r->active_count++] = n;
  for (size_t i = 0; i < r->tie_count; ++i)
    if (is_open_tie(r->paths, &r->ties[i]))
      r->active[r->active_count++] = nodes + i;
  for (size_t i = 0; i < r->crowd_count; ++i)
    if (count_kept(r, &r->crowds[i]))
      r->active[r->active_count++] = nodes + r->tie_count + i;
  r->paths->walk->effort += (r->paths->cell_count + r->tie_count + r->other_count) / CELLS_PER_STEP;
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

static double rate_of(const stow_budget_rates *r, size_t node) { return r->rates[node].tried; }

// What is paid for a memory that waits at the node of a cell.
static double wait_cost(const stow_budget_rates *r, size_t cell) {
  return r->counts[cell] > 0 ? r->counts[cell] * rate_of(r, r->paths->node[cell]) : 0;
}

static double least(double a, double b) { return a < b ? a : b; }

static double missing_behind(const stow_budget_rates *r, size_t cell) {
  return stow_budget_is_last(r->paths, cell) ? 0 : r->missing[cell + 1];
}

static double there_behind(const stow_budget_rates *r, size_t cell) {
  return stow_budget_is_last(r->paths, cell) ? NEVER : r->there[cell + 1] + wait_cost(r, cell);
}

// Behind the node, of what came for it.
static double behind(const stow_budget_rates *r, size_t cell) {
  return least(missing_behind(r, cell), there_behind(r, cell));
}

// How it comes.
static double renewal(const stow_budget_rates *r, size_t cell) {
  const stow_budget_paths *p = r->paths;
  const double computed = p->comes[cell] & STOW_BUDGET_MAY_COMPUTE ? r->computed[cell] : NEVER;
  return p->comes[cell] & STOW_BUDGET_MAY_SPILL ? least(computed, r->load[cell]) : computed;
}

static double keep_cost(const stow_budget_rates *r, size_t cell) {
  return r->paths->accessed[cell] ? r->kept[cell] : 0;
}

static double leave_cost(const stow_budget_rates *r, size_t cell) {
  return missing_behind(r, cell) + keep_cost(r, cell);
}

static double stay_cost(const stow_budget_rates *r, size_t cell) {
  return there_behind(r, cell) + r->kept[cell];
}

static void price_cell(stow_budget_rates *r, size_t cell) {
  const stow_budget_paths *p = r->paths;
  const bool stays = p->comes[cell] & STOW_BUDGET_MAY_STAY;
  r->there[cell] = r->missing[cell] = NEVER;
  if (p->front[cell] & STOW_BUDGET_IN_FRONT && stays)
    r->there[cell] = least(leave_cost(r, cell), stay_cost(r, cell)) - r->wish[cell];
  if (p->front[cell] & STOW_BUDGET_AWAY) {
    r->missing[cell] = renewal(r, cell) + behind(r, cell) - r->wish[cell];
    if (stays && !p->accessed[cell])
      r->missing[cell] = least(r->missing[cell], missing_behind(r, cell));
  }
}

// From the end of a memory to its beginning. Returns what all of it costs.
static double find_path(stow_budget_rates *r, size_t memory) {
  const stow_budget_life *l = &r->paths->lives[memory];
  for (size_t cell = l->cell + l->end - l->born + 1; cell-- > l->cell;)
    price_cell(r, cell);
  return least(r->there[l->cell], r->missing[l->cell]);
}

// Marks what the shortest path of a memory does.
static void follow_path(stow_budget_rates *r, size_t memory) {
  const stow_budget_paths *p = r->paths;
  const stow_budget_life *l = &p->lives[memory];
  bool there = r->there[l->cell] <= r->missing[l->cell];
  for (size_t cell = l->cell; cell <= l->cell + l->end - l->born; ++cell) {
    const double away = p->comes[cell] & STOW_BUDGET_MAY_STAY && !p->accessed[cell]
                            ? missing_behind(r, cell)
                            : NEVER;
    r->taken[cell] = 0;
    if (!there && r->missing[cell] >= away)
      continue;
    const bool was = there;
    there = was ? stay_cost(r, cell) < leave_cost(r, cell)
                : there_behind(r, cell) < missing_behind(r, cell);
    r->taken[cell] = STOW_BUDGET_TAKEN_THERE;
    if (!was && p->comes[cell] & STOW_BUDGET_MAY_COMPUTE && renewal(r, cell) >= r->computed[cell])
      r->taken[cell] |= STOW_BUDGET_TAKEN_COMPUTED;
    if (there && !p->accessed[cell])
      r->taken[cell] |= STOW_BUDGET_TAKEN_WAITS;
    if (was && (there || p->accessed[cell]))
      r->taken[cell] |= STOW_BUDGET_TAKEN_KEPT;
  }
}

//===----------------------------------------------------------------------===//
// The bound of rates
//===----------------------------------------------------------------------===//

static double counts_of(const stow_budget_rates *r, const stow_budget_crowd *c, size_t other) {
  const double bytes = (double)stow_budget_path_bytes(r->paths, other) / r->scale;
  return may_be_kept(r->paths, other) && may_go(r->paths, other) ? least(bytes, c->most) : 0;
}

// Adds what is paid for a crowd to the prices of its cells. Returns what is paid in any case.
static double price_crowd(stow_budget_rates *r, const stow_budget_crowd *c, double rate) {
  double lack = c->always;
  r->computed[c->cell] += rate * c->more;
  r->paths->walk->effort += c->count / CELLS_PER_STEP;
  for (size_t i = c->first; i < c->first + c->count; ++i) {
    const double counts = counts_of(r, c, r->others[i]);
    r->kept[r->others[i]] += rate * counts;
    lack -= counts;
  }
  return rate * lack;
}

static size_t node_of(const stow_budget_rates *r, size_t rate) {
  const size_t nodes = r->paths->walk->problem->node_count, tie = rate - nodes;
  if (rate < nodes)
    return rate;
  return r->paths
      ->node[tie < r->tie_count ? r->ties[tie].from : r->crowds[tie - r->tie_count].cell];
}

// What rates add to the prices of cells, and to what is paid in any case, per node.
static void price_rates(stow_budget_rates *r, double *out_size) {
  const size_t nodes = r->paths->walk->problem->node_count;
  for (size_t a = 0; a < r->active_count; ++a) {
    const size_t i = r->active[a];
    const double rate = r->rates[i].tried;
    if (rate <= 0)
      continue;
    double paid = 0;
    if (i < nodes) {
      paid = rate * r->lacks[i];
    } else if (i < nodes + r->tie_count) {
      r->computed[r->ties[i - nodes].from] += rate;
      r->wish[r->ties[i - nodes].to] += rate;
      *out_size += rate;
    } else {
      paid = price_crowd(r, &r->crowds[i - nodes - r->tie_count], rate);
      *out_size += rate * r->crowds[i - nodes - r->tie_count].most;
    }
    r->paid[node_of(r, i)] += paid;
    *out_size += paid > 0 ? paid : -paid;
  }
}

static void clear_prices(stow_budget_rates *r) {
  const stow_budget_paths *p = r->paths;
  for (size_t i = 0; i < r->open_count; ++i) {
    const stow_budget_life *l = &p->lives[r->open[i]];
    for (size_t cell = l->cell; cell <= l->cell + l->end - l->born; ++cell) {
      r->wish[cell] = r->kept[cell] = 0;
      r->computed[cell] = p->comes[cell] & STOW_BUDGET_MAY_COMPUTE ? price_of(p, cell) : NEVER;
    }
    r->paths->walk->effort += (l->end + 1 - l->born) / CELLS_PER_STEP;
  }
}

// The bound of the rates that are tried, less what is uncertain of it. What a cell's paths cost
// counts up to the best, though a memory's shortest path may cost nothing.
static double relax(stow_budget_rates *r) {
  double size = r->settled + r->best;
  clear_prices(r);
  memset(r->paid, 0, r->paths->walk->problem->node_count * sizeof *r->paid);
  price_rates(r, &size);
  r->bound = r->settled;
  for (size_t n = 0; n < r->paths->walk->problem->node_count; ++n)
    r->bound += r->paid[n];
  for (size_t i = 0; i < r->open_count; ++i) {
    const double path = find_path(r, r->open[i]);
    r->bound += path;
    size += path > 0 ? path : -path;
  }
  r->doubt = DOUBT * size;
  return r->bound - r->doubt;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static double lack_of(const stow_budget_rates *r, size_t i) {
  const stow_budget_paths *p = r->paths;
  const size_t nodes = p->walk->problem->node_count;
  double lack = 0;
  if (i < nodes) {
    lack = r->lacks[i];
    for (size_t k = p->first_at[i]; k < p->first_at[i + 1]; ++k)
      lack += r->taken[p->at[k]] & STOW_BUDGET_TAKEN_WAITS ? r->counts[p->at[k]] : 0;
    return lack;
  }
  if (i < nodes + r->tie_count) {
    const stow_budget_tie *t = &r->ties[i - nodes];
    return (double)(r->taken[t->from] / STOW_BUDGET_TAKEN_COMPUTED % 2) -
           (r->taken[t->to] & STOW_BUDGET_TAKEN_THERE);
  }
  const stow_budget_crowd *c = &r->crowds[i - nodes - r->tie_count];
  r->paths->walk->effort += c->count / CELLS_PER_STEP;
  lack = c->always + (r->taken[c->cell] & STOW_BUDGET_TAKEN_COMPUTED ? c->more : 0);
  for (size_t k = c->first; k < c->first + c->count; ++k)
    if (!(r->taken[r->others[k]] & STOW_BUDGET_TAKEN_KEPT))
      lack -= counts_of(r, c, r->others[k]);
  return lack;
}

// The slopes of the bound, with a part of the step before. One that is 0 and would fall has none.
// Returns the sum of their squares.
static double find_slopes(stow_budget_rates *r) {
  double square = 0;
  for (size_t i = 0; i < r->open_count; ++i)
    follow_path(r, r->open[i]);
  for (size_t a = 0; a < r->active_count; ++a) {
    stow_budget_rate *it = &r->rates[r->active[a]];
    it->lack = lack_of(r, r->active[a]);
    const double moved = it->lack + INERTIA * it->slope;
    it->slope = it->tried <= 0 && moved < 0 ? 0 : moved;
    square += it->slope * it->slope;
  }
  r->paths->walk->effort += r->active_count / CELLS_PER_STEP;
  return square;
}

// Whether there was a step. No rate needs to be more than all costs, so that sums are certain.
static bool improve(stow_budget_rates *r, double missing) {
  const double square = find_slopes(r);
  for (size_t a = 0; a < r->active_count && square > FLAT; ++a) {
    stow_budget_rate *it = &r->rates[r->active[a]];
    const double tried = least(it->tried + missing / square * it->slope, r->best);
    it->tried = tried > 0 ? tried : 0;
  }
  return square > FLAT;
}

static void take(stow_budget_rates *r, bool best) {
  for (size_t a = 0; a < r->active_count; ++a) {
    stow_budget_rate *it = &r->rates[r->active[a]];
    *(best ? &it->tried : &it->best) = best ? it->best : it->tried;
  }
}

// Leaves out crowds that pay nothing and lack nothing. They are looked at again.
static void drop_idle(stow_budget_rates *r) {
  const size_t first = r->paths->walk->problem->node_count + r->tie_count;
  size_t count = 0;
  for (size_t a = 0; a < r->active_count; ++a) {
    const stow_budget_rate *it = &r->rates[r->active[a]];
    if (r->active[a] < first || it->tried > 0 || it->best > 0 || it->slope > 0)
      r->active[count++] = r->active[a];
  }
  r->active_count = count;
}

double *stow_budget_rates_copy(const stow_budget_rates *r) {
  double *copy = malloc((r->rate_count + 1) * sizeof *copy);
  for (size_t i = 0; copy && i < r->rate_count; ++i)
    copy[i] = r->rates[i].tried;
  return copy;
}

void stow_budget_rates_restore(stow_budget_rates *r, const double *copy) {
  for (size_t i = 0; i < r->rate_count; ++i)
    r->rates[i].tried = copy[i];
}

static void begin_rounds(stow_budget_rates *r) {
  list_open(r);
  list_active(r);
  for (size_t a = 0; a < r->active_count; ++a) {
    stow_budget_rate *it = &r->rates[r->active[a]];
    it->best = it->tried;
    it->slope = 0;
  }
}

// Back to the best rates, with what they lack.
static void end_rounds(stow_budget_rates *r) {
  list_active(r);
  take(r, true);
  relax(r);
  find_slopes(r);
}

void stow_budget_rates_spread(stow_budget_rates *r, double *out_paid) {
  const stow_budget_paths *p = r->paths;
  begin_rounds(r);
  r->settled = 0;
  r->open_count = 0;
  for (size_t m = 0; m < p->walk->problem->memory_count; ++m)
    if (p->lives[m].born < SIZE_MAX && p->lives[m].born <= p->lives[m].end)
      r->open[r->open_count++] = m;
  relax(r);
  out_paid[p->walk->problem->node_count] = 0;
  for (size_t n = p->walk->problem->node_count; n-- > 0;)
    out_paid[n] = out_paid[n + 1] + r->paid[n];
}

double stow_budget_rates_bound(stow_budget_rates *r, size_t rounds, uint64_t limit) {
  const size_t patience = rounds / 5 < PATIENCE ? rounds / 5 : PATIENCE;
  double most = 0, pace = 1;
  begin_rounds(r);
  for (size_t round = 0, idle = 0; round < rounds && r->paths->walk->effort < limit;
       ++round, ++idle) {
    if (round > 0 && round % ROUNDS_LISTED == 0)
      list_active(r);
    const double bound = relax(r);
    if (bound > most) {
      most = bound;
      idle = 0;
      take(r, false);
    }
    if (idle >= patience) {
      idle = 0;
      pace /= 2;
      take(r, true);
      relax(r);
    }
    if (most > r->best - 1 || !improve(r, pace * (r->best - bound)))
      break;
    if (round % ROUNDS_LISTED == 0)
      drop_idle(r);
  }
  end_rounds(r);
  return most;
}

//===----------------------------------------------------------------------===//
// What costs too much
//===----------------------------------------------------------------------===//

// What is paid up to the cell next to this one.
static void pass_cell(stow_budget_rates *r, size_t cell) {
  const stow_budget_paths *p = r->paths;
  const bool stays = p->comes[cell] & STOW_BUDGET_MAY_STAY;
  const double here = stays ? r->there_before[cell] - r->wish[cell] : NEVER;
  const double came = r->missing_before[cell] + renewal(r, cell) - r->wish[cell];
  r->there_before[cell + 1] = least(here + r->kept[cell], came) + wait_cost(r, cell);
  r->missing_before[cell + 1] = least(here + keep_cost(r, cell), came);
  if (stays && !p->accessed[cell])
    r->missing_before[cell + 1] = least(r->missing_before[cell + 1], r->missing_before[cell]);
  if (!(p->front[cell + 1] & STOW_BUDGET_IN_FRONT))
    r->there_before[cell + 1] = NEVER;
  if (!(p->front[cell + 1] & STOW_BUDGET_AWAY))
    r->missing_before[cell + 1] = NEVER;
}

// Leaves of a cell what may cost no more than `most` beyond the best rest of the bound.
static bool settle_cell(stow_budget_rates *r, size_t cell, double most) {
  stow_budget_paths *p = r->paths;
  const double there = r->there_before[cell] + r->there[cell];
  const double away = r->missing_before[cell];
  const double stays = p->accessed[cell] ? NEVER : away + missing_behind(r, cell);
  const double rest = away + behind(r, cell) - r->wish[cell];
  uint8_t front = 0, comes = 0;
  if (there <= most)
    front |= STOW_BUDGET_IN_FRONT;
  if (away + r->missing[cell] <= most)
    front |= STOW_BUDGET_AWAY;
  if (least(there, stays) <= most)
    comes |= STOW_BUDGET_MAY_STAY;
  if (rest + r->computed[cell] <= most)
    comes |= STOW_BUDGET_MAY_COMPUTE;
  if (p->comes[cell] & STOW_BUDGET_MAY_SPILL && rest + r->load[cell] <= most)
    comes |= STOW_BUDGET_MAY_SPILL;
  return stow_budget_paths_limit(p, cell, front, comes);
}

static bool settle_path(stow_budget_rates *r, size_t memory) {
  const stow_budget_paths *p = r->paths;
  const stow_budget_life *l = &p->lives[memory];
  const size_t first = l->cell, last = l->cell + l->end - l->born;
  const double path = least(r->there[first], r->missing[first]);
  const double most = r->best - 1 - r->bound + path + 2 * r->doubt;
  r->there_before[first] = p->front[first] & STOW_BUDGET_IN_FRONT ? 0 : NEVER;
  r->missing_before[first] = p->front[first] & STOW_BUDGET_AWAY ? 0 : NEVER;
  for (size_t cell = first; cell < last; ++cell)
    pass_cell(r, cell);
  for (size_t cell = first; cell <= last; ++cell)
    if (!settle_cell(r, cell, most))
      return false;
  r->paths->walk->effort += (last + 1 - first) / CELLS_PER_STEP;
  return true;
}

bool stow_budget_rates_settle(stow_budget_rates *r) {
  for (size_t i = 0; i < r->open_count; ++i)
    if (!settle_path(r, r->open[i]))
      return false;
  return stow_budget_paths_settle(r->paths);
}
