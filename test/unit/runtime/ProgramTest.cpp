// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Invalid programs are refused with a message that names the op and its place,
// and damage is found when they are loaded. The results of ops are tested with
// the train dialect (test/unit/train).

#include "runtime/core/Error.h"
#include "runtime/format/Validate.h"
#include "runtime/format/executable.pb.h"
#include "runtime/reference/Interpreter.h"

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

#include <random>

namespace zcc::rt {
namespace {

format::Program parse(const std::string &text) {
  format::Program program;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &program));
  return program;
}

// (a + b) transposed, and its row sums.
const char *const sums = R"(
  values { type: F32 shape: [2, 3] } values { type: F32 shape: [2, 3] }
  values { type: F32 shape: [2, 3] } values { type: F32 shape: [3, 2] } values { type: F32 shape: [2] }
  arguments: 2
  ops { name: "add" operands: [0, 1] results: 2 }
  ops { name: "transpose" operands: 2 results: 3 attributes { name: "permutation" integers { values: [1, 0] } } }
  ops { name: "reduce" operands: 2 results: 4 attributes { name: "dims" integers { values: 1 } } attributes { name: "kind" word: "add" } }
  results: [3, 4])";

std::string refusal(const format::Program &program) {
  try {
    reference::Interpreter interpreter(program, "kernel \"k\"");
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
    return error.what();
  }
  return "";
}

TEST(Program, RunsOpByOp) {
  format::Program program = parse(sums);
  reference::Interpreter interpreter(program, "k");
  ASSERT_EQ(interpreter.buffers().size(), 4u);
  float a[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20, 30, 40, 50, 60};
  float transposed[6], rows[2];
  void *memory[] = {a, b, transposed, rows};
  interpreter.run(memory);
  EXPECT_EQ(std::vector<float>(transposed, transposed + 6),
            std::vector<float>({11, 44, 22, 55, 33, 66}));
  EXPECT_EQ(rows[0], 66);
  EXPECT_EQ(rows[1], 165);
}

TEST(Program, ResultsMayLieWhereArgumentsDo) {
  format::Program program = parse(R"(
    values { type: I32 shape: 2 } values { type: I32 shape: 2 } values { type: I32 shape: 2 }
    arguments: 2
    ops { name: "subtract" operands: [0, 1] results: 2 }
    results: [1, 2])");
  reference::Interpreter interpreter(program, "k");
  int32_t a[] = {5, 7}, b[] = {1, 2};
  void *memory[] = {a, b, a, b}; // swapped, in a way
  interpreter.run(memory);
  EXPECT_EQ(a[0], 1);
  EXPECT_EQ(a[1], 2);
  EXPECT_EQ(b[0], 4);
  EXPECT_EQ(b[1], 5);
}

TEST(Program, RefusesByPlaceAndName) {
  format::Program program = parse(sums);
  program.mutable_ops(1)->set_name("transmogrify");
  EXPECT_EQ(refusal(program),
            "kernel \"k\", op 1 \"transmogrify\": unknown op");

  program = parse(sums);
  program.mutable_ops(0)->set_operands(1, 3);
  EXPECT_EQ(refusal(program),
            "kernel \"k\": op 0 \"add\" reads value 3, which is not there");

  program = parse(sums);
  program.mutable_ops(1)->set_results(0, 2);
  EXPECT_EQ(refusal(program), "kernel \"k\": op 1 \"transpose\" makes value 2, "
                              "which is there already");

  program = parse(sums);
  program.mutable_values(3)->set_shape(0, 4);
  EXPECT_EQ(refusal(program), "kernel \"k\", op 1 \"transpose\": result 0: "
                              "expected f32[3, 2], found f32[4, 2]");

  program = parse(sums);
  program.mutable_ops(1)->mutable_attributes(0)->mutable_integers()->set_values(
      1, 1);
  EXPECT_EQ(refusal(program),
            "kernel \"k\", op 1 \"transpose\": permutation: dim 1 twice");

  program = parse(sums);
  program.mutable_ops(2)->mutable_attributes()->RemoveLast();
  EXPECT_EQ(refusal(program),
            "kernel \"k\", op 2 \"reduce\": no attribute \"kind\"");

  program = parse(sums);
  program.mutable_ops(2)->mutable_attributes(1)->set_word("median");
  EXPECT_EQ(refusal(program),
            "kernel \"k\", op 2 \"reduce\": unknown kind \"median\"");

  program = parse(sums);
  program.mutable_values(0)->set_type(static_cast<format::Type>(99));
  EXPECT_EQ(refusal(program), "kernel \"k\": value 0: unknown element type 99");

  program = parse(sums);
  program.mutable_values(0)->set_shape(0, int64_t(1) << 62);
  EXPECT_NE(refusal(program).find("impossible shape"), std::string::npos);

  program = parse(sums);
  program.add_results(9);
  EXPECT_EQ(refusal(program),
            "kernel \"k\": value 9 is returned, but not there");
}

