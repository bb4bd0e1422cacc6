// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizer steps of the reference evaluator, in f32 operation by operation.

#include "dialects/Train/Evaluate.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace zcc::train::evaluation {
namespace {

// Places in `hyper`, as runtime/format/executable.proto numbers them.
enum {
  LearningRate = 0,
  Beta1 = 1,
  Beta2 = 2,
  Epsilon = 3,
  WeightDecay = 4,
  Momentum = 5,
  Bias1 = 7,
  Bias2 = 8,
  OneMinusBeta1 = 10,
  OneMinusBeta2 = 11
};

// `Real` is float, or double where nothing is to be rounded.
template <typename Real> void adamw(Context &c, bool decays) {
  const std::vector<double> &h = c.in(4).floats;
  auto hyper = [&](int i) { return static_cast<Real>(h[i]); };
  Real scale = c.in(5).floats[0];
  Real decay = decays ? hyper(WeightDecay) : 0;
  for (int64_t i = 0; i < c.in(0).size(); ++i) {
    Real p = c.in(0).floats[i], m = c.in(1).floats[i], v = c.in(2).floats[i];
    Real g = static_cast<Real>(c.in(3).floats[i]) * scale;
    if (c.in(6).ints[0]) {
      m = hyper(Beta1) * m + hyper(OneMinusBeta1) * g;
      v = hyper(Beta2) * v + hyper(OneMinusBeta2) * g * g;
      Real step =
          (m / hyper(Bias1)) / (std::sqrt(v / hyper(Bias2)) + hyper(Epsilon));
      p = p - hyper(LearningRate) * decay * p - hyper(LearningRate) * step;
    }
    c.out(0).floats[i] = p;
    c.out(1).floats[i] = m;
    c.out(2).floats[i] = v;
  }
}

template <typename Real> void sgd(Context &c, bool decays) {
  const std::vector<double> &h = c.in(3).floats;
  auto hyper = [&](int i) { return static_cast<Real>(h[i]); };
  Real scale = c.in(4).floats[0];
  Real decay = decays ? hyper(WeightDecay) : 0;
  for (int64_t i = 0; i < c.in(0).size(); ++i) {
    Real p = c.in(0).floats[i], b = c.in(1).floats[i];
    Real g = static_cast<Real>(c.in(2).floats[i]) * scale;
    if (c.in(5).ints[0]) {
      b = hyper(Momentum) * b + g;
      p = p - hyper(LearningRate) * (b + decay * p);
    }
    c.out(0).floats[i] = p;
    c.out(1).floats[i] = b;
  }
}

// Rounds what the step computed to the results' types; further results are
// copies of the new parameter.
void finishResults(Context &c, unsigned states) {
  for (unsigned k = 0; k < c.results.size(); ++k)
    for (int64_t i = 0; i < c.out(k).size(); ++i)
      c.out(k).floats[i] = finish(c.out(k < states ? k : 0).floats[i],
                                  c.out(k).element(), c.asDouble);
}

} // namespace

bool evaluateUpdate(Context &c) {
  return llvm::TypeSwitch<Operation *, bool>(c.op)
      .Case([&](AdamWOp op) {
        c.asDouble ? adamw<double>(c, op.getDecay())
                   : adamw<float>(c, op.getDecay());
        finishResults(c, 3);
        return true;
      })
      .Case([&](SgdOp op) {
        c.asDouble ? sgd<double>(c, op.getDecay())
                   : sgd<float>(c, op.getDecay());
        finishResults(c, 2);
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace zcc::train::evaluation
