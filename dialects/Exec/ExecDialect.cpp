// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exec dialect: registration, types.
#include "dialects/Exec/Arenas.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/Exec.h"
#include "dialects/TensorBytes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::exec;

#include "dialects/Exec/ExecDialect.cpp.inc"
#include "dialects/Exec/ExecEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Exec/ExecTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Exec/ExecOps.cpp.inc"

void ExecDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Exec/ExecTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Exec/ExecOps.cpp.inc"
      >();
}

LogicalResult ExecDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  constexpr int64_t most = 1 << 24; // events of a stage
  auto isEvent = [](int64_t event) { return event >= 0 && event < most; };
  if (attribute.getName() == waitsAttrName) {
    auto waits = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    if (!waits || !llvm::all_of(waits.asArrayRef(), isEvent))
      return op->emitError() << "'" << waitsAttrName
                             << "' expects an array of events, i64 from 0 to "
                             << most - 1 << ", found " << attribute.getValue();
  } else if (attribute.getName() == eventAttrName) {
    auto event = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!event || !event.getType().isSignlessInteger(64) ||
        !isEvent(event.getInt()))
      return op->emitError()
             << "'" << eventAttrName << "' expects an event, an i64 from 0 to "
             << most - 1 << ", found " << attribute.getValue();
  } else if (attribute.getName() == arenasAttrName) {
    return verifyArenas(op, attribute.getValue());
  }
  return success();
}

int64_t BufferType::getBytes() const { return getTensorBytes(getTensor()); }

// ---------------------------------------------------------------- buffer

// A part must be aligned as the whole is.
LogicalResult BufferOp::verify() {
  if (failed(dist::verifySpace(*this, getMemoryAttrName())))
    return failure();
  constexpr int64_t alignment = 64, most = int64_t(1) << 50;
  if (!getBegin() || (getFirstByte() >= 0 && getFirstByte() < most &&
                      getFirstByte() % alignment == 0))
    return success();
  return emitOpError() << "'begin' is " << getFirstByte()
                       << ", expected a multiple of " << alignment
                       << " from 0 on";
}

// ---------------------------------------------------------------- collective

std::optional<zcc::dist::Boxes> CollectiveOp::getBoxes() {
  if (getKind() != dist::CollectiveKind::exchange_boxes)
    return std::nullopt;
  return dist::Boxes{*getShape(), *getFrom(), *getTo(), getWindows()};
}

static RankedTensorType typeOfPart(RankedTensorType whole,
                                   std::optional<ArrayRef<int64_t>> part) {
  if (!part)
    return whole;
  SmallVector<int64_t> shape(whole.getShape());
  shape[(*part)[0]] /= (*part)[2];
  return whole.clone(shape);
}

RankedTensorType CollectiveOp::getSourceType() {
  return typeOfPart(getSource().getType().getTensor(), getSourcePart());
}
RankedTensorType CollectiveOp::getTargetType() {
  return typeOfPart(getTarget().getType().getTensor(), getTargetPart());
}

bool CollectiveOp::isPieceOfRows(ArrayRef<int64_t> block, int64_t rows,
                                 int64_t dim) {
  return dim > rows && llvm::all_of(block.slice(rows, dim - rows),
                                    [](int64_t extent) { return extent == 1; });
}

/// Checks a part of a buffer, [dim, part, parts].
static LogicalResult verifyPart(CollectiveOp op, StringRef name,
                                ArrayRef<int64_t> part,
                                RankedTensorType whole) {
  if (op.getKind() != dist::CollectiveKind::all_to_all)
    return op.emitOpError() << "expected no '" << name << "' of kind "
                            << dist::stringifyCollectiveKind(op.getKind());
  if (part.size() == 3 && part[0] >= 0 && part[0] < whole.getRank() &&
      part[2] > 1 && part[1] >= 0 && part[1] < part[2] &&
      whole.getDimSize(part[0]) % part[2] == 0)
    return success();
  return op.emitOpError() << "'" << name << "' is [" << part
                          << "], expected a dim of " << whole
                          << ", a part of it, and a number of parts, above 1, "
                             "that divides it";
}

