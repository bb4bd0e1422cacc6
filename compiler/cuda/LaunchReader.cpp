// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block in the middle of the launch is looked at. Addresses, conditions and
// bounds of loops that follow from the numbers of the thread and the block are
// evaluated for each of its threads, so that it is known which warps run a part
// of the code, and how often. A variable of a loop has the value of its middle
// iteration there. A condition that depends on data is taken to hold for some
// thread of each warp, unless the branch is marked as unlikely.
//
// The figures of LaunchWork follow from that:
//
//   - instructions: those of PTX that an instruction of LLVM becomes, times the
//     share of warps and the iterations that run it;
//   - the longest path: loads may be moved in front of everything but barriers,
//     loops, and stores that they may depend on. So a load begins when its
//     address is known and all that it must not be moved over is done.
//     Iterations of a loop follow each other;
//   - registers: the most values that are live at a time.
//
// A load waits for memory in the share of cases in which no thread has read the
// bytes before: the bytes of the buffer over those that all threads load of it.
#include "compiler/cuda/LaunchReader.h"
#include "compiler/cuda/CudaKernelBuilder.h"
#include "compiler/cuda/InstructionCount.h"
#include "compiler/cuda/LiveRegisters.h"
#include "compiler/cuda/ThreadValues.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ProfDataUtils.h"
#include <numeric>

namespace zcc::cuda {

namespace {

using planning::LaunchWork;

/// A length of a path through the code.
struct Path {
  double memory = 0, cache = 0, cycles = 0;

  // Returns roughly the cycles of the path. The figures are constants, so that
  // the answer which of two paths is longer does not depend on the machine.
  double weight() const { return 900 * memory + 250 * cache + cycles; }
  void raise(const Path &other) {
    if (other.weight() > weight())
      *this = other;
  }
  void add(const Path &other, double times = 1) {
    memory += times * other.memory;
    cache += times * other.cache;
    cycles += times * other.cycles;
  }
};

class Reader {
public:
  Reader(llvm::Function &function, const LaunchShape &shape)
      : function(function), shape(shape), tree(function), loops(tree),
        order(&function), values(shape.blocks, shape.threads),
        warps(llvm::divideCeil(shape.threads, warpThreads)) {}

  std::optional<LaunchWork> read();

private:
  /// A number for each warp of the block.
  using OfWarps = llvm::SmallVector<double, 32>;

  bool countRuns();
  bool findTrips(llvm::Loop &loop);
  double shareOf(llvm::BasicBlock *from, llvm::BasicBlock *to, unsigned warp);
  /// Returns how often the block is run by the warp that does so most often.
  double mostRuns(llvm::BasicBlock *block) {
    return *llvm::max_element(runs[block]);
  }
  double mostTrips(llvm::Loop &loop) {
    auto found = trips.find(&loop);
    return found == trips.end() ? 1 : *llvm::max_element(found->second);
  }
  /// Returns how often a warp runs the block, on average.
  double meanRuns(llvm::BasicBlock *block) {
    const OfWarps &own = runs[block];
    return std::accumulate(own.begin(), own.end(), 0.) /
           static_cast<double>(warps);
  }
  void findMisses();
  double bytesStored();
  void countBlock(llvm::BasicBlock &block);
  unsigned copiesOf(llvm::Loop &loop);
  Path pathOf(llvm::Loop *loop, unsigned copies);

