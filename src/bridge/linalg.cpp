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
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CastInterfaces.h"

#include <cassert>

using namespace mlir;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool isStatic(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return !isa<ShapedType>(value.getType());
  return type.hasStaticShape() &&
         (isa<StridedLayoutAttr>(type.getLayout()) || type.getLayout().isIdentity());
}

intptr_t stow_bridge_loop_count(MlirOperation op) {
  Operation *it = unwrap(op);
  if (!llvm::all_of(it->getOperands(), isStatic))
    return -1;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(it))
    return linalgOp.hasPureBufferSemantics() ? linalgOp.getNumLoops() : -1;
  auto copy = dyn_cast<memref::CopyOp>(it);
  return copy ? cast<MemRefType>(copy.getSource().getType()).getRank() : -1;
}

void stow_bridge_loops(MlirOperation op, int64_t *out_extents, bool *out_parallel) {
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

bool stow_bridge_sets_same_cells(MlirOperation op, intptr_t from, intptr_t to) {
  Operation *it = unwrap(op);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(it);
  if (!linalgOp || !linalgOp.hasPureBufferSemantics() ||
      linalgOp.getNumParallelLoops() != linalgOp.getNumLoops())
    return false;
  OpOperand &read = it->getOpOperand(from), &set = it->getOpOperand(to);
  const AffineMap cells = linalgOp.getMatchingIndexingMap(&set);
  return linalgOp.isDpsInput(&read) && linalgOp.isDpsInit(&set) && cells.isPermutation() &&
         cells == linalgOp.getMatchingIndexingMap(&read);
}

bool stow_bridge_is_elementwise(MlirOperation op) {
  return OpTrait::hasElementwiseMappableTraits(unwrap(op));
}

static bool isContiguous(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type &&
         (type.getLayout().isIdentity() || (type.hasStaticShape() && type.getNumElements() > 0 &&
                                            memref::isStaticShapeAndContiguousRowMajor(type)));
}

bool stow_bridge_copy_is_contiguous(MlirOperation copy) {
  return llvm::all_of(unwrap(copy)->getOperands(), isContiguous);
}

void stow_bridge_copy_by_loops(MlirOperation op) {
  auto copy = cast<memref::CopyOp>(unwrap(op));
  OpBuilder builder(copy);
  linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(), copy.getTarget());
  copy.erase();
}

MlirAffineMap stow_bridge_loop_map(MlirOperation op, intptr_t operand) {
  Operation *it = unwrap(op);
  assert(0 <= operand && operand < it->getNumOperands());
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(it))
    return wrap(linalgOp.getMatchingIndexingMap(&it->getOpOperand(operand)));
  auto rank = cast<MemRefType>(it->getOperand(0).getType()).getRank();
  return wrap(AffineMap::getMultiDimIdentityMap(rank, it->getContext()));
}

void stow_bridge_loop_maps(MlirOperation op, MlirAffineMap *out_maps) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(unwrap(op)))
    for (auto [i, map] : llvm::enumerate(linalgOp.getIndexingMapsArray()))
      out_maps[i] = wrap(map);
  else
    for (unsigned i = 0; i < unwrap(op)->getNumOperands(); ++i)
      out_maps[i] = stow_bridge_loop_map(op, i);
}

bool stow_bridge_same_bodies(MlirOperation a, MlirOperation b) {
  Operation *left = unwrap(a), *right = unwrap(b);
  return left->getNumRegions() == 1 && right->getNumRegions() == 1 &&
         OperationEquivalence::isRegionEquivalentTo(&left->getRegion(0), &right->getRegion(0),
                                                    OperationEquivalence::IgnoreLocations);
}

bool stow_bridge_loop_writes(MlirOperation op, intptr_t operand) {
  Operation *it = unwrap(op);
  assert(0 <= operand && operand < it->getNumOperands());
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(it))
    return linalgOp.isDpsInit(&it->getOpOperand(operand));
  return operand == 1;
}

intptr_t stow_bridge_moved_operand(MlirOperation op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(unwrap(op));
  if (!linalgOp || linalgOp.getNumDpsInits() != 1 || !llvm::hasSingleElement(*linalgOp.getBlock()))
    return -1;
  auto moved = dyn_cast<BlockArgument>(linalgOp.getBlock()->getTerminator()->getOperand(0));
  if (!moved || moved.getOwner() != linalgOp.getBlock())
    return -1;
  OpOperand *operand = linalgOp.getMatchingOpOperand(moved);
  return linalgOp.isDpsInput(operand) ? static_cast<intptr_t>(operand->getOperandNumber()) : -1;
}

