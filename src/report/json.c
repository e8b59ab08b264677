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

#include "put.h"
#include "scale.h"

// Where the JSON goes and how its strings are escaped.
typedef struct json_writer {
  stow_sink sink;
  void (*put_string)(stow_sink sink, const char *text);
} json_writer;

static void put_key(const json_writer *to, const char *key) {
  stow_put(to->sink, "\"");
  stow_put(to->sink, key);
  stow_put(to->sink, "\": ");
}

static void put_text_member(const json_writer *to, const char *key, const char *text) {
  put_key(to, key);
  to->put_string(to->sink, text);
}

static void put_unsigned_member(const json_writer *to, const char *key, uint64_t value) {
  put_key(to, key);
  stow_put_unsigned(to->sink, value);
}

static void put_signed_member(const json_writer *to, const char *key, int64_t value) {
  put_key(to, key);
  stow_put_signed(to->sink, value);
}

static void put_bool_member(const json_writer *to, const char *key, bool value) {
  put_key(to, key);
  stow_put(to->sink, value ? "true" : "false");
}

static void put_planned(const json_writer *to, const stow_report_buffer *buffer, bool placed) {
  stow_put(to->sink, ", ");
  put_key(to, "offset");
  if (placed || buffer->fixed)
    stow_put_unsigned(to->sink, buffer->offset);
  else
    stow_put(to->sink, "null");
  stow_put(to->sink, ", ");
  put_bool_member(to, "live_at_peak", buffer->live_at_peak);
  if (!buffer->fixed)
    return;
  stow_put(to->sink, ", ");
  put_bool_member(to, "fixed", true);
}

static void put_left_alone(const json_writer *to, const stow_report_buffer *buffer) {
  stow_put(to->sink, ", ");
  put_text_member(to, "reason", buffer->reason);
  stow_put(to->sink, ", ");
  put_text_member(to, "detail", buffer->detail);
  if (!buffer->suggestion)
    return;
  stow_put(to->sink, ", ");
  put_text_member(to, "suggestion", buffer->suggestion);
}

static void put_window(const json_writer *to, const stow_piece *piece) {
  if (!piece->high)
    return;
  stow_put(to->sink, ", ");
  stow_put_unsigned(to->sink, piece->low);
  stow_put(to->sink, ", ");
  stow_put_unsigned(to->sink, piece->high);
}

static void put_pieces(const json_writer *to, const stow_report_buffer *buffer) {
  if (!buffer->piece_count)
    return;
  stow_put(to->sink, ", \"pieces\": [");
  for (size_t i = 0; i < buffer->piece_count; i++) {
    stow_put(to->sink, i ? ", [" : "[");
    stow_put_signed(to->sink, buffer->pieces[i].begin);
    stow_put(to->sink, ", ");
    stow_put_signed(to->sink, buffer->pieces[i].end);
    put_window(to, &buffer->pieces[i]);
    stow_put(to->sink, "]");
  }
  stow_put(to->sink, "]");
}

