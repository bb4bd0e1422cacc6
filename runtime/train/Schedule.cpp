// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that the host decides for each step.

#include "runtime/train/Schedule.h"

#include "runtime/core/Error.h"
#include "runtime/format/StepExtent.h"
#include "runtime/format/executable.pb.h"
#include "runtime/train/Results.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace zcc::rt {

// Steps without overflow after which a dynamic scale is doubled.
static constexpr int64_t growthInterval = 2000;

LearningRate::LearningRate(const UpdateSettings &settings, int64_t steps)
    : peak(settings.lr), lowest(settings.minLr), warmup(settings.warmup),
      steps(steps), decay(settings.decay) {
  if (settings.lrFile.empty())
    return;
  std::ifstream file(settings.lrFile);
  if (!file)
    badInput(settings.lrFile, ": cannot open");
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    line = line.substr(0, line.find('#'));
    for (char &c : line)
      if (c == ',' || c == '(' || c == ')' || c == '\r')
        c = ' ';
    if (line.find_first_not_of(" \t") == std::string::npos)
      continue;
    std::istringstream words(line);
    double step, rate;
    std::string rest;
    if (!(words >> step >> rate) || (words >> rest) || !std::isfinite(step) ||
        !std::isfinite(rate) || rate < 0)
      badInput(settings.lrFile, ":", number, ": expected a step and a rate");
    if (!table.empty() && step <= table.back().first)
      badInput(settings.lrFile, ":", number, ": step ", step,
               " does not come after ", table.back().first);
    table.push_back({step, rate});
  }
  if (table.empty())
    badInput(settings.lrFile, ": holds no line of step and rate");
}

double LearningRate::at(int64_t step) const {
  if (!table.empty()) {
    double s = double(step);
    if (s <= table.front().first)
      return table.front().second;
    for (size_t i = 1; i < table.size(); ++i)
      if (s <= table[i].first) {
        auto [s0, r0] = table[i - 1];
        auto [s1, r1] = table[i];
        return r0 + (r1 - r0) * (s - s0) / (s1 - s0);
      }
    return table.back().second;
  }
  if (step < warmup)
    return peak * double(step) / double(warmup);
  if (decay == Decay::None || steps <= warmup)
    return peak;
  double done = std::min(1.0, double(step - warmup) / double(steps - warmup));
  if (decay == Decay::Linear)
    return peak + (lowest - peak) * done;
  return lowest + (peak - lowest) * 0.5 * (1 + std::cos(M_PI * done));
}

void LossScale::update(bool overflow) {
  if (!dynamic)
    return;
  if (overflow) {
    scale = std::max(1.0, scale / 2);
    goodSteps = 0;
  } else if (++goodSteps == growthInterval) {
    // Beyond this the product with any loss would leave f32.
    scale = std::min(scale * 2, 0x1p120);
    goodSteps = 0;
  }
}

LossScale makeLossScale(const format::Executable &executable,
                        const UpdateSettings &settings) {
  bool dynamic =
      settings.dynamicScale.value_or(executable.precision() == "f16");
  if (isForward(executable))
    dynamic = false;
  if (dynamic && !reportsOverflow(executable))
    badInput("--loss-scale dynamic: the executable does not report overflows");
  double start = settings.lossScale;
  if (start == 0)
    start = dynamic ? 65536.0 : 1.0;
  return LossScale(dynamic, start);
}

std::vector<float> hyperparameters(const format::Executable &executable,
                                   const UpdateSettings &settings,
                                   double learningRate, double lossScale,
                                   int64_t updates) {
  std::vector<float> hyper(format::HYPER_COUNT, 0.0f);
  double t = double(updates + 1);
  for (const UpdateSetting &own : updateSettings())
    hyper[own.which] = float(settingOf(executable, settings, own.which));
  double beta1 = settingOf(executable, settings, format::BETA1);
  double beta2 = settingOf(executable, settings, format::BETA2);
  hyper[format::LEARNING_RATE] = float(learningRate);
  hyper[format::CLIP_NORM] =
      settings.clipNorm > 0 ? float(settings.clipNorm) : HUGE_VALF;
  hyper[format::BIAS1] = float(1 - std::pow(beta1, t));
  hyper[format::BIAS2] = float(1 - std::pow(beta2, t));
  hyper[format::LOSS_SCALE] = float(lossScale);
  hyper[format::ONE_MINUS_BETA1] = float(1 - beta1);
  hyper[format::ONE_MINUS_BETA2] = float(1 - beta2);
  return hyper;
}

} // namespace zcc::rt
