//===- verify.c - checking a plan against the definition ------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lives are taken apart into pieces, each a range of bytes during a range of time.
// The sweep passes over time and keeps the pieces alive in a tree over all pieces
// sorted by their first byte: a leaf holds the end of its piece's bytes while it
// lives and 0 otherwise, an inner node the largest end below it. A piece that
// begins shares bytes with a live one exactly if a leaf left of the first piece
// that starts past its end holds an end above its start. All such leaves are
// visited: some may be allowed, and then each is of a pair the caller declared.
//
// Nothing here is used by a strategy, nor the other way round: its own sort, its
// own sweep, its own reading of lives and relations.
//
//===----------------------------------------------------------------------===//

#include "memory.h"
#include "problem.h"

// What is sorted: pieces by first byte, events by point and then ends before begins, pairs that may
// overlap by their lower and then their higher buffer.
struct entry {
  uint64_t major;
  uint32_t minor, index;
};

enum { ENDS = 0, BEGINS = 1 };

struct part {
  int64_t begin, end; // points
  uint64_t first_byte, bytes_end;
  uint32_t buffer;
};

struct sweep {
  const stow_problem *problem;
  const uint64_t *offsets;
  const uint32_t *spaces;                 // NULL: all in space 0
  uint32_t *by_space;                     // the buffers, one space's after the other's
  uint32_t first_in[STOW_MAX_SPACES + 1]; // of `by_space`
  uint32_t *class_of;                     // per buffer, one of those it must start with
  struct entry *allowed;                  // lower buffer, kind, higher buffer
  size_t allowed_count;
  struct part *parts;
  struct entry *ranks;  // first byte, 0, part
  struct entry *events; // point, ENDS or BEGINS, rank
  uint64_t *ends;       // the tree: root 1, leaf of rank r at leaf_count + r
  size_t count, leaf_count;
};

static const stow_fault no_fault = {STOW_FAULT_NONE, 0, 0};

//===----------------------------------------------------------------------===//
// Each buffer by itself
//===----------------------------------------------------------------------===//

static uint32_t space_of(const uint32_t *spaces, size_t buffer) {
  return spaces ? spaces[buffer] : 0;
}

static uint64_t limit_of(const stow_problem *problem, uint32_t space, uint64_t arena_size) {
  if (!problem->space_count || !problem->spaces[space].capacity)
    return arena_size;
  const uint64_t capacity = problem->spaces[space].capacity;
  return capacity < arena_size ? capacity : arena_size;
}

static bool may_go(const stow_problem *problem, size_t buffer, uint32_t space) {
  if (space >= (problem->space_count ? problem->space_count : 1))
    return false;
  return !problem->space_count || !problem->allowed_spaces ||
         (problem->allowed_spaces[buffer] >> space & 1) != 0;
}

static stow_fault_kind check_alone(const stow_problem *problem, uint64_t offset, uint32_t space,
                                   size_t buffer, uint64_t arena_size) {
  const uint64_t size = problem->buffers[buffer].size;
  const uint64_t fixed = stow_plan_problem_fixed(problem, buffer);
  if (!may_go(problem, buffer, space))
    return STOW_FAULT_SPACE;
  if (offset % stow_plan_problem_alignment(problem, buffer) != 0)
    return STOW_FAULT_ALIGNMENT;
  if (fixed != STOW_ANY_OFFSET && fixed != offset)
    return STOW_FAULT_FIXED;
  const uint64_t limit = limit_of(problem, space, arena_size);
  return size > limit || offset > limit - size ? STOW_FAULT_ARENA_SIZE : STOW_FAULT_NONE;
}

static stow_fault check_each(const stow_problem *problem, const uint64_t *offsets,
                             const uint32_t *spaces, uint64_t arena_size) {
  for (size_t i = 0; i < problem->buffer_count; ++i) {
    const stow_fault_kind kind =
        check_alone(problem, offsets[i], space_of(spaces, i), i, arena_size);
    if (kind != STOW_FAULT_NONE)
      return (stow_fault){kind, i, i};
  }
  return no_fault;
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

static int precedes(const struct entry *a, const struct entry *b) {
  if (a->major != b->major)
    return a->major < b->major;
  return a->minor != b->minor ? a->minor < b->minor : a->index < b->index;
}

// Down to a leaf, always to the larger child, and from there up: what comes from the end of the
// heap belongs near it.
static void sift(struct entry *heap, size_t count, size_t top) {
  const struct entry moved = heap[top];
  size_t at = top;
  for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && precedes(&heap[child], &heap[child + 1]))
      ++child;
    heap[at] = heap[child];
    at = child;
  }
  for (; at > top && precedes(&heap[(at - 1) / 2], &moved); at = (at - 1) / 2)
    heap[at] = heap[(at - 1) / 2];
  heap[at] = moved;
}