// Ops with much to get wrong; each is valid as it stands.
const char *const fragile[] = {
    sums,
    R"(values { type: F32 shape: [5, 3] } values { type: I32 shape: [4, 1] } values { type: F32 shape: [4, 3] }
       values { type: F32 shape: [4, 3] } values { type: F32 shape: [5, 3] }
       arguments: 3
       ops { name: "gather" operands: [0, 1] results: 3 attributes { name: "offset_dims" integers { values: 1 } }
         attributes { name: "collapsed_slice_dims" integers { values: 0 } } attributes { name: "operand_batching_dims" integers {} }
         attributes { name: "indices_batching_dims" integers {} } attributes { name: "start_index_map" integers { values: 0 } }
         attributes { name: "index_vector_dim" integer: 1 } attributes { name: "slice_sizes" integers { values: [1, 3] } } }
       ops { name: "scatter" operands: [0, 1, 2] results: 4 attributes { name: "update_window_dims" integers { values: 1 } }
         attributes { name: "inserted_window_dims" integers { values: 0 } } attributes { name: "operand_batching_dims" integers {} }
         attributes { name: "indices_batching_dims" integers {} } attributes { name: "operand_dims_map" integers { values: 0 } }
         attributes { name: "index_vector_dim" integer: 1 } attributes { name: "kind" word: "add" } attributes { name: "clamp_starts" integer: 1 } }
       results: [3, 4])",
    R"(values { type: F32 shape: [1, 5, 6, 2] } values { type: F32 shape: [3, 3, 2, 4] } values { type: F32 shape: [1, 3, 4, 4] }
       arguments: 2
       ops { name: "convolution" operands: [0, 1] results: 2 attributes { name: "strides" integers { values: [1, 1] } }
         attributes { name: "pad_low" integers { values: [0, 0] } } attributes { name: "pad_high" integers { values: [0, 0] } }
         attributes { name: "lhs_dilation" integers { values: [1, 1] } } attributes { name: "rhs_dilation" integers { values: [1, 1] } }
         attributes { name: "reversal" integers { values: [0, 1] } } attributes { name: "input_dims" integers { values: [0, 3, 1, 2] } }
         attributes { name: "kernel_dims" integers { values: [2, 3, 0, 1] } } attributes { name: "output_dims" integers { values: [0, 3, 1, 2] } }
         attributes { name: "feature_groups" integer: 1 } attributes { name: "batch_groups" integer: 1 } }
       results: 2)",
    R"(values { type: F32 shape: [6, 7] } values { type: F32 shape: [] } values { type: F32 shape: [9, 6] } values { type: F32 shape: [3, 3] }
       values { type: F32 shape: [6, 7] } values { type: I32 shape: 6 } values { type: BF16 shape: [3, 3] } values { type: I32 shape: [] }
       values { type: F32 shape: [2, 2] } values { type: F32 shape: [6, 7] }
       arguments: 2
       ops { name: "pad" operands: [0, 1] results: 2 attributes { name: "low" integers { values: [1, -2] } }
         attributes { name: "high" integers { values: [2, 1] } } attributes { name: "interior" integers { values: [0, 0] } } }
       ops { name: "slice" operands: 2 results: 3 attributes { name: "start" integers { values: [0, 1] } }
         attributes { name: "limit" integers { values: [9, 6] } } attributes { name: "stride" integers { values: [3, 2] } } }
       ops { name: "cumulative" operands: 0 results: 4 attributes { name: "dim" integer: 1 } attributes { name: "kind" word: "maximum" }
         attributes { name: "reverse" integer: 1 } }
       ops { name: "arg_reduce" operands: 0 results: 5 attributes { name: "dim" integer: 1 } attributes { name: "kind" word: "minimum" } }
       ops { name: "convert" operands: 3 results: 6 }
       ops { name: "constant" results: 7 attributes { name: "value" data: "\001\000\000\000" } }
       ops { name: "dynamic_slice" operands: [3, 7, 7] results: 8 attributes { name: "sizes" integers { values: [2, 2] } } }
       ops { name: "dynamic_update_slice" operands: [0, 8, 7, 7] results: 9 }
       results: [2, 3, 4, 5, 6, 9])",
    R"(values { type: F32 shape: [2, 3, 4, 5] } values { type: F32 shape: [2, 6, 2, 5] } values { type: F32 shape: [2, 6, 2, 7] }
       values { type: I1 shape: [1, 1, 3, 6] } values { type: F32 shape: [2, 3, 4, 7] } values { type: F32 shape: [2, 3, 4] }
       arguments: 4
       ops { name: "attention" operands: [0, 1, 2, 3] results: [4, 5] attributes { name: "operandSegmentSizes" integers { values: [1, 1, 1, 0, 1, 0, 0, 0] } }
         attributes { name: "scale" number: 0.5 } attributes { name: "before" integer: 2 } attributes { name: "fill" number: -1e9 } }
       results: [4, 5])",
    R"(values { type: F32 shape: [4, 9] } values { type: F32 shape: [2, 4] } values { type: F32 shape: [4, 9] } values { type: F32 shape: [2, 4] }
       values { type: F32 shape: [4, 9] } values { type: I32 shape: [4, 9] } values { type: F32 shape: [9, 2] }
       arguments: 2
       ops { name: "select_and_scatter" operands: [0, 1] results: 2 attributes { name: "window" integers { values: [2, 3] } }
         attributes { name: "strides" integers { values: [2, 2] } } attributes { name: "pad_low" integers { values: [0, 0] } }
         attributes { name: "kind" word: "maximum" } }
       ops { name: "reduce_window" operands: 0 results: 3 attributes { name: "window" integers { values: [2, 3] } }
         attributes { name: "strides" integers { values: [2, 2] } } attributes { name: "base_dilation" integers { values: [1, 1] } }
         attributes { name: "window_dilation" integers { values: [1, 1] } } attributes { name: "pad_low" integers { values: [0, 0] } }
         attributes { name: "kind" word: "add" } }
       ops { name: "iota" results: 5 attributes { name: "dim" integer: 1 } }
       ops { name: "sort" operands: [0] results: [4] attributes { name: "dim" integer: 1 } attributes { name: "descending" integer: 0 } }
       ops { name: "dot_general" operands: [0, 3] results: 6 attributes { name: "lhs_batching" integers {} } attributes { name: "rhs_batching" integers {} }
         attributes { name: "lhs_contracting" integers { values: 0 } } attributes { name: "rhs_contracting" integers { values: 1 } } }
       results: [2, 3, 4, 5, 6])",
};

