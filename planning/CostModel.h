// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seconds of kernels, products and collectives on a machine. A roofline: a
// kernel takes the time of its arithmetic or that of its bytes, whichever is
// longer (of products on CPUs, both), and its launch; collectives follow
// Hockney's latency and bandwidth, level by level of the network, in rings or
// trees, and wait for the last of their ranks. Small and pure: the same figures
// always give the same seconds. docs/machines.md explains it.
#ifndef ZCC_PLANNING_COSTMODEL_H
#define ZCC_PLANNING_COSTMODEL_H

#include "planning/Collective.h"
#include "planning/Machine.h"
#include <algorithm>
#include <cstdint>
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

/// A product that is part of a kernel; `share` of it where some of it need not
/// be computed (an attention that sees earlier keys only).
struct ProductWork {
  ProductShape shape;
  std::string_view type = "f32"; // of its operands
  double share = 1;
};

/// What a kernel does besides products.
struct KernelWork {
  double vectorOps = 0;       // additions, products, comparisons, ...
  double transcendentals = 0; // exponentials, logarithms, tangents, ...
  double bytes = 0;           // read and written
  // Elements of products' operands that the kernel computes itself; where an
  // operand is contracted over another dim than its last, the elements that
  // this reads beyond the first for each, and the bytes of a row.
  double prologues = 0, transposedPrologues = 0, transposedRow = 0;
  // By what factor its bytes take longer than in a loop over this kernel alone,
  // which finds in caches what these hold (CostModel::distanceFactor()).
  double distance = 1;
};

/// What a run of a kernel does.
struct KernelCost {
  std::vector<ProductWork> products;
  KernelWork work;
  double threads = 0; // that run it at once, at most; 0: as many as there are
};

/// A kernel by itself, on a device that is all its.
struct KernelTime {
  double seconds = 0; // with its start, were all of the device busy
  double fill = 1;    // the share of the device that its threads keep busy
};

class CostModel {
public:
  /// Of one of `ranks` devices of the machine. What the description does not
  /// say gets the defaults of CostModel.cpp.
  CostModel(const Machine &machine, int64_t ranks);
  /// Of a machine of which nothing is known: the ratios of its figures are
  /// those of today's accelerators.
  static const CostModel &assumed();

  /// A kernel that computes in `type` besides its products.
  double kernelSeconds(const KernelWork &work, std::string_view type = "f32",
                       const ProductWork *products = nullptr,
                       size_t numProducts = 0) const;
  /// Elements besides products are of f32.
  KernelTime kernelTime(const KernelCost &cost) const {
    return {kernelSeconds(cost.work, "f32", cost.products.data(),
                          cost.products.size()),
            fill(cost.threads)};
  }
  /// Whether memory is as fast for many bytes as for few: no caches are known.
  bool hasOneBandwidth() const { return bandwidths.size() == 1; }
  /// By what factor an array takes longer that a kernel of `bytes` touches
  /// after `since` bytes of others (its reuse distance: Mattson et al., IBM
  /// Systems Journal 9(2), 1970), at least 1.
  double distanceFactor(double bytes, double since) const {
    return std::max(1., memoryBandwidth(bytes) / memoryBandwidth(since));
  }
  /// The share of a device that so many threads at once keep busy; 0: as many
  /// as it takes. 1 where the description does not say how many units it has.
  double fill(double threads) const;
  /// Kernels that are started together, and run side by side.
  double togetherSeconds(const KernelTime *kernels, size_t count) const;
  /// A product of operands of `type` that reads and writes `bytes`, as a kernel
  /// of its own.
  double productSeconds(std::string_view type, const ProductShape &shape,
                        double bytes) const {
    ProductWork product{shape, type};
    return kernelSeconds({0, 0, bytes}, "f32", &product, 1);
  }
  /// With `work` besides (prologue, epilogue), whose bytes are those of all.
  double productSeconds(std::string_view type, const ProductShape &shape,
                        const KernelWork &work) const {
    ProductWork product{shape, type};
    return kernelSeconds(work, "f32", &product, 1);
  }

