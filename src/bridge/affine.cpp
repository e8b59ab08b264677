//===- affine.cpp - what the affine dialect knows of loops and accesses -===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bridge/affine.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Affine/Analysis/AffineAnalysis.h"
#include "mlir/Dialect/Affine/Analysis/LoopAnalysis.h"
#include "mlir/Dialect/Affine/Analysis/Utils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/AffineValueMap.h"
#include "llvm/Support/MemAlloc.h"

using namespace mlir;
using namespace mlir::affine;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool stow_bridge_affine_is_operand(MlirValue value, MlirOperation op) {
  Region *scope = getAffineScope(unwrap(op));
  return scope && (isValidDim(unwrap(value), scope) || isValidSymbol(unwrap(value), scope));
}

bool stow_bridge_affine_is_symbol(MlirValue value, MlirOperation op) {
  Region *scope = getAffineScope(unwrap(op));
  return scope && isValidSymbol(unwrap(value), scope);
}

uint8_t stow_bridge_affine_roles(MlirValue value) {
  if (!unwrap(value).getType().isIndex())
    return 0;
  return (isValidSymbol(unwrap(value)) ? 1 : 0) | (isValidDim(unwrap(value)) ? 2 : 0);
}

bool stow_bridge_affine_needs_symbol(MlirValue value) {
  return unwrap(value).getType().isIndex() &&
         llvm::any_of(unwrap(value).getUsers(), [](Operation *user) {
           return isa_and_nonnull<AffineDialect>(user->getDialect());
         });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

int64_t stow_bridge_affine_trip_count(MlirOperation loop) {
  std::optional<uint64_t> count = getConstantTripCount(cast<AffineForOp>(unwrap(loop)));
  return count && *count <= INT64_MAX ? static_cast<int64_t>(*count) : -1;
}

bool stow_bridge_affine_constant_bounds(MlirOperation loop, int64_t *out_lower, int64_t *out_upper,
                                        int64_t *out_step) {
  auto op = cast<AffineForOp>(unwrap(loop));
  if (!op.hasConstantBounds())
    return false;
  *out_lower = op.getConstantLowerBound();
  *out_upper = op.getConstantUpperBound();
  *out_step = op.getStepAsInt();
  return true;
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

bool stow_bridge_affine_same_bounds(MlirOperation first, MlirOperation second,
                                    const stow_loop_pair *outer, size_t outer_count,
                                    int64_t *out_shift) {
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

bool stow_bridge_affine_index_term(MlirOperation access, intptr_t dimension,
                                   MlirValue *out_variable, int64_t *out_scale,
                                   int64_t *out_offset) {
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

// By how much a result of a map grows when an operand grows from 0 to STOW_AFFINE_SPAN and all
// others are 0.
static std::optional<int64_t> growthOf(AffineMap map, unsigned result, unsigned operand) {
  MLIRContext *context = map.getContext();
  SmallVector<Attribute> at(map.getNumInputs(), IntegerAttr::get(IndexType::get(context), 0)),
      ends[2];
  map = map.getSubMap({result});
  if (failed(map.constantFold(at, ends[0])))
    return std::nullopt;
  at[operand] = IntegerAttr::get(IndexType::get(context), STOW_AFFINE_SPAN);
  if (failed(map.constantFold(at, ends[1])))
    return std::nullopt;
  int64_t growth;
  if (__builtin_sub_overflow(cast<IntegerAttr>(ends[1][0]).getInt(),
                             cast<IntegerAttr>(ends[0][0]).getInt(), &growth))
    return std::nullopt;
  return growth;
}

// The result of a lower bound that varies, or else the first.
static unsigned varyingResult(AffineMap map) {
  for (auto [index, result] : llvm::enumerate(map.getResults()))
    if (!isa<AffineConstantExpr>(result))
      return static_cast<unsigned>(index);
  return 0;
}

int64_t stow_bridge_affine_index_growth(MlirOperation access, intptr_t dimension,
                                        MlirOperation loop) {
  struct Term {
    AffineValueMap value;
    unsigned result;
    int64_t scale; // in units of 1 / STOW_AFFINE_SPAN
  };
  Value variable = cast<AffineForOp>(unwrap(loop)).getInductionVar();
  SmallVector<Term> terms = {
      {accessMap(unwrap(access)), static_cast<unsigned>(dimension), STOW_AFFINE_SPAN}};
  int64_t sum = 0;
  while (!terms.empty()) {
    Term term = terms.pop_back_val();
    for (auto [index, operand] : llvm::enumerate(term.value.getOperands())) {
      std::optional<int64_t> growth =
          growthOf(term.value.getAffineMap(), term.result, static_cast<unsigned>(index));
      int64_t scaled;
      if (!growth || __builtin_mul_overflow(*growth, term.scale, &scaled))
        return 0;
      scaled /= STOW_AFFINE_SPAN;
      AffineForOp between = getForInductionVarOwner(operand);
      if (operand == variable) {
        if (__builtin_add_overflow(sum, scaled, &sum))
          return 0;
      } else if (scaled != 0 && between && unwrap(loop)->isProperAncestor(between)) {
        AffineValueMap lower =
            composed(between.getLowerBoundMap(), between.getLowerBoundOperands());
        terms.push_back({lower, varyingResult(lower.getAffineMap()), scaled});
      }
    }
  }
  return sum;
}

bool stow_bridge_affine_same_index(MlirOperation a, MlirOperation b) {
  AffineValueMap first = accessMap(unwrap(a)), second = accessMap(unwrap(b));
  if (first.getNumResults() != second.getNumResults())
    return false;
  AffineValueMap difference;
  AffineValueMap::difference(first, second, &difference);
  return llvm::all_of(difference.getAffineMap().getResults(),
                      [](AffineExpr result) { return result == 0; });
}

bool stow_bridge_affine_index_varies(MlirOperation access, MlirOperation op) {
  return llvm::any_of(accessMap(unwrap(access)).getOperands(), [&](Value operand) {
    return unwrap(op)->isAncestor(operand.getParentBlock()->getParentOp());
  });
}

// Whether the indices of an access are variables of loops, each one once. Composed, they are the
// same.
static bool namesLoopsAlone(Operation *op) {
  const auto map = op->getAttrOfType<AffineMapAttr>(AffineLoadOp::getMapAttrStrName());
  const auto indices = op->getOperands().drop_front(isa<AffineStoreOp>(op) ? 2 : 1);
  llvm::SmallPtrSet<Value, 4> seen;
  return map.getValue().isIdentity() && llvm::all_of(indices, [&](Value index) {
           return isAffineForInductionVar(index) && seen.insert(index).second;
         });
}

void stow_bridge_affine_compose_access(MlirOperation access) {
  Operation *op = unwrap(access);
  if (namesLoopsAlone(op))
    return;
  AffineValueMap map = accessMap(op);
  map.composeSimplifyAndCanonicalize();
  SmallVector<Value> operands(op->getOperands().take_front(isa<AffineStoreOp>(op) ? 2 : 1));
  llvm::append_range(operands, map.getOperands());
  op->setOperands(operands);
  op->setAttr(AffineLoadOp::getMapAttrStrName(), AffineMapAttr::get(map.getAffineMap()));
}

//===----------------------------------------------------------------------===//
// Sets of integers
//===----------------------------------------------------------------------===//

static stow_affine_value given(const AffineValueMap &value) {
  stow_affine_value out = {wrap(value.getAffineMap()), nullptr, value.getNumOperands()};
  out.operands = static_cast<MlirValue *>(llvm::safe_malloc(sizeof(MlirValue) * out.operand_count));
  for (auto [i, operand] : llvm::enumerate(value.getOperands()))
    out.operands[i] = wrap(operand);
  return out;
}

stow_affine_value stow_bridge_affine_lower_bound(MlirOperation loop) {
  auto op = cast<AffineForOp>(unwrap(loop));
  return given(composed(op.getLowerBoundMap(), op.getLowerBoundOperands()));
}

stow_affine_value stow_bridge_affine_upper_bound(MlirOperation loop) {
  auto op = cast<AffineForOp>(unwrap(loop));
  return given(composed(op.getUpperBoundMap(), op.getUpperBoundOperands()));
}

stow_affine_value stow_bridge_affine_access_index(MlirOperation access) {
  return given(accessMap(unwrap(access)));
}

struct stow_affine_set {
  FlatLinearConstraints constraints;
};

stow_affine_set *stow_affine_set_create(size_t variable_count, size_t symbol_count) {
  return new stow_affine_set{FlatLinearConstraints(variable_count, symbol_count)};
}

stow_affine_set *stow_affine_set_copy(const stow_affine_set *set) {
  return new stow_affine_set(*set);
}

void stow_affine_set_destroy(stow_affine_set *set) { delete set; }

// `map` over the columns of the set.
static AffineMap placed(const FlatLinearConstraints &set, AffineMap map, const size_t *columns) {
  MLIRContext *context = map.getContext();
  const unsigned variables = set.getNumDimVars();
  auto column = [&](unsigned i) {
    unsigned index = static_cast<unsigned>(columns[i]);
    return index < variables ? getAffineDimExpr(index, context)
                             : getAffineSymbolExpr(index - variables, context);
  };
  SmallVector<AffineExpr> all = llvm::map_to_vector(llvm::seq(map.getNumInputs()), column);
  ArrayRef<AffineExpr> operands(all);
  return map.replaceDimsAndSymbols(operands.take_front(map.getNumDims()),
                                   operands.drop_front(map.getNumDims()), variables,
                                   set.getNumSymbolVars());
}

void stow_affine_set_bound(stow_affine_set *set, stow_affine_bound bound, size_t column,
                           MlirAffineMap map, const size_t *columns) {
  static const presburger::BoundType types[] = {
      presburger::BoundType::LB, presburger::BoundType::UB, presburger::BoundType::EQ};
  FlatLinearConstraints before = set->constraints;
  AffineMap over = placed(set->constraints, unwrap(map), columns);
  if (failed(set->constraints.addBound(types[bound], static_cast<unsigned>(column), over)))
    set->constraints = before;
}

// Maps with mod or floordiv have added columns of their own, before the constant's.
static SmallVector<int64_t> rowOf(const stow_affine_set *set, const int64_t *row) {
  const unsigned own = set->constraints.getNumDimAndSymbolVars();
  SmallVector<int64_t> all(row, row + own);
  all.resize(set->constraints.getNumCols());
  all.back() = row[own];
  return all;
}

void stow_affine_set_equal(stow_affine_set *set, const int64_t *row) {
  set->constraints.addEquality(rowOf(set, row));
}

void stow_affine_set_at_least(stow_affine_set *set, const int64_t *row) {
  set->constraints.addInequality(rowOf(set, row));
}

bool stow_affine_set_is_empty(const stow_affine_set *set) { return set->constraints.isEmpty(); }

stow_affine_extent stow_affine_set_largest(const stow_affine_set *set, const int64_t *row,
                                           int64_t *out_largest) {
  presburger::Simplex simplex(set->constraints);
  if (simplex.isEmpty())
    return STOW_AFFINE_EMPTY;
  SmallVector<llvm::DynamicAPInt> objective = presburger::getDynamicAPIntVec(rowOf(set, row));
  auto optimum = simplex.computeOptimum(presburger::Simplex::Direction::Up, objective);
  if (!optimum.isBounded())
    return optimum.isEmpty() ? STOW_AFFINE_EMPTY : STOW_AFFINE_UNBOUNDED;
  llvm::DynamicAPInt largest = presburger::floor(*optimum);
  if (largest > INT64_MAX || largest < INT64_MIN)
    return STOW_AFFINE_UNBOUNDED;
  *out_largest = static_cast<int64_t>(largest);
  return STOW_AFFINE_BOUNDED;
}
