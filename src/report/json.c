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

#include "profile.h"
#include "put.h"
#include "scale.h"

// Between members of an object on one line, and between those of an arena.
static const char next[] = ", ", next_line[] = ",\n      ";

static void put_unsigned_or_null(stow_sink sink, const char *before, const char *key,
                                 uint64_t value, bool known) {
  stow_put_json_key(sink, before, key);
  stow_put(sink, known ? stow_cell_unsigned(value).text : "null");
}

static void put_planned(stow_sink sink, const stow_report_buffer *buffer, bool placed) {
  put_unsigned_or_null(sink, next, "offset", buffer->offset, placed || buffer->fixed);
  stow_put_json_bool(sink, next, "live_at_peak", buffer->live_at_peak);
  if (buffer->fixed)
    stow_put_json_bool(sink, next, "fixed", true);
}

static void put_left_alone(stow_sink sink, const stow_report_buffer *buffer) {
  stow_put_json_text(sink, next, "reason", buffer->reason);
  stow_put_json_text(sink, next, "detail", buffer->detail);
  stow_put_json_text_if_any(sink, next, "suggestion", buffer->suggestion);
}

static void put_window(stow_sink sink, const stow_piece *piece) {
  if (!piece->high)
    return;
  STOW_PUT(sink, ", ", stow_cell_unsigned(piece->low).text, ", ",
           stow_cell_unsigned(piece->high).text);
}

static void put_pieces(stow_sink sink, const stow_report_buffer *buffer) {
  if (!buffer->piece_count)
    return;
  stow_put(sink, ", \"pieces\": [");
  for (size_t i = 0; i < buffer->piece_count; i++) {
    STOW_PUT(sink, i ? ", [" : "[", stow_cell_signed(buffer->pieces[i].begin).text, ", ",
             stow_cell_signed(buffer->pieces[i].end).text);
    put_window(sink, &buffer->pieces[i]);
    stow_put(sink, "]");
  }
  stow_put(sink, "]");
}

static void put_part(stow_sink sink, const stow_report_part *part) {
  stow_put_json_text(sink, "{", "name", part->name);
  stow_put_json_text(sink, next, "type", part->type);
  stow_put_json_text(sink, next, "location", part->location);
  stow_put_json_unsigned(sink, next, "low", part->low);
  stow_put_json_unsigned(sink, next, "high", part->high);
  stow_put_json_unsigned(sink, next, "before", part->before);
  stow_put_json_signed(sink, next, "begin", part->begin);
  stow_put_json_signed(sink, next, "end", part->end);
  stow_put_json_text_if_any(sink, next, "op", part->op);
  stow_put_json_text_if_any(sink, next, "layer", part->layer);
  stow_put(sink, "}");
}

static void put_buffer(stow_sink sink, const stow_report_buffer *buffer, bool placed) {
  const uint64_t alignment = buffer->buffer.alignment ? buffer->buffer.alignment : 1;
  stow_put(sink, "{");
  stow_put_json_text_if_any(sink, "", "id", buffer->id);
  stow_put_json_text(sink, buffer->id ? next : "", "name", buffer->name);
  stow_put_json_text(sink, next, "type", buffer->type);
  stow_put_json_text(sink, next, "location", buffer->location);
  put_unsigned_or_null(sink, next, "size", buffer->buffer.size, buffer->size_known);
  stow_put_json_text_if_any(sink, next, "formula", buffer->formula);
  stow_put_json_unsigned(sink, next, "alignment", alignment);
  stow_put_json_signed(sink, next, "begin", buffer->buffer.begin);
  stow_put_json_signed(sink, next, "end", buffer->buffer.end);
  stow_put_json_text_if_any(sink, next, "op", buffer->op);
  stow_put_json_text_if_any(sink, next, "layer", buffer->layer);
  if (buffer->before)
    stow_put_json_unsigned(sink, next, "before", buffer->before);
  put_pieces(sink, buffer);
  if (buffer->reason)
    put_left_alone(sink, buffer);
  else
    put_planned(sink, buffer, placed);
  if (buffer->part_count)
    STOW_PUT_JSON_LIST(sink, next, "parts", "          ", buffer->parts, buffer->part_count,
                       put_part);
  stow_put(sink, "}");
}

static void put_buffers(stow_sink sink, const stow_report_arena *arena, bool left_alone) {
  const char *separator = "\n        ";
  for (size_t i = 0; i < arena->buffer_count; i++) {
    if ((arena->buffers[i].reason != NULL) != left_alone)
      continue;
    stow_put(sink, separator);
    put_buffer(sink, &arena->buffers[i], stow_has_plan(arena));
    separator = ",\n        ";
  }
}

