// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attention kernels against the evaluator: bands, bias, masks, heads that
// share a key, operands read in place, narrow types, rows that see no keys,
// blocks of the keys. The bits are the same for every split of the items and
// every width of vectors.

#include "compiler/cuda/Codegen.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Train/Attention.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/codegen/RunCompiled.h"
#include <cmath>
#include <map>
#include <optional>

using namespace mlir;
using namespace zcc;
using namespace zcc::test;
using train::Tensor;

namespace {

struct Form {
  int64_t batch, queries, keys, heads, keyHeads, depth, valueDepth;
  std::string band = "";            // ", before = ..., after = ..."
  std::string bias = "", mask = ""; // shapes, as 2x4x3x5
  std::string element = "f32";
  std::string fill = "-1.0e30";
  std::string kept = ""; // a shape
  bool isJoined = false; // the gradients are parts of one result
};

class AttentionKernels : public RunCompiled {
protected:
  static std::string shape(std::initializer_list<int64_t> dims,
                           const std::string &element) {
    std::string text = "tensor<";
    for (int64_t dim : dims)
      text += std::to_string(dim) + "x";
    return text + element + ">";
  }

  // @k of the one op; its operands are those of the function.
  static std::string text(const Form &f, bool gradient) {
    std::string q = shape({f.batch, f.queries, f.heads, f.depth}, f.element);
    std::string k = shape({f.batch, f.keys, f.keyHeads, f.depth}, f.element);
    std::string v =
        shape({f.batch, f.keys, f.keyHeads, f.valueDepth}, f.element);
    std::string o =
        shape({f.batch, f.queries, f.heads, f.valueDepth}, f.element);
    std::string rows = shape({f.batch, f.queries, f.heads}, "f32");
    std::vector<std::string> in = {q, k, v};
    if (!f.bias.empty())
      in.push_back("tensor<" + f.bias + "xf32>");
    if (!f.mask.empty())
      in.push_back("tensor<" + f.mask + "xi1>");
    if (gradient)
      in.insert(in.end(), {rows, rows, o});
    if (!f.kept.empty())
      in.push_back("tensor<" + f.kept + "xi1>");
    std::string results = gradient ? q + ", " + k + ", " + v : o + ", " + rows;
    std::string arguments, names, types;
    for (size_t i = 0; i < in.size(); ++i) {
      std::string comma = i ? ", " : "", name = "%a" + std::to_string(i);
      arguments += comma + name + ": " + in[i];
      names += comma + name;
      types += comma + in[i];
    }
    std::string n = gradient ? "3" : "2";
    std::string op =
        "%r:" + n + " = train.attention" + (gradient ? "_gradient " : " ") +
        names + " {scale = 0.1 : f64, fill = " + f.fill + " : f64" + f.band +
        ", operandSegmentSizes = array<i32: 1, 1, 1, " +
        (f.bias.empty() ? "0" : "1") + ", " + (f.mask.empty() ? "0" : "1") +
        ", 0, 0" + (gradient ? ", 1, 1, 1" : "") +
        (f.kept.empty() ? ", 0>" : ", 1>, kept_scale = 1.25 : f64") + "} : (" +
        types + ") -> (" + results + ") ";
    if (gradient && f.isJoined)
      return joined(f, arguments, op, q);
    return "func.func @k(" + arguments + ") -> (" + results + ") { " + op +
           "return %r#0, %r#1" + (gradient ? ", %r#2" : "") + " : " + results +
           " }";
  }

  // The three gradients, of one shape, as one tensor of which rows are the
  // outermost dims.
  static std::string joined(const Form &f, const std::string &arguments,
                            const std::string &op, const std::string &part) {
    std::string one =
        shape({1, f.batch, f.queries, f.heads, f.depth}, f.element);
    std::string all =
        shape({3, f.batch, f.queries, f.heads, f.depth}, f.element);
    std::string moved =
        shape({f.batch, f.queries, 3, f.heads, f.depth}, f.element);
    std::string body = op;
    for (const char *i : {"0", "1", "2"})
      body += std::string("%p") + i + " = train.reshape %r#" + i + " : (" +
              part + ") -> " + one + " ";
    return "func.func @k(" + arguments + ") -> " + moved + " { " + body +
           "%all = train.concatenate %p0, %p1, %p2 {dim = 0 : i64} : (" + one +
           ", " + one + ", " + one + ") -> " + all +
           " %m = train.transpose %all {permutation = array<i64: 1, 2, 0, 3, "
           "4>} : (" +
           all + ") -> " + moved + " return %m : " + moved + " }";
  }