static void heap_sort(struct entry *entries, size_t count) {
  for (size_t i = count / 2; i-- > 0;)
    sift(entries, count, i);
  for (size_t last = count; last-- > 1;) {
    const struct entry largest = entries[0];
    entries[0] = entries[last];
    entries[last] = largest;
    sift(entries, last, 0);
  }
}

//===----------------------------------------------------------------------===//
// Relations
//===----------------------------------------------------------------------===//

static uint32_t find_class(uint32_t *class_of, uint32_t buffer) {
  while (class_of[buffer] != buffer)
    buffer = class_of[buffer] = class_of[class_of[buffer]];
  return buffer;
}

static struct entry allowed_pair(const stow_relation *relation) {
  const uint32_t a = (uint32_t)relation->first, b = (uint32_t)relation->second;
  return (struct entry){a < b ? a : b, a < b ? b : a, relation->kind};
}

static bool start_apart(const struct sweep *sweep, size_t a, size_t b) {
  return sweep->offsets[a] != sweep->offsets[b] ||
         space_of(sweep->spaces, a) != space_of(sweep->spaces, b);
}

static stow_fault read_relations(struct sweep *sweep) {
  stow_fault fault = no_fault;
  for (uint32_t i = 0; i < sweep->problem->buffer_count; ++i)
    sweep->class_of[i] = i;
  for (size_t i = 0; i < sweep->problem->relation_count; ++i) {
    const stow_relation *relation = &sweep->problem->relations[i];
    if (relation->kind == STOW_OTHER_BANK) // count_conflicts looks at those
      continue;
    if (relation->kind != STOW_COLOCATED) {
      sweep->allowed[sweep->allowed_count++] = allowed_pair(relation);
      continue;
    }
    sweep->class_of[find_class(sweep->class_of, (uint32_t)relation->first)] =
        find_class(sweep->class_of, (uint32_t)relation->second);
    if (fault.kind == STOW_FAULT_NONE && start_apart(sweep, relation->first, relation->second))
      fault = (stow_fault){STOW_FAULT_COLOCATION, relation->first, relation->second};
  }
  heap_sort(sweep->allowed, sweep->allowed_count);
  return fault;
}

static bool has_relation(const struct sweep *sweep, uint32_t a, uint32_t b,
                         stow_relation_kind kind) {
  const struct entry wanted = {a < b ? a : b, a < b ? b : a, kind};
  size_t low = 0, high = sweep->allowed_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (precedes(&sweep->allowed[middle], &wanted))
      low = middle + 1;
    else
      high = middle;
  }
  return low < sweep->allowed_count && !precedes(&wanted, &sweep->allowed[low]);
}

static bool may_overlap(const struct sweep *sweep, uint32_t a, uint32_t b) {
  if (find_class(sweep->class_of, a) == find_class(sweep->class_of, b))
    return true;
  if (has_relation(sweep, a, b, STOW_EXCLUSIVE))
    return true;
  return !start_apart(sweep, a, b) && has_relation(sweep, a, b, STOW_MAY_COLOCATE);
}

//===----------------------------------------------------------------------===//
// Banks
//===----------------------------------------------------------------------===//

// Whether some bank has bytes of both: by the numbers of the first and the last one of each. Where
// banks take turns, whether both begin in one.
static bool share_bank(const stow_problem *problem, const uint64_t *offsets, size_t a, size_t b) {
  const uint64_t bytes = problem->bank_size, size_a = problem->buffers[a].size,
                 size_b = problem->buffers[b].size;
  if (!size_a || !size_b)
    return false;
  if (problem->bank_count)
    return offsets[a] / bytes % problem->bank_count == offsets[b] / bytes % problem->bank_count;
  const uint64_t first_a = offsets[a] / bytes, last_a = (offsets[a] + size_a - 1) / bytes;
  const uint64_t first_b = offsets[b] / bytes, last_b = (offsets[b] + size_b - 1) / bytes;
  return first_a <= last_b && first_b <= last_a;
}

static size_t count_conflicts(const stow_problem *problem, const uint64_t *offsets,
                              stow_fault *out_first) {
  size_t count = 0;
  for (size_t i = 0; i < problem->relation_count; ++i) {
    const stow_relation *r = &problem->relations[i];
    if (r->kind != STOW_OTHER_BANK || !share_bank(problem, offsets, r->first, r->second))
      continue;
    if (count++ == 0)
      *out_first = (stow_fault){STOW_FAULT_BANK, r->first, r->second};
  }
  return count;
}

