//===- loaded.c - a plan as a file holds it -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "loaded.h"

#include "command.h"
#include "id_set.h"
#include "input.h"
#include "output.h"
#include "part.h"
#include "put.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t tool_arena_bytes(const tool_instance *instance) {
  uint64_t tops[STOW_MAX_SPACES] = {0}, sum = 0;
  for (size_t i = 0; i < instance->count; i++) {
    uint64_t *const top = &tops[instance->space_count ? instance->placed[i] : 0];
    uint64_t end;
    if (__builtin_add_overflow(instance->offsets[i], instance->buffers[i].size, &end))
      end = UINT64_MAX;
    *top = end > *top ? end : *top;
  }
  for (size_t i = 0; i < STOW_MAX_SPACES; i++)
    if (__builtin_add_overflow(sum, tops[i], &sum))
      sum = UINT64_MAX;
  return sum;
}

// Ids come from a file, and are shown as such.
static void put_buffer(const char *before, const tool_instance *instance, size_t index) {
  const stow_sink sink = tool_file_sink(stderr);
  stow_report_put(sink, before);
  stow_report_put_all_shown(sink, tool_instance_id(instance, index));
}

// Piece `i` of a buffer in the arena, or all of one that has no pieces.
static stow_piece box_of(const tool_instance *instance, size_t index, size_t i) {
  const stow_buffer *const buffer = &instance->buffers[index];
  const uint64_t offset = instance->offsets[index];
  const stow_piece *pieces, whole = {buffer->begin, buffer->end, 0, 0};
  const stow_piece piece = tool_instance_pieces(instance, index, &pieces) ? pieces[i] : whole;
  return (stow_piece){piece.begin, piece.end, offset + piece.low,
                      offset + (piece.high ? piece.high : buffer->size)};
}

static size_t box_count(const tool_instance *instance, size_t index) {
  const stow_piece *pieces;
  const size_t count = tool_instance_pieces(instance, index, &pieces);
  return count ? count : 1;
}

static stow_piece common(const stow_piece *a, const stow_piece *b) {
  return (stow_piece){a->begin > b->begin ? a->begin : b->begin, a->end < b->end ? a->end : b->end,
                      a->low > b->low ? a->low : b->low, a->high < b->high ? a->high : b->high};
}

// The first bytes and points that two buffers share.
static void print_shared(const tool_instance *instance, size_t first, size_t second) {
  for (size_t i = 0; i < box_count(instance, first); i++)
    for (size_t j = 0; j < box_count(instance, second); j++) {
      const stow_piece a = box_of(instance, first, i), b = box_of(instance, second, j);
      const stow_piece both = common(&a, &b);
      if (both.begin >= both.end || both.low >= both.high)
        continue;
      fprintf(stderr,
              " share bytes [%" PRIu64 ", %" PRIu64 ") while both are alive, at points [%" PRId64
              ", %" PRId64 ")\n",
              both.low, both.high, both.begin, both.end);
      return;
    }
  fputs(" are alive together and share bytes\n", stderr);
}

static void print_pair(const tool_instance *instance, const stow_fault *fault) {
  put_buffer("buffers ", instance, fault->first);
  put_buffer(" and ", instance, fault->second);
  if (fault->kind == STOW_FAULT_OVERLAP)
    print_shared(instance, fault->first, fault->second);
  else
    fprintf(stderr, " must start at the same offset and are at %" PRIu64 " and %" PRIu64 "\n",
            instance->offsets[fault->first], instance->offsets[fault->second]);
}

static uint64_t room_of(const tool_instance *instance, size_t index, uint64_t arena_size) {
  const uint64_t own =
      instance->space_count ? instance->spaces[instance->placed[index]].capacity : 0;
  return own && own < arena_size ? own : arena_size;
}

static void print_misplaced(const tool_instance *instance, const stow_fault *fault,
                            uint64_t arena_size) {
  put_buffer("buffer ", instance, fault->first);
  if (fault->kind == STOW_FAULT_ALIGNMENT)
    fprintf(stderr, " is at %" PRIu64 ", no multiple of its alignment %" PRIu64 "\n",
            instance->offsets[fault->first], instance->buffers[fault->first].alignment);
  else if (fault->kind == STOW_FAULT_SPACE)
    fputs(" is in a space it may not go to\n", stderr);
  else if (fault->kind != STOW_FAULT_ARENA_SIZE)
    fprintf(stderr, ": %s\n", stow_fault_name(fault->kind));
  else
    fprintf(stderr,
            " of %" PRIu64 " bytes is at %" PRIu64 ", and ends past the %" PRIu64
            " bytes of its %s\n",
            instance->buffers[fault->first].size, instance->offsets[fault->first],
            room_of(instance, fault->first, arena_size),
            instance->space_count > 1 ? "memory" : "arena");
}

static void print_fault(const tool_instance *instance, const stow_fault *fault,
                        uint64_t arena_size) {
  if (fault->kind == STOW_FAULT_OVERLAP || fault->kind == STOW_FAULT_COLOCATION)
    print_pair(instance, fault);
  else
    print_misplaced(instance, fault, arena_size);
}

static bool all_placed(const tool_instance *instance, const char *source) {
  const size_t unplaced = tool_instance_first_unplaced(instance);
  if (unplaced == instance->count)
    return true;
  fprintf(stderr, "%s: error: ", source);
  put_buffer("buffer ", instance, unplaced);
  fprintf(
      stderr,
      " has no offset; expected one for every buffer\n"
      "%s: note: 'stowage plan' gives each one; --output=FILE keeps them, --map=FILE draws them\n",
      source);
  return false;
}