  // Kernels are those of GPUs, which round weights to the operands' type.
  bool usesTensorCores = false;

  // Largest error, relative to the largest element.
  static double error(const Tensor &expected, const Tensor &actual) {
    double largest = 0, off = 0;
    for (size_t i = 0; i < expected.values.size(); ++i) {
      double x = expected.values[i], y = actual.values[i];
      if ((std::isnan(x) && std::isnan(y)) || x == y)
        continue;
      if (!std::isfinite(x) || !std::isfinite(y))
        return HUGE_VAL;
      largest = std::max(largest, std::abs(x));
      off = std::max(off, std::abs(x - y));
    }
    return largest == 0 ? off : off / largest;
  }

  // For this CPU, with AVX2 and vectors of 8 and 16 lanes, and as a GPU's.
  struct Compiled {
    OwningOpRef<ModuleOp> module;
    std::vector<decltype(LoadedKernels::compile({}, {}, ""))> variants;
  };
  void compile(const std::string &text, Compiled &out) {
    out.module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(out.module) << text;
    auto kernel = out.module->lookupSymbol<func::FuncOp>("k");
    if (usesTensorCores) {
      kernel.walk([&](Operation *op) {
        if (train::Attention::isAttention(op))
          op->setAttr(exec::tensorCoresAttrName, UnitAttr::get(&context));
      });
      FailureOr<cuda::CudaKernels> text =
          cuda::compileKernels({kernel}, *cuda::findArchitecture("sm_80"), 1);
      ASSERT_TRUE(succeeded(text));
      EXPECT_NE(text->object.find("mma.sync.aligned.m16n8k16"),
                std::string::npos);
      out.variants.push_back(LoadedKernels::compileForBlocks({kernel}));
      ASSERT_TRUE(out.variants.back());
      return;
    }
    for (auto [cpu, lanes] : {std::pair<const char *, unsigned>("native", 0),
                              {"x86-64-v3", 8},
                              {"x86-64-v3", 16}}) {
      CodegenOptions options;
      options.lanes = lanes;
      out.variants.push_back(LoadedKernels::compile({kernel}, options, cpu));
      ASSERT_TRUE(out.variants.back()) << text;
    }
    out.variants.push_back(LoadedKernels::compileForBlocks({kernel}));
    ASSERT_TRUE(out.variants.back()) << text;
  }
  std::map<std::string, Compiled> compiled; // by text

  void compare(const std::string &text, ArrayRef<Tensor> inputs,
               SmallVectorImpl<Tensor> &expected, double bound) {
    Compiled &own = compiled[text];
    if (!own.module)
      compile(text, own);
    ASSERT_EQ(own.variants.size(), usesTensorCores ? 1u : 4u) << text;
    auto kernel = own.module->lookupSymbol<func::FuncOp>("k");
    std::string message;
    train::EvaluateOptions exact;
    ASSERT_TRUE(train::evaluate(kernel, inputs, expected, message, exact))
        << message;
    std::vector<std::string> first;
    for (auto [variant, loaded] : llvm::enumerate(own.variants)) {
      for (unsigned parts : {1, 3}) {
        if (loaded->info(0).threads && parts != 1)
          break; // blocks are parts
        std::vector<std::string> bytes = loaded->run(0, kernel, inputs, parts);
        if (first.empty()) {
          first = bytes;
          for (auto [i, type] : llvm::enumerate(kernel.getResultTypes()))
            EXPECT_LT(error(expected[i],
                            fromBytes(cast<RankedTensorType>(type), bytes[i])),
                      bound)
                << "result " << i << " of " << text;
        }
        // NaN may have any sign.
        bool same = bytes == first;
        for (auto [i, type] : llvm::enumerate(kernel.getResultTypes()))
          if (auto tensor = cast<RankedTensorType>(type); !same && variant == 3)
            EXPECT_EQ(difference(fromBytes(tensor, first[i]),
                                 fromBytes(tensor, bytes[i])),
                      "")
                << text;
        EXPECT_TRUE(same || variant == 3)
            << "variant " << variant << ", " << parts << " parts: " << text;
      }
    }
  }