static void put_totals(stow_sink sink, const stow_report_arena *arena) {
  const stow_report_totals totals = stow_report_sum(arena);
  stow_put_json_unsigned(sink, next_line, "planned", totals.planned);
  stow_put_json_unsigned(sink, next_line, "planned_bytes", totals.planned_bytes);
  stow_put_json_unsigned(sink, next_line, "left_alone", totals.left_alone);
  stow_put_json_unsigned(sink, next_line, "left_alone_bytes", totals.left_alone_bytes);
  stow_put_json_unsigned(sink, next_line, "left_alone_unsized", totals.left_alone_unsized);
}

static void put_figures(stow_sink sink, const stow_report_arena *arena) {
  stow_put_json_unsigned(sink, next_line, "load", arena->load);
  stow_put_json_unsigned(sink, next_line, "lower_bound", arena->lower_bound);
  stow_put_json_unsigned(sink, next_line, "arena_size", arena->arena_size);
  stow_put_json_text_if_any(sink, next_line, "formula", arena->formula);
  stow_put_json_text_if_any(sink, next_line, "sizes", arena->sizes);
  put_unsigned_or_null(sink, next_line, "capacity", arena->capacity, arena->capacity > 0);
  stow_put_json_signed(sink, next_line, "peak", arena->peak);
  stow_put_json_unsigned(sink, next_line, "highest_at_peak", arena->highest_at_peak);
  stow_put_json_unsigned(sink, next_line, "reuse_pairs", arena->reuse_pairs);
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
static void put_limit(stow_sink sink, const char *key, int64_t value, bool known) {
  stow_put_json_key(sink, next, key);
  stow_put(sink, known ? stow_cell_signed(value).text : "null");
}

static void put_size(stow_sink sink, const stow_report_size *size) {
  stow_put_json_key(sink, "{", "name");
  if (size->name)
    stow_put_json_string(sink, size->name);
  else
    stow_put(sink, "null");
  put_limit(sink, "value", size->value, !size->either);
  put_limit(sink, "min", size->low, size->low != INT64_MIN);
  put_limit(sink, "max", size->high, size->high != INT64_MAX);
  stow_put(sink, "}");
}

// ["sum", 3, 4], ["quotient", 5, 64]: operands, then the number.
static void put_step(stow_sink sink, const stow_report_formulas *formulas,
                     const stow_report_step *step) {
  STOW_PUT(sink, "[\"", step_names[step->kind], "\"");
  for (size_t i = 0; i < step->operand_count; i++) {
    STOW_PUT(sink, ", ", stow_cell_unsigned(formulas->operands[step->first_operand + i]).text);
  }
  if (step->kind == STOW_STEP_NUMBER || step->kind == STOW_STEP_SIZE ||
      step->kind == STOW_STEP_QUOTIENT) {
    STOW_PUT(sink, ", ", stow_cell_signed(step->number).text);
  }
  stow_put(sink, "]");
}

static void put_indices(stow_sink sink, const char *before, const char *key, const size_t *indices,
                        size_t count) {
  stow_put_json_key(sink, before, key);
  stow_put(sink, "[");
  for (size_t i = 0; i < count; i++) {
    STOW_PUT(sink, i ? ", " : "", stow_cell_unsigned(indices[i]).text);
  }
  stow_put(sink, "]");
}

static void put_formula_plans(stow_sink sink, const stow_report_formulas *formulas) {
  stow_put_json_key(sink, ",\n        ", "plans");
  stow_put(sink, "[");
  for (size_t i = 0; i < formulas->plan_count; i++) {
    stow_put_json_unsigned(sink, i ? ",\n          {" : "\n          {", "arena_size",
                           formulas->arena_bytes[i]);
    put_indices(sink, next, "offsets", formulas->offsets + i * formulas->buffer_count,
                formulas->buffer_count);
    stow_put(sink, "}");
  }
  stow_put(sink, "]");
}

static void put_formulas(stow_sink sink, const stow_report_formulas *formulas) {
  stow_put_json_key(sink, next_line, "formulas");
  stow_put_json_key(sink, "{\n        ", "sizes");
  stow_put(sink, "[");
  for (size_t i = 0; i < formulas->size_count; i++) {
    stow_put(sink, i ? ", " : "");
    put_size(sink, &formulas->sizes[i]);
  }
  stow_put_json_key(sink, "],\n        ", "steps");
  stow_put(sink, "[");
  for (size_t i = 0; i < formulas->step_count; i++) {
    stow_put(sink, i ? ", " : "");
    put_step(sink, formulas, &formulas->steps[i]);
  }
  put_indices(sink, "],\n        ", "buffers", formulas->buffer_bytes, formulas->buffer_count);
  put_formula_plans(sink, formulas);
  stow_put(sink, "}");
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

static void put_relation(stow_sink sink, const char *kind, const char *first, const char *second) {
  stow_put(sink, "[");
  stow_put_json_string(sink, kind);
  stow_put(sink, ", ");
  stow_put_json_string(sink, first);
  stow_put(sink, ", ");
  stow_put_json_string(sink, second);
  stow_put(sink, "]");
}

// Pairs by ids; buffers without ids cannot be named.
static void put_relations(stow_sink sink, const stow_report_arena *arena) {
  if (!arena->relation_count)
    return;
  const char *separator = "";
  stow_put_json_key(sink, next_line, "relations");
  stow_put(sink, "[");
  for (size_t i = 0; i < arena->relation_count; i++) {
    const stow_relation *const relation = &arena->relations[i];
    const char *const first = arena->buffers[relation->first].id;
    const char *const second = arena->buffers[relation->second].id;
    if (!first || !second)
      continue;
    stow_put(sink, separator);
    put_relation(sink, relation_name(relation->kind), first, second);
    separator = ", ";
  }
  stow_put(sink, "]");
}

// Of `count` samples no more than STOW_HTML_SAMPLES: of each group the one with the most bytes
// alive.
static void put_samples(stow_sink sink, const stow_profile *profile) {
  const size_t group = profile->count / STOW_HTML_SAMPLES + 1;
  stow_put_json_key(sink, next_line, "samples");
  stow_put(sink, "[");
  for (size_t i = 0; i < profile->count; i += group) {
    stow_sample most = profile->samples[i];
    for (size_t k = i; k < i + group && k < profile->count; k++)
      if (profile->samples[k].live > most.live)
        most = profile->samples[k];
    STOW_PUT(sink, i ? ", [" : "[", stow_cell_signed(most.point).text, ", ",
             stow_cell_unsigned(most.live).text, ", ", stow_cell_unsigned(most.highest).text, "]");
  }
  stow_put(sink, "]");
}

static void put_arena(stow_sink sink, const stow_report_arena *arena) {
  stow_put_json_text(sink, "    {\n      ", "function", arena->function);
  stow_put_json_text(sink, next_line, "scope", arena->scope);
  stow_put_json_text(sink, next_line, "location", arena->location);
  stow_put_json_text(sink, next_line, "memory_space", arena->memory_space);
  stow_put_json_text(sink, next_line, "within", arena->within);
  stow_put_json_text(sink, next_line, "outcome", stow_outcome_name(arena->outcome));
  stow_put_json_text(sink, next_line, "strategy", strategy_name(arena->strategy));
  put_figures(sink, arena);
  put_totals(sink, arena);
  if (arena->profile)
    put_samples(sink, arena->profile);
  if (arena->formulas)
    put_formulas(sink, arena->formulas);
  put_relations(sink, arena);
  stow_put_json_key(sink, next_line, "buffers");
  stow_put(sink, "[");
  put_buffers(sink, arena, false);
  stow_put(sink, "]");
  stow_put_json_key(sink, next_line, "buffers_left_alone");
  stow_put(sink, "[");
  put_buffers(sink, arena, true);
  stow_put(sink, "]\n    }");
}

static void put_frame(stow_sink sink, const stow_report_frame *frame) {
  stow_put_json_text(sink, "{", "function", frame->function);
  stow_put_json_text(sink, next, "kind", frame->kind);
  stow_put_json_text(sink, next, "memory_space", frame->memory_space);
  stow_put_json_unsigned(sink, next, "bytes", frame->bytes);
  stow_put_json_text_if_any(sink, next, "formula", frame->formula);
  stow_put_json_unsigned(sink, next, "alignment", frame->alignment);
  stow_put_json_unsigned(sink, next, "depth", frame->depth);
  stow_put_json_unsigned(sink, next, "calls", frame->calls);
  stow_put_json_bool(sink, next, "above", frame->above);
  stow_put(sink, "}");
}

static void put_heap(stow_sink sink, const stow_report_heap *heap) {
  stow_put_json_text(sink, "{", "function", heap->function);
  stow_put_json_text(sink, next, "location", heap->location);
  stow_put_json_unsigned(sink, next, "before", heap->before);
  stow_put_json_unsigned(sink, next, "after", heap->after);
  stow_put_json_bool(sink, next, "exact", heap->exact);
  stow_put(sink, "}");
}

static void put_outside(stow_sink sink, const stow_report_outside *outside) {
  stow_put_json_text(sink, "{", "kind", outside->kind);
  stow_put_json_text(sink, next, "function", outside->function);
  stow_put_json_unsigned(sink, next, "bytes", outside->bytes);
  stow_put(sink, "}");
}

void stow_report_json(const stow_report *report, stow_sink sink) {
  stow_put_json_head(sink, report->title, report->note);
  STOW_PUT_JSON_LIST(sink, ",\n  ", "arenas", "", report->arenas, report->arena_count, put_arena);
  if (report->frames.count)
    STOW_PUT_JSON_LIST(sink, ",\n  ", "frames", "    ", report->frames.at, report->frames.count,
                       put_frame);
  if (report->heap_count)
    STOW_PUT_JSON_LIST(sink, ",\n  ", "heaps", "    ", report->heaps, report->heap_count, put_heap);
  if (report->outside_count)
    STOW_PUT_JSON_LIST(sink, ",\n  ", "outside", "    ", report->outside, report->outside_count,
                       put_outside);
  stow_put(sink, "\n}\n");
}
