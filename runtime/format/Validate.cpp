// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The validator's first half: mesh, parameters, kernels, and the states of
// stages. Tasks and action tables are in ValidateTasks.cpp.

#include "runtime/format/Validate.h"

#include "runtime/format/Checker.h"
#include "runtime/format/OrderProof.h"
#include "runtime/format/States.h"
#include "runtime/format/StepExtent.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace zcc::rt {

bool Checker::checkSharding(const std::string &where,
                            const ProtoSharding &sharding,
                            const std::vector<int64_t> &shape,
                            bool temporalAllowed) {
  if (static_cast<size_t>(sharding.size()) != shape.size())
    return fail(where, ": the sharding has ", sharding.size(),
                " entries, expected one for each of ", shape.size(), " dims");
  std::set<uint32_t> seen;
  for (size_t i = 0; i < shape.size(); ++i) {
    const format::DimSharding &dim = sharding[int(i)];
    uint64_t shards = 1;
    for (uint32_t axis : dim.axes()) {
      if (axis >= mesh->axes().size())
        return fail(where, ": axis ", axis, " of the sharding, the mesh has ",
                    mesh->axes().size());
      if (!seen.insert(axis).second)
        return fail(where, ": axis \"", mesh->axes()[axis].name,
                    "\" splits two dims");
      if (mesh->axes()[axis].temporal && !temporalAllowed)
        return fail(where, ": split over the temporal axis \"",
                    mesh->axes()[axis].name, "\"");
      shards *= mesh->axes()[axis].size;
      if (shards > maxBytes)
        return fail(where, ": dim ", i, " is cut into too many shards");
    }
    if (dim.padded() && (dim.padded() < uint64_t(shape[i]) ||
                         dim.padded() > maxBytes || dim.padded() % shards))
      return fail(where, ": dim ", i, " of ", shape[i],
                  " elements is padded to ", dim.padded(), ", over ", shards,
                  " shards");
  }
  return true;
}

bool Checker::checkMesh() {
  uint64_t ranks = 1;
  int temporal = 0;
  if (executable.mesh_size() > 64)
    return fail("the mesh has ", executable.mesh_size(), " axes, at most 64");
  for (const format::Axis &axis : executable.mesh()) {
    if (axis.size() == 0 || axis.size() > (1u << 20))
      return fail("mesh axis \"", axis.name(), "\" has size ", axis.size());
    if (!axis.temporal())
      ranks *= axis.size();
    else if (++temporal > 1)
      return fail("mesh axis \"", axis.name(), "\" is the second temporal one");
    if (ranks > (1u << 20))
      return fail("the mesh has more than ", 1 << 20, " ranks");
  }
  int pipe = executable.pipe_axis();
  if (pipe < -1 || pipe >= executable.mesh_size())
    return fail("pipe axis ", pipe, ", the mesh has ", executable.mesh_size(),
                " axes");
  if (pipe >= 0 && executable.mesh(pipe).temporal())
    return fail("the pipe axis is temporal");
  mesh.emplace(executable);
  if (executable.stages_size() != mesh->stages())
    return fail("the executable has ", executable.stages_size(),
                " stages, the mesh ", mesh->stages());
  return true;
}

bool Checker::checkParameters() {
  std::set<std::string> names;
  for (const format::Tensor &tensor : executable.parameters()) {
    std::string where = text("parameter \"", tensor.name(), "\"");
    if (tensor.name().empty())
      return fail("a parameter has no name");
    if (!names.insert(tensor.name()).second)
      return fail(where, ": two have this name");
    if (!checkType(where, tensor.type()))
      return false;
    if (!bytes(toShape(tensor.shape()), toElementType(tensor.type())))
      return fail(where, ": impossible shape ", toShape(tensor.shape()));
  }
  for (const std::string &name : executable.frozen())
    if (!names.count(name))
      return fail("frozen parameter \"", name, "\" does not exist");
  return true;
}

