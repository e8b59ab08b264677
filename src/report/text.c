//===- text.c - the report as a table for people --------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Per arena: the figures, the largest buffers alive at the peak, and what was
// left alone by reason. Every list is cut at a stated length and says how much it
// hides, so a report of a million buffers is still read on one screen; the JSON
// has them all.
//
//===----------------------------------------------------------------------===//

#include "scale.h"
#include "table.h"

#include <string.h>

enum { SHOWN_AT_PEAK = 10, SHOWN_PER_REASON = 32, REASONS = 24 };

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

// A figure in two forms: for the eye, and exact where the first is rounded.
static void add_bytes(stow_table *table, size_t column, uint64_t bytes) {
  stow_table_cell(table, column, stow_report_cell_size(bytes));
  if (bytes >= 1024) {
    stow_cell_text exact = stow_report_cell_unsigned(bytes);
    strcat(exact.text, " B");
    stow_table_cell(table, column + 1, exact);
  }
}

typedef struct remark {
  char text[128];
} remark;

static void add_note(remark *note, const char *text) {
  const size_t used = strlen(note->text);
  const size_t left = sizeof note->text - 1 - used;
  strncat(note->text, text, left);
}

static void add_figure(stow_table *table, const char *label, uint64_t bytes, const remark *note) {
  stow_table_row(table);
  stow_table_text(table, 0, label);
  add_bytes(table, 1, bytes);
  stow_table_text(table, 3, note->text);
}

static void add_missing(stow_table *table, const char *label, const remark *note) {
  stow_table_row(table);
  stow_table_text(table, 0, label);
  stow_table_text(table, 1, "none");
  stow_table_text(table, 3, note->text);
}

static void add_count(stow_table *table, const char *label, uint64_t count) {
  stow_table_row(table);
  stow_table_text(table, 0, label);
  stow_table_cell(table, 1, stow_report_cell_unsigned(count));
}

static void add_counted(remark *note, uint64_t count, const char *one, const char *many) {
  add_note(note, stow_report_cell_unsigned(count).text);
  add_note(note, count == 1 ? one : many);
}

static size_t count_at_peak(const stow_report_arena *arena) {
  size_t count = 0;
  for (size_t i = 0; i < arena->buffer_count; i++)
    count += arena->buffers[i].live_at_peak;
  return count;
}

static uint64_t excess(uint64_t more, uint64_t less) { return more > less ? more - less : 0; }

static remark peak_remark(const stow_report_arena *arena) {
  remark note = {""};
  add_note(&note, arena->workgroup ? "at step " : "at point ");
  add_note(&note, stow_report_cell_signed(arena->peak).text);
  add_note(&note, ", ");
  add_counted(&note, count_at_peak(arena), " buffer alive", " buffers alive");
  return note;
}

static void add_savings(remark *note, uint64_t before, uint64_t after) {
  add_note(note, "saves ");
  add_note(note, stow_report_cell_percent(excess(before, after), before).text);
  add_note(note, " %");
}

static remark arena_remark(const stow_report_arena *arena, uint64_t planned_bytes, bool is_all) {
  remark note = {""};
  const char *const strategy = stow_strategy_name(arena->strategy);
  if (planned_bytes == 0) {
    add_note(&note, "nothing is planned");
    return note;
  }
  add_note(&note, stow_outcome_name(arena->outcome));
  if (!stow_report_has_plan(arena))
    return note;
  add_note(&note, strategy ? " by " : "");
  add_note(&note, strategy ? strategy : "");
  add_note(&note, ", gap ");
  add_note(&note, stow_report_cell_percent(excess(arena->arena_size, arena->lower_bound),
                                           arena->lower_bound)
                      .text);
  add_note(&note, " %");
  if (is_all && arena->arena_size < planned_bytes) {
    add_note(&note, ", ");
    add_savings(&note, planned_bytes, arena->arena_size);
  }
  return note;
}

static remark fragmentation_remark(const stow_report_arena *arena) {
  const uint64_t highest = arena->highest_at_peak;
  remark note = {"fragmentation "};
  add_note(&note, stow_report_cell_percent(excess(highest, arena->load), highest).text);
  add_note(&note, " %");
  return note;
}

