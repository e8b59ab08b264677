//===- marked.c - lives that markers tell of -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Markers sorted by what they are a life of, and by position: each start is paired with the next
// of them. A life ends in the block that it begins in, so it lasts at exactly the positions in
// between, on every path there.
//
//===----------------------------------------------------------------------===//

#include "ir/marked.h"

#include "ir/bytes.h"
#include "ir/limits.h"
#include "ir/parts.h"

#include <stdlib.h>

typedef struct marker {
  int32_t alloc, life; // values whose life it is: the start's result, in the value form
  size_t use;
} marker;

typedef struct touch {
  int32_t alloc;
  size_t use;
} touch;

typedef struct marking {
  const stow_flow *flow;
  const stow_ranges *ranges;
  const uint64_t *sizes;
  STOW_ARRAY(marker) markers;
  STOW_ARRAY(touch) touches; // by other ops, by alloc
  stow_marked_lives *out;
} marking;

//===----------------------------------------------------------------------===//
// Markers and touches of each alloc
//===----------------------------------------------------------------------===//

// The alloc that the value is for certain, if it is one of those asked for; or STOW_NO_ALLOC.
static int32_t only_alloc_of(const marking *m, int32_t value) {
  const int32_t alloc = m->flow->values.at[m->ranges->names.of_value[value]].alloc;
  const bool known = alloc != STOW_NO_ALLOC && m->sizes[alloc] > 0 &&
                     m->ranges->first_name[alloc + 1] - m->ranges->first_name[alloc] == 1;
  return known ? alloc : STOW_NO_ALLOC;
}

static MlirOperation op_of(const marking *m, size_t use) {
  return m->flow->ops.at[m->flow->uses.at[use].begin];
}

static int32_t life_of(const marking *m, size_t use) {
  const MlirOperation op = op_of(m, use);
  const bool named = mlirOperationGetNumResults(op) > 0;
  return named ? stow_map_get(&m->flow->index, mlirOperationGetResult(op, 0).ptr)
               : m->flow->uses.at[use].value;
}

static int compare_markers(const void *a, const void *b) {
  const marker *x = a, *y = b;
  const int of = stow_ir_then(STOW_COMPARE(x->alloc, y->alloc), STOW_COMPARE(x->life, y->life));
  return stow_ir_then(of, STOW_COMPARE(x->use, y->use));
}

STOW_BY_FIELDS(compare_touches, touch, alloc, use)

// Uses are in the order of their positions where they are in one block, as all markers are that
// are paired.
static void read_uses(marking *m) {
  for (size_t u = 0; u < m->flow->uses.count; ++u) {
    const int32_t alloc = only_alloc_of(m, m->flow->uses.at[u].value);
    if (alloc == STOW_NO_ALLOC)
      continue;
    if (stow_ir_is_marker(op_of(m, u)))
      STOW_PUSH(m->markers, (marker){alloc, life_of(m, u), u});
    else
      STOW_PUSH(m->touches, (touch){alloc, u});
  }
  STOW_SORT(m->markers, compare_markers);
  STOW_SORT(m->touches, compare_touches);
}

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

// The bytes of the alloc that a value of it may be: all where that is not known.
static stow_view_bytes bytes_of(const marking *m, int32_t alloc, int32_t value) {
  stow_view_bytes bytes = stow_view_bytes_of(m->flow, value);
  const int64_t size = (int64_t)m->sizes[alloc];
  if (!bytes.known || bytes.root != m->flow->allocs.at[alloc].value || bytes.end > size) {
    bytes.begin = 0;
    bytes.end = size;
  }
  bytes.all = bytes.begin == 0 && bytes.end == size;
  return bytes;
}

// Whether markers `i` and the next one are the two of a life.
static bool is_life(const marking *m, size_t i) {
  if (i + 1 >= m->markers.count)
    return false;
  const marker *a = &m->markers.at[i], *b = &m->markers.at[i + 1];
  const MlirOperation start = op_of(m, a->use), finish = op_of(m, b->use);
  return a->alloc == b->alloc && a->life == b->life && stow_ir_is_start(start) &&
         stow_ir_is_end(finish) &&
         mlirBlockEqual(mlirOperationGetBlock(start), mlirOperationGetBlock(finish));
}

static bool is_in_scope(const marking *m, int32_t alloc, size_t use) {
  const stow_flow *flow = m->flow;
  return flow->nests.at[flow->uses.at[use].nest].scope == flow->allocs.at[alloc].scope;
}

STOW_BY_FIELDS(compare_lives, stow_marked_life, begin, end)