bool Checker::checkKernels() {
  for (int i = 0; i < executable.codes_size(); ++i)
    if (executable.codes(i).target().empty())
      return fail("code for no target");
    else if (!checkImages(i))
      return false;
  for (const format::Kernel &kernel : executable.kernels()) {
    if (kernel.symbol().empty() ||
        kernel.symbol().find('\0') != std::string::npos)
      return fail("a kernel has no usable symbol");
    if (kernel.items() > uint64_t(INT64_MAX) || kernel.scratch() > maxBytes)
      return fail("kernel \"", kernel.symbol(), "\": ", kernel.items(),
                  " items, ", kernel.scratch(), " bytes of scratch");
    if (kernel.code() >= uint32_t(executable.codes_size()))
      return fail("kernel \"", kernel.symbol(), "\" is of code ",
                  kernel.code(), " of ", executable.codes_size());
    if (kernel.types_size() != 0 &&
        kernel.types_size() != int(kernel.buffers()))
      return fail("kernel \"", kernel.symbol(), "\" has ", kernel.buffers(),
                  " buffers of ", kernel.types_size(), " types");
    if (kernel.has_program() && !checkProgram(kernel))
      return false;
    if (isOfLibrary(kernel) && !checkLibrary(kernel))
      return false;
    if (executable.codes(int(kernel.code())).images_size() &&
        !isOfLibrary(kernel) && !checkLaunch(kernel))
      return false;
  }
  for (const format::Kernel &kernel : executable.kernels())
    if (kernel.has_segments() && !checkSegments(kernel))
      return false;
  return true;
}

/// Regions that the host fills must not overlap, or one of them is lost.
namespace {
struct Region {
  uint64_t offset, size; // those of the host's memory come last
  std::string what;
};
} // namespace

static bool checkDisjoint(Checker &checker, const std::string &where,
                          std::vector<Region> regions) {
  regions.erase(std::remove_if(regions.begin(), regions.end(),
                               [](const Region &r) { return r.size == 0; }),
                regions.end());
  std::sort(
      regions.begin(), regions.end(),
      [](const Region &a, const Region &b) { return a.offset < b.offset; });
  for (size_t i = 1; i < regions.size(); ++i)
    if (regions[i - 1].offset + regions[i - 1].size > regions[i].offset)
      return checker.fail(where, ": ", regions[i - 1].what, " at byte ",
                          regions[i - 1].offset % spaceStride, " overlaps ",
                          regions[i].what, " at byte ",
                          regions[i].offset % spaceStride);
  return true;
}

static std::string stateName(const format::StateTensor &tensor) {
  return tensor.name().empty() ? std::string(nameOf(kindOf(tensor)))
                               : tensor.name();
}

/// State with a name of its own is called so in checkpoints, beside
/// parameters.
static bool isOwnName(const std::string &name) {
  return !name.empty() && !findStateKind(name) &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '_';
         });
}

/// Checks that a state tensor has the fields that its kind has, as the table of
/// kinds says.
static bool checkDescription(Checker &c, int index) {
  const format::StateTensor &tensor = c.executable.states(index);
  std::string where = text("state tensor ", index);
  if (!format::StateTensor::Kind_IsValid(tensor.kind()))
    return c.fail(where, ": unknown kind ", int(tensor.kind()));
  StateKind kind = kindOf(tensor);
  std::string a = withArticle(kind);
  auto checkIndex = [&](const char *what, bool has, uint32_t found,
                        bool expected) {
    if (has != expected)
      return c.fail(where, ": ", a, has ? " belongs to " : " belongs to no ",
                    what);
    return !has || found < uint32_t(c.executable.parameters_size()) ||
           c.fail(where, ": belongs to ", what, " ", found, " of ",
                  c.executable.parameters_size());
  };
  if (!checkIndex("parameter", tensor.has_parameter(), tensor.parameter(),
                  belongsToParameter(kind)) ||
      !checkIndex("tensor of files", tensor.has_file(), tensor.file(),
                  isInFiles(kind)))
    return false;
  if (tensor.has_file() && tensor.has_parameter() &&
      tensor.file() != tensor.parameter())
    return c.fail(where, ": ", a, " of parameter ", tensor.parameter(),
                  " has the values of tensor ", tensor.file());
  if (hasInitialValue(kind) ? !isOwnName(tensor.name())
                            : !tensor.name().empty())
    return c.fail(where, ": ", a, " called \"", tensor.name(), "\"");
  if (hasInitialValue(kind) ? !std::isfinite(tensor.initial())
                            : tensor.initial() != 0)
    return c.fail(where, ": ", a, " begins as ", tensor.initial());
  if (int(tensor.rule()) != int(ruleOf(kind)))
    return c.fail(where, ": ", a, " changes by rule ", int(tensor.rule()),
                  ", expected ", int(ruleOf(kind)));
  return true;
}