static remark capacity_remark(const stow_report_arena *arena) {
  const uint64_t needed =
      arena->arena_size > arena->lower_bound ? arena->arena_size : arena->lower_bound;
  const bool fits = needed <= arena->capacity;
  remark note = {""};
  if (fits && !stow_report_has_plan(arena)) {
    add_note(&note, "no plan found that fits");
    return note;
  }
  add_note(&note,
           stow_report_cell_size(fits ? arena->capacity - needed : needed - arena->capacity).text);
  add_note(&note, fits ? " to spare" : " too small");
  return note;
}

static remark left_alone_remark(const stow_report_totals *totals) {
  remark note = {""};
  add_counted(&note, totals->left_alone, " buffer", " buffers");
  if (totals->left_alone_unsized) {
    add_note(&note, ", ");
    add_counted(&note, totals->left_alone_unsized, " of unknown size", " of unknown size");
  }
  return note;
}

static remark count_remark(uint64_t count) {
  remark note = {""};
  add_counted(&note, count, " buffer", " buffers");
  return note;
}

static void put_figures_of_nothing(const stow_report_totals *totals, stow_sink sink) {
  const remark nothing = {"nothing is planned"}, left_alone = left_alone_remark(totals);
  stow_table table = {.right_columns = 1u << 1 | 1u << 2};
  add_missing(&table, "arena", &nothing);
  add_figure(&table, "left alone", totals->left_alone_bytes, &left_alone);
  stow_report_put_table(sink, &table, 2);
}

// The formula of the arena, and the sizes for which the figures are.
static void put_formula(const stow_report_arena *arena, stow_sink sink) {
  if (!arena->sizes)
    return;
  stow_report_put(sink, "  ");
  if (arena->formula) {
    stow_report_put(sink, "arena = ");
    stow_report_put_all_shown(sink, arena->formula);
    stow_report_put(sink, " bytes; ");
  }
  stow_report_put(sink, "the figures are for ");
  stow_report_put_all_shown(sink, arena->sizes);
  stow_report_put(sink, arena->formula ? "\n" : "; with others other buffers may be alive here\n");
}

// `is_all`: there are no allocations outside the arenas, so the saving of the arenas is the total.
static void put_figures(const stow_report_arena *arena, bool is_all, stow_sink sink) {
  const stow_report_totals totals = stow_report_sum(arena);
  if (totals.planned == 0 && totals.left_alone > 0) {
    put_figures_of_nothing(&totals, sink);
    put_formula(arena, sink);
    return;
  }
  const remark planned = count_remark(totals.planned), peak = peak_remark(arena);
  const remark outcome = arena_remark(arena, totals.planned_bytes, is_all), nothing = {""};
  const remark fragmentation = fragmentation_remark(arena), capacity = capacity_remark(arena);
  const remark left_alone = left_alone_remark(&totals);
  stow_table table = {.right_columns = 1u << 1 | 1u << 2};
  add_figure(&table, "without reuse", totals.planned_bytes, &planned);
  add_figure(&table, "live at the peak", arena->load, &peak);
  add_figure(&table, "lower bound", arena->lower_bound, &nothing);
  if (stow_report_has_plan(arena))
    add_figure(&table, "arena", arena->arena_size, &outcome);
  else
    add_missing(&table, "arena", &outcome);
  if (stow_report_has_plan(arena))
    add_figure(&table, "highest at the peak", arena->highest_at_peak, &fragmentation);
  if (arena->capacity)
    add_figure(&table, "capacity", arena->capacity, &capacity);
  if (totals.left_alone)
    add_figure(&table, "left alone", totals.left_alone_bytes, &left_alone);
  if (stow_report_has_plan(arena))
    add_count(&table, "reuse pairs", arena->reuse_pairs);
  stow_report_put_table(sink, &table, 2);
  put_formula(arena, sink);
}

//===----------------------------------------------------------------------===//
// Alive at the peak
//===----------------------------------------------------------------------===//

// The largest buffers alive at the peak, largest first, in order of the report where equal.
typedef struct top_buffers {
  size_t count;
  const stow_report_buffer *buffers[SHOWN_AT_PEAK];
} top_buffers;

