// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Annotations: read from text, and placed on a mesh.
#include "passes/Distribute/Place/Annotation.h"
#include "planning/PlanValues.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

namespace {
class Annotations : public ::testing::Test {
protected:
  Annotations() {
    context.loadDialect<train::TrainDialect, DistDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(
        "dist.mesh @mesh [#dist.axis<\"micro\" = 2 temporal>, "
        "#dist.axis<\"x\" = 2>, #dist.axis<\"y\" = 4>, #dist.axis<\"one\" = "
        "1>]\nfunc.func @f(%a: tensor<6x8xf32>) { return }",
        &context);
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      message = diagnostic.str();
      return success();
    });
  }
  // Places `text`, as of --shard, on a value of 6x8, which is part of a stack
  // if the text has more dims.
  FailureOr<Placement> place(StringRef text) {
    planning::PlanAnnotation written;
    EXPECT_EQ(planning::parseAnnotation("it=" + text.str(), written), "");
    return place(Annotation{written.dims});
  }
  FailureOr<Placement> place(const Annotation &annotation) {
    auto func = module->lookupSymbol<func::FuncOp>("f");
    MeshAxes mesh(getMesh(*module));
    DimUnits units(
        func.getBody().front(),
        [](Operation *) -> const train::FactorRule * { return nullptr; });
    message.clear();
    return placeAnnotation(mesh, units, func.getArgument(0), annotation,
                           [&]() { return func.emitError("it: "); });
  }
  std::string errorOf(StringRef text) {
    EXPECT_TRUE(failed(place(text))) << text.str();
    return message;
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string message;
};

TEST_F(Annotations, Attributes) {
  auto read = [&](StringRef text) {
    return Annotation::parse(cast<ArrayAttr>(parseAttribute(text, &context)));
  };
  std::optional<Annotation> annotation = read("[[\"x\", \"?\"], []]");
  ASSERT_TRUE(annotation && annotation->dims.size() == 2);
  EXPECT_EQ(annotation->dims[0].axes.size(), 1u);
  EXPECT_TRUE(annotation->dims[0].open && !annotation->dims[1].open);
  EXPECT_FALSE(read("[\"x\"]"));
  EXPECT_FALSE(read("[[1]]"));
}

TEST_F(Annotations, PlaceValues) {
  FailureOr<Placement> placement = place("y,one+x");
  ASSERT_TRUE(succeeded(placement));
  EXPECT_EQ(placement->dims, (DimAxes{{2}, {1}})); // axes of one device: none
  EXPECT_EQ(placement->extents[0], 8);             // 6 over four, padded
  EXPECT_EQ(placement->extents[1], 8);
  placement = place("-,x,-"); // the stack's dim first
  ASSERT_TRUE(succeeded(placement));
  EXPECT_EQ(placement->dims, (DimAxes{{1}, {}}));
}

TEST_F(Annotations, SayWhatCannotBe) {
  EXPECT_EQ(errorOf("z,-"), "it: the mesh has no axis 'z'");
  EXPECT_EQ(errorOf("micro,-"), "it: axis 'micro' divides time, not a value");
  // JAX's annotations can say things that options cannot.
  EXPECT_TRUE(failed(place(Annotation{{{{"x"}}, {{"y", "x"}}}})));
  EXPECT_EQ(message, "it: axis 'x' shards dims 0 and 1");
  EXPECT_EQ(errorOf("x,-,-"), "it: not yet: dim 0 of a stack that is split "
                              "into its layers is sharded over 'x'");
}

TEST_F(Annotations, WhatIsReplicatedIsNotSharded) {
  MeshAxes mesh(getMesh(*module));
  FailureOr<Placement> placement = place("x,-");
  ASSERT_TRUE(succeeded(placement));
  auto find = [&](StringRef names) {
    return findReplicated(
        mesh, cast<ArrayAttr>(parseAttribute(names, &context)), *placement,
        [&]() { return mlir::emitError(module->getLoc(), "it: "); });
  };
  EXPECT_EQ(*find("[\"y\"]"), (AxisList{2}));
  EXPECT_TRUE(failed(find("[\"x\"]")));
  EXPECT_EQ(message, "it: axis 'x' shards dim 0 and is replicated");
  EXPECT_TRUE(failed(find("[\"z\"]")));
  EXPECT_EQ(message, "it: the mesh has no axis 'z'");
}
} // namespace
