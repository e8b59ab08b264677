//===- report_unit.c - numbers, escapes, scales and profiles of the report ===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile.h"
#include "put.h"
#include "scale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(bool holds, const char *what, const char *seen) {
  if (holds)
    return;
  failures++;
  printf("FAIL %s: %s\n", what, seen);
}

static void check_text(const char *seen, const char *wanted) {
  check(!strcmp(seen, wanted), wanted, seen);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static void test_numbers(void) {
  check_text(stow_report_cell_unsigned(0).text, "0");
  check_text(stow_report_cell_unsigned(UINT64_MAX).text, "18446744073709551615");
  check_text(stow_report_cell_signed(INT64_MIN).text, "-9223372036854775808");
  check_text(stow_report_cell_signed(-7).text, "-7");
  const stow_buffer life = {.begin = INT64_MIN, .end = INT64_MAX};
  check_text(stow_report_cell_life(&life).text, "[-9223372036854775808, 9223372036854775807)");
}

static void test_sizes(void) {
  check_text(stow_report_cell_size(0).text, "0 B");
  check_text(stow_report_cell_size(1023).text, "1023 B");
  check_text(stow_report_cell_size(1024).text, "1.00 KiB");
  check_text(stow_report_cell_size(1536).text, "1.50 KiB");
  check_text(stow_report_cell_size(1048575).text, "1.00 MiB");
  check_text(stow_report_cell_size(1047552).text, "1023.00 KiB");
  check_text(stow_report_cell_size((uint64_t)1 << 30).text, "1.00 GiB");
  check_text(stow_report_cell_size(UINT64_MAX).text, "16.00 EiB");
  check_text(stow_report_cell_size((uint64_t)1 << 60).text, "1.00 EiB");
  check_text(stow_report_cell_size(((uint64_t)1 << 60) * 3 / 2).text, "1.50 EiB");
}

static void test_exact_sizes(void) {
  check_text(stow_report_cell_exact_size(0).text, "0 B");
  check_text(stow_report_cell_exact_size(1000).text, "1000 B");
  check_text(stow_report_cell_exact_size(1024).text, "1 KiB");
  check_text(stow_report_cell_exact_size(1025).text, "1025 B");
  check_text(stow_report_cell_exact_size(1234567).text, "1234567 B");
  check_text(stow_report_cell_exact_size(9 << 17).text, "1.125 MiB");
  check_text(stow_report_cell_exact_size((uint64_t)15 << 60).text, "15 EiB");
  check_text(stow_report_cell_exact_size(UINT64_MAX).text, "18446744073709551615 B");
}

static void test_percents(void) {
  check_text(stow_report_cell_percent(0, 0).text, "0.00");
  check_text(stow_report_cell_percent(1, 3).text, "33.33");
  check_text(stow_report_cell_percent(2, 3).text, "66.67");
  check_text(stow_report_cell_percent(5, 4).text, "125.00");
  check_text(stow_report_cell_percent(UINT64_MAX, UINT64_MAX).text, "100.00");
  check_text(stow_report_cell_percent(UINT64_MAX / 4, UINT64_MAX).text, "25.00");
}

//===----------------------------------------------------------------------===//
// Escapes
//===----------------------------------------------------------------------===//

static char written[256];

static void collect(void *user, const char *text, size_t size) {
  (void)user;
  strncat(written, text, size);
}

static const char *through(void (*put)(stow_sink, const char *), const char *text) {
  *written = '\0';
  put((stow_sink){collect, NULL}, text);
  return written;
}

static void test_escapes(void) {
  check_text(through(stow_report_put_json_string, "a\"b\\c\n\x01<"),
             "\"a\\\"b\\\\c\\u000a\\u0001<\"");
  check_text(through(stow_report_put_json_string, "\xC3\xA9\xFF\xC3"),
             "\"\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\"");
  check_text(through(stow_report_put_json_string, "\xED\xA0\x80"),
             "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
  check_text(through(stow_report_put_markup, "<a & \"b\">\x02"),
             "&lt;a &amp; &quot;b&quot;&gt;\xEF\xBF\xBD");
  check_text(through(stow_report_put_csv_field, "plain"), "plain");
  check_text(through(stow_report_put_csv_field, "a,\"b\""), "\"a,\"\"b\"\"\"");
  check_text(through(stow_report_put_csv_field, " a"), "\" a\"");
  check(stow_report_text_width("\xC3\xA9\xF0\x9F\x98\x80") == 2, "width", "wrong");
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

static void test_scales(void) {
  check(stow_report_scale(0, 0, 100) == 0, "scale of nothing", "wrong");
  check(stow_report_scale(7, 7, 100) == 100, "scale of all", "wrong");
  check(stow_report_scale(1, 3, 100) == 33, "a third", "wrong");
  check(stow_report_scale(UINT64_MAX, UINT64_MAX, 1 << 20) == 1 << 20, "the largest", "wrong");
  check(stow_report_tick_points(100, 10) == 10, "ticks of 10", "wrong");
  check(stow_report_tick_points(101, 10) == 10, "ticks still of 10", "wrong");
  check(stow_report_tick_points(130, 10) == 20, "ticks of 20", "wrong");
  check(stow_report_tick_points(410, 10) == 50, "ticks of 50", "wrong");
  check(stow_report_tick_bytes(1000, 8) == 128, "ticks of 128", "wrong");
  check(stow_report_first_tick(&(stow_canvas){11, 99, 1}, 10) == 9, "the first tick is 20",
        "wrong");
  check(stow_report_first_tick(&(stow_canvas){20, 99, 1}, 10) == 0, "the first tick is the begin",
        "wrong");
  check(stow_report_first_tick(&(stow_canvas){-11, 99, 1}, 10) == 1, "the first tick is -10",
        "wrong");
  check(stow_report_first_tick(&(stow_canvas){INT64_MIN, 99, 1}, 10) == 8, "the lowest first tick",
        "wrong");
  check(stow_report_tick_points(UINT64_MAX, 10) > 0 && stow_report_tick_bytes(UINT64_MAX, 8) > 0,
        "large ticks", "none");
}

//===----------------------------------------------------------------------===//
// Profiles, against the definition
//===----------------------------------------------------------------------===//

enum { BUFFERS = 12, POINTS = 24 };

static unsigned drawn = 1;

static unsigned draw(unsigned limit) {
  drawn = drawn * 1664525u + 1013904223u;
  return (drawn >> 16) % limit;
}

static void draw_buffers(stow_report_buffer *buffers, stow_piece (*pieces)[2]) {
  for (size_t i = 0; i < BUFFERS; i++) {
    const int64_t begin = draw(POINTS - 6), end = begin + 5 + draw(POINTS - 5 - (unsigned)begin);
    buffers[i] = (stow_report_buffer){.buffer = {.size = draw(50), .begin = begin, .end = end},
                                      .offset = draw(100)};
    if (draw(3) || buffers[i].buffer.size < 8)
      continue;
    pieces[i][0] = (stow_piece){begin, begin + 2, 0, 0};
    pieces[i][1] = (stow_piece){begin + 3, end, 2, 5};
    buffers[i].pieces = pieces[i];
    buffers[i].piece_count = 2;
  }
}

static stow_sample at_point(const stow_report_buffer *buffers, int64_t point) {
  stow_sample sample = {.point = point};
  for (size_t i = 0; i < BUFFERS; i++)
    for (size_t j = 0; buffers[i].buffer.size && j < stow_box_count(&buffers[i]); j++) {
      const stow_box box = stow_box_of(&buffers[i], j);
      if (point < box.begin || point >= box.end)
        continue;
      sample.live += box.high - box.low;
      sample.highest = box.high > sample.highest ? box.high : sample.highest;
    }
  return sample;
}

static void test_profile(void) {
  stow_report_buffer buffers[BUFFERS];
  stow_piece pieces[BUFFERS][2];
  draw_buffers(buffers, pieces);
  const stow_report_arena arena = {.buffers = buffers, .buffer_count = BUFFERS};
  stow_profile profile;
  check(stow_profile_make(&arena, &profile) == STOW_OK, "a profile", "none");
  for (size_t i = 0; i + 1 < profile.count; i++)
    for (int64_t t = profile.samples[i].point; t < profile.samples[i + 1].point; t++) {
      const stow_sample wanted = at_point(buffers, t);
      check(wanted.live == profile.samples[i].live, "bytes alive", "wrong");
      check(wanted.highest == profile.samples[i].highest, "highest offset", "wrong");
    }
  check(!profile.count || !profile.samples[profile.count - 1].live, "all die", "not");
  stow_profile_release(&profile);
}

int main(void) {
  test_numbers();
  test_sizes();
  test_exact_sizes();
  test_percents();
  test_escapes();
  test_scales();
  for (int i = 0; i < 2000; i++)
    test_profile();
  printf("%d failed\n", failures);
  return failures != 0;
}
