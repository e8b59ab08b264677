//===- json_reader.c - instances out of JSON ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape is known and of fixed depth, so there is a function per level and no
// recursion. Members the reader does not know are skipped.
//
//===----------------------------------------------------------------------===//

#include "readers.h"

#include "gap_list.h"
#include "id_set.h"
#include "json_token.h"
#include "number.h"
#include "relation_list.h"
#include "spaces.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct json_reader {
  tool_json json;
  size_t wanted;           // arena, from 1; 0: the only one
  size_t arenas;           // met so far
  tool_check_arena *check; // of each arena as it has been read; NULL: one is wanted
  void *user;
  bool flat;               // buffers outside of arenas
  tool_position functions; // the member of passes that place nothing; line 0: none
  tool_id_set ids;
  tool_gap_list gaps; // only its pieces, of the current buffer
  tool_relation_list relations;
  tool_instance *instance;
} json_reader;

//===----------------------------------------------------------------------===//
// Members and elements
//===----------------------------------------------------------------------===//

// Reads the member whose name has just been read; the current token is its value's first.
typedef bool read_member(json_reader *reader, const char *name, void *into);

enum { NAME_LIMIT = 32 };

// Steps past the comma before another element; where none comes, `*out_more` is false and `end` is
// the current token.
static bool read_comma(tool_json *json, tool_token end, const char *expected, bool *out_more) {
  *out_more = json->token != end;
  if (!*out_more)
    return true;
  return tool_json_take_comma(json, end, expected);
}

static bool read_one_member(json_reader *reader, read_member *member, void *into) {
  tool_json *const json = &reader->json;
  char name[NAME_LIMIT];
  if (json->token != TOOL_TOKEN_STRING)
    return tool_json_expected(json, "the name of a member");
  snprintf(name, sizeof name, "%s", json->text);
  return tool_json_next(json) && tool_json_take(json, TOOL_TOKEN_COLON, "':'") &&
         member(reader, name, into);
}

// An object: `member` for each member, with its name cut to NAME_LIMIT.
static bool read_object(json_reader *reader, read_member *member, void *into) {
  tool_json *const json = &reader->json;
  if (!tool_json_take(json, TOOL_TOKEN_OBJECT, "'{'"))
    return false;
  for (bool more = json->token != TOOL_TOKEN_OBJECT_END; more;)
    if (!read_one_member(reader, member, into) ||
        !read_comma(json, TOOL_TOKEN_OBJECT_END, "',' or '}'", &more))
      return false;
  return tool_json_next(json);
}

// An array: `element` for each element.
static bool read_array(json_reader *reader, bool (*element)(json_reader *, void *), void *into) {
  tool_json *const json = &reader->json;
  if (!tool_json_take(json, TOOL_TOKEN_ARRAY, "'['"))
    return false;
  for (bool more = json->token != TOOL_TOKEN_ARRAY_END; more;)
    if (!element(reader, into) || !read_comma(json, TOOL_TOKEN_ARRAY_END, "',' or ']'", &more))
      return false;
  return tool_json_next(json);
}

static bool is_null(const json_reader *reader) {
  return reader->json.token == TOOL_TOKEN_WORD && !strcmp(reader->json.text, "null");
}

static bool is_text(const tool_json *json) {
  return json->token == TOOL_TOKEN_STRING || json->token == TOOL_TOKEN_NUMBER;
}

// `digits`: how much of the text is the number that is wanted.
static bool complain_number(tool_json *json, const char *what, size_t digits) {
  if (json->token != TOOL_TOKEN_STRING || !digits || digits != json->text_size)
    return tool_json_expected(json, what);
  return tool_fail(json->error, json->position,
                   "expected %s, found a string; write %s without quotes", what, json->text);
}

static bool read_unsigned(json_reader *reader, const char *what, uint64_t *out_value) {
  tool_json *const json = &reader->json;
  bool fits = false;
  const size_t digits =
      is_text(json) ? tool_scan_unsigned(json->text, json->text_size, out_value, &fits) : 0;
  if (json->token != TOOL_TOKEN_NUMBER || digits != json->text_size || !fits)
    return complain_number(json, what, fits ? digits : 0);
  return tool_json_next(json);
}