// Those of one alloc, whose markers are [first, end). False where some life is not known.
static bool list_lives(marking *m, size_t first, size_t end) {
  const size_t before = m->out->lives.count;
  const int32_t alloc = m->markers.at[first].alloc;
  bool known = end - first <= 2 * (size_t)STOW_MOST_MARKERS;
  for (size_t i = first; i < end && known; ++i) {
    const size_t start = m->markers.at[i].use;
    if (!stow_ir_is_start(op_of(m, start)))
      continue;
    known = is_life(m, i) && is_in_scope(m, alloc, start);
    if (!known)
      break;
    const stow_use *from = &m->flow->uses.at[start];
    const stow_use *to = &m->flow->uses.at[m->markers.at[i + 1].use];
    const stow_view_bytes bytes = bytes_of(m, alloc, from->value);
    STOW_PUSH(m->out->lives, (stow_marked_life){.alloc = alloc,
                                                .start = op_of(m, start),
                                                .finish = m->flow->ops.at[to->begin],
                                                .name = m->flow->values.at[from->value].value,
                                                .begin = from->begin,
                                                .end = to->end,
                                                .low = bytes.begin,
                                                .high = bytes.end,
                                                .all = bytes.all});
  }
  if (!known)
    m->out->lives.count = before;
  stow_ir_sort(m->out->lives.at + before, m->out->lives.count - before, sizeof *m->out->lives.at,
               compare_lives);
  return known;
}

//===----------------------------------------------------------------------===//
// Whether the function keeps to them
//===----------------------------------------------------------------------===//

typedef struct lives {
  stow_marked_life *at;
  size_t count;
  int64_t low, high; // bytes that are touched and in no life
} lives;

static bool lasts(const stow_marked_life *life, int64_t begin, int64_t end) {
  return life->begin <= begin && end <= life->end;
}

// Whether all of some bytes lie in lives that last at [begin, end), or in any where `begin` < 0.
static bool are_covered(const lives *l, int64_t low, int64_t high, int64_t begin, int64_t end) {
  for (size_t i = 0; i < l->count && low < high; ++i) {
    const stow_marked_life *life = &l->at[i];
    if (life->low > low || life->high <= low || (begin >= 0 && !lasts(life, begin, end)))
      continue;
    low = life->high;
    i = SIZE_MAX; // from the first again
  }
  return low >= high;
}

static bool share_bytes(const stow_marked_life *life, const stow_view_bytes *bytes) {
  return life->low < bytes->end && bytes->begin < life->high;
}

// Whether a value is made from another one, by nothing but views.
static bool is_made_from(const marking *m, int32_t value, MlirValue from) {
  stow_way way = {0};
  while (!mlirValueEqual(m->flow->values.at[value].value, from)) {
    const int32_t source = stow_flow_only_source(m->flow, value);
    if (source < 0 || stow_ir_comes_again(&way, m->flow->values.at[value].value))
      return false;
    value = source;
  }
  return true;
}

// False where it touches what is in lives, but in none that lasts.
static bool take_touch(const marking *m, lives *l, const touch *t) {
  const stow_use *use = &m->flow->uses.at[t->use];
  const stow_view_bytes bytes = bytes_of(m, t->alloc, use->value);
  for (size_t i = 0; i < l->count; ++i) {
    stow_marked_life *life = &l->at[i];
    if (!share_bytes(life, &bytes))
      continue;
    if (lasts(life, use->begin, use->end))
      life->mixed |= !life->all && !is_made_from(m, use->value, life->name);
    else if (!are_covered(l, stow_ir_later(life->low, bytes.begin),
                          stow_ir_earlier(life->high, bytes.end), use->begin, use->end))
      return false;
  }
  if (!are_covered(l, bytes.begin, bytes.end, -1, -1)) {
    l->low = stow_ir_earlier(l->low, bytes.begin);
    l->high = stow_ir_later(l->high, bytes.end);
  }
  return true;
}

static void mark_mixed(lives *l) {
  for (size_t i = 0; i < l->count; ++i)
    for (size_t j = i + 1; j < l->count && l->at[j].begin < l->at[i].end; ++j)
      if (l->at[i].low < l->at[j].high && l->at[j].low < l->at[i].high)
        l->at[i].mixed = l->at[j].mixed = true;
}

