//===- Compiler.cpp - what the compiler as a library needs of MLIR's C++ ---===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/compiler.h"
#include "driver/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MLProgram/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MLProgram/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/SubsetOpInterfaceImpl.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Remarks/Remark.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SwapByteOrder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Dialects and passes
//===----------------------------------------------------------------------===//

// The dialects that models, our passes and their lowering are written in.
static void addDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, async::AsyncDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  complex::ComplexDialect, DLTIDialect, func::FuncDialect, gpu::GPUDialect,
                  index::IndexDialect, linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, ml_program::MLProgramDialect, quant::QuantDialect,
                  scf::SCFDialect, shape::ShapeDialect, tensor::TensorDialect, tosa::TosaDialect,
                  ub::UBDialect, vector::VectorDialect>();
}

static void addBufferization(DialectRegistry &registry) {
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  memref::registerBufferViewFlowOpInterfaceExternalModels(registry);
  ml_program::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
  vector::registerSubsetOpInterfaceExternalModels(registry);
}

static void addShapes(DialectRegistry &registry) {
  arith::registerValueBoundsOpInterfaceExternalModels(registry);
  linalg::registerTilingInterfaceExternalModels(registry);
  linalg::registerValueBoundsOpInterfaceExternalModels(registry);
  memref::registerValueBoundsOpInterfaceExternalModels(registry);
  scf::registerValueBoundsOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  tensor::registerTilingInterfaceExternalModels(registry);
  tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  vector::registerValueBoundsOpInterfaceExternalModels(registry);
}

void stow_compiler_add_dialects(MlirDialectRegistry wrapped) {
  DialectRegistry &registry = *unwrap(wrapped);
  addDialects(registry);
  addBufferization(registry);
  addShapes(registry);
  func::registerInlinerExtension(registry);
  LLVM::registerInlinerInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  stowage::registerDialects(&registry);
}

static void addConversions() {
  registerArithToLLVMConversionPass();
  registerConvertComplexToLibm();
  registerConvertComplexToStandardPass();
  registerConvertControlFlowToLLVMPass();
  registerConvertFuncToLLVMPass();
  registerConvertIndexToLLVMPass();
  registerConvertMathToFuncs();
  registerConvertMathToLLVMPass();
  registerConvertMathToLibmPass();
  registerConvertTensorToLinalgPass();
  registerConvertVectorToLLVMPass();
  registerConvertVectorToSCF();
  registerFinalizeMemRefToLLVMConversionPass();
  registerLowerAffinePass();
  registerReconcileUnrealizedCastsPass();
  registerSCFToControlFlowPass();
  registerTosaToArithPass();
  registerTosaToLinalg();
  registerTosaToLinalgNamed();
  registerTosaToMLProgram();
  registerTosaToSCFPass();
  registerTosaToTensorPass();
  registerUBToLLVMConversionPass();
}

static void addPasses() {
  affine::registerAffinePasses();
  arith::registerArithPasses();
  bufferization::registerBufferizationPasses();
  bufferization::registerBufferizationPipelines();
  func::registerFuncPasses();
  registerLinalgPasses();
  math::registerMathPasses();
  memref::registerMemRefPasses();
  ml_program::registerMLProgramPasses();
  registerSCFPasses();
  tensor::registerTensorPasses();
  tosa::registerTosaPasses();
  registerTransformsPasses();
  addConversions();
  stowage::registerPasses();
}

void stow_compiler_add_passes() {
  static const bool once = [] {
    addPasses();
    return true;
  }();
  (void)once;
}

