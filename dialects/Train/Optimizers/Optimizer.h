// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an optimizer is: its name, what it keeps beside a parameter, which
// hyperparameters it reads, and its formula, written once. The formula builds
// train ops: kernels, the evaluator and the step itself are made of those.
#ifndef ZCC_DIALECTS_TRAIN_OPTIMIZERS_OPTIMIZER_H
#define ZCC_DIALECTS_TRAIN_OPTIMIZERS_OPTIMIZER_H

#include "dialects/Train/Train.h"

namespace zcc::train {

// Places in `hyper`, f32[hyperCount], which the host writes before each step:
// runtime/format's enum of the same name, as emission checks.
enum class Hyper : int64_t {
  LearningRate,
  Beta1,
  Beta2,
  Epsilon,
  WeightDecay,
  Momentum,
  ClipNorm,
  Bias1, // 1 - b1^t
  Bias2, // 1 - b2^t
  LossScale,
  OneMinusBeta1, // computed in double, then rounded
  OneMinusBeta2
};
inline constexpr int64_t hyperCount = 16;

// A tensor that an optimizer keeps beside a parameter from step to step.
struct Slot {
  std::string name; // in checkpoints; letters, digits and underscores
  // Which of the parameter's dims it has, ascending.
  llvm::SmallVector<int64_t> dims;
  double initial = 0; // every element, before the first step
};
// The dims of a slot of the parameter's shape.
llvm::SmallVector<int64_t> allDims(int64_t rank);
// Whether all slots have the parameter's shape: the update of an element then
// needs no other one, and is a train.update.
bool isElementwise(llvm::ArrayRef<Slot> slots, int64_t rank);

class Update;

class Optimizer {
public:
  virtual ~Optimizer() = default;
  virtual llvm::StringRef name() const = 0;
  // Of a parameter of a shape; always as many, with the same names, for those
  // of one rank.
  virtual llvm::SmallVector<Slot>
  slots(llvm::ArrayRef<int64_t> shape) const = 0;

  // What users choose beside the learning rate and the norm at which gradients
  // are clipped, and what it is if they don't. Of what follows from a value
  // (Bias1, OneMinusBeta1: from Beta1) the value alone.
  struct Setting {
    Hyper which;
    double fallback;
  };
  virtual llvm::SmallVector<Setting> settings() const = 0;

  // Of an element: operations in all, and which of them take long.
  struct Work {
    double flops, quotients, roots;
  };
  virtual Work work() const = 0;

  // Gives `u` the new parameter and slots.
  virtual void update(Update &u) const = 0;
};

// A value of a formula: f32, with some of the parameter's dims. Where two meet
// the result has the dims of both.
struct Term {
  Update *update = nullptr;
  mlir::Value value;
  llvm::SmallVector<int64_t> dims; // ascending
};
Term operator+(const Term &a, const Term &b);
Term operator-(const Term &a, const Term &b);
Term operator*(const Term &a, const Term &b);
Term operator/(const Term &a, const Term &b);
Term sqrt(const Term &x);
Term sign(const Term &x); // of a zero or NaN itself
// Over all dims of `x` that `dims` lacks.
Term sumTo(llvm::ArrayRef<int64_t> dims, const Term &x);

// The update of one parameter, as its formula sees it.
class Update {
public:
  struct Operands {
    mlir::Value parameter;
    llvm::SmallVector<mlir::Value> slots;
    mlir::Value gradient, hyper, scale, finite;
    bool decays;
  };
  // Builds ops at the builder's place. With `marks` each says which of the
  // parameter's dims its result has (updateDimsAttrName).
  Update(mlir::OpBuilder &builder, mlir::Location loc, const Operands &operands,
         llvm::ArrayRef<Slot> slots, bool marks = false);

  // The formula's operands, in f32; the gradient times the scale.
  Term parameter, gradient;
  llvm::SmallVector<Term> slots;
  bool decays; // false: no weight decay
  Term operator[](Hyper which);
  Term constant(double value);
  // Elements of a dim of the parameter.
  int64_t extent(int64_t dim) const { return shape[dim]; }

  // What the formula finds.
  Term newParameter;
  llvm::SmallVector<Term> newSlots;

  // What to keep in place of an operand of the update that was `old` in f32:
  // `found`, or, where the gradients were not finite, `old`; as `element`.
  mlir::Value finish(const Term &found, const Term &old, mlir::Type element);

  // For the operators of Term: `x` with the dims `dims`; a term of an op just
  // made.
  mlir::Value spread(const Term &x, llvm::ArrayRef<int64_t> dims);
  Term term(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  llvm::SmallVector<int64_t> extents(llvm::ArrayRef<int64_t> dims) const;

  mlir::OpBuilder &builder;
  const mlir::Location loc;

private:
  Term widen(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  llvm::SmallVector<int64_t> shape;
  mlir::Value hyper, finite;
  llvm::SmallVector<Term, 0> hypers; // by place, null until asked for
  bool marks;
};

// The results of the op, by elementwise ops at the builder's place.
llvm::SmallVector<mlir::Value> expandUpdate(mlir::OpBuilder &builder,
                                            UpdateOp op);

// "unknown optimizer 'adamv', expected adamw or sgd: the nearest is adamw".
std::string unknownOptimizer(llvm::StringRef name,
                             llvm::ArrayRef<llvm::StringRef> known);

} // namespace zcc::train

#endif
