// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources: CUDA C++ Programming Guide, "Arithmetic Instructions" (throughput of
// instructions, compute capability 9.0), and the occupancy rules behind
// NVIDIA's occupancy calculator.
#include "planning/LaunchWork.h"
#include <algorithm>
#include <cmath>

namespace zcc::planning {

namespace {
constexpr int64_t warp = 32;
// Registers are allocated to warps in units of 256; each block takes 1 KiB of
// shared memory in addition to its own.
constexpr int64_t registerUnit = 256;
constexpr double ownShared = 1 << 10;

// The shares of the instructions of a cycle that each kind of unit can take: a
// multiprocessor starts 128 in f32, but 64 of integers or f64, and 16
// functions. Loads, stores and shuffles move 32 words of 4 bytes a cycle.
constexpr double integerShare = 1. / 2, doubleShare = 1. / 2,
                 functionShare = 1. / 8, transferShare = 1. / 4;
} // namespace

int64_t residentBlocks(const Multiprocessor &multiprocessor, int64_t threads,
                       int64_t registers, double sharedBytes) {
  auto roundUp = [](int64_t value, int64_t unit) {
    return (value + unit - 1) / unit * unit;
  };
  int64_t warps = roundUp(std::max<int64_t>(threads, 1), warp) / warp;
  int64_t ofWarp =
      roundUp(std::max<int64_t>(registers, 1) * warp, registerUnit);
  return std::min({multiprocessor.blocks,
                   multiprocessor.threads / (warps * warp),
                   multiprocessor.registers / ofWarp / warps,
                   static_cast<int64_t>(multiprocessor.sharedBytes /
                                        (sharedBytes + ownShared))});
}

/// Returns the cycles in which a multiprocessor starts the instructions of one
/// warp: the busiest of its units counts.
static double issueCycles(const LaunchInstructions &own, double issue) {
  return std::max({own.sum(), own.integers / integerShare,
                   own.doubles / doubleShare, own.functions / functionShare,
                   own.transfers / transferShare}) /
         issue;
}

LaunchTime timeLaunch(const LaunchWork &work,
                      const Multiprocessor &multiprocessor, int64_t units,
                      double bandwidth) {
  LaunchTime out;
  if (work.blocks <= 0)
    return out;
  const double all = static_cast<double>(units);
  const double room =
      all * static_cast<double>(std::max<int64_t>(
                1, residentBlocks(multiprocessor, work.threads, work.registers,
                                  work.sharedBytes)));
  const double bytes = (work.bytesRead + work.bytesWritten) / work.blocks;
  const double warps =
      std::ceil(static_cast<double>(work.threads) / static_cast<double>(warp));
  const double issue = warps *
                       issueCycles(work.instructions, multiprocessor.issue) /
                       multiprocessor.clock;
  const double path = work.memoryRounds * multiprocessor.memoryLatency +
                      work.cacheRounds * multiprocessor.cacheLatency +
                      work.cycles / multiprocessor.clock;
  auto addWaves = [&](double count, double blocks) {
    double ofBytes = blocks * bytes / bandwidth;
    double ofIssue = std::ceil(blocks / all) * issue; // the fullest one's
    out.memory += count * ofBytes;
    out.issue += count * ofIssue;
    out.path += count * path;
    out.total += count * std::max({ofBytes, ofIssue, path});
  };
  double whole = std::floor(work.blocks / room);
  addWaves(whole, room);
  if (double rest = work.blocks - whole * room; rest > 0)
    addWaves(1, rest);
  out.fill = std::min(1., work.blocks / room);
  return out;
}

} // namespace zcc::planning