bool Checker::checkStates() {
  std::set<std::tuple<int, int, std::string>> seen;
  for (int i = 0; i < executable.states_size(); ++i) {
    if (!checkDescription(*this, i))
      return false;
    const format::StateTensor &tensor = executable.states(i);
    const format::Tensor &file = executable.parameters(fileTensorOf(tensor));
    std::string where = text(stateName(tensor), " of \"", file.name(), "\"");
    if (!seen.insert({tensor.kind(), fileTensorOf(tensor), tensor.name()})
             .second)
      return fail(where, ": two of them");
    std::vector<int64_t> shape = toShape(tensor.shape());
    if ((tensor.has_file() || beginsAsParameter(kindOf(tensor))) &&
        shape != toShape(file.shape()))
      return fail(where, ": shape ", shape, ", the tensor has ",
                  toShape(file.shape()));
    if (!bytes(shape, ElementType::F64))
      return fail(where, ": impossible shape ", shape);
  }
  for (const format::Setting &setting : executable.settings())
    if (!format::Hyper_IsValid(setting.which()) ||
        setting.which() >= format::HYPER_COUNT ||
        !std::isfinite(setting.fallback()))
      return fail("setting ", int(setting.which()), " of the optimizer is ",
                  setting.fallback());
  return true;
}

static bool checkState(Checker &c, const std::string &stageName,
                       const format::State &state, const format::Stage *stage,
                       std::vector<Region> *regions) {
  if (state.tensor() >= uint32_t(c.executable.states_size()))
    return c.fail(stageName, ": a state is a part of tensor ", state.tensor(),
                  " of ", c.executable.states_size());
  const format::StateTensor &tensor = tensorOf(c.executable, state);
  std::string what =
      text(stateName(tensor), " of \"", fileNameOf(c.executable, state), "\"");
  std::string where = stageName + ": " + what;
  int rank = tensor.shape_size();
  if (state.start_size() != rank || state.extent_size() != rank)
    return c.fail(where, ": ", state.start_size(), " starts and ",
                  state.extent_size(), " extents, the tensor has ", rank,
                  " dims");
  for (int i = 0; i < rank; ++i)
    if (state.start(i) < 0 || state.extent(i) < 0 ||
        state.start(i) > tensor.shape(i) ||
        state.extent(i) > tensor.shape(i) - state.start(i))
      return c.fail(where, ": start ", toShape(state.start()), " and extent ",
                    toShape(state.extent()), " leave the shape ",
                    toShape(tensor.shape()));
  if (!c.checkType(where, state.type()) ||
      !c.checkSharding(where, state.sharding(), toShape(state.extent()), false))
    return false;
  if (ruleOf(kindOf(tensor)) == StateRule::Returned)
    for (const format::DimSharding &dim : state.sharding())
      if (dim.axes_size() != 0)
        return c.fail(where, ": is split, but each device needs all of it");
  Shard shard =
      shardAt(*c.mesh, toSharding(state.sharding()), toShape(state.extent()),
              Coordinates(c.mesh->axes().size(), 0));
  auto size = Checker::bytes(shard.shape, toElementType(state.type()));
  if (!size)
    return c.fail(where, ": impossible shape");
  if (!stage) // a gradient
    return kindOf(tensor) == StateKind::Parameter ||
           c.fail(where, ": is observed, which is no parameter");
  if (!c.checkMemory(where, state.memory()) ||
      !c.checkRange(where, state.offset(), *size,
                    arenaBytes(*stage, spaceOf(state.memory())),
                    byteSize(toElementType(state.type()))))
    return false;
  regions->push_back(
      {state.offset() + firstByteOf(spaceOf(state.memory())), *size, what});
  return true;
}