MlirValue stow_bridge_filling_value(MlirOperation op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(unwrap(op));
  if (!linalgOp || linalgOp.getNumDpsInits() != 1 || !llvm::hasSingleElement(*linalgOp.getBlock()))
    return {};
  Value value = linalgOp.getBlock()->getTerminator()->getOperand(0);
  return value.getParentBlock() == linalgOp.getBlock() ? MlirValue{} : wrap(value);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

bool stow_bridge_taken(MlirOperation op, intptr_t rank, stow_taken *out, intptr_t *out_first) {
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(unwrap(op));
  if (!slice)
    return false;
  ArrayRef<int64_t> offsets = slice.getStaticOffsets(), sizes = slice.getStaticSizes(),
                    strides = slice.getStaticStrides();
  if (!llvm::all_equal({offsets.size(), sizes.size(), strides.size(), size_t(rank)}))
    return false;
  for (intptr_t i = 0; i < rank; ++i)
    out[i] = {offsets[i], sizes[i], strides[i]};
  *out_first = slice.getOffsetSizeAndStrideStartOperandIndex();
  return true;
}

intptr_t stow_bridge_first_size(MlirOperation op, intptr_t count) {
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(unwrap(op));
  if (!slice || slice.getSizes().size() != size_t(count))
    return -1;
  return slice.getOffsetSizeAndStrideStartOperandIndex() + slice.getOffsets().size();
}

MlirType stow_bridge_subview_type(MlirType source, const stow_taken *taken, const intptr_t *to) {
  auto type = cast<MemRefType>(unwrap(source));
  SmallVector<int64_t> offsets, sizes, strides, shape;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    offsets.push_back(taken[i].offset);
    sizes.push_back(taken[i].size);
    strides.push_back(taken[i].stride);
    if (to[i] >= 0)
      shape.push_back(taken[i].size);
  }
  return wrap(memref::SubViewOp::inferRankReducedResultType(shape, type, offsets, sizes, strides));
}

static SmallVector<ReassociationIndices> groupsOf(ArrayRef<intptr_t> to) {
  SmallVector<ReassociationIndices> groups;
  for (auto [i, group] : llvm::enumerate(to)) {
    if (group < 0)
      continue;
    if (static_cast<size_t>(group) == groups.size())
      groups.emplace_back();
    groups[group].push_back(i);
  }
  return groups;
}

MlirType stow_bridge_collapsed_type(MlirType source, const intptr_t *to) {
  auto type = cast<MemRefType>(unwrap(source));
  auto groups = groupsOf(ArrayRef(to, type.getRank()));
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
    return {};
  return wrap(memref::CollapseShapeOp::computeCollapsedType(type, groups));
}

MlirType stow_bridge_expanded_type(MlirType source, const int64_t *sizes, const intptr_t *to,
                                   intptr_t rank) {
  auto expanded = memref::ExpandShapeOp::computeExpandedType(
      cast<MemRefType>(unwrap(source)), ArrayRef(sizes, rank), groupsOf(ArrayRef(to, rank)));
  return failed(expanded) ? MlirType{} : wrap(Type(*expanded));
}

//===----------------------------------------------------------------------===//
// Maps from cells to cells
//===----------------------------------------------------------------------===//

MlirAffineMap stow_bridge_movement_map(MlirOperation op, intptr_t from, intptr_t to) {
  AffineMap target = unwrap(stow_bridge_loop_map(op, to)),
            source = unwrap(stow_bridge_loop_map(op, from));
  if (!target.isPermutation() || !source.isProjectedPermutation(/*allowZeroInResults=*/true))
    return {};
  return wrap(source.compose(inversePermutation(target)));
}

MlirAffineMap stow_bridge_constant_map(MlirValue memref) {
  auto type = cast<MemRefType>(unwrap(memref).getType());
  return wrap(AffineMap::get(type.getRank(), 0, type.getContext()));
}

MlirAffineMap stow_bridge_compose_maps(MlirAffineMap outer, MlirAffineMap inner) {
  assert(unwrap(outer).getNumDims() == unwrap(inner).getNumResults());
  return wrap(simplifyAffineMap(unwrap(outer).compose(unwrap(inner))));
}

// What the verifier of linalg asks: an index that is a loop has the loop's extent.
static bool fits(ArrayRef<int64_t> extents, MemRefType type, AffineMap map) {
  for (auto [index, size] : llvm::zip_equal(map.getResults(), type.getShape()))
    if (auto dim = dyn_cast<AffineDimExpr>(index); dim && extents[dim.getPosition()] != size)
      return false;
  return true;
}

