// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op of a program as the parts of the interpreter see it. They check it
// once, when a program is loaded, and make a function of it that runs.
// dialects/Train/TrainOps.td says what an op means; its shapes and attributes
// are checked here again, because a file may be damaged.

#ifndef ZCC_RUNTIME_REFERENCE_OPERATION_H
#define ZCC_RUNTIME_REFERENCE_OPERATION_H

#include "runtime/core/Error.h"
#include "runtime/format/ElementType.h"
#include "runtime/reference/Walk.h"

#include <functional>
#include <string>
#include <vector>

namespace zcc::rt {

namespace format {
class Attribute;
class ProgramOp;
} // namespace format

namespace reference {

struct TensorType {
  ElementType type = ElementType::Invalid;
  Shape shape;

  int64_t count() const { return countOf(shape); }
  size_t bytes() const { return size_t(count()) * byteSize(type); }
  int64_t rank() const { return int64_t(shape.size()); }
};
/// Returns true if -most < value < most. Numbers of a damaged file may have no
/// absolute value.
inline bool isWithin(int64_t value, int64_t most) {
  return value > -most && value < most;
}

inline bool operator==(const TensorType &a, const TensorType &b) {
  return a.type == b.type && a.shape == b.shape;
}

/// "f32[2, 3]".
std::string describe(const TensorType &type);

/// The elements of an op's operands and results, row-major. No result lies
/// where an operand does.
struct Buffers {
  const void *const *in;
  void *const *out;

  template <typename T> const T *operand(size_t i) const {
    return static_cast<const T *>(in[i]);
  }
  template <typename T> T *result(size_t i = 0) const {
    return static_cast<T *>(out[i]);
  }
};
using Run = std::function<void(const Buffers &)>;

class Operation {
public:
  /// The types outlive the operation.
  Operation(const format::ProgramOp &op, std::string where,
            std::vector<const TensorType *> operands,
            std::vector<const TensorType *> results);

  const std::string &name() const;
  size_t operands() const { return operandTypes.size(); }
  size_t results() const { return resultTypes.size(); }
  const TensorType &in(size_t i) const { return *operandTypes[i]; }
  const TensorType &out(size_t i = 0) const { return *resultTypes[i]; }

  /// Returns an attribute; throws bad input if it is missing or of another
  /// kind.
  int64_t integer(const char *attribute) const;
  double number(const char *attribute) const;
  const std::string &word(const char *attribute) const;
  const std::string &data(const char *attribute) const;
  Shape list(const char *attribute) const;
  bool has(const char *attribute) const { return find(attribute); }

  /// The operand of each group of optional ones; -1 if it is absent.
  std::vector<int> operandGroups(size_t groups) const;

  template <typename... Parts>
  void require(bool holds, const Parts &...parts) const {
    if (!holds)
      badInput(where, ": ", parts...);
  }
  void requireCounts(size_t operands, size_t results) const;
  /// Operand or result `i` must be of this type; "operand 1: expected ...".
  void requireIn(size_t i, const TensorType &type) const;
  void requireOut(size_t i, const TensorType &type) const;
  /// Requires different dims of a tensor of `rank`.
  void requireDims(const char *what, const Shape &dims, int64_t rank) const;
  /// Returns the attribute, which must be a dim of a tensor of `rank`.
  int64_t dim(const char *attribute, int64_t rank) const;

private:
  const format::Attribute *find(const std::string &attribute) const;
  const format::Attribute &get(const char *attribute) const;

  const format::ProgramOp &op;
  std::string where;
  std::vector<const TensorType *> operandTypes, resultTypes;
};

using Maker = Run (*)(const Operation &);
struct NamedMaker {
  const char *name;
  Maker make;
};

/// The ops that each part implements.
extern const std::vector<NamedMaker> unaryOps, binaryOps, choiceOps,
    conversionOps, movementOps, reductionOps, orderOps, windowOps, productOps,
    indexedOps, attentionOps;

} // namespace reference
} // namespace zcc::rt

#endif // ZCC_RUNTIME_REFERENCE_OPERATION_H
