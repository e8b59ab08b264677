//===- affine.cpp - what the affine dialect knows of loops and accesses -===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bridge/affine.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Affine/Analysis/AffineAnalysis.h"
#include "mlir/Dialect/Affine/Analysis/LoopAnalysis.h"
#include "mlir/Dialect/Affine/Analysis/Utils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/AffineValueMap.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::affine;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool stow_affine_is_operand(MlirValue value, MlirOperation op) {
  Region *scope = getAffineScope(unwrap(op));
  return scope && (isValidDim(unwrap(value), scope) || isValidSymbol(unwrap(value), scope));
}

bool stow_affine_is_symbol(MlirValue value, MlirOperation op) {
  Region *scope = getAffineScope(unwrap(op));
  return scope && isValidSymbol(unwrap(value), scope);
}

bool stow_affine_needs_symbol(MlirValue value) {
  return unwrap(value).getType().isIndex() &&
         llvm::any_of(unwrap(value).getUsers(), [](Operation *user) {
           return isa_and_nonnull<AffineDialect>(user->getDialect());
         });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

int64_t stow_affine_trip_count(MlirOperation loop) {
  std::optional<uint64_t> count = getConstantTripCount(cast<AffineForOp>(unwrap(loop)));
  return count && *count <= INT64_MAX ? static_cast<int64_t>(*count) : -1;
}

static AffineValueMap composed(AffineMap map, ValueRange operands) {
  AffineValueMap value(map, operands);
  value.composeSimplifyAndCanonicalize();
  return value;
}

// The constant by which every result of `b` exceeds that of `a`.
static std::optional<int64_t> constantDifference(const AffineValueMap &a, const AffineValueMap &b) {
  if (a.getNumResults() != b.getNumResults() || a.getNumResults() == 0)
    return std::nullopt;
  AffineValueMap difference;
  AffineValueMap::difference(b, a, &difference);
  std::optional<int64_t> common;
  for (AffineExpr result : difference.getAffineMap().getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(result);
    if (!constant || (common && *common != constant.getValue()))
      return std::nullopt;
    common = constant.getValue();
  }
  return common;
}

// The bound with the variables of `pairs` moved from the second loops to the first.
static AffineValueMap renamed(AffineMap map, OperandRange range, ArrayRef<stow_loop_pair> pairs) {
  AffineValueMap value = composed(map, range);
  AffineMap result = value.getAffineMap();
  SmallVector<Value> operands(value.getOperands());
  for (auto [index, operand] : llvm::enumerate(operands))
    for (const stow_loop_pair &pair : pairs) {
      auto first = cast<AffineForOp>(unwrap(pair.first));
      if (operand != cast<AffineForOp>(unwrap(pair.second)).getInductionVar())
        continue;
      AffineExpr moved = index < result.getNumDims()
                             ? getAffineDimExpr(index, map.getContext())
                             : getAffineSymbolExpr(index - result.getNumDims(), map.getContext());
      result =
          result.replace(moved, moved + pair.shift, result.getNumDims(), result.getNumSymbols());
      operand = first.getInductionVar();
      break;
    }
  return composed(result, operands);
}

bool stow_affine_same_bounds(MlirOperation first, MlirOperation second, const stow_loop_pair *outer,
                             size_t outer_count, int64_t *out_shift) {
  auto a = cast<AffineForOp>(unwrap(first)), b = cast<AffineForOp>(unwrap(second));
  ArrayRef<stow_loop_pair> pairs(outer, outer_count);
  if (a.getStep() != b.getStep())
    return false;
  std::optional<int64_t> lower =
      constantDifference(composed(a.getLowerBoundMap(), a.getLowerBoundOperands()),
                         renamed(b.getLowerBoundMap(), b.getLowerBoundOperands(), pairs));
  std::optional<int64_t> upper =
      constantDifference(composed(a.getUpperBoundMap(), a.getUpperBoundOperands()),
                         renamed(b.getUpperBoundMap(), b.getUpperBoundOperands(), pairs));
  if (!lower || !upper || *lower != *upper)
    return false;
  *out_shift = *lower;
  return true;
}

bool stow_affine_bounds_use(MlirOperation loop, MlirOperation outer) {
  auto inner = cast<AffineForOp>(unwrap(loop));
  Value variable = cast<AffineForOp>(unwrap(outer)).getInductionVar();
  auto uses = [&](AffineMap map, OperandRange operands) {
    return llvm::is_contained(composed(map, operands).getOperands(), variable);
  };
  return uses(inner.getLowerBoundMap(), inner.getLowerBoundOperands()) ||
         uses(inner.getUpperBoundMap(), inner.getUpperBoundOperands());
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static AffineValueMap accessMap(Operation *op) {
  AffineValueMap map;
  MemRefAccess(op).getAccessMap(&map);
  return map;
}

bool stow_affine_index_term(MlirOperation access, intptr_t dimension, MlirValue *out_variable,
                            int64_t *out_scale, int64_t *out_offset) {
  AffineValueMap map = accessMap(unwrap(access));
  SmallVector<int64_t> coefficients;
  if (failed(getFlattenedAffineExpr(map.getResult(dimension), map.getNumDims(), map.getNumSymbols(),
                                    &coefficients)) ||
      coefficients.size() != map.getNumOperands() + 1)
    return false;
  Value variable;
  *out_scale = 0;
  for (unsigned i = 0, n = map.getNumOperands(); i < n; ++i) {
    if (coefficients[i] == 0)
      continue;
    if (variable || !isAffineForInductionVar(map.getOperand(i)))
      return false;
    variable = map.getOperand(i);
    *out_scale = coefficients[i];
  }
  *out_variable = wrap(variable);
  *out_offset = coefficients.back();
  return true;
}

bool stow_affine_same_index(MlirOperation a, MlirOperation b) {
  AffineValueMap first = accessMap(unwrap(a)), second = accessMap(unwrap(b));
  if (first.getNumResults() != second.getNumResults())
    return false;
  AffineValueMap difference;
  AffineValueMap::difference(first, second, &difference);
  return llvm::all_of(difference.getAffineMap().getResults(),
                      [](AffineExpr result) { return result == 0; });
}

bool stow_affine_index_varies(MlirOperation access, MlirOperation op) {
  return llvm::any_of(accessMap(unwrap(access)).getOperands(), [&](Value operand) {
    return unwrap(op)->isAncestor(operand.getParentBlock()->getParentOp());
  });
}

void stow_affine_compose_access(MlirOperation access) {
  Operation *op = unwrap(access);
  AffineValueMap map = accessMap(op);
  map.composeSimplifyAndCanonicalize();
  SmallVector<Value> operands(op->getOperands().take_front(isa<AffineStoreOp>(op) ? 2 : 1));
  llvm::append_range(operands, map.getOperands());
  op->setOperands(operands);
  op->setAttr(AffineLoadOp::getMapAttrStrName(), AffineMapAttr::get(map.getAffineMap()));
}

//===----------------------------------------------------------------------===//
// Two executions
//===----------------------------------------------------------------------===//

namespace {

// The executions of two accesses that name the same cell, as a set of integers: the variables of
// the loops around the first, those of the loops around the second (their own, even where the loops
// are the same), one per dimension of the buffer, and symbols. What cannot be expressed is left
// out, which makes the set larger.
class Meeting {
public:
  Meeting(Operation *first, Operation *second) {
    collect(0, first);
    collect(1, second);
    cells = maps[0].getNumResults();
    for (int side : {0, 1})
      addSymbols(side);
    set = FlatLinearConstraints(dimensionCount() + cells, symbols.size());
    for (int side : {0, 1})
      addSide(side);
  }

  bool comparable() const { return maps[0].getNumResults() == maps[1].getNumResults(); }

  void relate(const stow_iteration_relation &relation) {
    SmallVector<int64_t> row(set.getNumCols(), 0);
    unsigned a = position(0, cast<AffineForOp>(unwrap(relation.loop_of_a)).getInductionVar());
    unsigned b = position(1, cast<AffineForOp>(unwrap(relation.loop_of_b)).getInductionVar());
    row[a] = 1, row[b] = -1, row.back() = relation.shift; // a + shift - b
    if (relation.order == STOW_ITERATION_SAME)
      return set.addEquality(row);
    if (relation.order == STOW_ITERATION_AFTER)
      for (int64_t &coefficient : row)
        coefficient = -coefficient;
    row.back() -= 1;
    set.addInequality(row);
  }

  bool empty() const { return set.isEmpty(); }

private:
  SmallVector<AffineForOp> loops[2];
  AffineValueMap maps[2];
  llvm::DenseMap<Value, unsigned> variables[2];
  llvm::DenseMap<Value, unsigned> symbols;
  unsigned variableCount = 0, cells = 0;
  FlatLinearConstraints set;

  void collect(int side, Operation *access) {
    maps[side] = accessMap(access);
    getAffineForIVs(*access, &loops[side]);
    for (AffineForOp loop : loops[side])
      variables[side][loop.getInductionVar()] = variableCount++;
    for (const AffineValueMap &map : sideMaps(side))
      for (Value operand : map.getOperands())
        addUnknown(side, operand);
  }

  // Every map of a side: its loops' bounds, lower and upper in turn, and its access.
  SmallVector<AffineValueMap> sideMaps(int side) {
    SmallVector<AffineValueMap> all;
    for (AffineForOp loop : loops[side]) {
      all.push_back(composed(loop.getLowerBoundMap(), loop.getLowerBoundOperands()));
      all.push_back(composed(loop.getUpperBoundMap(), loop.getUpperBoundOperands()));
    }
    all.push_back(maps[side]);
    return all;
  }

  // What varies from execution to execution for reasons of its own is a variable without bounds.
  void addUnknown(int side, Value value) {
    if (variables[side].count(value) || loops[side].empty())
      return;
    if (loops[side].front()->isAncestor(value.getParentBlock()->getParentOp()))
      variables[side][value] = variableCount++;
  }

  void addSymbols(int side) {
    for (const AffineValueMap &map : sideMaps(side))
      for (Value operand : map.getOperands())
        if (!variables[side].count(operand))
          symbols.try_emplace(operand, symbols.size());
  }

  unsigned dimensionCount() const { return variableCount; }
  unsigned position(int side, Value variable) const { return variables[side].lookup(variable); }

  // `map` over the columns of the set; null where an operand has none.
  AffineMap align(int side, AffineMap map, ValueRange operands) {
    MLIRContext *context = map.getContext();
    SmallVector<AffineExpr> replacements;
    for (Value operand : operands) {
      auto variable = variables[side].find(operand);
      auto symbol = symbols.find(operand);
      if (variable != variables[side].end())
        replacements.push_back(getAffineDimExpr(variable->second, context));
      else if (symbol != symbols.end())
        replacements.push_back(getAffineSymbolExpr(symbol->second, context));
      else
        return {};
    }
    ArrayRef<AffineExpr> all(replacements);
    return map.replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                     all.drop_front(map.getNumDims()), set.getNumDimVars(),
                                     set.getNumSymbolVars());
  }

  void bound(presburger::BoundType type, unsigned column, int side, const AffineValueMap &value) {
    AffineMap map = align(side, value.getAffineMap(), value.getOperands());
    if (!map)
      return;
    FlatLinearConstraints before = set;
    if (failed(set.addBound(type, column, map)))
      set = before;
  }

  void addSide(int side) {
    SmallVector<AffineValueMap> all = sideMaps(side);
    for (auto [index, loop] : llvm::enumerate(loops[side])) {
      unsigned column = position(side, loop.getInductionVar());
      bound(presburger::BoundType::LB, column, side, all[2 * index]);
      bound(presburger::BoundType::UB, column, side, all[2 * index + 1]);
    }
    for (unsigned i = 0, n = std::min(cells, maps[side].getNumResults()); i < n; ++i)
      bound(presburger::BoundType::EQ, dimensionCount() + i, side,
            AffineValueMap(maps[side].getAffineMap().getSubMap({i}), maps[side].getOperands()));
  }
};

} // namespace

bool stow_affine_may_meet(MlirOperation a, MlirOperation b,
                          const stow_iteration_relation *relations, size_t relation_count) {
  Meeting meeting(unwrap(a), unwrap(b));
  if (!meeting.comparable())
    return true;
  for (size_t i = 0; i < relation_count; ++i)
    meeting.relate(relations[i]);
  return !meeting.empty();
}
