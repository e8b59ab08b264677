//===- json.c - the report as one JSON object -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two spaces of indent per level, one line per buffer: readable as it is, and a
// diff of two reports names the buffers that changed.
//
//===----------------------------------------------------------------------===//

#include "json.h"

#include "json_members.h"
#include "scale.h"

// Where the JSON goes and how its strings are escaped.
typedef struct json_writer {
  stow_sink sink;
  void (*put_string)(stow_sink sink, const char *text);
} json_writer;

// Between members of an object on one line, and between those of an arena.
static const char next[] = ", ", next_line[] = ",\n      ";

static void put_key(const json_writer *to, const char *before, const char *key) {
  stow_put_json_key(to->sink, before, key);
}

static void put_text(const json_writer *to, const char *before, const char *key, const char *text) {
  put_key(to, before, key);
  to->put_string(to->sink, text);
}

static void put_text_if_any(const json_writer *to, const char *before, const char *key,
                            const char *text) {
  if (text)
    put_text(to, before, key, text);
}

static void put_unsigned(const json_writer *to, const char *before, const char *key,
                         uint64_t value) {
  put_key(to, before, key);
  stow_put_unsigned(to->sink, value);
}

static void put_unsigned_or_null(const json_writer *to, const char *before, const char *key,
                                 uint64_t value, bool known) {
  put_key(to, before, key);
  stow_put(to->sink, known ? stow_cell_unsigned(value).text : "null");
}

static void put_signed(const json_writer *to, const char *before, const char *key, int64_t value) {
  put_key(to, before, key);
  stow_put_signed(to->sink, value);
}

static void put_planned(const json_writer *to, const stow_report_buffer *buffer, bool placed) {
  put_unsigned_or_null(to, next, "offset", buffer->offset, placed || buffer->fixed);
  stow_put_json_bool(to->sink, "live_at_peak", buffer->live_at_peak);
  if (buffer->fixed)
    stow_put_json_bool(to->sink, "fixed", true);
}

static void put_left_alone(const json_writer *to, const stow_report_buffer *buffer) {
  put_text(to, next, "reason", buffer->reason);
  put_text(to, next, "detail", buffer->detail);
  put_text_if_any(to, next, "suggestion", buffer->suggestion);
}

static void put_window(const json_writer *to, const stow_piece *piece) {
  if (!piece->high)
    return;
  STOW_PUT(to->sink, ", ", stow_cell_unsigned(piece->low).text, ", ",
           stow_cell_unsigned(piece->high).text);
}

static void put_pieces(const json_writer *to, const stow_report_buffer *buffer) {
  if (!buffer->piece_count)
    return;
  stow_put(to->sink, ", \"pieces\": [");
  for (size_t i = 0; i < buffer->piece_count; i++) {
    STOW_PUT(to->sink, i ? ", [" : "[", stow_cell_signed(buffer->pieces[i].begin).text, ", ",
             stow_cell_signed(buffer->pieces[i].end).text);
    put_window(to, &buffer->pieces[i]);
    stow_put(to->sink, "]");
  }
  stow_put(to->sink, "]");
}

static void put_buffer(const json_writer *to, const stow_report_buffer *buffer, bool placed) {
  const uint64_t alignment = buffer->buffer.alignment ? buffer->buffer.alignment : 1;
  stow_put(to->sink, "{");
  put_text_if_any(to, "", "id", buffer->id);
  put_text(to, buffer->id ? next : "", "name", buffer->name);
  put_text(to, next, "type", buffer->type);
  put_text(to, next, "location", buffer->location);
  put_unsigned_or_null(to, next, "size", buffer->buffer.size, buffer->size_known);
  put_text_if_any(to, next, "formula", buffer->formula);
  put_unsigned(to, next, "alignment", alignment);
  put_signed(to, next, "begin", buffer->buffer.begin);
  put_signed(to, next, "end", buffer->buffer.end);
  put_text_if_any(to, next, "op", buffer->op);
  put_text_if_any(to, next, "layer", buffer->layer);
  put_pieces(to, buffer);
  if (buffer->reason)
    put_left_alone(to, buffer);
  else
    put_planned(to, buffer, placed);
  stow_put(to->sink, "}");
}

static void put_buffers(const json_writer *to, const stow_report_arena *arena, bool left_alone) {
  const char *separator = "\n        ";
  for (size_t i = 0; i < arena->buffer_count; i++) {
    if ((arena->buffers[i].reason != NULL) != left_alone)
      continue;
    stow_put(to->sink, separator);
    put_buffer(to, &arena->buffers[i], stow_has_plan(arena));
    separator = ",\n        ";
  }
}

