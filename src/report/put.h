//===- put.h - numbers and text into a sink -------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every rendering needs: integers, sizes for people, percentages, padding
// and the escapes of the formats. No locale and no floating point take part, so
// the bytes are the same everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_PUT_H
#define STOWAGE_REPORT_PUT_H

#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

// A short piece of text by value, for numbers on their way into a column.
typedef struct stow_cell_text {
  char text[48];
} stow_cell_text;

stow_cell_text stow_report_cell_unsigned(uint64_t value);
stow_cell_text stow_report_cell_signed(int64_t value);

// "12 B", "1.50 KiB", ...: two decimals, rounded to nearest.
stow_cell_text stow_report_cell_size(uint64_t bytes);

// The same where every byte counts, as at a tick: "1.5 MiB", exact, in the largest unit in which it
// is a whole number of eighths.
stow_cell_text stow_report_cell_exact_size(uint64_t bytes);

// The whole of `text` as bytes: "4096", "64K" and "64KiB" (1024), "2M", "2MiB", "1G", "1GiB".
// False, and no value, where it is something else or more than 64 bits.
bool stow_report_read_bytes(const char *text, uint64_t *out_bytes);

// "12.34": part / whole in percent, rounded to nearest; "0.00" where whole is 0.
stow_cell_text stow_report_cell_percent(uint64_t part, uint64_t whole);

// "[begin, end)".
stow_cell_text stow_report_cell_life(const stow_buffer *buffer);

// part / whole in hundredths of a percent, saturating at UINT64_MAX.
uint64_t stow_report_basis_points(uint64_t part, uint64_t whole);

void stow_report_put(stow_sink sink, const char *text);

// Texts, one behind the other; numbers are cells.
#define STOW_PUT(sink, ...)                                                                        \
  stow_report_put_texts(sink, (const char *const[]){__VA_ARGS__},                                  \
                        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
void stow_report_put_texts(stow_sink sink, const char *const texts[], size_t count);

void stow_report_put_bytes(stow_sink sink, const char *text, size_t size);
void stow_report_put_char(stow_sink sink, char c, size_t times);
void stow_report_put_unsigned(stow_sink sink, uint64_t value);
void stow_report_put_signed(stow_sink sink, int64_t value);

// Columns are counted in code points. Text wider than its column is not cut.
size_t stow_report_text_width(const char *text);
void stow_report_put_right(stow_sink sink, const char *text, size_t width);

// A JSON string with its quotes. Bytes that are no valid UTF-8 become U+FFFD.
void stow_report_put_json_string(stow_sink sink, const char *text);

// Text for a terminal or a log: what would move the cursor, end the line or turn the direction of
// writing round is shown as '?'. Of the characters, [first, last) are written.
void stow_report_put_shown(stow_sink sink, const char *text, size_t first, size_t last);
void stow_report_put_all_shown(stow_sink sink, const char *text);

// All of it between two others; nothing where it is NULL or empty.
void stow_report_put_shown_if_any(stow_sink sink, const char *before, const char *text,
                                  const char *behind);

// A CSV field, quoted where it has to be; and its parts, for a field that is put together.
void stow_report_put_csv_field(stow_sink sink, const char *text);
bool stow_report_csv_needs_quotes(const char *text);
void stow_report_put_csv_in_quotes(stow_sink sink, const char *text);

// Text of an XML or HTML element or quoted attribute. Invalid UTF-8 and control characters become
// U+FFFD.
void stow_report_put_markup(stow_sink sink, const char *text);

// The length of the valid UTF-8 sequence at `text`, or 0 where there is none.
size_t stow_report_utf8_length(const char *text);

//===----------------------------------------------------------------------===//
// Members of JSON objects
//===----------------------------------------------------------------------===//

// `before`, then the key in quotes and a colon.
void stow_report_put_json_key(stow_sink sink, const char *before, const char *key);

// The same with a value behind it.
void stow_report_put_json_text(stow_sink sink, const char *before, const char *key,
                               const char *text);
void stow_report_put_json_text_if_any(stow_sink sink, const char *before, const char *key,
                                      const char *text);
void stow_report_put_json_signed(stow_sink sink, const char *before, const char *key,
                                 int64_t value);
void stow_report_put_json_unsigned(stow_sink sink, const char *before, const char *key,
                                   uint64_t value);
void stow_report_put_json_bool(stow_sink sink, const char *before, const char *key, bool value);

// The beginning of a report; the note may be NULL.
void stow_report_put_json_head(stow_sink sink, const char *title, const char *note);

// A member that is an array: `put` puts an item, each on a line of its own.
#define STOW_PUT_JSON_LIST(sink, before, key, indent, items, count, put)                           \
  do {                                                                                             \
    stow_report_put_json_key(sink, before, key);                                                   \
    for (size_t item_ = 0; item_ < (count); item_++) {                                             \
      STOW_PUT(sink, item_ ? ",\n" : "[\n", indent);                                               \
      put(sink, &(items)[item_]);                                                                  \
    }                                                                                              \
    stow_report_put(sink, (count) ? "]" : "[]");                                                   \
  } while (0)

#ifdef __cplusplus
}
#endif

#endif // STOWAGE_REPORT_PUT_H