  void check(const Form &f, bool hideRow = false) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text(f, false), &context);
    ASSERT_TRUE(module) << text(f, false);
    auto forward = module->lookupSymbol<func::FuncOp>("k");
    std::vector<Tensor> inputs;
    for (Type type : forward.getArgumentTypes())
      inputs.push_back(
          randomTensor(cast<RankedTensorType>(type), random, 0, 1));
    if (hideRow) // the first batch sees nothing
      for (size_t i = 0; i < inputs.back().values.size() / f.batch; ++i) {
        inputs.back().values[i] = 0;
        if (!inputs.back().integers.empty())
          inputs.back().integers[i] = 0;
      }
    double bound = f.element == "f32" ? 2e-6 : 1e-2;
    SmallVector<Tensor> results;
    compare(text(f, false), inputs, results, bound);
    // The gradient reads lse, and delta, the cotangent along the result.
    Tensor cotangent = randomTensor(results[0].type, random);
    Tensor delta = results[1];
    for (size_t row = 0; row < delta.values.size(); ++row) {
      delta.values[row] = 0;
      for (int64_t e = 0; e < f.valueDepth; ++e)
        delta.values[row] += cotangent.values[row * f.valueDepth + e] *
                             results[0].values[row * f.valueDepth + e];
    }
    // The kept weights come last.
    inputs.insert(inputs.end() - (f.kept.empty() ? 0 : 1),
                  {results[1], delta, cotangent});
    SmallVector<Tensor> gradients;
    compare(text(f, true), inputs, gradients, bound);
  }
};

// Computes block after block of keys, from block `first` on. The sums over all
// blocks are those of the whole op.
class AttentionBlocks : public AttentionKernels {
protected:
  struct Blocks {
    int64_t count, allKeys, first = 0, queryOrigin = 0;
    std::optional<int64_t> secondOrigin = {}; // of a folded sequence
  };

  static std::string list(const std::vector<std::string> &types,
                          const char *name) {
    std::string text;
    for (size_t i = 0; i < types.size(); ++i)
      text += (i ? ", " : "") +
              (name ? name + std::to_string(i) + ": " : std::string()) +
              types[i];
    return text;
  }

  // @k of the one op. `f.keys`: of a block; bias and mask are over all keys.
  static std::string text(const Form &f, const Blocks &b, bool gradient) {
    std::string q = shape({f.batch, f.queries, f.heads, f.depth}, f.element);
    std::string k = shape({f.batch, f.keys, f.keyHeads, f.depth}, f.element);
    std::string v =
        shape({f.batch, f.keys, f.keyHeads, f.valueDepth}, f.element);
    std::string o =
        shape({f.batch, f.queries, f.heads, f.valueDepth}, f.element);
    std::string rows = shape({f.batch, f.queries, f.heads}, "f32");
    std::string sums =
        shape({f.batch, f.queries, f.heads, f.valueDepth}, "f32");
    std::vector<std::string> in = {q, k, v}, out;
    if (!f.bias.empty())
      in.push_back("tensor<" + f.bias + "xf32>");
    if (!f.mask.empty())
      in.push_back("tensor<" + f.mask + "xi1>");
    in.insert(in.end(),
              {b.secondOrigin ? "tensor<2xi32>" : "tensor<i32>", "tensor<i32>"});
    if (gradient) {
      in.insert(in.end(), {rows, rows, o});
      out = {shape({f.batch, f.queries, f.heads, f.depth}, "f32"),
             shape({f.batch, f.keys, f.keyHeads, f.depth}, "f32"),
             shape({f.batch, f.keys, f.keyHeads, f.valueDepth}, "f32")};
    } else {
      out = {rows, rows, sums};
    }
    in.insert(in.end(), out.begin(), out.end());
    std::string names;
    for (size_t i = 0; i < in.size(); ++i)
      names += (i ? ", %a" : "%a") + std::to_string(i);
    return "func.func @k(" + list(in, "%a") + ") -> (" + list(out, nullptr) +
           ") { %r:3 = train.attention_block" +
           (gradient ? "_gradient " : " ") + names +
           " {scale = 0.1 : f64, fill = " + f.fill + " : f64" + f.band +
           ", all_keys = " + std::to_string(b.allKeys) +
           " : i64, operandSegmentSizes = array<i32: 1, 1, 1, " +
           (f.bias.empty() ? "0" : "1") + ", " + (f.mask.empty() ? "0" : "1") +
           ", 1, 1, 1, 1, 1" + (gradient ? ", 1, 1, 1" : "") + ">} : (" +
           list(in, nullptr) + ") -> (" + list(out, nullptr) +
           ") return %r#0, %r#1, %r#2 : " + list(out, nullptr) + " }";
  }