static void offer(top_buffers *largest, const stow_report_buffer *buffer) {
  size_t at = largest->count;
  while (at && largest->buffers[at - 1]->buffer.size < buffer->buffer.size)
    at--;
  if (at == SHOWN_AT_PEAK)
    return;
  if (largest->count < SHOWN_AT_PEAK)
    largest->count++;
  for (size_t i = largest->count - 1; i > at; i--)
    largest->buffers[i] = largest->buffers[i - 1];
  largest->buffers[at] = buffer;
}

static void add_buffer_at_peak(stow_table *table, const stow_report_buffer *buffer, bool placed) {
  stow_table_row(table);
  stow_table_text(table, 0, buffer->name);
  add_bytes(table, 1, buffer->buffer.size);
  if (placed)
    stow_table_cell(table, 3, stow_report_cell_unsigned(buffer->offset));
  stow_table_cell(table, 4, stow_report_cell_life(&buffer->buffer));
  stow_table_text(table, 5, buffer->type);
  stow_table_text(table, 6, buffer->location);
}

static void put_more(stow_sink sink, size_t count, uint64_t bytes, size_t indent) {
  stow_report_put_char(sink, ' ', indent);
  STOW_PUT(sink, "... and ", stow_report_cell_unsigned(count).text, " more, ",
           stow_report_cell_size(bytes).text, "\n");
}

static void put_peak(const stow_report_arena *arena, stow_sink sink) {
  top_buffers largest = {0};
  for (size_t i = 0; i < arena->buffer_count; i++)
    if (arena->buffers[i].live_at_peak)
      offer(&largest, &arena->buffers[i]);
  if (!largest.count)
    return;
  stow_table table = {.right_columns = 1u << 1 | 1u << 2 | 1u << 3, .has_head = true};
  static const char *const heads[] = {"name", "size", "", "offset", "life", "type", "location"};
  stow_table_row(&table);
  for (size_t column = 0; column < sizeof heads / sizeof *heads; column++)
    stow_table_text(&table, column, heads[column]);
  uint64_t hidden_bytes = arena->load;
  for (size_t i = 0; i < largest.count; i++) {
    add_buffer_at_peak(&table, largest.buffers[i], stow_report_has_plan(arena));
    hidden_bytes = excess(hidden_bytes, largest.buffers[i]->buffer.size);
  }
  stow_report_put(sink, "\n  alive at the peak, largest first\n");
  stow_report_put_table(sink, &table, 4);
  const size_t alive = count_at_peak(arena);
  if (alive > largest.count)
    put_more(sink, alive - largest.count, hidden_bytes, 4);
}

//===----------------------------------------------------------------------===//
// Left alone
//===----------------------------------------------------------------------===//

typedef struct reason_group {
  const char *reason;
  const char *detail; // of the first buffer; NULL where they differ
  const char *suggestion;
  size_t count;
  uint64_t bytes;
} reason_group;

// Groups in the order of their first buffers. Reasons past the last group share it.
typedef struct reason_groups {
  size_t count;
  reason_group groups[REASONS];
} reason_groups;

static reason_group *group_of(reason_groups *groups, const stow_report_buffer *buffer) {
  for (size_t i = 0; i < groups->count; i++)
    if (!strcmp(groups->groups[i].reason, buffer->reason))
      return &groups->groups[i];
  if (groups->count == REASONS)
    return NULL;
  groups->groups[groups->count] =
      (reason_group){buffer->reason, buffer->detail, buffer->suggestion, 0, 0};
  return &groups->groups[groups->count++];
}

static void count_reasons(const stow_report_arena *arena, reason_groups *groups) {
  for (size_t i = 0; i < arena->buffer_count; i++) {
    const stow_report_buffer *const buffer = &arena->buffers[i];
    reason_group *const group = buffer->reason ? group_of(groups, buffer) : NULL;
    if (!group)
      continue;
    group->count++;
    group->bytes += buffer->buffer.size;
    if (group->detail && strcmp(group->detail, buffer->detail))
      group->detail = NULL;
  }
}