  llvm::Function &function;
  const LaunchShape &shape;
  llvm::DominatorTree tree;
  llvm::LoopInfo loops;
  llvm::ReversePostOrderTraversal<llvm::Function *> order;
  ThreadValues values;
  const unsigned warps;
  llvm::DenseMap<llvm::BasicBlock *, OfWarps> runs;
  // By loop: how often warps enter it, and its iterations.
  llvm::DenseMap<llvm::Loop *, OfWarps> entries, trips;
  llvm::DenseMap<const llvm::Instruction *, Counted> counted;
  // By parameter: the share of the loads of a buffer that wait for memory.
  llvm::SmallVector<double> misses;
};

/// Returns the number of the buffer that the address is of; nullopt: unknown.
std::optional<unsigned> findBuffer(const llvm::Value *address) {
  const llvm::Value *base = address->stripPointerCasts();
  while (auto *place = llvm::dyn_cast<llvm::GEPOperator>(base))
    base = place->getPointerOperand()->stripPointerCasts();
  if (auto *word = llvm::dyn_cast<llvm::LoadInst>(base))
    base = word->getPointerOperand();
  auto *parameter = llvm::dyn_cast<llvm::Argument>(base);
  return parameter ? std::optional(parameter->getArgNo()) : std::nullopt;
}

std::optional<LaunchWork> Reader::read() {
  for (llvm::BasicBlock *block : order)
    for (llvm::Instruction &own : *block)
      if (llvm::isa<llvm::AllocaInst>(own) ||
          (llvm::isa<llvm::CallBase>(own) &&
           !llvm::isa<llvm::IntrinsicInst>(own)))
        return std::nullopt;
  if (!countRuns())
    return std::nullopt;
  findMisses();
  LaunchWork out;
  out.blocks = static_cast<double>(shape.blocks);
  out.threads = shape.threads;
  out.sharedBytes = static_cast<double>(shape.shared);
  out.registers = estimateRegisters(function);
  out.bytesWritten = bytesStored();
  for (llvm::BasicBlock *block : order) {
    countBlock(*block);
    for (const llvm::Instruction &own : *block)
      out.instructions.add(counted[&own].counts, meanRuns(block));
  }
  Path path = pathOf(nullptr, 1);
  out.memoryRounds = path.memory;
  out.cacheRounds = path.cache;
  out.cycles = path.cycles;
  return out;
}

/// Returns how often the warp goes this way. If the condition depends on data,
/// the weights of the branch tell it; without weights some thread of the warp
/// is taken to go this way.
double Reader::shareOf(llvm::BasicBlock *from, llvm::BasicBlock *to,
                       unsigned warp) {
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
  if (!branch || !branch->isConditional())
    return 1;
  const unsigned end = std::min((warp + 1) * warpThreads, shape.threads);
  for (unsigned thread = warp * warpThreads; thread < end; ++thread) {
    auto condition = values.get(branch->getCondition(), thread);
    if (!condition) {
      llvm::SmallVector<uint32_t> weights;
      if (!llvm::extractBranchWeights(*branch, weights))
        return 1;
      double own = weights[branch->getSuccessor(0) == to ? 0 : 1];
      double other = weights[branch->getSuccessor(0) == to ? 1 : 0];
      return own >= other ? 1 : own / (own + other);
    }
    if (branch->getSuccessor(*condition ? 0 : 1) == to)
      return 1;
  }
  return 0;
}

/// Finds how often each warp runs each block. Returns false if that depends on
/// data and nothing says how often to expect it.
bool Reader::countRuns() {
  llvm::SmallPtrSet<llvm::BasicBlock *, 16> seen;
  for (llvm::BasicBlock *block : order) {
    OfWarps own(warps, block == &function.getEntryBlock() ? 1 : 0);
    for (llvm::BasicBlock *from : llvm::predecessors(block)) {
      if (!seen.contains(from)) // the end of an iteration
        continue;
      llvm::Loop *left = loops.getLoopFor(from);
      if (left && left->contains(block))
        left = nullptr;
      while (left && left->getParentLoop() &&
             !left->getParentLoop()->contains(block))
        left = left->getParentLoop();
      for (unsigned warp = 0; warp < warps; ++warp)
        if (left)
          own[warp] = std::max(own[warp], entries[left][warp]);
        else if (runs[from][warp] > own[warp])
          own[warp] = std::max(own[warp],
                               runs[from][warp] * shareOf(from, block, warp));
    }
    seen.insert(block);
    llvm::Loop *loop = loops.getLoopFor(block);
    if (loop && loop->getHeader() == block) {
      entries[loop] = own;
      bool isEntered =
          llvm::any_of(own, [](double times) { return times > 0; });
      if (isEntered && !findTrips(*loop))
        return false;
      for (unsigned warp = 0; isEntered && warp < warps; ++warp)
        own[warp] *= trips[loop][warp];
    }
    runs[block] = std::move(own);
  }
  return true;
}

/// Finds the iterations of a loop as KernelBuilder::loop() makes them: its
/// variable grows by a constant, and is compared at the end of an iteration. If
/// the bounds depend on data, the branch back says how often it is taken.
bool Reader::findTrips(llvm::Loop &loop) {
  llvm::BasicBlock *latch = loop.getLoopLatch();
  if (!latch || loop.getExitingBlock() != latch)
    return false;
  auto *branch = llvm::cast<llvm::BranchInst>(latch->getTerminator());
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!compare)
    return false;
  for (llvm::PHINode &variable : loop.getHeader()->phis()) {
    auto *next = llvm::dyn_cast<llvm::BinaryOperator>(
        variable.getIncomingValueForBlock(latch));
    if (!next || next->getOpcode() != llvm::Instruction::Add ||
        next->getOperand(0) != &variable ||
        variable.getNumIncomingValues() != 2)
      continue;
    auto *step = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
    const bool isFirst = compare->getOperand(0) == next;
    if (!step || step->getSExtValue() <= 0 ||
        (!isFirst && compare->getOperand(1) != next))
      continue;
    llvm::CmpInst::Predicate predicate =
        isFirst ? compare->getPredicate() : compare->getSwappedPredicate();
    if (!loop.contains(branch->getSuccessor(0)))
      predicate = llvm::CmpInst::getInversePredicate(predicate);
    if (predicate != llvm::CmpInst::ICMP_SLT &&
        predicate != llvm::CmpInst::ICMP_ULT &&
        predicate != llvm::CmpInst::ICMP_NE)
      return false;
    const int64_t by = step->getSExtValue();
    OfWarps &out = trips[&loop];
    out.assign(warps, 0);
    for (unsigned thread = 0; thread < shape.threads; ++thread) {
      auto begin = values.get(
          variable.getIncomingValue(variable.getIncomingBlock(0) == latch),
          thread);
      auto end = values.get(compare->getOperand(isFirst ? 1 : 0), thread);
      if (!begin || !end) {
        llvm::SmallVector<uint32_t> weights;
        if (!llvm::extractBranchWeights(*branch, weights))
          return false;
        const unsigned again = loop.contains(branch->getSuccessor(0)) ? 0 : 1;
        out.assign(warps, 1 + double(weights[again]) /
                                  std::max(1u, weights[1 - again]));
        return true;
      }
      int64_t times = *end > *begin ? (*end - *begin + by - 1) / by : 1;
      values.set(&variable, thread, *begin + (times - 1) / 2 * by);
      double &most = out[thread / warpThreads];
      most = std::max(most, static_cast<double>(times));
    }
    return true;
  }
  return false;
}

/// Finds how many of the loads of an argument are the first of their bytes.
void Reader::findMisses() {
  misses.assign(function.arg_size(), 0);
  const double threads =
      static_cast<double>(shape.blocks) * static_cast<double>(shape.threads);
  for (llvm::BasicBlock *block : order)
    for (llvm::Instruction &own : *block)
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&own);
          load && !load->getType()->isPointerTy() &&
          load->getPointerAddressSpace() == ptxGlobal)
        if (auto buffer = findBuffer(load->getPointerOperand()))
          misses[*buffer] +=
              threads * meanRuns(block) *
              load->getType()->getPrimitiveSizeInBits().getFixedValue() / 8.;
  for (auto [i, loaded] : llvm::enumerate(misses)) {
    double bytes = i < shape.arguments.size() ? shape.arguments[i] : 0;
    loaded = loaded > 0 ? std::min(1., bytes / loaded) : 0;
  }
}