/// Checks that each average has the part of the parameter beside it that it
/// begins as.
static bool checkAverages(Checker &c, const std::string &where,
                          const format::Stage &stage) {
  auto keyOf = [&](const format::State &state) {
    return std::make_tuple(fileTensorOf(c.executable, state),
                           toShape(state.start()), toShape(state.extent()));
  };
  std::set<decltype(keyOf(format::State()))> parts;
  for (const format::State &state : stage.states())
    if (isInFiles(c.executable, state))
      parts.insert(keyOf(state));
  for (const format::State &state : stage.states())
    if (beginsAsParameter(kindOf(c.executable, state)) &&
        !parts.count(keyOf(state)))
      return c.fail(where, ": the average of \"",
                    fileNameOf(c.executable, state),
                    "\" is there without the parameter");
  return true;
}

static bool checkInput(Checker &c, const std::string &stageName,
                       const format::Input &input, const format::Stage &stage,
                       std::vector<Region> &regions) {
  const format::Tensor &tensor = input.tensor();
  std::string what = text("input \"", tensor.name(), "\"");
  std::string where = stageName + ": " + what;
  std::vector<int64_t> shape = toShape(tensor.shape());
  ElementType type = toElementType(tensor.type());
  if (!c.checkType(where, tensor.type()))
    return false;
  if (!Checker::bytes(shape, type))
    return c.fail(where, ": impossible shape ", shape);
  if (input.key() && (type != ElementType::U32 ||
                      shape != std::vector<int64_t>{2} || input.limit() != 0))
    return c.fail(where, ": is a key of type ", typeName(type), " ", shape,
                  ", expected u32 [2] without a limit");
  if (!c.checkSharding(where, input.sharding(), shape, true))
    return false;
  uint32_t parts = 1;
  for (const format::DimSharding &dim : input.sharding())
    for (uint32_t axis : dim.axes())
      if (c.mesh->axes()[axis].temporal) {
        if (parts != 1)
          return c.fail(where, ": split over two temporal axes");
        parts = c.mesh->axes()[axis].size;
      }
  if (uint32_t(input.offsets_size()) != parts)
    return c.fail(where, ": ", input.offsets_size(), " offsets, expected ",
                  parts);
  Shard shard = shardAt(*c.mesh, toSharding(input.sharding()), shape,
                        Coordinates(c.mesh->axes().size(), 0));
  uint64_t size = *Checker::bytes(shard.shape, type);
  for (uint64_t offset : input.offsets()) {
    if (isCallers(stage, offset)) {
      uint64_t begin = arenaBytes(stage), bytes = stage.caller_bytes();
      if (offset - begin > bytes || size > bytes - (offset - begin))
        return c.fail(where, ": bytes ", offset, " to ", offset, " + ", size,
                      " lie outside of the ", bytes,
                      " bytes of the caller behind the arena of ", begin);
      if (offset % operandAlignment != 0)
        return c.fail(where, ": offset ", offset, " is not a multiple of ",
                      operandAlignment);
      if (!c.callerParts.insert({offset, size}).second)
        return c.fail(where, ": another input is at ", offset, ", too");
    } else if (!c.checkRange(where, offset, size, arenaBytes(stage),
                             byteSize(type))) {
      return false;
    }
    regions.push_back({offset, size, what});
  }
  return true;
}

/// Checks the parts of an array and its placement. Returns the bytes of its
/// buffer.
static std::optional<uint64_t> checkArray(Checker &c, const std::string &where,
                                          const format::Output &output) {
  std::vector<int64_t> shape = toShape(output.shape());
  ElementType type = toElementType(output.type());
  if (output.name().empty())
    c.fail(where, ": an array without a name");
  else if (!isForward(c.executable))
    c.fail(where, ": an array of a program that is not forward");
  else if (!Checker::bytes(shape, type))
    c.fail(where, ": impossible shape ", shape);
  else if (c.checkSharding(where, output.sharding(), shape, false))
    return Checker::bytes(shardAt(*c.mesh, toSharding(output.sharding()), shape,
                                  Coordinates(c.mesh->axes().size(), 0))
                              .shape,
                          type);
  return std::nullopt;
}