  static Tensor scalar(RankedTensorType type, int64_t value) {
    return {type, {static_cast<double>(value)}, {value}};
  }

  void check(const Form &f, const Blocks &b) {
    std::string forward = text(f, b, false), backward = text(f, b, true);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(forward, &context);
    OwningOpRef<ModuleOp> other =
        parseSourceString<ModuleOp>(backward, &context);
    ASSERT_TRUE(module && other) << forward << backward;
    auto types = module->lookupSymbol<func::FuncOp>("k").getArgumentTypes();
    std::vector<Tensor> inputs;
    for (Type type : types)
      inputs.push_back(
          randomTensor(cast<RankedTensorType>(type), random, 0, 1));
    size_t carried = inputs.size() - 3, origin = carried - 2;
    auto scalarType = cast<RankedTensorType>(types[origin + 1]);
    inputs[origin] =
        scalar(cast<RankedTensorType>(types[origin]), b.queryOrigin);
    if (b.secondOrigin) {
      inputs[origin].values.push_back(static_cast<double>(*b.secondOrigin));
      inputs[origin].integers.push_back(*b.secondOrigin);
    }
    inputs[carried].values.assign(inputs[carried].values.size(), -HUGE_VAL);
    for (size_t i : {carried + 1, carried + 2})
      inputs[i].values.assign(inputs[i].values.size(), 0);
    double bound = f.element == "f32" ? 2e-6 : 1e-2;
    std::vector<std::vector<Tensor>> blocks;
    for (int64_t turn = 0; turn < b.count; ++turn) {
      int64_t block = (b.first + b.count - turn) % b.count;
      inputs[origin + 1] = scalar(scalarType, block);
      for (size_t i : {1, 2}) {
        inputs[i] = randomTensor(inputs[i].type, random, 0, 1);
        zeroPadding(inputs[i], f, b.allKeys - block * f.keys);
      }
      blocks.push_back({inputs[1], inputs[2]});
      SmallVector<Tensor> results;
      compare(forward, inputs, results, bound);
      for (size_t i = 0; i < 3; ++i)
        inputs[carried + i] = results[i];
    }
    // lse, delta, the result's cotangent; then what is summed.
    Tensor lse = inputs[carried], total = inputs[carried + 1],
           sums = inputs[carried + 2];
    auto gradientTypes =
        other->lookupSymbol<func::FuncOp>("k").getArgumentTypes();
    Tensor cotangent = randomTensor(
        cast<RankedTensorType>(gradientTypes[carried + 2]), random);
    Tensor delta = lse;
    for (size_t row = 0; row < lse.values.size(); ++row) {
      bool none = lse.values[row] <= -1e29;
      lse.values[row] =
          none ? HUGE_VAL : lse.values[row] + std::log(total.values[row]);
      delta.values[row] = 0;
      for (int64_t e = 0; e < f.valueDepth; ++e)
        delta.values[row] += cotangent.values[row * f.valueDepth + e] *
                             sums.values[row * f.valueDepth + e] /
                             total.values[row];
    }
    inputs.resize(carried);
    inputs.insert(inputs.end(), {lse, delta, cotangent});
    for (size_t i = 0; i < 3; ++i) // another device's sums
      inputs.push_back(randomTensor(
          cast<RankedTensorType>(gradientTypes[carried + 3 + i]), random));
    for (int64_t turn = 0; turn < b.count; ++turn) {
      inputs[origin + 1] =
          scalar(scalarType, (b.first + b.count - turn) % b.count);
      inputs[1] = blocks[turn][0];
      inputs[2] = blocks[turn][1];
      SmallVector<Tensor> results;
      compare(backward, inputs, results, bound);
      inputs[carried + 3] = results[0];
    }
  }