static bool read_point(json_reader *reader, int64_t *out_value) {
  tool_json *const json = &reader->json;
  bool fits = false;
  const size_t digits =
      is_text(json) ? tool_scan_signed(json->text, json->text_size, out_value, &fits) : 0;
  if (json->token != TOOL_TOKEN_NUMBER || digits != json->text_size || !fits)
    return complain_number(json, "an integer, a program point", fits ? digits : 0);
  return tool_json_next(json);
}

//===----------------------------------------------------------------------===//
// A buffer
//===----------------------------------------------------------------------===//

typedef struct buffer_draft {
  tool_entry entry;
  tool_position position, space; // its own and of its member "space"
  bool size, begin, end;         // present
  bool pieces;
} buffer_draft;

// A number will do for a name.
static bool read_text(json_reader *reader, size_t *out_text) {
  tool_json *const json = &reader->json;
  if (!is_text(json))
    return tool_json_expected(json, "a string");
  if (!tool_is_utf8(json->text, json->text_size))
    return tool_json_expected(json, "text in UTF-8");
  if (!tool_instance_text(reader->instance, json->text, json->text_size, out_text))
    return tool_fail_memory(json->error);
  return tool_json_next(json);
}

static bool read_alignment(json_reader *reader, uint64_t *out_alignment) {
  const tool_position position = reader->json.position;
  if (!read_unsigned(reader, "an alignment in bytes", out_alignment))
    return false;
  *out_alignment += !*out_alignment;
  return !(*out_alignment & (*out_alignment - 1)) ||
         tool_fail(reader->json.error, position, "expected a power of two");
}

static bool is_minus_one(const json_reader *reader) {
  return reader->json.token == TOOL_TOKEN_NUMBER && !strcmp(reader->json.text, "-1");
}

static bool read_offset(json_reader *reader, uint64_t *out_offset) {
  const tool_position position = reader->json.position;
  if (is_null(reader) || is_minus_one(reader))
    return tool_json_next(&reader->json);
  if (!read_unsigned(reader, "an offset in bytes, or null for none", out_offset))
    return false;
  return *out_offset != STOW_ANY_OFFSET ||
         tool_fail(reader->json.error, position, "expected a smaller offset");
}

// The window of a piece, where there is one: ", low, high".
static bool read_window(json_reader *reader, stow_piece *piece) {
  tool_json *const json = &reader->json;
  if (json->token != TOOL_TOKEN_COMMA)
    return true;
  return tool_json_next(json) && read_unsigned(reader, "an offset in the buffer", &piece->low) &&
         tool_json_take(json, TOOL_TOKEN_COMMA, "','") &&
         read_unsigned(reader, "an offset in the buffer", &piece->high);
}

// [begin, end] or [begin, end, low, high] as an element of "pieces".
static bool read_piece(json_reader *reader, void *into) {
  buffer_draft *const draft = into;
  tool_json *const json = &reader->json;
  tool_gap_list *const list = &reader->gaps;
  const tool_position position = json->position;
  stow_piece piece = {0};
  if (!tool_json_take(json, TOOL_TOKEN_ARRAY, "a piece such as [10, 20]") ||
      !read_point(reader, &piece.begin) || !tool_json_take(json, TOOL_TOKEN_COMMA, "','") ||
      !read_point(reader, &piece.end) || !read_window(reader, &piece) ||
      !tool_json_take(json, TOOL_TOKEN_ARRAY_END, "']'"))
    return false;
  const bool late = !list->piece_count || piece.begin >= list->pieces[list->piece_count - 1].end;
  const bool windowed = piece.low || piece.high;
  if (piece.begin >= piece.end || !late || (windowed && piece.low >= piece.high))
    return tool_fail(json->error, position,
                     "expected a piece that is not empty and not before "
                     "the end of the last");
  draft->pieces = true;
  return tool_gap_list_add_piece(list, &piece) || tool_fail_memory(json->error);
}

