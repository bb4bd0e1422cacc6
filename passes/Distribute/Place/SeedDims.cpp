// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dims that the roles `context`, `expert` and `tensor` shard.
#include "passes/Distribute/Place/Seeder.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Train/StateNames.h"
#include <map>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

// The length of the sequence: the longest second dim of batched inputs of
// integers, or of any; 0 if there is none.
int64_t Seeder::sequenceLength() {
  int64_t length = 0;
  for (bool integers : {true, false}) {
    for (BlockArgument input : batched)
      if (rankOf(input) > 1 && (!integers || !train::isFloat(input)))
        length = std::max(length, train::shapeOf(input)[1]);
    if (length)
      break;
  }
  return length;
}

void Seeder::findSequence(ArrayRef<unsigned> axes, DimClasses &classes) {
  int64_t length = sequenceLength();
  DenseSet<unsigned> sequence;
  for (BlockArgument input : batched)
    if (rankOf(input) > 1 && train::shapeOf(input)[1] == length)
      sequence.insert(classes.of(input, 1));
  if (sequence.empty())
    return;
  step.sequenceAxes.assign(axes.begin(), axes.end());
  for (Operation &op : block)
    for (Value v : op.getResults())
      for (unsigned d = 0; d < rankOf(v); ++d)
        if (sequence.contains(classes.of(v, d))) {
          step.sequenceDims.try_emplace(v, d);
          break;
        }
}

LogicalResult Seeder::seedContext(ArrayRef<unsigned> axes) {
  int64_t length = sequenceLength();
  if (!length) {
    func.emitWarning("no input has a sequence: every device of axis 'context'"
                     " does the same work");
    return success();
  }
  for (BlockArgument input : batched)
    if (rankOf(input) > 1 && train::shapeOf(input)[1] == length &&
        !annotated.contains(input))
      give(input, 1, axes, Origin::Context);
  return success();
}

void Seeder::seedExperts(ArrayRef<unsigned> axes, DimClasses &classes) {
  DenseSet<unsigned> experts;
  DenseSet<Value> owners; // what only stands beside them is left whole
  for (const ExpertDim &expert : findExperts(func)) {
    experts.insert(classes.of(expert.operand, expert.dim));
    owners.insert(expert.parameter);
  }
  for (BlockArgument argument : func.getArguments())
    if (owners.contains(argument) && !annotated.contains(argument))
      for (unsigned d = 0; d < rankOf(argument); ++d)
        if (experts.contains(classes.of(argument, d)) &&
            train::shapeOf(argument)[d] > 1) {
          give(argument, d, axes, Origin::Expert);
          step.open.erase(argument);
          break;
        }
}

// What seedTensor looked at, for people.
void Seeder::noteClasses(ArrayRef<Candidate> candidates,
                         const DenseSet<unsigned> &chosen,
                         ArrayRef<DimClasses::Facts> facts,
                         const DimClasses &classes) {
  if (!step.origins)
    return;
  for (auto [c, saved] : candidates) {
    ShardingOrigins::Class &own = step.origins->classes.emplace_back();
    own.moved = facts[c].moved;
    own.flops = facts[c].flops * saved;
    own.verdict = chosen.contains(c) ? "sharded"
                  : saved <= 0       ? "divides nothing"
                                     : "stands beside one that is";
    unsigned more = 0;
    for (BlockArgument argument : func.getArguments())
      for (unsigned d = 0; isParameter(argument) && d < rankOf(argument); ++d)
        if (classes.of(argument, d) == c) {
          if (own.dims.empty())
            own.dims = nameOf(argument) + " dim " + std::to_string(d);
          else
            ++more;
        }
    if (more)
      own.dims += " and " + std::to_string(more) + " more";
  }
}

// Least bytes moved for the work divided first.
SmallVector<Seeder::Candidate>
Seeder::findCandidates(ArrayRef<unsigned> axes, DimClasses &classes,
                       ArrayRef<DimClasses::Facts> facts) {
  DenseSet<unsigned> ofInputs;
  for (BlockArgument argument : func.getArguments())
    if (func.getArgAttr(argument.getArgNumber(), zcc::inputAttrName))
      for (unsigned d = 0; d < rankOf(argument); ++d)
        ofInputs.insert(classes.of(argument, d));

  // The first by name decides between equals, so that the order of arguments
  // does not matter.
  std::map<unsigned, std::string> firstName;
  SmallVector<Candidate> candidates;
  DenseMap<unsigned, size_t> places;
  for (BlockArgument argument : func.getArguments()) {
    if (!isParameter(argument) || annotated.contains(argument))
      continue;
    for (unsigned d = 0; d < rankOf(argument); ++d) {
      unsigned c = classes.of(argument, d);
      int64_t extent = train::shapeOf(argument)[d];
      if (extent < 2 || ofInputs.contains(c) ||
          !step.seeds.find(argument)->second.dims[d].empty())
        continue;
      std::string name = argumentName(argument).str() + ":" + std::to_string(d);
      std::string &least = firstName[c];
      if (least.empty() || name < least)
        least = name;
      double used =
          static_cast<double>(extent) /
          static_cast<double>(mesh.pad(extent, units.of(argument, d), axes));
      double share = 1 - 1 / (used * static_cast<double>(mesh.shards(axes)));
      auto [at, isNew] = places.try_emplace(c, candidates.size());
      if (isNew)
        candidates.push_back({c, share});
      Candidate &own = candidates[at->second];
      own.saved = std::min(own.saved, share);
    }
  }
  auto rank = [&](const Candidate &own) {
    const DimClasses::Facts &fact = facts[own.dims];
    return std::make_pair(fact.moved / std::max(fact.flops * own.saved, 1.0),
                          firstName[own.dims]);
  };
  llvm::stable_sort(candidates, [&](const Candidate &a, const Candidate &b) {
    return rank(a) < rank(b);
  });
  return candidates;
}

// Dims of the model.
void Seeder::seedTensor(ArrayRef<unsigned> axes, DimClasses &classes) {
  DenseSet<unsigned> batch;
  for (BlockArgument input : batched)
    batch.insert(classes.of(input, 0));
  std::vector<DimClasses::Facts> facts =
      classes.measure(batch, static_cast<double>(mesh.shards(step.batchAxes)));
  SmallVector<Candidate> candidates = findCandidates(axes, classes, facts);
  DenseSet<unsigned> chosen;
  DenseMap<unsigned, double> saved;
  for (const Candidate &own : candidates) {
    saved[own.dims] = own.saved;
    bool beside = llvm::any_of(chosen, [&](unsigned other) {
      return facts[own.dims].beside.contains(other);
    });
    if (own.saved > 0 && !beside)
      chosen.insert(own.dims);
  }
  noteClasses(candidates, chosen, facts, classes);
  for (BlockArgument argument : func.getArguments()) {
    if (!isParameter(argument) || annotated.contains(argument))
      continue;
    for (unsigned d = 0; d < rankOf(argument); ++d) {
      unsigned c = classes.of(argument, d);
      if (!chosen.contains(c) || train::shapeOf(argument)[d] <= 1 ||
          !step.seeds.find(argument)->second.dims[d].empty())
        continue;
      give(argument, d, axes, Origin::Tensor);
      if (step.origins)
        note(argument, axes,
             {Origin::Tensor,
              "of the dims beside it this one moves least for the work that "
              "it divides, " +
                  formatAmount(facts[c].moved, "B") + " for " +
                  formatAmount(facts[c].flops * saved[c], "flop")});
      step.open.erase(argument);
      break;
    }
  }
}
