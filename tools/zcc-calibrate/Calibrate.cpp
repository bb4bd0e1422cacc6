// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures a machine with three programs: on one rank with all cores (products,
// streams, arithmetic, the cost of starting a kernel), on one rank for each
// core (shared memory, collectives), and on twice as many ranks as cores (the
// cost of taking turns). Their figures are those that the cost model reads.
#include "tools/zcc-calibrate/Calibrate.h"
#include "compiler/phases/Machine.h"
#include "tools/zcc-calibrate/Measure.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace zcc::calibrate {

namespace {

using planning::Machine;
using planning::MachineLink;
using planning::MachinePeak;
using planning::ProductSample;
using planning::RateSample;

struct Shape : Product {
  double flops() const {
    return 2.0 * static_cast<double>(batch) * static_cast<double>(m) *
           static_cast<double>(n) * static_cast<double>(k);
  }
  std::string name(const std::string &type) const {
    return type + "_" + std::to_string(batch) + "_" + std::to_string(m) + "_" +
           std::to_string(n) + "_" + std::to_string(k);
  }
};

// Shapes as in training. Forward: many rows (tokens) by widths of models or
// their shards. Backward: the right operand transposed for the operand's
// gradient, and the left one for the gradient of the weights, which sums over
// the tokens.
constexpr Shape shapes[] = {
    {{1, 2048, 256, 256, "NN"}},  {{1, 2048, 1024, 256, "NN"}},
    {{1, 2048, 256, 1024, "NT"}}, {{1, 1024, 768, 3072, "NN"}},
    {{1, 1024, 768, 768, "NT"}},  {{1, 1024, 3072, 768, "NN"}},
    {{1, 1024, 8192, 768, "NT"}}, {{1, 1024, 128, 256, "NN"}},
    {{1, 512, 512, 64, "NN"}},    {{1, 1024, 1024, 1024, "NN"}},
    {{1, 256, 1024, 2048, "TN"}}, {{1, 1024, 256, 2048, "TN"}},
    {{1, 256, 256, 2048, "TN"}},  {{1, 768, 3072, 1024, "TN"}},
    {{1, 3072, 768, 512, "TN"}},  {{1, 128, 256, 1024, "TN"}},
    {{1, 256, 256, 256, "NN"}},   {{1, 64, 64, 64, "NN"}},
    {{1, 64, 1024, 256, "NN"}},   {{1, 32, 64, 512, "NN"}},
    {{1, 16, 1024, 1024, "NN"}},  {{1, 1024, 16, 1024, "NN"}},
    {{1, 1024, 1024, 16, "NN"}},  {{1, 1, 2048, 2048, "NN"}},
    {{32, 256, 256, 64, "NT"}},   {{32, 256, 64, 256, "NN"}},
    {{64, 64, 64, 32, "NT"}},
};
constexpr Shape quickShapes[] = {{{1, 256, 256, 256, "NN"}},
                                 {{1, 16, 256, 256, "NT"}},
                                 {{1, 256, 256, 16, "TN"}}};
constexpr Shape narrowShapes[] = {{{1, 1024, 1024, 1024, "NN"}},
                                  {{1, 256, 256, 256, "NN"}},
                                  {{1, 2048, 256, 1024, "NT"}},
                                  {{1, 256, 1024, 2048, "TN"}},
                                  {{32, 256, 64, 256, "NN"}}};
// With and without a prologue: one as its operand lies, others across its
// rows.
constexpr Shape prologues[] = {
    {{1, 2048, 512, 256, "NN"}},  {{1, 64, 512, 2048, "TN"}},
    {{1, 256, 1024, 2048, "TN"}}, {{1, 512, 256, 2048, "TN"}},
    {{1, 1024, 256, 2048, "TN"}}, {{1, 3072, 512, 512, "TN"}}};

// Elements of a stream, which touches three arrays.
constexpr int64_t streams[] = {1 << 12, 1 << 15, 1 << 18, 1 << 21, 1 << 23};
// Bytes of collectives; the first for their latency.
constexpr int64_t messages[] = {64, 1 << 20, 16 << 20};
constexpr const char *collectives[] = {"all_reduce", "all_gather"};
constexpr const char *functions[] = {"exponential", "tanh", "log"};

std::string streamName(int64_t elements) {
  return "stream_" + std::to_string(elements);
}

std::string prologueName(const Shape &shape, bool prologue) {
  return shape.name(shape.layout) + (prologue ? "_computed" : "_given");
}

class Calibration {
public:
  Calibration(const CalibrateOptions &options, Machine &machine)
      : options(options), machine(machine),
        cores(std::max<int64_t>(machine.units, 1)) {}

