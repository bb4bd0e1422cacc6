// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dist dialect: registration, attribute syntax, verifiers.
#include "dialects/Dist/Dist.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "planning/AxisRole.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zcc::dist;

#include "dialects/Dist/DistDialect.cpp.inc"
#include "dialects/Dist/DistEnums.cpp.inc"
#include "dialects/Dist/DistInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Dist/DistAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Dist/DistOps.cpp.inc"

void DistDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Dist/DistAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Dist/DistOps.cpp.inc"
      >();
}

zcc::MemorySpace zcc::dist::readSpace(StringAttr memory) {
  return memory
             ? findMemorySpace(memory.getValue()).value_or(MemorySpace::Device)
             : MemorySpace::Device;
}

StringAttr zcc::dist::makeSpace(MLIRContext *context, MemorySpace space) {
  return space == MemorySpace::Device ? StringAttr()
                                      : StringAttr::get(context, nameOf(space));
}

StringAttr zcc::dist::makeMovedKind(MLIRContext *context, MovedKind kind) {
  return StringAttr::get(context, stringifyMovedKind(kind));
}

LogicalResult zcc::dist::verifySpace(Operation *op, StringRef attribute) {
  Attribute memory = op->getAttr(attribute);
  auto name = dyn_cast_or_null<StringAttr>(memory);
  if (!memory || (name && readSpace(name) != MemorySpace::Device))
    return success();
  std::string names;
  for (const MemorySpaceInfo &row : memorySpaces)
    if (row.space != MemorySpace::Device)
      names.append(names.empty() ? "\"" : " or \"").append(row.name) += '"';
  return op->emitOpError("expected '")
         << attribute << "' to be " << names << ", found " << memory;
}

MeshOp zcc::dist::getMesh(ModuleOp module) {
  auto meshes = module.getOps<MeshOp>();
  return meshes.empty() ? MeshOp() : *meshes.begin();
}

static int64_t numberOf(Operation *op, StringRef name) {
  auto number = op->getAttrOfType<IntegerAttr>(name);
  return number ? number.getInt() : 0;
}
int64_t zcc::dist::getStage(Operation *op) { return numberOf(op, stageAttrName); }
int64_t zcc::dist::getChunk(Operation *op) { return numberOf(op, chunkAttrName); }
int64_t zcc::dist::getLevel(Operation *op) { return numberOf(op, levelAttrName); }

std::optional<TaskKind> zcc::dist::taskKindOf(Operation *task) {
  auto name = task->getAttrOfType<StringAttr>(taskAttrName);
  return name ? symbolizeTaskKind(name.getValue()) : std::nullopt;
}
std::optional<StepRegion> zcc::dist::regionOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(regionAttrName);
  return name ? symbolizeStepRegion(name.getValue()) : std::nullopt;
}
void zcc::dist::setTaskKind(Operation *task, TaskKind kind) {
  task->setAttr(taskAttrName,
                StringAttr::get(task->getContext(), stringifyTaskKind(kind)));
}
void zcc::dist::setRegion(Operation *op, StepRegion region) {
  op->setAttr(regionAttrName,
              StringAttr::get(op->getContext(), stringifyStepRegion(region)));
}

LogicalResult zcc::dist::verifyStage(Operation *op, MeshOp mesh) {
  auto check = [&](StringRef name, int64_t below, const Twine &why) -> LogicalResult {
    Attribute attribute = op->getAttr(name);
    if (!attribute)
      return success();
    auto number = dyn_cast<IntegerAttr>(attribute);
    if (number && number.getType().isInteger(64) && number.getInt() >= 0 && number.getInt() < below)
      return success();
    return op->emitError() << "expected '" << name << "' to be an i64 from 0 to " << below - 1 << why << ", found " << attribute;
  };
  constexpr int64_t mostChunks = 1 << 16;
  int64_t stages = mesh.getStages();
  if (failed(check(stageAttrName, stages, " (axis 'pipe' of the mesh has " + Twine(stages) + ")")))
    return failure();
  return check(chunkAttrName, mostChunks, "");
}

