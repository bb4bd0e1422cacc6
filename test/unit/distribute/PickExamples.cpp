// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Examples of ops that pick positions along dims: the best element, or those at
// a computed place, within the dim or beyond it.
#include "test/unit/distribute/OpExamples.h"
#include <random>

using namespace zcc;

namespace {
struct PickDraw {
  std::mt19937 engine;

  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % (high - low + 1));
  }
  template <size_t n> const char *of(const char *const (&list)[n]) {
    return list[engine() % n];
  }
};

std::string tensor(const std::vector<int64_t> &shape,
                   const char *element = "f32") {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

// A start that nobody knows, or that is known.
void addStart(PickDraw &d, OpExample &example, int64_t extent, size_t operand) {
  example.operands += std::string(", tensor<") + d.of({"i32", "i64"}) + ">";
  if (d.between(0, 3) == 0)
    example.constants[operand] = std::to_string(d.between(-1, extent));
}

// Two dims, of which one or both are cut, and one that is not.
OpExample slice(PickDraw &d) {
  int64_t rows = d.between(1, 8), columns = d.between(2, 12),
          fewer = d.between(0, 1) ? rows : d.between(1, rows),
          part = d.between(1, columns);
  OpExample example{"dynamic_slice",
                    "sizes = array<i64: " + std::to_string(fewer) + ", 2, " +
                        std::to_string(part) + ">",
                    tensor({rows, 2, columns}), tensor({fewer, 2, part})};
  addStart(d, example, rows, 1);
  addStart(d, example, 2, 2);
  addStart(d, example, columns, 3);
  return example;
}

OpExample update(PickDraw &d) {
  int64_t rows = d.between(1, 8), columns = d.between(2, 12),
          fewer = d.between(0, 1) ? rows : d.between(1, rows),
          part = d.between(1, columns);
  OpExample example{"dynamic_update_slice", "",
                    tensor({rows, 2, columns}) + ", " +
                        tensor({fewer, 2, part}),
                    tensor({rows, 2, columns})};
  addStart(d, example, rows, 2);
  addStart(d, example, 2, 3);
  addStart(d, example, columns, 4);
  example.zeroFirst = d.between(0, 1);
  return example;
}

// Inputs of few different numbers, or with NaN, infinities and both zeros.
OpExample best(PickDraw &d) {
  int64_t rows = d.between(1, 4), columns = d.between(1, 12),
          dim = d.between(0, 1);
  bool numbers = d.between(0, 1);
  OpExample example{"arg_reduce",
                    "dim = " + std::to_string(dim) +
                        " : i64, kind = #train<reduce_kind " +
                        d.of({"maximum", "minimum"}) + ">",
                    tensor({rows, columns},
                           numbers ? "f32" : d.of({"i32", "i8", "ui8", "i1"})),
                    tensor({dim ? rows : columns}, d.of({"i32", "i64"}))};
  if (!numbers)
    return example;
  std::string &list = example.constants[0];
  for (int64_t r = 0; r < rows; ++r) {
    list += r ? ", [" : "[[";
    for (int64_t c = 0; c < columns; ++c)
      list += std::string(c ? ", " : "") +
              d.of({"1.0", "2.0", "0.0", "-0.0", "-1.0", "0x7F800000",
                    "0xFF800000", "0xFF800000", "0x7FC00000"});
    list += "]";
  }
  list += "]";
  return example;
}
} // namespace

std::vector<OpExample> zcc::pickExamples(unsigned seed, unsigned count) {
  PickDraw d{std::mt19937(seed)};
  OpExample (*const ops[])(PickDraw &) = {slice, update, best};
  std::vector<OpExample> list;
  for (unsigned i = 0; i < count; ++i)
    list.push_back(ops[i % std::size(ops)](d));
  return list;
}