  std::string run() {
    for (auto part : {&Calibration::measureKernels, &Calibration::measureFork,
                      &Calibration::measureRanks, &Calibration::measureTurns})
      if (std::string error = (this->*part)(); !error.empty())
        return error;
    return "";
  }

private:
  void say(const std::string &text) {
    if (options.progress)
      options.progress(text);
  }
  std::string time(const Program &program, int threads, double seconds,
                   Timings &timings) {
    return measure(program, threads, options.quick ? seconds / 20 : seconds,
                   timings);
  }
  std::vector<Shape> productShapes(bool narrow) const {
    if (options.quick)
      return {std::begin(quickShapes), std::end(quickShapes)};
    if (narrow)
      return {std::begin(narrowShapes), std::end(narrowShapes)};
    return {std::begin(shapes), std::end(shapes)};
  }
  // The sizes that fit into a quarter of the memory.
  std::vector<int64_t> streamSizes() const {
    std::vector<int64_t> out;
    for (int64_t elements : streams)
      if (!(options.quick && elements > 1 << 20) &&
          12.0 * static_cast<double>(elements) < machine.memories[0].bytes / 4)
        out.push_back(elements);
    return out;
  }

  std::string measureKernels();
  std::string measureFork();
  std::string measureRanks();
  std::string measureTurns();
  void setPeak(const std::string &type, const Timings &timings);
  void addCollectives(Program &program) const;

