// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rooflines: Williams, Waterman, Patterson, CACM 52(4), 2009. Collectives:
// Hockney, Parallel Computing 20(3), 1994, with the step counts of Thakur,
// Rabenseifner, Gropp, IJHPCA 19(1), 2005, and NCCL's way of using all network
// cards of a node (src/graph/tuning.cc). Tiles of products on GPUs: "Matrix
// Multiplication Background User's Guide", NVIDIA (tile and wave quantization).
#include "planning/CostModel.h"
#include "planning/LaunchWork.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace zcc::planning {

// The figures that are used if a description has none.
namespace defaults {
// A core of 2.5 GHz with two units of 8 lanes that multiply and add.
constexpr double coreFlops = 80e9;
// The bytes per second that a core streams from memory.
constexpr double coreBandwidth = 15e9;
// The share of the peak that large products reach.
constexpr double deviceProducts = 0.8, cpuProducts = 0.85;
// The share of the memory's bandwidth that large kernels reach.
constexpr double deviceMemory = 0.9;
// GPUs have 16 special function units beside 128 lanes that multiply and add
// (NVIDIA, SM of compute capability 7 and later). CPUs evaluate a polynomial.
constexpr double vectorFlopsPerTranscendental = 32;
// The operations to compute an element of an operand while it is packed, and to
// read one more element for it across rows. They have the order of magnitude
// that zcc-calibrate finds.
constexpr double opsPerPrologue = 30, opsPerTransposed = 250;
// The seconds to start a kernel on one core, and on all.
constexpr double cpuLaunch = 0.3e-6, cpuFork = 2e-6;
// The threads that keep a multiprocessor busy: four warps for each of its four
// schedulers hide the latency of an addition (Volkov, "Better performance at
// lower occupancy", GTC 2010), and, with two loads of 16 bytes each, that of
// memory: 3.35 TB/s for 600 ns are 15 kB for each of 132 (Little's law).
constexpr double busyThreads = 512;
// The seconds of a barrier between threads of a node.
constexpr double cpuLatency = 3e-6;
// The seconds until a thread that waits for a core gets it.
constexpr double cpuSwitch = 20e-6;
} // namespace defaults

/// Interpolates linearly in the logarithm of bytes. `samples` is not empty.
static double interpolate(const std::vector<RateSample> &samples,
                          double bytes) {
  if (bytes <= samples.front().bytes)
    return samples.front().rate;
  for (size_t i = 1; i < samples.size(); ++i) {
    const RateSample &low = samples[i - 1], &high = samples[i];
    if (bytes >= high.bytes)
      continue;
    double at = std::log(bytes / low.bytes) / std::log(high.bytes / low.bytes);
    return low.rate + at * (high.rate - low.rate);
  }
  return samples.back().rate;
}

static double asDouble(int64_t value) { return static_cast<double>(value); }

