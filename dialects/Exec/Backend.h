// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The questions that passes ask a backend: which arithmetic it has, which sets
// of ops it takes as one kernel, and how kernels are named. Backends are
// written in compiler/<target> (compiler/backend/Target.h adds code and costs).
// There is no registry: passes get the backend as an argument.
#ifndef ZCC_DIALECTS_EXEC_BACKEND_H
#define ZCC_DIALECTS_EXEC_BACKEND_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>
#include <string>

namespace zcc::exec {

/// The kernel that a backend makes of a set of ops.
struct KernelForm {
  KernelForm(llvm::StringRef name = "", double work = 0)
      : name(name), work(work) {}

  /// The backend's name of the form ("dot", "row"). Kernels of one form, and of
  /// others that Backend::mayJoin() names, that read the same value may become
  /// one, so that it is read once.
  llvm::StringRef name;
  /// The library function that computes the kernel, if no code is generated for
  /// it; else empty.
  llvm::StringRef library;
  /// Elementary operations of one execution, with transcendental functions
  /// weighted, and with work that is repeated because several ops need it. If
  /// the whole has more than the sum of its parts, ops stay apart.
  double work;
  /// The kernel computes ops that join it where its result is at hand, and
  /// never twice, whatever `work` says. It joins no siblings. (Ops after a
  /// product are an example.)
  bool absorbs = false;
  /// The kernel computes its results element by element, all of them together:
  /// when an element of one is written, the inputs of that element of the
  /// others have been read. So several results may overwrite inputs. Such
  /// kernels of a few elements are collected.
  bool pointwise = false;
};

/// Limits of the values that kernels compute again rather than read from
/// memory. Such values follow from others with little arithmetic.
struct InlineLimits {
  /// The arithmetic an element that such a value may take: a bias and a scale,
  /// a conversion. More is worth a buffer.
  unsigned shared = 2;
  /// The same limit for a value that only one op reads, or that reads next to
  /// nothing (masks).
  unsigned once = 4;
  /// The most ops of such a value, movement included, so that kernels stay
  /// small.
  unsigned ops = 16;
  /// True if bytes of memory count rather than elements: two narrow values are
  /// read in place of a wide one, and of a value that is widened the narrow one
  /// is stored.
  bool countsBytes = false;
};

class Backend {
public:
  virtual ~Backend();

  /// Returns the target's name, as in --target and in the executable.
  virtual llvm::StringRef getName() const = 0;

  /// Returns the element types that kernels may compute with.
  virtual llvm::SmallVector<mlir::Type>
  getElementTypes(mlir::MLIRContext *context) const = 0;
  /// Returns the element types that kernels only convert and move: values are
  /// stored in them.
  virtual llvm::SmallVector<mlir::Type>
  getStorageTypes(mlir::MLIRContext *context) const;
  /// Returns the arithmetic of `op` that the target lacks although it has the
  /// types, in a few words ("attention in f64"); else "".
  virtual std::string findLacking(mlir::Operation *op) const;

  /// Gives ops of a task the form that the backend's libraries take, before
  /// kernels are made of them. Missing layouts and operands become ops.
  virtual void prepare(mlir::func::FuncOp task) const;

  /// Returns the form of the kernel that computes `outputs` by `ops` (in
  /// program order; operands are results of others, or inputs). Returns nullopt
  /// if they are no kernel; `why`, if given, then gets the reason in a few
  /// words.
  virtual std::optional<KernelForm>
  classify(llvm::ArrayRef<mlir::Operation *> ops,
           llvm::ArrayRef<mlir::Value> outputs,
           std::string *why = nullptr) const = 0;
  /// Returns the same for a kernel function.
  std::optional<KernelForm> classify(mlir::func::FuncOp kernel,
                                     std::string *why = nullptr) const;
  /// Returns the values that must be in memory before any kernel with `op`
  /// begins: no kernel has both `op` and the op that makes one of them.
  virtual llvm::SmallVector<mlir::Value>
  getStoredValues(mlir::Operation *op) const;

  virtual InlineLimits getInlineLimits() const { return {}; }

  /// Returns true if kernels of two forms that read the same value may become
  /// one, if classify() takes it: those of the same form do.
  virtual bool mayJoin(const KernelForm &form, const KernelForm &other) const {
    return form.name == other.name;
  }

  /// Returns the part of a kernel's name after its number; `main` is the main
  /// op of the kernel.
  virtual std::string nameKernel(mlir::Operation *main,
                                 const KernelForm &form) const;

  /// Returns true if collectives of a device that run at once could wait for
  /// each other on several devices forever, each holding a resource that the
  /// other needs there.
  virtual bool runsCollectivesOneByOne() const { return false; }

  /// Returns the operands of `op` that a kernel with it computes itself,
  /// element by element, and never stores, whatever that costs.
  virtual llvm::SmallVector<mlir::Value>
  getComputedOperands(mlir::Operation *op) const;
};

} // namespace zcc::exec

#endif
