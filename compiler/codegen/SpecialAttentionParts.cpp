// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the attention kernels: copies between operands and scratch matrices,
// products of scratch matrices, masks.
#include "compiler/codegen/DotMicroKernel.h"
#include "compiler/codegen/ElementWalk.h"
#include "compiler/codegen/KernelForm.h"
#include "compiler/codegen/SpecialAttention.h"

using namespace mlir;

namespace zcc {

using V = llvm::Value *;

AttentionKernel::AttentionKernel(KernelBuilder &kernel, Operation *op)
    : kernel(kernel), op(op), ir(kernel.ir), a(train::Attention::of(op)),
      f32(ir.getFloatTy()), lanes(kernel.lanes()) {
  vector = kernel.vectorize(f32, lanes);
  paddedKeys = llvm::alignTo(a.keys, rowPadding);
  paddedDepth = padded(a.depth);
  paddedValueDepth = padded(a.valueDepth);
  anyKey = static_cast<bool>(a.mask);
  // There are as many accumulators as fit into registers besides a step's
  // operands.
  bool wide = kernel.vectorBytes() == 64;
  tileRows = lanes == 1 ? 4 : wide ? 8 : 6;
  tileVectors = wide ? 3 : 2;
  auto origin = [&](mlir::Value v) -> V {
    if (!v)
      return number(0);
    Tensor tensor = operand(v);
    return ir.CreateSExt(
        kernel.loadScalar(tensor.buffer, number(tensor.offset)),
        ir.getInt64Ty());
  };
  shift = a.isFolded() ? number(0)
                       : sub(origin(a.queryOrigin), origin(a.keyOrigin));
  keyCount = number(a.keys);
  firstKey = number(0);
  if (a.kept) {
    keptIndex = std::make_unique<KeptIndex>();
    KeptIndex &k = *keptIndex;
    k.batch = k.context.loopVar(a.batches());
    k.head = k.context.loopVar(a.heads);
    k.query = k.context.loopVar(a.queries);
    k.key = k.context.loopVar(a.keys);
    k.index = codegen::scoreIndex(k.context, a, a.kept, k.batch, k.head,
                                  k.query, k.key);
    k.emitter = std::make_unique<ElementEmitter>(kernel, k.context);
    keptNanoseconds = codegen::additionNanoseconds *
                      static_cast<double>(
                          kernel.func.getBody().front().getOperations().size());
  }
  if (!a.block)
    return;
  V block = origin(a.block);
  firstKey = times(block, a.keys);
  if (a.isFolded()) {
    int64_t half = a.keys / 2;
    Tensor origins = operand(a.queryOrigin);
    for (int64_t i = 0; i < 2; ++i)
      queryStart[i] = sub(
          ir.CreateSExt(kernel.loadScalar(origins.buffer,
                                          number(origins.offset +
                                                 i * origins.strides.front())),
                        ir.getInt64Ty()),
          number(i * half));
    keyStart[0] = times(block, half);
    keyStart[1] = sub(number(a.allKeys - 2 * half), keyStart[0]);
    return; // no block is short
  }
  shift = sub(shift, firstKey);
  // The last blocks may be short or empty.
  keyCount =
      smaller(keyCount, larger(sub(number(a.allKeys), firstKey), number(0)));
}

AttentionKernel::Tensor AttentionKernel::operand(mlir::Value v) {
  std::optional<train::StridedView> view = train::getStridedView(
      v, [](mlir::Value v) { return !isa<BlockArgument>(v); });
  auto argument = cast<BlockArgument>(view->base); // classifyKernel has checked
  return {kernel.argument(argument.getArgNumber()), view->offset,
          view->strides};
}

SmallVector<AttentionKernel::Tensor, 1> AttentionKernel::results(unsigned i) {
  SmallVector<Tensor, 1> tensors;
  Operation *end = kernel.func.getBody().front().getTerminator();
  for (auto [k, output] : llvm::enumerate(end->getOperands())) {
    auto placed =
        *train::placeResults(op, output, [](mlir::Value) { return true; });
    for (const train::PlacedResult &own : placed)
      if (own.number == i)
        tensors.push_back(
            {kernel.result(k), own.view.offset, own.view.strides});
  }
  return tensors;
}

V AttentionKernel::takeDim(V &item, int64_t extent) {
  V index = extent == 1 ? number(0) : ir.CreateURem(item, number(extent));
  if (extent != 1)
    item = ir.CreateUDiv(item, number(extent));
  return index;
}

V AttentionKernel::place(const Tensor &tensor, V batch, ArrayRef<V> at) {
  V offset = number(tensor.offset);
  for (size_t d = a.batch.size(); d-- > 0;) {
    V index = d == 0 ? batch : takeDim(batch, a.batch[d]);
    if (tensor.strides[d] && a.batch[d] != 1)
      offset = add(offset, times(index, tensor.strides[d]));
  }
  for (auto [k, index] : llvm::enumerate(at))
    if (int64_t stride = tensor.strides[a.batch.size() + k])
      offset = add(offset, times(index, stride));
  return offset;
}

// ---------------------------------------------------------------- matrices

void AttentionKernel::zeroRows(V matrix, int64_t columns, V first, V limit) {
  kernel.together(times(first, columns), times(limit, columns), lanes,
                  [&](V i) { storeLanes(floats(0), element(matrix, i)); });
}

void AttentionKernel::copyRows(V matrix, int64_t columns, const Tensor &tensor,
                               int64_t n, V batch, V head, V first, V limit,
                               V factor, V factors) {
  int64_t inner = tensor.strides.back();
  if (lanes == 1) {
    V count = sub(limit, first);
    forEachElement(count, columns, [&](V row, V column) {
      V from = place(tensor, batch, {add(first, row), head});
      V x = kernel.loadScalar(tensor.buffer, add(from, times(column, inner)));
      if (factors)
        x = ir.CreateFMul(x, loadLanes(element(factors, row)));
      else if (factor)
        x = ir.CreateFMul(x, factor);
      storeLanes(x, element(rowOf(matrix, row, columns), column));
    });
    return zeroRows(matrix, columns, count, roundUp(count, rowPadding));
  }
  kernel.loop(first, limit, 1, [&](V row) {
    V from = place(tensor, batch, {row, head});
    V to = rowOf(matrix, sub(row, first), columns), by = factor;
    if (factors)
      by = kernel.toLanes(ir.CreateAlignedLoad(
          f32, element(factors, sub(row, first)), llvm::Align(4)));
    auto copy = [&](V column, bool whole) {
      V mask = whole ? nullptr : kernel.tailMask(column, number(n));
      V offset = add(from, times(column, inner)), x;
      if (inner == 1) {
        x = kernel.loadVector(tensor.buffer, offset, mask);
      } else {
        llvm::Type *type = kernel.vectorize(kernel.vectorIndexType(), lanes);
        V steps = ir.CreateMul(kernel.laneNumbers(lanes),
                               llvm::ConstantInt::get(type, inner));
        V start = kernel.toLanes(
            ir.CreateSExtOrTrunc(offset, kernel.vectorIndexType()));
        x = kernel.gather(tensor.buffer, ir.CreateAdd(start, steps), mask);
      }
      if (by)
        x = ir.CreateFMul(x, by);
      storeLanes(x, element(to, column));
    };
    int64_t whole = n / lanes * lanes;
    for (int64_t c = 0; c < whole; c += lanes)
      copy(number(c), true);
    if (whole != n)
      copy(number(whole), false);
  });
  V count = sub(limit, first);
  zeroRows(matrix, columns, count, roundUp(count, rowPadding));
}

void AttentionKernel::transposeBlock(V to, V matrix, int64_t columns) {
  if (lanes == 1)
    return forEachElement(number(queryBlock), columns, [&](V row, V column) {
      storeLanes(loadLanes(element(rowOf(matrix, row, columns), column)),
                 element(rowOf(to, column, queryBlock), row));
    });
  // Each round interleaves rows i and i + half; after log2(lanes) rounds rows
  // have become columns.
  SmallVector<int> low, high;
  for (int i = 0; i < lanes; ++i) {
    low.push_back(i / 2 + (i % 2) * lanes);
    high.push_back(i / 2 + lanes / 2 + (i % 2) * lanes);
  }
  kernel.loop(number(0), number(queryBlock), lanes, [&](V row) {
    kernel.loop(number(0), number(columns), lanes, [&](V column) {
      SmallVector<V> rows;
      for (int64_t i = 0; i < lanes; ++i)
        rows.push_back(loadLanes(
            element(rowOf(matrix, add(row, number(i)), columns), column)));
      for (int64_t round = 1; round < lanes; round *= 2) {
        SmallVector<V> next;
        for (int64_t i = 0; i < lanes / 2; ++i)
          for (ArrayRef<int> order : {ArrayRef<int>(low), ArrayRef<int>(high)})
            next.push_back(
                ir.CreateShuffleVector(rows[i], rows[i + lanes / 2], order));
        rows = next;
      }
      for (int64_t i = 0; i < lanes; ++i)
        storeLanes(rows[i],
                   element(rowOf(to, add(column, number(i)), queryBlock), row));
    });
  });
}

void AttentionKernel::storeRows(ArrayRef<Tensor> tensors, V matrix,
                                int64_t columns, int64_t n, V batch, V head,
                                V first, V count, V factors, V factor,
                                const Tensor *before) {
  if (lanes == 1)
    return forEachElement(count, n, [&](V row, V column) {
      V x = loadLanes(element(rowOf(matrix, row, columns), column));
      if (factors)
        x = ir.CreateFMul(x, loadLanes(element(factors, row)));
      else if (factor)
        x = ir.CreateFMul(x, factor);
      auto at = [&](const Tensor &tensor) {
        return add(place(tensor, batch, {add(first, row), head}), column);
      };
      if (before)
        x = ir.CreateFAdd(kernel.loadScalar(before->buffer, at(*before)), x);
      for (const Tensor &tensor : tensors)
        kernel.storeScalar(kernel.roundTo(tensor.buffer.elementType, x),
                           tensor.buffer, at(tensor));
    });
  kernel.loop(number(0), count, 1, [&](V row) {
    V from = rowOf(matrix, row, columns), by = factor;
    if (factors)
      by = kernel.toLanes(
          ir.CreateAlignedLoad(f32, element(factors, row), llvm::Align(4)));
    for (const Tensor &tensor : tensors) {
      V to = place(tensor, batch, {add(first, row), head});
      for (int64_t c = 0; c < n; c += lanes) {
        V x = loadLanes(element(from, number(c)));
        if (by)
          x = ir.CreateFMul(x, by);
        V mask =
            c + lanes <= n ? nullptr : kernel.tailMask(number(c), number(n));
        if (before) // its last dim has unit stride, like that of the result
          x = ir.CreateFAdd(
              kernel.loadVector(
                  before->buffer,
                  add(place(*before, batch, {add(first, row), head}),
                      number(c)),
                  mask),
              x);
        kernel.storeVector(kernel.roundTo(tensor.buffer.elementType, x),
                           tensor.buffer, add(to, number(c)), mask);
      }
    }
  });
}

void AttentionKernel::loadRow(V to, const Tensor &tensor, V batch, V head,
                              V first, V count) {
  kernel.together(number(0), count, 1, [&](V i) {
    ir.CreateAlignedStore(
        kernel.loadScalar(tensor.buffer,
                          place(tensor, batch, {add(first, i), head})),
        element(to, i), llvm::Align(4));
  });
}

void AttentionKernel::storeRow(ArrayRef<Tensor> tensors, V from, V batch,
                               V head, V first, V count) {
  kernel.together(number(0), count, 1, [&](V i) {
    V x = ir.CreateAlignedLoad(f32, element(from, i), llvm::Align(4));
    for (const Tensor &tensor : tensors)
      kernel.storeScalar(x, tensor.buffer,
                         place(tensor, batch, {add(first, i), head}));
  });
}

// ---------------------------------------------------------------- products

llvm::Function *AttentionKernel::tile(const Product &p) {
  llvm::Function *&f = tiles[{p.name, p.columns}];
  if (f)
    return f;
  llvm::LLVMContext &context = ir.getContext();
  llvm::Type *pointer = ir.getPtrTy(), *i64 = ir.getInt64Ty();
  f = llvm::Function::Create(
      llvm::FunctionType::get(
          ir.getVoidTy(), {pointer, pointer, pointer, i64, i64, ir.getInt1Ty()},
          false),
      llvm::Function::InternalLinkage,
      kernel.function->getName() + "." + p.name + llvm::Twine(p.columns),
      kernel.function->getParent());
  f->addFnAttrs(llvm::AttrBuilder(
      context, kernel.function->getAttributes().getFnAttrs()));
  f->addFnAttr(llvm::Attribute::NoInline);
  for (unsigned i = 0; i < 3; ++i)
    f->addParamAttr(i, llvm::Attribute::NoAlias);
  V left = f->getArg(0), right = f->getArg(1), out = f->getArg(2);
  V rows = f->getArg(3), steps = f->getArg(4), accumulate = f->getArg(5);

  llvm::IRBuilder<> b(context);
  auto *entry = llvm::BasicBlock::Create(context, "entry", f);
  auto *body = llvm::BasicBlock::Create(context, "rows", f);
  b.SetInsertPoint(entry);
  b.CreateBr(body);
  b.SetInsertPoint(body);
  llvm::PHINode *row = b.CreatePHI(i64, 2);
  row->addIncoming(b.getInt64(0), entry);
  V from = b.CreateGEP(f32, left, b.CreateMul(row, b.getInt64(p.aRow)));
  V to = b.CreateGEP(f32, out, b.CreateMul(row, b.getInt64(p.cRow)));
  int64_t vectors = p.columns / lanes;
  int64_t parts = llvm::divideCeil(vectors, tileVectors);
  for (int64_t part = 0, column = 0; part < parts; ++part) {
    MicroKernel micro;
    micro.type = f32;
    micro.rows = tileRows;
    micro.lanes = lanes;
    micro.columns =
        (vectors * (part + 1) / parts - vectors * part / parts) * lanes;
    micro.aRow = p.aRow;
    micro.aStep = p.aStep;
    micro.bStep = p.bStep;
    SmallVector<V> sums =
        emitMicroKernel(b, micro, from, elementPointer(b, f32, right, column),
                        steps, nullptr, {});
    auto *plain = llvm::BasicBlock::Create(context, "plain", f);
    auto *added = llvm::BasicBlock::Create(context, "added", f);
    auto *stored = llvm::BasicBlock::Create(context, "stored", f);
    b.CreateCondBr(accumulate, added, plain);
    for (llvm::BasicBlock *block : {plain, added}) {
      b.SetInsertPoint(block);
      for (auto [i, sum] : llvm::enumerate(sums)) {
        int64_t r = i / micro.vectors(), v = i % micro.vectors();
        V at = elementPointer(b, f32, to, r * p.cRow + column + v * lanes);
        V x = sum;
        if (block == added)
          x = b.CreateFAdd(b.CreateAlignedLoad(vector, at, llvm::Align(4)), x);
        b.CreateAlignedStore(x, at, llvm::Align(4));
      }
      b.CreateBr(stored);
    }
    b.SetInsertPoint(stored);
    column += micro.columns;
  }
  V next = b.CreateAdd(row, b.getInt64(tileRows));
  row->addIncoming(next, b.GetInsertBlock());
  auto *done = llvm::BasicBlock::Create(context, "done", f);
  b.CreateCondBr(b.CreateICmpSLT(next, rows), body, done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return f;
}

// Multiplies with one thread per `tileRows` rows of a column.
void AttentionKernel::multiplyByElements(const Product &p, V left, V right,
                                         V out, V rows, V steps, V accumulate) {
  V tiles = ir.CreateSDiv(rows, number(tileRows));
  forEachElement(tiles, p.columns, [&](V tile, V column) {
    V row = times(tile, tileRows);
    V at = element(rowOf(out, row, p.cRow), column);
    V from = element(left, times(row, p.aRow)), to = element(right, column);
    SmallVector<llvm::AllocaInst *> totals, sums;
    for (int64_t r = 0; r < tileRows; ++r) {
      totals.push_back(kernel.variable(f32, floats(0)));
      sums.push_back(kernel.variable(f32));
    }
    auto place = [&](int64_t r) { return element(at, number(r * p.cRow)); };
    kernel.ifThenElse(accumulate, [&] {
      for (int64_t r = 0; r < tileRows; ++r)
        kernel.set(totals[r], loadLanes(place(r)));
    });
    kernel.loop(number(0), steps, chain, [&](V start) {
      for (llvm::AllocaInst *sum : sums)
        kernel.set(sum, floats(0));
      V end = smaller(add(start, number(chain)), steps);
      kernel.loop(start, end, 1, [&](V step) {
        V x = loadLanes(element(to, times(step, p.bStep)));
        V own = element(from, times(step, p.aStep));
        for (int64_t r = 0; r < tileRows; ++r)
          kernel.set(sums[r],
                     kernel.fma(loadLanes(element(own, number(r * p.aRow))), x,
                                kernel.get(sums[r])));
      });
      // The first sum is stored as it is, so that -0 is kept.
      V isFirst = ir.CreateAnd(ir.CreateICmpEQ(start, number(0)),
                               ir.CreateNot(accumulate));
      for (auto [total, sum] : llvm::zip(totals, sums)) {
        V more = ir.CreateFAdd(kernel.get(total), kernel.get(sum));
        kernel.set(total, ir.CreateSelect(isFirst, kernel.get(sum), more));
      }
    });
    kernel.ifThenElse(ir.CreateICmpSGT(steps, number(0)), [&] {
      for (int64_t r = 0; r < tileRows; ++r)
        storeLanes(kernel.get(totals[r]), place(r));
    });
  });
}

void AttentionKernel::multiply(const Product &p, V left, V right, V out, V rows,
                               V steps, V accumulate) {
  if (lanes == 1)
    return multiplyByElements(p, left, right, out, rows, steps, accumulate);
  // The sum has chains of at most 256 steps, added in order.
  kernel.loop(number(0), steps, chain, [&](V step) {
    V more = ir.CreateOr(accumulate, ir.CreateICmpNE(step, number(0)));
    ir.CreateCall(tile(p), {element(left, times(step, p.aStep)),
                            element(right, times(step, p.bStep)), out, rows,
                            smaller(sub(steps, step), number(chain)), more});
  });
}

void AttentionKernel::multiplyScores(const char *name, V keys, int64_t depth,
                                     V queries, V out, V rows, V count) {
  Product p{padded(depth), 1, queryBlock, queryBlock, queryBlock, name};
  int64_t rest = padded(a.queries % queryBlock);
  auto run = [&](int64_t columns) {
    p.columns = columns;
    multiply(p, keys, queries, out, rows, number(depth), ir.getFalse());
  };
  if (rest == 0)
    return run(queryBlock);
  if (a.queries < queryBlock)
    return run(rest);
  kernel.ifThenElse(
      ir.CreateICmpEQ(count, number(queryBlock)), [&] { run(queryBlock); },
      [&] { run(rest); });
}

// ---------------------------------------------------------------- masks

V AttentionKernel::placed(V index, ArrayRef<V> starts) {
  V isSecond = ir.CreateICmpSGE(index, number(a.keys / 2));
  return add(index, ir.CreateSelect(isSecond, starts[1], starts[0]));
}

V AttentionKernel::positionOf(V query) {
  return a.isFolded() ? placed(query, queryStart) : add(query, shift);
}

V AttentionKernel::keysBefore(V position) {
  if (!a.isFolded())
    return smaller(larger(position, number(0)), keyCount);
  // The keys of both stripes count; the second begins where the first has
  // ended, or later.
  auto within = [&](V x) {
    return smaller(larger(x, number(0)), number(a.keys / 2));
  };
  return add(within(sub(position, keyStart[0])),
             within(sub(position, add(keyStart[1], number(a.keys / 2)))));
}

AttentionKernel::KeyRange AttentionKernel::keyRange(V query, V count) {
  KeyRange r{number(0), number(paddedKeys), number(0), keyCount};
  if (a.block)
    r.high = roundUp(keyCount, rowPadding);
  if (anyKey)
    return r;
  V first = positionOf(query),
    last = positionOf(sub(add(query, count), number(1)));
  if (a.before) {
    r.low = roundDown(keysBefore(sub(first, number(*a.before))), rowPadding);
    r.allLow = keysBefore(sub(last, number(*a.before)));
  }
  if (a.after) {
    r.high = roundUp(keysBefore(add(last, number(*a.after + 1))), rowPadding);
    r.allHigh = keysBefore(add(first, number(*a.after + 1)));
  }
  return r;
}

V AttentionKernel::seenByBand(V key, V query) {
  llvm::Type *i32 = kernel.vectorize(ir.getInt32Ty(), lanes);
  // The difference is the key minus the query, by lane.
  V from = a.isFolded() ? query : add(query, shift),
    to = a.isFolded() ? placed(key, keyStart) : key;
  V difference = ir.CreateTrunc(sub(to, from), ir.getInt32Ty());
  V steps = kernel.laneSteps(ir.getInt32Ty());
  V distance = ir.CreateSub(kernel.toLanes(difference), steps);
  if (a.isFolded()) {
    auto lanesOf = [&](V x) {
      return kernel.toLanes(ir.CreateTrunc(x, ir.getInt32Ty()));
    };
    V isSecond =
        ir.CreateICmpSGE(ir.CreateAdd(lanesOf(query), steps),
                         llvm::ConstantInt::get(i32, a.queries / 2, true));
    distance =
        ir.CreateSub(distance, ir.CreateSelect(isSecond, lanesOf(queryStart[1]),
                                               lanesOf(queryStart[0])));
  }
  V seen = nullptr;
  auto both = [&](V x) { seen = seen ? ir.CreateAnd(seen, x) : x; };
  if (a.after)
    both(ir.CreateICmpSLE(distance,
                          llvm::ConstantInt::get(i32, *a.after, true)));
  if (a.before)
    both(ir.CreateICmpSGE(distance,
                          llvm::ConstantInt::get(i32, -*a.before, true)));
  return seen;
}

void AttentionKernel::finishScores(V scores, V low, V high,
                                   const KeyRange &range, V batch, V head,
                                   V query, V count) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto change = [&](V from, V to, llvm::function_ref<V(V, V, V)> body) {
    if (lanes == 1)
      return forEachElement(
          larger(sub(to, from), number(0)), queryBlock, [&](V row, V i) {
            V key = add(from, row);
            V at = element(rowOf(scores, sub(key, low), queryBlock), i);
            kernel.ifThenElse(ir.CreateICmpSLT(i, count), [&] {
              storeLanes(body(loadLanes(at), key, i), at);
            });
          });
    kernel.loop(from, to, 1, [&](V key) {
      V row = rowOf(scores, sub(key, low), queryBlock);
      kernel.loop(number(0), count, lanes, [&](V i) {
        V at = element(row, i);
        storeLanes(body(loadLanes(at), key, i), at);
      });
    });
  };
  V keys = smaller(high, keyCount);
  auto hide = [&](V, V, V) { return floats(-infinity); };
  if (paddedKeys != a.keys || a.block)
    change(larger(low, keyCount), high, hide);
  if (!a.bias && !a.mask) {
    // The band is applied only if some query of the block does not see the key.
    auto band = [&](V score, V key, V i) {
      return ir.CreateSelect(seenByBand(key, add(query, i)), score,
                             floats(-infinity));
    };
    if (a.before)
      change(low, smaller(keys, range.allLow), band);
    if (a.after)
      change(larger(low, range.allHigh), keys, band);
    return;
  }
  change(low, keys, [&](V score, V key, V i) {
    return finishScore(score, key, i, batch, head, query, count);
  });
}

V AttentionKernel::finishScore(V score, V key, V i, V batch, V head, V query,
                               V count) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::optional<Tensor> bias, mask;
  if (a.bias)
    bias = operand(a.bias);
  if (a.mask)
    mask = operand(a.mask);
  // Elements of consecutive queries.
  auto load = [&](const Tensor &tensor) {
    V offset = place(tensor, batch, {head, add(query, i), add(firstKey, key)});
    int64_t stride = tensor.strides[a.batch.size() + 1];
    if (stride == 0)
      return kernel.toLanes(kernel.loadScalar(tensor.buffer, offset));
    llvm::Type *type = kernel.vectorize(kernel.vectorIndexType(), lanes);
    V start =
        kernel.toLanes(ir.CreateSExtOrTrunc(offset, kernel.vectorIndexType()));
    V steps = ir.CreateMul(kernel.laneNumbers(lanes),
                           llvm::ConstantInt::get(type, stride));
    return kernel.gather(tensor.buffer, ir.CreateAdd(start, steps),
                         kernel.tailMask(i, count));
  };
  if (bias)
    score = ir.CreateFAdd(score, load(*bias));
  V seen = a.hasBand() ? seenByBand(key, add(query, i)) : nullptr;
  if (mask) {
    V holds = load(*mask);
    seen = seen ? ir.CreateAnd(seen, holds) : holds;
  }
  return seen
             ? ir.CreateSelect(seen, score, floats(anyKey ? a.fill : -infinity))
             : score;
}

// ---------------------------------------------------------------- dropout

V AttentionKernel::keptLanes(const ScoreBlock &block, V row, V column) {
  if (!keptIndex)
    return nullptr;
  KeptIndex &k = *keptIndex;
  ElementEmitter::Scope scope(*k.emitter);
  k.emitter->bind(k.batch, block.batch);
  k.emitter->bind(k.head, block.head);
  // Rows of padding have no weight, so any key will do.
  k.emitter->bind(k.key, smaller(add(block.low, row), number(a.keys - 1)));
  // Blocks, and the vectors in them, begin at multiples of the lanes.
  k.emitter->bindLanes(k.query, add(block.query, column));
  if (a.queries % lanes != 0)
    k.emitter->setMask(kernel.tailMask(column, block.count));
  return kernel.toLanes(k.emitter->emit(a.kept, k.index));
}

LogicalResult emitAttentionKernel(KernelBuilder &kernel, Operation *op) {
  return isa<train::AttentionOp, train::AttentionBlockOp>(op)
             ? emitAttention(kernel, op)
             : emitAttentionGradient(kernel, op);
}

} // namespace zcc