  static void zeroPadding(Tensor &blocks, const Form &f, int64_t keys) {
    int64_t row = blocks.values.size() / (f.batch * f.keys);
    for (int64_t i = 0; i < f.batch * f.keys; ++i)
      for (int64_t j = 0; i % f.keys >= keys && j < row; ++j)
        blocks.values[i * row + j] = 0;
  }
};

TEST_F(AttentionBlocks, OfAllKeys) {
  check({2, 48, 24, 2, 2, 16, 16}, {3, 72});
  check({1, 50, 37, 4, 2, 8, 24}, {2, 74, 1});
}

TEST_F(AttentionBlocks, Uneven) {
  check({1, 30, 30, 2, 2, 8, 8}, {4, 100, 3});
  check({1, 5, 5, 1, 1, 8, 8}, {5, 12, 4}); // the last two have no keys
  check({1, 1, 1, 2, 1, 4, 4}, {3, 2, 1});
}

// Blocks of keys that a block of queries does not see, or sees in part.
TEST_F(AttentionBlocks, Bands) {
  check({1, 60, 60, 2, 1, 16, 16, ", after = 0 : i64"}, {3, 170, 1, 60});
  check({1, 60, 60, 1, 1, 8, 8, ", before = 20 : i64, after = 0 : i64"},
        {3, 180, 2, 120});
  check({1, 9, 9, 1, 1, 8, 8, ", before = 3 : i64, after = 2 : i64"},
        {4, 33, 3, 27});
}

// Two stripes of queries and of keys, one from the front and one from the end.
TEST_F(AttentionBlocks, Folded) {
  const std::string causal = ", after = 0 : i64";
  check({1, 60, 60, 2, 1, 16, 16, causal}, {3, 180, 1, 30, 120});
  check({2, 100, 100, 2, 2, 16, 24, causal}, {2, 200, 1, 50, 100});
  check({1, 14, 14, 1, 1, 8, 8, causal}, {4, 56, 3, 21, 28});
  check({1, 2, 2, 1, 1, 8, 8, causal}, {2, 4, 0, 0, 3});
  check({1, 60, 60, 1, 1, 8, 8, ", before = 40 : i64, after = 0 : i64"},
        {3, 180, 2, 60, 90});
  check({1, 96, 96, 1, 1, 8, 8, causal, "", "", "bf16"}, {2, 192, 0, 0, 144});
}

TEST_F(AttentionBlocks, BiasAndMask) {
  check({2, 50, 35, 2, 2, 16, 16, "", "1x2x50x70"}, {2, 70, 1});
  check({2, 50, 25, 2, 1, 16, 16, ", after = 0 : i64", "2x1x50x1", "2x2x50x70"},
        {3, 70, 2, 20});
  check({2, 5, 6, 2, 2, 8, 8, "", "", "2x1x1x16"}, {4, 16, 0});
}

TEST_F(AttentionBlocks, NarrowTypes) {
  for (const char *element : {"bf16", "f16"})
    check({2, 50, 30, 4, 2, 16, 24, ", after = 0 : i64", "", "", element},
          {2, 60, 0});
}

