// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/optimizer/Factored.h"
#include <cmath>

using namespace zcc::train;

namespace zcc {

llvm::SmallVector<Slot> Factored::slots(llvm::ArrayRef<int64_t> shape) const {
  if (shape.size() != 2)
    return {{"moment1", allDims(shape.size())},
            {"moment2", allDims(shape.size()), 0.25}};
  return {{"columns", {1}, 0.5}, {"moment1", {0, 1}}, {"rows", {0}}};
}

llvm::SmallVector<Optimizer::Setting> Factored::settings() const {
  return {{Hyper::Beta1, .5}, {Hyper::Beta2, .75}, {Hyper::Epsilon, .125}};
}

void Factored::update(Update &u) const {
  Term g = u.gradient, square = g * g;
  auto mix = [&](Hyper b, Hyper rest, const Term &old, const Term &now) {
    return u[b] * old + u[rest] * now;
  };
  auto second = [&](const Term &old, const Term &now) {
    return mix(Hyper::Beta2, Hyper::OneMinusBeta2, old, now);
  };
  Term m, v;
  if (u.slots.size() == 2) {
    m = mix(Hyper::Beta1, Hyper::OneMinusBeta1, u.slots[0], g);
    v = second(u.slots[1], square);
    u.newSlots = {m, v};
  } else {
    Term columns = second(u.slots[0], sumTo({1}, square));
    m = mix(Hyper::Beta1, Hyper::OneMinusBeta1, u.slots[1], g);
    Term rows = second(u.slots[2], sumTo({0}, square));
    v = rows * columns / sumTo({}, rows);
    u.newSlots = {columns, m, rows};
  }
  u.newParameter =
      u.parameter - u[Hyper::LearningRate] * m / (sqrt(v) + u[Hyper::Epsilon]);
}

const char *const model = R"(
func.func @loss(%x: tensor<8x6xf32> {zcc.input = "x"}, %y: tensor<8x3xf32> {zcc.input = "y"},
    %b: tensor<6xf32> {zcc.parameter = "b"}, %v: tensor<6x3xf32> {zcc.parameter = "v"},
    %w0: tensor<6x6xf32> {zcc.parameter = "w", zcc.part = array<i64: 0, 0, 0>, zcc.file_shape = array<i64: 2, 6, 6>},
    %w1: tensor<6x6xf32> {zcc.parameter = "w", zcc.part = array<i64: 1, 0, 0>, zcc.file_shape = array<i64: 2, 6, 6>})
    -> (tensor<f32> {zcc.result = "loss"}) {
  %0 = train.dot_general %x, %w0 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
  %1 = train.broadcast_in_dim %b {dims = array<i64: 1>} : (tensor<6xf32>) -> tensor<8x6xf32>
  %2 = train.add %0, %1 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %3 = train.tanh %2 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %4 = train.dot_general %3, %w1 {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
  %5 = train.tanh %4 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %6 = train.dot_general %5, %v {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  %7 = train.subtract %6, %y : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
  %8 = train.multiply %7, %7 : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
  %9 = train.reduce %8 {dims = array<i64: 0, 1>, kind = #train<reduce_kind add>} : (tensor<8x3xf32>) -> tensor<f32>
  %10 = train.constant dense<0.041666668> : tensor<f32>
  %11 = train.multiply %9, %10 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %11 : tensor<f32>
}
)";

namespace {

using Matrix = std::vector<double>; // row-major

// a [n, k] b [k, m]; either one transposed.
Matrix product(const Matrix &a, const Matrix &b, int n, int k, int m,
               bool transposeA = false, bool transposeB = false) {
  Matrix c(n * m);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int l = 0; l < k; ++l)
        c[i * m + j] += (transposeA ? a[l * n + i] : a[i * k + l]) *
                        (transposeB ? b[j * k + l] : b[l * m + j]);
  return c;
}

Matrix part(const Matrix &of, int begin, int size) {
  return Matrix(of.begin() + begin, of.begin() + begin + size);
}

Tensors gradients(const Tensors &p, const Matrix &x, const Matrix &y) {
  Matrix w0 = part(p.at("w"), 0, 36), w1 = part(p.at("w"), 36, 36);
  Matrix h1 = product(x, w0, 8, 6, 6);
  for (int i = 0; i < 48; ++i)
    h1[i] = std::tanh(h1[i] + p.at("b")[i % 6]);
  Matrix h2 = product(h1, w1, 8, 6, 6);
  for (double &h : h2)
    h = std::tanh(h);
  Matrix out = product(h2, p.at("v"), 8, 6, 3);
  for (int i = 0; i < 24; ++i)
    out[i] = 2 * (out[i] - y[i]) / 24;
  Tensors g;
  g["v"] = product(h2, out, 6, 8, 3, true);
  Matrix d2 = product(out, p.at("v"), 8, 3, 6, false, true);
  for (int i = 0; i < 48; ++i)
    d2[i] *= 1 - h2[i] * h2[i];
  Matrix g1 = product(h1, d2, 6, 8, 6, true);
  Matrix d1 = product(d2, w1, 8, 6, 6, false, true);
  for (int i = 0; i < 48; ++i)
    d1[i] *= 1 - h1[i] * h1[i];
  g["w"] = product(x, d1, 6, 8, 6, true);
  g["w"].insert(g["w"].end(), g1.begin(), g1.end());
  g["b"].assign(6, 0);
  for (int i = 0; i < 48; ++i)
    g["b"][i % 6] += d1[i];
  return g;
}

constexpr double rate = 0.0625, b1 = .5, b2 = .75, eps = .125;

// One matrix of a parameter, and its slots, `at` matrices of n rows further.
void updateMatrix(Tensors &t, const std::string &name, const Matrix &g, int at,
                  int n, int m) {
  double *p = &t[name][at * n * m], *moment = &t["moment1:" + name][at * n * m];
  double *rows = &t["rows:" + name][at * n];
  double *columns = &t["columns:" + name][at * m];
  const double *grad = &g[at * n * m];
  for (int i = 0; i < n; ++i)
    rows[i] *= b2;
  for (int j = 0; j < m; ++j)
    columns[j] *= b2;
  for (int i = 0; i < n * m; ++i) {
    rows[i / m] += (1 - b2) * grad[i] * grad[i];
    columns[i % m] += (1 - b2) * grad[i] * grad[i];
    moment[i] = b1 * moment[i] + (1 - b1) * grad[i];
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += rows[i];
  for (int i = 0; i < n * m; ++i)
    p[i] -= rate * moment[i] /
            (std::sqrt(rows[i / m] * columns[i % m] / sum) + eps);
}

} // namespace

Tensors trainPlainly(Tensors t, const Tensors &batches, int steps) {
  for (auto [name, n, m] : {std::tuple("w", 12, 12), std::tuple("v", 6, 3)}) {
    t[std::string("rows:") + name].assign(n, 0);
    t[std::string("columns:") + name].assign(m, 0.5);
    t[std::string("moment1:") + name].assign(t[name].size(), 0);
  }
  t["moment1:b"].assign(6, 0);
  t["moment2:b"].assign(6, 0.25);
  for (int s = 0; s < steps; ++s) {
    Tensors g = gradients(t, part(batches.at("x"), s * 48, 48),
                          part(batches.at("y"), s * 24, 24));
    updateMatrix(t, "w", g["w"], 0, 6, 6);
    updateMatrix(t, "w", g["w"], 1, 6, 6);
    updateMatrix(t, "v", g["v"], 0, 6, 3);
    for (int i = 0; i < 6; ++i) {
      double &m = t["moment1:b"][i], &v = t["moment2:b"][i], d = g["b"][i];
      m = b1 * m + (1 - b1) * d;
      v = b2 * v + (1 - b2) * d * d;
      t["b"][i] -= rate * m / (std::sqrt(v) + eps);
    }
  }
  return t;
}

} // namespace zcc
