// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/phases/Optimizations.h"
#include "compiler/phases/Choices.h"
#include <algorithm>

namespace zcc {

const std::vector<OptimizationInfo> &getOptimizationTable() {
  static const std::vector<OptimizationInfo> table = {
      {"fuse", false,
       "group ops into kernels; off: one kernel an op. Same bits"},
      {"bucket", false,
       "small collectives of one kind and group cross the network together, "
       "where memory allows. Same bits"},
      {"overlap", false,
       "collectives run beside kernels, on streams of their own, where that "
       "pays; off: everything on one stream. Same bits"},
      {"split-steps", false,
       "a part of a product's rows is computed while another is sent, where "
       "overlap gains by it; off: all at once. Same bits"},
      {"interleave-runs", false,
       "the backward pass of a microbatch and the forward pass of the next "
       "take turns, where one would wait for links; off: one after the other. "
       "Same bits"},
      {"share-buffers", false,
       "slices, parts of concatenations and what is updated in place have no "
       "memory of their own. Same bits"},
      {"batch", false,
       "updates of parameters that stand one after the other run as one step. "
       "Same bits"},
      {"hand-over", false,
       "what a pipeline's backward tasks compute again they keep for tasks of "
       "weights' gradients, where that costs less; off: computed twice. Same "
       "bits"},
      {"forward-values", false,
       "what several stages of a pipeline read they pass on to each other, "
       "where it is there earlier; off: it is sent by the stage that makes it. "
       "Same bits"},
      {"libraries", true,
       "on GPUs products are cuBLASLt's, convolutions and attention in 16 bits "
       "cuDNN's, or, with masks, biases, windows and dropout, generated for "
       "tensor cores; off: generated, in f32. Within 1e-6 in f32, 2e-2 in "
       "bf16"},
      {"round-biases", true,
       "on GPUs products of libraries in 16 bits add biases, which are rounded "
       "to 16 bits, before they are rounded themselves, where the sum is "
       "rounded, too; off: a product is rounded, and its sum with the bias in "
       "f32 once more. Within 2e-2 in bf16"},
      {"attention", true,
       "softmax(q k) v as one kernel that never holds the scores; within 1e-6 "
       "in f32"},
      {"unsort", true,
       "rows that are sorted only to be in groups (tokens by their expert) "
       "keep the batch's order; off: sorted, all rows at once. Within 1e-6 in "
       "f32"},
      {"batch-loops", true,
       "a loop whose trips do not depend on each other (jax.lax.map) computes "
       "all of them at once; off: one after the other, in less memory. Within "
       "1e-6 in f32"},
      {"ring", true,
       "attention whose sequence is sharded passes keys and values around a "
       "ring; off: gathers them. Within 1e-6 in f32"},
      {"fold-sequences", true,
       "in a ring under a causal mask each device has a stripe from the front "
       "of the sequence and one from its end, and half the work; within 1e-6 "
       "in "
       "f32"},
      {"shard-sequence", false,
       "over axis tensor, shards of the sequence between the sums, where that "
       "moves no more; within 1e-6 in f32"},
      {"deal-sequences", true,
       "where a microbatch is one sequence, each device has rows of all parts "
       "of it, so that its collectives can run in parts; within 1e-6 in f32"},
      {"deal-exchanges", true,
       "the rows that all-to-alls bring together are in blocks, each with rows "
       "of all devices, so that these exchanges can run in parts; within 1e-6 "
       "in f32"},
      {"exchange-halos", false,
       "what moves along a split dim gets the edges of neighbors' shards; off: "
       "gathers the dim. Within 1e-6 in f32"},
      {"split-scans", true,
       "cumulative sums along a split dim add the totals of the devices "
       "before; "
       "within 1e-6 in f32"},
      {"split-picks", false,
       "argmax and slices at computed places work on shards; off: gather the "
       "dim. Same bits, but for the sign of zeros"},
      {"narrow-sums", true,
       "under bf16 and f16, sums over devices that are read in the compute "
       "type "
       "cross the network in it"},
      {"keep-partial", false,
       "parts of a sum are added, scaled and moved before devices exchange "
       "them, while that is cheaper; within 1e-6 in f32"},
      {"lay-out-exchanges", false,
       "all-to-alls write and read the experts of a device one after the "
       "other, so that these can run one by one. Same bits"},
      {"reduce-scatter", false,
       "a sum over devices of which each needs a part is scattered, not "
       "reduced "
       "whole. Same bits"},
      {"move-gathers", false,
       "values move between devices where they are smallest: past elementwise "
       "ops and reductions. Same bits"},
      {"merge-collectives", false,
       "equal movements of one value are one. Same bits"},
  };
  return table;
}

std::string checkDisabled(const Options &options) {
  std::vector<std::string> known;
  for (const OptimizationInfo &optimization : getOptimizationTable())
    known.push_back(optimization.name);
  for (const std::string &name : options.getList("disable"))
    if (std::find(known.begin(), known.end(), name) == known.end())
      return "--disable: no optimization is called '" + name +
             "'; --list-optimizations lists them" + suggestChoice(name, known);
  return "";
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
