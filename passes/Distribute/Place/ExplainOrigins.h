// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records where shardings came from while they are decided, if somebody asks
// (StepSharding::origins, else null). For each argument or op and each axis it
// holds the decision that gave it the axis; the last one if there were several.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_EXPLAINORIGINS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_EXPLAINORIGINS_H

#include "passes/Distribute/Sharding/StepSharding.h"
#include <map>
#include <string>

namespace zcc::distribute {

// Returns an amount with its unit: 1234567 is "1.23 M" and the unit.
std::string formatAmount(double amount, llvm::StringRef unit);

struct Origin {
  enum Kind {
    Annotated, // `text`: which one, and where it stands
    Batch,     // an input's
    Context,
    Expert,
    Tensor,   // chosen by the role among the model's dims
    Carried,  // from `value` to an op, from `op` to a value
    Sequence, // shards of the result of a sum
    Moved,    // by the local search, which saved `bytes`
    Pinned,   // by a plan
  };
  Kind kind = Carried;
  std::string text = {};
  mlir::Value value = {};
  mlir::Operation *op = nullptr;
  double bytes = 0;
};

struct ShardingOrigins {
  // by op or value, and axis
  std::map<std::pair<void *, unsigned>, Origin> ops, values;

  // A class of dims that ops pair, as the role `tensor` looked at it. The best
  // come first.
  struct Class {
    std::string dims;            // of parameters, the first few
    double moved = 0, flops = 0; // bytes moved, operations divided
    std::string verdict;
  };
  std::vector<Class> classes;
  // A trial of the search for sums whose results may be sharded along the
  // sequence.
  struct SequenceTrial {
    unsigned axis;
    double before, after; // bytes moved
    bool kept;
  };
  std::vector<SequenceTrial> sequence;

  void note(mlir::Operation *op, unsigned axis, Origin origin) {
    ops[{op, axis}] = std::move(origin);
  }
  void note(mlir::Value v, unsigned axis, Origin origin) {
    values[{v.getAsOpaquePointer(), axis}] = std::move(origin);
  }
  const Origin *find(mlir::Operation *op, unsigned axis) const {
    auto it = ops.find({op, axis});
    return it == ops.end() ? nullptr : &it->second;
  }
  const Origin *find(mlir::Value v, unsigned axis) const {
    auto it = values.find({v.getAsOpaquePointer(), axis});
    return it == values.end() ? nullptr : &it->second;
  }
};

} // namespace zcc::distribute

#endif