// The touches of an alloc are from `*next` on.
static bool keeps_to(const marking *m, lives *l, int32_t alloc, size_t *next) {
  bool right = true;
  while (*next < m->touches.count && m->touches.at[*next].alloc < alloc)
    ++*next;
  for (; *next < m->touches.count && m->touches.at[*next].alloc == alloc; ++*next)
    right = right && take_touch(m, l, &m->touches.at[*next]);
  mark_mixed(l);
  return right;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

// What is live at [begin, end), where no life begins or ends, and some piece of the ranges lasts.
static stow_live_piece live_between(const lives *l, int64_t begin, int64_t end) {
  int64_t low = l->low, high = l->high;
  bool opens = false, closes = false;
  for (size_t i = 0; i < l->count; ++i) {
    const stow_marked_life *life = &l->at[i];
    if (!lasts(life, begin, end))
      continue;
    low = stow_ir_earlier(low, life->low);
    high = stow_ir_later(high, life->high);
    opens |= life->begin == begin;
    closes |= life->end == end;
  }
  return low < high ? (stow_live_piece){begin, end, opens, closes, (uint64_t)low, (uint64_t)high}
                    : (stow_live_piece){0};
}

static bool goes_on(const stow_live_piece *last, const stow_live_piece *next) {
  return last->end == next->begin && !last->closes && !next->opens && last->low == next->low &&
         last->high == next->high;
}

// `piece` is one of the ranges, of which `part` is what is live at some time.
static void add_part(stow_marked_lives *out, size_t first, const stow_live_piece *piece,
                     stow_live_piece part) {
  stow_live_piece *last = out->pieces.count > first ? &out->pieces.at[out->pieces.count - 1] : NULL;
  if (part.begin == part.end)
    return;
  if (part.begin == piece->begin)
    part.opens = piece->opens;
  if (part.end == piece->end)
    part.closes = piece->closes;
  if (last && goes_on(last, &part)) {
    last->end = part.end;
    last->closes = part.closes;
  } else
    STOW_PUSH(out->pieces, part);
}

static void clip_piece(stow_marked_lives *out, size_t first, const lives *l,
                       const stow_live_piece *piece) {
  int64_t next;
  for (int64_t at = piece->begin; at < piece->end; at = next) {
    next = piece->end;
    for (size_t i = 0; i < l->count; ++i) {
      if (l->at[i].begin > at)
        next = stow_ir_earlier(next, l->at[i].begin);
      if (l->at[i].end > at)
        next = stow_ir_earlier(next, l->at[i].end);
    }
    add_part(out, first, piece, live_between(l, at, next));
  }
}

// Lives of all of a buffer by its own name are in the ranges already.
static bool tells_more(const stow_flow *flow, int32_t alloc, const lives *l) {
  const MlirValue value = flow->values.at[flow->allocs.at[alloc].value].value;
  for (size_t i = 0; i < l->count; ++i)
    if (!mlirValueEqual(l->at[i].name, value))
      return true;
  return false;
}

static void clip_pieces(marking *m, int32_t alloc, const lives *l) {
  const stow_ranges *r = m->ranges;
  const size_t first = m->out->pieces.count;
  for (size_t p = r->first_piece[alloc]; p < r->first_piece[alloc + 1]; ++p)
    clip_piece(m->out, first, l, &r->pieces.at[p]);
  if (m->out->pieces.count - first > STOW_RANGES_MOST_PIECES)
    m->out->pieces.count = first;
}

//===----------------------------------------------------------------------===//
// All buffers
//===----------------------------------------------------------------------===//

static size_t end_of_markers(const marking *m, size_t first) {
  size_t end = first;
  while (end < m->markers.count && m->markers.at[end].alloc == m->markers.at[first].alloc)
    ++end;
  return end;
}

static void read_lives(marking *m) {
  size_t touched = 0;
  int32_t alloc = -1;
  for (size_t first = 0, end; first < m->markers.count; first = end) {
    const size_t life = m->out->lives.count;
    end = end_of_markers(m, first);
    while (alloc < m->markers.at[first].alloc)
      m->out->first_piece[++alloc] = m->out->pieces.count;
    if (!list_lives(m, first, end))
      continue;
    lives l = {m->out->lives.at + life, m->out->lives.count - life, INT64_MAX, INT64_MIN};
    if (keeps_to(m, &l, alloc, &touched) && tells_more(m->flow, alloc, &l))
      clip_pieces(m, alloc, &l);
  }
  while (alloc < (int32_t)m->flow->allocs.count)
    m->out->first_piece[++alloc] = m->out->pieces.count;
}

stow_marked_lives stow_marked_lives_of(const stow_flow *flow, const stow_ranges *ranges,
                                       const uint64_t *sizes) {
  stow_marked_lives out = {.first_piece =
                               stow_ir_allocate(flow->allocs.count + 1, sizeof *out.first_piece)};
  marking m = {.flow = flow, .ranges = ranges, .sizes = sizes, .out = &out};
  if (!flow->marked)
    return out;
  read_uses(&m);
  read_lives(&m);
  free(m.markers.at);
  free(m.touches.at);
  return out;
}

void stow_marked_lives_free(stow_marked_lives *marked) {
  free(marked->lives.at);
  free(marked->pieces.at);
  free(marked->first_piece);
  *marked = (stow_marked_lives){0};
}

void stow_ir_lives_of_alloc(const stow_marked_lives *marked, int32_t alloc, size_t *out_first,
                            size_t *out_end) {
  const stow_column allocs = STOW_COLUMN(marked->lives.at, marked->lives.count, alloc);
  *out_first = stow_ir_first_from(allocs, alloc);
  *out_end = stow_ir_first_from(allocs, (int64_t)alloc + 1);
}