TEST_F(AttentionKernels, Plain) {
  check({2, 48, 48, 2, 2, 16, 16});
  check({1, 50, 37, 3, 3, 8, 24});
  check({2, 7, 300, 1, 1, 33, 5});
  check({1, 1, 1, 1, 1, 1, 1});
}

TEST_F(AttentionKernels, Bands) {
  check({1, 130, 130, 2, 2, 16, 16, ", after = 0 : i64"});
  check({1, 130, 130, 2, 2, 16, 16, ", before = 20 : i64, after = 0 : i64"});
  check({1, 100, 120, 1, 1, 12, 20, ", before = 70 : i64, after = 25 : i64"});
  check({1, 500, 500, 1, 1, 4, 4, ", after = 0 : i64"});
}

TEST_F(AttentionKernels, HeadsThatShareAKey) {
  check({2, 60, 60, 6, 2, 16, 16, ", after = 0 : i64"});
  check({1, 20, 30, 4, 1, 8, 8});
}

TEST_F(AttentionKernels, BiasAndMask) {
  check({2, 50, 70, 2, 2, 16, 16, "", "1x2x50x70"});
  check({2, 50, 70, 2, 2, 16, 16, ", after = 20 : i64", "1x1x1x70"});
  check({2, 50, 70, 2, 2, 16, 16, "", "", "2x1x1x70"});
  check(
      {2, 50, 70, 2, 1, 16, 16, ", after = 0 : i64", "2x1x50x1", "2x2x50x70"});
}

TEST_F(AttentionKernels, RowsThatSeeNothing) {
  check({2, 50, 70, 2, 2, 16, 16, ", after = 0 : i64", "", "2x1x1x70"}, true);
}

// Read from memory: by head and query, repeated, and beside a mask.
TEST_F(AttentionKernels, Dropout) {
  Form form{2, 50, 70, 2, 2, 16, 16};
  form.kept = "2x2x50x70";
  check(form);
  form = {2, 50, 70, 2, 1, 16, 16, ", after = 0 : i64"};
  form.kept = "1x1x50x70";
  check(form);
  form = {1, 7, 37, 2, 1, 8, 8, "", "", "1x1x1x37", "bf16"};
  form.kept = "1x2x7x37";
  check(form);
}

