//===- put.c - numbers and text into a sink -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "put.h"

#include <assert.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static stow_cell_text cell_of_digits(uint64_t value, bool negative) {
  char digits[24];
  size_t at = sizeof digits;
  digits[--at] = '\0';
  do
    digits[--at] = (char)('0' + value % 10);
  while (value /= 10);
  if (negative)
    digits[--at] = '-';
  stow_cell_text cell;
  memcpy(cell.text, digits + at, sizeof digits - at);
  return cell;
}

stow_cell_text stow_report_cell_unsigned(uint64_t value) { return cell_of_digits(value, false); }

stow_cell_text stow_report_cell_signed(int64_t value) {
  const uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  return cell_of_digits(magnitude, value < 0);
}

static void append(stow_cell_text *cell, const char *text) {
  const size_t used = strlen(cell->text);
  assert(used + strlen(text) < sizeof cell->text);
  memcpy(cell->text + used, text, strlen(text) + 1);
}

// "12.34" out of 1234.
static stow_cell_text cell_of_hundredths(uint64_t hundredths) {
  stow_cell_text cell = stow_report_cell_unsigned(hundredths / 100);
  const char fraction[] = {'.', (char)('0' + hundredths / 10 % 10), (char)('0' + hundredths % 10),
                           '\0'};
  append(&cell, fraction);
  return cell;
}

// value / 2^shift in hundredths, rounded to nearest. The integer part and the rest are scaled
// apart, so nothing overflows for a shift of 10 or more.
static uint64_t scaled_hundredths(uint64_t value, unsigned shift) {
  const uint64_t unit = (uint64_t)1 << shift;
  uint64_t rest = value & (unit - 1);
  unsigned rest_shift = shift;
  for (; rest_shift > 50; rest_shift--)
    rest >>= 1;
  return (value >> shift) * 100 + ((rest * 100 + ((uint64_t)1 << (rest_shift - 1))) >> rest_shift);
}

static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};

stow_cell_text stow_report_cell_size(uint64_t bytes) {
  unsigned unit = 0;
  while (unit < 6 && bytes >> (10 * unit) >= 1024)
    unit++;
  uint64_t hundredths = unit ? scaled_hundredths(bytes, 10 * unit) : 0;
  if (hundredths >= 102400 && unit < 6)
    hundredths = scaled_hundredths(bytes, 10 * ++unit);
  stow_cell_text cell = unit ? cell_of_hundredths(hundredths) : stow_report_cell_unsigned(bytes);
  append(&cell, units[unit]);
  return cell;
}

static bool is_whole_eighths(uint64_t bytes, unsigned unit) {
  return bytes >> (10 * unit) && bytes % ((uint64_t)1 << (10 * unit - 3)) == 0;
}

stow_cell_text stow_report_cell_exact_size(uint64_t bytes) {
  static const char *const eighths[] = {"", ".125", ".25", ".375", ".5", ".625", ".75", ".875"};
  unsigned unit = 6;
  while (unit && !is_whole_eighths(bytes, unit))
    unit--;
  stow_cell_text cell = stow_report_cell_unsigned(bytes >> (10 * unit));
  append(&cell, unit ? eighths[bytes >> (10 * unit - 3) & 7] : "");
  append(&cell, units[unit]);
  return cell;
}

// One bit for each unit's power of two, 0 where there is no such unit.
static uint64_t scale_of(const char *unit) {
  static const char names[] = "KMG";
  const char *const name = *unit ? strchr(names, *unit) : NULL;
  const bool long_name = name && !strcmp(unit + 1, "iB");
  if (!*unit || !strcmp(unit, "B"))
    return 1;
  return name && (long_name || !unit[1]) ? (uint64_t)1 << (10 * (name - names + 1)) : 0;
}

bool stow_report_read_bytes(const char *text, uint64_t *out_bytes) {
  const size_t digits = strspn(text, "0123456789");
  const uint64_t scale = scale_of(text + digits);
  uint64_t bytes = 0;
  bool fits = digits && scale;
  for (size_t i = 0; fits && i < digits; i++)
    fits = !__builtin_mul_overflow(bytes, (uint64_t)10, &bytes) &&
           !__builtin_add_overflow(bytes, (uint64_t)(text[i] - '0'), &bytes);
  return fits && !__builtin_mul_overflow(bytes, scale, out_bytes);
}

