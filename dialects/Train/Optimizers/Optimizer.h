// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defines an optimizer: its name, the tensors that it keeps beside a parameter,
// the hyperparameters that it reads, and its formula, written once. The formula
// builds train ops, and kernels, the evaluator and the step itself are made of
// these.
#ifndef ZCC_DIALECTS_TRAIN_OPTIMIZERS_OPTIMIZER_H
#define ZCC_DIALECTS_TRAIN_OPTIMIZERS_OPTIMIZER_H

#include "dialects/Train/Train.h"
#include <optional>

namespace zcc::train {

// Places in `hyper`, f32[hyperCount], which the host writes before each step.
// It must equal runtime/format's enum of the same name, which emission checks.
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
  // The dims of the parameter that it has, ascending.
  llvm::SmallVector<int64_t> dims;
  double initial = 0; // every element, before the first step
};
// Returns the dims of a slot of the parameter's shape.
llvm::SmallVector<int64_t> allDims(int64_t rank);
// Returns true if all slots have the parameter's shape. Then the update of an
// element needs no other element, and is a train.update. This does not hold for
// an optimizer whose formula mixes elements although its slots have that shape,
// by a matrix product. Such an optimizer does not work yet; docs/where.md says
// what it takes.
bool isElementwise(llvm::ArrayRef<Slot> slots, int64_t rank);

class Update;

// The work of averaging one element.
inline constexpr double averageFlops = 3;

class Optimizer {
public:
  virtual ~Optimizer() = default;
  virtual llvm::StringRef name() const = 0;
  // Returns the slots of a parameter of that shape. Their number and names
  // depend only on the rank.
  virtual llvm::SmallVector<Slot>
  slots(llvm::ArrayRef<int64_t> shape) const = 0;

  // Hyperparameters that users choose, beside the learning rate and the norm at
  // which gradients are clipped, with their defaults. Values that follow from
  // another one (Bias1 and OneMinusBeta1 from Beta1) are not listed.
  struct Setting {
    Hyper which;
    double fallback;
  };
  virtual llvm::SmallVector<Setting> settings() const = 0;

  // Work for one element: all operations, and among them the quotients and
  // roots, which take long.
  struct Work {
    double flops, quotients, roots;
  };
  virtual Work work() const = 0;

  // Sets the new parameter and slots of `u`.
  virtual void update(Update &u) const = 0;
};

// A value of a formula: f32, with some of the parameter's dims, each at most
// once. A result of two terms has the dims of both.
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
Term sign(const Term &x); // a zero or NaN stays as it is
// Sums over all dims of `x` that `dims` lacks.
Term sumTo(llvm::ArrayRef<int64_t> dims, const Term &x);

// The update of one parameter, in terms of its formula.
class Update {
public:
  struct Operands {
    mlir::Value parameter;
    llvm::SmallVector<mlir::Value> slots;
    mlir::Value gradient, hyper, scale, finite;
    bool decays;
    mlir::Value average = {}; // of the parameter; null without one
  };
  // Builds ops at the builder's place. With `marks`, each op says which of the
  // parameter's dims its result has (updateDimsAttrName).
  Update(mlir::OpBuilder &builder, mlir::Location loc, const Operands &operands,
         llvm::ArrayRef<Slot> slots, bool marks = false);

  // The formula's operands, in f32; the gradient is multiplied by the scale.
  Term parameter, gradient;
  llvm::SmallVector<Term> slots;
  bool decays; // false: no weight decay
  Term operator[](Hyper which);
  Term constant(double value);
  // Returns the extent of a dim of the parameter.
  int64_t extent(int64_t dim) const { return shape[dim]; }

  // The formula's results.
  Term newParameter;
  llvm::SmallVector<Term> newSlots;

  // The average of the parameter, of which formulas know nothing. run() sets
  // the results by the formula, and then, with the decay of the average,
  //   a' = ema a + (1 - ema) p'
  Term average, newAverage;
  void run(const Optimizer &optimizer, std::optional<double> ema);

  // Returns the new value for an operand of the update that was `old` in f32:
  // `found`, or `old` if the gradients were not finite; as `element`.
  mlir::Value finish(const Term &found, const Term &old, mlir::Type element);

  // For the operators of Term: spread() returns `x` with the dims `dims`, and
  // term() makes a term of a new op's result.
  mlir::Value spread(const Term &x, llvm::ArrayRef<int64_t> dims);
  Term term(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  llvm::SmallVector<int64_t> extents(llvm::ArrayRef<int64_t> dims) const;

  mlir::OpBuilder &builder;
  const mlir::Location loc;

private:
  Term widen(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  llvm::SmallVector<int64_t> shape;
  mlir::Value hyper, finite;
  llvm::SmallVector<Term, 0> hypers; // by place; null until they are needed
  bool marks;
};

// Builds the results of the op by elementwise ops at the builder's place.
llvm::SmallVector<mlir::Value> expandUpdate(mlir::OpBuilder &builder,
                                            UpdateOp op);

// Returns "unknown optimizer 'adamv', expected adamw or sgd: the nearest is
// adamw".
std::string unknownOptimizer(llvm::StringRef name,
                             llvm::ArrayRef<llvm::StringRef> known);

} // namespace zcc::train

#endif
