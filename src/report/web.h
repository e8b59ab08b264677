//===- web.h - the parts of the HTML map ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of the folder web, as NUL-terminated text. The build makes their
// definitions: see web/embed.cmake.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_REPORT_WEB_H
#define STOWAGE_REPORT_WEB_H

extern const char stow_report_web_style[];
extern const char stow_report_web_body[];
extern const char stow_report_web_script[];

#endif // STOWAGE_REPORT_WEB_H
