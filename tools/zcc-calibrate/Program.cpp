// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the program that is timed. Every measurement is a task of its own, so
// that they share memory. Buffers are filled first, since pages that were never
// written are all one page of zeros.
#include "tools/zcc-calibrate/Program.h"

namespace zcc::calibrate {

static std::string buffer(const std::string &name, const Tensor &type) {
  return "    %" + name + " = exec.buffer \"temporary\" \"" + name +
         "\" {category = \"temporary\"} : <tensor<" + type + ">>\n";
}

// 0.5 in the four float types, for every pair of bytes that matter.
static std::string fill(const std::string &name, const Tensor &type) {
  bool half = type.find("bf16") != std::string::npos;
  bool narrow = half || type.find("f16") != std::string::npos;
  std::string bits = half ? "16128" : narrow ? "14336" : "1056964608";
  return "    exec.fill %" + name + " {value = " + bits + " : i64} : <tensor<" +
         type + ">>\n";
}

static std::string launch(const std::string &kernel,
                          const std::vector<std::string> &sources,
                          const std::vector<Tensor> &types,
                          const std::string &target, const Tensor &result) {
  std::string names, list;
  for (size_t i = 0; i < sources.size(); ++i) {
    names += (i ? ", %" : "%") + sources[i];
    list +=
        (i ? ", " : "") + std::string("!exec.buffer<tensor<") + types[i] + ">>";
  }
  return "    exec.launch @" + kernel + "(" + names + ") -> (%" + target +
         ") : (" + list + ") -> !exec.buffer<tensor<" + result + ">>\n";
}

static std::string function(const std::string &name,
                            const std::vector<Tensor> &types,
                            const Tensor &result, const std::string &body) {
  std::string list;
  for (size_t i = 0; i < types.size(); ++i)
    list += (i ? ", " : "") + std::string("%arg") + std::to_string(i) +
            ": tensor<" + types[i] + ">";
  return "  func.func private @" + name + "(" + list + ") -> tensor<" + result +
         "> attributes {exec.kernel} {\n" + body + "    return %out : tensor<" +
         result + ">\n  }\n";
}

// More than the caches of cores hold, often less than those that they share.
static constexpr const char *flushed = "1048576xf32";

void Program::addTask(const std::string &body) {
  std::string name =
      count++ == 0 ? "forward" : "forward_" + std::to_string(count);
  tasks += "  exec.task @" + name +
           " attributes {kind = \"forward\", stage = 0 : i64} {\n" + body +
           "  }\n";
  runs += "    dist.run @" + name + " {microbatch = 0 : i64}\n";
}

void Program::addKernel(const std::string &name,
                        const std::vector<Tensor> &sources,
                        const Tensor &target, const std::string &body,
                        bool cold, int times) {
  kernels += function(name, sources, target, body);
  std::string task;
  std::vector<std::string> names;
  for (size_t i = 0; i < sources.size(); ++i) {
    names.push_back("s" + std::to_string(i));
    task += buffer(names.back(), sources[i]);
  }
  task += buffer("t", target);
  if (cold)
    task += buffer("f", flushed) + buffer("g", flushed);
  for (size_t i = 0; i < sources.size(); ++i)
    task += fill(names[i], sources[i]);
  task += fill("t", target);
  if (cold)
    task += fill("f", flushed);
  for (int i = 0; i < times; ++i) {
    if (cold)
      task += launch("flush", {"f"}, {flushed}, "g", flushed);
    task += launch(name, names, sources, "t", target);
  }
  addTask(task);
}

void Program::addProduct(const std::string &name, const std::string &type,
                         const Product &product, bool prologue) {
  bool batched = product.batch > 1;
  auto shape = [&](int64_t rows, int64_t columns, const std::string &element) {
    return (batched ? std::to_string(product.batch) + "x" : "") +
           std::to_string(rows) + "x" + std::to_string(columns) + "x" + element;
  };
  auto [batch, m, n, k, layout] = product;
  bool left = layout[0] == 'T', right = layout[1] == 'T';
  Tensor a = left ? shape(k, m, type) : shape(m, k, type);
  Tensor b = right ? shape(n, k, type) : shape(k, n, type);
  Tensor c = shape(m, n, "f32");
  std::string dims = batched ? "array<i64: 0>" : "array<i64>";
  auto contracted = [&](bool second) {
    return std::to_string((batched ? 1 : 0) + (second ? 1 : 0));
  };
  std::string body;
  if (prologue)
    body = "    %0 = train.multiply %arg0, %arg2 : (tensor<" + a +
           ">, tensor<" + a + ">) -> tensor<" + a + ">\n";
  body += "    %out = train.dot_general " +
          std::string(prologue ? "%0" : "%arg0") +
          ", %arg1 {lhs_batching = " + dims +
          ", lhs_contracting = array<i64: " + contracted(!left) +
          ">, rhs_batching = " + dims +
          ", rhs_contracting = array<i64: " + contracted(right) +
          ">} : (tensor<" + a + ">, tensor<" + b + ">) -> tensor<" + c + ">\n";
  std::vector<Tensor> sources = {a, b};
  if (prologue)
    sources.push_back(a);
  addKernel(name, sources, c, body, /*cold=*/true, /*times=*/3);
}

void Program::addStream(const std::string &name, int64_t elements, int times) {
  Tensor type = std::to_string(elements) + "xf32";
  std::string types = " : (tensor<" + type + ">, tensor<" + type +
                      ">) -> tensor<" + type + ">\n";
  addKernel(name, {type, type}, type,
            "    %0 = train.add %arg0, %arg0" + types +
                "    %out = train.add %0, %arg1" + types,
            /*cold=*/elements > 4096, times);
}

void Program::addChain(const std::string &name, const std::string &op,
                       int operands, int64_t elements, int count) {
  Tensor type = std::to_string(elements) + "xf32";
  std::string body, value = "%arg0", list = "tensor<" + type + ">";
  for (int i = 0; i < count; ++i) {
    std::string out = i + 1 < count ? "%v" + std::to_string(i) : "%out";
    body += "    " + out + " = train." + op + " " + value +
            (operands == 2 ? ", %arg0" : "") + " : (" + list +
            (operands == 2 ? ", " + list : "") + ") -> " + list + "\n";
    value = out;
  }
  addKernel(name, {type}, type, body, /*cold=*/false, /*times=*/4);
}

void Program::addCollective(const std::string &name, const std::string &kind,
                            int64_t bytes, int times) {
  bool gathers = kind == "all_gather";
  int64_t elements = std::max<int64_t>(bytes / 4, 1);
  if (gathers)
    elements = (elements + ranks - 1) / ranks * ranks;
  Tensor target = std::to_string(elements) + "xf32";
  Tensor source =
      std::to_string(gathers ? elements / ranks : elements) + "xf32";
  auto collective = [&](const std::string &what, const std::string &from,
                        const std::string &to, const std::string &value,
                        const Tensor &a, const Tensor &b) {
    return "    exec.collective \"" + what + "\" %" + from + " -> %" + to +
           " {axes = [\"data\"]" +
           (what == "all_gather" ? "" : ", reduction = \"add\"") +
           ", value = \"" + value +
           "\", what = \"gradient\", why = \"timed\"} : <tensor<" + a +
           ">> -> <tensor<" + b + ">>\n";
  };
  // Each rank has just computed what it sends, and what it receives into is
  // cold. A small one before, so that all ranks begin together.
  std::string task = buffer("s", source) + buffer("t", target) +
                     buffer("b", "f32") + buffer("f", flushed) +
                     buffer("g", flushed) + fill("t", target) +
                     fill("b", "f32") + fill("f", flushed);
  for (int i = 0; i < times; ++i)
    task += (bytes > 4096 ? launch("flush", {"f"}, {flushed}, "g", flushed)
                          : std::string()) +
            fill("s", source) +
            collective("all_reduce", "b", "b", "barrier", "f32", "f32") +
            collective(kind, "s", "t", name, source, target);
  addTask(task);
}

std::string Program::text() const {
  Tensor type = flushed;
  std::string types = " : (tensor<" + type + ">, tensor<" + type +
                      ">) -> tensor<" + type + ">\n";
  return "module attributes {zcc.phase = \"scheduled\"} {\n"
         "  dist.mesh @mesh [#dist.axis<\"data\" = " +
         std::to_string(ranks) +
         ">]\n"
         "  dist.output @loss : tensor<f32> {kind = \"loss\", output = "
         "\"loss\", stage = 0 : i64}\n"
         "  exec.task @epilogue attributes {kind = \"epilogue\", stage = 0 : "
         "i64} {\n"
         "    %0 = exec.buffer \"output\" \"loss\" {category = \"temporary\"} "
         ": <tensor<f32>>\n"
         "    exec.fill %0 {value = 0 : i64} : <tensor<f32>>\n"
         "  }\n" +
         tasks + "  dist.schedule attributes {stage = 0 : i64} {\n" + runs +
         "    dist.run @epilogue {microbatch = 0 : i64}\n  }\n" + kernels +
         function("flush", {type}, type,
                  "    %out = train.add %arg0, %arg0" + types) +
         "}\n";
}

} // namespace zcc::calibrate
