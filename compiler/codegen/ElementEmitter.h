// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the elements that a loop body needs: `emit(value, index)` follows the
// graph back from `value` to buffers. A value whose index does not depend on
// the lane variable is a scalar; else a vector of lanes(), lane l being the
// element at lane variable + l. Along the lane variable an access is uniform
// (one scalar load), contiguous (a vector load), or a gather. An element that
// was emitted is kept, by value and index, while its scope lasts.
//
//   IndexContext context; ElementEmitter emitter(kernel, context);
//   const IndexVar *row = context.loopVar(rows), *col = context.loopVar(cols);
//   kernel.loop(..., [&](llvm::Value *i) {
//     ElementEmitter::Scope rowScope(emitter);
//     emitter.bind(row, i);
//     kernel.loop(0, cols, kernel.lanes(), [&](llvm::Value *j) {
//       ElementEmitter::Scope colScope(emitter);
//       emitter.bindLanes(col, j);            // j is a multiple of lanes()
//       llvm::Value *x = emitter.emit(value, {row, col});
#ifndef ZCC_COMPILER_CODEGEN_ELEMENTEMITTER_H
#define ZCC_COMPILER_CODEGEN_ELEMENTEMITTER_H

#include "compiler/codegen/KernelBuilder.h"
#include "dialects/Train/ElementIndex.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace zcc {

class ElementEmitter {
public:
  using ElementIndex = train::ElementIndex;
  ElementEmitter(KernelBuilder &kernel, train::IndexContext &context)
      : kernel(kernel), context(context), scopes(1) {}

  // Values emitted and bindings made inside a scope are forgotten at its end.
  // There must be a scope for each basic block that does not dominate the
  // following code, for each loop body, and for each change of a binding or
  // mask.
  class Scope {
  public:
    explicit Scope(ElementEmitter &emitter) : emitter(emitter) {
      emitter.pushScope();
    }
    ~Scope() { emitter.popScope(); }
    Scope(const Scope &) = delete;

  private:
    ElementEmitter &emitter;
  };

  // Gives a loop variable its value (i64) in this scope.
  void bind(const train::IndexVar *var, llvm::Value *value);
  // Binds `var` and makes vectors run along it: its value in lane l is value +
  // l. `aligned` says that value is a multiple of lanes(). Only one
  // variable can have lanes at a time. With one lane, this is the same as
  // bind().
  void bindLanes(const train::IndexVar *var, llvm::Value *value,
                 bool aligned = true);
  // Restricts this scope, which must be opened for it, to the lanes in `mask`:
  // other lanes are not loaded and have arbitrary values.
  void setMask(llvm::Value *mask);
  llvm::Value *mask() const { return scopes.back().mask; }

  // Emits the element as a scalar or vector in register form (see
  // KernelBuilder.h).
  llvm::Value *emit(mlir::Value value, const ElementIndex &index);

  // Makes elements of `value` come from `provider` from now on (a product in
  // registers, the result of a reduction, a value in scratch). If it returns
  // null, the element is computed.
  using Provider = std::function<llvm::Value *(const ElementIndex &)>;
  void provide(mlir::Value value, Provider provider) {
    providers[value] = std::move(provider);
  }
  void withdraw(mlir::Value value) { providers.erase(value); }

  // Stores the element of `value`, whose position in the buffer is `offset`.
  void store(llvm::Value *value, const TensorBuffer &buffer,
             const train::IndexExpr &offset);
  // Loads from a buffer at a position.
  llvm::Value *load(const TensorBuffer &buffer, const train::IndexExpr &offset);

  // The value of an index expression at lane 0 (i64) and by lane.
  llvm::Value *scalarIndex(const train::IndexExpr &expr);
  llvm::Value *vectorIndex(const train::IndexExpr &expr);
  // Returns the stride of an index from one lane to the next; nullopt if it is
  // irregular.
  std::optional<int64_t> laneStride(const train::IndexExpr &expr);
  bool isUniform(const train::IndexExpr &expr) { return laneStride(expr) == 0; }
  // For an index of stride 1: returns true if lane 0 is at a multiple of
  // lanes().
  bool isWhole(const train::IndexExpr &expr);

  KernelBuilder &kernel;
  train::IndexContext &context;

private:
  using Key = std::pair<const void *, std::vector<train::IndexExpr>>;
  struct ScopeState {
    std::map<Key, llvm::Value *> values;
    std::map<const train::IndexVar *, llvm::Value *> scalars, vectors;
    llvm::Value *mask = nullptr;
    const train::IndexVar *lane = nullptr;
    bool aligned = false;
  };
  void pushScope();
  void popScope() { scopes.pop_back(); }
  llvm::Value *find(const Key &key) const;
  llvm::Value *scalarVar(const train::IndexVar *var);
  llvm::Value *vectorVar(const train::IndexVar *var);

  llvm::Value *emitUncached(mlir::Value value, const ElementIndex &index);
  llvm::Value *emitArgument(mlir::BlockArgument argument,
                            const ElementIndex &index);
  llvm::Value *emitConstant(mlir::Operation *op, const ElementIndex &index);
  llvm::Value *emitIota(mlir::Operation *op, const ElementIndex &index);
  llvm::Value *emitMovement(mlir::Operation *op, const ElementIndex &index);
  // Returns the value that computes a result of an update by its optimizer's
  // formula.
  mlir::Value expanded(mlir::OpResult result);
  llvm::Value *condition(const train::IndexCondition &c);
  llvm::Value *selectSource(llvm::ArrayRef<train::IndexSource> sources);

  std::vector<ScopeState> scopes;
  llvm::DenseMap<mlir::Value, Provider> providers;
  llvm::DenseMap<mlir::Value, llvm::GlobalVariable *> tables;
  // The results of train.update ops as results of elementwise ops. These ops
  // are in `formulas`, outside of the kernel, which is not modified.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> updates;
  mlir::Block formulas;
  // The operands that its arguments stand for.
  llvm::SmallVector<mlir::Value> formulaOperands;
};

// Emits one elementwise op on operands in register form, which are all scalars
// or all vectors (ElementOps.cpp). Returns null, with an error at the op, if
// the op is not elementwise.
llvm::Value *emitElementwise(KernelBuilder &kernel, mlir::Operation *op,
                             llvm::ArrayRef<llvm::Value *> operands);
// Combines two values of an element type by `kind`, in register form.
llvm::Value *emitCombine(KernelBuilder &kernel, train::ReduceKind kind,
                         mlir::Type elementType, llvm::Value *a,
                         llvm::Value *b);
llvm::Constant *reduceIdentity(KernelBuilder &kernel, train::ReduceKind kind,
                               mlir::Type elementType, unsigned lanes);

} // namespace zcc

#endif