// Changes a number, a name or a list somewhere.
void damage(format::Program &program, std::mt19937 &random) {
  auto number = [&](uint64_t old) -> int64_t { // may wrap around
    switch (random() % 6) {
    case 0:
      return int64_t(old + 1);
    case 1:
      return int64_t(old - 1);
    case 2:
      return int64_t(-old);
    case 3:
      return int64_t(1) << (random() % 63);
    case 4:
      return INT64_MIN;
    default:
      return int64_t(random() % 8);
    }
  };
  auto list = [&](auto *values) {
    if (values->empty() || random() % 4 == 0)
      values->Add(number(1));
    else if (random() % 4 == 0)
      values->RemoveLast();
    else
      values->Set(int(random() % values->size()),
                  number(values->Get(0)));
  };
  if (random() % 3 == 0) {
    format::ProgramValue &value =
        *program.mutable_values(int(random() % program.values_size()));
    if (random() % 3 == 0)
      value.set_type(static_cast<format::Type>(random() % 15));
    else
      list(value.mutable_shape());
    return;
  }
  format::ProgramOp &op =
      *program.mutable_ops(int(random() % program.ops_size()));
  if (random() % 4 == 0) {
    auto *values = random() % 2 ? op.mutable_operands() : op.mutable_results();
    if (!values->empty())
      values->Set(int(random() % values->size()),
                  uint32_t(random() % (program.values_size() + 1)));
    return;
  }
  if (random() % 10 == 0)
    op.set_name(program.ops(int(random() % program.ops_size())).name());
  if (op.attributes().empty())
    return;
  format::Attribute &attribute =
      *op.mutable_attributes(int(random() % op.attributes_size()));
  if (attribute.has_integers())
    list(attribute.mutable_integers()->mutable_values());
  else if (attribute.has_integer())
    attribute.set_integer(number(attribute.integer()));
  else if (random() % 2)
    op.mutable_attributes()->RemoveLast();
}

// A large but possible program is as good as any.
bool isSmall(const format::Program &program) {
  for (const format::ProgramValue &value : program.values()) {
    double count = 1;
    for (int64_t extent : value.shape())
      count *= double(extent);
    if (count > 10000)
      return false;
  }
  // Windows and chains over them.
  for (const format::ProgramOp &op : program.ops())
    for (const format::Attribute &attribute : op.attributes())
      for (int64_t x : attribute.integers().values())
        if (x > 100000)
          return false;
  return true;
}

TEST(Program, DamageIsRefusedOrHarmless) {
  std::mt19937 random(1);
  int refused = 0, run = 0;
  for (int i = 0; i < 6000; ++i) {
    format::Program program = parse(fragile[i % std::size(fragile)]);
    ASSERT_EQ(refusal(program), "") << i % std::size(fragile);
    for (unsigned k = 0; k <= random() % 3; ++k)
      damage(program, random);
    if (!validateProgram(program).empty() || !refusal(program).empty()) {
      ++refused;
      continue;
    }
    if (!isSmall(program))
      continue;
    ++run;
    reference::Interpreter interpreter(program, "k");
    std::vector<std::vector<char>> memory;
    std::vector<void *> pointers;
    for (const reference::TensorType &type : interpreter.buffers()) {
      memory.emplace_back(type.bytes());
      for (char &byte : memory.back())
        byte = char(random());
      pointers.push_back(memory.back().data());
    }
    interpreter.run(pointers.data());
  }
  EXPECT_GT(refused, 2000);
  EXPECT_GT(run, 500);
}

} // namespace
} // namespace zcc::rt
