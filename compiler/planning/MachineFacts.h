// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few figures of a machine that placement decisions read; plain numbers, so
// that passes need neither the schema nor its reader.
#ifndef ZCC_COMPILER_PLANNING_MACHINEFACTS_H
#define ZCC_COMPILER_PLANNING_MACHINEFACTS_H

#include <cstdint>
#include <vector>

namespace zcc::planning {

/// A level of links: what connects devices that are not connected by a level
/// before.
struct LinkFacts {
  int64_t devices = 0;  // consecutive ones that it connects; 0: all
  double latency = 0;   // seconds of one message
  double bandwidth = 0; // bytes a second and device, one direction
};

struct MachineFacts {
  double deviceMemory = 0;      // bytes that a device may use; 0: unknown
  double peakFlops = 0;         // a second, in the compute type; 0: unknown
  double memoryBandwidth = 0;   // bytes a second; 0: unknown
  double launchSeconds = 0;     // overhead of a kernel
  std::vector<LinkFacts> links; // inner to outer; empty: unknown
};

} // namespace zcc::planning

#endif