  /// Of a collective that all groups of the mesh run at once. No less for more
  /// bytes, nor for more devices along an axis.
  double collectiveSeconds(const Collective &collective) const;
  /// Of a transfer from one rank to another, over the innermost link that
  /// connects both.
  double sendSeconds(int64_t from, int64_t to, double bytes) const;
  /// Of these, what it waits for the last of its ranks.
  double skewSeconds(const Collective &collective) const;

  /// By what share computation beside a collective is slower, which reads and
  /// writes `bytes` of memory: on devices the collective takes some of their
  /// units; where ranks share a node, their cores move the bytes.
  double slowdown(const Collective &collective, double bytes) const;

  /// Levels of the network.
  size_t countLevels() const { return levels.size(); }
  /// The outermost level of the network that a group crosses, from 0.
  size_t linkLevel(const std::vector<AxisGroup> &group) const;

  /// What the links of a group carry in the time of one message's latency: a
  /// smaller collective is mostly waiting.
  double smallBytes(const std::vector<AxisGroup> &group) const;
  /// Whether it would join a bucket of others.
  bool isSmall(const Collective &collective) const {
    return Buckets::mayJoin(collective) &&
           collective.bytes <= smallBytes(collective.group);
  }
  /// Bytes of a full bucket of a group.
  double bucketBytes(const std::vector<AxisGroup> &group) const {
    return Buckets::mostSmall * smallBytes(group);
  }

  /// Bytes between a device and a tier of memory (host, cxl, nvme), one
  /// direction, all devices at once; infinity where there is no such tier. On
  /// CPUs, and where nothing is known, the host's memory is the ranks' own.
  double transferSeconds(std::string_view tier, double bytes) const;
  /// What a device's share of the host's cores needs for elementwise work that
  /// touches `bytes` of the host's memory.
  double hostSeconds(double bytes) const;

  /// Operations a second of a device in products of `type` at most, the base of
  /// utilization.
  double peakFlops(std::string_view type) const;
  /// Share of the peak that a product reaches.
  double productEfficiency(std::string_view type,
                           const ProductShape &shape) const;
  /// Bytes a second of a device, for kernels that touch `bytes`.
  double memoryBandwidth(double bytes) const;
  /// What each kernel costs at least.
  double launchSeconds() const { return launch; }
  /// Whether links move bytes while devices compute. Where ranks share a node,
  /// their cores do both.
  bool overlaps() const { return !cpu; }
  /// What the host needs to start a kernel or a collective, while the device
  /// is busy with others.
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
    std::vector<RateSample> transposedPrologues;
    std::vector<Sample> samples;
  };
  struct Level {
    double devices = 0; // infinity: all
    double latency = 0, bandwidth = 0;
    double tree = 0;  // share of the bandwidth; 0: not known apart
    double units = 0; // of a device, that a collective takes
  };
  struct Tier {
    std::string name;
    double latency = 0, bandwidth = 0, localBandwidth = 0;
  };

  const Arithmetic &find(std::string_view type) const;
  double productSeconds(const ProductWork &product) const;
  /// Share of the peak by the shape alone.
  double shapeEfficiency(const ProductShape &shape) const;
  double correction(const Arithmetic &unit, const ProductShape &shape) const;

  std::vector<Arithmetic> arithmetic; // the first is f32
  std::vector<RateSample> bandwidths;
  std::vector<Level> levels;
  bool knowsLinks = false; // else the only level is assumed
  std::vector<Tier> tiers;
  /// What is done by all cores takes that long, by one of them longer, but
  /// without starting threads.
  double spread(double seconds) const {
    return fork > 0 ? std::min(seconds * units, fork + seconds) : seconds;
  }

  double launch = 0, fork = 0;
  double turns = 0; // of each collective
  double dispatch = 0, skew = 0;
  double units = 1; // of a device
  bool cpu = false;
  bool isOneMemory = false; // of devices and host, unless there is a tier
};

} // namespace zcc::planning

#endif