//===----------------------------------------------------------------------===//
// All together, one space at a time
//===----------------------------------------------------------------------===//

static void add_part(struct sweep *sweep, uint32_t buffer, const stow_piece *piece) {
  const uint64_t offset = sweep->offsets[buffer];
  const uint64_t high = piece->high ? piece->high : sweep->problem->buffers[buffer].size;
  const uint32_t at = (uint32_t)sweep->count++;
  sweep->parts[at] =
      (struct part){piece->begin, piece->end, offset + piece->low, offset + high, buffer};
  sweep->ranks[at] = (struct entry){offset + piece->low, 0, at};
}

static void add_parts(struct sweep *sweep, uint32_t buffer) {
  const stow_problem *problem = sweep->problem;
  const stow_buffer *b = &problem->buffers[buffer];
  const size_t count = stow_plan_problem_piece_count(problem, buffer);
  if (!b->size)
    return;
  if (!count)
    add_part(sweep, buffer, &(stow_piece){b->begin, b->end, 0, 0});
  for (size_t i = 0; i < count; ++i)
    add_part(sweep, buffer, &problem->pieces[problem->piece_starts[buffer] + i]);
}

static uint64_t sortable(int64_t point) { return (uint64_t)point + (UINT64_C(1) << 63); }

// Each buffer is in a space that exists: check_each has seen to that.
static void sort_by_space(struct sweep *sweep, size_t space_count) {
  const size_t count = sweep->problem->buffer_count;
  for (uint32_t i = 0; i < count; ++i)
    ++sweep->first_in[space_of(sweep->spaces, i)];
  for (size_t s = 1; s <= space_count; ++s)
    sweep->first_in[s] += sweep->first_in[s - 1]; // where the space ends
  for (uint32_t i = (uint32_t)count; i-- > 0;)
    sweep->by_space[--sweep->first_in[space_of(sweep->spaces, i)]] = i;
}

static void rank_parts(struct sweep *sweep, uint32_t space) {
  sweep->count = 0;
  for (uint32_t i = sweep->first_in[space]; i < sweep->first_in[space + 1]; ++i)
    add_parts(sweep, sweep->by_space[i]);
  heap_sort(sweep->ranks, sweep->count);
}

static void list_events(struct sweep *sweep) {
  for (uint32_t i = 0; i < sweep->count; ++i) {
    const struct part *part = &sweep->parts[sweep->ranks[i].index];
    sweep->events[2 * i] = (struct entry){sortable(part->begin), BEGINS, i};
    sweep->events[2 * i + 1] = (struct entry){sortable(part->end), ENDS, i};
  }
  heap_sort(sweep->events, 2 * sweep->count);
}

static void tree_set(struct sweep *sweep, size_t rank, uint64_t end) {
  for (size_t at = sweep->leaf_count + rank; at && sweep->ends[at] != end;) {
    sweep->ends[at] = end;
    const uint64_t other = sweep->ends[at ^ 1];
    end = end > other ? end : other;
    at /= 2;
  }
}