uint64_t stow_report_basis_points(uint64_t part, uint64_t whole) {
  while (part >> 50 || whole >> 50) {
    part >>= 1;
    whole >>= 1;
  }
  return whole ? (part * 10000 + whole / 2) / whole : 0;
}

stow_cell_text stow_report_cell_percent(uint64_t part, uint64_t whole) {
  return cell_of_hundredths(stow_report_basis_points(part, whole));
}

stow_cell_text stow_report_cell_life(const stow_buffer *buffer) {
  stow_cell_text cell = {"["};
  append(&cell, stow_report_cell_signed(buffer->begin).text);
  append(&cell, ", ");
  append(&cell, stow_report_cell_signed(buffer->end).text);
  append(&cell, ")");
  return cell;
}

//===----------------------------------------------------------------------===//
// Plain text
//===----------------------------------------------------------------------===//

void stow_report_put_bytes(stow_sink sink, const char *text, size_t size) {
  if (size)
    sink.write(sink.user, text, size);
}

void stow_report_put(stow_sink sink, const char *text) {
  stow_report_put_bytes(sink, text, strlen(text));
}

void stow_report_put_texts(stow_sink sink, const char *const texts[], size_t count) {
  for (size_t i = 0; i < count; i++)
    stow_report_put(sink, texts[i]);
}

void stow_report_put_char(stow_sink sink, char c, size_t times) {
  char run[64];
  memset(run, c, sizeof run);
  for (; times > sizeof run; times -= sizeof run)
    stow_report_put_bytes(sink, run, sizeof run);
  stow_report_put_bytes(sink, run, times);
}

void stow_report_put_unsigned(stow_sink sink, uint64_t value) {
  stow_report_put(sink, stow_report_cell_unsigned(value).text);
}

void stow_report_put_signed(stow_sink sink, int64_t value) {
  stow_report_put(sink, stow_report_cell_signed(value).text);
}

size_t stow_report_text_width(const char *text) {
  size_t width = 0;
  for (; *text; width++) {
    const size_t length = stow_report_utf8_length(text);
    text += length ? length : 1;
  }
  return width;
}

void stow_report_put_right(stow_sink sink, const char *text, size_t width) {
  const size_t used = stow_report_text_width(text);
  stow_report_put_char(sink, ' ', used < width ? width - used : 0);
  stow_report_put(sink, text);
}

//===----------------------------------------------------------------------===//
// Escapes
//===----------------------------------------------------------------------===//

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

size_t stow_report_utf8_length(const char *text) {
  const unsigned char *const u = (const unsigned char *)text;
  if (u[0] < 0x80)
    return u[0] != 0;
  const size_t length = u[0] < 0xC2 ? 0 : u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3 : u[0] < 0xF5 ? 4 : 0;
  for (size_t i = 1; i < length; i++)
    if (!is_continuation(text[i]))
      return 0;
  const bool overlong = (u[0] == 0xE0 && u[1] < 0xA0) || (u[0] == 0xF0 && u[1] < 0x90);
  const bool outside = (u[0] == 0xED && u[1] > 0x9F) || (u[0] == 0xF4 && u[1] > 0x8F);
  return overlong || outside ? 0 : length;
}

// Writes `text` with every character for which `escape` writes something replaced by that.
static void put_escaped(stow_sink sink, const char *text, bool (*escape)(stow_sink, char)) {
  while (*text) {
    const size_t length = stow_report_utf8_length(text);
    if (!length)
      stow_report_put(sink, "\xEF\xBF\xBD");
    else if (length > 1 || !escape(sink, *text))
      stow_report_put_bytes(sink, text, length);
    text += length ? length : 1;
  }
}

