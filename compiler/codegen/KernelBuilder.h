// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LLVM function of one kernel while it is built: buffers, loops, vectors,
// loads and stores of train's element types. What targets differ in is virtual:
// how the function is called, which items a call does, where scratch is.
//
// Registers hold a wider form than memory: bf16, f16 and f8E4M3FN as float
// (always a value that the narrow type has: `roundTo` after every op), i1 as i1
// (a byte in memory), other types as themselves. A value is a scalar, or a
// vector of `lanes` elements; a scalar stands for a vector of equal lanes
// (`splat`).
#ifndef ZCC_COMPILER_CODEGEN_KERNELBUILDER_H
#define ZCC_COMPILER_CODEGEN_KERNELBUILDER_H

#include "compiler/backend/Target.h"
#include "llvm/IR/IRBuilder.h"

namespace zcc {

// A tensor in memory, row-major.
struct TensorBuffer {
  llvm::Value *pointer = nullptr;
  mlir::Type elementType;
  // Nothing that the kernel writes overlaps it: loads may be moved.
  bool invariant = false;
};

class KernelBuilder {
public:
  virtual ~KernelBuilder() = default;

  mlir::func::FuncOp func;
  llvm::Function *function = nullptr;
  llvm::IRBuilder<> ir;
  KernelInfo info;

  // ---- what targets differ in
  // Emits `body` for each item (i64) that this call does, of info.items.
  virtual void forEachItem(llvm::function_ref<void(llvm::Value *)> body) = 0;
  // The same; on a GPU a block works on each item, which all its threads go
  // through: what `together` does not share out every one of them does.
  virtual void forEachItemOfTeam(llvm::function_ref<void(llvm::Value *)> body) {
    forEachItem(body);
  }
  // A loop whose iterations are independent, shared out over what works on the
  // item; all are done at its end.
  virtual void together(llvm::Value *lower, llvm::Value *upper, int64_t step,
                        llvm::function_ref<void(llvm::Value *)> body) {
    loop(lower, upper, step, body);
  }
  // Scratch of what works on an item: `bytes` that no other call returned,
  // 64-byte aligned.
  virtual llvm::Value *scratch(uint64_t bytes) = 0;
  // v / divisor, of 0 <= v < bound (i64).
  virtual llvm::Value *divide(llvm::Value *v, int64_t divisor, int64_t bound) {
    return ir.CreateUDiv(v, index(divisor));
  }
  // Of a vector register.
  virtual unsigned vectorBytes() const = 0;
  // Elements of a row of neighbours that one item does: few where items are
  // threads.
  virtual int64_t neighbours(int64_t ofCores) const { return ofCores; }

  // Elements of a vector, of any type: 1 where vectors are not worth it or what
  // works on an item is one of many threads. `vectorize(type, 1)` is the type
  // itself.
  unsigned lanes() const { return numLanes; }
  // Type of vector indices: i32 while every tensor has fewer than 2^31
  // elements.
  llvm::IntegerType *vectorIndexType() const { return vectorIndex; }

  // Buffers of the function's arguments and results. An argument that no result
  // can be put into (its size differs) is invariant.
  const TensorBuffer &argument(unsigned i) const { return arguments[i]; }
  const TensorBuffer &result(unsigned i) const { return results[i]; }

  // ---- types
  llvm::Type *registerType(mlir::Type elementType);
  llvm::Type *memoryType(mlir::Type elementType);
  static unsigned memoryBytes(mlir::Type elementType);
  llvm::Type *vectorize(llvm::Type *type, unsigned count);
  static bool isVector(llvm::Value *v) { return v->getType()->isVectorTy(); }

  // ---- constants
  llvm::Value *index(int64_t value) { return ir.getInt64(value); }
  // `value` as a constant of `type` (scalar or vector, float or integer).
  llvm::Constant *constant(llvm::Type *type, double value);
  llvm::Constant *constantInt(llvm::Type *type, uint64_t value);
  // <0, 1, 2, ...> of the vector index type; 0 for one lane.
  llvm::Constant *laneNumbers(unsigned count);
  // <0, stride, 2 stride, ...> of an integer type, lanes() of them.
  llvm::Constant *laneSteps(llvm::Type *type, int64_t stride = 1);