// How many ranks begin below `byte`.
static size_t ranks_below(const struct sweep *sweep, uint64_t byte) {
  size_t low = 0, high = sweep->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (sweep->ranks[middle].major < byte)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The first rank in [from, to) whose leaf holds an end above `byte`, or `to`. Climbs to a node that
// has one, then descends to the leftmost leaf of it.
static size_t first_reaching(const struct sweep *sweep, size_t from, size_t to, uint64_t byte) {
  if (from >= to)
    return to;
  size_t at = sweep->leaf_count + from;
  while (sweep->ends[at] <= byte) {
    while (at % 2 == 1)
      at /= 2;
    if (at == 0)
      return to;
    ++at;
  }
  while (at < sweep->leaf_count)
    at = sweep->ends[2 * at] > byte ? 2 * at : 2 * at + 1;
  return at - sweep->leaf_count < to ? at - sweep->leaf_count : to;
}

static stow_fault overlap_of(uint32_t a, uint32_t b) {
  return (stow_fault){STOW_FAULT_OVERLAP, a < b ? a : b, a < b ? b : a};
}

static stow_fault begin_part(const struct sweep *sweep, const struct part *part) {
  const size_t to = ranks_below(sweep, part->bytes_end);
  size_t hit = first_reaching(sweep, 0, to, part->first_byte);
  for (; hit < to; hit = first_reaching(sweep, hit + 1, to, part->first_byte)) {
    const struct part *other = &sweep->parts[sweep->ranks[hit].index];
    if (other->buffer != part->buffer && !may_overlap(sweep, other->buffer, part->buffer))
      return overlap_of(other->buffer, part->buffer);
  }
  return no_fault;
}

static stow_fault sweep_over_time(struct sweep *sweep) {
  stow_fault fault = no_fault;
  for (size_t i = 0; i < 2 * sweep->count && fault.kind == STOW_FAULT_NONE; ++i) {
    const struct entry *event = &sweep->events[i];
    const struct part *part = &sweep->parts[sweep->ranks[event->index].index];
    if (event->minor == BEGINS)
      fault = begin_part(sweep, part);
    tree_set(sweep, event->index, event->minor == BEGINS ? part->bytes_end : 0);
  }
  return fault;
}

static stow_fault check_spaces(struct sweep *sweep) {
  const size_t space_count = sweep->problem->space_count ? sweep->problem->space_count : 1;
  stow_fault fault = read_relations(sweep);
  sort_by_space(sweep, space_count);
  for (uint32_t space = 0; space < space_count && fault.kind == STOW_FAULT_NONE; ++space) {
    rank_parts(sweep, space);
    list_events(sweep);
    fault = sweep_over_time(sweep);
  }
  return fault;
}

static stow_status check_together(const stow_problem *problem, const uint64_t *offsets,
                                  const uint32_t *spaces, stow_memory *memory,
                                  stow_fault *out_fault) {
  size_t part_count = problem->buffer_count;
  if (problem->piece_starts && problem->buffer_count)
    part_count += problem->piece_starts[problem->buffer_count] - problem->piece_starts[0];
  if (part_count > STOW_MAX_BUFFERS)
    return STOW_OVERFLOW;
  struct sweep sweep = {.problem = problem, .offsets = offsets, .spaces = spaces, .leaf_count = 1};
  while (sweep.leaf_count < part_count)
    sweep.leaf_count *= 2;
  sweep.class_of = STOW_TAKE(memory, uint32_t, problem->buffer_count);
  sweep.by_space = STOW_TAKE(memory, uint32_t, problem->buffer_count);
  sweep.allowed = STOW_TAKE(memory, struct entry, problem->relation_count);
  sweep.parts = STOW_TAKE(memory, struct part, part_count);
  sweep.ranks = STOW_TAKE(memory, struct entry, part_count);
  sweep.events = STOW_TAKE(memory, struct entry, 2 * part_count);
  sweep.ends = STOW_TAKE_ZEROED(memory, uint64_t, 2 * sweep.leaf_count);
  if (!sweep.class_of || !sweep.by_space || !sweep.allowed || !sweep.parts || !sweep.ranks ||
      !sweep.events || !sweep.ends)
    return STOW_NO_MEMORY;
  *out_fault = check_spaces(&sweep);
  return STOW_OK;
}

static stow_status verify(const stow_problem *problem, const uint64_t *offsets,
                          const uint32_t *spaces, uint64_t arena_size, stow_fault *out_fault) {
  *out_fault = no_fault;
  stow_problem read;
  stow_status status = stow_plan_problem_read(problem, &read, out_fault);
  if (status != STOW_OK)
    return status;
  if (read.buffer_count && !offsets)
    return STOW_INVALID;
  *out_fault = check_each(&read, offsets, spaces, arena_size);
  if (out_fault->kind != STOW_FAULT_NONE || count_conflicts(&read, offsets, out_fault) > 0)
    return STOW_OK;
  stow_memory memory;
  stow_memory_begin(&memory, NULL);
  status = check_together(&read, offsets, spaces, &memory, out_fault);
  stow_memory_end(&memory);
  return status;
}

stow_status stow_verify(const stow_problem *problem, const uint64_t *offsets, uint64_t arena_size,
                        stow_fault *out_fault) {
  return verify(problem, offsets, NULL, arena_size, out_fault);
}

stow_status stow_verify_spaces(const stow_problem *problem, const uint64_t *offsets,
                               const uint32_t *spaces, stow_fault *out_fault) {
  return verify(problem, offsets, spaces, UINT64_MAX, out_fault);
}

stow_status stow_bank_conflicts(const stow_problem *problem, const uint64_t *offsets,
                                size_t *out_count) {
  stow_problem read;
  stow_fault fault;
  *out_count = 0;
  const stow_status status = stow_plan_problem_read(problem, &read, &fault);
  if (status != STOW_OK)
    return status;
  if (read.buffer_count && !offsets)
    return STOW_INVALID;
  for (size_t i = 0; i < read.buffer_count; ++i) // so that all bytes have numbers
    if (read.buffers[i].size > UINT64_MAX - offsets[i])
      return STOW_OVERFLOW;
  *out_count = count_conflicts(&read, offsets, &fault);
  return STOW_OK;
}
