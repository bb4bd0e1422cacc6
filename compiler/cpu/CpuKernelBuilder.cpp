// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cpu/CpuKernelBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace zcc {

static llvm::Value *loadBuffer(llvm::IRBuilder<> &ir, llvm::Value *buffers,
                               unsigned i, bool isAligned) {
  llvm::LLVMContext &c = ir.getContext();
  auto *slot = ir.CreateConstInBoundsGEP1_64(ir.getPtrTy(), buffers, i);
  auto *load = ir.CreateAlignedLoad(ir.getPtrTy(), slot, llvm::Align(8));
  auto node = [&](uint64_t v) {
    return llvm::MDNode::get(c, llvm::ConstantAsMetadata::get(ir.getInt64(v)));
  };
  if (isAligned)
    load->setMetadata(llvm::LLVMContext::MD_align, node(64));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(c, {}));
  return load;
}

CpuKernelBuilder::CpuKernelBuilder(llvm::Module &module, func::FuncOp func,
                                   const CpuLevel &target,
                                   const CodegenOptions &options)
    : KernelBuilder(module, func,
                    options.lanes ? options.lanes : target.vectorBytes / 4),
      target(target), options(options) {
  llvm::LLVMContext &c = module.getContext();
  llvm::Type *pointer = ir.getPtrTy(), *i64 = ir.getInt64Ty();
  auto *type = llvm::FunctionType::get(ir.getVoidTy(),
                                       {pointer, i64, i64, pointer}, false);
  function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                    func.getSymName(), module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("no-builtins");
  function->addFnAttr("target-cpu", target.cpu);
  function->addFnAttr("tune-cpu", target.tune);
  std::string features;
  for (const std::string &f : target.features)
    features += (features.empty() ? "+" : ",+") + f;
  function->addFnAttr("target-features", features);
  std::string width = std::to_string(target.vectorBytes * 8);
  function->addFnAttr("prefer-vector-width", width);
  function->addFnAttr("min-legal-vector-width", width);
  for (unsigned i : {0u, 3u}) {
    function->addParamAttr(i, llvm::Attribute::NoAlias);
    function->addParamAttr(i, llvm::Attribute::NoUndef);
  }
  llvm::Argument *buffers = function->getArg(0);
  buffers->setName("buffers");
  begin = function->getArg(1), begin->setName("begin");
  end = function->getArg(2), end->setName("end");
  scratchBase = function->getArg(3), scratchBase->setName("scratch");
  ir.SetInsertPoint(llvm::BasicBlock::Create(c, "entry", function));

  setBuffers([&](unsigned i) {
    return loadBuffer(ir, buffers, i, !options.callerInputs);
  });
}

llvm::Value *CpuKernelBuilder::scratch(uint64_t bytes) {
  uint64_t offset = info.scratchBytes;
  info.scratchBytes += (bytes + 63) / 64 * 64;
  // The address is computed in the entry block, so that it dominates every use.
  llvm::IRBuilder<>::InsertPointGuard guard(ir);
  llvm::BasicBlock &entry = function->getEntryBlock();
  ir.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  return ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), scratchBase, offset);
}

llvm::Value *CpuKernelBuilder::hidden(llvm::Value *v) {
  // LLVM must not come to know a mask: where a masked store of truncated
  // elements (bf16, i1) has a constant mask of one lane, LLVM 22 stores 32 bits
  // on AVX-512 (llvm-project issue 179489).
  llvm::Type *i64 = ir.getInt64Ty();
  auto *opaque =
      llvm::InlineAsm::get(llvm::FunctionType::get(i64, {i64}, false), "",
                           "=r,0", /*hasSideEffects=*/false);
  llvm::CallInst *call = ir.CreateCall(opaque, {v});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::WillReturn);
  return call;
}

llvm::Value *CpuKernelBuilder::gather(const TensorBuffer &buffer,
                                      llvm::Value *offsets, llvm::Value *mask) {
  unsigned bytes = memoryBytes(buffer.elementType);
  if (bytes >= 4)
    return KernelBuilder::gather(buffer, offsets, mask);
  llvm::Type *type = vectorize(memoryType(buffer.elementType), numLanes);
  if (!mask)
    mask = llvm::Constant::getAllOnesValue(vectorize(ir.getInt1Ty(), numLanes));
  // Machines gather 32-bit words. A tensor starts at a multiple of 4 bytes, so
  // the word around its last element is not beyond its last cache line.
  unsigned shift = bytes == 2 ? 1 : 2;
  llvm::Type *index = offsets->getType();
  llvm::Type *words = vectorize(ir.getInt32Ty(), numLanes);
  llvm::Value *at = ir.CreateGEP(ir.getInt32Ty(), buffer.pointer,
                                 ir.CreateLShr(offsets, shift));
  llvm::Value *word = ir.CreateMaskedGather(
      words, at, llvm::Align(4), mask, llvm::Constant::getNullValue(words));
  llvm::Value *within = ir.CreateShl(
      ir.CreateAnd(offsets, llvm::ConstantInt::get(index, 4 / bytes - 1)),
      llvm::ConstantInt::get(index, bytes == 2 ? 4 : 3));
  llvm::Value *narrow = ir.CreateTrunc(
      ir.CreateLShr(word, ir.CreateZExtOrTrunc(within, word->getType())),
      llvm::FixedVectorType::get(ir.getIntNTy(8 * bytes), numLanes));
  return widen(ir.CreateBitCast(narrow, type), buffer.elementType);
}

} // namespace zcc
