//===- streams_svg.h - streams of rows as SVG pictures --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_STREAMS_SVG_H
#define STOWAGE_REPORT_STREAMS_SVG_H

#include "streams.h"

// An svg element with a panel for one stream of the function. The page has its style; `id` begins
// the ids in it.
void stow_put_stream_svg(stow_sink sink, const stow_report_streamed *function, size_t stream,
                         const char *id);

#endif // STOWAGE_REPORT_STREAMS_SVG_H
