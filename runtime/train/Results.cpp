// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that an executable reports after each step. Every rank of a stage
// has the same bits; the one whose other coordinates are 0 is read.

#include "runtime/train/Results.h"

#include "runtime/comm/Communicator.h"
#include "runtime/core/Copy.h"
#include "runtime/core/Error.h"
#include "runtime/format/StepExtent.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace zcc::rt {

bool Results::lossIsFinite() const {
  return !loss || std::isfinite(loss->value);
}

void Means::add(const Results &results) {
  ++count;
  size_t index = 0;
  auto addOne = [&](const std::string &name, double value) {
    if (index == sums.size())
      sums.push_back({name, 0.0});
    sums[index++].second += value;
    wide |= std::isfinite(value) && double(float(value)) != value;
  };
  if (results.loss)
    addOne("loss", results.loss->value);
  for (const Results::Metric &metric : results.metrics)
    addOne(metric.name, metric.value);
}

std::vector<std::pair<std::string, double>> Means::values() const {
  std::vector<std::pair<std::string, double>> means = sums;
  for (auto &entry : means)
    entry.second /= double(count);
  return means;
}

bool reportsOverflow(const format::Executable &executable) {
  for (const format::Stage &stage : executable.stages())
    for (const format::Output &output : stage.outputs())
      if (output.kind() == format::Output::FINITE)
        return true;
  return false;
}

static float readFloat(const char *data, ElementType type) {
  float value = 0;
  (void)convert(data, type, &value, ElementType::F32, 1);
  return value;
}

static Results::Metric readMetric(const std::string &name, const char *data,
                                  ElementType type) {
  if (type == ElementType::F64) {
    double value;
    std::memcpy(&value, data, sizeof(value));
    return {name, value, jsonNumber(value)};
  }
  if (isFloat(type)) {
    float value = readFloat(data, type);
    return {name, value, jsonNumber(value)};
  }
  if (type == ElementType::I1)
    return {name, double(*data != 0), *data ? "true" : "false"};
  if (type == ElementType::U64) {
    uint64_t value;
    std::memcpy(&value, data, sizeof(value));
    return {name, double(value), std::to_string(value)};
  }
  int64_t value = 0;
  (void)convert(data, type, &value, ElementType::I64, 1);
  return {name, double(value), std::to_string(value)};
}

static size_t bytesOf(const format::Output &output) {
  if (output.kind() == format::Output::ARRAY)
    return 0; // Outputs.h reads it
  size_t elements = output.kind() == format::Output::GRADIENT_SQUARES
                        ? size_t(output.names_size())
                        : 1;
  return elements * byteSize(static_cast<ElementType>(output.type()));
}

static size_t bytesOf(const format::Stage &stage) {
  size_t bytes = 0;
  for (const format::Output &output : stage.outputs())
    bytes += bytesOf(output);
  return bytes;
}

/// Returns the outputs of all stages, one after the other. If ranks are
/// processes, each gets the results of other stages from the rank at its own
/// coordinates, so that all ranks decide alike.
static std::vector<std::string>
readOutputs(const format::Executable &executable, RankHost &run) {
  std::vector<std::string> outputs(executable.stages_size());
  size_t largest = 0;
  auto read = [&](int stage, int rank) {
    const format::Stage &program = executable.stages(stage);
    Device &device = run.device(rank);
    outputs[stage].resize(bytesOf(program));
    char *next = outputs[stage].data();
    for (const format::Output &output : program.outputs()) {
      if (bytesOf(output) == 0)
        continue;
      device.copyOut(device.mainStream(), next, device.at(output.offset()),
                     bytesOf(output));
      next += bytesOf(output);
    }
    device.wait(device.mainStream());
  };
  if (run.isWhole()) {
    for (int i = 0; i < executable.stages_size(); ++i)
      read(i, run.mesh().inStage(0, i));
    return outputs;
  }
  int rank = run.localRanks().front(), mine = run.mesh().stageOf(rank);
  read(mine, rank);
  if (outputs.size() == 1)
    return outputs;
  std::vector<int> group;
  std::vector<size_t> sizes;
  for (int i = 0; i < executable.stages_size(); ++i) {
    sizes.push_back(bytesOf(executable.stages(i)));
    largest = std::max(largest, sizes.back());
    group.push_back(run.mesh().inStage(rank, i));
  }
  outputs[mine].resize(largest);
  std::string all(largest * group.size(), '\0');
  run.transport(rank).open(group)->allGather(ElementType::U8,
                                             outputs[mine].data(), all.data(),
                                             1, int64_t(largest), 1);
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = all.substr(i * largest, sizes[i]);
  return outputs;
}

Results readResults(const format::Executable &executable, RankHost &run) {
  Results results;
  std::vector<std::string> outputs = readOutputs(executable, run);
  for (int i = 0; i < executable.stages_size(); ++i) {
    const char *next = outputs[i].data();
    for (const format::Output &output : executable.stages(i).outputs()) {
      const char *data = next;
      next += bytesOf(output);
      auto type = static_cast<ElementType>(output.type());
      switch (output.kind()) {
      case format::Output::LOSS:
        if (!results.loss)
          results.loss = readMetric(output.name(), data, type);
        break;
      case format::Output::METRIC:
        if (std::none_of(
                results.metrics.begin(), results.metrics.end(),
                [&](const auto &m) { return m.name == output.name(); }))
          results.metrics.push_back(readMetric(output.name(), data, type));
        break;
      case format::Output::GRADIENT_NORM:
        if (!results.gradientNorm)
          results.gradientNorm = readFloat(data, type);
        break;
      case format::Output::FINITE:
        results.finite &= *data != 0;
        break;
      case format::Output::GRADIENT_SQUARES:
        for (int k = 0; k < output.names_size(); ++k)
          if (results.badGradient.empty() &&
              !std::isfinite(readFloat(data + 4 * k, type)))
            results.badGradient = output.names(k);
        break;
      default:
        break;
      }
    }
  }
  return results;
}

std::vector<std::string> resultNames(const format::Executable &executable) {
  std::vector<std::string> names;
  bool hasLoss = false, hasNorm = false;
  for (const format::Stage &stage : executable.stages())
    for (const format::Output &output : stage.outputs()) {
      hasLoss |= output.kind() == format::Output::LOSS;
      hasNorm |= output.kind() == format::Output::GRADIENT_NORM;
      if (output.kind() == format::Output::METRIC &&
          std::find(names.begin(), names.end(), output.name()) == names.end())
        names.push_back(output.name());
    }
  if (hasLoss)
    names.insert(names.begin(), "loss");
  if (hasNorm)
    names.push_back("grad_norm");
  if (!isForward(executable))
    names.insert(names.end(), {"lr", "loss_scale", "overflow"});
  names.push_back("seconds");
  return names;
}

} // namespace zcc::rt