static void put_reason_sums(stow_sink sink, const reason_group *group) {
  stow_report_put(sink, "    ");
  stow_report_put_all_shown(sink, group->reason);
  if (group->detail && *group->detail) {
    stow_report_put(sink, ": ");
    stow_report_put_all_shown(sink, group->detail);
  }
  STOW_PUT(sink, " - ", stow_report_cell_unsigned(group->count).text,
           group->count == 1 ? " buffer, " : " buffers, ", stow_report_cell_size(group->bytes).text,
           "\n");
  if (!group->suggestion)
    return;
  stow_report_put(sink, "      to change that: ");
  stow_report_put_all_shown(sink, group->suggestion);
  stow_report_put(sink, "\n");
}

static void add_left_alone(stow_table *table, const stow_report_buffer *buffer, bool with_detail) {
  stow_table_row(table);
  stow_table_text(table, 0, buffer->name);
  if (buffer->size_known)
    add_bytes(table, 1, buffer->buffer.size);
  else
    stow_table_text(table, 1, "dynamic");
  stow_table_text(table, 3, buffer->type);
  stow_table_text(table, 4, buffer->location);
  if (with_detail)
    stow_table_text(table, 5, buffer->detail);
}

static void put_reason(const stow_report_arena *arena, const reason_group *group, stow_sink sink) {
  stow_table table = {.right_columns = 1u << 1 | 1u << 2};
  uint64_t hidden_bytes = group->bytes;
  for (size_t i = 0; i < arena->buffer_count && table.rows < SHOWN_PER_REASON; i++) {
    const stow_report_buffer *const buffer = &arena->buffers[i];
    if (!buffer->reason || strcmp(buffer->reason, group->reason))
      continue;
    add_left_alone(&table, buffer, !group->detail);
    hidden_bytes -= buffer->buffer.size;
  }
  put_reason_sums(sink, group);
  stow_report_put_table(sink, &table, 6);
  if (group->count > table.rows)
    put_more(sink, group->count - table.rows, hidden_bytes, 6);
}