// A name as an element of "spaces", which goes into a set of bits.
static bool read_space(json_reader *reader, void *into) {
  tool_json *const json = &reader->json;
  uint64_t *const spaces = into;
  size_t space;
  if (json->token != TOOL_TOKEN_STRING || !tool_is_utf8(json->text, json->text_size))
    return tool_json_expected(json, "the name of a space");
  switch (tool_find_or_add_space(reader->instance, json->text, json->text_size, &space)) {
  case TOOL_SPACE_NO_MEMORY:
    return tool_fail_memory(json->error);
  case TOOL_SPACE_TOO_MANY:
    return tool_json_expected(json, "at most 64 different spaces");
  case TOOL_SPACE_FOUND:
    break;
  }
  *spaces |= (uint64_t)1 << space;
  return tool_json_next(json);
}

static bool read_own_space(json_reader *reader, uint32_t *out_space) {
  uint64_t spaces = 0;
  if (!read_space(reader, &spaces))
    return false;
  while (spaces >> *out_space > 1)
    ++*out_space;
  return true;
}

// An id as an element of "exclusive" and its like.
typedef struct relation_draft {
  stow_relation_kind kind;
} relation_draft;

static bool read_related(json_reader *reader, void *into) {
  tool_json *const json = &reader->json;
  const relation_draft *const relation = into;
  if (!is_text(json))
    return tool_json_expected(json, "the id of a buffer");
  return (tool_relation_list_add(&reader->relations, reader->instance, relation->kind, json->text,
                                 json->text_size, json->position) ||
          tool_fail_memory(json->error)) &&
         tool_json_next(json);
}

static bool is_name(const char *name, const char *first, const char *second) {
  return !strcmp(name, first) || !strcmp(name, second);
}

static size_t *label_of(tool_labels *labels, const char *name) {
  return !strcmp(name, "id")            ? &labels->id
         : !strcmp(name, "name")        ? &labels->name
         : !strcmp(name, "op")          ? &labels->op
         : !strcmp(name, "op_location") ? &labels->op_location
         : !strcmp(name, "layer")       ? &labels->layer
         : !strcmp(name, "type")        ? &labels->type
         : !strcmp(name, "location")    ? &labels->location
                                        : NULL;
}

static bool read_own_point(json_reader *reader, int64_t *out_point, bool *out_present) {
  *out_present = true;
  return read_point(reader, out_point);
}

static bool read_list_member(json_reader *reader, const char *name, buffer_draft *draft) {
  const int kind = tool_relation_kind(name, strlen(name));
  relation_draft relation = {(stow_relation_kind)kind};
  if (kind >= 0)
    return read_array(reader, read_related, &relation);
  if (!strcmp(name, "pieces"))
    return read_array(reader, read_piece, draft);
  if (!strcmp(name, "spaces"))
    return read_array(reader, read_space, &draft->entry.allowed);
  if (!strcmp(name, "parts"))
    tool_instance_warn(reader->instance, TOOL_PARTS_LEFT_OUT, reader->json.position);
  return tool_json_skip(&reader->json);
}

// Members that say nothing where they are absent; null for an offset is none.
static bool is_optional(tool_labels *labels, const char *name) {
  return label_of(labels, name) || is_name(name, "alignment", "space") ||
         is_name(name, "spaces", "pieces") || tool_relation_kind(name, strlen(name)) >= 0;
}

static bool read_buffer_member(json_reader *reader, const char *name, void *into) {
  buffer_draft *const draft = into;
  stow_buffer *const buffer = &draft->entry.buffer;
  size_t *const label = label_of(&draft->entry.labels, name);
  if (is_null(reader) && is_optional(&draft->entry.labels, name))
    return tool_fail(reader->json.error, reader->json.position,
                     "member \"%s\" is null; leave it out where there is none", name);
  if (label)
    return read_text(reader, label);
  if (!strcmp(name, "size")) {
    draft->size = true;
    return read_unsigned(reader, "a size in bytes", &buffer->size);
  }
  if (is_name(name, "begin", "lower"))
    return read_own_point(reader, &buffer->begin, &draft->begin);
  if (is_name(name, "end", "upper"))
    return read_own_point(reader, &buffer->end, &draft->end);
  if (!strcmp(name, "alignment"))
    return read_alignment(reader, &buffer->alignment);
  if (!strcmp(name, "offset"))
    return read_offset(reader, &draft->entry.offset);
  if (!strcmp(name, "hint"))
    return read_offset(reader, &draft->entry.hint);
  if (!strcmp(name, "space")) {
    draft->space = reader->json.position;
    return read_own_space(reader, &draft->entry.space);
  }
  return read_list_member(reader, name, draft);
}

