// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits kernels with reductions in the passes of ReducePlan.h. Results of
// expensive functions that a later pass needs again are kept in scratch.
//
// Rows: an item is a row; 16 lanes run along it. Columns: an item is a few
// vectors of columns, which walk down the rows in blocks of 64.
#include "compiler/codegen/ElementWalk.h"
#include "compiler/codegen/ReducePlan.h"
#include "compiler/codegen/Reduction.h"
#include "compiler/cpu/Generators.h"
#include "dialects/Train/OpCost.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace zcc {

using train::ElementIndex;
using train::IndexExpr;
using train::IndexVar;

namespace {

// The most bytes of scratch for kept values.
constexpr int64_t maxRowScratch = 1 << 20, maxColumnScratch = 1 << 18;
// The operations per element of a column above which keeping it is cheaper.
constexpr double keptColumnCost = 6;

class ReduceKernel : ReducePlan {
public:
  ReduceKernel(KernelBuilder &kernel, const codegen::KernelForm &form)
      : ReducePlan(kernel.func), kernel(kernel), ir(kernel.ir), form(form),
        emitter(kernel, context) {}
  LogicalResult emit();

private:
  void planScratch();
  void planColumnScratch(int64_t width);
  double costAgain(mlir::Value v, llvm::SetVector<mlir::Value> &seen);

  void emitRow(llvm::Value *item);
  void emitRowPass(Pass &pass);
  void emitColumnUnits(llvm::Value *first, unsigned units, llvm::Value *limit);
  // Emits the reductions and stores of one vector at the current position.
  void body(Pass &pass, llvm::function_ref<Accumulator &(unsigned)> accumulator,
            llvm::Value *mask);
  // Stores an element of a value that is kept at the current position.
  using KeptStore = llvm::function_ref<void(mlir::Value, llvm::Value *)>;
  void storeKeptValues(Pass &pass, KeptStore store);
  llvm::Value *argPosition(Operation *op);
  void storeKept();

