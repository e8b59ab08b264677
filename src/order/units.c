//===- units.c - nodes that may as well run together ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a unit does to the level, the bytes alive, depends on what else is done: a buffer
// that others use may be alive before it or not. So each unit has figures that are right
// in every order: how high it rises at most and at least (`rise`), seen from the level
// before it, and seen from the level after it (`fall`), and how much is left (`net`).
//
// An order in which u runs, then X, then v can be changed, at no moment for the worse, to
//
//   X u v   if u waits for nobody's sake: net(u) >= 0, and u rises no higher than v does
//           after it. All that comes after u comes after v, too, so u may wait.
//   u v X   if v may as well hurry: the same backwards.
//
// Then u and v are one unit. If neither must come before the other, and v runs, then X,
// then u, the same arguments put u before v for good. For parts of a graph that share no
// buffer this is Liu's merge of hills and valleys: all their units end up in one sequence.
//
//===----------------------------------------------------------------------===//

#include "order/units.h"
#include "order/limits.h"

typedef struct figures {
  int64_t most_rise, least_rise;
  int64_t most_fall, least_fall;
  int64_t most_net, least_net;
  bool certain; // the same in every order
} figures;

typedef struct maker {
  const stow_order_graph *graph;
  size_t count, words;
  uint64_t *before, *after; // per unit: all that must run before it, and after it
  uint64_t *users;          // per buffer
  size_t *tail;             // per unit: its last node; the first one has the unit's number
  size_t *next;             // per node: the one after it in its unit, or SIZE_MAX
  size_t *length;           // per unit; 0: it is part of another one
  figures *figures;         // per unit
  stow_order_use *uses;     // of one unit
  size_t *use_of;           // per buffer: its place in `uses`, if that is it
  int64_t *most, *least;    // changes of the level by step
  uint64_t *effort;
} maker;

static uint64_t *row(uint64_t *sets, size_t i, size_t words) { return sets + i * words; }

static bool spend(maker *m, uint64_t steps) {
  const bool some = *m->effort > steps;
  *m->effort = some ? *m->effort - steps : 0;
  return some;
}

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

static size_t list_uses(maker *m, size_t unit) {
  const stow_order_rows *touched = &m->graph->touched;
  size_t count = 0, step = 0;
  for (size_t node = unit; node != SIZE_MAX; node = m->next[node], ++step)
    STOW_ORDER_EACH(b, *touched, node) {
      const size_t at = m->use_of[b];
      if (at < count && m->uses[at].buffer == b) {
        m->uses[at].last = step;
        continue;
      }
      m->use_of[b] = count;
      m->uses[count++] = (stow_order_use){b, step, step};
    }
  return count;
}

// Whether a buffer is alive before and after a unit: surely, and perhaps.
typedef struct alive {
  bool sure_before, may_before, sure_after, may_after;
} alive;

static alive alive_around(const maker *m, size_t unit, size_t buffer) {
  const stow_order_buffer *b = &m->graph->problem->buffers[buffer];
  const uint64_t *users = m->users + buffer * m->words;
  const uint64_t *before = m->before + unit * m->words, *after = m->after + unit * m->words;
  alive a = {b->from_start, b->from_start, b->to_end, b->to_end};
  for (size_t w = 0; w < m->words; ++w) {
    const uint64_t others = users[w] & ~(unit / 64 == w ? UINT64_C(1) << unit % 64 : 0);
    a.sure_before |= (others & before[w]) != 0;
    a.may_before |= (others & ~after[w]) != 0;
    a.sure_after |= (others & after[w]) != 0;
    a.may_after |= (others & ~before[w]) != 0;
  }
  return a;
}

static void clear_steps(maker *m, size_t unit) {
  for (size_t i = 0; i <= m->length[unit]; ++i)
    m->most[i] = m->least[i] = 0;
}

// Levels, from that before the first step: the highest during a step, and that after the last one.
typedef struct levels {
  int64_t highest_most, highest_least, last_most, last_least;
} levels;

static levels sum_levels(const maker *m, size_t unit) {
  int64_t most = 0, least = 0;
  size_t step = 0;
  levels all = {.highest_most = INT64_MIN, .highest_least = INT64_MIN};
  for (size_t node = unit; node != SIZE_MAX; node = m->next[node], ++step) {
    most += m->most[step];
    least += m->least[step];
    const int64_t inside = (int64_t)stow_order_inside(m->graph->problem, node);
    all.highest_most = most + inside > all.highest_most ? most + inside : all.highest_most;
    all.highest_least = least + inside > all.highest_least ? least + inside : all.highest_least;
  }
  all.last_most = most + m->most[step];
  all.last_least = least + m->least[step];
  return all;
}

