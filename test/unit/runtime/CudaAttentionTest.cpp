// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention by cuDNN and its gradient, on the stand-in for the library:
// compared with the formulas in double.

#include "LibraryProgram.h"

#include "runtime/core/Error.h"
#include "runtime/format/Validate.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

using format::Attention;

struct Case {
  format::Type type;
  uint64_t batches, queries, keys, heads, keyHeads, depth, valueDepth;
  bool causal;
  uint64_t scratch;
  /// Elements between a row's end and the next one.
  uint64_t gap;
};

struct Matrix {
  const Attention::Tensor &tensor;
  uint64_t rows, heads, depth;

  size_t place(uint64_t b, uint64_t row, uint64_t head, uint64_t i) const {
    return tensor.begin() + b * tensor.batch_stride() +
           row * tensor.row_stride() + head * tensor.head_stride() + i;
  }
};

struct Prepared {
  format::Kernel kernel;
  std::vector<size_t> bytes;
  uint32_t reads = 0;
  format::Executable program;
};

Prepared prepare(const Case &one, bool isGradient) {
  Prepared out;
  Attention &a = *out.kernel.mutable_attention();
  out.kernel.set_scratch(one.scratch);
  a.set_type(one.type);
  a.set_batches(one.batches);
  a.set_queries(one.queries);
  a.set_keys(one.keys);
  a.set_heads(one.heads);
  a.set_key_heads(one.keyHeads);
  a.set_depth(one.depth);
  a.set_value_depth(one.valueDepth);
  a.set_scale(0.25);
  a.set_causal(one.causal);
  auto add = [&](Attention::Tensor &t, uint64_t rows, uint64_t heads,
                 uint64_t depth) {
    t.set_buffer(uint32_t(out.bytes.size()));
    t.set_begin(one.gap);
    t.set_head_stride(depth);
    t.set_row_stride(heads * depth + one.gap);
    t.set_batch_stride(rows * t.row_stride());
    out.bytes.push_back((one.gap + one.batches * t.batch_stride()) * 2);
  };
  auto addStatistics = [&] {
    a.set_statistics(uint32_t(out.bytes.size()) + 1);
    out.bytes.push_back(one.batches * one.queries * one.heads * 4);
  };
  add(*a.mutable_query(), one.queries, one.heads, one.depth);
  add(*a.mutable_key(), one.keys, one.keyHeads, one.depth);
  add(*a.mutable_value(), one.keys, one.keyHeads, one.valueDepth);
  if (isGradient) {
    addStatistics();
    add(*a.mutable_cotangent(), one.queries, one.heads, one.valueDepth);
    add(*a.mutable_result(), one.queries, one.heads, one.valueDepth);
    out.reads = 6;
    add(*a.mutable_query_gradient(), one.queries, one.heads, one.depth);
    add(*a.mutable_key_gradient(), one.keys, one.keyHeads, one.depth);
    add(*a.mutable_value_gradient(), one.keys, one.keyHeads, one.valueDepth);
  } else {
    out.reads = 3;
    add(*a.mutable_result(), one.queries, one.heads, one.valueDepth);
    addStatistics();
  }
  out.program = programOf(out.kernel, out.bytes, out.reads);
  return out;
}

/// The formulas, with the results where memory has them.
class Reference {
public:
  Reference(const Attention &a, const std::vector<std::string> &memory)
      : a(a), memory(memory) {}

  double at(const Matrix &m, uint64_t b, uint64_t row, uint64_t head,
            uint64_t i) const {
    return loadFloat(a.type(), memory[m.tensor.buffer()],
                     m.place(b, row, head, i));
  }
  Matrix query() const {
    return {a.query(), a.queries(), a.heads(), a.depth()};
  }
  Matrix key() const { return {a.key(), a.keys(), a.key_heads(), a.depth()}; }
  Matrix value() const {
    return {a.value(), a.keys(), a.key_heads(), a.value_depth()};
  }
  Matrix result() const {
    return {a.result(), a.queries(), a.heads(), a.value_depth()};
  }
  uint64_t shared(uint64_t head) const {
    return head / (a.heads() / a.key_heads());
  }

  /// Returns the weights of a row, and the logarithm of their sum in `lse`.
  std::vector<double> weights(uint64_t b, uint64_t row, uint64_t head,
                              double &lse) const {
    std::vector<double> out(a.keys());
    double sum = 0;
    for (uint64_t j = 0; j < a.keys(); ++j) {
      if (a.causal() && j > row)
        continue;
      double score = 0;
      for (uint64_t i = 0; i < a.depth(); ++i)
        score +=
            at(query(), b, row, head, i) * at(key(), b, j, shared(head), i);
      sum += out[j] = std::exp(score * a.scale());
    }
    for (double &x : out)
      x /= sum;
    lse = std::log(sum);
    return out;
  }

  const Attention &a;
  const std::vector<std::string> &memory;
};

template <typename Visit> void forEachRow(const Attention &a, Visit visit) {
  for (uint64_t b = 0; b < a.batches(); ++b)
    for (uint64_t head = 0; head < a.heads(); ++head)
      for (uint64_t row = 0; row < a.queries(); ++row)
        visit(b, row, head);
}

