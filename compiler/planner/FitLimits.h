// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that bound the fit of a plan to the memory, the simulation of
// plans, and proposals. They trade compile time for the quality of a plan; none
// of them changes what a given plan computes. The numbers that end the walk
// over shapes of the mesh are in compiler/planner/search/SearchShapes.cpp.
#ifndef ZCC_COMPILER_PLANNER_FITLIMITS_H
#define ZCC_COMPILER_PLANNER_FITLIMITS_H

#include <cstddef>

namespace zcc::planner {

struct FitLimits {
  // ------------------------------------------------ fit of a plan (PlanFitter)

  /// Plans are compiled to phase `planned` so often before only the smallest
  /// plan is left to try.
  int mostCompiles = 3;
  /// Each time that a plan needed more memory than estimated, the next one is
  /// to need this share of the bytes that the one before was allowed.
  double shrink = 0.98;
  /// A fitting plan is compiled again with more gathered parameters kept where
  /// more than this share of the memory is free. Where fewer are kept, this
  /// share is withheld beside the excess, since whole parameters are kept.
  double leastRoom = 1.0 / 64;
  /// Another plan replaces one that fits where it takes at most this share of
  /// its seconds.
  double worthwhile = 0.98;
  /// Compilations that look for the least memory that a step needs. A step of
  /// `manyOps` ops gets one; smaller ones get more, between the two bounds.
  std::size_t manyOps = 16000, fewestLeastTries = 9, mostLeastTries = 40;

  // ------------------------------- simulated plans (PlanSimulations)

  /// A correction of an estimate by what memory planning found is at most this
  /// factor; a plan that differs by more says little of others.
  double mostCorrection = 4;
  /// The same for the seconds of a step that computes values again.
  double mostSlowdown = 2;
  /// An estimate is usually less than the simulated time by at most this
  /// factor.
  double usualUnderestimate = 1.1;

  // --------------------- plans proposed where one does not fit (ExplainFit)

  /// Ops of a step from which on a proposal is estimated, but not compiled:
  /// each compilation would take half a minute or more.
  std::size_t longStepOps = 20000;
  /// Proposals that are compiled, and those of one mesh that are compiled
  /// although their estimates exceed the memory.
  int mostProposals = 6, mostTooLargeOfMesh = 2;
  /// Meshes with the least memory that are proposed for a bare mesh, beside the
  /// one that was chosen.
  std::size_t proposedMeshes = 3;
  /// Proposals have at most this many times the microbatches of the plan that
  /// does not fit.
  int mostMicrobatchFactor = 16;
};

inline constexpr FitLimits searchLimits;

} // namespace zcc::planner

#endif