CostModel::CostModel(const Machine &machine, int64_t ranks)
    : multiprocessor(machine.multiprocessor), cpu(machine.ranksShareNode),
      isOneMemory(cpu || !machine.isKnown()) {
  double sharers = cpu ? asDouble(machine.ranksOnNode(ranks)) : 1;
  double cores = std::max(asDouble(machine.units), 1.0);
  units = cpu ? std::max(cores / sharers, 1.0) : asDouble(machine.units);

  auto addPeak = [&](const MachinePeak &peak) {
    Arithmetic unit;
    unit.type = peak.type;
    unit.flops = peak.flops / sharers;
    unit.efficiency = peak.efficiency != 1 ? peak.efficiency
                      : cpu                ? defaults::cpuProducts
                                           : defaults::deviceProducts;
    unit.sustained = peak.sustained;
    unit.attention = peak.attention;
    unit.attentionBackward = peak.attentionBackward;
    // A single addition or multiplication takes as long as a multiply-add.
    unit.vectorOps = peak.sustained * peak.vectorFlops / 2 / sharers;
    unit.transcendentals =
        peak.sustained *
        (peak.transcendentals != 0
             ? peak.transcendentals
             : peak.vectorFlops / defaults::vectorFlopsPerTranscendental) /
        sharers;
    unit.prologues =
        peak.prologues != 0
            ? peak.prologues / sharers
            : unit.vectorOps / (cpu ? defaults::opsPerPrologue : 1);
    for (const RateSample &sample : peak.transposedPrologues)
      unit.transposedPrologues.push_back({sample.bytes, sample.rate / sharers});
    if (unit.transposedPrologues.empty())
      unit.transposedPrologues.push_back(
          {1, unit.vectorOps / (cpu ? defaults::opsPerTransposed : 1)});
    for (const ProductSample &sample : peak.products) {
      ProductShape shape{sample.batch, sample.m, sample.n, sample.k};
      unit.samples.push_back(
          {std::log2(asDouble(sample.m)), std::log2(asDouble(sample.n)),
           std::log2(asDouble(sample.k)),
           sample.efficiency /
               (unit.sustained * unit.efficiency * shapeEfficiency(shape))});
    }
    arithmetic.push_back(std::move(unit));
  };
  if (const MachinePeak *peak = machine.findPeak("f32"))
    addPeak(*peak);
  else
    addPeak({"f32",
             defaults::coreFlops * cores,
             1,
             defaults::coreFlops * cores,
             0,
             0,
             {},
             {},
             1,
             0,
             0});
  for (const MachinePeak &peak : machine.peaks)
    if (peak.type != "f32")
      addPeak(peak);

  for (const MachineMemory &memory : machine.memories) {
    double parts = cpu || memory.bandwidthPerNode
                       ? asDouble(machine.ranksOnNode(ranks))
                       : 1;
    double bandwidth = memory.bandwidth * memory.efficiency / parts;
    if (memory.space != MemorySpace::Device) {
      tiers.push_back(
          {memory.space, memory.latency, bandwidth,
           memory.localBandwidth / asDouble(machine.ranksOnNode(ranks))});
      continue;
    }
    if (memory.efficiency == 1)
      bandwidth *= defaults::deviceMemory;
    if (bandwidth == 0)
      bandwidth = defaults::coreBandwidth * cores / sharers;
    for (const RateSample &sample : memory.samples)
      bandwidths.push_back({sample.bytes / parts, sample.rate / parts});
    if (bandwidths.empty())
      bandwidths.push_back({1, bandwidth});
  }
  if (bandwidths.empty())
    bandwidths.push_back({1, defaults::coreBandwidth * cores / sharers});

  for (const MachineLink &link : machine.links)
    levels.push_back(
        {link.devices == 0 ? std::numeric_limits<double>::infinity()
                           : asDouble(link.devices),
         link.latency,
         link.bandwidth * link.efficiency / sharers / asDouble(link.sharers),
         link.treeEfficiency, asDouble(link.units), link.scaleEfficiency});
  knowsLinks = !levels.empty();
  // Ranks of a node read each other's memory.
  if (!knowsLinks)
    levels.push_back({std::numeric_limits<double>::infinity(),
                      defaults::cpuLatency, bandwidths.back().rate / 2, 0, 0});

  launch = machine.launchSeconds;
  if (cpu && launch == 0)
    launch = defaults::cpuLaunch;
  if (cpu && units > 1)
    fork = machine.forkSeconds != 0 ? machine.forkSeconds : defaults::cpuFork;
  if (cpu && machine.units > 0 && sharers > cores)
    turns = machine.switchSeconds != 0 ? machine.switchSeconds
                                       : defaults::cpuSwitch;
  dispatch = machine.dispatchSeconds;
  skew = machine.skewSeconds;
}

const CostModel::Arithmetic &CostModel::find(std::string_view type) const {
  for (const Arithmetic &unit : arithmetic)
    if (unit.type == type)
      return unit;
  return arithmetic.front();
}

double CostModel::peakFlops(std::string_view type) const {
  return find(type).flops;
}

double CostModel::memoryBandwidth(double bytes) const {
  return interpolate(bandwidths, bytes);
}