bool stow_bridge_can_read_at(MlirOperation wrapped, const MlirAffineMap *given, MlirType source) {
  auto type = dyn_cast<MemRefType>(unwrap(source));
  Operation *it = unwrap(wrapped);
  auto op = dyn_cast<linalg::LinalgOp>(it);
  if (!op && !isa<memref::CopyOp>(it))
    return false;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> extents;
  if (op) {
    maps = op.getIndexingMapsArray();
    extents = op.getStaticLoopRanges();
  } else {
    llvm::append_range(extents, cast<MemRefType>(it->getOperand(0).getType()).getShape());
  }
  for (OpOperand &operand : it->getOpOperands()) {
    AffineMap map = unwrap(given[operand.getOperandNumber()]);
    if (!map)
      continue;
    if (op ? !op.isDpsInput(&operand) : operand.getOperandNumber() != 0)
      return false;
    if (type &&
        (type.getMemorySpace() != cast<MemRefType>(operand.get().getType()).getMemorySpace() ||
         !fits(extents, type, map)))
      return false;
    if (op)
      maps[op.getIndexingMapIndex(&operand)] = map;
  }
  return !op || inversePermutation(concatAffineMaps(maps, op->getContext()));
}

static linalg::LinalgOp asGeneric(Operation *op) {
  IRRewriter rewriter(op->getContext());
  rewriter.setInsertionPoint(op);
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto generic =
        linalg::makeMemRefCopyOp(rewriter, op->getLoc(), copy.getSource(), copy.getTarget());
    generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.eraseOp(op);
    return generic;
  }
  if (isa<linalg::GenericOp>(op))
    return cast<linalg::LinalgOp>(op);
  DictionaryAttr kept = op->getDiscardableAttrDictionary();
  auto generic = linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
  (*generic)->setDiscardableAttrs(kept);
  (*generic)->removeDiscardableAttr(linalg::LinalgDialect::kMemoizedIndexingMapsAttrName);
  return *generic;
}

MlirOperation stow_bridge_read_at(MlirOperation op, intptr_t operand, MlirValue source,
                                  MlirAffineMap map) {
  if (unwrap(stow_bridge_loop_map(op, operand)) == unwrap(map) &&
      isa<MemRefType>(unwrap(source).getType())) {
    unwrap(op)->setOperand(operand, unwrap(source));
    return op;
  }
  linalg::LinalgOp reader = asGeneric(unwrap(op));
  auto generic = cast<linalg::GenericOp>(reader.getOperation());
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  assert(unwrap(map).getNumDims() == generic.getNumLoops());
  maps[operand] = unwrap(map);
  generic->setOperand(operand, unwrap(source));
  generic.setIndexingMapsAttr(Builder(generic.getContext()).getAffineMapArrayAttr(maps));
  return wrap(generic.getOperation());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// What the body yields for one element each, if it does nothing but cast.
static Attribute evaluate(Block &body, ArrayRef<Attribute> elements) {
  llvm::DenseMap<Value, Attribute> known;
  for (auto [argument, element] : llvm::zip(body.getArguments(), elements))
    known[argument] = element;
  auto attributeOf = [&](Value value) {
    Attribute attribute = known.lookup(value);
    if (!attribute)
      matchPattern(value, m_Constant(&attribute));
    return attribute;
  };
  for (Operation &op : body.without_terminator()) {
    Attribute element = isa<CastOpInterface>(op) ? attributeOf(op.getOperand(0)) : Attribute();
    SmallVector<OpFoldResult> results;
    if (!element || failed(op.fold({element}, results)) || results.size() != 1)
      return {};
    known[op.getResult(0)] = isa<Attribute>(results[0]) ? cast<Attribute>(results[0])
                                                        : attributeOf(cast<Value>(results[0]));
  }
  return attributeOf(body.getTerminator()->getOperand(0));
}

// Null where the bytes are not there, or not as such elements have them. Of a resource it is a
// copy.
static DenseElementsAttr denseOf(Attribute elements) {
  auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(elements);
  if (!resource)
    return dyn_cast_or_null<DenseElementsAttr>(elements);
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  bool splat = false;
  if (!blob || !DenseElementsAttr::isValidRawBuffer(resource.getType(), blob->getData(), splat))
    return {};
  return DenseElementsAttr::getFromRawBuffer(resource.getType(), blob->getData());
}

// The elements of an operand, and where each is for an index of the target.
struct Operand {
  DenseElementsAttr elements;
  SmallVector<int64_t> strides; // per dimension of the target

  Operand(DenseElementsAttr given, AffineMap map) : elements(given), strides(map.getNumDims()) {
    int64_t stride = 1;
    ArrayRef<int64_t> shape = given.getType().getShape();
    for (unsigned i = map.getNumResults(); i-- > 0; stride *= shape[i])
      if (auto dim = dyn_cast<AffineDimExpr>(map.getResult(i)))
        strides[dim.getPosition()] = stride;
  }

  Attribute at(ArrayRef<int64_t> index) const {
    int64_t place = 0;
    for (auto [i, stride] : llvm::zip(index, strides))
      place += i * stride;
    return elements.isSplat() ? elements.getSplatValue<Attribute>()
                              : elements.getValues<Attribute>()[place];
  }
};

static bool next(SmallVectorImpl<int64_t> &index, ArrayRef<int64_t> shape) {
  for (unsigned i = shape.size(); i-- > 0; index[i] = 0)
    if (++index[i] < shape[i])
      return true;
  return false;
}

static Attribute elementOf(linalg::LinalgOp op, ArrayRef<std::optional<Operand>> operands,
                           ArrayRef<int64_t> index) {
  SmallVector<Attribute> elements;
  for (auto [value, operand] : llvm::zip(op->getOperands(), operands)) {
    Attribute scalar;
    if (!operand)
      matchPattern(value, m_Constant(&scalar));
    elements.push_back(operand ? operand->at(index) : scalar);
  }
  return evaluate(*op.getBlock(), elements);
}

MlirAttribute stow_bridge_folded_elements(MlirOperation wrapped, const MlirAttribute *given) {
  auto op = dyn_cast<linalg::LinalgOp>(unwrap(wrapped));
  if (!op || op.getNumDpsInits() != 1)
    return {};
  auto memref = cast<MemRefType>(op.getDpsInits()[0].getType());
  auto type = RankedTensorType::get(memref.getShape(), memref.getElementType());
  SmallVector<std::optional<Operand>> operands(op->getNumOperands());
  bool same = true;
  for (unsigned i = 0; i + 1 < op->getNumOperands(); ++i) {
    Attribute constant = unwrap(given[i]);
    if (!constant && !isa<MemRefType>(op->getOperand(i).getType()))
      continue;
    AffineMap map = unwrap(stow_bridge_movement_map(wrapped, i, op->getNumOperands() - 1));
    DenseElementsAttr elements = map ? denseOf(constant) : DenseElementsAttr();
    if (!elements)
      return {};
    operands[i].emplace(elements, map);
    same &= elements.isSplat();
  }
  SmallVector<int64_t> index(type.getRank(), 0);
  SmallVector<Attribute> values;
  do {
    values.push_back(elementOf(op, operands, index));
    if (!values.back())
      return {};
  } while (!same && next(index, type.getShape()));
  return wrap(Attribute(DenseElementsAttr::get(type, values)));
}

// Whether a resource has a value per element as dense elements have it, and not one for all.
static bool isWhole(DenseResourceElementsAttr resource) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  bool splat = false;
  return blob && DenseElementsAttr::isValidRawBuffer(resource.getType(), blob->getData(), splat) &&
         !splat;
}

