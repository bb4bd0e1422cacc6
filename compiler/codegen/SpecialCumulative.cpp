// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits cumulative ops. The operand is [outer, n, inner], where n is the
// cumulative dim. With inner > 1 an item is a vector of inner elements, else a
// line. An item loads a group of elements along n before it adds the first one:
// the loads do not depend on the sum, so that a GPU waits for memory once for
// each group. Sums are added in order whatever the size of a group is.
#include "compiler/codegen/SingleOpKernel.h"

namespace zcc {

void emitCumulative(SingleOpKernel &s, train::CumulativeOp op) {
  KernelBuilder &k = s.kernel;
  mlir::Type type = s.sources[0].type.getElementType();
  llvm::ArrayRef<int64_t> shape = s.sources[0].type.getShape();
  int64_t dim = op.getDim(), n = shape[dim], outer = 1, inner = 1;
  for (auto [d, extent] : llvm::enumerate(shape))
    (static_cast<int64_t>(d) < dim ? outer : inner) *=
        static_cast<int64_t>(d) == dim ? 1 : extent;
  bool vector = inner > 1;
  unsigned width = vector ? k.lanes() : 1;
  int64_t chunks = llvm::divideCeil(inner, width);
  llvm::AllocaInst *sum = k.variable(k.vectorize(k.registerType(type), width));

  s.items(outer * chunks, n * (vector ? 2.0 : 1.5), [&](llvm::Value *item) {
    llvm::Value *column = s.times(s.remainder(item, chunks), width);
    llvm::Value *base =
        s.plus(s.times(s.quotient(item, chunks), n * inner), column);
    llvm::Value *mask = vector ? s.tail(column, inner) : nullptr;
    k.set(sum, s.identity(op.getKind(), type, width));
    auto addGroup = [&](llvm::Value *first, int64_t count) {
      llvm::SmallVector<llvm::Value *> offsets, elements;
      for (int64_t j = 0; j < count; ++j) {
        llvm::Value *i = s.plus(first, j);
        if (op.getReverse())
          i = s.ir.CreateNSWSub(s.ir.getInt64(n - 1), i);
        offsets.push_back(s.plus(base, s.times(i, inner)));
        elements.push_back(s.load(s.sources[0], offsets.back(), vector, mask));
      }
      for (auto [offset, x] : llvm::zip(offsets, elements)) {
        llvm::Value *next = s.combine(op.getKind(), type, k.get(sum), x);
        k.set(sum, next);
        s.store(next, 0, offset, vector, mask);
      }
    };
    int64_t group = k.loadsAhead(), rest = n % group;
    if (n >= group)
      s.loop(n / group, [&](llvm::Value *number) {
        addGroup(s.times(number, group), group);
      });
    if (rest)
      addGroup(k.index(n - rest), rest);
  });
}

} // namespace zcc
