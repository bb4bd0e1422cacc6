// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PlanPlayer.h"
#include "dialects/TensorBytes.h"

#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "passes/Memory/Memory.h"
#include "passes/Memory/Timeline.h"
#include "passes/Schedule/TaskBoundary.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/RankHost.h"
#include "runtime/reference/ReferenceBackend.h"
#include "llvm/ADT/APFloat.h"
#include <random>

using namespace mlir;

namespace zcc {

using train::Tensor;

static std::string part(StringRef name, int64_t microbatch, int64_t parts) {
  return parts > 1 ? name.str() + "#" + std::to_string(microbatch) : name.str();
}

static RankedTensorType localType(dist::MeshOp mesh, dist::InputOp input) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [i, extent] : llvm::enumerate(shape))
    for (StringRef axis : input.getSharding().getAxes(i))
      extent /= *mesh.getAxisSize(axis);
  return RankedTensorType::get(shape, type.getElementType());
}

Contents makeMemory(ModuleOp module, unsigned seed) {
  std::mt19937 random(seed);
  auto fill = [&](RankedTensorType type) {
    Tensor tensor{type, {}};
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      double x = static_cast<double>(random() % 2001) / 1000 - 1;
      if (isa<FloatType>(type.getElementType())) {
        APFloat rounded(x);
        bool lost;
        rounded.convert(
            cast<FloatType>(type.getElementType()).getFloatSemantics(),
            APFloat::rmNearestTiesToEven, &lost);
        rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                        &lost);
        tensor.values.push_back(rounded.convertToDouble());
      } else {
        tensor.integers.push_back(random() % 2);
        tensor.values.push_back(static_cast<double>(tensor.integers.back()));
      }
    }
    return tensor;
  };
  Contents out;
  dist::MeshOp mesh = dist::getMesh(module);
  for (auto state : module.getOps<dist::StateOp>())
    out[state.getSymName().str()] =
        fill(cast<RankedTensorType>(state.getType()));
  for (auto input : module.getOps<dist::InputOp>())
    for (int64_t i = 0, parts = inputParts(mesh, input); i < parts; ++i)
      out[part(input.getSymName(), i, parts)] = fill(localType(mesh, input));
  OpBuilder b(module.getContext());
  Tensor hyper = fill(RankedTensorType::get({16}, b.getF32Type()));
  for (double &x : hyper.values)
    x = std::abs(x) + .125;
  out["hyper"] = hyper;
  Tensor coordinates{
      RankedTensorType::get({int64_t(mesh.getAxes().size())}, b.getI32Type()),
      std::vector<double>(mesh.getAxes().size(), 0),
      std::vector<int64_t>(mesh.getAxes().size(), 0)};
  out["coordinates"] = coordinates;
  return out;
}

// ---------------------------------------------------------------- tasks

namespace {

class TaskPlayer {
public:
  TaskPlayer(ModuleOp module, Contents memory)
      : module(module), mesh(dist::getMesh(module)), symbols(module),
        memory(std::move(memory)) {}

  Contents run(std::string &error) {
    for (auto table : module.getOps<dist::ScheduleOp>())
      for (auto run : table.getOps<dist::RunOp>())
        if (error.empty())
          play(symbols.lookup<func::FuncOp>(run.getTask()), run.getMicrobatch(),
               error);
    return memory;
  }

private:
  Tensor argument(func::FuncOp task, unsigned i, int64_t microbatch) {
    if (Attribute name = task.getArgAttr(i, dist::stateAttrName))
      return memory[boundaryName(name).str()];
    if (Attribute name = task.getArgAttr(i, dist::inputAttrName)) {
      auto input = symbols.lookup<dist::InputOp>(boundaryName(name));
      return memory[part(boundaryName(name), microbatch,
                         inputParts(mesh, input))];
    }
    if (Attribute name = task.getArgAttr(i, dist::valueAttrName)) {
      std::string value = boundaryName(name).str();
      for (const std::string &key :
           {value, value + "#" + std::to_string(microbatch), value + "#0"})
        if (auto at = values.find(key); at != values.end())
          return at->second;
    }
    if (task.getArgAttr(i, dist::hyperAttrName))
      return memory["hyper"];
    if (task.getArgAttr(i, dist::coordinatesAttrName))
      return memory["coordinates"];
    return {};
  }