// The kept weights are computed from positions, for queries that do not fill
// the vectors; and read through a transpose.
TEST_F(AttentionKernels, DropoutThatIsComputed) {
  const std::string kept = R"(
      %b = train.iota {dim = 0 : i64} : () -> tensor<2x2x50x37xui32>
      %h = train.iota {dim = 1 : i64} : () -> tensor<2x2x50x37xui32>
      %i = train.iota {dim = 2 : i64} : () -> tensor<2x2x50x37xui32>
      %j = train.iota {dim = 3 : i64} : () -> tensor<2x2x50x37xui32>
      %c = train.constant dense<2> : tensor<2x2x50x37xui32>
      %d = train.constant dense<50> : tensor<2x2x50x37xui32>
      %e = train.constant dense<37> : tensor<2x2x50x37xui32>
      %s = train.constant dense<13> : tensor<2x2x50x37xui32>
      %m = train.constant dense<1540483477> : tensor<2x2x50x37xui32>
      %u = train.constant dense<3000000000> : tensor<2x2x50x37xui32>
      %0 = train.multiply %b, %c : (tensor<2x2x50x37xui32>, tensor<2x2x50x37xui32>) -> tensor<2x2x50x37xui32>
      %1 = train.add %0, %h : (tensor<2x2x50x37xui32>, tensor<2x2x50x37xui32>) -> tensor<2x2x50x37xui32>
      %2 = train.multiply %1, %d : (tensor<2x2x50x37xui32>, tensor<2x2x50x37xui32>) -> tensor<2x2x50x37xui32>
      %3 = train.add %2, %i : (tensor<2x2x50x37xui32>, tensor<2x2x50x37xui32>) -> tensor<2x2x50x37xui32>
      %4 = train.multiply %3, %e : (tensor<2x2x50x37xui32>, tensor<2x2x50x37xui32>) -> tensor<2x2x50x37xui32>
      %5 = train.add %4, %j : (tensor<2x2x50x37xui32>, tensor<2x2x50x37xui32>) -> tensor<2x2x50x37xui32>
      %6 = train.multiply %5, %m : (tensor<2x2x50x37xui32>, tensor<2x2x50x37xui32>) -> tensor<2x2x50x37xui32>
      %7 = train.shift_right_logical %6, %s : (tensor<2x2x50x37xui32>, tensor<2x2x50x37xui32>) -> tensor<2x2x50x37xui32>
      %8 = train.xor %6, %7 : (tensor<2x2x50x37xui32>, tensor<2x2x50x37xui32>) -> tensor<2x2x50x37xui32>
      %9 = train.multiply %8, %m : (tensor<2x2x50x37xui32>, tensor<2x2x50x37xui32>) -> tensor<2x2x50x37xui32>
      %kept = train.compare %9, %u {direction = #train<compare_direction LT>} : (tensor<2x2x50x37xui32>, tensor<2x2x50x37xui32>) -> tensor<2x2x50x37xi1>
  )";
  const std::string q = "tensor<2x50x2x16xf32>", k = "tensor<2x37x2x16xf32>",
                    rows = "tensor<2x50x2xf32>",
                    end =
                        ", kept_scale = 1.5 : f64, scale = 0.25 : f64, fill = "
                        "-1.0e30 : f64} : (";
  std::string forward =
      "func.func @k(%q: " + q + ", %x: " + k + ", %y: " + k + ") -> (" + q +
      ", " + rows + ") {" + kept +
      "%r:2 = train.attention %q, %x, %y, %kept {operandSegmentSizes = "
      "array<i32: 1, 1, 1, 0, 0, 0, 0, 1>" +
      end + q + ", " + k + ", " + k + ", tensor<2x2x50x37xi1>) -> (" + q +
      ", " + rows + ") return %r#0, %r#1 : " + q + ", " + rows + " }";
  std::string backward =
      "func.func @k(%q: " + q + ", %x: " + k + ", %y: " + k + ", %l: " + rows +
      ", %t: " + rows + ", %g: " + q + ") -> (" + q + ", " + k + ", " + k +
      ") {" + kept +
      "%r:3 = train.attention_gradient %q, %x, %y, %l, %t, %g, %kept "
      "{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1>" +
      end + q + ", " + k + ", " + k + ", " + rows + ", " + rows + ", " + q +
      ", tensor<2x2x50x37xi1>) -> (" + q + ", " + k + ", " + k +
      ") return %r#0, %r#1, %r#2 : " + q + ", " + k + ", " + k + " }";
  for (const std::string &text : {forward, backward}) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    std::vector<Tensor> inputs;
    for (Type type : module->lookupSymbol<func::FuncOp>("k").getArgumentTypes())
      inputs.push_back(
          randomTensor(cast<RankedTensorType>(type), random, 0, 1));
    SmallVector<Tensor> expected;
    compare(text, inputs, expected, 2e-6);
  }
}

class TensorCoreAttention : public AttentionKernels {
protected:
  TensorCoreAttention() { usesTensorCores = true; }
  void checkTypes(Form f, bool hideRow = false) {
    for (const char *element : {"bf16", "f16"}) {
      f.element = element;
      AttentionKernels::check(f, hideRow);
    }
  }
};

TEST_F(TensorCoreAttention, JoinedGradients) {
  Form form{2, 70, 70, 2, 2, 40, 40, ", after = 0 : i64"};
  form.isJoined = true;
  checkTypes(form);
}

// Rows and keys that fill no tile, depths of 8 and of several tiles.
TEST_F(TensorCoreAttention, Plain) {
  checkTypes({1, 64, 64, 1, 1, 16, 16});
  checkTypes({2, 70, 37, 2, 2, 8, 24});
  checkTypes({1, 7, 100, 1, 1, 40, 8});
  checkTypes({1, 33, 65, 1, 1, 128, 128});
  checkTypes({1, 20, 130, 4, 2, 64, 64});
}