/// Returns the bytes of the results that are stored to.
double Reader::bytesStored() {
  llvm::DenseSet<unsigned> stored;
  for (llvm::BasicBlock *block : order)
    for (llvm::Instruction &own : *block)
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&own))
        if (auto buffer = findBuffer(store->getPointerOperand()))
          stored.insert(*buffer);
  double sum = 0;
  for (auto [i, bytes] : llvm::enumerate(shape.results))
    sum += stored.contains(shape.arguments.size() + i) ? bytes : 0;
  return sum;
}

/// Counts the instructions of a block. Addresses that differ by a constant are
/// computed once.
void Reader::countBlock(llvm::BasicBlock &block) {
  llvm::DenseSet<std::pair<llvm::Value *, llvm::Value *>> computed;
  for (llvm::Instruction &own : block) {
    Counted &out = counted[&own] = countInstruction(own);
    auto *place = llvm::dyn_cast<llvm::GetElementPtrInst>(&own);
    if (!place || place->getNumIndices() != 1)
      continue;
    llvm::Value *index = place->getOperand(1);
    while (auto *sum = llvm::dyn_cast<llvm::Instruction>(index)) {
      if (sum->getOpcode() != llvm::Instruction::Add ||
          !llvm::isa<llvm::ConstantInt>(sum->getOperand(1)))
        break;
      index = sum->getOperand(0);
    }
    if (!computed.insert({place->getPointerOperand(), index}).second)
      out = {};
  }
}