static bool checkOutput(Checker &c, const std::string &stageName,
                        const format::Output &output,
                        const format::Stage &stage) {
  std::string where = text(stageName, ": output \"", output.name(), "\"");
  ElementType type = toElementType(output.type());
  if (!c.checkType(where, output.type()))
    return false;
  if (output.kind() != format::Output::ARRAY &&
      (output.shape_size() || output.sharding_size()))
    return c.fail(where, ": a shape or sharding, but it is no array");
  uint64_t count = 1;
  switch (output.kind()) {
  case format::Output::LOSS:
    if (!isFloat(type))
      return c.fail(where, ": a loss of type ", typeName(type));
    break;
  case format::Output::METRIC:
    break;
  case format::Output::GRADIENT_NORM:
    if (type != ElementType::F32)
      return c.fail(where, ": a norm of type ", typeName(type),
                    ", expected f32");
    break;
  case format::Output::FINITE:
    if (type != ElementType::I1)
      return c.fail(where, ": a flag of type ", typeName(type),
                    ", expected i1");
    break;
  case format::Output::GRADIENT_SQUARES:
    if (type != ElementType::F32)
      return c.fail(where, ": squares of type ", typeName(type),
                    ", expected f32");
    count = output.names_size();
    break;
  case format::Output::ARRAY: {
    std::optional<uint64_t> size = checkArray(c, where, output);
    return size && c.checkRange(where, output.offset(), *size,
                                arenaBytes(stage), byteSize(type));
  }
  default:
    return c.fail(where, ": unknown kind ", int(output.kind()));
  }
  return c.checkRange(where, output.offset(), count * byteSize(type),
                      arenaBytes(stage), byteSize(type));
}

bool Checker::checkStage(int index) {
  const format::Stage &stage = executable.stages(index);
  std::string where = text("stage ", index);
  uint64_t arena = arenaBytes(stage);
  if (std::string wrong = checkArenas(stage); !wrong.empty())
    return fail(where, ": ", wrong);
  if (stage.caller_bytes() > maxBytes)
    return fail(where, ": ", stage.caller_bytes(), " bytes of the caller");
  callerParts.clear();
  std::vector<Region> regions;
  for (const format::State &state : stage.states())
    if (!checkState(*this, where, state, &stage, &regions))
      return false;
  if (!checkAverages(*this, where, stage))
    return false;
  std::set<std::string> inputNames;
  for (const format::Input &input : stage.inputs()) {
    if (!checkInput(*this, where, input, stage, regions))
      return false;
    if (!inputNames.insert(input.tensor().name()).second)
      return fail(where, ": two inputs \"", input.tensor().name(), "\"");
  }
  std::set<std::string> arrays;
  for (const format::Output &output : stage.outputs()) {
    if (!checkOutput(*this, where, output, stage))
      return false;
    if (output.kind() == format::Output::ARRAY &&
        !arrays.insert(output.name()).second)
      return fail(where, ": two output arrays \"", output.name(), "\"");
  }
  // Values that are never written need no place: a forward program has no
  // optimizer parameters, and with a single rank and one microbatch all
  // coordinates are zero.
  if (!isForward(executable)) {
    if (!checkRange(where + ": hyperparameters", stage.hyper_offset(),
                    4 * format::HYPER_COUNT, arena, 4))
      return false;
    regions.push_back(
        {stage.hyper_offset(), 4 * format::HYPER_COUNT, "the hyperparameters"});
  }
  if (mesh->hasCoordinates()) {
    uint64_t size = 4 * mesh->axes().size();
    if (!checkRange(where + ": coordinates", stage.coordinates_offset(), size,
                    arena, 4))
      return false;
    regions.push_back({stage.coordinates_offset(), size, "the coordinates"});
  }
  if (!checkDisjoint(*this, where, std::move(regions)))
    return false;
  for (int i = 0; i < stage.tasks_size(); ++i) {
    std::string taskWhere =
        text(where, ", task ", i, " \"", stage.tasks(i).name(), "\"");
    // States first: checkTask() computes with their shardings.
    for (const format::Step &step : stage.tasks(i).steps())
      for (const format::State &state : step.observe().states())
        if (!checkState(*this, taskWhere, state, nullptr, nullptr))
          return false;
    if (!checkTask(taskWhere, stage, stage.tasks(i)))
      return false;
  }
  if (stage.has_init()) {
    ElementType key = toElementType(executable.key_type());
    if (!isInteger(key))
      return fail(where, ": an init program, but the key's type is ",
                  typeName(key));
    if (!checkRange(where + ": key", stage.key_offset(),
                    key == ElementType::U32 ? 8 : byteSize(key), arena,
                    byteSize(key)))
      return false;
    for (const format::Operand &operand : stage.init().operands())
      if (operand.slot())
        return fail(where, ", init: operand \"", operand.name(),
                    "\" is a slot, but init is not in the action table");
    for (const format::Step &step : stage.init().steps())
      if (step.has_observe())
        return fail(where, ", init: observes gradients");
    if (!checkTask(where + ", init", stage, stage.init()))
      return false;
  }
  return checkChunks(index) && checkActions(index) && checkOrder(index);
}