static bool require(const json_reader *reader, const buffer_draft *draft, bool present,
                    const char *member) {
  return present ||
         tool_fail(reader->json.error, draft->position, "the buffer has no member \"%s\"", member);
}

static bool number_as_id(json_reader *reader, size_t *out_text) {
  char digits[24];
  const int size = snprintf(digits, sizeof digits, "%zu", reader->instance->count);
  return tool_instance_text(reader->instance, digits, (size_t)size, out_text) ||
         tool_fail_memory(reader->json.error);
}

static bool add_buffer(json_reader *reader, buffer_draft *draft) {
  tool_error *const error = reader->json.error;
  size_t first;
  draft->entry.pieces = reader->gaps.pieces;
  draft->entry.piece_count = reader->gaps.piece_count;
  if (!draft->entry.labels.id && !number_as_id(reader, &draft->entry.labels.id))
    return false;
  if (!tool_instance_add(reader->instance, &draft->entry) ||
      !tool_id_set_add(&reader->ids, reader->instance, reader->instance->count - 1, &first))
    return tool_fail_memory(error);
  const size_t last = reader->instance->count - 1;
  const char *const id = tool_instance_id(reader->instance, last);
  return first == last ||
         tool_fail(error, draft->position,
                   "id %s is taken by buffer %zu; expected one that no other buffer has",
                   tool_quote(id, strlen(id)).text, first + 1);
}

// Pieces lie inside the life, and their windows inside the buffer. A life that is not given begins
// and ends with them.
static bool settle_pieces(json_reader *reader, buffer_draft *draft) {
  tool_gap_list *const list = &reader->gaps;
  stow_buffer *const buffer = &draft->entry.buffer;
  if (!list->piece_count)
    return true;
  const int64_t first = list->pieces[0].begin, last = list->pieces[list->piece_count - 1].end;
  bool inside = true;
  for (size_t i = 0; i < list->piece_count; i++)
    inside &= list->pieces[i].high <= buffer->size;
  buffer->begin = draft->begin ? buffer->begin : first;
  buffer->end = draft->end ? buffer->end : last;
  draft->begin = draft->end = true;
  if (!inside || buffer->begin > first || last > buffer->end)
    return tool_fail(reader->json.error, draft->position,
                     "expected pieces inside the life and the size of the buffer");
  tool_gap_list_join_pieces(list, buffer);
  return true;
}

static bool read_buffer(json_reader *reader, void *into) {
  (void)into;
  buffer_draft draft = {
      .entry = {.buffer = {.alignment = 1}, .offset = STOW_ANY_OFFSET, .hint = STOW_ANY_OFFSET},
      .position = reader->json.position};
  tool_gap_list_clear(&reader->gaps);
  if (!read_object(reader, read_buffer_member, &draft) || !settle_pieces(reader, &draft) ||
      !require(reader, &draft, draft.size, "size") ||
      !require(reader, &draft, draft.begin, "begin") || !require(reader, &draft, draft.end, "end"))
    return false;
  if (draft.entry.buffer.begin >= draft.entry.buffer.end)
    return tool_fail(reader->json.error, draft.position, "expected an end after the begin");
  if (draft.space.line && draft.entry.offset == STOW_ANY_OFFSET)
    tool_instance_warn(reader->instance, TOOL_SPACE_ALONE, draft.space);
  return add_buffer(reader, &draft);
}

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

typedef struct space_draft {
  uint64_t named; // a bit, once its name is known
  stow_space space;
} space_draft;

