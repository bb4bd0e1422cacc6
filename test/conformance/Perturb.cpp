// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Perturb.h"
#include "runtime/format/Checker.h"
#include <cmath>
#include <cstring>
#include <random>
#include <set>

namespace zcc::conformance {

namespace format = rt::format;
using format::Program;
using format::ProgramOp;

namespace {

const format::Attribute *find(const ProgramOp &op, const char *name) {
  for (const format::Attribute &attribute : op.attributes())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

std::string wordOf(const ProgramOp &op, const char *name) {
  const format::Attribute *found = find(op, name);
  return found ? found->word() : "";
}

bool isFloat(format::Type type) {
  return rt::isFloat(rt::toElementType(type));
}

/// The distance of 1 to the next number.
double epsilonOf(format::Type type) {
  switch (type) {
  case format::F16:
    return 0x1p-10;
  case format::BF16:
    return 0x1p-7;
  case format::F32:
    return 0x1p-23;
  default:
    return 0x1p-52;
  }
}

// Writes a program anew, with ops between its own.
class Writer {
public:
  Writer(const Program &program, const Perturbation &how)
      : old(program), how(how), random(how.pattern) {
    out = old;
    out.clear_ops();
    for (int i = 0; i < old.values_size(); ++i)
      now.push_back(uint32_t(i));
  }

  Program write(int &moved) {
    moved = 0;
    for (const ProgramOp &op : old.ops()) {
      ProgramOp &copy = *out.add_ops();
      copy = op;
      Exactness exactness = exactnessOf(old, op);
      bool move = how.chooses ? how.chooses(op) : exactness != Exactness::Bits;
      copy.clear_operands();
      for (uint32_t value : op.operands())
        copy.add_operands(now[value]);
      if (!move)
        continue;
      ProgramOp own = copy; // adding ops moves them
      // Results keep their numbers; their readers get the moved values.
      for (uint32_t value : op.results()) {
        if (countOf(value) == 0)
          continue;
        now[value] = moveResult(own, value, exactness);
        ++moved;
      }
    }
    out.clear_results();
    for (uint32_t value : old.results())
      out.add_results(now[value]);
    return std::move(out);
  }

private:
  const format::ProgramValue &type(uint32_t value) const {
    return out.values(int(value));
  }
  int64_t countOf(uint32_t value) const {
    int64_t count = 1;
    for (int64_t extent : type(value).shape())
      count *= extent;
    return count;
  }

  uint32_t addValue(uint32_t like, format::Type element) {
    format::ProgramValue value = type(like);
    value.set_type(element);
    *out.add_values() = value;
    return uint32_t(out.values_size() - 1);
  }
  uint32_t addOp(const char *name, std::initializer_list<uint32_t> operands,
                 format::Type element) {
    uint32_t result = addValue(*operands.begin(), element);
    ProgramOp &op = *out.add_ops();
    op.set_name(name);
    for (uint32_t operand : operands)
      op.add_operands(operand);
    op.add_results(result);
    return result;
  }
  // Adds a constant of the shape of `like`, with the sign of each element
  // drawn.
  uint32_t addConstant(uint32_t like, double magnitude) {
    uint32_t result = addValue(like, format::F64);
    std::string data;
    for (int64_t i = 0, count = countOf(like); i < count; ++i) {
      bool isDown = how.pattern == 0   ? false
                    : how.pattern == 1 ? true
                                       : (random() & 1) != 0;
      double x = isDown ? -magnitude : magnitude;
      data.append(reinterpret_cast<const char *>(&x), sizeof(x));
    }
    ProgramOp &op = *out.add_ops();
    op.set_name("constant");
    op.add_results(result);
    format::Attribute &value = *op.add_attributes();
    value.set_name("value");
    value.set_data(data);
    return result;
  }

  uint32_t moveResult(const ProgramOp &op, uint32_t value,
                      Exactness exactness) {
    format::Type element = type(value).type();
    if (!isFloat(element))
      return moveInteger(value, element);
    uint32_t wide = addOp("convert", {value}, format::F64);
    double epsilon = epsilonOf(element);
    if (exactness == Exactness::Sum || exactness == Exactness::Attention) {
      uint32_t magnitude = exactness == Exactness::Sum
                               ? addMagnitude(op, value)
                               : addLargest(wide);
      double terms = termsOf(op);
      double sums = element == format::F64 ? epsilon : epsilonOf(format::F32);
      uint32_t size = addConstant(value, how.scale * terms * sums);
      uint32_t distance = addOp("multiply", {magnitude, size}, format::F64);
      wide = addOp("add", {wide, distance}, format::F64);
    } else {
      // 2 eps relative is 2 to 4 ulp.
      double relative = exactness == Exactness::Bits    ? epsilon
                                                        : 2 * epsilon;
      double scale = exactness == Exactness::Bits ? 1 : how.scale;
      uint32_t size = addConstant(value, scale * relative);
      uint32_t distance = addOp("multiply", {wide, size}, format::F64);
      // If one bit must show, zero is moved, too.
      if (exactness == Exactness::Bits)
        distance = addOp("add", {distance, addConstant(value, 0x1p-140)},
                         format::F64);
      wide = addOp("add", {wide, distance}, format::F64);
    }
    return addOp("convert", {wide}, element);
  }

  uint32_t moveInteger(uint32_t value, format::Type element) {
    if (element == format::F8E4M3FN) { // its bits: it has no arithmetic
      uint32_t bits = addOp("bitcast_convert", {value}, format::U8);
      bits = addOp("not", {bits}, format::U8);
      return addOp("bitcast_convert", {bits}, element);
    }
    return addOp("not", {value}, element);
  }

  // Applies the op to the absolute values of its operands, as f64.
  uint32_t addMagnitude(const ProgramOp &op, uint32_t value) {
    std::vector<uint32_t> operands;
    for (uint32_t operand : op.operands())
      operands.push_back(isFloat(type(operand).type())
                             ? addOp("abs", {operand}, type(operand).type())
                             : operand);
    uint32_t result = addValue(value, type(value).type());
    ProgramOp &copy = *out.add_ops();
    copy = op;
    copy.clear_operands();
    for (uint32_t operand : operands)
      copy.add_operands(operand);
    copy.clear_results();
    copy.add_results(result);
    return addOp("convert", {result}, format::F64);
  }

  // The largest absolute value of a tensor of f64, in all its places.
  uint32_t addLargest(uint32_t wide) {
    uint32_t magnitude = addOp("abs", {wide}, format::F64);
    uint32_t largest = addOp("reduce", {magnitude}, format::F64);
    out.mutable_values(int(largest))->clear_shape();
    ProgramOp &reduce = *out.mutable_ops(out.ops_size() - 1);
    format::Attribute &dims = *reduce.add_attributes();
    dims.set_name("dims");
    dims.mutable_integers();
    for (int d = 0; d < type(wide).shape_size(); ++d)
      dims.mutable_integers()->add_values(d);
    format::Attribute &kind = *reduce.add_attributes();
    kind.set_name("kind");
    kind.set_word("maximum");
    uint32_t result = addValue(wide, format::F64);
    ProgramOp &broadcast = *out.add_ops();
    broadcast.set_name("broadcast_in_dim");
    broadcast.add_operands(largest);
    broadcast.add_results(result);
    format::Attribute &none = *broadcast.add_attributes();
    none.set_name("dims");
    none.mutable_integers();
    return result;
  }

  // The number of terms in the sum that makes an element of the result.
  double termsOf(const ProgramOp &op) const {
    auto extent = [&](int operand, const char *attribute) {
      const format::ProgramValue &in = type(op.operands(operand));
      const format::Attribute *dims = find(op, attribute);
      double count = 1;
      if (dims)
        for (int64_t d : dims->integers().values())
          count *= double(in.shape(int(d)));
      return count;
    };
    const format::ProgramValue &first = type(op.operands(0));
    double count = 1;
    if (op.name() == "reduce")
      count = extent(0, "dims");
    else if (op.name() == "dot_general")
      count = extent(0, "lhs_contracting");
    else if (op.name() == "cumulative")
      count = double(first.shape(int(find(op, "dim")->integer())));
    else if (op.name() == "reduce_window")
      for (int64_t w : find(op, "window")->integers().values())
        count *= double(w);
    else if (op.name() == "convolution") {
      const format::ProgramValue &kernel = type(op.operands(1));
      const auto &dims = find(op, "kernel_dims")->integers().values();
      for (int d = 0; d < dims.size(); ++d)
        if (d != 1)
          count *= double(kernel.shape(int(dims[d])));
    } else if (op.name() == "sum_of_squares") {
      for (int64_t extent : first.shape())
        count *= double(extent);
    } else { // attention: keys and depth
      const format::ProgramValue &key = type(op.operands(1));
      int rank = key.shape_size();
      count = double(key.shape(rank - 3) + first.shape(rank - 3) +
                     key.shape(rank - 1));
    }
    return std::max(1.0, count);
  }

  const Program &old;
  const Perturbation &how;
  std::mt19937 random;
  Program out;
  std::vector<uint32_t> now; // the new value of each old one
};

} // namespace

Exactness exactnessOf(const Program &program, const ProgramOp &op) {
  static const std::set<std::string> functions = {
      "exponential", "exponential_minus_one",
      "log",         "log_plus_one",
      "tanh",        "logistic",
      "rsqrt",       "cbrt",
      "sine",        "cosine",
      "tan",         "erf",
      "erfc",        "erf_inv",
      "power",       "atan2",
      "remainder"};
  if (op.name().rfind("attention", 0) == 0)
    return Exactness::Attention;
  if (op.results().empty() ||
      !isFloat(program.values(int(op.results(0))).type()))
    return Exactness::Bits;
  if (functions.count(op.name()))
    return Exactness::Ulps;
  if (op.name() == "dot_general" || op.name() == "convolution" ||
      op.name() == "sum_of_squares")
    return Exactness::Sum;
  if (op.name() == "reduce" || op.name() == "cumulative" ||
      op.name() == "reduce_window") {
    std::string kind = wordOf(op, "kind");
    return kind == "add" || kind == "multiply" ? Exactness::Sum
                                               : Exactness::Bits;
  }
  return Exactness::Bits;
}

Program perturb(const Program &program, const Perturbation &how, int &moved) {
  return Writer(program, how).write(moved);
}

} // namespace zcc::conformance