// ---------------------------------------------------------------- #dist.axis

Attribute AxisAttr::parse(AsmParser &p, Type) {
  std::string name;
  int64_t size;
  if (p.parseLess() || p.parseString(&name) || p.parseEqual() || p.parseInteger(size))
    return {};
  bool temporal = succeeded(p.parseOptionalKeyword("temporal"));
  if (p.parseGreater())
    return {};
  return AxisAttr::get(p.getContext(), name, size, temporal);
}
void AxisAttr::print(AsmPrinter &p) const {
  p << "<\"" << getName() << "\" = " << getSize() << (getTemporal() ? " temporal>" : ">");
}

// ---------------------------------------------------------------- #dist.format

Attribute NumberFormatAttr::parse(AsmParser &p, Type) {
  StringRef name;
  if (p.parseLess())
    return {};
  SMLoc place = p.getCurrentLocation();
  if (p.parseKeyword(&name))
    return {};
  std::optional<planning::NumberFormat> format =
      planning::findNumberFormat(name);
  if (!format) {
    p.emitError(place, "expected a number format, one of ")
        << planning::listNumberFormats(", ") << ", found '" << name << "'";
    return {};
  }
  if (p.parseGreater())
    return {};
  return NumberFormatAttr::get(p.getContext(), *format);
}
void NumberFormatAttr::print(AsmPrinter &p) const {
  p << "<" << StringRef(planning::getName(getValue())) << ">";
}

// ---------------------------------------------------------------- #dist.fate

LogicalResult FateAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               planning::Fate value,
                               std::optional<planning::NumberFormat> format,
                               MemorySpace space) {
  using planning::Fate;
  StringRef name = planning::getName(value);
  if (value == Fate::Narrowed && !format)
    return emitError() << "fate '" << name
                       << "': expected a number format, one of "
                       << planning::listNumberFormats(", ") << ", found none";
  if (format && value != Fate::Narrowed && value != Fate::Moved)
    return emitError() << "fate '" << name
                       << "': expected no number format, found '"
                       << StringRef(planning::getName(*format)) << "'";
  if ((value == Fate::Moved) != (space != MemorySpace::Device))
    return emitError() << "fate '" << name << "': expected "
                       << (value == Fate::Moved
                               ? "a memory space other than the device's"
                               : "no memory space")
                       << ", found '" << StringRef(nameOf(space)) << "'";
  return success();
}

Attribute FateAttr::parse(AsmParser &p, Type) {
  std::string name;
  if (p.parseLess())
    return {};
  SMLoc place = p.getCurrentLocation();
  if (p.parseString(&name))
    return {};
  std::optional<planning::Fate> fate = planning::findFate(name);
  if (!fate) {
    InFlightDiagnostic error = p.emitError(place, "expected a fate, one of ");
    llvm::interleaveComma(
        planning::fates, error,
        [&](const planning::FateInfo &row) { error << StringRef(row.name); });
    error << ", found '" << name << "'";
    return {};
  }
  std::optional<planning::NumberFormat> format;
  MemorySpace space = MemorySpace::Device;
  while (succeeded(p.parseOptionalComma())) {
    StringRef word;
    SMLoc at = p.getCurrentLocation();
    if (p.parseKeyword(&word))
      return {};
    if (auto own = planning::findNumberFormat(word)) {
      format = own;
    } else if (auto own = findMemorySpace(word)) {
      space = *own;
    } else {
      p.emitError(at, "expected a number format or a memory space, found '")
          << word << "'";
      return {};
    }
  }
  if (p.parseGreater())
    return {};
  return p.getChecked<FateAttr>(place, p.getContext(), *fate, format, space);
}
void FateAttr::print(AsmPrinter &p) const {
  p << "<\"" << StringRef(planning::getName(getValue())) << "\"";
  if (getSpace() != MemorySpace::Device)
    p << ", " << StringRef(nameOf(getSpace()));
  if (getFormat())
    p << ", " << StringRef(planning::getName(*getFormat()));
  p << ">";
}