static bool read_space_member(json_reader *reader, const char *name, void *into) {
  space_draft *const draft = into;
  if (!strcmp(name, "name"))
    return read_space(reader, &draft->named);
  if (!strcmp(name, "capacity") && !is_null(reader))
    return read_unsigned(reader, "a capacity in bytes", &draft->space.capacity);
  if (!strcmp(name, "cost"))
    return read_unsigned(reader, "a cost per byte", &draft->space.cost);
  return tool_json_skip(&reader->json);
}

static bool read_declared_space(json_reader *reader, void *into) {
  const tool_position position = reader->json.position;
  space_draft draft = {.space = {.cost = 1}};
  (void)into;
  if (!read_object(reader, read_space_member, &draft))
    return false;
  if (!draft.named)
    return tool_fail(reader->json.error, position, "the space has no member \"name\"");
  size_t index = 0;
  while (draft.named >> index > 1)
    index++;
  reader->instance->spaces[index] = draft.space;
  return true;
}

//===----------------------------------------------------------------------===//
// Arenas
//===----------------------------------------------------------------------===//

static bool read_capacity(json_reader *reader) {
  return is_null(reader)
             ? tool_json_next(&reader->json)
             : read_unsigned(reader, "a capacity in bytes", &reader->instance->arena_capacity);
}

// ["colocated", "a", "b"] as an element of "relations".
static bool read_relation(json_reader *reader, void *into) {
  tool_json *const json = &reader->json;
  const tool_position position = json->position;
  char words[2][NAME_LIMIT * 8];
  (void)into;
  if (!tool_json_take(json, TOOL_TOKEN_ARRAY, "a relation such as [\"colocated\", \"a\", \"b\"]"))
    return false;
  for (size_t i = 0; i < 2; i++) {
    if (!is_text(json) || json->text_size >= sizeof words[i])
      return tool_json_expected(json, "a string");
    snprintf(words[i], sizeof words[i], "%s", json->text);
    if (!tool_json_next(json) || !tool_json_take(json, TOOL_TOKEN_COMMA, "','"))
      return false;
  }
  const int kind = tool_relation_kind(words[0], strlen(words[0]));
  if (kind < 0 || !is_text(json))
    return tool_fail(json->error, position,
                     "expected exclusive, colocated or may_colocate and "
                     "two ids");
  if (!tool_relation_list_add_pair(&reader->relations, reader->instance, (stow_relation_kind)kind,
                                   words[1], json->text, position))
    return tool_fail_memory(json->error);
  return tool_json_next(json) && tool_json_take(json, TOOL_TOKEN_ARRAY_END, "']'");
}

static bool read_arena_member(json_reader *reader, const char *name, void *into) {
  tool_json *const json = &reader->json;
  if (!strcmp(name, "capacity"))
    return read_capacity(reader);
  if (!strcmp(name, "strategy") && json->token == TOOL_TOKEN_STRING)
    stow_strategy_parse(json->text, &reader->instance->strategy);
  if (!strcmp(name, "spaces"))
    return read_array(reader, read_declared_space, NULL);
  if (!strcmp(name, "relations"))
    return read_array(reader, read_relation, NULL);
  if (strcmp(name, "buffers"))
    return tool_json_skip(json);
  if (reader->instance->count)
    return tool_fail(json->error, json->position, "a second list of buffers");
  return read_array(reader, read_buffer, into);
}

static bool settle(json_reader *reader) {
  return tool_relation_list_settle(&reader->relations, &reader->ids, reader->instance,
                                   reader->json.error);
}

// Forgets the arena before.
static void clear(json_reader *reader) {
  tool_id_set_release(&reader->ids);
  tool_relation_list_release(&reader->relations);
  tool_instance_release(reader->instance);
}

static bool read_arena(json_reader *reader, void *into) {
  const size_t arena = ++reader->arenas;
  if (reader->check) {
    clear(reader);
    return read_object(reader, read_arena_member, into) && settle(reader) &&
           reader->check(reader->user, reader->instance);
  }
  if (!reader->wanted && arena > 1)
    return tool_fail(reader->json.error, reader->json.position,
                     "there is more than one arena; choose with --arena=1, --arena=2, ...");
  if (reader->wanted && reader->wanted != arena)
    return tool_json_skip(&reader->json);
  return read_object(reader, read_arena_member, into);
}

