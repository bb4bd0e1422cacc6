// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The switch over parts is uniform within a block, so that barriers and
// shuffles within a part work as in a kernel of its own. (NVIDIA Apex's
// multi_tensor_apply finds tensor and chunk by the block in the same way; it
// has one function and takes the table as a parameter.)
#include "compiler/cuda/SegmentedKernel.h"
#include "runtime/format/GpuThread.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include <map>

using namespace mlir;

namespace zcc::cuda {

namespace {
// With more parts, compiling the code takes longer than launching them
// separately.
constexpr size_t maxParts = 64;
// The number of table entries that keeps any device busy until the end: some
// for each resident block. If a member has more blocks than entries, each entry
// stands for several blocks, which one block runs one after the other and so
// reads table and addresses once.
constexpr uint64_t wantedSegments = 1 << 14;
constexpr uint64_t maxSegmentBlocks = 32;
} // namespace

SegmentedPlan planSegments(ArrayRef<KernelInfo> kernels,
                           ArrayRef<unsigned> partThreads,
                           ArrayRef<LaunchBatch> batches) {
  SegmentedPlan plan;
  // Threads and kernels.
  using Group = std::pair<unsigned, std::vector<unsigned>>;
  std::map<Group, unsigned> known;
  for (const LaunchBatch &batch : batches) {
    std::vector<BatchLaunch> &launches = plan.launches.emplace_back();
    std::map<unsigned, uint64_t> members; // by kernel
    for (unsigned kernel : batch)
      if (partThreads[kernel] != 0 && kernels[kernel].items != 0)
        ++members[kernel];
    llvm::MapVector<unsigned, std::vector<Group>> groups; // by threads
    for (auto [kernel, count] : members) {
      std::vector<Group> &own = groups[partThreads[kernel]];
      if (own.empty() || own.back().second.size() == maxParts)
        own.push_back({partThreads[kernel], {}});
      own.back().second.push_back(kernel);
    }
    for (auto &[threads, list] : groups)
      for (Group &group : list) {
        uint64_t count = 0, blocks = 0;
        for (unsigned kernel : group.second) {
          count += members[kernel];
          blocks += members[kernel] * kernels[kernel].items;
        }
        if (count < 2)
          continue;
        auto [at, isNew] = known.insert({group, plan.segmented.size()});
        if (isNew) {
          SegmentedKernel &made = plan.segmented.emplace_back();
          made.info.threads = threads;
          made.kernels = group.second;
        }
        launches.push_back(
            {at->second, unsigned(std::clamp<uint64_t>(blocks / wantedSegments,
                                                       1, maxSegmentBlocks))});
      }
  }
  return plan;
}

void SegmentedBuilder::addPart(const CudaKernelBuilder &part) {
  parts.push_back({part.function, part.info.shared != 0});
  shared = std::max(shared, part.info.shared);
  resident = std::min(resident, part.resident());
}

KernelInfo SegmentedBuilder::finish(StringRef symbol, unsigned threads) {
  llvm::LLVMContext &c = module.getContext();
  llvm::IRBuilder<> ir(c);
  llvm::Type *i32 = ir.getInt32Ty(), *i64 = ir.getInt64Ty();
  llvm::Type *pointer = ir.getPtrTy(forHost ? 0 : ptxGlobal);
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer}, false),
      llvm::GlobalValue::ExternalLinkage, symbol, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("no-builtins");
  ir.SetInsertPoint(llvm::BasicBlock::Create(c, "entry", function));
  auto load = [&](llvm::Type *type, llvm::Value *from, unsigned align) {
    llvm::LoadInst *made = ir.CreateAlignedLoad(type, from, llvm::Align(align));
    made->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(c, {}));
    return made;
  };
  llvm::Value *table = function->getArg(0), *words = function->getArg(1);
  llvm::Value *self = llvm::PoisonValue::get(ir.getPtrTy()), *block;
  if (forHost) {
    self = table;
    auto field = [&](llvm::Type *type, llvm::Value *from, uint64_t offset) {
      return ir.CreateLoad(
          type, ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), from, offset));
    };
    llvm::Value *parameters = words;
    block = field(i32, self, offsetof(ZccGpuThread, block));
    table = load(pointer, field(pointer, parameters, 0), 8);
    words = load(pointer, field(pointer, parameters, sizeof(void *)), 8);
  } else {
    function->setCallingConv(llvm::CallingConv::PTX_Kernel);
    function->addFnAttr("nvvm.reqntid", std::to_string(threads));
    function->addFnAttr("nvvm.minctasm", std::to_string(resident));
    block =
        ir.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                           ArrayRef<llvm::Type *>(), ArrayRef<llvm::Value *>());
  }
  auto *entryType = llvm::FixedVectorType::get(i32, 4);
  static_assert(sizeof(ZccGpuSegment) == 16);
  llvm::Value *entry =
      load(entryType,
           ir.CreateInBoundsGEP(entryType, table, ir.CreateZExt(block, i64)),
           sizeof(ZccGpuSegment));
  auto field = [&](uint64_t offset) {
    return ir.CreateExtractElement(entry, offset / sizeof(uint32_t));
  };
  llvm::Value *part = field(offsetof(ZccGpuSegment, part));
  llvm::Value *own = ir.CreateInBoundsGEP(
      i64, words, ir.CreateZExt(field(offsetof(ZccGpuSegment, word)), i64));
  llvm::Value *first = field(offsetof(ZccGpuSegment, first));
  llvm::Value *end =
      ir.CreateNUWAdd(first, field(offsetof(ZccGpuSegment, count)));
  // Hides an address from ptxas, so that values behind it are read again for
  // each block, from the cache: in registers they would halve the occupancy.
  auto hide = [&](llvm::Value *address) -> llvm::Value * {
    if (forHost)
      return address;
    auto *type = llvm::FunctionType::get(pointer, {pointer}, false);
    return ir.CreateCall(llvm::InlineAsm::get(type, "mov.b64 $0, $1;", "=l,l",
                                              /*hasSideEffects=*/true),
                         {address});
  };
  auto *done = llvm::BasicBlock::Create(c, "done", function);
  auto *none = llvm::BasicBlock::Create(c, "none", function);
  llvm::BasicBlock *entryBlock = ir.GetInsertBlock();
  llvm::SwitchInst *choice = ir.CreateSwitch(part, none, parts.size());
  for (auto [number, one] : llvm::enumerate(parts)) {
    auto *body = llvm::BasicBlock::Create(c, "part", function);
    choice->addCase(ir.getInt32(number), body);
    ir.SetInsertPoint(body);
    llvm::PHINode *at = ir.CreatePHI(i32, 2);
    ir.CreateCall(one.function, {ir.CreateZExt(at, i64), hide(own), self});
    if (one.usesShared) { // the next block writes to it
      if (forHost) {
        llvm::Value *barrier = ir.CreateLoad(
            ir.getPtrTy(),
            ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), self,
                                          offsetof(ZccGpuThread, barrier)));
        ir.CreateCall(
            llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy()}, false),
            barrier, {self});
      } else {
        ir.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                           {}, {ir.getInt32(0)});
      }
    }
    llvm::Value *next = ir.CreateNUWAdd(at, ir.getInt32(1));
    at->addIncoming(first, entryBlock);
    at->addIncoming(next, ir.GetInsertBlock());
    ir.CreateCondBr(ir.CreateICmpULT(next, end), body, done);
  }
  ir.SetInsertPoint(none);
  ir.CreateUnreachable();
  ir.SetInsertPoint(done);
  ir.CreateRetVoid();
  // Names of shared memory must differ from those of other kernels in the same
  // text.
  for (llvm::GlobalVariable &global : module.globals())
    if (!global.hasLocalLinkage())
      global.setName(symbol + "_" + global.getName());
  KernelInfo info;
  info.symbol = symbol.str();
  info.threads = threads;
  info.shared = shared;
  return info;
}

} // namespace zcc::cuda