  void play(func::FuncOp task, int64_t microbatch, std::string &error) {
    DenseMap<Value, Tensor> known;
    for (BlockArgument value : task.getArguments())
      known[value] = argument(task, value.getArgNumber(), microbatch);
    for (Operation &op : task.getBody().front()) {
      if (isa<dist::ObserveOp>(op) || isa<func::ReturnOp>(op))
        continue;
      if (isa<dist::DistDialect>(op.getDialect())) { // one device
        Tensor tensor = known[op.getOperand(0)];
        tensor.type = cast<RankedTensorType>(op.getResult(0).getType());
        known[op.getResult(0)] = tensor;
        continue;
      }
      SmallVector<Tensor> operands, results;
      for (Value operand : op.getOperands())
        operands.push_back(known[operand]);
      if (!train::evaluate(&op, operands, results, error))
        return;
      for (auto [value, tensor] : llvm::zip(op.getResults(), results))
        known[value] = tensor;
    }
    Operation *end = task.getBody().front().getTerminator();
    for (unsigned i = 0; i < task.getNumResults(); ++i) {
      const Tensor &tensor = known[end->getOperand(i)];
      if (Attribute name = task.getResultAttr(i, dist::valueAttrName))
        values[boundaryName(name).str() + "#" + std::to_string(microbatch)] =
            tensor;
      else if (Attribute name = task.getResultAttr(i, dist::accumulateAttrName))
        accumulate(boundaryName(name).str(), tensor);
      else if (Attribute name = task.getResultAttr(i, dist::stateAttrName))
        memory[boundaryName(name).str()] = tensor;
      else if (Attribute name = task.getResultAttr(i, dist::outputAttrName))
        memory[boundaryName(name).str()] = tensor;
    }
  }

  void accumulate(const std::string &name, const Tensor &tensor) {
    Tensor &sum = values[name];
    if (!sum.type)
      sum = {tensor.type, std::vector<double>(tensor.values.size(), 0)};
    for (auto [a, b] : llvm::zip(sum.values, tensor.values))
      a = static_cast<float>(static_cast<float>(a) + static_cast<float>(b));
  }

  ModuleOp module;
  dist::MeshOp mesh;
  SymbolTable symbols;
  Contents memory;
  std::map<std::string, Tensor> values;
};

} // namespace

Contents playTasks(ModuleOp module, Contents memory, std::string &error) {
  return TaskPlayer(module, std::move(memory)).run(error);
}

Contents runPlan(ModuleOp module, const std::string &bytes,
                 const Contents &memory, std::string &error) {
  Contents out = memory;
  rt::format::Executable executable;
  if (error = rt::parseExecutable(bytes, executable); !error.empty())
    return out;
  auto offsetOf = [](Operation *op, StringRef name = exec::offsetAttrName) {
    return op->getAttrOfType<IntegerAttr>(name).getInt();
  };
  try {
    rt::RankHost host(executable, rt::referenceBackend(), {});
    rt::Device &device = host.device(0);
    auto put = [&](int64_t offset, const Tensor &tensor) {
      std::string data = train::toBytes(tensor);
      device.copyIn(device.mainStream(), device.at(offset), data.data(),
                    data.size());
    };
    auto get = [&](Operation *op, Type type) {
      auto tensor = cast<RankedTensorType>(type);
      std::string data(getTensorBytes(tensor), 0);
      device.copyOut(device.mainStream(), data.data(), device.at(offsetOf(op)),
                     data.size());
      device.wait(device.mainStream());
      return train::fromBytes(tensor, data);
    };
    host.onAllRanks([&](int rank) {
      // Rubbish that is a NaN in every float type.
      device.fill(device.mainStream(), device.at(0), 0xff, 1,
                  device.arenaBytes(MemorySpace::Device));
      for (auto state : module.getOps<dist::StateOp>())
        put(offsetOf(state), memory.at(state.getSymName().str()));
      dist::MeshOp mesh = dist::getMesh(module);
      for (auto input : module.getOps<dist::InputOp>()) {
        auto offsets =
            input->getAttrOfType<DenseI64ArrayAttr>(exec::offsetsAttrName);
        for (int64_t i = 0, parts = inputParts(mesh, input); i < parts; ++i)
          put(offsets[i], memory.at(part(input.getSymName(), i, parts)));
      }
      auto table = *module.getOps<dist::ScheduleOp>().begin();
      put(offsetOf(table, exec::hyperOffsetAttrName), memory.at("hyper"));
      put(offsetOf(table, exec::coordinatesOffsetAttrName),
          memory.at("coordinates"));
      host.runStep(rank, /*observing=*/false);
      for (auto state : module.getOps<dist::StateOp>())
        out[state.getSymName().str()] = get(state, state.getType());
      for (auto output : module.getOps<dist::OutputOp>())
        out[output.getSymName().str()] = get(output, output.getType());
    });
  } catch (const std::exception &thrown) {
    error = thrown.what();
  }
  return out;
}

std::string difference(const Contents &a, const Contents &b) {
  for (const auto &[name, tensor] : a) {
    auto other = b.find(name);
    if (other == b.end())
      return name + " is missing";
    for (size_t i = 0; i < tensor.values.size(); ++i) {
      double x = tensor.values[i], y = other->second.values[i];
      if (x != y && !(std::isnan(x) && std::isnan(y)))
        return name + "[" + std::to_string(i) + "]: " + std::to_string(x) +
               " and " + std::to_string(y);
    }
  }
  return a.size() == b.size() ? "" : "one has more";
}

} // namespace zcc