static void set_rises(maker *m, size_t unit, size_t uses, figures *f) {
  clear_steps(m, unit);
  f->certain = true;
  for (size_t i = 0; i < uses; ++i) {
    const stow_order_use *use = &m->uses[i];
    const int64_t bytes = (int64_t)m->graph->problem->buffers[use->buffer].bytes;
    const alive a = alive_around(m, unit, use->buffer);
    f->certain &= a.sure_before == a.may_before && a.sure_after == a.may_after;
    m->most[use->first] += a.sure_before ? 0 : bytes;
    m->most[use->last + 1] -= a.may_after ? 0 : bytes;
    m->least[use->first] += a.may_before ? 0 : bytes;
    m->least[use->last + 1] -= a.sure_after ? 0 : bytes;
  }
  const levels all = sum_levels(m, unit);
  f->most_rise = all.highest_most;
  f->least_rise = all.highest_least;
  f->most_net = all.last_most;
  f->least_net = all.last_least;
}

// Seen from the end, a buffer that is alive after the unit adds nothing while it is alive, and is
// missing before its first step if it was not alive before.
static void set_falls(maker *m, size_t unit, size_t uses, figures *f) {
  clear_steps(m, unit);
  for (size_t i = 0; i < uses; ++i) {
    const stow_order_use *use = &m->uses[i];
    const int64_t bytes = (int64_t)m->graph->problem->buffers[use->buffer].bytes;
    const alive a = alive_around(m, unit, use->buffer);
    // Bytes at steps [0, first), [first, last], (last, end), from the level at the end.
    m->most[0] += a.sure_after ? (a.may_before ? 0 : -bytes) : (a.may_before ? bytes : 0);
    m->most[use->first] += a.may_before ? 0 : bytes;
    m->most[use->last + 1] -= a.sure_after ? 0 : bytes;
    m->least[0] += a.may_after ? (a.sure_before ? 0 : -bytes) : (a.sure_before ? bytes : 0);
    m->least[use->first] += a.sure_before ? 0 : bytes;
    m->least[use->last + 1] -= a.may_after ? 0 : bytes;
  }
  const levels all = sum_levels(m, unit);
  f->most_fall = all.highest_most;
  f->least_fall = all.highest_least;
}

static void set_figures(maker *m, size_t unit) {
  const size_t uses = list_uses(m, unit);
  set_rises(m, unit, uses, &m->figures[unit]);
  set_falls(m, unit, uses, &m->figures[unit]);
  spend(m, uses * m->words + m->length[unit]);
}

//===----------------------------------------------------------------------===//
// What comes before what
//===----------------------------------------------------------------------===//

static void put_before(maker *m, size_t u, size_t v) {
  uint64_t *before = row(m->before, u, m->words), *after = row(m->after, v, m->words);
  spend(m, m->count);
  for (size_t x = 0; x < m->count; ++x) {
    if (x == u || stow_order_set_has(before, x)) {
      stow_order_set_join(row(m->after, x, m->words), after, m->words);
      stow_order_set_add(row(m->after, x, m->words), v);
    }
    if (x == v || stow_order_set_has(after, x)) {
      stow_order_set_join(row(m->before, x, m->words), before, m->words);
      stow_order_set_add(row(m->before, x, m->words), u);
    }
  }
}

static void forget(maker *m, size_t unit) {
  for (size_t x = 0; x < m->count; ++x) {
    stow_order_set_drop(row(m->before, x, m->words), unit);
    stow_order_set_drop(row(m->after, x, m->words), unit);
  }
  m->length[unit] = 0;
}

// What is before v is before u now, and so before all that is after u.
static void take_relations(maker *m, size_t u, size_t v) {
  const size_t w = m->words;
  uint64_t *before = row(m->before, v, w), *after = row(m->after, u, w);
  spend(m, m->count);
  stow_order_set_drop(before, u);
  for (size_t x = 0; x < m->count; ++x) {
    if (stow_order_set_has(before, x)) {
      stow_order_set_join(row(m->after, x, w), after, w);
      stow_order_set_add(row(m->after, x, w), u);
    }
    if (x == u || (x != v && stow_order_set_has(after, x)))
      stow_order_set_join(row(m->before, x, w), before, w);
  }
}

// v, which comes after u, becomes the end of u.
static void join(maker *m, size_t u, size_t v) {
  const stow_order_rows *touched = &m->graph->touched;
  for (size_t node = v; node != SIZE_MAX; node = m->next[node])
    STOW_ORDER_EACH(t, *touched, node) {
      uint64_t *users = row(m->users, t, m->words);
      stow_order_set_drop(users, v);
      stow_order_set_add(users, u);
    }
  m->next[m->tail[u]] = v;
  m->tail[u] = m->tail[v];
  m->length[u] += m->length[v];
  take_relations(m, u, v);
  forget(m, v);
  set_figures(m, u);
}