std::optional<zcc::planning::Fate> zcc::dist::readFate(Attribute fate) {
  auto own = dyn_cast_or_null<FateAttr>(fate);
  return own ? std::optional(own.getValue()) : std::nullopt;
}
std::optional<zcc::planning::Fate> zcc::dist::getFate(Operation *op) {
  return readFate(op->getDiscardableAttr(fateAttrName));
}
bool zcc::dist::isGatheredAgain(Operation *op) {
  return getFate(op) == planning::Fate::GatheredAgain;
}
void zcc::dist::setFate(Operation *op, planning::Fate fate) {
  op->setDiscardableAttr(fateAttrName, FateAttr::get(op->getContext(), fate));
}

// ---------------------------------------------------------------- #dist.sharding

static ParseResult parseAxisList(AsmParser &p, ArrayAttr &axes) {
  SmallVector<Attribute> names;
  if (p.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        std::string name;
        if (p.parseString(&name))
          return failure();
        names.push_back(StringAttr::get(p.getContext(), name));
        return success();
      }))
    return failure();
  axes = ArrayAttr::get(p.getContext(), names);
  return success();
}
static void printAxisList(AsmPrinter &p, ArrayAttr axes) {
  p << "{";
  llvm::interleaveComma(axes, p.getStream(), [&](Attribute a) { p << a; });
  p << "}";
}

Attribute ShardingAttr::parse(AsmParser &p, Type) {
  StringAttr mesh;
  if (p.parseLess() || p.parseSymbolName(mesh) || p.parseComma())
    return {};
  SmallVector<Attribute> dims;
  if (p.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
        ArrayAttr axes;
        if (parseAxisList(p, axes))
          return failure();
        dims.push_back(axes);
        return success();
      }))
    return {};
  ArrayAttr partial = ArrayAttr::get(p.getContext(), {});
  StringRef reduction;
  DenseI64ArrayAttr padded;
  bool more = succeeded(p.parseOptionalComma());
  if (more && succeeded(p.parseOptionalKeyword("padded"))) {
    SmallVector<int64_t> extents;
    if (p.parseEqual() || p.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
          return p.parseInteger(extents.emplace_back());
        }))
      return {};
    if (extents.size() != dims.size()) {
      p.emitError(p.getNameLoc(), "expected ") << dims.size() << " padded extents, found " << extents.size();
      return {};
    }
    padded = DenseI64ArrayAttr::get(p.getContext(), extents);
    more = succeeded(p.parseOptionalComma());
  }
  if (more && (p.parseKeyword("partial") || p.parseEqual() || p.parseKeyword(&reduction) || parseAxisList(p, partial)))
    return {};
  if (p.parseGreater())
    return {};
  return ShardingAttr::get(p.getContext(), FlatSymbolRefAttr::get(mesh), ArrayAttr::get(p.getContext(), dims), partial,
                           StringAttr::get(p.getContext(), reduction), padded);
}
void ShardingAttr::print(AsmPrinter &p) const {
  p << "<" << getMesh() << ", [";
  llvm::interleaveComma(getDims(), p.getStream(), [&](Attribute a) { printAxisList(p, cast<ArrayAttr>(a)); });
  p << "]";
  if (getPadded()) {
    p << ", padded = [";
    llvm::interleaveComma(getPadded().asArrayRef(), p.getStream());
    p << "]";
  }
  if (!getPartial().empty()) {
    p << ", partial = " << getReduction().getValue() << " ";
    printAxisList(p, getPartial());
  }
  p << ">";
}
SmallVector<StringRef> ShardingAttr::getAxes(unsigned i) const {
  SmallVector<StringRef> names;
  for (Attribute a : cast<ArrayAttr>(getDims()[i]))
    names.push_back(cast<StringAttr>(a).getValue());
  return names;
}
SmallVector<StringRef> ShardingAttr::getPartialAxes() const {
  SmallVector<StringRef> names;
  for (Attribute a : getPartial())
    names.push_back(cast<StringAttr>(a).getValue());
  return names;
}
bool ShardingAttr::isReplicated() const {
  return getPartial().empty() && llvm::all_of(getDims(), [](Attribute a) { return cast<ArrayAttr>(a).empty(); });
}
ShardingAttr ShardingAttr::get(MLIRContext *context, StringRef mesh, ArrayRef<SmallVector<StringRef>> dims,
                               ArrayRef<StringRef> partial, StringRef reduction, ArrayRef<int64_t> padded) {
  Builder b(context);
  SmallVector<Attribute> lists;
  for (ArrayRef<StringRef> axes : dims)
    lists.push_back(b.getStrArrayAttr(axes));
  return get(context, FlatSymbolRefAttr::get(context, mesh), b.getArrayAttr(lists), b.getStrArrayAttr(partial),
             b.getStringAttr(partial.empty() ? "" : reduction),
             padded.empty() ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(padded));
}
ShardingAttr ShardingAttr::getReplicated(MLIRContext *context, StringRef mesh, unsigned rank) {
  return get(context, mesh, SmallVector<SmallVector<StringRef>>(rank));
}

