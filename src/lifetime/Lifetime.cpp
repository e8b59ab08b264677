//===- Lifetime.cpp - the lifetime dialect --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lifetime/Lifetime.h"

#include "lifetime/limits.h"

#include "mlir/CAPI/Registration.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/InliningUtils.h"
#include "stowage/passes.h"

#include "lifetime/LifetimeDialect.cpp.inc"
#define GET_OP_CLASSES
#include "lifetime/LifetimeOps.cpp.inc"

using namespace mlir;
using namespace stowage::lifetime;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Lifetime, lifetime, stowage::lifetime::LifetimeDialect)

namespace {
// A marker is as true in the caller as it was in the callee.
struct LifetimeInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void LifetimeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "lifetime/LifetimeOps.cpp.inc"
      >();
  addInterfaces<LifetimeInlinerInterface>();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult StartOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand buffer;
  Type type;
  if (parser.parseOperand(buffer) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) || parser.resolveOperand(buffer, type, result.operands))
    return failure();
  if (parser.getNumResults() > 0)
    result.addTypes(type);
  return success();
}

void StartOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getBuffer();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getBuffer().getType();
}

LogicalResult StartOp::verify() {
  if (getLive() && getLive().getType() != getBuffer().getType())
    return emitOpError("result must have the type of the buffer, ")
           << getBuffer().getType() << ", not " << getLive().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

void StartOp::populateDependencies(bufferization::RegisterDependenciesFn registerDependencies) {
  if (getLive())
    registerDependencies(getBuffer(), getLive());
}

// A buffer that becomes a register needs no markers. In the value form, others may use the result.
bool StartOp::canUsesBeRemoved(const SmallPtrSetImpl<OpOperand *> &, SmallVectorImpl<OpOperand *> &,
                               const DataLayout &) {
  return !getLive();
}
DeletionKind StartOp::removeBlockingUses(const SmallPtrSetImpl<OpOperand *> &, OpBuilder &) {
  return DeletionKind::Delete;
}

bool EndOp::canUsesBeRemoved(const SmallPtrSetImpl<OpOperand *> &, SmallVectorImpl<OpOperand *> &,
                             const DataLayout &) {
  return true;
}
DeletionKind EndOp::removeBlockingUses(const SmallPtrSetImpl<OpOperand *> &, OpBuilder &) {
  return DeletionKind::Delete;
}

//===----------------------------------------------------------------------===//
// Canonicalisation
//===----------------------------------------------------------------------===//

static bool onlyEnded(Value live) {
  return llvm::all_of(live.getUsers(), [](Operation *user) { return isa<EndOp>(user); });
}

// The end that follows `start` with nothing but other markers in between, or null.
static EndOp endRightAfter(StartOp start) {
  Operation *op = start->getNextNode();
  for (int i = 0; i < STOW_LIFETIME_FARTHEST_END && isa_and_nonnull<StartOp, EndOp>(op);
       ++i, op = op->getNextNode())
    if (op->getOperand(0) == start.getBuffer())
      return dyn_cast<EndOp>(op);
  return nullptr;
}

// Whether nothing happens to an allocation but lives in which nothing happens.
static bool isDead(Value buffer) {
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(buffer.getDefiningOp()) &&
         llvm::all_of(buffer.getUsers(), [](Operation *user) {
           auto start = dyn_cast<StartOp>(user);
           return start ? !start.getLive() || onlyEnded(start.getLive())
                        : isa<EndOp, memref::DeallocOp>(user);
         });
}

// A life in which nothing happens goes.
static LogicalResult dropEmptyLife(StartOp start, PatternRewriter &rewriter) {
  if (!start.getLive()) {
    EndOp end = endRightAfter(start);
    if (!end && !isDead(start.getBuffer()))
      return failure();
    if (end)
      rewriter.eraseOp(end);
    rewriter.eraseOp(start);
    return success();
  }
  if (!onlyEnded(start.getLive()))
    return failure();
  for (Operation *end : llvm::make_early_inc_range(start.getLive().getUsers()))
    rewriter.eraseOp(end);
  rewriter.eraseOp(start);
  return success();
}

static LogicalResult dropEndOfDead(EndOp end, PatternRewriter &rewriter) {
  if (!isDead(end.getLive()))
    return failure();
  rewriter.eraseOp(end);
  return success();
}

void StartOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(dropEmptyLife);
}

void EndOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(dropEndOfDead);
}