static void begin_relations(maker *m) {
  const stow_order_graph *g = m->graph;
  for (size_t i = 0; i < m->count; ++i)
    STOW_ORDER_EACH(from, g->before, i) {
      stow_order_set_join(row(m->before, i, m->words), row(m->before, from, m->words), m->words);
      stow_order_set_add(row(m->before, i, m->words), from);
    }
  for (size_t i = m->count; i-- > 0;)
    STOW_ORDER_EACH(to, g->after, i) {
      stow_order_set_join(row(m->after, i, m->words), row(m->after, to, m->words), m->words);
      stow_order_set_add(row(m->after, i, m->words), to);
    }
  for (size_t i = 0; i < m->count; ++i)
    STOW_ORDER_EACH(t, g->touched, i)
      stow_order_set_add(row(m->users, t, m->words), i);
}

//===----------------------------------------------------------------------===//
// The rules
//===----------------------------------------------------------------------===//

static bool may_join(maker *m, size_t u, size_t v) {
  const figures *a = &m->figures[u], *b = &m->figures[v];
  const uint64_t *after_u = row(m->after, u, m->words), *after_v = row(m->after, v, m->words);
  const uint64_t *before_u = row(m->before, u, m->words), *before_v = row(m->before, v, m->words);
  if (a->least_net >= 0 && a->most_rise <= a->least_net + b->least_rise &&
      stow_order_set_inside(after_u, after_v, v, m->words))
    return true;
  return b->most_net <= 0 && b->most_fall <= a->least_fall - b->most_net &&
         stow_order_set_inside(before_v, before_u, u, m->words);
}

// Of two that may come in any order.
static bool may_come_first(maker *m, size_t u, size_t v) {
  const figures *a = &m->figures[u], *b = &m->figures[v];
  const bool rises = a->most_net <= 0 && a->most_rise <= b->least_rise;
  const bool falls = b->least_net >= 0 && b->most_fall <= a->least_fall;
  const bool both = a->certain && b->certain && a->most_net <= 0 && b->least_net >= 0;
  if (!rises && !falls && !both)
    return false;
  const size_t w = m->words;
  spend(m, 4 * w);
  const bool early = stow_order_set_inside(row(m->before, u, w), row(m->before, v, w), u, w);
  const bool late = stow_order_set_inside(row(m->after, v, w), row(m->after, u, w), v, w);
  return (rises && early) || (falls && late) || (both && early && late);
}

static bool compare(maker *m, size_t u, size_t v) {
  if (stow_order_set_has(row(m->after, u, m->words), v)) {
    if (!may_join(m, u, v))
      return false;
    join(m, u, v);
    return true;
  }
  if (stow_order_set_has(row(m->before, u, m->words), v) || !may_come_first(m, u, v))
    return false;
  put_before(m, u, v);
  set_figures(m, u);
  set_figures(m, v);
  return true;
}

static bool compare_all(maker *m) {
  bool any = false;
  for (size_t u = 0; u < m->count; ++u)
    for (size_t v = 0; v < m->count && m->length[u] > 0; ++v)
      if (u != v && m->length[v] > 0 && spend(m, 1))
        any |= compare(m, u, v);
  return any;
}

// Units that an edge joins.
static bool compare_neighbours(maker *m) {
  const stow_order_graph *g = m->graph;
  bool any = false;
  for (size_t u = 0; u < m->count; ++u)
    for (bool more = m->length[u] > 0; more;) {
      const size_t node = m->tail[u];
      more = false;
      for (size_t e = g->after.first[node]; e < g->after.first[node + 1] && !more; ++e) {
        const size_t v = g->after.items[e]; // of length 0 where it is not the first of its unit
        more = m->length[v] > 0 && spend(m, m->words) && may_join(m, u, v);
        if (more) {
          join(m, u, v);
          any = true;
        }
      }
    }
  return any;
}

static size_t count_units(const maker *m) {
  size_t count = 0;
  for (size_t u = 0; u < m->count; ++u)
    count += m->length[u] > 0;
  return count;
}

