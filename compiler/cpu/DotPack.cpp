// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs any operand into panels that the micro-kernel reads one after the
// other. Vectors run along the dim that is contiguous in memory; if that is the
// contracted one, blocks of lanes x lanes are transposed in registers. Computed
// elements (a prologue) go through a small buffer first, so that their code
// exists once and not once per row.
#include "compiler/codegen/DotMicroKernel.h"
#include "compiler/cpu/DotProduct.h"

#include <numeric>

namespace zcc {

llvm::SmallVector<llvm::Value *>
transposeLanes(llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> rows) {
  unsigned lanes = rows.size();
  llvm::SmallVector<llvm::Value *> in(rows), out(lanes);
  // Step 1: within groups of 128 bits (as the hardware's unpack instructions
  // do), step 2: whole groups. Lane l of a vector is in group l / size.
  unsigned bits = in[0]->getType()->getScalarSizeInBits();
  unsigned size = std::min(std::max(128 / bits, 1u), lanes);
  for (unsigned distance = 1; distance < size; distance *= 2) {
    // Interleaves pieces of `distance` elements of rows r and r + distance.
    llvm::SmallVector<int> low, high;
    for (unsigned group = 0; group < lanes; group += size)
      for (unsigned half = 0; half < 2; ++half)
        for (unsigned i = 0; i < size / 2; i += distance)
          for (unsigned which = 0; which < 2; ++which)
            for (unsigned e = 0; e < distance; ++e)
              (half ? high : low)
                  .push_back(group + half * (size / 2) + i + e + which * lanes);
    for (unsigned r = 0; r < lanes; r += 2 * distance)
      for (unsigned i = 0; i < distance; ++i) {
        llvm::Value *x = in[r + i], *y = in[r + i + distance];
        out[r + i] = b.CreateShuffleVector(x, y, low);
        out[r + i + distance] = b.CreateShuffleVector(x, y, high);
      }
    in = out;
  }
  // Row r of a set of `size` rows now holds one column of each group: which one
  // is the bit reversal of r.
  unsigned log = llvm::Log2_32(size);
  auto reversed = [&](unsigned i) {
    unsigned r = 0;
    for (unsigned bit = 0; bit < log; ++bit)
      r |= ((i >> bit) & 1) << (log - 1 - bit);
    return r;
  };
  for (unsigned set = 0; set < lanes; set += size)
    for (unsigned c = 0; c < size; ++c)
      out[set + c] = in[set + reversed(c)];
  in = out;
  // Vector c of set s holds in group g the elements of rows s at column
  // g * size + c: exchange sets and groups. The even groups of two vectors,
  // then the odd ones, is one instruction.
  for (unsigned distance = size; distance < lanes; distance *= 2) {
    llvm::SmallVector<int> even, odd;
    for (unsigned which = 0; which < 2; ++which)
      for (unsigned group = 0; group < lanes; group += 2 * size)
        for (unsigned e = 0; e < size; ++e) {
          even.push_back(which * lanes + group + e);
          odd.push_back(which * lanes + group + size + e);
        }
    for (unsigned r = 0; r < lanes; ++r)
      if (!(r & distance)) {
        llvm::Value *x = in[r], *y = in[r + distance];
        out[r] = b.CreateShuffleVector(x, y, even);
        out[r + distance] = b.CreateShuffleVector(x, y, odd);
      }
    in = out;
  }
  return in;
}

namespace {

// Reads elements near (free0, step0).
class PackReader {
public:
  PackReader(ElementEmitter &emitter, const ProductOperand &operand,
             llvm::Type *type, llvm::Value *free0, llvm::Value *step0)
      : emitter(emitter), kernel(emitter.kernel), operand(operand), type(type),
        free0(free0), step0(step0), linear(operand.isLinear()) {
    if (!linear)
      return;
    freeStride = operand.offset.coefficientOf(operand.free);
    stepStride = operand.offset.coefficientOf(operand.step);
    ElementEmitter::Scope scope(emitter);
    emitter.bind(operand.free, free0);
    emitter.bind(operand.step, step0);
    near = *operand.buffer;
    near.pointer =
        elementPointer(kernel.ir, kernel.memoryType(near.elementType),
                       near.pointer, emitter.scalarIndex(operand.offset));
  }

