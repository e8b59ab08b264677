//===- page.h - a page of the report that a file holds --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The JSON report of a pass or of `stowage plan` has everything that an HTML map shows, of
// which an instance has a part only. So the page is made of the report's own text, once the
// offsets of all its arenas have been verified.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_PAGE_H
#define STOWAGE_TOOL_PAGE_H

#include "command.h"

typedef enum tool_page_kind {
  TOOL_PAGE_REPORT, // the text is in `*out_text`
  TOOL_PAGE_OTHER,  // no report, or one that is too large for a page: to be read as an instance
  TOOL_PAGE_BAD     // a message has been printed, and `*out_exit` says how to end
} tool_page_kind;

// `name` is a file or "-". What is no regular file is other, as it cannot be read again.
tool_page_kind tool_read_page(const char *name, char **out_text, tool_exit *out_exit);

// Draws the page of `input` into the drawing of the options; `other` is the report of their
// --compare, or NULL. On false a message has been printed.
bool tool_write_page(const tool_options *options, const char *input, const char *report,
                     const char *other);

#endif // STOWAGE_TOOL_PAGE_H