TEST_F(TensorCoreAttention, Bands) {
  checkTypes({1, 130, 130, 2, 2, 16, 16, ", after = 0 : i64"});
  checkTypes(
      {1, 130, 130, 4, 2, 16, 16, ", before = 20 : i64, after = 0 : i64"});
  checkTypes(
      {1, 100, 120, 1, 1, 16, 24, ", before = 70 : i64, after = 25 : i64"});
}

TEST_F(TensorCoreAttention, BiasAndMask) {
  checkTypes({2, 50, 70, 2, 2, 16, 16, "", "1x2x50x70"});
  checkTypes({2, 50, 70, 2, 2, 16, 16, ", after = 20 : i64", "1x1x1x70"});
  checkTypes({2, 50, 70, 2, 2, 16, 16, "", "", "2x1x1x70"});
  checkTypes(
      {2, 50, 70, 2, 1, 16, 16, ", after = 0 : i64", "2x1x50x1", "2x2x50x70"});
}

TEST_F(TensorCoreAttention, RowsThatSeeNothing) {
  checkTypes({2, 50, 70, 2, 2, 16, 16, ", after = 0 : i64", "", "2x1x1x70"},
             true);
}

TEST_F(TensorCoreAttention, Dropout) {
  Form form{2, 50, 70, 2, 2, 16, 16};
  form.kept = "2x2x50x70";
  checkTypes(form);
  form = {2, 50, 70, 2, 1, 16, 16, ", after = 0 : i64"};
  form.kept = "1x1x50x70";
  checkTypes(form);
  form = {1, 7, 37, 2, 1, 8, 8, "", "", "1x1x1x37"};
  form.kept = "1x2x7x37";
  checkTypes(form);
}

TEST_F(AttentionKernels, NarrowTypes) {
  for (const char *element : {"bf16", "f16"})
    check({2, 50, 50, 4, 2, 16, 24, ", after = 0 : i64", "", "", element});
}

// Written to their places in one tensor.
TEST_F(AttentionKernels, JoinedGradients) {
  Form form{2, 50, 50, 4, 4, 16, 16, ", after = 0 : i64"};
  form.isJoined = true;
  check(form);
  form.element = "bf16";
  check(form);
  form = {1, 130, 130, 2, 2, 8, 8};
  form.isJoined = true;
  check(form);
}

// Parts of one tensor, and another order of dims, without a copy.
TEST_F(AttentionKernels, ReadsInPlace) {
  std::string text = R"(
    func.func @k(%x: tensor<3x2x40x4x16xf32>, %y: tensor<2x4x16x40xf32>)
        -> tensor<2x40x4x16xf32> {
      %0 = train.slice %x {start = array<i64: 0, 0, 0, 0, 0>, limit = array<i64: 1, 2, 40, 4, 16>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x40x4x16xf32>) -> tensor<1x2x40x4x16xf32>
      %q = train.reshape %0 : (tensor<1x2x40x4x16xf32>) -> tensor<2x40x4x16xf32>
      %1 = train.slice %x {start = array<i64: 2, 0, 0, 0, 0>, limit = array<i64: 3, 2, 40, 4, 16>, stride = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x2x40x4x16xf32>) -> tensor<1x2x40x4x16xf32>
      %v = train.reshape %1 : (tensor<1x2x40x4x16xf32>) -> tensor<2x40x4x16xf32>
      %k = train.transpose %y {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x4x16x40xf32>) -> tensor<2x40x4x16xf32>
      %r:2 = train.attention %q, %k, %v {scale = 0.25 : f64, fill = -1.0e30 : f64, after = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x40x4x16xf32>, tensor<2x40x4x16xf32>, tensor<2x40x4x16xf32>) -> (tensor<2x40x4x16xf32>, tensor<2x40x4xf32>)
      return %r#0 : tensor<2x40x4x16xf32>
    })";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  std::vector<Tensor> inputs;
  for (Type type : module->lookupSymbol<func::FuncOp>("k").getArgumentTypes())
    inputs.push_back(randomTensor(cast<RankedTensorType>(type), random));
  SmallVector<Tensor> expected;
  compare(text, inputs, expected, 1e-6);
}

} // namespace