static void apply_rules(maker *m) {
  for (size_t u = 0; u < m->count; ++u)
    set_figures(m, u);
  while (compare_neighbours(m))
    ;
  while (count_units(m) <= STOW_ORDER_MOST_PAIRED && *m->effort > 0 && compare_all(m))
    for (size_t u = 0; u < m->count; ++u)
      if (m->length[u] > 0)
        set_figures(m, u);
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

// Units by how many come before them, which keeps the edges.
static size_t sort_units(const maker *m, size_t *sorted, size_t *begins) {
  size_t count = 0;
  for (size_t u = 0; u < m->count; ++u)
    if (m->length[u] > 0) {
      ++begins[stow_order_set_size(m->before + u * m->words, m->words) + 1];
      ++count;
    }
  for (size_t i = 1; i <= m->count; ++i)
    begins[i] += begins[i - 1];
  for (size_t u = 0; u < m->count; ++u)
    if (m->length[u] > 0)
      sorted[begins[stow_order_set_size(m->before + u * m->words, m->words)]++] = u;
  return count;
}

static void write_set(const stow_order_units *out, const size_t *sorted, const uint64_t *from,
                      uint64_t *to) {
  for (size_t i = 0; i < out->count; ++i)
    if (stow_order_set_has(from, sorted[i]))
      stow_order_set_add(to, i);
}

static void write_unit(maker *m, size_t unit, size_t i, stow_order_units *out) {
  size_t at = out->begins[i];
  for (size_t node = unit; node != SIZE_MAX; node = m->next[node])
    out->nodes[at++] = node;
  out->begins[i + 1] = at;
  const size_t uses = list_uses(m, unit);
  for (size_t k = 0; k < uses; ++k)
    out->uses[out->use_begins[i] + k] = m->uses[k];
  out->use_begins[i + 1] = out->use_begins[i] + uses;
}

static bool write_units(maker *m, stow_order_memory *memory, stow_order_units *out) {
  const size_t buffers = m->graph->problem->buffer_count;
  size_t *sorted = stow_order_take(memory, m->count + 1, sizeof *sorted);
  size_t *begins = stow_order_take(memory, m->count + 2, sizeof *begins);
  if (!sorted || !begins)
    return false;
  out->graph = m->graph;
  out->count = sort_units(m, sorted, begins);
  out->words = (out->count + 63) / 64;
  out->nodes = stow_order_take(memory, m->count, sizeof *out->nodes);
  out->begins = stow_order_take(memory, out->count + 1, sizeof *out->begins);
  out->before = stow_order_take(memory, out->count * out->words, sizeof *out->before);
  out->users = stow_order_take(memory, buffers * out->words, sizeof *out->users);
  out->uses = stow_order_take(memory, m->graph->touched.first[m->count], sizeof *out->uses);
  out->use_begins = stow_order_take(memory, out->count + 1, sizeof *out->use_begins);
  if (!out->nodes || !out->begins || !out->before || !out->users || !out->uses || !out->use_begins)
    return false;
  for (size_t i = 0; i < out->count; ++i) {
    write_unit(m, sorted[i], i, out);
    write_set(out, sorted, row(m->before, sorted[i], m->words), row(out->before, i, out->words));
  }
  for (size_t b = 0; b < buffers; ++b)
    write_set(out, sorted, row(m->users, b, m->words), row(out->users, b, out->words));
  return true;
}

static bool begin(maker *m, stow_order_memory *memory) {
  const size_t n = m->count, buffers = m->graph->problem->buffer_count;
  m->before = stow_order_take(memory, n * m->words, sizeof *m->before);
  m->after = stow_order_take(memory, n * m->words, sizeof *m->after);
  m->users = stow_order_take(memory, buffers * m->words, sizeof *m->users);
  m->tail = stow_order_take(memory, n, sizeof *m->tail);
  m->next = stow_order_take(memory, n, sizeof *m->next);
  m->length = stow_order_take(memory, n, sizeof *m->length);
  m->figures = stow_order_take(memory, n, sizeof *m->figures);
  m->uses = stow_order_take(memory, buffers, sizeof *m->uses);
  m->use_of = stow_order_take(memory, buffers, sizeof *m->use_of);
  m->most = stow_order_take(memory, n + 1, sizeof *m->most);
  m->least = stow_order_take(memory, n + 1, sizeof *m->least);
  if (!m->before || !m->after || !m->users || !m->tail || !m->next || !m->length || !m->figures ||
      !m->uses || !m->use_of || !m->most || !m->least)
    return false;
  for (size_t i = 0; i < n; ++i) {
    m->tail[i] = i;
    m->next[i] = SIZE_MAX;
    m->length[i] = 1;
  }
  begin_relations(m);
  return true;
}

bool stow_order_make_units(const stow_order_graph *graph, stow_order_memory *memory,
                           uint64_t *effort, stow_order_units *out) {
  maker m = {.graph = graph, .count = graph->count, .words = (graph->count + 63) / 64};
  m.effort = effort;
  *out = (stow_order_units){0};
  if (!begin(&m, memory))
    return false;
  apply_rules(&m);
  return write_units(&m, memory, out);
}
