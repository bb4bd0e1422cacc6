// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error of the transcendental functions, over random bit patterns and edge
// cases, against libm in a wider type.

#include "test/unit/codegen/RunCompiled.h"
#include <cfenv>
#include <cmath>
#include <cstring>

using namespace mlir;

namespace zcc::test {
namespace {

template <typename T> struct Traits;
template <> struct Traits<float> {
  using Bits = uint32_t;
  using Wide = double;
  static constexpr const char *name = "f32";
  static constexpr int precision = 24, minExponent = -125;
};
template <> struct Traits<double> {
  using Bits = uint64_t;
  using Wide = long double;
  static constexpr const char *name = "f64";
  static constexpr int precision = 53, minExponent = -1021;
};

template <typename T> double ulps(T actual, typename Traits<T>::Wide expected) {
  if (std::isnan(expected))
    return std::isnan(actual) ? 0 : HUGE_VAL;
  T rounded = static_cast<T>(expected);
  if (std::isinf(rounded) || std::isinf(actual)) {
    if (actual == rounded)
      return 0;
    // One step from infinity.
    T top = std::numeric_limits<T>::max();
    return std::abs(rounded) >= top && std::abs(actual) >= top ? 1 : HUGE_VAL;
  }
  if (std::isnan(actual))
    return HUGE_VAL;
  int exponent;
  std::frexp(static_cast<double>(expected), &exponent);
  if (expected == 0 || exponent < Traits<T>::minExponent)
    exponent = Traits<T>::minExponent;
  return static_cast<double>(
      std::abs(static_cast<typename Traits<T>::Wide>(actual) - expected) /
      std::ldexp(static_cast<typename Traits<T>::Wide>(1),
                 exponent - Traits<T>::precision));
}

template <typename T> std::vector<T> edges() {
  using L = std::numeric_limits<T>;
  std::vector<T> list = {0,
                         1,
                         0.5,
                         2,
                         3,
                         10,
                         87,
                         88.72,
                         88.73,
                         89,
                         103.9,
                         104,
                         T(0.1),
                         T(0.92),
                         T(0.93),
                         4,
                         9,
                         9.1,
                         10.05,
                         20,
                         128,
                         709.7,
                         709.8,
                         745,
                         746,
                         1e5,
                         99999,
                         100001,
                         1e10,
                         T(1.5707963267948966),
                         T(3.1415926535897931),
                         L::min(),
                         L::max(),
                         L::denorm_min(),
                         L::infinity(),
                         L::epsilon(),
                         L::quiet_NaN(),
                         T(1e-20),
                         T(1e20)};
  size_t n = list.size();
  for (size_t i = 0; i < n; ++i) {
    list.push_back(-list[i]);
    list.push_back(std::nextafter(list[i], T(0)));
    list.push_back(std::nextafter(list[i], L::infinity()));
  }
  return list;
}

// Edge cases, random bit patterns, and values of moderate size.
template <typename T>
std::vector<T> samples(size_t n, std::mt19937_64 &random) {
  std::vector<T> list = edges<T>();
  while (list.size() < n) {
    auto bits = static_cast<typename Traits<T>::Bits>(random());
    T x;
    std::memcpy(&x, &bits, sizeof x);
    list.push_back(x);
    list.push_back(std::uniform_real_distribution<T>(-1, 1)(random));
    list.push_back(std::uniform_real_distribution<T>(-10, 10)(random));
    list.push_back(std::uniform_real_distribution<T>(-100, 100)(random));
  }
  list.resize(n);
  return list;
}

class MathSweep : public RunCompiled {
protected:
  template <typename T, typename F>
  void sweep(const std::string &op, double bound, F reference,
             unsigned arity = 1) {
    constexpr size_t n = 200003; // a remainder for every vector
    std::string type =
        "tensor<" + std::to_string(n) + "x" + Traits<T>::name + ">";
    std::string args = arity == 1 ? "%x" : "%x, %y";
    std::string types = arity == 1 ? type : type + ", " + type;
    std::string text = "func.func @k(%x: " + type +
                       (arity == 2 ? ", %y: " + type : "") + ") -> " + type +
                       " { %0 = train." + op + " " + args + " : (" + types +
                       ") -> " + type + " return %0 : " + type + " }";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    func::FuncOp kernel = *module->getOps<func::FuncOp>().begin();
    auto loaded = LoadedKernels::compile({kernel});
    ASSERT_TRUE(loaded);
    std::mt19937_64 random(7);
    std::vector<train::Tensor> inputs;
    for (unsigned a = 0; a < arity; ++a) {
      std::vector<T> list = samples<T>(n, random);
      if (a == 1) // every edge with every edge
        for (size_t i = 0, e = edges<T>().size(); i < e * e && i < n; ++i) {
          list[i] = edges<T>()[i / e];
          inputs[0].values[i] = edges<T>()[i % e];
        }
      inputs.push_back({cast<RankedTensorType>(kernel.getArgumentTypes()[a]),
                        std::vector<double>(list.begin(), list.end()),
                        {}});
    }
    train::Tensor result =
        fromBytes(cast<RankedTensorType>(kernel.getResultTypes()[0]),
                  loaded->run(0, kernel, inputs)[0]);
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < n; ++i) {
      typename Traits<T>::Wide x = static_cast<T>(inputs[0].values[i]);
      typename Traits<T>::Wide y =
          arity == 2 ? static_cast<T>(inputs[1].values[i]) : 0;
      double e = ulps<T>(static_cast<T>(result.values[i]), reference(x, y));
      if (e > worst)
        worst = e, at = i;
    }
    char buffer[200];
    snprintf(buffer, sizeof buffer, "%s %s: %.3f ulp at %.17g, %.17g: %.17g",
             op.c_str(), Traits<T>::name, worst, inputs[0].values[at],
             arity == 2 ? inputs[1].values[at] : 0.0, result.values[at]);
    EXPECT_LE(worst, bound) << buffer;
    RecordProperty((op + Traits<T>::name).c_str(), buffer);
  }
  template <typename F>
  void both(const std::string &op, double floatBound, double doubleBound,
            F reference, unsigned arity = 1) {
    sweep<float>(op, floatBound, reference, arity);
    sweep<double>(op, doubleBound, reference, arity);
  }
};

#define UNARY(name, op, f32Bound, f64Bound, expression)                        \
  TEST_F(MathSweep, name) {                                                    \
    both(op, f32Bound, f64Bound, [](auto x, auto) { return expression; });     \
  }
UNARY(Exponential, "exponential", 1.1, 1.1, std::exp(x))
UNARY(ExponentialMinusOne, "exponential_minus_one", 2.5, 2.5, std::expm1(x))
UNARY(Logarithm, "log", 1.1, 1.1, std::log(x))
UNARY(LogarithmOfOnePlus, "log_plus_one", 2.5, 2.5, std::log1p(x))
UNARY(HyperbolicTangent, "tanh", 2.5, 2.5, std::tanh(x))
UNARY(Logistic, "logistic", 2.5, 2.5,
      x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)))