// Products are computed in tiles. Those at the edges are padded, and on devices
// the tiles run in waves of one per unit, of which the last may not be full.
double CostModel::shapeEfficiency(const ProductShape &shape) const {
  double m = asDouble(shape.m), n = asDouble(shape.n), k = asDouble(shape.k);
  if (cpu) {
    // Registers hold tiles of about 8 x 32; packing the operands costs about
    // eight operations an element, loading and storing a tile sixteen steps.
    constexpr double rows = 8, columns = 32, packing = 8, edges = 16;
    double padded =
        std::ceil(m / rows) * rows * std::ceil(n / columns) * columns;
    return m * n / (padded * (1 + packing / m + packing / n + edges / k));
  }
  // Smaller tiles read their operands more often for each operation. Deep
  // products of few tiles are split along k, at least 512 a part.
  struct Tile {
    double m, n, share;
  };
  static constexpr Tile tiles[] = {
      {256, 128, 1},  {128, 256, 1}, {128, 128, 0.95}, {128, 64, 0.8},
      {64, 128, 0.8}, {64, 64, 0.6}, {64, 32, 0.4},    {32, 64, 0.4},
      {16, 128, 0.3}, {128, 16, 0.3}};
  double best = 0;
  for (const Tile &tile : tiles) {
    double count =
        asDouble(shape.batch) * std::ceil(m / tile.m) * std::ceil(n / tile.n);
    double covered = asDouble(shape.batch) * m * n / (count * tile.m * tile.n);
    double filled = 1;
    if (units > 0) {
      double parts = std::max(
          1.0, std::min(std::floor(units / count), std::floor(k / 512)));
      count *= parts;
      filled = count / (std::ceil(count / units) * units);
    }
    best = std::max(best, tile.share * covered * filled);
  }
  // A tile also has to fill and drain its pipeline.
  return best * k / (k + 64);
}

// Returns the ratio of measured to modelled efficiency, from the samples
// nearby, by inverse distance weighting (Shepard, 1968) in the logarithms of
// the extents.
double CostModel::correction(const Arithmetic &unit,
                             const ProductShape &shape) const {
  if (unit.samples.empty())
    return 1;
  double m = std::log2(asDouble(shape.m)), n = std::log2(asDouble(shape.n)),
         k = std::log2(asDouble(shape.k));
  double weights = 0, sum = 0;
  for (const Sample &sample : unit.samples) {
    double dm = sample.m - m, dn = sample.n - n, dk = sample.k - k;
    double distance = dm * dm + dn * dn + dk * dk + 0.01;
    double weight = 1 / (distance * distance);
    weights += weight;
    sum += weight * sample.ratio;
  }
  return sum / weights;
}

double CostModel::productEfficiency(std::string_view type,
                                    const ProductShape &shape) const {
  const Arithmetic &unit = find(type);
  return unit.sustained * unit.efficiency * shapeEfficiency(shape) *
         correction(unit, shape);
}

double CostModel::attentionRate(const ProductWork &product) const {
  const Arithmetic &unit = find(product.type);
  switch (product.kind) {
  case ProductKind::Matrix:
    return 0;
  case ProductKind::Attention:
    return unit.attention * unit.flops;
  case ProductKind::AttentionBackward:
    return unit.attentionBackward * unit.flops;
  }
  return 0;
}

double CostModel::productSeconds(const ProductWork &product) const {
  const ProductShape &shape = product.shape;
  double flops = shape.flops() * product.share;
  if (flops <= 0)
    return 0;
  if (double rate = attentionRate(product); rate > 0)
    return flops / rate;
  const Arithmetic &unit = find(product.type);
  double seconds =
      flops / (unit.flops * productEfficiency(product.type, shape));
  // Devices have kernels for a few rows or columns that use no tiles.
  if (!cpu && std::min(shape.m, shape.n) <= 8)
    seconds = std::min(seconds, flops / unit.vectorOps);
  return seconds;
}

double CostModel::operationsPerByte() const {
  constexpr double large = 1e9; // bytes that are in no cache
  return find("f32").vectorOps / memoryBandwidth(large);
}