// ---------------------------------------------------------------- ops

LogicalResult MeshOp::verify() {
  llvm::StringSet<> seen;
  constexpr int64_t most = 1 << 24;
  int64_t devices = 1, microbatches = 1;
  for (Attribute a : getAxes()) {
    auto axis = cast<AxisAttr>(a);
    if (axis.getSize() < 1)
      return emitOpError("axis '") << axis.getName() << "': expected a size of at least 1, found " << axis.getSize();
    if (!seen.insert(axis.getName()).second)
      return emitOpError("axis '") << axis.getName() << "' stands twice";
    int64_t &product = axis.getTemporal() ? microbatches : devices;
    if (axis.getSize() > most / product)
      return emitOpError("has more than ") << most << (axis.getTemporal() ? " microbatches" : " devices");
    product *= axis.getSize();
  }
  return success();
}
std::optional<int64_t> MeshOp::getAxisSize(StringRef name) {
  for (Attribute a : getAxes())
    if (cast<AxisAttr>(a).getName() == name)
      return cast<AxisAttr>(a).getSize();
  return std::nullopt;
}
int64_t MeshOp::getDevices() {
  int64_t n = 1;
  for (Attribute a : getAxes())
    if (!cast<AxisAttr>(a).getTemporal())
      n *= cast<AxisAttr>(a).getSize();
  return n;
}

int64_t MeshOp::getStages() {
  return getAxisSize(planning::axisName(planning::AxisRole::Pipe)).value_or(1);
}

int64_t MeshOp::getGroupSize(ArrayAttr axes) {
  int64_t size = 1;
  for (Attribute axis : axes)
    size *= getAxisSize(cast<StringAttr>(axis).getValue()).value_or(1);
  return size;
}

// Returns the product of the axes' sizes, or failure if one is unknown.
static FailureOr<int64_t> groupSize(Operation *op, ArrayAttr axes) {
  MeshOp mesh = getMesh(op->getParentOfType<ModuleOp>());
  if (!mesh)
    return op->emitOpError("expected a dist.mesh in the module");
  int64_t n = 1;
  for (Attribute a : axes) {
    auto size = mesh.getAxisSize(cast<StringAttr>(a).getValue());
    if (!size)
      return op->emitOpError("the mesh has no axis ") << a;
    n *= *size;
  }
  return n;
}
static LogicalResult expectShape(Operation *op, Value result, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(result.getType());
  if (type.getShape() != shape)
    return op->emitOpError("expected a result of shape [") << shape << "], found [" << type.getShape() << "]";
  return success();
}

zcc::MemorySpace StateOp::getMemorySpace() {
  return readSpace((*this)->getAttrOfType<StringAttr>(memoryAttrName));
}

StringRef StateOp::getFileName() {
  return getParameter() ? *getParameter() : *getOwnName();
}

