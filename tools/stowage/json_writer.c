//===- json_writer.c - instances into JSON --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "json_writer.h"

#include "put.h"
#include "relation_list.h"

static void put_key(stow_sink sink, const char *key) {
  stow_report_put(sink, ", \"");
  stow_report_put(sink, key);
  stow_report_put(sink, "\": ");
}

static void put_label(const tool_instance *instance, const char *key, size_t text, stow_sink sink) {
  if (!text)
    return;
  put_key(sink, key);
  stow_report_put_json_string(sink, tool_instance_string(instance, text));
}

static void put_piece(const stow_piece *piece, stow_sink sink) {
  stow_report_put(sink, "[");
  stow_report_put_signed(sink, piece->begin);
  stow_report_put(sink, ", ");
  stow_report_put_signed(sink, piece->end);
  if (piece->high) {
    stow_report_put(sink, ", ");
    stow_report_put_unsigned(sink, piece->low);
    stow_report_put(sink, ", ");
    stow_report_put_unsigned(sink, piece->high);
  }
  stow_report_put(sink, "]");
}

static void put_pieces(const tool_instance *instance, size_t index, stow_sink sink) {
  const stow_piece *pieces;
  const size_t count = tool_instance_pieces(instance, index, &pieces);
  if (!count)
    return;
  put_key(sink, "pieces");
  for (size_t i = 0; i < count; i++) {
    stow_report_put(sink, i ? ", " : "[");
    put_piece(&pieces[i], sink);
  }
  stow_report_put(sink, "]");
}

static void put_spaces(const tool_instance *instance, size_t index, stow_sink sink) {
  if (!instance->space_count)
    return;
  if (instance->offsets[index] != STOW_ANY_OFFSET)
    put_label(instance, "space", instance->space_names[instance->placed[index]], sink);
  if (instance->allowed[index] == UINT64_MAX)
    return;
  const char *separator = "[";
  put_key(sink, "spaces");
  for (size_t i = 0; i < instance->space_count; i++) {
    if (!(instance->allowed[index] >> i & 1))
      continue;
    stow_report_put(sink, separator);
    stow_report_put_json_string(sink, tool_instance_string(instance, instance->space_names[i]));
    separator = ", ";
  }
  stow_report_put(sink, "]");
}

// Relations [first, last) are those of this buffer.
static void put_relations(const tool_instance *instance, size_t first, size_t last,
                          stow_sink sink) {
  for (int kind = 0; kind < TOOL_RELATION_KINDS; kind++) {
    const char *separator = NULL;
    for (size_t i = first; i < last; i++) {
      if (instance->relations[i].kind != (stow_relation_kind)kind)
        continue;
      if (!separator)
        put_key(sink, tool_relation_name((stow_relation_kind)kind));
      stow_report_put(sink, separator ? separator : "[");
      stow_report_put_json_string(sink, tool_instance_id(instance, instance->relations[i].second));
      separator = ", ";
    }
    if (separator)
      stow_report_put(sink, "]");
  }
}

static void put_buffer(const tool_instance *instance, size_t index, stow_sink sink) {
  const stow_buffer *const buffer = &instance->buffers[index];
  const tool_labels *const labels = &instance->labels[index];
  stow_report_put(sink, "{\"id\": ");
  stow_report_put_json_string(sink, tool_instance_id(instance, index));
  put_label(instance, "name", labels->name, sink);
  put_label(instance, "op", labels->op, sink);
  put_label(instance, "op_location", labels->op_location, sink);
  put_label(instance, "layer", labels->layer, sink);
  put_label(instance, "type", labels->type, sink);
  put_label(instance, "location", labels->location, sink);
  put_key(sink, "size");
  stow_report_put_unsigned(sink, buffer->size);
  if (buffer->alignment > 1) {
    put_key(sink, "alignment");
    stow_report_put_unsigned(sink, buffer->alignment);
  }
  put_key(sink, "begin");
  stow_report_put_signed(sink, buffer->begin);
  put_key(sink, "end");
  stow_report_put_signed(sink, buffer->end);
  if (instance->offsets[index] != STOW_ANY_OFFSET) {
    put_key(sink, "offset");
    stow_report_put_unsigned(sink, instance->offsets[index]);
  }
  if (instance->hints[index] != STOW_ANY_OFFSET) {
    put_key(sink, "hint");
    stow_report_put_unsigned(sink, instance->hints[index]);
  }
  put_pieces(instance, index, sink);
  put_spaces(instance, index, sink);
}

static void put_declared_spaces(const tool_instance *instance, stow_sink sink) {
  for (size_t i = 0; i < instance->space_count; i++) {
    stow_report_put(sink, i ? ",\n    {\"name\": " : ",\n  \"spaces\": [\n    {\"name\": ");
    stow_report_put_json_string(sink, tool_instance_string(instance, instance->space_names[i]));
    put_key(sink, "capacity");
    stow_report_put_unsigned(sink, instance->spaces[i].capacity);
    put_key(sink, "cost");
    stow_report_put_unsigned(sink, instance->spaces[i].cost);
    stow_report_put(sink, "}");
  }
  stow_report_put(sink, instance->space_count ? "]" : "");
}

void tool_write_json(const tool_instance *instance, stow_sink sink) {
  stow_report_put(sink, "{\n  \"version\": 1");
  if (instance->arena_capacity) {
    stow_report_put(sink, ",\n  \"capacity\": ");
    stow_report_put_unsigned(sink, instance->arena_capacity);
  }
  put_declared_spaces(instance, sink);
  stow_report_put(sink, ",\n  \"buffers\": [");
  for (size_t i = 0, relation = 0; i < instance->count; i++) {
    const size_t first = relation;
    while (relation < instance->relation_count && instance->relations[relation].first == i)
      relation++;
    stow_report_put(sink, i ? ",\n    " : "\n    ");
    put_buffer(instance, i, sink);
    put_relations(instance, first, relation, sink);
    stow_report_put(sink, "}");
  }
  stow_report_put(sink, "]\n}\n");
}
