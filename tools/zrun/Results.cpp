// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that an executable reports after each step. Every rank of a stage
// has the same bits; the one whose other coordinates are 0 is read.

#include "tools/zrun/Results.h"

#include "runtime/core/Copy.h"
#include "runtime/core/Error.h"
#include "runtime/format/executable.pb.h"
#include "tools/zrun/Log.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace zcc::rt {

bool Results::lossIsFinite() const { return !loss || std::isfinite(loss->value); }

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

Results readResults(const format::Executable &executable, LocalRun &run) {
  Results results;
  for (int i = 0; i < executable.stages_size(); ++i) {
    int rank = run.mesh().inStage(0, i);
    for (const format::Output &output : executable.stages(i).outputs()) {
      const char *data = run.arena(rank).at(output.offset());
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

} // namespace zcc::rt