LogicalResult StateOp::verify() {
  std::optional<StateKind> kind = findStateKind(getKindAttr().getValue());
  if (!kind)
    return emitOpError("expected the kind ")
           << listStateKinds() << ", found " << getKindAttr().getValue();
  auto expectOf = [&](StringRef attribute, bool isThere,
                      bool isExpected) -> LogicalResult {
    if (isThere == isExpected)
      return success();
    return emitOpError("expected ")
           << (isExpected ? "" : "no ") << "'" << attribute << "' of "
           << withArticle(*kind);
  };
  if (failed(expectOf("parameter", getParameter().has_value(),
                      belongsToParameter(*kind))) ||
      failed(
          expectOf("own_name", getOwnName().has_value(), hasOwnName(*kind))) ||
      failed(expectOf("initial", getInitial().has_value(),
                      hasInitialValue(*kind))))
    return failure();
  if (ruleOf(*kind) == StateRule::Returned && !getSharding().isReplicated())
    return emitOpError("expected a ")
           << nameOf(*kind) << " to be whole on all devices, found "
           << getSharding();
  size_t rank = cast<RankedTensorType>(getFileType()).getRank();
  if (getStart().size() != rank || getExtent().size() != rank)
    return emitOpError("expected ")
           << rank << " starts and extents, one a dim of 'file_type', found "
           << getStart().size() << " and " << getExtent().size();
  return verifySpace(*this, memoryAttrName);
}

LogicalResult AllReduceOp::verify() {
  if (failed(groupSize(*this, getAxes())))
    return failure();
  return expectShape(*this, getResult(), cast<RankedTensorType>(getOperand().getType()).getShape());
}
LogicalResult AllGatherOp::verify() {
  auto n = groupSize(*this, getAxes());
  if (failed(n))
    return failure();
  SmallVector<int64_t> shape(cast<RankedTensorType>(getOperand().getType()).getShape());
  if (getDim() >= shape.size())
    return emitOpError("dim ") << static_cast<int64_t>(getDim()) << " is not below the rank, " << shape.size();
  shape[getDim()] *= *n;
  return expectShape(*this, getResult(), shape);
}
LogicalResult ReduceScatterOp::verify() {
  auto n = groupSize(*this, getAxes());
  if (failed(n))
    return failure();
  SmallVector<int64_t> shape(cast<RankedTensorType>(getOperand().getType()).getShape());
  if (getDim() >= shape.size() || shape[getDim()] % *n)
    return emitOpError("expected a dim that ") << *n << " devices divide";
  shape[getDim()] /= *n;
  return expectShape(*this, getResult(), shape);
}
LogicalResult AllToAllOp::verify() {
  auto n = groupSize(*this, getAxes());
  if (failed(n))
    return failure();
  SmallVector<int64_t> shape(cast<RankedTensorType>(getOperand().getType()).getShape());
  int64_t rank = shape.size(), split = getSplitDim(), concat = getConcatDim();
  if (split < 0 || split >= rank || concat < 0 || concat >= rank || shape[split] % *n)
    return emitOpError("expected a split dim that ") << *n << " devices divide, and a concat dim below the rank";
  shape[split] /= *n;
  shape[concat] *= *n;
  return expectShape(*this, getResult(), shape);
}
LogicalResult ExchangeBoxesOp::verify() {
  MeshOp mesh = getMesh((*this)->getParentOfType<ModuleOp>());
  if (failed(groupSize(*this, getAxes())))
    return failure();
  ArrayRef<int64_t> shape = getShape();
  // With `windows` these say how large boxes are.
  std::optional<ArrayRef<int64_t>> windows = getWindows();
  if (windows) {
    if (windows->size() != 5 * shape.size())
      return emitOpError("expected 5 numbers a dim in 'windows', ") << 5 * shape.size() << ", found " << windows->size();
    SmallVector<int64_t> sizes;
    for (size_t d = 0; d < shape.size(); ++d) {
      ArrayRef<int64_t> own = windows->slice(5 * d, 5);
      if (own[0] < 0 || own[1] < 1 || own[4] < 1)
        return emitOpError("dim ") << d << ": expected a step of at least 0, a divisor and a size of at least 1, found [" << own << "]";
      sizes.push_back(own[4]);
    }
    if (failed(expectShape(*this, getResult(), sizes)))
      return failure();
  }
  auto check = [&](ShardingAttr sharding, Value v) -> LogicalResult {
    if (sharding.getDims().size() != shape.size() || !sharding.getPartial().empty())
      return emitOpError("expected shardings of rank ") << shape.size() << " that are not partial";
    SmallVector<int64_t> local;
    llvm::StringSet<> seen;
    for (unsigned d = 0; d < shape.size(); ++d) {
      int64_t extent = sharding.getPaddedExtent(d, shape[d]), shards = 1;
      for (StringRef name : sharding.getAxes(d)) {
        std::optional<int64_t> size = mesh.getAxisSize(name);
        if (!size || !seen.insert(name).second)
          return emitOpError("axis '") << name << "' is not of the mesh, or stands twice";
        shards *= *size;
      }
      if (extent < shape[d] || extent % shards)
        return emitOpError("dim ") << d << ": " << shards << " shards of " << shape[d] << " elements, padded to " << extent;
      local.push_back(extent / shards);
    }
    if (windows && v == getResult())
      return success();
    if (cast<RankedTensorType>(v.getType()).getShape() != ArrayRef<int64_t>(local))
      return emitOpError("expected a box of shape [") << local << "] under " << sharding;
    return success();
  };
  if (failed(check(getFrom(), getOperand())) || failed(check(getTo(), getResult())))
    return failure();
  llvm::StringSet<> sources;
  for (unsigned d = 0; d < shape.size(); ++d)
    for (StringRef name : getFrom().getAxes(d))
      sources.insert(name);
  unsigned found = 0;
  for (Attribute a : mesh.getAxes())
    if (sources.contains(cast<AxisAttr>(a).getName())) {
      if (found >= getAxes().size() || cast<StringAttr>(getAxes()[found]).getValue() != cast<AxisAttr>(a).getName())
        return emitOpError("expected the axes of 'from', in the mesh's order");
      ++found;
    }
  if (found != getAxes().size())
    return emitOpError("expected no other axes than those of 'from'");
  return success();
}
// ---------------------------------------------------------------- ring