  const CalibrateOptions &options;
  Machine &machine;
  int64_t cores;
  Timings kernels; // on all cores
};

/// The best rate is the peak, the others are shares of it. Arithmetic besides
/// is of f32, whatever the operands' type.
void Calibration::setPeak(const std::string &type, const Timings &timings) {
  std::vector<Shape> list = productShapes(type != "f32");
  MachinePeak peak;
  peak.type = type;
  auto rate = [&](const Shape &shape) {
    return shape.flops() / timings.at(shape.name(type));
  };
  for (const Shape &shape : list)
    peak.flops = std::max(peak.flops, rate(shape));
  for (const Shape &shape : list)
    peak.products.push_back(
        {shape.batch, shape.m, shape.n, shape.k, rate(shape) / peak.flops});
  double chain = 1 << 16;
  // A multiply-add is two operations, an addition takes its place.
  peak.vectorFlops = 2 * 32 * chain / timings.at("add");
  double seconds = 0;
  for (const char *function : functions)
    seconds += timings.at(function) / (4 * chain) / std::size(functions);
  peak.transcendentals = 1 / seconds;
  auto computed = [&](const Shape &shape) {
    double more = timings.at(prologueName(shape, true)) -
                  timings.at(prologueName(shape, false));
    return static_cast<double>(shape.m * shape.k) / std::max(more, 1e-7);
  };
  peak.prologues = computed(prologues[0]);
  // These vary with where arrays lie in memory more than with the rows: one
  // figure for all.
  double more = 0, elements = 0;
  for (const Shape &shape : prologues)
    if (shape.layout[0] == 'T') {
      double own = static_cast<double>(shape.m * shape.k);
      elements += own;
      more += own / computed(shape);
    }
  peak.transposedPrologues = {{1, elements / more}};
  machine.peaks.push_back(std::move(peak));
}

std::string Calibration::measureKernels() {
  say("products, memory and arithmetic on " + std::to_string(cores) +
      (cores == 1 ? " core" : " cores"));
  Program program(1);
  for (const char *type : {"f32", "bf16", "f16"})
    for (const Shape &shape : productShapes(type != std::string("f32")))
      program.addProduct(shape.name(type), type, shape);
  for (const Shape &shape : prologues)
    for (bool prologue : {false, true})
      program.addProduct(prologueName(shape, prologue), "f32", shape, prologue);
  for (int64_t elements : streamSizes())
    program.addStream(streamName(elements), elements, 4);
  program.addStream("launch", 16, 20);
  program.addChain("add", "add", 2, 1 << 16, 32);
  for (const char *function : functions)
    program.addChain(function, function, 1, 1 << 16, 4);
  if (std::string error = time(program, 0, 20, kernels); !error.empty())
    return error;
  machine.peaks.clear();
  for (const char *type : {"f32", "bf16", "f16"})
    setPeak(type, kernels);
  planning::MachineMemory &memory = machine.memories[0];
  for (int64_t elements : streamSizes()) {
    double bytes = 12.0 * static_cast<double>(elements);
    memory.samples.push_back({bytes, bytes / kernels.at(streamName(elements))});
  }
  memory.bandwidth = memory.samples.back().rate;
  machine.launchSeconds = kernels.at("launch") + kernels.at("dispatch");
  return "";
}

/// Measures the time that all cores need beyond an equal share of one core's
/// time.
std::string Calibration::measureFork() {
  if (cores == 1)
    return "";
  say("starting threads");
  Program program(1);
  program.addStream(streamName(1 << 15), 1 << 15, 20);
  Timings one, all;
  if (std::string error = time(program, 1, 2, one); !error.empty())
    return error;
  if (std::string error = time(program, 0, 2, all); !error.empty())
    return error;
  double share = one.at(streamName(1 << 15)) / static_cast<double>(cores);
  machine.forkSeconds =
      std::clamp(all.at(streamName(1 << 15)) - share, 1e-7, 1e-3);
  return "";
}

void Calibration::addCollectives(Program &program) const {
  for (const char *kind : collectives)
    for (int64_t bytes : messages)
      program.addCollective(std::string(kind) + "_" + std::to_string(bytes),
                            kind, bytes, bytes > 4096 ? 5 : 40);
}

/// The figures that CostModel::collectiveSeconds takes apart again.
std::string Calibration::measureRanks() {
  int64_t ranks = std::clamp<int64_t>(cores, 2, 16);
  say("collectives between " + std::to_string(ranks) + " ranks");
  Program program(ranks);
  addCollectives(program);
  Timings timings;
  if (std::string error = time(program, 0, 6, timings); !error.empty())
    return error;
  double count = static_cast<double>(ranks);
  double hops = std::ceil(std::log2(count));
  MachineLink link;
  link.name = "memory";
  link.latency = timings.at("all_reduce_64") / (2 * hops);
  double logarithms = 0;
  int figures = 0;
  for (std::string kind : collectives)
    for (int64_t bytes : messages) {
      if (bytes <= 4096)
        continue;
      double sides = kind == "all_reduce" ? 2 : 1;
      double seconds = timings.at(kind + "_" + std::to_string(bytes)) -
                       sides * hops * link.latency;
      logarithms += std::log(sides * (count - 1) * static_cast<double>(bytes) /
                             std::max(seconds, 1e-7));
      ++figures;
    }
  link.bandwidth = std::exp(logarithms / figures);
  machine.links.push_back(link);
  return "";
}

/// Measures the time that collectives take longer if ranks also wait for cores.
std::string Calibration::measureTurns() {
  if (cores == 1 || cores > 16)
    return "";
  int64_t ranks = 2 * cores;
  say("collectives between " + std::to_string(ranks) + " ranks");
  Program program(ranks);
  addCollectives(program);
  Timings timings;
  if (std::string error = time(program, 0, 6, timings); !error.empty())
    return error;
  double hops = std::ceil(std::log2(static_cast<double>(ranks)));
  double expected = 2 * hops * machine.links.back().latency;
  machine.switchSeconds =
      std::clamp(timings.at("all_reduce_64") - expected, 0.0, 0.05);
  return "";
}

} // namespace

/// Four digits are more than measurements have.
static void roundFigures(Machine &machine) {
  auto round = [](double &figure) {
    if (figure <= 0)
      return;
    char text[32];
    std::snprintf(text, sizeof text, "%.3e", figure);
    figure = std::strtod(text, nullptr);
  };
  for (MachinePeak &peak : machine.peaks) {
    for (double *figure : {&peak.flops, &peak.vectorFlops,
                           &peak.transcendentals, &peak.prologues})
      round(*figure);
    for (ProductSample &sample : peak.products)
      round(sample.efficiency);
    for (RateSample &sample : peak.transposedPrologues)
      round(sample.rate);
  }
  for (planning::MachineMemory &memory : machine.memories) {
    round(memory.bandwidth);
    for (RateSample &sample : memory.samples)
      round(sample.rate);
  }
  for (MachineLink &link : machine.links) {
    round(link.latency);
    round(link.bandwidth);
  }
  for (double *figure :
       {&machine.launchSeconds, &machine.forkSeconds, &machine.switchSeconds})
    round(*figure);
}

std::string calibrate(const CalibrateOptions &options, Machine &machine) {
  machine = getHostMachine();
  if (!options.name.empty())
    machine.name = options.name;
  std::string error = Calibration(options, machine).run();
  roundFigures(machine);
  return error;
}

} // namespace zcc::calibrate
