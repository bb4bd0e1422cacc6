// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the dims of the model that the role `tensor` shards. Classes of dims
// are taken in the order of bytes moved for the work divided. A class is left
// out if it stands in a value beside one that is taken.
#include "passes/Distribute/Place/SeedRoles.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"
#include <map>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

namespace {
class TensorRole {
public:
  TensorRole(StepSeeds &seeds, ArrayRef<unsigned> axes,
             const DimClasses &classes, std::vector<DimClasses::Facts> facts)
      : seeds(seeds), func(seeds.func), axes(axes), classes(classes),
        facts(std::move(facts)) {}

  void run();

private:
  // A class of dims of parameters, and the share of the work that sharding it
  // saves.
  struct Candidate {
    unsigned dims; // the class
    double saved;
  };
  SmallVector<Candidate> findCandidates();
  DenseSet<unsigned> choose(ArrayRef<Candidate> candidates) const;
  void noteClasses(ArrayRef<Candidate> candidates,
                   const DenseSet<unsigned> &chosen);
  // Returns true if the role may shard the dim.
  bool isFree(BlockArgument argument, unsigned d) const {
    const Placement &own = seeds.at(argument);
    return train::shapeOf(argument)[d] > 1 && own.dims[d].empty() &&
           llvm::none_of(axes, [&](unsigned axis) { return own.uses(axis); });
  }

  StepSeeds &seeds;
  func::FuncOp func;
  ArrayRef<unsigned> axes;
  const DimClasses &classes;
  std::vector<DimClasses::Facts> facts; // by class
};
} // namespace

// Notes the classes that were looked at, for explanations.
void TensorRole::noteClasses(ArrayRef<Candidate> candidates,
                             const DenseSet<unsigned> &chosen) {
  if (!seeds.step.origins)
    return;
  for (auto [c, saved] : candidates) {
    ShardingOrigins::Class &own = seeds.step.origins->classes.emplace_back();
    own.moved = facts[c].moved;
    own.flops = facts[c].flops * saved;
    own.verdict = chosen.contains(c) ? "sharded"
                  : saved <= 0       ? "divides nothing"
                                     : "stands beside one that is";
    unsigned more = 0;
    for (BlockArgument argument : func.getArguments())
      for (unsigned d = 0; isParameter(argument) && d < rankOf(argument); ++d)
        if (classes.of(argument, d) == c) {
          // Name the part of a stack, too.
          if (own.dims.empty())
            own.dims =
                stateSymbolOf(func.getArgAttrDict(argument.getArgNumber())) +
                " dim " + std::to_string(d);
          else
            ++more;
        }
    if (more)
      own.dims += " and " + std::to_string(more) + " more";
  }
}

// Returns the classes with the least bytes moved for the work divided first.
SmallVector<TensorRole::Candidate> TensorRole::findCandidates() {
  DenseSet<unsigned> ofInputs;
  for (BlockArgument argument : func.getArguments())
    if (func.getArgAttr(argument.getArgNumber(), zcc::inputAttrName))
      for (unsigned d = 0; d < rankOf(argument); ++d)
        ofInputs.insert(classes.of(argument, d));

  // Ties are decided by the first name, so that the order of arguments does not
  // matter.
  std::map<unsigned, std::string> firstName;
  SmallVector<Candidate> candidates;
  DenseMap<unsigned, size_t> places;
  for (BlockArgument argument : func.getArguments()) {
    if (!isParameter(argument) || seeds.isAnnotated(argument))
      continue;
    for (unsigned d = 0; d < rankOf(argument); ++d) {
      unsigned c = classes.of(argument, d);
      if (ofInputs.contains(c) || !isFree(argument, d))
        continue;
      std::string name = argumentName(argument).str() + ":" + std::to_string(d);
      std::string &least = firstName[c];
      if (least.empty() || name < least)
        least = name;
      int64_t extent = train::shapeOf(argument)[d];
      double used = static_cast<double>(extent) /
                    static_cast<double>(seeds.mesh.pad(
                        extent, seeds.units.of(argument, d), axes));
      double share =
          1 - 1 / (used * static_cast<double>(seeds.mesh.shards(axes)));
      auto [at, isNew] = places.try_emplace(c, candidates.size());
      if (isNew)
        candidates.push_back({c, share});
      Candidate &own = candidates[at->second];
      own.saved = std::min(own.saved, share);
    }
  }
  auto rank = [&](const Candidate &own) {
    const DimClasses::Facts &fact = facts[own.dims];
    return std::make_tuple(fact.moved / std::max(fact.flops * own.saved, 1.0),
                           firstName[own.dims], places[own.dims]);
  };
  llvm::sort(candidates, [&](const Candidate &a, const Candidate &b) {
    return rank(a) < rank(b);
  });
  return candidates;
}

DenseSet<unsigned> TensorRole::choose(ArrayRef<Candidate> candidates) const {
  DenseSet<unsigned> chosen;
  for (const Candidate &own : candidates) {
    bool beside = llvm::any_of(chosen, [&](unsigned other) {
      return facts[own.dims].beside.contains(other);
    });
    if (own.saved > 0 && !beside)
      chosen.insert(own.dims);
  }
  return chosen;
}

void TensorRole::run() {
  SmallVector<Candidate> candidates = findCandidates();
  DenseSet<unsigned> chosen = choose(candidates);
  noteClasses(candidates, chosen);
  DenseMap<unsigned, double> saved;
  for (const Candidate &own : candidates)
    saved[own.dims] = own.saved;
  for (BlockArgument argument : func.getArguments()) {
    if (!isParameter(argument) || seeds.isAnnotated(argument))
      continue;
    for (unsigned d = 0; d < rankOf(argument); ++d) {
      unsigned c = classes.of(argument, d);
      if (!chosen.contains(c) || !isFree(argument, d))
        continue;
      Origin why{Origin::Tensor};
      if (seeds.step.origins)
        why.text = "of the dims beside it this one moves least for the work "
                   "that it divides, " +
                   formatAmount(facts[c].moved, "B") + " for " +
                   formatAmount(facts[c].flops * saved[c], "flop");
      seeds.give(argument, d, axes, why);
      seeds.close(argument);
      break;
    }
  }
}

void distribute::seedTensor(StepSeeds &seeds, Inputs batched,
                            ArrayRef<unsigned> axes,
                            const DimClasses &classes) {
  DenseSet<unsigned> batch;
  for (BlockArgument input : batched)
    batch.insert(classes.of(input, 0));
  TensorRole(seeds, axes, classes,
             classes.measure(batch, static_cast<double>(seeds.mesh.shards(
                                        seeds.step.batchAxes))))
      .run();
}
