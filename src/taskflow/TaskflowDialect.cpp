//===- TaskflowDialect.cpp - syntax and effects of the taskflow dialect ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "taskflow/TaskflowDialect.h"

#include "taskflow/segments.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "stowage/passes.h"

using namespace mlir;
using namespace stowage::taskflow;

#include "taskflow/TaskflowDialect.cpp.inc"

void TaskflowDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "taskflow/TaskflowOps.cpp.inc"
      >();
}

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Taskflow, taskflow, stowage::taskflow::TaskflowDialect)

void stow_task_segments(MlirOperation task, const int32_t **out_operands,
                        const int32_t **out_results) {
  const TaskOp::Properties &properties = cast<TaskOp>(unwrap(task)).getProperties();
  *out_operands = properties.operandSegmentSizes.data();
  *out_results = properties.resultSegmentSizes.data();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printClause(OpAsmPrinter &p, StringRef keyword, ValueRange values) {
  p << keyword << '(' << values << " : ";
  llvm::interleaveComma(values.getTypes(), p);
  p << ')';
}

static void printOptionalClause(OpAsmPrinter &p, StringRef keyword, ValueRange values) {
  if (values.empty())
    return;
  p << ' ';
  printClause(p, keyword, values);
}

static void printOriginals(OpAsmPrinter &p, TaskOp task) {
  ValueRange reads = task.getOriginalReadMemrefs(), writes = task.getOriginalWriteMemrefs();
  if (reads.empty() && writes.empty())
    return;
  p << " [";
  if (!reads.empty())
    printClause(p, "original_read_memrefs", reads);
  if (!reads.empty() && !writes.empty())
    p << ", ";
  if (!writes.empty())
    printClause(p, "original_write_memrefs", writes);
  p << ']';
}

// What the type lists spell out: reads, writes, values.
static OperandRange inputs(TaskOp task) {
  size_t count =
      task.getReadMemrefs().size() + task.getWriteMemrefs().size() + task.getValueInputs().size();
  return task->getOperands().take_front(count);
}

void TaskOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getTaskName());
  printOptionalClause(p, "read_memrefs", getReadMemrefs());
  printOptionalClause(p, "write_memrefs", getWriteMemrefs());
  printOptionalClause(p, "value_inputs", getValueInputs());
  printOriginals(p, *this);
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {"task_name", "operandSegmentSizes", "resultSegmentSizes"});
  p << " : (";
  llvm::interleaveComma(inputs(*this).getTypes(), p);
  p << ") -> (";
  llvm::interleaveComma(getResultTypes(), p);
  p << ") ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/true,
                /*printBlockTerminators=*/getBody().front().getTerminator()->getNumOperands() > 0);
}

void TaskOp::getAsmResultNames(function_ref<void(Value, StringRef)> name) {
  for (Value output : getReadOutputs())
    name(output, "read_outputs");
  for (Value output : getWriteOutputs())
    name(output, "write_outputs");
  for (Value output : getValueOutputs())
    name(output, "value_outputs");
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
struct Clause {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc location;

  ParseResult parse(OpAsmParser &parser) {
    location = parser.getCurrentLocation();
    if (parser.parseLParen() || parser.parseOperandList(operands) ||
        parser.parseColonTypeList(types) || parser.parseRParen())
      return failure();
    return success();
  }

  ParseResult parseOptional(OpAsmParser &parser, StringRef keyword) {
    return succeeded(parser.parseOptionalKeyword(keyword)) ? parse(parser) : ParseResult(success());
  }

  ParseResult resolve(OpAsmParser &parser, OperationState &state) {
    return parser.resolveOperands(operands, types, location, state.operands);
  }
};
} // namespace

static ParseResult parseOriginals(OpAsmParser &parser, Clause &reads, Clause &writes) {
  if (failed(parser.parseOptionalLSquare()))
    return success();
  bool more = succeeded(parser.parseOptionalKeyword("original_read_memrefs"));
  if (more && (reads.parse(parser) || failed(parser.parseOptionalComma())))
    return parser.parseRSquare();
  if (parser.parseKeyword("original_write_memrefs") || writes.parse(parser))
    return failure();
  return parser.parseRSquare();
}

// The results that are versions of read buffers stand first and look like those of written ones;
// the yield tells how many they are.
static ParseResult splitResults(OpAsmParser &parser, SMLoc location, OperationState &state) {
  Block &body = state.regions.front()->front();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  std::array<int32_t, 3> sizes = {0, 0, 0};
  if (yield)
    sizes = {static_cast<int32_t>(yield.getReads().size()),
             static_cast<int32_t>(yield.getWrites().size()),
             static_cast<int32_t>(yield.getValues().size())};
  size_t yielded = sizes[0] + sizes[1] + sizes[2];
  if (yielded != state.types.size())
    return parser.emitError(location)
           << "has " << state.types.size() << " results, but its body yields " << yielded;
  llvm::copy(sizes, state.getOrAddProperties<TaskOp::Properties>().resultSegmentSizes.begin());
  return success();
}

static ParseResult parseTypes(OpAsmParser &parser, ArrayRef<Clause *> inputs,
                              OperationState &state) {
  FunctionType type;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseColonType(type))
    return failure();
  SmallVector<Type> expected;
  for (Clause *clause : inputs)
    llvm::append_range(expected, clause->types);
  if (llvm::ArrayRef<Type>(expected) != type.getInputs())
    return parser.emitError(location, "input types must be those of the clauses, in their order");
  state.addTypes(type.getResults());
  return success();
}

ParseResult TaskOp::parse(OpAsmParser &parser, OperationState &state) {
  Clause reads, writes, values, originalReads, originalWrites;
  StringAttr name;
  SMLoc location = parser.getNameLoc();
  if (parser.parseSymbolName(name) || reads.parseOptional(parser, "read_memrefs") ||
      writes.parseOptional(parser, "write_memrefs") ||
      values.parseOptional(parser, "value_inputs") ||
      parseOriginals(parser, originalReads, originalWrites) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parseTypes(parser, {&reads, &writes, &values}, state))
    return failure();
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.task_name = name;
  for (auto [clause, size] :
       llvm::zip(std::array<Clause *, 5>{&reads, &writes, &values, &originalReads, &originalWrites},
                 properties.operandSegmentSizes)) {
    size = static_cast<int32_t>(clause->operands.size());
    if (clause->resolve(parser, state))
      return failure();
  }
  if (parser.parseRegion(*state.addRegion(), {}))
    return failure();
  ensureTerminator(*state.regions.front(), parser.getBuilder(), state.location);
  return splitResults(parser, location, state);
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

// Whether memory that a nested op names is one of the task's operands, or allocated in the task. A
// global that the task names itself is neither, nor is what a memref that it loads stands for, or a
// pointer.
static bool isListedOrOwn(Value value) {
  if (!isa<BaseMemRefType>(value.getType()))
    return false;
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<TaskOp>(argument.getOwner()->getParentOp());
  return hasEffect<MemoryEffects::Allocate>(value.getDefiningOp(), value);
}

// Whether a nested op may do more than read and write such memory.
static bool reachesElsewhere(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [](const auto &effect) {
    return !effect.getValue() || !isListedOrOwn(effect.getValue());
  });
}

void TaskOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getReadMemrefsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpOperand &operand : getWriteMemrefsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
  bool elsewhere =
      getBody()
          .walk([](Operation *op) {
            return reachesElsewhere(op) ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (!elsewhere)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

#define GET_OP_CLASSES
#include "taskflow/TaskflowOps.cpp.inc"
