// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine descriptions (machine.proto) as plain structures, and their reader.
// Units: seconds, bytes, bytes per second, operations per second.
#ifndef ZCC_PLANNING_MACHINE_H
#define ZCC_PLANNING_MACHINE_H

#include "planning/MachineFacts.h"
#include "planning/MemorySpace.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zcc::planning {

/// The measured efficiency of `batch` products of an m x k by a k x n matrix.
struct ProductSample {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  double efficiency = 1; // share of the peak
};

/// A rate per second that depends on a size.
struct RateSample {
  double bytes = 0, rate = 0;
};

struct MachinePeak {
  std::string type; // f64, f32, tf32, bf16, f16, f8, i8
  double flops = 0, efficiency = 1;
  double vectorFlops = 0;     // for arithmetic other than matrix products
  double transcendentals = 0; // functions per second; 0: unknown
  double prologues = 0; // computed elements of operands per second; 0: unknown
  // The same rate for operands that are contracted over a dim other than their
  // last, by the bytes of a row.
  std::vector<RateSample> transposedPrologues;
  std::vector<ProductSample> products;
  double sustained = 1; // the share that the clock under load leaves
  // The shares of `flops` that fused attention reaches; 0: unknown.
  double attention = 0, attentionBackward = 0;
};

struct MachineMemory {
  MemorySpace space = MemorySpace::Device;
  double bytes = 0; // per device, or per node if `perNode`
  bool perNode = false;
  double bandwidth = 0; // 0: unknown
  bool bandwidthPerNode = false;
  double latency = 0, efficiency = 1;
  // The bandwidth of all cores of a node together; 0: unknown.
  double localBandwidth = 0;
  std::vector<RateSample> samples; // the bandwidth of kernels, by their bytes
};

struct MachineLink {
  std::string name;
  int64_t devices = 0; // consecutive devices that it connects; 0: all
  double latency = 0, bandwidth = 0, efficiency = 1;
  double treeEfficiency = 0; // the share of a ring's bandwidth; 0: unknown
  int64_t units = 0;         // units of a device that a collective occupies
  int64_t sharers = 1;       // consecutive devices that share the bandwidth
  // The share of the bandwidth that is left with each doubling of the units of
  // the level below.
  double scaleEfficiency = 1;
};

/// The errors of predicted steps relative to measured ones.
struct PublishedSteps {
  int64_t rows = 0;         // measured steps; 0: there are none
  double low = 0, high = 0; // -0.1: predicted a tenth too fast
};

/// One of a device's units (an SM).
struct Multiprocessor {
  double clock = 0; // cycles per second; 0: nothing is known
  double issue = 0; // instructions of warps that it starts per cycle
  // These bound the blocks that are resident at a time.
  int64_t threads = 0, blocks = 0;
  int64_t registers = 0; // of 32 bits
  double sharedBytes = 0;
  // Seconds of a load from the device's memory, and from a cache that all
  // multiprocessors share.
  double memoryLatency = 0, cacheLatency = 0;

  bool isKnown() const { return clock > 0; }
};

struct Machine {
  std::string name, device;
  int64_t devicesPerNode = 0; // 0: all ranks are on one node
  // If set, peaks, and the capacities and bandwidths of memory and links, are
  // those of a node, whose ranks share them.
  bool ranksShareNode = false;
  std::vector<MachinePeak> peaks;
  std::vector<MachineMemory> memories; // the first is the device's
  std::vector<MachineLink> links;      // inner to outer, the last connects all
  double launchSeconds = 0, libraryBytes = 0;
  int64_t units = 0;      // SMs of a device, cores of a node; 0: unknown
  double forkSeconds = 0; // for a kernel on several cores, added to the launch
  // Is added to a collective's latency if there are more ranks than cores.
  double switchSeconds = 0;
  double dispatchSeconds = 0; // on the host, for each kernel or collective
  // per crossing of a collective and doubling of ranks
  double skewSeconds = 0;
  PublishedSteps published;
  Multiprocessor multiprocessor;

  /// Returns true if the description says anything about memory or links.
  bool isKnown() const { return !memories.empty() || !links.empty(); }
  const MachinePeak *findPeak(std::string_view type) const;
  /// Returns the memory of a space; null if the machine has none.
  const MachineMemory *findMemory(MemorySpace space) const;
  /// Returns the number of ranks on the fullest node if there are `ranks` in
  /// all.
  int64_t ranksOnNode(int64_t ranks) const;
  /// Returns the bytes of a space that programs may use on each of `ranks`
  /// devices, or 0 if there are none. The bytes of the device that libraries
  /// occupy are not counted. Ranks on CPUs whose machine describes no memory of
  /// the host have one memory for both spaces.
  double bytesPerDevice(int64_t ranks,
                        MemorySpace space = MemorySpace::Device) const;
  /// Returns the operations per second of each of `ranks` devices for products
  /// of `type`, or those for f32 if there is no figure; 0: unknown.
  double flopsPerDevice(std::string_view type, int64_t ranks) const;
  /// Returns the facts that decisions about memory depend on.
  MachineFacts getFacts(int64_t ranks) const;
};

/// Reads a description. Returns the errors, one line `FILE:LINE:COL: error:
/// ...` each, or "".
std::string parseMachine(std::string_view text, const std::string &file,
                         Machine &machine);

/// Returns the description as one line of text, which parseMachine reads back
/// equal.
std::string printMachine(const Machine &machine);
/// Returns the same text with one line per field.
std::string formatMachine(const Machine &machine);

/// Returns the names of the machines that zcc knows.
std::vector<std::string> getMachineNames();
/// Returns the description of the machine of that name; empty if there is none.
std::string_view getMachineText(std::string_view name);

} // namespace zcc::planning

#endif