/// Returns how many iterations of a loop ptxas turns into one, which lets their
/// loads overlap. ptxas was seen to do so with loops of 40 instructions, and
/// not of 96, that have no other loop and no barrier inside.
unsigned Reader::copiesOf(llvm::Loop &loop) {
  constexpr unsigned copies = 4;
  constexpr double mostInstructions = 48;
  double size = 0;
  for (llvm::BasicBlock *block : loop.blocks())
    for (llvm::Instruction &own : *block) {
      if (isBarrier(own))
        return 1;
      size += counted[&own].counts.sum();
    }
  bool repeats = mostTrips(loop) >= copies;
  return loop.isInnermost() && repeats && size <= mostInstructions ? copies : 1;
}

/// Returns the longest path through `copies` iterations of the loop, or through
/// the code in no loop (null).
Path Reader::pathOf(llvm::Loop *loop, unsigned copies) {
  Path total, longest;
  // The times at which a value can be used, at which the last store to shared
  // memory and to other memory had its value, and at which the last barrier was
  // passed.
  llvm::DenseMap<llvm::Value *, Path> ready;
  Path ofShared, ofStores, ofBarrier;
  double issued = 0;
  auto close = [&] {
    longest.cycles = std::max(longest.cycles, issued);
    total.add(longest);
    ready.clear();
    longest = ofShared = ofStores = ofBarrier = {};
    issued = 0;
  };
  auto walk = [&](llvm::BasicBlock *block) {
    for (llvm::Instruction &one : *block) {
      Path at;
      for (llvm::Value *operand : one.operands())
        if (auto known = ready.find(operand); known != ready.end())
          at.raise(known->second);
      const Counted &own = counted[&one];
      issued += own.counts.sum();
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&one)) {
        (store->getPointerAddressSpace() == sharedSpace ? ofShared : ofStores)
            .raise(at);
        continue;
      }
      if (isBarrier(one)) {
        for (const Path &before : {ofShared, ofStores})
          ofBarrier.raise(before);
        ofBarrier.cycles += own.cycles;
        longest.raise(ofBarrier);
        continue;
      }
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&one)) {
        at.raise(ofBarrier);
        if (load->getPointerAddressSpace() == sharedSpace) {
          at.raise(ofShared);
        } else {
          if (!load->hasMetadata(llvm::LLVMContext::MD_invariant_load))
            at.raise(ofStores);
          auto buffer = findBuffer(load->getPointerOperand());
          double missed = load->getType()->isPointerTy() ? 0
                          : buffer                       ? misses[*buffer]
                                                         : 1;
          at.memory += missed;
          at.cache += 1 - missed;
        }
      }
      at.cycles += own.cycles;
      longest.raise(at);
      ready[&one] = at;
    }
  };
  const double all = loop ? mostRuns(loop->getHeader()) : 1;
  for (unsigned copy = 0; copy < copies; ++copy)
    for (llvm::BasicBlock *block : order) {
      llvm::Loop *own = loops.getLoopFor(block);
      const double share =
          mostRuns(block) / all / (own && own != loop ? mostTrips(*own) : 1);
      if (own == loop) {
        if (share >= 0.5) // code that seldom runs is on no path
          walk(block);
      } else if (own && own->getParentLoop() == loop &&
                 own->getHeader() == block && share > 0) {
        close();
        unsigned together = copiesOf(*own);
        total.add(pathOf(own, together), share * mostTrips(*own) / together);
      }
    }
  close();
  return total;
}

} // namespace

std::optional<LaunchWork> readLaunch(llvm::Function &function,
                                     const LaunchShape &shape) {
  return Reader(function, shape).read();
}

} // namespace zcc::cuda
