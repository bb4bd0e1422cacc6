// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the LLVM function of one kernel: buffers, loops, vectors, loads and
// stores of train's element types. The virtual functions are those in which
// targets differ: how the kernel is called, which items a call does, where
// scratch is.
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
  // True if the kernel writes nothing that overlaps it, so that loads may be
  // moved.
  bool invariant = false;
};

class KernelBuilder {
public:
  virtual ~KernelBuilder() = default;

  mlir::func::FuncOp func;
  llvm::Function *function = nullptr;
  llvm::IRBuilder<> ir;
  KernelInfo info;

  // ---- differences between targets
  // Emits `body` for each item (i64) of info.items that this call does.
  virtual void forEachItem(llvm::function_ref<void(llvm::Value *)> body) = 0;
  // The same, but on a GPU a block works on each item. All its threads execute
  // the body; all of them do the parts that are not inside together().
  virtual void forEachItemOfTeam(llvm::function_ref<void(llvm::Value *)> body) {
    forEachItem(body);
  }
  // The same, for items that take long, such as a walk along a line: on a GPU
  // they occupy as many multiprocessors as there are warps, if they are few.
  virtual void forEachLongItem(llvm::function_ref<void(llvm::Value *)> body) {
    forEachItem(body);
  }
  // Emits a loop whose iterations are independent and are distributed over the
  // threads that work on the item. All iterations are done when it ends.
  virtual void together(llvm::Value *lower, llvm::Value *upper, int64_t step,
                        llvm::function_ref<void(llvm::Value *)> body) {
    loop(lower, upper, step, body);
  }
  // Returns `bytes` of scratch for the worker of an item, which no other call
  // returned, 64-byte aligned.
  virtual llvm::Value *scratch(uint64_t bytes) = 0;
  // Returns v / divisor for 0 <= v < bound (i64).
  virtual llvm::Value *divide(llvm::Value *v, int64_t divisor, int64_t bound) {
    return ir.CreateUDiv(v, index(divisor));
  }
  // Returns the bytes of a vector register.
  virtual unsigned vectorBytes() const = 0;
  // Returns the number of neighboring elements of a row that one item should
  // do, given the number for cores: few if items are threads.
  virtual int64_t neighbours(int64_t ofCores) const { return ofCores; }
  // Returns the number of elements of a line that an item should load before it
  // uses the first: many if it waits for each load that it uses, one if loads
  // are started ahead anyway, as cores do.
  virtual int64_t loadsAhead() const { return 1; }

  // Returns the number of elements of a vector, the same for all types. It is 1
  // if vectors are not worthwhile or if many threads work on an item.
  // `vectorize(type, 1)` is the type itself.
  unsigned lanes() const { return numLanes; }
  // The type of vector indices: i32 if every tensor has fewer than 2^31
  // elements.
  llvm::IntegerType *vectorIndexType() const { return vectorIndex; }

  // The buffers of the function's arguments and results. An argument that no
  // result can reuse (its size differs) is invariant.
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
  // Returns `value` as a constant of `type` (scalar or vector, float or
  // integer).
  llvm::Constant *constant(llvm::Type *type, double value);
  llvm::Constant *constantInt(llvm::Type *type, uint64_t value);
  // <0, 1, 2, ...> of the vector index type; 0 for one lane.
  llvm::Constant *laneNumbers(unsigned count);
  // <0, stride, 2 stride, ...> of an integer type, lanes() of them.
  llvm::Constant *laneSteps(llvm::Type *type, int64_t stride = 1);

  // ---- control flow
  // Emits for (i = lower; i < upper; i += step) body(i); all are i64. If the
  // bounds depend on data, `expected` says how many iterations to expect.
  void loop(llvm::Value *lower, llvm::Value *upper, int64_t step,
            llvm::function_ref<void(llvm::Value *)> body, int64_t expected = 0);
  void ifThenElse(llvm::Value *condition, llvm::function_ref<void()> then,
                  llvm::function_ref<void()> otherwise = {});
  // Emits `then` for a condition that seldom holds: about once in `oneIn`
  // times.
  void ifSeldom(llvm::Value *condition, llvm::function_ref<void()> then,
                uint32_t oneIn = 1 << 20);
  // Returns the value of `make` if the condition is true, else zeros; `oneIn`
  // is that of ifSeldom().
  llvm::Value *makeIf(llvm::Value *condition,
                      llvm::function_ref<llvm::Value *()> make,
                      uint32_t oneIn = 1);
  // Returns a mutable variable, which mem2reg puts into registers: use
  // ir.CreateLoad/Store.
  llvm::AllocaInst *variable(llvm::Type *type, llvm::Value *initial = nullptr);
  llvm::Value *get(llvm::AllocaInst *v) {
    return ir.CreateLoad(v->getAllocatedType(), v);
  }
  void set(llvm::AllocaInst *v, llvm::Value *value) {
    ir.CreateStore(value, v);
  }