  // ---- control flow
  // for (i = lower; i < upper; i += step) body(i); all i64.
  void loop(llvm::Value *lower, llvm::Value *upper, int64_t step,
            llvm::function_ref<void(llvm::Value *)> body);
  void ifThenElse(llvm::Value *condition, llvm::function_ref<void()> then,
                  llvm::function_ref<void()> otherwise = {});
  // A mutable variable, put into registers by mem2reg: use ir.CreateLoad/Store.
  llvm::AllocaInst *variable(llvm::Type *type, llvm::Value *initial = nullptr);
  llvm::Value *get(llvm::AllocaInst *v) {
    return ir.CreateLoad(v->getAllocatedType(), v);
  }
  void set(llvm::AllocaInst *v, llvm::Value *value) {
    ir.CreateStore(value, v);
  }

  // ---- vectors
  llvm::Value *splat(llvm::Value *v, unsigned count);
  // `v` as a vector of lanes() elements.
  llvm::Value *toLanes(llvm::Value *v) { return splat(v, numLanes); }
  // Makes scalars vectors if one of `values` is a vector.
  void unify(llvm::MutableArrayRef<llvm::Value *> values);
  // Lanes i with base + i < limit (i64), lanes() of them; never a constant.
  llvm::Value *tailMask(llvm::Value *base, llvm::Value *limit);

  // ---- memory; `offset` is in elements (i64 scalar)
  llvm::Value *loadScalar(const TensorBuffer &buffer, llvm::Value *offset);
  // lanes() consecutive elements; those that `mask` (may be null) leaves out
  // are not touched and read as 0. `whole`: the offset is a multiple of
  // lanes().
  llvm::Value *loadVector(const TensorBuffer &buffer, llvm::Value *offset,
                          llvm::Value *mask = nullptr, bool whole = false);
  // Element offsets by lane, of the vector index type or i64.
  virtual llvm::Value *gather(const TensorBuffer &buffer, llvm::Value *offsets,
                              llvm::Value *mask = nullptr);
  void storeScalar(llvm::Value *value, const TensorBuffer &buffer,
                   llvm::Value *offset);
  void storeVector(llvm::Value *value, const TensorBuffer &buffer,
                   llvm::Value *offset, llvm::Value *mask = nullptr,
                   bool whole = false);
  void scatterStore(llvm::Value *value, const TensorBuffer &buffer,
                    llvm::Value *offsets, llvm::Value *mask = nullptr);
  // Between the memory and the register form.
  llvm::Value *widen(llvm::Value *memory, mlir::Type elementType);
  llvm::Value *narrow(llvm::Value *value, mlir::Type elementType);

  // ---- arithmetic
  // Rounds a float to bf16, f16 or f8E4M3FN (nearest, ties to even; the last
  // saturates) where that is the element type; else returns it.
  llvm::Value *roundTo(mlir::Type elementType, llvm::Value *value);
  llvm::Value *fma(llvm::Value *a, llvm::Value *b, llvm::Value *c);
  llvm::Value *select(llvm::Value *mask, llvm::Value *a, llvm::Value *b);
  llvm::Value *bitcast(llvm::Value *v, llvm::Type *element);
  // NaN if either is (as train.maximum, train.minimum).
  llvm::Value *maximum(llvm::Value *a, llvm::Value *b);
  llvm::Value *minimum(llvm::Value *a, llvm::Value *b);

protected:
  KernelBuilder(llvm::Module &module, mlir::func::FuncOp func, unsigned lanes);
  // Where a buffer is: by its number, arguments first.
  void setBuffers(llvm::function_ref<llvm::Value *(unsigned)> pointer);
  // What is known of the address of lanes() elements, where they begin at a
  // multiple of lanes().
  virtual unsigned wholeAlignment(unsigned elementBytes) const {
    return elementBytes;
  }
  // A number that LLVM must not come to know.
  virtual llvm::Value *hidden(llvm::Value *v) { return v; }
  unsigned numLanes;

private:
  // What is loaded where `mask` (of one lane) holds, else 0.
  llvm::Value *ifLane(llvm::Value *mask,
                      llvm::function_ref<llvm::Value *()> load);
  // f8E4M3FN: a float to its nearest code, in 32 bits, and back.
  llvm::Value *encodeF8(llvm::Value *value);
  llvm::Value *decodeF8(llvm::Value *code);
  llvm::Value *address(const TensorBuffer &buffer, llvm::Value *offset);
  llvm::IntegerType *vectorIndex;
  llvm::SmallVector<TensorBuffer> arguments, results;
};

} // namespace zcc

#endif
