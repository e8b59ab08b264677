// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All that the program needs from what it runs on.
#ifndef CONSOLE_H
#define CONSOLE_H

void print_text(const char *text);
void finish(int status) __attribute__((noreturn));
unsigned ticks(void); // of a clock of 24 bits that counts up, or 0

static inline void print_number(const char *before, unsigned number) {
  char text[12], *digit = text + sizeof text;
  *--digit = 0;
  *--digit = '\n';
  do
    *--digit = (char)('0' + number % 10);
  while (number /= 10);
  print_text(before);
  print_text(digit);
}

static inline void print_hex(const char *before, unsigned long long number) {
  char text[18];
  for (int i = 0; i < 16; ++i)
    text[i] = "0123456789abcdef"[number >> (60 - 4 * i) & 15];
  text[16] = '\n';
  text[17] = 0;
  print_text(before);
  print_text(text);
}

#endif