double CostModel::kernelSeconds(const KernelWork &work, std::string_view type,
                                const ProductWork *products,
                                size_t numProducts) const {
  const Arithmetic &unit = find(type);
  // The measured rate of attention includes its softmax.
  bool isAttention = std::any_of(
      products, products + numProducts,
      [&](const ProductWork &product) { return attentionRate(product) > 0; });
  double seconds =
      (isAttention ? 0
                   : work.vectorOps / unit.vectorOps +
                         work.transcendentals / unit.transcendentals) +
      work.prologues / unit.prologues +
      work.transposedPrologues /
          interpolate(unit.transposedPrologues, work.transposedRow);
  for (size_t i = 0; i < numProducts; ++i)
    seconds += productSeconds(products[i]);
  double memory = work.distance * work.bytes / memoryBandwidth(work.bytes);
  // On cores, packing operands and writing results does not overlap with
  // computing products.
  if (cpu && numProducts > 0)
    return launch + spread(seconds + memory);
  return launch + spread(std::max(seconds, memory));
}

LaunchTime CostModel::launchTime(const LaunchWork &work,
                                 double distance) const {
  return timeLaunch(work, multiprocessor, static_cast<int64_t>(units),
                    memoryBandwidth(work.bytesRead + work.bytesWritten) /
                        distance);
}

KernelTime CostModel::kernelTime(const KernelCost &cost) const {
  if (!knowsLaunches(cost))
    return {kernelSeconds(cost.work, "f32", cost.products.data(),
                          cost.products.size()),
            fill(cost.threads)};
  // `whole` is the time that the launches would take if they filled the device;
  // side by side with others a kernel counts by that (togetherSeconds()).
  double seconds = 0, whole = 0;
  for (const LaunchWork &own : *cost.launches) {
    LaunchTime time = launchTime(own, cost.work.distance);
    seconds += launch + time.total;
    whole += time.total * time.fill;
  }
  double busy = seconds - launch;
  return {launch + whole, busy > 0 ? whole / busy : 1};
}

double CostModel::fill(double threads) const {
  if (cpu || threads <= 0 || units <= 1)
    return 1;
  return std::min(1., threads / (units * defaults::busyThreads));
}

double CostModel::togetherSeconds(const KernelTime *kernels,
                                  size_t count) const {
  if (count == 1 && kernels->fill >= 1)
    return kernels->seconds;
  double busy = 0, fill = 0;
  for (size_t i = 0; i < count; ++i) {
    busy += std::max(0., kernels[i].seconds - launch);
    fill += kernels[i].fill;
  }
  return launch + (busy > 0 ? busy / std::min(1., fill) : 0);
}

const CostModel &CostModel::assumed() {
  static const CostModel model = [] {
    Machine machine;
    machine.memories.emplace_back();
    machine.memories.back().bandwidth = 1e12;
    machine.links.push_back({"", 0, 5e-6, 100e9});
    machine.launchSeconds = 2e-6;
    return CostModel(machine, 1);
  }();
  return model;
}

double CostModel::skewSeconds(const Collective &collective) const {
  double size = collective.devices();
  bool meets = collective.kind != CollectiveKind::Send &&
               collective.kind != CollectiveKind::Receive;
  return meets && size > 1 ? crossings(collective.kind) * skew * std::log2(size)
                           : 0;
}

