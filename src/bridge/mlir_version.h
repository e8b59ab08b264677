//===- mlir_version.h - what differs between versions of MLIR -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some of MLIR's C++ interfaces change from version to version: region branches and remarks.
// Their uses are in this file, so that it has to be ported to the next version of MLIR, and with it
// the listener to remarks of driver/Compiler.cpp. This is for MLIR 22.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_BRIDGE_MLIR_VERSION_H
#define STOWAGE_BRIDGE_MLIR_VERSION_H

#include "bridge/bridge.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Config/llvm-config.h"

#include <cstdlib>

static_assert(LLVM_VERSION_MAJOR == 22, "this file is for MLIR 22");

namespace stowage {

// An edge of a RegionBranchOpInterface op: operands of `terminator`, or of the op itself where that
// is null, become `targets`. Regions by index, or STOW_PARENT.
struct RegionEdge {
  mlir::Operation *terminator;
  intptr_t from, to;
  mlir::OperandRange operands;
  mlir::ValueRange targets;

  intptr_t operandIndex(size_t i) const {
    return static_cast<intptr_t>(operands.getBeginOperandIndex() + i);
  }
};

inline intptr_t indexOf(mlir::Region *region) {
  return region ? static_cast<intptr_t>(region->getRegionNumber()) : STOW_PARENT;
}

template <typename Function>
void forEachRegionEdge(mlir::RegionBranchOpInterface op, Function &&function) {
  for (mlir::RegionBranchPoint point : op.getAllRegionBranchPoints()) {
    mlir::Operation *terminator = point.getTerminatorPredecessorOrNull();
    mlir::SmallVector<mlir::RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    for (mlir::RegionSuccessor &successor : successors)
      function(RegionEdge{terminator, indexOf(terminator ? terminator->getParentRegion() : nullptr),
                          indexOf(successor.getSuccessor()),
                          op.getSuccessorOperands(point, successor),
                          successor.getSuccessorInputs()});
  }
}

// An edge may also leave to an op further out, although no op of MLIR 22 has such edges. Only the
// values that it sets distinguish it from an edge to the op itself.
inline bool staysInside(mlir::RegionBranchOpInterface op) {
  bool stays = true;
  forEachRegionEdge(op, [&](const RegionEdge &edge) {
    if (edge.to == STOW_PARENT && !edge.targets.empty())
      stays &= edge.targets.front().getDefiningOp() == op.getOperation();
  });
  return stays;
}

inline bool remarksEnabled(mlir::MLIRContext *context) { return context->getRemarkEngine(); }

inline mlir::remark::detail::InFlightRemark
beginRemark(const stow_remark &remark, mlir::Location location, llvm::StringRef function) {
  auto options =
      mlir::remark::RemarkOpts::name(remark.name).category(remark.category).function(function);
  if (remark.kind == STOW_REMARK_PASSED)
    return mlir::remark::passed(location, options);
  if (remark.kind == STOW_REMARK_MISSED)
    return mlir::remark::missed(location, options);
  return mlir::remark::analysis(location, options);
}

inline void addTexts(mlir::remark::detail::InFlightRemark &inFlight, const char *text,
                     const char *reason, const char *suggestion) {
  inFlight << llvm::StringRef(text);
  if (reason)
    inFlight << mlir::remark::reason("{0}", reason);
  if (suggestion)
    inFlight << mlir::remark::suggest("{0}", suggestion);
}

inline void emitRemark(const stow_remark &remark, mlir::Location location,
                       llvm::StringRef function) {
  mlir::remark::detail::InFlightRemark inFlight = beginRemark(remark, location, function);
  addTexts(inFlight, remark.text, remark.reason, remark.suggestion);
}

inline void buildRemark(const stow_remark &remark, mlir::Location location,
                        llvm::StringRef function, stow_remark_texts (*build)(const void *user),
                        const void *user) {
  mlir::remark::detail::InFlightRemark inFlight = beginRemark(remark, location, function);
  if (!inFlight)
    return;
  const stow_remark_texts texts = build(user);
  addTexts(inFlight, texts.text, texts.reason, texts.suggestion);
  free(texts.text);
  free(texts.reason);
  free(texts.suggestion);
}

} // namespace stowage

#endif // STOWAGE_BRIDGE_MLIR_VERSION_H
