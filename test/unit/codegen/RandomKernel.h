// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random functions of elementwise, movement and reduction ops, some of which
// are legal kernels.

#ifndef ZCC_TEST_UNIT_CODEGEN_RANDOMKERNEL_H
#define ZCC_TEST_UNIT_CODEGEN_RANDOMKERNEL_H

#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <random>

namespace zcc::test {

struct RandomKernelOptions {
  unsigned ops = 8;
  /// Reductions at all, and only over this many trailing dims if not 0.
  bool reductions = false;
  /// Functions that are not exact to the bit in every implementation.
  bool transcendental = false;
};

/// Grows a function from random arguments; every op is used by a result.
class RandomKernel {
public:
  RandomKernel(mlir::ModuleOp module, unsigned seed,
               RandomKernelOptions options);
  mlir::func::FuncOp build();

private:
  using Shape = llvm::SmallVector<int64_t, 4>;

  unsigned below(unsigned n) { return random() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  mlir::Type randomElement();
  mlir::Value pick(llvm::function_ref<bool(mlir::Value)> suits);
  mlir::Value argument(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Some value of this type: of the pool, an argument, a constant, an iota, a
  /// broadcast.
  mlir::Value valueOf(mlir::RankedTensorType type);
  mlir::Value op(llvm::StringRef name, mlir::ValueRange operands,
                 llvm::ArrayRef<int64_t> shape, mlir::Type element,
                 llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::NamedAttribute dims(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute number(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute kind(train::ReduceKind value);

  mlir::Value elementwise(mlir::Value x);
  mlir::Value floatOp(mlir::Value x);
  mlir::Value integerOp(mlir::Value x);
  mlir::Value movement(mlir::Value x);
  mlir::Value indexed(mlir::Value x);
  mlir::Value reduction(mlir::Value x);

  mlir::ModuleOp module;
  mlir::OpBuilder b;
  std::mt19937 random;
  RandomKernelOptions options;
  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Value> pool;
  llvm::SmallVector<int64_t> reduced; // dims of the reductions so far
  Shape reducedShape;
};

} // namespace zcc::test

#endif // ZCC_TEST_UNIT_CODEGEN_RANDOMKERNEL_H