static void put_buffer(const json_writer *to, const stow_report_buffer *buffer, bool placed) {
  stow_put(to->sink, "{");
  if (buffer->id) {
    put_text_member(to, "id", buffer->id);
    stow_put(to->sink, ", ");
  }
  put_text_member(to, "name", buffer->name);
  stow_put(to->sink, ", ");
  put_text_member(to, "type", buffer->type);
  stow_put(to->sink, ", ");
  put_text_member(to, "location", buffer->location);
  stow_put(to->sink, ", ");
  put_key(to, "size");
  if (buffer->size_known)
    stow_put_unsigned(to->sink, buffer->buffer.size);
  else
    stow_put(to->sink, "null");
  stow_put(to->sink, ", ");
  if (buffer->formula) {
    put_text_member(to, "formula", buffer->formula);
    stow_put(to->sink, ", ");
  }
  put_unsigned_member(to, "alignment", buffer->buffer.alignment ? buffer->buffer.alignment : 1);
  stow_put(to->sink, ", ");
  put_signed_member(to, "begin", buffer->buffer.begin);
  stow_put(to->sink, ", ");
  put_signed_member(to, "end", buffer->buffer.end);
  if (buffer->op) {
    stow_put(to->sink, ", ");
    put_text_member(to, "op", buffer->op);
  }
  if (buffer->layer) {
    stow_put(to->sink, ", ");
    put_text_member(to, "layer", buffer->layer);
  }
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

static const char next_line[] = ",\n      ";

static void put_count(const json_writer *to, const char *key, uint64_t value) {
  put_unsigned_member(to, key, value);
  stow_put(to->sink, next_line);
}

static void put_totals(const json_writer *to, const stow_report_arena *arena) {
  const stow_report_totals totals = stow_report_sum(arena);
  put_count(to, "planned", totals.planned);
  put_count(to, "planned_bytes", totals.planned_bytes);
  put_count(to, "left_alone", totals.left_alone);
  put_count(to, "left_alone_bytes", totals.left_alone_bytes);
  put_count(to, "left_alone_unsized", totals.left_alone_unsized);
}

static void put_figures(const json_writer *to, const stow_report_arena *arena) {
  put_count(to, "load", arena->load);
  put_count(to, "lower_bound", arena->lower_bound);
  put_count(to, "arena_size", arena->arena_size);
  if (arena->formula) {
    put_text_member(to, "formula", arena->formula);
    stow_put(to->sink, next_line);
    put_text_member(to, "sizes", arena->sizes);
    stow_put(to->sink, next_line);
  }
  put_key(to, "capacity");
  if (arena->capacity)
    stow_put_unsigned(to->sink, arena->capacity);
  else
    stow_put(to->sink, "null");
  stow_put(to->sink, next_line);
  put_signed_member(to, "peak", arena->peak);
  stow_put(to->sink, next_line);
  put_count(to, "highest_at_peak", arena->highest_at_peak);
  put_count(to, "reuse_pairs", arena->reuse_pairs);
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
  stow_put(to->sink, ", ");
  put_key(to, key);
  if (known)
    stow_put_signed(to->sink, value);
  else
    stow_put(to->sink, "null");
}

static void put_size(const json_writer *to, const stow_report_size *size) {
  stow_put(to->sink, "{");
  put_key(to, "name");
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
  stow_put(to->sink, "[\"");
  stow_put(to->sink, step_names[step->kind]);
  stow_put(to->sink, "\"");
  for (size_t i = 0; i < step->operand_count; i++) {
    stow_put(to->sink, ", ");
    stow_put_unsigned(to->sink, formulas->operands[step->first_operand + i]);
  }
  if (step->kind == STOW_STEP_NUMBER || step->kind == STOW_STEP_SIZE ||
      step->kind == STOW_STEP_QUOTIENT) {
    stow_put(to->sink, ", ");
    stow_put_signed(to->sink, step->number);
  }
  stow_put(to->sink, "]");
}

static void put_indices(const json_writer *to, const char *key, const size_t *indices,
                        size_t count) {
  put_key(to, key);
  stow_put(to->sink, "[");
  for (size_t i = 0; i < count; i++) {
    stow_put(to->sink, i ? ", " : "");
    stow_put_unsigned(to->sink, indices[i]);
  }
  stow_put(to->sink, "]");
}

static void put_formula_plans(const json_writer *to, const stow_report_formulas *formulas) {
  put_key(to, "plans");
  stow_put(to->sink, "[");
  for (size_t i = 0; i < formulas->plan_count; i++) {
    stow_put(to->sink, i ? ",\n          {" : "\n          {");
    put_unsigned_member(to, "arena_size", formulas->arena_bytes[i]);
    stow_put(to->sink, ", ");
    put_indices(to, "offsets", formulas->offsets + i * formulas->buffer_count,
                formulas->buffer_count);
    stow_put(to->sink, "}");
  }
  stow_put(to->sink, "]");
}

static void put_formulas(const json_writer *to, const stow_report_formulas *formulas) {
  put_key(to, "formulas");
  stow_put(to->sink, "{\n        ");
  put_key(to, "sizes");
  stow_put(to->sink, "[");
  for (size_t i = 0; i < formulas->size_count; i++) {
    stow_put(to->sink, i ? ", " : "");
    put_size(to, &formulas->sizes[i]);
  }
  stow_put(to->sink, "],\n        ");
  put_key(to, "steps");
  stow_put(to->sink, "[");
  for (size_t i = 0; i < formulas->step_count; i++) {
    stow_put(to->sink, i ? ", " : "");
    put_step(to, formulas, &formulas->steps[i]);
  }
  stow_put(to->sink, "],\n        ");
  put_indices(to, "buffers", formulas->buffer_bytes, formulas->buffer_count);
  stow_put(to->sink, ",\n        ");
  put_formula_plans(to, formulas);
  stow_put(to->sink, "}");
  stow_put(to->sink, next_line);
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
  put_key(to, "relations");
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
  stow_put(to->sink, next_line);
}

static void put_line(const json_writer *to, const char *key, const char *text) {
  put_text_member(to, key, text);
  stow_put(to->sink, next_line);
}

static void put_arena(const json_writer *to, const stow_report_arena *arena) {
  stow_put(to->sink, "    {\n      ");
  put_line(to, "function", arena->function);
  put_line(to, "scope", arena->scope);
  put_line(to, "location", arena->location);
  put_line(to, "memory_space", arena->memory_space);
  put_line(to, "within", arena->within);
  put_line(to, "outcome", stow_outcome_name(arena->outcome));
  put_line(to, "strategy", strategy_name(arena->strategy));
  put_figures(to, arena);
  put_totals(to, arena);
  if (arena->formulas)
    put_formulas(to, arena->formulas);
  put_relations(to, arena);
  put_key(to, "buffers");
  stow_put(to->sink, "[");
  put_buffers(to, arena, false);
  stow_put(to->sink, "]");
  stow_put(to->sink, next_line);
  put_key(to, "buffers_left_alone");
  stow_put(to->sink, "[");
  put_buffers(to, arena, true);
  stow_put(to->sink, "]\n    }");
}

static void put_next_text(const json_writer *to, const char *key, const char *text) {
  stow_put(to->sink, ", ");
  put_text_member(to, key, text);
}

static void put_next_unsigned(const json_writer *to, const char *key, uint64_t value) {
  stow_put(to->sink, ", ");
  put_unsigned_member(to, key, value);
}

static void put_frame(const json_writer *to, const stow_report_frame *frame) {
  stow_put(to->sink, "\n    {");
  put_text_member(to, "function", frame->function);
  put_next_text(to, "kind", frame->kind);
  put_next_text(to, "memory_space", frame->memory_space);
  put_next_unsigned(to, "bytes", frame->bytes);
  if (frame->formula)
    put_next_text(to, "formula", frame->formula);
  put_next_unsigned(to, "alignment", frame->alignment);
  put_next_unsigned(to, "depth", frame->depth);
  put_next_unsigned(to, "calls", frame->calls);
  stow_put(to->sink, ", ");
  put_bool_member(to, "above", frame->above);
  stow_put(to->sink, "}");
}

static void put_frames(const json_writer *to, const stow_report_frames *frames) {
  stow_put(to->sink, ",\n  ");
  put_key(to, "frames");
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
  stow_put(sink, "{\n  ");
  put_unsigned_member(to, "version", 1);
  stow_put(sink, ",\n  ");
  put_text_member(to, "title", report->title);
  stow_put(sink, ",\n  ");
  if (report->note) {
    put_text_member(to, "note", report->note);
    stow_put(sink, ",\n  ");
  }
  put_key(to, "arenas");
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
