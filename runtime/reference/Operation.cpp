// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/reference/Operation.h"

#include "runtime/format/executable.pb.h"

namespace zcc::rt::reference {

std::string describe(const TensorType &type) {
  return text(typeName(type.type), type.shape);
}

Operation::Operation(const format::ProgramOp &op, std::string where,
                     std::vector<const TensorType *> operands,
                     std::vector<const TensorType *> results)
    : op(op), where(std::move(where)), operandTypes(std::move(operands)),
      resultTypes(std::move(results)) {}

const std::string &Operation::name() const { return op.name(); }

const format::Attribute *Operation::find(const std::string &attribute) const {
  for (const format::Attribute &a : op.attributes())
    if (a.name() == attribute)
      return &a;
  return nullptr;
}

const format::Attribute &Operation::get(const char *attribute) const {
  const format::Attribute *found = find(attribute);
  require(found, "no attribute \"", attribute, "\"");
  return *found;
}

int64_t Operation::integer(const char *attribute) const {
  const format::Attribute &a = get(attribute);
  require(a.value_case() == format::Attribute::kInteger, "attribute \"",
          attribute, "\" is no integer");
  return a.integer();
}

double Operation::number(const char *attribute) const {
  const format::Attribute &a = get(attribute);
  require(a.value_case() == format::Attribute::kNumber, "attribute \"",
          attribute, "\" is no number");
  return a.number();
}

const std::string &Operation::word(const char *attribute) const {
  const format::Attribute &a = get(attribute);
  require(a.value_case() == format::Attribute::kWord, "attribute \"", attribute,
          "\" is no word");
  return a.word();
}

const std::string &Operation::data(const char *attribute) const {
  const format::Attribute &a = get(attribute);
  require(a.value_case() == format::Attribute::kData, "attribute \"", attribute,
          "\" holds no elements");
  return a.data();
}

Shape Operation::list(const char *attribute) const {
  const format::Attribute &a = get(attribute);
  require(a.value_case() == format::Attribute::kIntegers, "attribute \"",
          attribute, "\" is no list of integers");
  return {a.integers().values().begin(), a.integers().values().end()};
}

std::vector<int> Operation::operandGroups(size_t groups) const {
  Shape sizes = list("operandSegmentSizes");
  require(sizes.size() == groups, sizes.size(),
          " groups of operands, expected ", groups);
  std::vector<int> places;
  size_t next = 0;
  for (int64_t size : sizes) {
    require(size == 0 || size == 1, "a group of ", size, " operands");
    places.push_back(size ? int(next++) : -1);
  }
  require(next == operands(), operands(), " operands, in groups ", next);
  return places;
}

void Operation::requireCounts(size_t operandCount, size_t resultCount) const {
  require(operands() == operandCount && results() == resultCount, operands(),
          " operands and ", results(), " results, expected ", operandCount,
          " and ", resultCount);
}

void Operation::requireIn(size_t i, const TensorType &type) const {
  require(in(i) == type, "operand ", i, ": expected ", describe(type),
          ", found ", describe(in(i)));
}

void Operation::requireOut(size_t i, const TensorType &type) const {
  require(out(i) == type, "result ", i, ": expected ", describe(type),
          ", found ", describe(out(i)));
}

void Operation::requireDims(const char *what, const Shape &dims,
                            int64_t rank) const {
  std::vector<bool> seen(size_t(rank), false);
  for (int64_t d : dims) {
    require(d >= 0 && d < rank, what, ": dim ", d, " of ", rank);
    require(!seen[size_t(d)], what, ": dim ", d, " twice");
    seen[size_t(d)] = true;
  }
}

int64_t Operation::dim(const char *attribute, int64_t rank) const {
  int64_t d = integer(attribute);
  require(d >= 0 && d < rank, attribute, " ", d, " of ", rank);
  return d;
}

} // namespace zcc::rt::reference
