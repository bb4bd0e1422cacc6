// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What placeSeeds() (Roles.h) works with: a step whose arguments get their
// first placements one after the other. Batch in Roles.cpp, annotations in
// SeedAnnotations.cpp, dims that other roles shard in SeedDims.cpp.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_SEEDER_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_SEEDER_H

#include "passes/Distribute/Place/DimClasses.h"
#include "passes/Distribute/Place/ExplainOrigins.h"
#include "passes/Distribute/Place/Roles.h"

namespace zcc::dist {

// Of an option or of the text: one entry a dim.
using DimAnnotation = planning::PlanAnnotation::Dim;
using Annotation = std::vector<DimAnnotation>;

class Seeder {
public:
  Seeder(mlir::func::FuncOp func, const MeshAxes &mesh, const Units &units,
         const SeedRequest &request, StepSharding &step);
  mlir::LogicalResult run();

private:
  llvm::StringRef kindOf(mlir::BlockArgument argument);
  bool isParameter(mlir::BlockArgument argument) {
    return kindOf(argument) == "parameter";
  }
  // Of a parameter, with the part of a stack that it is.
  std::string nameOf(mlir::BlockArgument argument);
  // The axes of a role: one, or its parts.
  AxisList withRole(planning::AxisRole role);

  void note(mlir::Value v, llvm::ArrayRef<unsigned> axes, const Origin &origin);
  void noteAnnotation(mlir::Operation *op, const OpSharding &sharding,
                      llvm::StringRef who, mlir::Location at);
  // Shards dim `d` of `v` over more axes.
  void give(mlir::Value v, unsigned d, llvm::ArrayRef<unsigned> axes,
            Origin::Kind why);

  // The batch.
  mlir::LogicalResult findBatch();
  void seedBatch();
  void prepend(mlir::Value v, unsigned axis);
  void warnUnused();

  // Annotations. Where one places a value; failure after `emit` has reported.
  using Emit = llvm::function_ref<mlir::InFlightDiagnostic()>;
  mlir::FailureOr<Placement> place(mlir::Value v, const Annotation &annotation,
                                   Emit emit);
  mlir::LogicalResult annotate(mlir::BlockArgument argument,
                               const Annotation &annotation, mlir::Location at,
                               llvm::StringRef who);
  void takeOverrides();
  bool isOverridden(mlir::Operation *op) const {
    return request.instead && request.instead->ops.contains(op);
  }
  mlir::LogicalResult readAnnotations();
  mlir::LogicalResult readOption(const planning::PlanAnnotation &option);
  mlir::LogicalResult annotateOps(const Annotation &annotation,
                                  llvm::StringRef who,
                                  llvm::function_ref<bool(llvm::StringRef)> is,
                                  bool must);
  // Fixes how `op` is sharded; false if its rule cannot say it.
  bool fix(mlir::Operation *op, OpSharding &sharding,
           const train::FactorRule::Tensor &tensor, const Placement &placement);
  mlir::LogicalResult checkAgreement(mlir::Operation *op,
                                     llvm::ArrayRef<FactorShards> before,
                                     llvm::StringRef who, Emit emit);
  mlir::LogicalResult constrain(train::ShardingConstraintOp op);
  // The axes that may not shard what is placed so; `names` may be null.
  mlir::FailureOr<AxisList> findWithout(mlir::ArrayAttr names,
                                        const Placement &placement, Emit emit);

  // Dims that other roles shard.
  int64_t sequenceLength();
  void findSequence(llvm::ArrayRef<unsigned> axes, DimClasses &classes);
  mlir::LogicalResult seedContext(llvm::ArrayRef<unsigned> axes);
  void seedExperts(llvm::ArrayRef<unsigned> axes, DimClasses &classes);
  // Classes that dims of parameters have, with the share of the work that
  // sharding them saves.
  struct Candidate {
    unsigned dims; // the class
    double saved;
  };
  llvm::SmallVector<Candidate>
  findCandidates(llvm::ArrayRef<unsigned> axes, DimClasses &classes,
                 llvm::ArrayRef<DimClasses::Facts> facts);
  void seedTensor(llvm::ArrayRef<unsigned> axes, DimClasses &classes);
  void noteClasses(llvm::ArrayRef<Candidate> candidates,
                   const llvm::DenseSet<unsigned> &chosen,
                   llvm::ArrayRef<DimClasses::Facts> facts,
                   const DimClasses &classes);

  mlir::func::FuncOp func;
  const MeshAxes &mesh;
  const Units &units;
  const SeedRequest &request;
  StepSharding &step;
  mlir::Block &block;
  // Inputs whose first dim is the batch.
  llvm::SmallVector<mlir::BlockArgument> batched;
  // Arguments that an annotation places: where it stands, and what it is.
  llvm::DenseMap<mlir::Value, std::pair<mlir::Location, std::string>> annotated;
  // Ops that one fixes: which.
  llvm::DenseMap<mlir::Operation *, std::string> annotatedOps;
  std::optional<unsigned> micro;
};

} // namespace zcc::dist

#endif