// NCCL chooses between rings and trees (src/graph/tuning.cc). Data that goes
// around a ring passes every rank, over as many links of a level as lie between
// the units that it connects; a tree takes a step for each doubling.
double CostModel::collectiveSeconds(const Collective &collective) const {
  double size = collective.devices();
  if (size <= 1)
    return 0;
  // Returns the number of members on a unit of `devices` consecutive ranks, if
  // the unit's first rank is a member.
  auto membersWithin = [&](double devices) {
    double members = 1;
    for (const AxisGroup &axis : collective.group)
      members *=
          std::clamp(devices / asDouble(axis.stride), 1.0, asDouble(axis.size));
    return members;
  };
  double latency = 0, ringLatency = 0;
  double messageLatency = 0, pairs = 0, single = 0;
  // The bandwidth of the path through all levels. At each level, every member
  // of a unit of the level below carries an equal share of what enters the
  // unit, over its own link: the unit has the links of its members, other
  // groups those of theirs.
  double bandwidth = std::numeric_limits<double>::infinity(),
         treeBandwidth = bandwidth;
  double inner = 1;
  for (const Level &level : levels) {
    double members = membersWithin(level.devices);
    if (members <= inner)
      continue;
    double doublings = std::ceil(std::log2(members / inner));
    double own =
        level.bandwidth * std::pow(level.scale, std::log2(members / inner));
    latency += level.latency * doublings;
    ringLatency += level.latency *
                   (level.tree > 0 ? size / inner - size / members : doublings);
    bandwidth = std::min(bandwidth, own * inner);
    treeBandwidth = std::min(treeBandwidth,
                             own * inner * (level.tree > 0 ? level.tree : 1));
    // Each member sends its own messages to members outside of its unit.
    pairs = std::max(pairs, (members - inner) / (size - 1) / own);
    messageLatency = std::max(messageLatency, level.latency);
    single = std::max(single, 1 / level.bandwidth);
    inner = members;
  }
  double moved = collective.sentOnce();
  double waits = turns + skewSeconds(collective);
  switch (collective.kind) {
  case CollectiveKind::AllReduce:
    return waits + 2 * std::min(ringLatency + moved / bandwidth,
                                latency + moved / treeBandwidth);
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
    return waits + ringLatency + moved / bandwidth;
  case CollectiveKind::AllToAll:
    return waits + latency + moved * pairs;
  case CollectiveKind::Permute:
  case CollectiveKind::Send:
  case CollectiveKind::Receive:
    return waits + messageLatency + moved * single;
  }
  return 0;
}

double CostModel::sendSeconds(int64_t from, int64_t to, double bytes) const {
  if (from == to)
    return 0;
  auto connects = [&](const Level &level) {
    return std::floor(asDouble(from) / level.devices) ==
           std::floor(asDouble(to) / level.devices);
  };
  auto level = std::find_if(levels.begin(), std::prev(levels.end()), connects);
  // With this stride collectiveSeconds() uses that link.
  double apart = level == levels.begin() ? 1 : std::prev(level)->devices;
  return collectiveSeconds(
      {CollectiveKind::Send, {{2, static_cast<int64_t>(apart)}}, bytes});
}

double CostModel::slowdown(const Collective &collective, double bytes) const {
  if (!cpu) {
    double taken = levels[linkLevel(collective.group)].units;
    return taken > 0 ? taken / (units - taken) : 0;
  }
  double seconds = collectiveSeconds(collective);
  KernelWork work;
  work.bytes = bytes;
  return seconds > 0 ? kernelSeconds(work) / seconds : 0;
}

/// Returns the number of ranks that a group spans.
static double spanOf(const std::vector<AxisGroup> &group) {
  double span = 1;
  for (const AxisGroup &axis : group)
    span = std::max(span, asDouble(axis.size * axis.stride));
  return span;
}

size_t CostModel::linkLevel(const std::vector<AxisGroup> &group) const {
  double span = spanOf(group);
  for (size_t i = 0; i < levels.size(); ++i)
    if (span <= levels[i].devices)
      return i;
  return levels.size() - 1;
}

double CostModel::smallBytes(const std::vector<AxisGroup> &group) const {
  if (!knowsLinks)
    return Buckets::defaultSmall;
  double span = spanOf(group);
  for (const Level &level : levels)
    // A barrier of threads has a least time, however fast the link is.
    if (double size = (cpu ? std::max(level.latency, defaults::cpuSwitch)
                           : level.latency) *
                      level.bandwidth;
        level.devices >= span && size > 0)
      return size;
  return Buckets::defaultSmall;
}

double CostModel::transferSeconds(MemorySpace space, double bytes) const {
  for (const Tier &tier : tiers)
    if (tier.space == space && tier.bandwidth > 0)
      return tier.latency + bytes / tier.bandwidth;
  if (isOneMemory && space == MemorySpace::Host) // a copy reads and writes
    return kernelSeconds({0, 0, 2 * bytes});
  return std::numeric_limits<double>::infinity();
}

double CostModel::hostSeconds(double bytes) const {
  for (const Tier &tier : tiers)
    if (tier.space == MemorySpace::Host && tier.bandwidth > 0)
      return bytes /
             (tier.localBandwidth > 0 ? tier.localBandwidth : tier.bandwidth);
  return kernelSeconds({0, 0, bytes});
}

} // namespace zcc::planning
