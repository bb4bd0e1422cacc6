// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Optimizations.h"
#include <algorithm>

namespace zcc {

const std::vector<OptimizationInfo> &getOptimizationTable() {
  static const std::vector<OptimizationInfo> table = {
      {"fuse", false,
       "group ops into kernels; off: one kernel an op. Same bits"},
      {"attention", true,
       "softmax(q k) v as one kernel that never holds the scores; within 1e-6 "
       "in f32"},
      {"shard-sequence", false,
       "over axis tensor, shards of the sequence between the sums, where that "
       "moves no more; within 1e-6 in f32"},
      {"narrow-sums", true,
       "under bf16 and f16, sums over devices that are read in the compute type "
       "cross the network in it"},
      {"keep-partial", false,
       "parts of a sum are added, scaled and moved before devices exchange "
       "them, while that is cheaper; within 1e-6 in f32"},
  };
  return table;
}

std::vector<std::string> getDisabled(const Options &options) {
  std::vector<std::string> names = options.getList("disable");
  if (options.getFlag("exact"))
    for (const OptimizationInfo &info : getOptimizationTable())
      if (info.reorders &&
          std::find(names.begin(), names.end(), info.name) == names.end())
        names.push_back(info.name);
  return names;
}

} // namespace zcc