  // Reads lanes() elements from (free0 + i, step0 + k) on, along step or free.
  llvm::Value *read(int64_t i, int64_t k, bool alongStep, llvm::Value *mask,
                    bool aligned) {
    llvm::IRBuilder<> &b = kernel.ir;
    if (linear) {
      int64_t offset = i * freeStride + k * stepStride;
      int64_t stride = alongStep ? stepStride : freeStride;
      if (stride == 1)
        return convert(kernel.loadVector(near, b.getInt64(offset), mask));
      if (stride == 0)
        return convert(
            kernel.toLanes(kernel.loadScalar(near, b.getInt64(offset))));
    }
    ElementEmitter::Scope scope(emitter);
    llvm::Value *f = b.CreateAdd(free0, b.getInt64(i)),
                *s = b.CreateAdd(step0, b.getInt64(k));
    if (alongStep) {
      emitter.bind(operand.free, f);
      emitter.bindLanes(operand.step, s, aligned);
    } else {
      emitter.bind(operand.step, s);
      emitter.bindLanes(operand.free, f, aligned);
    }
    if (mask)
      emitter.setMask(mask);
    return convert(kernel.toLanes(operand.emit(emitter)));
  }

private:
  // Converts to the accumulator's type.
  llvm::Value *convert(llvm::Value *v) {
    llvm::IRBuilder<> &b = kernel.ir;
    llvm::Type *to = kernel.vectorize(type, kernel.lanes());
    if (v->getType() == to)
      return v;
    if (type->isFloatingPointTy())
      return b.CreateFPExt(v, to);
    if (operand.elementType.isInteger(1) ||
        operand.elementType.isUnsignedInteger())
      return b.CreateZExtOrTrunc(v, to);
    return b.CreateSExtOrTrunc(v, to);
  }