MlirAttribute stow_bridge_constant_elements(MlirOperation wrapped) {
  auto global = dyn_cast<memref::GlobalOp>(unwrap(wrapped));
  if (!global || !global.getConstant() || !global.getInitialValue())
    return {};
  Attribute elements = *global.getInitialValue();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements); resource && isWhole(resource))
    return wrap(elements);
  return wrap(Attribute(denseOf(elements)));
}

const char *stow_bridge_elements_data(MlirAttribute elements) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(unwrap(elements)))
    return resource.getRawHandle().getBlob()->getData().data();
  return cast<DenseElementsAttr>(unwrap(elements)).getRawData().data();
}

bool stow_bridge_is_splat(MlirAttribute elements) {
  auto dense = dyn_cast<DenseElementsAttr>(unwrap(elements));
  return dense && dense.isSplat();
}

MlirOperation stow_bridge_add_constant(MlirSymbolTable symbols, MlirOperation next,
                                       const char *name, MlirType type, MlirAttribute elements,
                                       uint64_t alignment) {
  Operation *before = unwrap(next);
  OpBuilder builder(before->getContext());
  auto aligned = alignment ? builder.getI64IntegerAttr(alignment) : IntegerAttr();
  auto global = memref::GlobalOp::create(
      builder, before->getLoc(), name, builder.getStringAttr("private"),
      cast<MemRefType>(unwrap(type)), unwrap(elements), /*constant=*/true, aligned);
  unwrap(symbols)->insert(global, Block::iterator(before));
  return wrap(global.getOperation());
}

MlirValue stow_bridge_get_constant(MlirOperation global, MlirOperation op) {
  auto it = cast<memref::GlobalOp>(unwrap(global));
  OpBuilder builder(unwrap(op));
  return wrap(
      memref::GetGlobalOp::create(builder, unwrap(op)->getLoc(), it.getType(), it.getSymName())
          .getResult());
}
