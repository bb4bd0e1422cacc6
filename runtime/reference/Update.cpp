// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizer steps, in f32 (f64 where a parameter is f64), operation by
// operation.

#include "runtime/format/executable.pb.h"
#include "runtime/reference/Operation.h"
#include "runtime/reference/Types.h"

#include <cmath>

namespace zcc::rt::reference {

namespace {

// One element's parameter and states.
template <typename W> struct Element {
  W values[3];
};

template <typename W> struct AdamW {
  static constexpr size_t states = 3;
  template <typename Hyper>
  static void step(Element<W> &x, W g, W decay, Hyper hyper) {
    auto &[p, m, v] = x.values;
    m = hyper(format::BETA1) * m + hyper(format::ONE_MINUS_BETA1) * g;
    v = hyper(format::BETA2) * v + hyper(format::ONE_MINUS_BETA2) * g * g;
    W step = (m / hyper(format::BIAS1)) /
             (std::sqrt(v / hyper(format::BIAS2)) + hyper(format::EPSILON));
    p = p - hyper(format::LEARNING_RATE) * decay * p -
        hyper(format::LEARNING_RATE) * step;
  }
};

template <typename W> struct Sgd {
  static constexpr size_t states = 2;
  template <typename Hyper>
  static void step(Element<W> &x, W g, W decay, Hyper hyper) {
    auto &[p, b, unused] = x.values;
    b = hyper(format::MOMENTUM) * b + g;
    p = p - hyper(format::LEARNING_RATE) * (b + decay * p);
  }
};

template <typename W>
W readElement(ElementType type, const void *data, int64_t i) {
  W value = 0;
  dispatchFloat(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    value = static_cast<W>(load(static_cast<const T *>(data)[i]));
  });
  return value;
}

template <typename W>
void writeElement(ElementType type, W value, void *data, int64_t i) {
  dispatchFloat(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    static_cast<T *>(data)[i] = store<T>(value);
  });
}

// Operands: parameter, states, gradient, hyper, scale, finite. Results: new
// parameter, new states, copies of the parameter.
template <template <typename> class Optimizer, typename W>
Run makeUpdateOf(const Operation &op) {
  constexpr size_t states = Optimizer<W>::states;
  std::vector<ElementType> in, out;
  for (size_t i = 0; i < op.operands(); ++i)
    in.push_back(op.in(i).type);
  for (size_t i = 0; i < op.results(); ++i)
    out.push_back(op.out(i).type);
  return [in, out, decays = op.integer("decay") != 0,
          count = op.in(0).count()](const Buffers &buffers) {
    W h[format::HYPER_COUNT];
    for (int i = 0; i < format::HYPER_COUNT; ++i)
      h[i] = readElement<W>(in[states + 1], buffers.in[states + 1], i);
    auto hyper = [&](format::Hyper which) { return h[which]; };
    W scale = readElement<W>(in[states + 2], buffers.in[states + 2], 0);
    W decay = decays ? hyper(format::WEIGHT_DECAY) : W(0);
    bool finite = load(*buffers.operand<I1>(states + 3));
    for (int64_t i = 0; i < count; ++i) {
      Element<W> x{};
      for (size_t k = 0; k < states; ++k)
        x.values[k] = readElement<W>(in[k], buffers.in[k], i);
      W g = readElement<W>(in[states], buffers.in[states], i) * scale;
      if (finite)
        Optimizer<W>::step(x, g, decay, hyper);
      for (size_t k = 0; k < out.size(); ++k)
        writeElement(out[k], x.values[k < states ? k : 0], buffers.out[k], i);
    }
  };
}

template <template <typename> class Optimizer>
Run makeUpdate(const Operation &op) {
  constexpr size_t states = Optimizer<float>::states;
  op.require(op.operands() == states + 4 && op.results() >= states,
             op.operands(), " operands and ", op.results(), " results");
  for (size_t i = 0; i <= states; ++i) {
    op.require(isFloat(op.in(i).type), "operand ", i, " is ",
               describe(op.in(i)));
    op.requireIn(i, {op.in(i).type, op.in(0).shape});
  }
  for (size_t i = 0; i < op.results(); ++i) {
    op.require(isFloat(op.out(i).type), "result ", i, " is ",
               describe(op.out(i)));
    op.requireOut(i, {op.out(i).type, op.in(0).shape});
  }
  op.require(isFloat(op.in(states + 1).type) &&
                 op.in(states + 1).count() == format::HYPER_COUNT,
             "hyperparameters of ", describe(op.in(states + 1)));
  op.require(isFloat(op.in(states + 2).type) && op.in(states + 2).count() == 1,
             "a scale of ", describe(op.in(states + 2)));
  op.require(op.in(states + 3).type == ElementType::I1 &&
                 op.in(states + 3).count() == 1,
             "a flag of ", describe(op.in(states + 3)));
  return op.in(0).type == ElementType::F64
             ? makeUpdateOf<Optimizer, double>(op)
             : makeUpdateOf<Optimizer, float>(op);
}

} // namespace

const std::vector<NamedMaker> updateOps = {
    {"adamw", makeUpdate<AdamW>},
    {"sgd", makeUpdate<Sgd>},
};

} // namespace zcc::rt::reference