static bool read_version(json_reader *reader) {
  const tool_position position = reader->json.position;
  uint64_t version;
  return read_unsigned(reader, "a version number", &version) &&
         (version == 1 || tool_fail(reader->json.error, position, "expected version 1"));
}

static bool read_top_member(json_reader *reader, const char *name, void *into) {
  if (!strcmp(name, "version"))
    return read_version(reader);
  if (!strcmp(name, "arenas"))
    return read_array(reader, read_arena, into);
  if (!strcmp(name, "functions"))
    reader->functions = reader->json.position;
  const bool buffers = !strcmp(name, "buffers");
  reader->arenas += buffers;
  reader->flat |= buffers;
  return reader->check ? tool_json_skip(&reader->json) : read_arena_member(reader, name, into);
}

static bool fail_without_arenas(json_reader *reader) {
  if (reader->functions.line)
    return tool_fail(reader->json.error, reader->functions,
                     "this report of stream-rows or order-for-memory has no offsets; expected "
                     "report=json: of merge-alloc after it, or draw stream-rows with report=html:");
  return tool_fail(reader->json.error, (tool_position){1, 1},
                   "expected a member \"buffers\", or \"arenas\" with one arena or more");
}

static bool read_all(json_reader *reader) {
  tool_json *const json = &reader->json;
  if (!read_object(reader, read_top_member, NULL))
    return false;
  if (json->token != TOOL_TOKEN_END)
    return tool_json_expected(json, "the end of the input");
  if (!reader->arenas)
    return fail_without_arenas(reader);
  if (reader->arenas < reader->wanted)
    return tool_fail(json->error, (tool_position){1, 1}, "there is no arena %zu; the last is %zu",
                     reader->wanted, reader->arenas);
  return reader->check || settle(reader);
}

bool tool_read_json(tool_stream *stream, size_t arena, tool_instance *instance,
                    tool_error *out_error) {
  instance->from_json = true;
  tool_skip_byte_order_mark(stream);
  json_reader reader = {.wanted = arena, .instance = instance};
  const bool done = tool_json_open(&reader.json, stream, out_error) && read_all(&reader);
  tool_json_close(&reader.json);
  tool_id_set_release(&reader.ids);
  tool_gap_list_release(&reader.gaps);
  tool_relation_list_release(&reader.relations);
  return done;
}

bool tool_read_report(tool_stream *stream, tool_check_arena *check, void *user, bool *out_report,
                      tool_error *out_error) {
  tool_instance instance;
  tool_instance_open(&instance);
  tool_skip_byte_order_mark(stream);
  json_reader reader = {.check = check, .user = user, .instance = &instance};
  const bool done = tool_json_open(&reader.json, stream, out_error) && read_all(&reader);
  tool_json_close(&reader.json);
  tool_gap_list_release(&reader.gaps);
  clear(&reader);
  *out_report = done && !reader.flat;
  return done;
}

// "null" alone, as a program writes it that had nothing to write; no header of a table is that.
static bool is_null_alone(const tool_stream *stream) {
  const size_t left = stream->filled - stream->at;
  return left >= 4 && !memcmp(stream->chunk + stream->at, "null", 4) &&
         (left == 4 || strchr(" \t\r\n", stream->chunk[stream->at + 4]));
}

bool tool_read_any(tool_stream *stream, size_t arena, tool_instance *instance,
                   tool_error *out_error) {
  if (!tool_stream_check_text(stream, out_error))
    return false;
  tool_skip_byte_order_mark(stream);
  while (tool_peek(stream) == ' ' || tool_peek(stream) == '\n' || tool_peek(stream) == '\r' ||
         tool_peek(stream) == '\t')
    tool_next(stream);
  const int first = tool_peek(stream);
  if (first == '{' || first == '[' || is_null_alone(stream))
    return tool_read_json(stream, arena, instance, out_error);
  if (arena > 1)
    return tool_fail(out_error, stream->position, "there is no arena %zu: CSV holds one", arena);
  return tool_read_csv(stream, instance, out_error);
}