static void put_totals(const json_writer *to, const stow_report_arena *arena) {
  const stow_report_totals totals = stow_report_sum(arena);
  put_unsigned(to, next_line, "planned", totals.planned);
  put_unsigned(to, next_line, "planned_bytes", totals.planned_bytes);
  put_unsigned(to, next_line, "left_alone", totals.left_alone);
  put_unsigned(to, next_line, "left_alone_bytes", totals.left_alone_bytes);
  put_unsigned(to, next_line, "left_alone_unsized", totals.left_alone_unsized);
}

static void put_figures(const json_writer *to, const stow_report_arena *arena) {
  put_unsigned(to, next_line, "load", arena->load);
  put_unsigned(to, next_line, "lower_bound", arena->lower_bound);
  put_unsigned(to, next_line, "arena_size", arena->arena_size);
  if (arena->formula)
    put_text(to, next_line, "formula", arena->formula);
  if (arena->sizes)
    put_text(to, next_line, "sizes", arena->sizes);
  put_unsigned_or_null(to, next_line, "capacity", arena->capacity, arena->capacity > 0);
  put_signed(to, next_line, "peak", arena->peak);
  put_unsigned(to, next_line, "highest_at_peak", arena->highest_at_peak);
  put_unsigned(to, next_line, "reuse_pairs", arena->reuse_pairs);
}

//===----------------------------------------------------------------------===//
// Sizes known at run time
//===----------------------------------------------------------------------===//

static const char *const step_names[STOW_STEP_KINDS] = {
    [STOW_STEP_NUMBER] = "number",     [STOW_STEP_SIZE] = "size",
    [STOW_STEP_SUM] = "sum",           [STOW_STEP_PRODUCT] = "product",
    [STOW_STEP_LARGEST] = "largest",   [STOW_STEP_SMALLEST] = "smallest",
    [STOW_STEP_QUOTIENT] = "quotient", [STOW_STEP_INVERTED] = "inverted"};

// A number, or null.
static void put_limit(const json_writer *to, const char *key, int64_t value, bool known) {
  put_key(to, next, key);
  stow_put(to->sink, known ? stow_cell_signed(value).text : "null");
}

static void put_size(const json_writer *to, const stow_report_size *size) {
  put_key(to, "{", "name");
  if (size->name)
    to->put_string(to->sink, size->name);
  else
    stow_put(to->sink, "null");
  put_limit(to, "value", size->value, !size->either);
  put_limit(to, "min", size->low, size->low != INT64_MIN);
  put_limit(to, "max", size->high, size->high != INT64_MAX);
  stow_put(to->sink, "}");
}

// ["sum", 3, 4], ["quotient", 5, 64]: operands, then the number.
static void put_step(const json_writer *to, const stow_report_formulas *formulas,
                     const stow_report_step *step) {
  STOW_PUT(to->sink, "[\"", step_names[step->kind], "\"");
  for (size_t i = 0; i < step->operand_count; i++) {
    STOW_PUT(to->sink, ", ", stow_cell_unsigned(formulas->operands[step->first_operand + i]).text);
  }
  if (step->kind == STOW_STEP_NUMBER || step->kind == STOW_STEP_SIZE ||
      step->kind == STOW_STEP_QUOTIENT) {
    STOW_PUT(to->sink, ", ", stow_cell_signed(step->number).text);
  }
  stow_put(to->sink, "]");
}

static void put_indices(const json_writer *to, const char *before, const char *key,
                        const size_t *indices, size_t count) {
  put_key(to, before, key);
  stow_put(to->sink, "[");
  for (size_t i = 0; i < count; i++) {
    STOW_PUT(to->sink, i ? ", " : "", stow_cell_unsigned(indices[i]).text);
  }
  stow_put(to->sink, "]");
}

static void put_formula_plans(const json_writer *to, const stow_report_formulas *formulas) {
  put_key(to, ",\n        ", "plans");
  stow_put(to->sink, "[");
  for (size_t i = 0; i < formulas->plan_count; i++) {
    put_unsigned(to, i ? ",\n          {" : "\n          {", "arena_size",
                 formulas->arena_bytes[i]);
    put_indices(to, next, "offsets", formulas->offsets + i * formulas->buffer_count,
                formulas->buffer_count);
    stow_put(to->sink, "}");
  }
  stow_put(to->sink, "]");
}

static void put_formulas(const json_writer *to, const stow_report_formulas *formulas) {
  put_key(to, next_line, "formulas");
  put_key(to, "{\n        ", "sizes");
  stow_put(to->sink, "[");
  for (size_t i = 0; i < formulas->size_count; i++) {
    stow_put(to->sink, i ? ", " : "");
    put_size(to, &formulas->sizes[i]);
  }
  put_key(to, "],\n        ", "steps");
  stow_put(to->sink, "[");
  for (size_t i = 0; i < formulas->step_count; i++) {
    stow_put(to->sink, i ? ", " : "");
    put_step(to, formulas, &formulas->steps[i]);
  }
  put_indices(to, "],\n        ", "buffers", formulas->buffer_bytes, formulas->buffer_count);
  put_formula_plans(to, formulas);
  stow_put(to->sink, "}");
}