std::vector<std::string> draw(const Prepared &made, format::Type type) {
  std::vector<std::string> memory;
  for (size_t bytes : made.bytes)
    memory.push_back(drawFloats(type, bytes / 2, unsigned(memory.size())));
  return memory;
}

void checkForward(const Case &one) {
  Prepared made = prepare(one, false);
  ASSERT_EQ(validate(made.program), "");
  const Attention &a = made.kernel.attention();
  std::vector<std::string> memory = draw(made, one.type);
  runProgram(made.program, memory);
  Reference reference(a, memory);
  const std::string &statistics = memory[a.statistics() - 1];
  forEachRow(a, [&](uint64_t b, uint64_t row, uint64_t head) {
    double lse;
    auto weights = reference.weights(b, row, head, lse);
    ASSERT_NEAR(loadFloat(format::F32, statistics,
                          (b * a.queries() + row) * a.heads() + head),
                lse, 1e-5);
    for (uint64_t i = 0; i < a.value_depth(); ++i) {
      double sum = 0;
      for (uint64_t j = 0; j < a.keys(); ++j)
        sum += weights[j] *
               reference.at(reference.value(), b, j, reference.shared(head), i);
      ASSERT_NEAR(reference.at(reference.result(), b, row, head, i), sum, 2e-2);
    }
  });
}

void checkGradient(const Case &one) {
  Prepared made = prepare(one, true);
  ASSERT_EQ(validate(made.program), "");
  const Attention &a = made.kernel.attention();
  std::vector<std::string> memory = draw(made, one.type);
  Reference reference(a, memory);
  // The statistics are those of the forward pass; the result need not be.
  forEachRow(a, [&](uint64_t b, uint64_t row, uint64_t head) {
    double lse;
    reference.weights(b, row, head, lse);
    storeFloat(format::F32, memory[a.statistics() - 1],
               (b * a.heads() + head) * a.queries() + row, float(lse));
  });
  Matrix cotangent{a.cotangent(), a.queries(), a.heads(), a.value_depth()},
      queryGradient{a.query_gradient(), a.queries(), a.heads(), a.depth()},
      keyGradient{a.key_gradient(), a.keys(), a.key_heads(), a.depth()},
      valueGradient{a.value_gradient(), a.keys(), a.key_heads(),
                    a.value_depth()};
  std::vector<std::vector<double>> expected;
  for (const std::string &own : memory)
    expected.emplace_back(own.size() / 2);
  forEachRow(a, [&](uint64_t b, uint64_t row, uint64_t head) {
    double lse, delta = 0;
    auto weights = reference.weights(b, row, head, lse);
    uint64_t shared = reference.shared(head);
    for (uint64_t i = 0; i < a.value_depth(); ++i)
      delta += reference.at(cotangent, b, row, head, i) *
               reference.at(reference.result(), b, row, head, i);
    for (uint64_t j = 0; j < a.keys(); ++j) {
      double change = -delta;
      for (uint64_t i = 0; i < a.value_depth(); ++i) {
        double g = reference.at(cotangent, b, row, head, i);
        change += g * reference.at(reference.value(), b, j, shared, i);
        expected[a.value_gradient().buffer()]
                [valueGradient.place(b, j, shared, i)] += weights[j] * g;
      }
      change *= weights[j] * a.scale();
      for (uint64_t i = 0; i < a.depth(); ++i) {
        expected[a.query_gradient().buffer()]
                [queryGradient.place(b, row, head, i)] +=
            change * reference.at(reference.key(), b, j, shared, i);
        expected[a.key_gradient().buffer()]
                [keyGradient.place(b, j, shared, i)] +=
            change * reference.at(reference.query(), b, row, head, i);
      }
    }
  });
  runProgram(made.program, memory);
  for (const Matrix &m : {queryGradient, keyGradient, valueGradient})
    for (uint64_t b = 0; b < a.batches(); ++b)
      for (uint64_t row = 0; row < m.rows; ++row)
        for (uint64_t head = 0; head < m.heads; ++head)
          for (uint64_t i = 0; i < m.depth; ++i) {
            double wanted =
                expected[m.tensor.buffer()][m.place(b, row, head, i)];
            ASSERT_NEAR(reference.at(m, b, row, head, i), wanted,
                        0.05 + 0.02 * std::abs(wanted))
                << m.tensor.buffer() << " " << b << " " << row << " " << head;
          }
}

TEST(CudaAttentionTest, ForwardWithStatistics) {
  for (format::Type type : {format::BF16, format::F16})
    for (bool causal : {false, true})
      for (uint64_t keyHeads : {4, 2}) {
        checkForward({type, 2, 5, 7, 4, keyHeads, 8, 16, causal, 4096, 8});
        checkForward({type, 1, 6, 6, 4, keyHeads, 16, 8, causal, 4096, 0});
      }
}

TEST(CudaAttentionTest, Gradient) {
  for (format::Type type : {format::BF16, format::F16})
    for (bool causal : {false, true})
      for (uint64_t keyHeads : {4, 2})
        checkGradient({type, 2, 5, 7, 4, keyHeads, 8, 16, causal, 1 << 16, 8});
}