  KernelBuilder &kernel;
  llvm::IRBuilder<> &ir;
  const codegen::KernelForm &form;
  ElementEmitter emitter;
  llvm::DenseMap<mlir::Value, TensorBuffer> scratch;
  IndexExpr scratchOffset;
};

// The cost, in additions, above which an element is kept and read again:
// functions cost more, a quotient or a root does not.
static constexpr double dear = 18;

void ReduceKernel::planScratch() {
  if (domain.column || passes.size() < 2)
    return;
  int64_t row = domain.outerReduced->extent * domain.last->extent;
  if (row == 1)
    return; // nothing runs along it, and results have the full shape
  int64_t full =
      train::tensorType(reductions.front()->getOperand(0)).getNumElements();
  SmallVector<llvm::SetVector<mlir::Value>> reached = reachedByPass();
  int64_t bytes = 0;
  for (unsigned p = 0; p + 1 < passes.size(); ++p) {
    for (mlir::Value v : reached[p]) {
      auto type = train::tensorType(v);
      if (scratch.count(v) ||
          train::getElementWeight(v.getDefiningOp()) < dear ||
          type.getNumElements() != full || !train::isFloat(v) ||
          isa<train::UpdateOp>(v.getDefiningOp()))
        continue;
      bool again = false;
      for (unsigned q = p + 1; q < passes.size(); ++q)
        again |= reached[q].contains(v);
      int64_t size = row * (type.getElementType().isF64() ? 8 : 4);
      if (!again || bytes + size > maxRowScratch)
        continue;
      bytes += size;
      Type element = type.getElementType().isF64()
                         ? type.getElementType()
                         : Float32Type::get(v.getContext());
      scratch[v] = {kernel.scratch(size), element, false};
      passes[p].keep.push_back(v);
    }
  }
}

// Returns the cost of an element if only kept values are known. Values per
// column are known for all its rows.
double ReduceKernel::costAgain(mlir::Value v,
                               llvm::SetVector<mlir::Value> &seen) {
  Operation *op = v.getDefiningOp();
  int64_t full =
      train::tensorType(reductions.front()->getOperand(0)).getNumElements();
  if (!op || codegen::isReduction(op) || scratch.count(v) || !seen.insert(v) ||
      train::tensorType(v).getNumElements() != full)
    return 0;
  double cost = train::getElementWeight(op);
  if (isa<train::ConvertOp>(op))
    cost = train::tensorType(v).getElementType().isBF16() ? 6 : 1;
  for (mlir::Value operand : op->getOperands())
    cost += costAgain(operand, seen);
  return cost;
}

// Chooses values to keep: expensive ones that a pass computes and from which a
// later pass would start.
void ReduceKernel::planColumnScratch(int64_t width) {
  SmallVector<llvm::SetVector<mlir::Value>> reached = reachedByPass();
  int64_t bytes = 0;
  llvm::SetVector<mlir::Value> earlier;
  for (unsigned p = 0; p + 1 < passes.size(); ++p) {
    earlier.insert(reached[p].begin(), reached[p].end());
    auto startsLater = [&](mlir::Value v) {
      for (unsigned q = p + 1; q < passes.size(); ++q) {
        for (unsigned i : passes[q].outputs)
          if (results[i] == v)
            return true;
        for (Operation *op : passes[q].reductions)
          if (op->getOperand(0) == v)
            return true;
        for (Operation *user : v.getUsers())
          for (mlir::Value result : user->getResults())
            if (reached[q].contains(result) && !earlier.contains(result))
              return true;
      }
      return false;
    };
    for (mlir::Value v : reached[p]) {
      llvm::SetVector<mlir::Value> seen;
      if (!train::isFloat(v) || !startsLater(v) ||
          costAgain(v, seen) < keptColumnCost)
        continue;
      Type element = train::tensorType(v).getElementType();
      if (!element.isF64())
        element = Float32Type::get(v.getContext());
      int64_t size = domain.outerReduced->extent * width *
                     KernelBuilder::memoryBytes(element);
      if (bytes + size > maxColumnScratch)
        continue;
      bytes += size;
      scratch[v] = {kernel.scratch(size), element, false};
      passes[p].keep.push_back(v);
    }
  }
}

llvm::Value *ReduceKernel::argPosition(Operation *op) {
  auto arg = dyn_cast<train::ArgReduceOp>(op);
  if (!arg)
    return nullptr;
  ElementIndex index = domain.operandIndex(context, op);
  return emitter.vectorIndex(index[arg.getDim()]);
}

void ReduceKernel::body(Pass &pass,
                        llvm::function_ref<Accumulator &(unsigned)> accumulator,
                        llvm::Value *mask) {
  for (auto [i, op] : llvm::enumerate(pass.reductions)) {
    llvm::Value *x =
        emitter.emit(op->getOperand(0), domain.operandIndex(context, op));
    accumulator(i).add(x, argPosition(op), mask);
  }
  for (unsigned i : pass.outputs) {
    mlir::Value v = results[i];
    llvm::Value *x = emitter.emit(
        v, context.delinearize(domain.fullLinear, train::shapeOf(v)));
    emitter.store(x, kernel.result(i), domain.fullLinear);
  }
}

void ReduceKernel::storeKeptValues(Pass &pass, KeptStore store) {
  for (mlir::Value v : pass.keep)
    store(v, emitter.emit(
                 v, context.delinearize(domain.fullLinear, train::shapeOf(v))));
}

// ---------------------------------------------------------------- rows

void ReduceKernel::emitRowPass(Pass &pass) {
  unsigned lanes = kernel.lanes(), parts = 16 / lanes;
  int64_t extent = domain.last->extent;
  SmallVector<Accumulator> accumulators; // by reduction, then part
  for (Operation *op : pass.reductions)
    for (unsigned p = 0; p < parts; ++p)
      accumulators.emplace_back(kernel, op).reset();
  auto step = [&](llvm::Value *j, bool masked) {
    for (unsigned p = 0; p < parts; ++p) {
      ElementEmitter::Scope scope(emitter);
      llvm::Value *at = p ? ir.CreateNSWAdd(j, kernel.index(p * lanes)) : j;
      emitter.bindLanes(domain.last, at);
      llvm::Value *mask =
          masked ? kernel.tailMask(at, kernel.index(extent)) : nullptr;
      emitter.setMask(mask);
      body(
          pass,
          [&](unsigned i) -> Accumulator & {
            return accumulators[i * parts + p];
          },
          mask);
      storeKeptValues(pass, [&](mlir::Value v, llvm::Value *x) {
        emitter.store(x, scratch[v], scratchOffset);
      });
    }
  };
  auto row = [&] {
    int64_t whole = extent / 16 * 16;
    if (whole)
      kernel.loop(kernel.index(0), kernel.index(whole), 16,
                  [&](llvm::Value *j) { step(j, false); });
    if (whole != extent)
      step(kernel.index(whole), true);
  };
  if (domain.outerReduced->extent == 1) {
    ElementEmitter::Scope scope(emitter);
    emitter.bind(domain.outerReduced, kernel.index(0));
    row();
  } else {
    kernel.loop(kernel.index(0), kernel.index(domain.outerReduced->extent), 1,
                [&](llvm::Value *r) {
                  ElementEmitter::Scope scope(emitter);
                  emitter.bind(domain.outerReduced, r);
                  row();
                });
  }
  for (auto [i, op] : llvm::enumerate(pass.reductions)) {
    llvm::Value *v = accumulators[i * parts].tree(
        parts > 1 ? &accumulators[i * parts + 1] : nullptr);
    emitter.provide(op->getResult(0), [v](const ElementIndex &) { return v; });
  }
  // Only the kept position is provided; elements at other positions are
  // computed.
  for (mlir::Value v : pass.keep)
    emitter.provide(v, [this, v](const ElementIndex &index) -> llvm::Value * {
      if (context.linearize(index, train::shapeOf(v)) != domain.fullLinear)
        return nullptr;
      return emitter.load(scratch[v], scratchOffset);
    });
}

void ReduceKernel::storeKept() {
  for (unsigned i : keptOutputs) {
    mlir::Value v = results[i];
    llvm::Value *x = emitter.emit(
        v, context.delinearize(domain.keptLinear, train::shapeOf(v)));
    emitter.store(x, kernel.result(i), domain.keptLinear);
  }
}

void ReduceKernel::emitRow(llvm::Value *item) {
  ElementEmitter::Scope scope(emitter);
  emitter.bind(domain.kept, item);
  for (Pass &pass : passes) {
    ElementEmitter::Scope passScope(emitter);
    emitRowPass(pass);
  }
  ElementEmitter::Scope keptScope(emitter);
  storeKept();
  for (Operation *op : reductions)
    emitter.withdraw(op->getResult(0));
  for (auto &entry : scratch)
    emitter.withdraw(entry.first);
}

// ---------------------------------------------------------------- columns

// Emits `units` vectors of columns from `first` on; lanes from `limit` (may be
// null) on are left out.
void ReduceKernel::emitColumnUnits(llvm::Value *first, unsigned units,
                                   llvm::Value *limit) {
  unsigned lanes = kernel.lanes();
  int64_t rows = domain.outerReduced->extent;
  bool blocked = rows > columnBlock;
  // Results by reduction and unit; providers look at the unit being emitted.
  llvm::DenseMap<Operation *, SmallVector<llvm::Value *>> known;
  unsigned current = 0;
  auto inUnit = [&](unsigned u,
                    llvm::function_ref<void(llvm::Value *)> action) {
    ElementEmitter::Scope scope(emitter);
    current = u;
    llvm::Value *at =
        u ? ir.CreateNSWAdd(first, kernel.index(u * lanes)) : first;
    emitter.bindLanes(domain.last, at);
    llvm::Value *mask = limit ? kernel.tailMask(at, limit) : nullptr;
    emitter.setMask(mask);
    action(mask);
  };
  // Returns the position of a kept value for the bound row and the unit that is
  // being emitted.
  auto keptPlace = [&]() -> llvm::Value * {
    // The results of a single row have the full shape, too, and are stored
    // after the loop.
    llvm::Value *row =
        rows == 1 ? kernel.index(0)
                  : emitter.scalarIndex(IndexExpr(domain.outerReduced));
    return ir.CreateAdd(ir.CreateMul(row, kernel.index(units * lanes)),
                        kernel.index(current * lanes));
  };
  for (Pass &pass : passes) {
    SmallVector<Accumulator> sums, blocks; // by reduction, then unit
    for (Operation *op : pass.reductions)
      for (unsigned u = 0; u < units; ++u) {
        sums.emplace_back(kernel, op).reset();
        if (blocked)
          blocks.emplace_back(kernel, op);
      }
    SmallVector<Accumulator> &inner = blocked ? blocks : sums;
    auto walk = [&](llvm::Value *from, llvm::Value *to) {
      kernel.loop(from, to, 1, [&](llvm::Value *r) {
        ElementEmitter::Scope scope(emitter);
        emitter.bind(domain.outerReduced, r);
        for (unsigned u = 0; u < units; ++u)
          inUnit(u, [&](llvm::Value *mask) {
            body(
                pass,
                [&](unsigned i) -> Accumulator & {
                  return inner[i * units + u];
                },
                mask);
            storeKeptValues(pass, [&](mlir::Value v, llvm::Value *x) {
              kernel.storeVector(x, scratch[v], keptPlace());
            });
          });
      });
    };
    if (!blocked) {
      walk(kernel.index(0), kernel.index(rows));
    } else {
      kernel.loop(kernel.index(0), kernel.index(rows), columnBlock,
                  [&](llvm::Value *start) {
                    for (Accumulator &a : blocks)
                      a.reset();
                    llvm::Value *stop = ir.CreateBinaryIntrinsic(
                        llvm::Intrinsic::smin, kernel.index(rows),
                        ir.CreateNSWAdd(start, kernel.index(columnBlock)));
                    walk(start, stop);
                    for (auto [sum, block] : llvm::zip(sums, blocks))
                      sum.add(block);
                  });
    }
    for (auto [i, op] : llvm::enumerate(pass.reductions)) {
      for (unsigned u = 0; u < units; ++u)
        known[op].push_back(sums[i * units + u].lanes());
      emitter.provide(op->getResult(0),
                      [&known, &current, op = op](const ElementIndex &) {
                        return known[op][current];
                      });
    }
    for (mlir::Value v : pass.keep)
      emitter.provide(v, [&, v](const ElementIndex &index) -> llvm::Value * {
        if (context.linearize(index, train::shapeOf(v)) != domain.fullLinear)
          return nullptr;
        return kernel.loadVector(scratch[v], keptPlace());
      });
  }
  for (unsigned u = 0; u < units; ++u)
    inUnit(u, [&](llvm::Value *) { storeKept(); });
  for (Operation *op : reductions)
    emitter.withdraw(op->getResult(0));
  for (auto &entry : scratch)
    emitter.withdraw(entry.first);
}

// ---------------------------------------------------------------- kernel

LogicalResult ReduceKernel::emit() {
  scratchOffset = IndexExpr(domain.last);
  if (domain.outerReduced->extent > 1)
    scratchOffset =
        scratchOffset + IndexExpr(domain.outerReduced) * domain.last->extent;
  planScratch();
  double nanoseconds = form.work * codegen::additionNanoseconds;

  if (!domain.column) {
    kernel.info.items = domain.kept->extent;
    kernel.forEachItem([&](llvm::Value *item) { emitRow(item); });
  } else {
    int64_t columns = domain.last->extent, outer = domain.kept->extent;
    int64_t lanes = kernel.lanes();
    // Wide items read whole lines, narrow ones occupy more threads.
    int64_t units = std::min<int64_t>(4, (columns + lanes - 1) / lanes);
    while (units > 1 && (outer * columns / (units * lanes) < 8 ||
                         units * int64_t(reductions.size()) > 8))
      --units;
    int64_t width = units * lanes;
    if (passes.size() > 1)
      planColumnScratch(width);
    int64_t chunks = (columns + width - 1) / width;
    kernel.info.items = outer * chunks;
    kernel.forEachItem([&](llvm::Value *item) {
      ElementEmitter::Scope scope(emitter);
      llvm::Value *chunk = item, *row = kernel.index(0);
      if (outer > 1) {
        row = ir.CreateUDiv(item, kernel.index(chunks));
        chunk = ir.CreateURem(item, kernel.index(chunks));
      }
      emitter.bind(domain.kept, row);
      llvm::Value *first = ir.CreateNSWMul(chunk, kernel.index(width));
      if (columns % width == 0) {
        emitColumnUnits(first, units, nullptr);
        return;
      }
      llvm::Value *limit = kernel.index(columns);
      auto tail = [&] {
        llvm::Value *stop = ir.CreateBinaryIntrinsic(
            llvm::Intrinsic::smin, limit,
            ir.CreateNSWAdd(first, kernel.index(width)));
        kernel.loop(first, stop, lanes, [&](llvm::Value *at) {
          ElementEmitter::Scope tailScope(emitter);
          emitColumnUnits(at, 1, limit);
        });
      };
      if (columns < width) {
        tail();
        return;
      }
      llvm::Value *whole =
          ir.CreateICmpSLE(ir.CreateNSWAdd(first, kernel.index(width)), limit);
      kernel.ifThenElse(
          whole,
          [&] {
            ElementEmitter::Scope wholeScope(emitter);
            emitColumnUnits(first, units, nullptr);
          },
          [&] {
            ElementEmitter::Scope tailScope(emitter);
            tail();
          });
    });
  }
  kernel.info.itemNanoseconds = std::max<uint64_t>(
      1, nanoseconds / std::max<uint64_t>(1, kernel.info.items));
  return success();
}

} // namespace

LogicalResult emitReduceKernel(KernelBuilder &kernel,
                               const codegen::KernelForm &form) {
  return ReduceKernel(kernel, form).emit();
}

} // namespace zcc