static void put_left_alone(const stow_report_arena *arena, stow_sink sink) {
  reason_groups groups = {0};
  count_reasons(arena, &groups);
  if (groups.count)
    stow_report_put(sink, "\n  left alone\n");
  size_t shown = 0;
  uint64_t shown_bytes = 0;
  for (size_t i = 0; i < groups.count; i++) {
    put_reason(arena, &groups.groups[i], sink);
    shown += groups.groups[i].count;
    shown_bytes += groups.groups[i].bytes;
  }
  const stow_report_totals totals = stow_report_sum(arena);
  if (shown < totals.left_alone)
    put_more(sink, totals.left_alone - shown, totals.left_alone_bytes - shown_bytes, 4);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static void put_arena_title(const stow_report_arena *arena, stow_sink sink) {
  stow_report_put(sink, "\n");
  stow_report_put_all_shown(sink, arena->function);
  stow_report_put_shown_if_any(sink, ", ", arena->scope, "");
  stow_report_put_shown_if_any(sink, ", memory space ", arena->memory_space, "");
  stow_report_put_shown_if_any(sink, ", in the bytes of ", arena->within, "");
  stow_report_put_shown_if_any(sink, "  (", arena->location, ")");
  stow_report_put(sink, "\n");
}

static void put_arena(const stow_report_arena *arena, bool is_all, stow_sink sink) {
  put_arena_title(arena, sink);
  put_figures(arena, is_all, sink);
  put_peak(arena, sink);
  put_left_alone(arena, sink);
}

// What lies deeper than lines are wide says how deep.
static void put_depth(size_t depth, stow_sink sink) {
  enum { MOST = 30 };
  for (size_t i = 0; i <= depth && i <= MOST; i++)
    stow_report_put(sink, "  ");
  if (depth <= MOST)
    return;
  STOW_PUT(sink, "(depth ", stow_report_cell_unsigned(depth).text, ") ");
}

static void put_frame(const stow_report_frame *frame, stow_sink sink) {
  put_depth(frame->depth, sink);
  stow_report_put_all_shown(sink, frame->function);
  STOW_PUT(sink, "  ", stow_report_cell_unsigned(frame->bytes).text, " B, aligned to ",
           stow_report_cell_unsigned(frame->alignment).text);
  stow_report_put_shown_if_any(sink, ", memory space ", frame->memory_space, "");
  STOW_PUT(sink, ", ", frame->kind);
  if (frame->calls > 1)
    STOW_PUT(sink, ", ", stow_report_cell_unsigned(frame->calls).text, " calls");
  stow_report_put_shown_if_any(sink, ", bytes = ", frame->formula, "");
  stow_report_put(sink, frame->above ? ", listed above\n" : "\n");
}

static void put_frames(const stow_report_frames *frames, stow_sink sink) {
  if (frames->count)
    stow_report_put(sink, "\nframes, those of callees inside of their callers'\n");
  for (size_t i = 0; i < frames->count; i++)
    put_frame(&frames->at[i], sink);
}

// `out_note` is shown with the table.
static void add_heap(stow_table *table, const stow_report_heap *heap, remark *out_note) {
  *out_note = (remark){""};
  add_note(out_note, heap->exact ? "" : "about; ");
  if (heap->after <= heap->before)
    add_savings(out_note, heap->before, heap->after);
  else
    add_note(out_note, "more than before");
  stow_table_row(table);
  stow_table_text(table, 0, heap->function);
  add_bytes(table, 1, heap->before);
  add_bytes(table, 3, heap->after);
  stow_table_text(table, 5, out_note->text);
}

static void put_heaps(const stow_report *report, stow_sink sink) {
  static const char *const heads[] = {"function", "before", "", "after"};
  enum { SHOWN = STOW_TABLE_ROWS - 1 };
  const size_t shown = report->heap_count < SHOWN ? report->heap_count : SHOWN;
  remark notes[SHOWN];
  if (!report->heap_count)
    return;
  stow_table table = {.right_columns = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4, .has_head = true};
  stow_table_row(&table);
  for (size_t column = 0; column < sizeof heads / sizeof *heads; column++)
    stow_table_text(&table, column, heads[column]);
  for (size_t i = 0; i < shown; i++)
    add_heap(&table, &report->heaps[i], &notes[i]);
  stow_report_put(sink, "\nheap at the peak of each function, callees included\n");
  stow_report_put_table(sink, &table, 2);
  if (shown < report->heap_count)
    STOW_PUT(sink, "  and ", stow_report_cell_unsigned(report->heap_count - shown).text,
             " functions more, all in the JSON report\n");
}

static void put_occupancy(const stow_report_occupancy *occupancy, stow_sink sink) {
  STOW_PUT(sink, "; workgroups in ", stow_report_cell_unsigned(occupancy->memory).text,
           " B: ", stow_report_cell_unsigned(occupancy->after).text, ", before ",
           stow_report_cell_unsigned(occupancy->before).text);
  for (size_t i = 0; i < occupancy->next_count; i++)
    STOW_PUT(sink, i ? ", " : "; ", stow_report_cell_unsigned(occupancy->after + i + 1).text,
             " with at most ", stow_report_cell_unsigned(occupancy->next[i]).text, " B");
}

static void put_kernels(const stow_report *report, stow_sink sink) {
  const size_t most = STOW_TABLE_ROWS;
  if (report->kernel_count)
    stow_report_put(sink, "\nmemory of a workgroup of each GPU kernel\n");
  for (size_t i = 0; i < report->kernel_count && i < most; i++) {
    const stow_report_kernel *kernel = &report->kernels[i];
    stow_report_put(sink, "  ");
    stow_report_put_all_shown(sink, kernel->function);
    STOW_PUT(sink, "  ", stow_report_cell_unsigned(kernel->after).text, " B, before ",
             stow_report_cell_unsigned(kernel->before).text, " B");
    if (kernel->occupancy.memory)
      put_occupancy(&kernel->occupancy, sink);
    stow_report_put(sink, "\n");
  }
  if (report->kernel_count > most)
    STOW_PUT(sink, "  and ", stow_report_cell_unsigned(report->kernel_count - most).text,
             " kernels more, all in the JSON report\n");
}

void stow_report_text(const stow_report *report, stow_sink sink) {
  STOW_PUT(sink, report->title, ": ", stow_report_cell_unsigned(report->arena_count).text,
           report->arena_count == 1 ? " arena\n" : " arenas\n");
  stow_report_put_shown_if_any(sink, "  ", report->note, "\n");
  put_frames(&report->frames, sink);
  for (size_t i = 0; i < report->arena_count; i++)
    put_arena(&report->arenas[i], report->heap_count == 0, sink);
  put_heaps(report, sink);
  put_kernels(report, sink);
}