int64_t RingOp::getTurns() {
  return getMesh((*this)->getParentOfType<ModuleOp>()).getGroupSize(getAxes());
}
SmallVector<RingOp::Passed> RingOp::getPassedBlocks() {
  SmallVector<Passed> blocks;
  int64_t turns = getTurns();
  for (Value v : getOperands().take_back(getPassed()))
    blocks.push_back({cast<RankedTensorType>(v.getType()), turns - 1});
  for (Value v : getResults().take_back(getMoved()))
    blocks.push_back({cast<RankedTensorType>(v.getType()), turns});
  return blocks;
}
LogicalResult RingOp::verify() {
  if (failed(groupSize(*this, getAxes())))
    return failure();
  int64_t operands = getNumOperands(), results = getNumResults(), passed = getPassed(), moved = getMoved();
  if (passed < 0 || passed > operands || moved < 0 || moved > results)
    return emitOpError("passes ") << passed << " of " << operands << " operands and " << moved << " of " << results << " results";
  if (static_cast<int64_t>(getStarts().size()) != results)
    return emitOpError("expected a start for each of ") << results << " results, found " << getStarts().size();
  SmallVector<Type> types = {RankedTensorType::get({}, IntegerType::get(getContext(), 32))};
  llvm::append_range(types, getOperandTypes());
  llvm::append_range(types, getResultTypes());
  Block &block = getBody().front();
  if (block.getArgumentTypes() != TypeRange(types))
    return emitOpError("expected a body that takes the index of a device, the operands and the results");
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError("expected a body that yields the results");
  return success();
}

LogicalResult AccumulateOp::verify() {
  constexpr StringLiteral kinds[] = {"add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "logical_xor"};
  if (!llvm::is_contained(kinds, getReduction()))
    return emitOpError("expected a reduction, found '") << getReduction() << "'";
  return success();
}
