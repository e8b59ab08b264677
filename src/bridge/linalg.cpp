//===- linalg.cpp - what a structured op loops over, and types of views ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bridge/linalg.h"

#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool isStatic(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return !isa<ShapedType>(value.getType());
  return type.hasStaticShape() &&
         (type.getLayout().isIdentity() || isa<StridedLayoutAttr>(type.getLayout()));
}

intptr_t stow_loop_count(MlirOperation op) {
  Operation *it = unwrap(op);
  if (!llvm::all_of(it->getOperands(), isStatic))
    return -1;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(it))
    return linalgOp.hasPureBufferSemantics() ? linalgOp.getNumLoops() : -1;
  auto copy = dyn_cast<memref::CopyOp>(it);
  return copy ? cast<MemRefType>(copy.getSource().getType()).getRank() : -1;
}

void stow_loops(MlirOperation op, int64_t *out_extents, bool *out_parallel) {
  if (auto copy = dyn_cast<memref::CopyOp>(unwrap(op))) {
    auto shape = cast<MemRefType>(copy.getSource().getType()).getShape();
    llvm::copy(shape, out_extents);
    std::fill_n(out_parallel, shape.size(), true);
    return;
  }
  auto linalgOp = cast<linalg::LinalgOp>(unwrap(op));
  llvm::copy(linalgOp.getStaticLoopRanges(), out_extents);
  for (auto [i, kind] : llvm::enumerate(linalgOp.getIteratorTypesArray()))
    out_parallel[i] = kind == utils::IteratorType::parallel;
}

MlirAffineMap stow_loop_map(MlirOperation op, intptr_t operand) {
  Operation *it = unwrap(op);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(it))
    return wrap(linalgOp.getMatchingIndexingMap(&it->getOpOperand(operand)));
  auto rank = cast<MemRefType>(it->getOperand(0).getType()).getRank();
  return wrap(AffineMap::getMultiDimIdentityMap(rank, it->getContext()));
}

bool stow_loop_writes(MlirOperation op, intptr_t operand) {
  Operation *it = unwrap(op);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(it))
    return linalgOp.isDpsInit(&it->getOpOperand(operand));
  return operand == 1;
}

intptr_t stow_moved_operand(MlirOperation op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(unwrap(op));
  if (!linalgOp || linalgOp.getNumDpsInits() != 1 || !llvm::hasSingleElement(*linalgOp.getBlock()))
    return -1;
  auto moved = dyn_cast<BlockArgument>(linalgOp.getBlock()->getTerminator()->getOperand(0));
  if (!moved || moved.getOwner() != linalgOp.getBlock())
    return -1;
  OpOperand *operand = linalgOp.getMatchingOpOperand(moved);
  return linalgOp.isDpsInput(operand) ? operand->getOperandNumber() : -1;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

void stow_subview_drops(MlirOperation subview, bool *out_dropped) {
  auto op = cast<memref::SubViewOp>(unwrap(subview));
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (unsigned i = 0; i < dropped.size(); ++i)
    out_dropped[i] = dropped[i];
}

MlirType stow_subview_type(MlirType source, const int64_t *offsets, const int64_t *sizes,
                           const int64_t *strides, const bool *dropped) {
  auto type = cast<MemRefType>(unwrap(source));
  const size_t rank = type.getRank();
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i)
    if (!dropped[i])
      shape.push_back(sizes[i]);
  return wrap(memref::SubViewOp::inferRankReducedResultType(
      shape, type, ArrayRef(offsets, rank), ArrayRef(sizes, rank), ArrayRef(strides, rank)));
}

static SmallVector<ReassociationIndices> groupsOf(Operation *op) {
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op))
    return collapse.getReassociationIndices();
  return cast<memref::ExpandShapeOp>(op).getReassociationIndices();
}

MlirType stow_collapsed_type(MlirOperation like, MlirType source) {
  auto type = cast<MemRefType>(unwrap(source));
  auto groups = groupsOf(unwrap(like));
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
    return {};
  return wrap(memref::CollapseShapeOp::computeCollapsedType(type, groups));
}

MlirType stow_expanded_type(MlirOperation like, MlirType source, const int64_t *sizes) {
  auto op = cast<memref::ExpandShapeOp>(unwrap(like));
  auto expanded = memref::ExpandShapeOp::computeExpandedType(
      cast<MemRefType>(unwrap(source)), ArrayRef(sizes, op.getResultType().getRank()),
      op.getReassociationIndices());
  return failed(expanded) ? MlirType{} : wrap(Type(*expanded));
}

void stow_joined_dimensions(MlirOperation like, intptr_t *out_joined) {
  for (auto [group, indices] : llvm::enumerate(groupsOf(unwrap(like))))
    for (int64_t i : indices)
      out_joined[i] = static_cast<intptr_t>(group);
}