MlirModule stow_compiler_parse(MlirContext context, const char *name, stow_bytes text) {
  const ParserConfig config(unwrap(context));
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(llvm::StringRef(text.data, text.size), config, name);
  return wrap(module.release());
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

namespace {

class RemarkTeller : public remark::detail::MLIRRemarkStreamerBase {
public:
  RemarkTeller(stow_told listener, void *listening) : told(listener), user(listening) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override;

private:
  stow_told told;
  void *user;
};

} // namespace

// The argument of this key, or "".
static std::string argumentOf(const remark::detail::Remark &remark, llvm::StringRef key) {
  const auto *found =
      llvm::find_if(remark.getArgs(), [&](const auto &arg) { return arg.key == key; });
  return found == remark.getArgs().end() ? "" : found->val;
}

static std::string printed(Location location) {
  std::string text;
  llvm::raw_string_ostream(text) << location;
  return text;
}

void RemarkTeller::streamOptimizationRemark(const remark::detail::Remark &remark) {
  const std::string location = printed(remark.getLocation()), text = argumentOf(remark, "Remark"),
                    pass = remark.getCategoryName().str(), name = remark.getRemarkName().str(),
                    function = remark.getFunction().str(), reason = argumentOf(remark, "Reason"),
                    suggestion = argumentOf(remark, "Suggestion");
  const bool missed = remark.generateRemark().RemarkType == llvm::remarks::Type::Missed;
  const stow_message message = {missed ? STOW_MESSAGE_MISSED : STOW_MESSAGE_REMARK,
                                location.c_str(),
                                text.c_str(),
                                pass.c_str(),
                                name.c_str(),
                                function.c_str(),
                                reason.c_str(),
                                suggestion.c_str()};
  told(user, &message);
}

void stow_compiler_tell_remarks(MlirContext context, stow_told told, void *user) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis = ".*";
  auto engine = std::make_unique<remark::detail::RemarkEngine>(false, categories);
  if (succeeded(engine->initialize(std::make_unique<RemarkTeller>(told, user),
                                   std::make_unique<remark::RemarkEmittingPolicyAll>(), nullptr)))
    unwrap(context)->setRemarkEngine(std::move(engine));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static Type elementOf(Type type) {
  while (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    type = array.getElementType();
  return type;
}

// Whether an element's bytes in an attribute are those in memory: i1 and the like are packed, and
// an index has 64 bits in an attribute.
static bool isPlain(Type element, Type inMemory) {
  const unsigned bits = element.isIndex()        ? 64
                        : element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                                 : 0;
  return inMemory.isIntOrFloat() && inMemory.getIntOrFloatBitWidth() == bits && bits >= 8 &&
         bits <= 64 && llvm::isPowerOf2_32(bits) && llvm::sys::IsLittleEndianHost;
}

static llvm::ArrayRef<char> rawBytes(ElementsAttr elements) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : llvm::ArrayRef<char>();
}

bool stow_compiler_raw_elements(MlirAttribute value, MlirType type, stow_bytes *out_piece,
                                uint64_t *out_repeats) {
  auto elements = dyn_cast<ElementsAttr>(unwrap(value));
  if (!elements || !isPlain(elements.getElementType(), elementOf(unwrap(type))))
    return false;
  const llvm::ArrayRef<char> raw = rawBytes(elements);
  const uint64_t bytes = static_cast<uint64_t>(elements.getNumElements()) *
                         elementOf(unwrap(type)).getIntOrFloatBitWidth() / 8;
  if (raw.empty() || bytes % raw.size())
    return false;
  *out_piece = {raw.data(), raw.size()};
  *out_repeats = bytes / raw.size();
  return true;
}

// 256 bits of AVX-VNNI have another encoding, by the same intrinsic.
static const char *dotOf(const llvm::TargetMachine &machine, unsigned bits) {
  const llvm::MCSubtargetInfo &features = *machine.getMCSubtargetInfo();
  const llvm::Triple &triple = machine.getTargetTriple();
  if (triple.isX86())
    return features.checkFeatures("+avx512vnni,+avx512vl") ||
                   (bits <= 256 && features.checkFeatures("+avxvnni"))
               ? "vnni"
               : "none";
  return triple.isAArch64() && features.checkFeatures("+dotprod") ? "neon" : "none";
}

// Of 13 registers, 7 for sums and what is multiplied; others are addresses.
static bool hasDsp(const llvm::TargetMachine &machine) {
  return machine.getTargetTriple().isThumb() &&
         machine.getMCSubtargetInfo()->checkFeatures("+dsp,+thumb2");
}

stow_vectors stow_compiler_vectors_of(LLVMTargetMachineRef wrapped) {
  auto *machine = reinterpret_cast<llvm::TargetMachine *>(wrapped);
  if (hasDsp(*machine))
    return {32, 7, false, "dsp"};
  llvm::LLVMContext context;
  llvm::Module module("vectors", context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  llvm::Function *function =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                             llvm::Function::ExternalLinkage, "any", module);
  const llvm::TargetTransformInfo target = machine->getTargetTransformInfo(*function);
  auto *type = llvm::FixedVectorType::get(llvm::Type::getFloatTy(context), 4);
  const unsigned bits =
      target.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  return {bits, target.getNumberOfRegisters(target.getRegisterClassForType(true, type)),
          machine->getTargetTriple().isX86(), dotOf(*machine, bits)};
}

bool stow_compiler_is_elf(const char *triple) { return llvm::Triple(triple).isOSBinFormatELF(); }

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

namespace {

class WriterStream : public llvm::raw_ostream {
public:
  WriterStream(stow_write writer, void *writing) : write(writer), user(writing) {}
  ~WriterStream() override { flush(); }

private:
  void write_impl(const char *data, size_t size) override {
    write(user, data, size);
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  stow_write write;
  void *user;
  uint64_t written = 0;
};

} // namespace

void stow_compiler_write_archive(const char *member, stow_bytes object, stow_write write,
                                 void *user) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(object.data, object.size), member);
  const llvm::NewArchiveMember members[] = {llvm::NewArchiveMember(buffer)};
  WriterStream stream(write, user);
  llvm::consumeError(llvm::writeArchiveToStream(
      stream, members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false));
}