  ElementEmitter &emitter;
  KernelBuilder &kernel;
  const ProductOperand &operand;
  llvm::Type *type;
  llvm::Value *free0, *step0;
  bool linear;
  int64_t freeStride = 0, stepStride = 0;
  TensorBuffer near;
};

// Stores the first `width` lanes, if there are more.
void storeFirst(llvm::IRBuilderBase &b, llvm::Value *v, unsigned width,
                llvm::Value *to, unsigned bytes) {
  unsigned lanes = cast<llvm::FixedVectorType>(v->getType())->getNumElements();
  if (width < lanes) {
    llvm::SmallVector<int> first(width);
    std::iota(first.begin(), first.end(), 0);
    v = b.CreateShuffleVector(v, first);
  }
  b.CreateAlignedStore(v, to, llvm::Align(bytes));
}

llvm::Value *constantMask(llvm::IRBuilderBase &b, unsigned lanes,
                          unsigned active) {
  llvm::SmallVector<llvm::Constant *> bits;
  for (unsigned i = 0; i < lanes; ++i)
    bits.push_back(b.getInt1(i < active));
  return llvm::ConstantVector::get(bits);
}

} // namespace

static void packAlongFree(ElementEmitter &emitter,
                          const ProductOperand &operand, llvm::Type *type,
                          const PanelShape &shape, llvm::Value *first,
                          llvm::Value *step0, llvm::Value *steps,
                          llvm::Value *panel) {
  KernelBuilder &kernel = emitter.kernel;
  llvm::IRBuilder<> &b = kernel.ir;
  unsigned lanes = kernel.lanes(), bytes = type->getScalarSizeInBits() / 8;
  auto body = [&](llvm::Value *k, unsigned count) {
    PackReader reader(emitter, operand, type, first, b.CreateAdd(step0, k));
    llvm::Value *to =
        elementPointer(b, type, panel, b.CreateMul(k, b.getInt64(shape.width)));
    // All loads come before the stores, so that they need not wait for each
    // other.
    llvm::SmallVector<std::pair<llvm::Value *, int64_t>> stores;
    for (unsigned s = 0; s < count; ++s)
      for (unsigned i = 0; i < shape.width; i += lanes) {
        unsigned active =
            i >= shape.extent ? 0 : std::min(shape.extent - i, lanes);
        llvm::Value *v;
        if (active == 0) {
          v = llvm::Constant::getNullValue(kernel.vectorize(type, lanes));
        } else {
          llvm::Value *mask =
              active < lanes ? constantMask(b, lanes, active) : nullptr;
          v = reader.read(i, s, false, mask, shape.aligned);
          if (mask && shape.zeroFill)
            v = b.CreateSelect(mask, v,
                               llvm::Constant::getNullValue(v->getType()));
        }
        stores.push_back({v, int64_t(s) * shape.width + i});
      }
    for (auto [v, place] : stores)
      storeFirst(b, v, shape.width, elementPointer(b, type, to, place), bytes);
  };
  unsigned unroll = operand.isLinear() ? 4 : 1;
  llvm::Value *whole =
      unroll == 1 ? steps : b.CreateAnd(steps, b.getInt64(-int64_t(unroll)));
  kernel.loop(b.getInt64(0), whole, unroll, [&](llvm::Value *k) {
    ElementEmitter::Scope scope(emitter);
    body(k, unroll);
  });
  if (unroll > 1 && shape.raggedSteps)
    kernel.loop(whole, steps, 1, [&](llvm::Value *k) {
      ElementEmitter::Scope scope(emitter);
      body(k, 1);
    });
}

static void packAlongStep(ElementEmitter &emitter,
                          const ProductOperand &operand, llvm::Type *type,
                          const PanelShape &shape, llvm::Value *first,
                          llvm::Value *step0, llvm::Value *steps,
                          llvm::Value *panel, llvm::Value *staging) {
  KernelBuilder &kernel = emitter.kernel;
  llvm::IRBuilder<> &b = kernel.ir;
  unsigned lanes = kernel.lanes(), bytes = type->getScalarSizeInBits() / 8;
  auto *vector = cast<llvm::VectorType>(kernel.vectorize(type, lanes));
  // Registers are filled directly, or through memory if filling them takes much
  // code.
  bool plain =
      operand.isLinear() && operand.offset.coefficientOf(operand.step) == 1;
  // Returns the transposed lanes x lanes block of free indices from `group` on.
  auto transposed = [&](llvm::Value *k, llvm::Value *mask, llvm::Value *group,
                        unsigned active) {
    llvm::Value *from = b.CreateAdd(first, group),
                *step = b.CreateAdd(step0, k);
    llvm::SmallVector<llvm::Value *> rows(lanes,
                                          llvm::Constant::getNullValue(vector));
    if (plain) {
      PackReader reader(emitter, operand, type, from, step);
      for (unsigned i = 0; i < active; ++i)
        rows[i] = reader.read(i, 0, true, mask, true);
    } else {
      kernel.loop(b.getInt64(0), b.getInt64(active), 1, [&](llvm::Value *i) {
        ElementEmitter::Scope scope(emitter);
        PackReader reader(emitter, operand, type, b.CreateAdd(from, i), step);
        b.CreateAlignedStore(
            reader.read(0, 0, true, mask, true),
            elementPointer(b, type, staging, b.CreateMul(i, b.getInt64(lanes))),
            llvm::Align(bytes));
      });
      for (unsigned i = 0; i < active; ++i)
        rows[i] = b.CreateAlignedLoad(
            vector, elementPointer(b, type, staging, int64_t(i) * lanes),
            llvm::Align(bytes));
    }
    llvm::SmallVector<llvm::Value *> columns = transposeLanes(b, rows);
    llvm::Value *to = elementPointer(
        b, type, panel,
        b.CreateAdd(b.CreateMul(k, b.getInt64(shape.width)), group));
    for (unsigned s = 0; s < lanes; ++s)
      storeFirst(b, columns[s], shape.width,
                 elementPointer(b, type, to, int64_t(s) * shape.width), bytes);
  };
  auto block = [&](llvm::Value *k, llvm::Value *mask) {
    unsigned whole = shape.extent / lanes * lanes;
    kernel.loop(b.getInt64(0), b.getInt64(whole), lanes,
                [&](llvm::Value *group) {
                  ElementEmitter::Scope scope(emitter);
                  transposed(k, mask, group, lanes);
                });
    if (unsigned rest = shape.extent - whole) {
      ElementEmitter::Scope scope(emitter);
      transposed(k, mask, b.getInt64(whole), rest);
    }
  };
  llvm::Value *whole = b.CreateAnd(steps, b.getInt64(-int64_t(lanes)));
  kernel.loop(b.getInt64(0), whole, lanes, [&](llvm::Value *k) {
    ElementEmitter::Scope scope(emitter);
    block(k, nullptr);
  });
  if (shape.raggedSteps)
    kernel.ifThenElse(b.CreateICmpSLT(whole, steps), [&] {
      ElementEmitter::Scope scope(emitter);
      block(whole, kernel.tailMask(whole, steps));
    });
}

// Packs rows as they are, without a transposition.
static void packRows(ElementEmitter &emitter, const ProductOperand &operand,
                     llvm::Type *type, const PanelShape &shape,
                     llvm::Value *first, llvm::Value *step0, llvm::Value *steps,
                     llvm::Value *panel) {
  KernelBuilder &kernel = emitter.kernel;
  llvm::IRBuilder<> &b = kernel.ir;
  unsigned lanes = kernel.lanes(), bytes = type->getScalarSizeInBits() / 8;
  bool plain =
      operand.isLinear() && operand.offset.coefficientOf(operand.step) == 1;
  auto column = [&](llvm::Value *k, llvm::Value *mask) {
    llvm::Value *step = b.CreateAdd(step0, k);
    auto row = [&](PackReader &reader, int64_t i, llvm::Value *to) {
      b.CreateAlignedStore(reader.read(i, 0, true, mask, true), to,
                           llvm::Align(bytes));
    };
    if (plain) {
      PackReader reader(emitter, operand, type, first, step);
      for (unsigned i = 0; i < shape.extent; ++i)
        row(reader, i,
            elementPointer(b, type, panel,
                           b.CreateAdd(k, b.getInt64(i * shape.rowStride))));
      return;
    }
    kernel.loop(
        b.getInt64(0), b.getInt64(shape.extent), 1, [&](llvm::Value *i) {
          ElementEmitter::Scope scope(emitter);
          PackReader reader(emitter, operand, type, b.CreateAdd(first, i),
                            step);
          row(reader, 0,
              elementPointer(
                  b, type, panel,
                  b.CreateAdd(k, b.CreateMul(i, b.getInt64(shape.rowStride)))));
        });
  };
  llvm::Value *whole = b.CreateAnd(steps, b.getInt64(-int64_t(lanes)));
  kernel.loop(b.getInt64(0), whole, lanes, [&](llvm::Value *k) {
    ElementEmitter::Scope scope(emitter);
    column(k, nullptr);
  });
  if (shape.raggedSteps)
    kernel.ifThenElse(b.CreateICmpSLT(whole, steps), [&] {
      ElementEmitter::Scope scope(emitter);
      column(whole, kernel.tailMask(whole, steps));
    });
}

void emitPackPanel(ElementEmitter &emitter, const ProductOperand &operand,
                   llvm::Type *type, const PanelShape &shape,
                   llvm::Value *first, llvm::Value *step0, llvm::Value *steps,
                   llvm::Value *panel, llvm::Value *staging) {
  if (shape.rowStride)
    packRows(emitter, operand, type, shape, first, step0, steps, panel);
  else if (operand.contiguous == ProductOperand::Step)
    packAlongStep(emitter, operand, type, shape, first, step0, steps, panel,
                  staging);
  else
    packAlongFree(emitter, operand, type, shape, first, step0, steps, panel);
}

} // namespace zcc