/// Every element of every parameter must live somewhere, or saving would lose
/// it.
bool Checker::checkCoverage() {
  using Part = std::pair<std::vector<int64_t>, std::vector<int64_t>>;
  std::vector<std::set<Part>> parts(executable.parameters_size());
  for (const format::Stage &stage : executable.stages())
    for (const format::State &state : stage.states())
      if (isInFiles(executable, state))
        parts[fileTensorOf(executable, state)].insert(
            {toShape(state.start()), toShape(state.extent())});
  for (int i = 0; i < executable.parameters_size(); ++i) {
    const format::Tensor &tensor = executable.parameters(i);
    int64_t covered = 0, total = volume(toShape(tensor.shape()));
    for (const Part &part : parts[i])
      covered += volume(part.second);
    if (covered < total)
      return fail("parameter \"", tensor.name(), "\": ", total - covered,
                  " of its ", total, " elements live in no stage");
  }
  return true;
}

static bool isOneOf(const std::string &value,
                    std::initializer_list<const char *> choices) {
  return std::find(choices.begin(), choices.end(), value) != choices.end();
}

std::string validate(const format::Executable &executable) {
  Checker checker(executable);
  auto run = [&] {
    // Backends say which targets there are.
    if (executable.target().empty())
      return checker.fail("no target");
    if (executable.optimizer().empty())
      return checker.fail("no optimizer is named");
    if (!isOneOf(executable.precision(), {"f32", "tf32", "bf16", "f16"}))
      return checker.fail("unknown precision \"", executable.precision(), "\"");
    if (!std::isfinite(executable.model_flops()) ||
        !std::isfinite(executable.peak_flops()) ||
        executable.model_flops() < 0 || executable.peak_flops() < 0)
      return checker.fail("model_flops or peak_flops is not a number >= 0");
    if (!checker.checkMesh() || !checker.checkParameters() ||
        !checker.checkStates() || !checker.checkKernels() ||
        !checker.checkReductions() ||
        !checker.checkTexts())
      return false;
    for (int i = 0; i < executable.stages_size(); ++i)
      if (!checker.checkStage(i))
        return false;
    // One name is one tensor, on whatever stages it is read.
    std::map<std::string, const format::Input *> inputs;
    for (const format::Stage &stage : executable.stages())
      for (const format::Input &input : stage.inputs()) {
        auto [at, isNew] = inputs.insert({input.tensor().name(), &input});
        const format::Tensor &first = at->second->tensor();
        if (!isNew &&
            (first.type() != input.tensor().type() ||
             toShape(first.shape()) != toShape(input.tensor().shape()) ||
             at->second->key() != input.key()))
          return checker.fail("input \"", input.tensor().name(),
                              "\" differs between stages");
      }
    for (const format::Stage &stage : executable.stages())
      if (stage.has_init() != executable.stages(0).has_init())
        return checker.fail("some stages have an init program, some have none");
    for (int i = 0; i < executable.stages_size(); ++i)
      if (!checker.checkWorkspaces(i))
        return false;
    return checker.checkTransfers() && checker.checkCoverage();
  };
  run();
  return checker.error;
}

} // namespace zcc::rt
