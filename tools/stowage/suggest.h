//===- suggest.h - the word that was meant --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_SUGGEST_H
#define STOWAGE_TOOL_SUGGEST_H

#include <stddef.h>

// The name nearest to a word among those offered so far.
typedef struct tool_suggestion {
  const char *word;
  size_t size; // of the word
  const char *name;
  size_t distance;
} tool_suggestion;

tool_suggestion tool_suggest(const char *word, size_t size);

// A name is near where a letter or two differ, are missing, or have changed places, or where the
// word is its beginning.
void tool_suggest_offer(tool_suggestion *suggestion, const char *name);

// Says that `option` of `command` has a value that is no strategy, which there are, and which one
// may be meant.
void tool_complain_strategy(const char *command, const char *option, const char *word, size_t size);

// Ends a message on standard error: "; did you mean 'PREFIXname'?" where a name was near, then
// where to find help: "try 'stowage COMMAND --help'", without a blank where there is no command.
void tool_suggest_end(const tool_suggestion *suggestion, const char *prefix, const char *command);

#endif // STOWAGE_TOOL_SUGGEST_H
