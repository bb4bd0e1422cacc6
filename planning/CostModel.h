// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the seconds of kernels, matrix products and collectives on a
// machine. The model is a roofline: a kernel takes its launch plus the time of
// its arithmetic or that of its memory traffic, whichever is longer (for
// products on CPUs, the sum). Collectives follow Hockney's model of latency and
// bandwidth, level by level of the network, in rings or trees, and wait for the
// last of their ranks. The model is a pure function: the same figures always
// give the same seconds. docs/machines.md explains it.
#ifndef ZCC_PLANNING_COSTMODEL_H
#define ZCC_PLANNING_COSTMODEL_H

#include "planning/Collective.h"
#include "planning/Machine.h"
#include "planning/ProductKind.h"
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zcc::planning {

/// `batch` products of an m x k by a k x n matrix.
struct ProductShape {
  int64_t batch = 1, m = 1, n = 1, k = 1;

  double flops() const {
    return 2.0 * static_cast<double>(batch) * static_cast<double>(m) *
           static_cast<double>(n) * static_cast<double>(k);
  }
};

/// A product that is part of a kernel. `share` is below 1 if some of it need
/// not be computed (as in causal attention).
struct ProductWork {
  ProductShape shape;
  std::string_view type = "f32"; // of its operands
  double share = 1;
  ProductKind kind = ProductKind::Matrix;
};

/// The work of a kernel besides its matrix products.
struct KernelWork {
  double vectorOps = 0;       // additions, products, comparisons, ...
  double transcendentals = 0; // exponentials, logarithms, tangents, ...
  double bytes = 0;           // read and written
  // `prologues` counts the elements of products' operands that the kernel
  // computes itself. If an operand is contracted over a dim other than its
  // last, `transposedPrologues` counts the elements that are read beyond the
  // first for each of these, and `transposedRow` is the bytes of a row.
  double prologues = 0, transposedPrologues = 0, transposedRow = 0;
  // The factor by which the memory traffic takes longer than in a loop over
  // this kernel alone, which would find its data in caches
  // (CostModel::distanceFactor()).
  double distance = 1;
};

// planning/LaunchWork.h
struct LaunchWork;
struct LaunchTime;

/// The work of one run of a kernel.
struct KernelCost {
  std::vector<ProductWork> products;
  KernelWork work;
  double threads = 0; // the most that run at once; 0: no limit
  /// The launches of a kernel's code, in their order; null: they are not known.
  std::shared_ptr<const std::vector<LaunchWork>> launches = nullptr;
};

/// The time of a kernel that has a device for itself.
struct KernelTime {
  double seconds = 0; // with the launch, as if all units were busy
  double fill = 1;    // the share of the device that its threads keep busy
};

class CostModel {
public:
  /// The model of one of `ranks` devices of the machine. Figures that the
  /// description leaves out get the defaults of CostModel.cpp.
  CostModel(const Machine &machine, int64_t ranks);
  /// The model of a machine of which nothing is known: its figures have the
  /// ratios of today's accelerators.
  static const CostModel &assumed();

  /// Returns the seconds of a kernel, launch included. `type` is that of the
  /// arithmetic besides its products.
  double kernelSeconds(const KernelWork &work, std::string_view type = "f32",
                       const ProductWork *products = nullptr,
                       size_t numProducts = 0) const;
  /// Returns the time of a kernel whose arithmetic besides products is in f32.
  /// The time of launches is LaunchWork.h's, if they and the machine's
  /// multiprocessors are known.
  KernelTime kernelTime(const KernelCost &cost) const;
  /// Returns true if the time of a kernel's launches counts.
  bool knowsLaunches(const KernelCost &cost) const {
    return cost.launches && multiprocessor.isKnown();
  }
  /// Returns the time of one of a kernel's launches, without the time to start
  /// it. The machine's multiprocessors must be known. Memory takes `distance`
  /// times as long (KernelWork).
  LaunchTime launchTime(const LaunchWork &work, double distance = 1) const;
  /// Returns true if the memory's bandwidth does not depend on the bytes that a
  /// kernel touches: no caches are known.
  bool hasOneBandwidth() const { return bandwidths.size() == 1; }
  /// Returns the operations in f32 that take as long as a byte of memory.
  double operationsPerByte() const;
  /// Returns the factor, at least 1, by which a kernel of `bytes` takes longer
  /// to touch an array if other kernels touched `since` bytes since its last
  /// use (its reuse distance: Mattson et al., IBM Systems Journal 9(2), 1970).
  double distanceFactor(double bytes, double since) const {
    return std::max(1., memoryBandwidth(bytes) / memoryBandwidth(since));
  }
  /// Returns the share of a device that so many concurrent threads keep busy; 0
  /// threads: as many as it takes. It is 1 if the description does not say how
  /// many units the device has.
  double fill(double threads) const;
  /// Returns the seconds of kernels that are launched together and run side by
  /// side.
  double togetherSeconds(const KernelTime *kernels, size_t count) const;
  /// Returns the seconds of a product of operands of `type` that reads and
  /// writes `bytes`, as a kernel of its own.
  double productSeconds(std::string_view type, const ProductShape &shape,
                        double bytes) const {
    ProductWork product{shape, type};
    return kernelSeconds({0, 0, bytes}, "f32", &product, 1);
  }
  /// Returns the seconds of a product with other work in its kernel (prologue,
  /// epilogue). The bytes of `work` are those of the whole kernel.
  double productSeconds(std::string_view type, const ProductShape &shape,
                        const KernelWork &work) const {
    ProductWork product{shape, type};
    return kernelSeconds(work, "f32", &product, 1);
  }

  /// Returns the seconds of a collective that all groups of the mesh run at
  /// once. They never decrease with more bytes or with more devices along an
  /// axis.
  double collectiveSeconds(const Collective &collective) const;
  /// Returns the seconds of a transfer from one rank to another, over the
  /// innermost link that connects both.
  double sendSeconds(int64_t from, int64_t to, double bytes) const;
  /// Returns the part of collectiveSeconds() that it waits for the last of its
  /// ranks.
  double skewSeconds(const Collective &collective) const;

  /// Returns the relative slowdown of computation that runs beside a
  /// collective, which reads and writes `bytes` of memory (0.5: half as long
  /// again). On devices the collective occupies some of their units; if ranks
  /// share a node, their cores move the bytes.
  double slowdown(const Collective &collective, double bytes) const;

  /// Returns the number of levels of the network.
  size_t countLevels() const { return levels.size(); }
  /// Returns the outermost level of the network that a group crosses, from 0.
  size_t linkLevel(const std::vector<AxisGroup> &group) const;

  /// Returns the bytes that a group's links carry in the time of one message's
  /// latency: a smaller collective mostly waits.
  double smallBytes(const std::vector<AxisGroup> &group) const;
  /// Returns true if the collective is small enough, and of a kind, to be
  /// bucketed with others.
  bool isSmall(const Collective &collective) const {
    return Buckets::mayJoin(collective) &&
           collective.bytes <= smallBytes(collective.group);
  }
  /// Returns the bytes of a full bucket of a group.
  double bucketBytes(const std::vector<AxisGroup> &group) const {
    return Buckets::mostSmall * smallBytes(group);
  }

  /// Returns the seconds to move `bytes` between a device and another memory
  /// space, in one direction, on all devices at once; infinity if the machine
  /// lacks the space. On CPUs, and if nothing is known, the host's memory is
  /// the ranks' own.
  double transferSeconds(MemorySpace space, double bytes) const;
  /// Returns the seconds that a device's share of the host's cores needs for
  /// elementwise work that touches `bytes` of the host's memory.
  double hostSeconds(double bytes) const;

  /// Returns the peak operations per second of a device in products of `type`,
  /// relative to which utilization is reported.
  double peakFlops(std::string_view type) const;
  /// Returns the share of the peak that a product reaches.
  double productEfficiency(std::string_view type,
                           const ProductShape &shape) const;
  /// Returns the bytes per second of a device's memory for kernels that touch
  /// `bytes`.
  double memoryBandwidth(double bytes) const;
  /// Returns the seconds that each kernel takes at least.
  double launchSeconds() const { return launch; }
  /// Returns true if links move bytes while devices compute. If ranks share a
  /// node, their cores do both.
  bool overlaps() const { return !cpu; }
  /// Returns the seconds that the host needs to start a kernel or a collective,
  /// which it does while the device is still busy with earlier ones.
  double dispatchSeconds() const { return dispatch; }

private:
  struct Sample {
    double m, n, k; // logarithms, base 2
    double ratio;   // of the measured efficiency to the model's
  };
  struct Arithmetic {
    std::string type;
    double flops = 0, efficiency = 1, vectorOps = 0, transcendentals = 0;
    double prologues = 0;
    double sustained = 1;                        // share of `flops`
    double attention = 0, attentionBackward = 0; // shares of it; 0: unknown
    std::vector<RateSample> transposedPrologues;
    std::vector<Sample> samples;
  };
  struct Level {
    double devices = 0; // infinity: all
    double latency = 0, bandwidth = 0;
    double tree = 0;  // share of the ring's bandwidth; 0: unknown
    double units = 0; // units of a device that a collective occupies
    double scale = 1; // share of the bandwidth left with each doubling
  };
  struct Tier {
    MemorySpace space;
    double latency = 0, bandwidth = 0, localBandwidth = 0;
  };

  const Arithmetic &find(std::string_view type) const;
  double productSeconds(const ProductWork &product) const;
  /// Returns the measured rate of a product that is part of a fused attention,
  /// in operations per second; 0 if it is not, or if it was not measured.
  double attentionRate(const ProductWork &product) const;
  /// Returns the share of the peak that the shape allows, without measurements.
  double shapeEfficiency(const ProductShape &shape) const;
  double correction(const Arithmetic &unit, const ProductShape &shape) const;

  std::vector<Arithmetic> arithmetic; // the first is f32
  std::vector<RateSample> bandwidths;
  std::vector<Level> levels;
  bool knowsLinks = false; // if not, the only level is an assumed one
  std::vector<Tier> tiers;
  /// Returns the seconds of work that takes `seconds` on all cores: either
  /// these plus the fork, or those of one core without it.
  double spread(double seconds) const {
    return fork > 0 ? std::min(seconds * units, fork + seconds) : seconds;
  }

  double launch = 0, fork = 0;
  double turns = 0; // seconds that a collective waits for cores
  double dispatch = 0, skew = 0;
  double units = 1; // units of a device, or cores of a rank
  Multiprocessor multiprocessor;
  bool cpu = false;
  bool isOneMemory = false; // device and host share it, unless a tier says else
};

} // namespace zcc::planning

#endif