static stow_status verify(const tool_instance *instance, uint64_t arena_size,
                          stow_fault *out_fault) {
  const stow_problem problem = tool_instance_problem(instance, false);
  return instance->space_count > 1
             ? stow_verify_spaces(&problem, instance->offsets, instance->placed, out_fault)
             : stow_verify(&problem, instance->offsets, arena_size, out_fault);
}

tool_exit tool_check_plan(const tool_instance *instance, const char *source, uint64_t capacity) {
  if (!all_placed(instance, source))
    return TOOL_BAD;
  const uint64_t arena_size = capacity ? capacity : tool_arena_bytes(instance);
  stow_fault fault;
  const stow_status status = verify(instance, arena_size, &fault);
  if (status != STOW_OK)
    return tool_report_status(source, status);
  if (fault.kind == STOW_FAULT_NONE)
    return TOOL_DONE;
  fprintf(stderr, "%s: not a valid plan: ", source);
  print_fault(instance, &fault, arena_size);
  return TOOL_NO;
}

bool tool_explain_offsets(const tool_instance *instance, const char *source, uint64_t capacity) {
  tool_instance placed;
  if (!tool_instance_has_offsets(instance) || !tool_part_of_placed(instance, &placed))
    return false;
  const uint64_t arena_size = capacity ? capacity : UINT64_MAX;
  stow_fault fault;
  const bool found =
      verify(&placed, arena_size, &fault) == STOW_OK && fault.kind != STOW_FAULT_NONE;
  if (found) {
    fprintf(stderr, "%s: the offsets in the input cannot be kept: ", source);
    print_fault(&placed, &fault, arena_size);
    fprintf(stderr, "%s: note: --ignore-offsets plans without them\n", source);
  }
  tool_instance_release(&placed);
  return found;
}

// Whether both have the same buffers; where not, a message has been printed.
static bool has_same(const tool_instance *instance, const tool_instance *other,
                     const tool_id_set *ids, const char *source, const char *other_source) {
  for (size_t i = 0; i < other->count; i++) {
    const stow_buffer *const buffer = &other->buffers[i];
    const size_t at = tool_id_set_find(ids, instance, tool_instance_id(other, i));
    const stow_buffer *const same = at < instance->count ? &instance->buffers[at] : NULL;
    if (same && same->size == buffer->size && same->begin == buffer->begin &&
        same->end == buffer->end)
      continue;
    fprintf(stderr,
            "%s: error: not a plan of the buffers of %s, which --compare needs: ", other_source,
            source);
    put_buffer("buffer ", other, i);
    fputs(same ? " has another size or life there\n" : " is not there\n", stderr);
    return false;
  }
  return true;
}

static bool fill_ids(const tool_instance *instance, tool_id_set *ids) {
  size_t first;
  for (size_t i = 0; i < instance->count; i++)
    if (!tool_id_set_add(ids, instance, i, &first))
      return false;
  return true;
}

bool tool_check_same(const tool_instance *instance, const char *source, const tool_instance *other,
                     const char *other_source) {
  tool_id_set ids = {0};
  if (instance->count != other->count) {
    fprintf(stderr,
            "%s: error: not a plan of the buffers of %s, which --compare needs: it has %zu, "
            "not %zu\n",
            other_source, source, other->count, instance->count);
    return false;
  }
  const bool same = fill_ids(instance, &ids)
                        ? has_same(instance, other, &ids, source, other_source)
                        : tool_report_status(source, STOW_NO_MEMORY) == TOOL_DONE;
  tool_id_set_release(&ids);
  return same;
}

static stow_status fill_result(const tool_instance *instance, stow_plan_result *result) {
  const stow_problem problem = tool_instance_problem(instance, false);
  const stow_status status = stow_lower_bound(&problem, &result->lower_bound);
  result->arena_size = tool_arena_bytes(instance);
  result->outcome = result->arena_size == result->lower_bound ? STOW_OPTIMAL : STOW_FEASIBLE;
  result->strategy = instance->strategy;
  return status;
}

static stow_status make_model(const char *source, const tool_options *options,
                              tool_loaded *loaded) {
  const tool_instance *const instance = &loaded->instance;
  const stow_status status = fill_result(instance, &loaded->result);
  const tool_plan_view view = {
      .title = "stowage map",
      .source = source,
      .instance = instance,
      .offsets = instance->offsets,
      .spaces = instance->placed,
      .result = &loaded->result,
      .capacity = options->capacity ? options->capacity : instance->arena_capacity,
  };
  return status == STOW_OK ? tool_model_make(&view, &loaded->model) : status;
}

bool tool_load_plan(const char *input, const tool_options *options, tool_loaded *out_loaded,
                    tool_exit *out_exit) {
  const char *const source = tool_source_name(input);
  *out_loaded = (tool_loaded){0};
  *out_exit = TOOL_BAD;
  if (!tool_load(input, options, &out_loaded->instance))
    return false;
  *out_exit = tool_check_plan(&out_loaded->instance, source, 0);
  if (*out_exit == TOOL_DONE) {
    const stow_status status = make_model(source, options, out_loaded);
    *out_exit = status == STOW_OK ? TOOL_DONE : tool_report_status(source, status);
  }
  if (*out_exit != TOOL_DONE)
    tool_instance_release(&out_loaded->instance);
  return *out_exit == TOOL_DONE;
}

void tool_loaded_release(tool_loaded *loaded) {
  tool_model_release(&loaded->model);
  tool_instance_release(&loaded->instance);
}