//===----------------------------------------------------------------------===//
// Arenas
//===----------------------------------------------------------------------===//

static const char *strategy_name(stow_strategy strategy) {
  const char *const name = stow_strategy_name(strategy);
  return name ? name : "";
}

static const char *relation_name(stow_relation_kind kind) {
  return kind == STOW_EXCLUSIVE   ? "exclusive"
         : kind == STOW_COLOCATED ? "colocated"
                                  : "may_colocate";
}

static void put_relation(const json_writer *to, const char *kind, const char *first,
                         const char *second) {
  stow_put(to->sink, "[");
  to->put_string(to->sink, kind);
  stow_put(to->sink, ", ");
  to->put_string(to->sink, first);
  stow_put(to->sink, ", ");
  to->put_string(to->sink, second);
  stow_put(to->sink, "]");
}

// Pairs by ids; buffers without ids cannot be named.
static void put_relations(const json_writer *to, const stow_report_arena *arena) {
  if (!arena->relation_count)
    return;
  const char *separator = "";
  put_key(to, next_line, "relations");
  stow_put(to->sink, "[");
  for (size_t i = 0; i < arena->relation_count; i++) {
    const stow_relation *const relation = &arena->relations[i];
    const char *const first = arena->buffers[relation->first].id;
    const char *const second = arena->buffers[relation->second].id;
    if (!first || !second)
      continue;
    stow_put(to->sink, separator);
    put_relation(to, relation_name(relation->kind), first, second);
    separator = ", ";
  }
  stow_put(to->sink, "]");
}

static void put_arena(const json_writer *to, const stow_report_arena *arena) {
  put_text(to, "    {\n      ", "function", arena->function);
  put_text(to, next_line, "scope", arena->scope);
  put_text(to, next_line, "location", arena->location);
  put_text(to, next_line, "memory_space", arena->memory_space);
  put_text(to, next_line, "within", arena->within);
  put_text(to, next_line, "outcome", stow_outcome_name(arena->outcome));
  put_text(to, next_line, "strategy", strategy_name(arena->strategy));
  put_figures(to, arena);
  put_totals(to, arena);
  if (arena->formulas)
    put_formulas(to, arena->formulas);
  put_relations(to, arena);
  put_key(to, next_line, "buffers");
  stow_put(to->sink, "[");
  put_buffers(to, arena, false);
  stow_put(to->sink, "]");
  put_key(to, next_line, "buffers_left_alone");
  stow_put(to->sink, "[");
  put_buffers(to, arena, true);
  stow_put(to->sink, "]\n    }");
}

static void put_frame(const json_writer *to, const stow_report_frame *frame) {
  put_text(to, "\n    {", "function", frame->function);
  put_text(to, next, "kind", frame->kind);
  put_text(to, next, "memory_space", frame->memory_space);
  put_unsigned(to, next, "bytes", frame->bytes);
  put_text_if_any(to, next, "formula", frame->formula);
  put_unsigned(to, next, "alignment", frame->alignment);
  put_unsigned(to, next, "depth", frame->depth);
  put_unsigned(to, next, "calls", frame->calls);
  stow_put_json_bool(to->sink, "above", frame->above);
  stow_put(to->sink, "}");
}

static void put_frames(const json_writer *to, const stow_report_frames *frames) {
  put_key(to, ",\n  ", "frames");
  stow_put(to->sink, "[");
  for (size_t i = 0; i < frames->count; i++) {
    stow_put(to->sink, i ? "," : "");
    put_frame(to, &frames->at[i]);
  }
  stow_put(to->sink, "]");
}

void stow_put_report(const stow_report *report, stow_sink sink,
                     void (*put_string)(stow_sink, const char *)) {
  const json_writer writer = {sink, put_string}, *const to = &writer;
  put_unsigned(to, "{\n  ", "version", 1);
  put_text(to, ",\n  ", "title", report->title);
  put_text_if_any(to, ",\n  ", "note", report->note);
  put_key(to, ",\n  ", "arenas");
  stow_put(sink, "[");
  for (size_t i = 0; i < report->arena_count; i++) {
    stow_put(sink, i ? ",\n" : "\n");
    put_arena(to, &report->arenas[i]);
  }
  stow_put(sink, "]");
  if (report->frames.count)
    put_frames(to, &report->frames);
  stow_put(sink, "\n}\n");
}

void stow_report_json(const stow_report *report, stow_sink sink) {
  stow_put_report(report, sink, stow_put_json_string);
}