  // ---- vectors
  llvm::Value *splat(llvm::Value *v, unsigned count);
  // Returns `v` as a vector of lanes() elements.
  llvm::Value *toLanes(llvm::Value *v) { return splat(v, numLanes); }
  // If one of `values` is a vector, makes all of them vectors.
  void unify(llvm::MutableArrayRef<llvm::Value *> values);
  // Returns the mask of the lanes i with base + i < limit (i64); it is never a
  // constant.
  llvm::Value *tailMask(llvm::Value *base, llvm::Value *limit);

  // ---- memory; `offset` is in elements (i64 scalar)
  llvm::Value *loadScalar(const TensorBuffer &buffer, llvm::Value *offset);
  // Loads lanes() consecutive elements. Those that `mask` (may be null) leaves
  // out are not accessed and read as 0. `whole` says that the offset is a
  // multiple of lanes().
  llvm::Value *loadVector(const TensorBuffer &buffer, llvm::Value *offset,
                          llvm::Value *mask = nullptr, bool whole = false);
  // Loads elements at offsets by lane, which have the vector index type or i64.
  virtual llvm::Value *gather(const TensorBuffer &buffer, llvm::Value *offsets,
                              llvm::Value *mask = nullptr);
  void storeScalar(llvm::Value *value, const TensorBuffer &buffer,
                   llvm::Value *offset);
  void storeVector(llvm::Value *value, const TensorBuffer &buffer,
                   llvm::Value *offset, llvm::Value *mask = nullptr,
                   bool whole = false);
  void scatterStore(llvm::Value *value, const TensorBuffer &buffer,
                    llvm::Value *offsets, llvm::Value *mask = nullptr);
  // Convert between the memory form and the register form.
  llvm::Value *widen(llvm::Value *memory, mlir::Type elementType);
  llvm::Value *narrow(llvm::Value *value, mlir::Type elementType);

  // ---- arithmetic
  // Rounds a float to the element type if that is bf16, f16 or f8E4M3FN (to
  // nearest, ties to even; the last saturates); else returns it.
  llvm::Value *roundTo(mlir::Type elementType, llvm::Value *value);
  llvm::Value *fma(llvm::Value *a, llvm::Value *b, llvm::Value *c);
  llvm::Value *select(llvm::Value *mask, llvm::Value *a, llvm::Value *b);
  llvm::Value *bitcast(llvm::Value *v, llvm::Type *element);
  // Return NaN if either operand is NaN (as train.maximum, train.minimum).
  llvm::Value *maximum(llvm::Value *a, llvm::Value *b);
  llvm::Value *minimum(llvm::Value *a, llvm::Value *b);

protected:
  KernelBuilder(llvm::Module &module, mlir::func::FuncOp func, unsigned lanes);
  // Sets the addresses of buffers by their number, arguments first.
  void setBuffers(llvm::function_ref<llvm::Value *(unsigned)> pointer);
  // Returns the alignment in bytes of lanes() elements that begin at a multiple
  // of lanes().
  virtual unsigned wholeAlignment(unsigned elementBytes) const {
    return elementBytes;
  }
  // Rounds floats to bf16, to nearest, ties to even. A NaN stays a NaN, of any
  // payload.
  virtual llvm::Value *roundToBf16(llvm::Value *value);
  // Returns `v` hidden from LLVM's constant propagation.
  virtual llvm::Value *hidden(llvm::Value *v) { return v; }
  unsigned numLanes;

private:
  // Convert a float to its nearest f8E4M3FN code, in 32 bits, and back.
  llvm::Value *encodeF8(llvm::Value *value);
  llvm::Value *decodeF8(llvm::Value *code);
  llvm::Value *address(const TensorBuffer &buffer, llvm::Value *offset);
  llvm::IntegerType *vectorIndex;
  llvm::SmallVector<TensorBuffer> arguments, results;
};

} // namespace zcc

#endif
