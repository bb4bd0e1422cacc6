// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention that a library does, and the operands that it is run with.

#include "runtime/format/Checker.h"
#include "runtime/format/Targets.h"

#include <cmath>

namespace zcc::rt {

namespace {

constexpr uint64_t mostExtent = uint64_t(1) << 31;

struct AttentionTensor {
  const char *name;
  const format::Attention::Tensor &tensor;
  uint64_t rows, heads, depth;
  bool isResult;

  /// Elements up to the end of the last one; nothing if the sizes are absurd.
  std::optional<uint64_t> end(const format::Attention &a) const {
    uint64_t end = tensor.begin();
    for (auto [extent, stride] : {std::pair{a.batches(), tensor.batch_stride()},
                                  {rows, tensor.row_stride()},
                                  {heads, tensor.head_stride()},
                                  {depth, uint64_t(1)}}) {
      uint64_t reach;
      if (__builtin_mul_overflow(extent - 1, stride, &reach) ||
          __builtin_add_overflow(end, reach, &end))
        return std::nullopt;
    }
    return end < maxBytes ? std::optional(end + 1) : std::nullopt;
  }
};

std::vector<AttentionTensor> tensorsOf(const format::Attention &a) {
  bool isGradient = a.has_cotangent();
  std::vector<AttentionTensor> out = {
      {"query", a.query(), a.queries(), a.heads(), a.depth(), false},
      {"key", a.key(), a.keys(), a.key_heads(), a.depth(), false},
      {"value", a.value(), a.keys(), a.key_heads(), a.value_depth(), false},
      {"result", a.result(), a.queries(), a.heads(), a.value_depth(),
       !isGradient}};
  if (!isGradient)
    return out;
  out.push_back({"cotangent", a.cotangent(), a.queries(), a.heads(),
                 a.value_depth(), false});
  out.push_back({"query's gradient", a.query_gradient(), a.queries(), a.heads(),
                 a.depth(), true});
  out.push_back({"key's gradient", a.key_gradient(), a.keys(), a.key_heads(),
                 a.depth(), true});
  out.push_back({"value's gradient", a.value_gradient(), a.keys(),
                 a.key_heads(), a.value_depth(), true});
  return out;
}

uint64_t statisticsBytes(const format::Attention &a) {
  return a.batches() * a.queries() * a.heads() * 4;
}

} // namespace

bool Checker::checkAttention(const format::Kernel &kernel) {
  std::string where = text("kernel \"", kernel.symbol(), "\"");
  const format::Attention &a = kernel.attention();
  if (kernel.has_program() || !isCuda(executable.codes(int(kernel.code()))))
    return fail(where, ": attention beside a program, or of another target "
                       "than cuda");
  ElementType type = toElementType(a.type());
  if (type != ElementType::F16 && type != ElementType::BF16)
    return fail(where, ": attention of ", typeName(type));
  uint64_t all = 1;
  for (auto [name, extent] : {std::pair{"batches", a.batches()},
                              {"queries", a.queries()},
                              {"keys", a.keys()},
                              {"heads", a.heads()},
                              {"key heads", a.key_heads()},
                              {"elements a head", a.depth()},
                              {"elements a value", a.value_depth()}})
    if (extent == 0 || extent >= mostExtent)
      return fail(where, ": attention of ", extent, " ", name,
                  ", expected 1 to ", mostExtent - 1);
  for (uint64_t extent : {a.batches(), a.queries(), a.heads()})
    if (__builtin_mul_overflow(all, extent, &all) || all > maxBytes)
      return fail(where, ": attention of too many rows");
  if (a.heads() % a.key_heads() != 0)
    return fail(where, ": ", a.heads(), " heads do not share ", a.key_heads(),
                " of keys");
  if (!std::isfinite(a.scale()))
    return fail(where, ": a scale of ", a.scale());
  if (a.statistics() > kernel.buffers() ||
      (a.has_cotangent() && a.statistics() == 0))
    return fail(where, ": the statistics are in buffer ",
                int64_t(a.statistics()) - 1, " of ", kernel.buffers());
  for (const AttentionTensor &own : tensorsOf(a)) {
    if (own.tensor.buffer() >= kernel.buffers())
      return fail(where, ": the ", own.name, " is in buffer ",
                  own.tensor.buffer(), " of ", kernel.buffers());
    // 16 bytes are read at once.
    for (uint64_t elements :
         {own.tensor.begin(), own.tensor.batch_stride(),
          own.tensor.row_stride(), own.tensor.head_stride(), own.depth})
      if (elements % 8 != 0)
        return fail(where, ": the ", own.name, " has a stride or begin of ",
                    elements, " elements, expected multiples of 8");
    if (!own.end(a))
      return fail(where, ": the ", own.name, " reaches beyond memory");
  }
  return true;
}

bool Checker::checkAttentionStep(const std::string &where,
                                 const format::KernelStep &run,
                                 const format::Task &task) {
  const format::Attention &a =
      executable.kernels(int(run.kernel())).attention();
  auto check = [&](const char *name, uint32_t buffer, uint64_t bytes,
                   bool isResult) {
    const format::Operand &operand =
        task.operands(int(run.operands(int(buffer))));
    if (bytes > operand.size())
      return fail(where, ": operand \"", operand.name(), "\" has ",
                  operand.size(), " bytes, the ", name, " of the attention ",
                  bytes);
    bool isRead = buffer < run.reads();
    return isRead != isResult ||
           fail(where, ": the ", name, " is ", isRead ? "read" : "written");
  };
  for (const AttentionTensor &own : tensorsOf(a))
    if (!check(own.name, own.tensor.buffer(), *own.end(a) * 2, own.isResult))
      return false;
  return a.statistics() == 0 || check("statistics", a.statistics() - 1,
                                      statisticsBytes(a), !a.has_cotangent());
}

} // namespace zcc::rt