// The plan runs once when the program is loaded, since what a library loads at
// its first use waits for the whole GPU. The arena is as before.
TEST(CudaAttentionTest, WarmsUpOnAnEmptyArena) {
  Prepared made =
      prepare({format::BF16, 2, 5, 7, 4, 4, 8, 16, false, 4096, 8}, false);
  const format::Task &task = made.program.stages(0).tasks(0);
  StandIn standIn("");
  auto backend = standIn.backend();
  RankHost host(made.program, *backend, {});
  EXPECT_EQ(standIn.countCalls("cudnnBackendExecute"), 1);
  host.onAllRanks([&](int rank) {
    Device &device = host.device(rank);
    for (const format::Operand &operand : task.operands()) {
      std::string bytes(operand.size(), 1);
      device.copyOut(device.mainStream(), bytes.data(),
                     device.at(operand.offset()), bytes.size());
      device.wait(device.mainStream());
      EXPECT_EQ(bytes, std::string(operand.size(), 0)) << operand.name();
    }
    host.runStep(rank, false);
    device.wait(device.mainStream());
  });
  EXPECT_EQ(standIn.countCalls("cudnnBackendExecute"), 2);
}

// All, a batch at a time, a pair of heads at a time, one: 8 x 8 scores of 16
// bits for each of 2 x 4 matrices, beside delta in 256 bytes.
TEST(CudaAttentionTest, GradientInParts) {
  for (uint64_t scratch : {1280, 256 + 700, 256 + 350, 256 + 180})
    checkGradient({format::F16, 2, 8, 8, 4, 4, 8, 8, true, scratch, 0});
  for (uint64_t scratch : {256 + 700, 256 + 350})
    checkGradient({format::F16, 2, 8, 8, 4, 2, 8, 8, true, scratch, 0});
}

TEST(CudaAttentionTest, WithoutRoomThereIsNoPlan) {
  Prepared made =
      prepare({format::F16, 2, 6, 6, 4, 4, 8, 8, true, 256 + 40, 0}, true);
  std::vector<std::string> memory = draw(made, format::F16);
  try {
    runProgram(made.program, memory);
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what())
                  .find("cannot compute step \"the call\" with cuDNN 9.19.0: "
                        "it has no deterministic plan for kernel \"call\" in "
                        "296 bytes"),
              std::string::npos)
        << error.what();
  }
}

/// Expects that validate() refuses the program that `change` damages, with
/// these words.
template <typename Change>
void expectInvalid(const std::string &words, Change change) {
  Prepared made =
      prepare({format::BF16, 2, 6, 6, 4, 2, 8, 8, true, 4096, 0}, true);
  change(made.program, *made.program.mutable_kernels(0)->mutable_attention());
  EXPECT_NE(validate(made.program).find(words), std::string::npos)
      << words << ": " << validate(made.program);
}

TEST(CudaAttentionTest, DamagedAttentionIsRefused) {
  expectInvalid("attention of f32",
                [](auto &, auto &a) { a.set_type(format::F32); });
  expectInvalid("attention of 0 keys", [](auto &, auto &a) { a.set_keys(0); });
  expectInvalid("4 heads do not share 3 of keys",
                [](auto &, auto &a) { a.set_key_heads(3); });
  expectInvalid("too many rows", [](auto &, auto &a) {
    a.set_batches((uint64_t(1) << 31) - 1);
    a.set_queries((uint64_t(1) << 31) - 1);
  });
  expectInvalid("a scale of Infinity",
                [](auto &, auto &a) { a.set_scale(INFINITY); });
  expectInvalid("the statistics are in buffer -1 of 9",
                [](auto &, auto &a) { a.set_statistics(0); });
  expectInvalid("the statistics are in buffer 9 of 9",
                [](auto &, auto &a) { a.set_statistics(10); });
  expectInvalid("the key is in buffer 77 of 9",
                [](auto &, auto &a) { a.mutable_key()->set_buffer(77); });
  expectInvalid("the value has a stride or begin of 12 elements",
                [](auto &, auto &a) { a.mutable_value()->set_row_stride(12); });
  expectInvalid("the query reaches beyond memory", [](auto &, auto &a) {
    a.mutable_query()->set_batch_stride(uint64_t(1) << 63);
  });
  expectInvalid("bytes, the cotangent of the attention",
                [](auto &, auto &a) { a.mutable_cotangent()->set_begin(8); });
  expectInvalid("bytes, the statistics of the attention", [](auto &program,
                                                             auto &) {
    program.mutable_stages(0)->mutable_tasks(0)->mutable_operands(3)->set_size(
        64);
  });
  expectInvalid("the query's gradient is read", [](auto &program, auto &) {
    program.mutable_stages(0)
        ->mutable_tasks(0)
        ->mutable_steps(0)
        ->mutable_kernel()
        ->set_reads(7);
  });
  expectInvalid("of another target than cuda", [](auto &program, auto &) {
    program.mutable_codes(0)->set_target("cpu");
    program.mutable_codes(0)->clear_images();
  });
}

} // namespace