UNARY(ErrorFunction, "erf", 2.5, 2.5, std::erf(x))
UNARY(Complement, "erfc", 2.5, 4, std::erfc(x))
UNARY(Sine, "sine", 0.6, 1, std::sin(x))
UNARY(Cosine, "cosine", 0.6, 1, std::cos(x))
UNARY(Tangent, "tan", 0.6, 3, std::tan(x))
UNARY(CubeRoot, "cbrt", 0.6, 2, std::cbrt(x))
UNARY(ReciprocalRoot, "rsqrt", 1.6, 1.6, 1 / std::sqrt(x))
#undef UNARY

TEST_F(MathSweep, Power) {
  both(
      "power", 0.6, 3, [](auto x, auto y) { return std::pow(x, y); }, 2);
}
TEST_F(MathSweep, Angle) {
  both(
      "atan2", 0.6, 3, [](auto x, auto y) { return std::atan2(x, y); }, 2);
}
TEST_F(MathSweep, Remainder) {
  both(
      "remainder", 0, 0, [](auto x, auto y) { return std::fmod(x, y); }, 2);
}
TEST_F(MathSweep, InverseErrorFunction) {
  // Newton's iteration in the wide type from a bisection.
  auto reference = [](auto x, auto) {
    using W = decltype(x);
    if (!(std::abs(x) <= 1))
      return std::numeric_limits<W>::quiet_NaN();
    if (std::abs(x) == 1)
      return std::copysign(std::numeric_limits<W>::infinity(), x);
    W a = std::abs(x), low = 0, high = 7;
    for (int i = 0; i < 30; ++i) {
      W middle = (low + high) / 2;
      bool above =
          a > W(0.5) ? std::erfc(middle) < 1 - a : std::erf(middle) > a;
      (above ? high : low) = middle;
    }
    W y = (low + high) / 2;
    if (a < W(1e-6))
      y = a * W(0.88622692545275801365L);
    for (int i = 0; i < 3; ++i) {
      W error = a > W(0.5) ? (1 - a) - std::erfc(y) : std::erf(y) - a;
      y -= error * W(0.88622692545275801365L) * std::exp(y * y);
    }
    return std::copysign(y, x);
  };
  sweep<float>("erf_inv", 0.6, reference);
  sweep<double>("erf_inv", 8, reference);
}

} // namespace
} // namespace zcc::test
