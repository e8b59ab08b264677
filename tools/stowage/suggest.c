//===- suggest.c - the word that was meant --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "suggest.h"

#include "error.h"
#include "stowage/plan.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 40 };

tool_suggestion tool_suggest(const char *word, size_t size) {
  return (tool_suggestion){.word = word, .size = size, .distance = size < 5 ? 2 : 3};
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

// Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size) {
  size_t rows[LONGEST + 1][LONGEST + 1];
  for (size_t i = 0; i <= a_size; i++)
    rows[i][0] = i;
  for (size_t j = 0; j <= b_size; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= a_size; i++)
    for (size_t j = 1; j <= b_size; j++) {
      const bool same = a[i - 1] == b[j - 1];
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      rows[i][j] = least(least(rows[i - 1][j], rows[i][j - 1]) + 1, rows[i - 1][j - 1] + !same);
      if (swapped)
        rows[i][j] = least(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  return rows[a_size][b_size];
}

void tool_suggest_offer(tool_suggestion *suggestion, const char *name) {
  const size_t size = strlen(name);
  if (!suggestion->size || suggestion->size > LONGEST || size > LONGEST)
    return;
  const bool begins = suggestion->size > 1 && !strncmp(name, suggestion->word, suggestion->size);
  const size_t away = begins ? 1 : distance(suggestion->word, suggestion->size, name, size);
  if (away >= suggestion->distance)
    return;
  suggestion->distance = away;
  suggestion->name = name;
}

void tool_suggest_end(const tool_suggestion *suggestion, const char *prefix, const char *command) {
  if (suggestion->name)
    fprintf(stderr, "; did you mean '%s%s'? ", prefix, suggestion->name);
  else
    fputs("; ", stderr);
  fprintf(stderr, "try 'stowage%s%s --help'\n", *command ? " " : "", command);
}

void tool_complain_strategy(const char *command, const char *option, const char *word,
                            size_t size) {
  tool_suggestion suggestion = tool_suggest(word, size);
  fprintf(stderr, "stowage %s: error: --%s: no such strategy: %s; expected", command, option,
          tool_quote(word, size).text);
  for (int i = 0; i < STOW_STRATEGY_COUNT; i++) {
    const char *const name = stow_strategy_name((stow_strategy)i);
    fprintf(stderr, "%s%s", !i ? " " : i + 1 < STOW_STRATEGY_COUNT ? ", " : " or ", name);
    tool_suggest_offer(&suggestion, name);
  }
  tool_suggest_end(&suggestion, "", command);
}