// Attributes of other kinds must be absent: nobody would read them.
LogicalResult CollectiveOp::verify() {
  bool permutes = getKind() == dist::CollectiveKind::permute,
       exchanges = getKind() == dist::CollectiveKind::exchange_boxes;
  auto expect = [&](StringRef name, bool wanted) -> LogicalResult {
    if ((*this)->hasAttr(name) == wanted)
      return success();
    return emitOpError() << "expected " << (wanted ? "" : "no ") << "'" << name
                         << "' of kind " << stringifyCollectiveKind(getKind());
  };
  if (failed(expect("shift", permutes)) || failed(expect("shape", exchanges)) ||
      failed(expect("from", exchanges)) || failed(expect("to", exchanges)))
    return failure();
  if (getWindows() && failed(expect("windows", exchanges)))
    return failure();
  if (getSourcePart() &&
      failed(verifyPart(*this, "source_part", *getSourcePart(),
                        getSource().getType().getTensor())))
    return failure();
  if (getTargetPart() &&
      failed(verifyPart(*this, "target_part", *getTargetPart(),
                        getTarget().getType().getTensor())))
    return failure();
  if (getSourceType().getElementType() != getTargetType().getElementType())
    return emitOpError() << "expected a target of "
                         << getSourceType().getElementType() << ", found "
                         << getTargetType().getElementType();
  auto inRank = [&](StringRef name, int64_t dim,
                    RankedTensorType type) -> LogicalResult {
    if (dim >= 0 && dim < type.getRank())
      return success();
    return emitOpError() << "'" << name << "' is " << dim
                         << ", expected a dim below the rank, "
                         << type.getRank();
  };
  switch (getKind()) {
  case dist::CollectiveKind::all_reduce:
  case dist::CollectiveKind::permute:
    if (getSourceType().getNumElements() != getTargetType().getNumElements())
      return emitOpError() << "expected a target of "
                           << getSourceType().getNumElements()
                           << " elements, found "
                           << getTargetType().getNumElements();
    return success();
  case dist::CollectiveKind::all_gather:
    return inRank("concat_dim", getConcatDim(), getSourceType());
  case dist::CollectiveKind::reduce_scatter:
    return inRank("split_dim", getSplitDim(), getTargetType());
  case dist::CollectiveKind::all_to_all: {
    if (failed(inRank("split_dim", getSplitDim(), getSourceType())) ||
        failed(inRank("concat_dim", getConcatDim(), getSourceType())))
      return failure();
    if (!getSourcePart() && !getTargetPart())
      return success();
    if (getSourceType().getRank() != getTargetType().getRank())
      return emitOpError() << "expected a target of the source's rank";
    // A member's rows must have contiguous parts.
    SmallVector<int64_t> block(getSourceType().getShape());
    block[getSplitDim()] = getTargetType().getDimSize(getSplitDim());
    auto check = [&](StringRef name, std::optional<ArrayRef<int64_t>> part,
                     int64_t rows) -> LogicalResult {
      if (!part || isPieceOfRows(block, rows, (*part)[0]))
        return success();
      return emitOpError() << "'" << name << "' is along dim " << (*part)[0]
                           << ", expected one behind dim " << rows
                           << ", with extents of 1 between in the blocks "
                              "that members exchange";
    };
    return failure(
        failed(check("source_part", getSourcePart(), getSplitDim())) ||
        failed(check("target_part", getTargetPart(), getConcatDim())));
  }
  case dist::CollectiveKind::exchange_boxes: {
    size_t rank = getShape()->size();
    if (getFrom()->getDims().size() != rank ||
        getTo()->getDims().size() != rank)
      return emitOpError() << "expected shardings of rank " << rank;
    if (getWindows() && getWindows()->size() != 5 * rank)
      return emitOpError() << "expected 5 numbers a dim in 'windows', "
                           << 5 * rank << ", found " << getWindows()->size();
    return success();
  }
  }
  return success();
}
