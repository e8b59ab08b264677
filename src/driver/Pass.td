//===- Pass.td - what all passes of Stowage are ---------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PASS
#define STOWAGE_PASS

include "mlir/Pass/PassBase.td"

// `struct` is that of stowage/passes.h that the options go into. Where each goes is its last argument; see
// Options.h. So an option is one line, and its field.
class ModulePass<string argument, string struct = ""> : Pass<argument, "::mlir::ModuleOp"> {
  let baseClass = !if(!empty(struct), "::stowage::ModulePass", "::stowage::OptionsPass<" # struct # ">");
}

// A page of docs names the formats; so does the error where one is unknown.
class ReportOption<string page> : ListOption<"reports", "report", "std::string",
    "Reports to write: text (to standard error), FORMAT:FILE (docs/" # page # ".md has the formats), none", "intoReports()">;

#endif // STOWAGE_PASS
