// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes ask of a backend: which arithmetic it has, which sets of ops it
// takes as one kernel, how kernels are called. Backends are written in
// compiler/<target> (compiler/backend/Target.h adds code and costs) and handed
// to whoever needs one: there is no registry.
#ifndef ZCC_DIALECTS_EXEC_BACKEND_H
#define ZCC_DIALECTS_EXEC_BACKEND_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>

namespace zcc::exec {

/// What a backend makes of a set of ops that it takes as one kernel.
struct KernelForm {
  KernelForm(llvm::StringRef name = "", double work = 0)
      : name(name), work(work) {}

  /// How the backend calls the form ("dot", "row"). Kernels of one form that
  /// read the same value may become one, so that it is read once.
  llvm::StringRef name;
  /// The library's function that does the kernel, where no code is generated
  /// for it; else empty.
  llvm::StringRef library;
  /// Elementary operations of one execution, transcendental functions weighted,
  /// with what is computed again because several places ask for it: where the
  /// whole has more than the sum of its parts, ops stay apart.
  double work;
  /// What joins the kernel is done where its result is at hand and never twice,
  /// whatever `work` says; it joins no siblings. (What follows a product.)
  bool absorbs = false;
  /// The results are computed element by element, all of them together: when an
  /// element of one is written, what that element of the others is made of has
  /// been read. Several may then overwrite what the kernel reads, and kernels
  /// of a few elements are collected.
  bool pointwise = false;
};

class Backend {
public:
  virtual ~Backend();

  /// The target's name, as --target says it and the executable holds it.
  virtual llvm::StringRef getName() const = 0;

  /// The element types that kernels may have.
  virtual llvm::SmallVector<mlir::Type>
  getElementTypes(mlir::MLIRContext *context) const = 0;
  /// Those that kernels only convert and move: values are stored in them.
  virtual llvm::SmallVector<mlir::Type>
  getStorageTypes(mlir::MLIRContext *context) const;
  /// Arithmetic of `op` that the target lacks though it has the types, in a few
  /// words ("attention in f64"); else empty.
  virtual std::string findLacking(mlir::Operation *op) const;

  /// Gives ops of a task the form that the backend's libraries take, before
  /// kernels are made of them: what a layout or an operand lacks becomes an op.
  virtual void prepare(mlir::func::FuncOp task) const;

  /// The form of the kernel that computes `outputs` by `ops` (in program order;
  /// operands are results of others, or inputs); nothing if it is none. `why`,
  /// if given, then says in a few words what is in the way.
  virtual std::optional<KernelForm>
  classify(llvm::ArrayRef<mlir::Operation *> ops,
           llvm::ArrayRef<mlir::Value> outputs,
           std::string *why = nullptr) const = 0;
  /// The same of a kernel function.
  std::optional<KernelForm> classify(mlir::func::FuncOp kernel,
                                     std::string *why = nullptr) const;
  /// Values that are in memory before any kernel with `op` begins: no kernel
  /// has both `op` and the op that makes one of them.
  virtual llvm::SmallVector<mlir::Value>
  getStoredValues(mlir::Operation *op) const;

  /// What follows the number in a kernel's name; `main` is the op that the
  /// kernel is there for.
  virtual std::string nameKernel(mlir::Operation *main,
                                 const KernelForm &form) const;

  /// Whether collectives of a device that run at once could wait for each other
  /// on several devices for ever, each holding what the other needs there.
  virtual bool runsCollectivesOneByOne() const { return false; }

  /// Operands of `op` that a kernel with it computes itself, element by element
  /// and never held, whatever that costs.
  virtual llvm::SmallVector<mlir::Value>
  getComputedOperands(mlir::Operation *op) const;
};

} // namespace zcc::exec

#endif