// Controls of both kinds, marks of no width or of direction, separators of lines.
static bool is_unprintable(const char *text, size_t length) {
  const unsigned char *const u = (const unsigned char *)text;
  if (length < 3)
    return length == 2 ? u[0] == 0xC2 && u[1] < 0xA0 : u[0] < 0x20 || u[0] == 0x7F;
  const unsigned code = (u[0] & 15u) << 12 | (u[1] & 63u) << 6 | (u[2] & 63u);
  return length == 3 && ((code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF);
}

void stow_report_put_shown(stow_sink sink, const char *text, size_t first, size_t last) {
  for (size_t at = 0; *text && at < last; at++) {
    const size_t length = stow_report_utf8_length(text);
    if (at >= first && (!length || is_unprintable(text, length)))
      stow_report_put(sink, "?");
    else if (at >= first)
      stow_report_put_bytes(sink, text, length);
    text += length ? length : 1;
  }
}

void stow_report_put_all_shown(stow_sink sink, const char *text) {
  stow_report_put_shown(sink, text, 0, SIZE_MAX);
}

void stow_report_put_shown_if_any(stow_sink sink, const char *before, const char *text,
                                  const char *behind) {
  if (!text || !*text)
    return;
  stow_report_put(sink, before);
  stow_report_put_all_shown(sink, text);
  stow_report_put(sink, behind);
}

static bool escape_json(stow_sink sink, char c) {
  static const char hex[] = "0123456789abcdef";
  if (c == '"' || c == '\\') {
    stow_report_put_char(sink, '\\', 1);
    return false;
  }
  if ((unsigned char)c >= 0x20 && c != 0x7F)
    return false;
  const char code[] = {'\\', 'u', '0', '0', hex[c >> 4 & 15], hex[c & 15]};
  stow_report_put_bytes(sink, code, sizeof code);
  return true;
}

void stow_report_put_json_string(stow_sink sink, const char *text) {
  stow_report_put(sink, "\"");
  put_escaped(sink, text, escape_json);
  stow_report_put(sink, "\"");
}

static bool escape_markup(stow_sink sink, char c) {
  const char *const entity = c == '<'                               ? "&lt;"
                             : c == '>'                             ? "&gt;"
                             : c == '&'                             ? "&amp;"
                             : c == '"'                             ? "&quot;"
                             : (unsigned char)c < 0x20 && c != '\n' ? "\xEF\xBF\xBD"
                                                                    : NULL;
  if (entity)
    stow_report_put(sink, entity);
  return entity != NULL;
}

void stow_report_put_markup(stow_sink sink, const char *text) {
  put_escaped(sink, text, escape_markup);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Blanks around a field are its own only within quotes.
bool stow_report_csv_needs_quotes(const char *text) {
  const size_t size = strlen(text);
  return strpbrk(text, ",\"\r\n") || (size && (is_blank(text[0]) || is_blank(text[size - 1])));
}

void stow_report_put_csv_in_quotes(stow_sink sink, const char *text) {
  for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
    stow_report_put_bytes(sink, text, (size_t)(quote - text) + 1);
    stow_report_put(sink, "\"");
  }
  stow_report_put(sink, text);
}

void stow_report_put_csv_field(stow_sink sink, const char *text) {
  const char *const quote = stow_report_csv_needs_quotes(text) ? "\"" : "";
  stow_report_put(sink, quote);
  (*quote ? stow_report_put_csv_in_quotes : stow_report_put)(sink, text);
  stow_report_put(sink, quote);
}

//===----------------------------------------------------------------------===//
// Members of JSON objects
//===----------------------------------------------------------------------===//

void stow_report_put_json_key(stow_sink sink, const char *before, const char *key) {
  STOW_PUT(sink, before, "\"", key, "\": ");
}

void stow_report_put_json_text(stow_sink sink, const char *before, const char *key,
                               const char *text) {
  stow_report_put_json_key(sink, before, key);
  stow_report_put_json_string(sink, text);
}

void stow_report_put_json_text_if_any(stow_sink sink, const char *before, const char *key,
                                      const char *text) {
  if (text)
    stow_report_put_json_text(sink, before, key, text);
}

void stow_report_put_json_signed(stow_sink sink, const char *before, const char *key,
                                 int64_t value) {
  stow_report_put_json_key(sink, before, key);
  stow_report_put_signed(sink, value);
}

void stow_report_put_json_unsigned(stow_sink sink, const char *before, const char *key,
                                   uint64_t value) {
  stow_report_put_json_key(sink, before, key);
  stow_report_put_unsigned(sink, value);
}

void stow_report_put_json_bool(stow_sink sink, const char *before, const char *key, bool value) {
  stow_report_put_json_key(sink, before, key);
  stow_report_put(sink, value ? "true" : "false");
}

void stow_report_put_json_head(stow_sink sink, const char *title, const char *note) {
  stow_report_put_json_unsigned(sink, "{\n  ", "version", 1);
  stow_report_put_json_text(sink, ",\n  ", "title", title);
  stow_report_put_json_text_if_any(sink, ",\n  ", "note", note);
}
