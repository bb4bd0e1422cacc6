// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An argument or result of a step says what it is, by zcc.kind.
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "passes/Train/StateNames.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace zcc {
namespace {

class StepValueTest : public testing::Test {
protected:
  DictionaryAttr ofKind(StringRef kind) {
    return b.getDictionaryAttr(
        {b.getNamedAttr(kindAttrName, b.getStringAttr(kind)),
         b.getNamedAttr(parameterAttrName, b.getStringAttr("w")),
         b.getNamedAttr(slotAttrName, b.getStringAttr("moment1")),
         b.getNamedAttr(variableAttrName, b.getStringAttr("mean")),
         b.getNamedAttr(partAttrName, b.getDenseI64ArrayAttr({3, 0}))});
  }

  MLIRContext context;
  Builder b{&context};
};

TEST_F(StepValueTest, EveryKindIsReadBack) {
  for (const StateKindInfo &row : stateKinds) {
    EXPECT_EQ(StepValue(row.kind).name(), StringRef(row.name));
    EXPECT_EQ(readStateKind(ofKind(row.name)), row.kind);
  }
  for (StepValue::Role role :
       {StepValue::Input, StepValue::Hyper, StepValue::Output}) {
    std::optional<StepValue> value =
        readStepValue(ofKind(StepValue(role).name()));
    ASSERT_TRUE(value.has_value());
    EXPECT_EQ(value->role, role);
    EXPECT_FALSE(value->isState());
    EXPECT_EQ(readStateKind(ofKind(StepValue(role).name())), std::nullopt);
  }
}

TEST_F(StepValueTest, OtherAttributesAreNothing) {
  EXPECT_FALSE(readStepValue(DictionaryAttr()).has_value());
  EXPECT_FALSE(readStepValue(b.getDictionaryAttr({})).has_value());
  EXPECT_FALSE(readStepValue(ofKind("moment1")).has_value());
  EXPECT_FALSE(readStepValue(b.getDictionaryAttr({b.getNamedAttr(
                                 kindAttrName, b.getI32IntegerAttr(0))}))
                   .has_value());
}

TEST_F(StepValueTest, SymbolsFollowFromTheKind) {
  EXPECT_EQ(stateSymbol(ofKind("parameter")), "w#3");
  EXPECT_EQ(stateSymbol(ofKind("master")), "w#3:master");
  EXPECT_EQ(stateSymbol(ofKind("slot")), "w#3:moment1");
  EXPECT_EQ(stateSymbol(ofKind("slot"), /*ofParameter=*/true), "w#3");
  EXPECT_EQ(stateSymbol(ofKind("ema")), "w#3:ema");
  EXPECT_EQ(stateSymbol(ofKind("variable")), "mean");
  EXPECT_EQ(stateSymbol(ofKind("variable"), /*ofParameter=*/true), "");
  EXPECT_EQ(stateSymbol(ofKind("input")), "");
}

TEST_F(StepValueTest, DescriptionsAreWrittenAndRead) {
  StateDescription slot{StateKind::Slot, b.getStringAttr("w"),
                        b.getStringAttr("moment1"), b.getF64FloatAttr(0.5)};
  NamedAttrList list;
  writeState(&context, slot, list);
  std::optional<StateDescription> read =
      readState(list.getDictionary(&context));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->kind, slot.kind);
  EXPECT_EQ(read->parameter, slot.parameter);
  EXPECT_EQ(read->ownName, slot.ownName);
  EXPECT_EQ(read->initial, slot.initial);
  EXPECT_EQ(verifyState(slot), "");
  EXPECT_FALSE(readState(ofKind("input")).has_value());
  StateDescription variable{StateKind::Variable, {}, b.getStringAttr("mean")};
  NamedAttrList other;
  writeState(&context, variable, other);
  read = readState(other.getDictionary(&context));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->kind, variable.kind);
  EXPECT_EQ(read->ownName, variable.ownName);
  EXPECT_FALSE(read->parameter);
  EXPECT_EQ(verifyState(variable), "");
}

TEST_F(StepValueTest, DescriptionsAreOfTheirKind) {
  StateDescription slot{
      StateKind::Slot, b.getStringAttr("w"), b.getStringAttr("moment1"), {}};
  EXPECT_EQ(verifyState(slot), "expected 'zcc.initial' of a slot");
  slot.ownName = {};
  EXPECT_EQ(verifyState(slot), "expected 'zcc.slot' of a slot");
  EXPECT_EQ(verifyState({StateKind::Variable}),
            "expected 'zcc.state' of a variable");
  EXPECT_EQ(verifyState({StateKind::Parameter}),
            "expected 'zcc.parameter' of a parameter");
  EXPECT_EQ(verifyState({StateKind::Master,
                         b.getStringAttr("w"),
                         b.getStringAttr("moment1"),
                         {}}),
            "expected no 'zcc.slot' of a master");
  EXPECT_EQ(verifyState({StateKind::Master, b.getStringAttr("w"), {}, {}}), "");
  EXPECT_EQ(verifyState({StateKind::Average}),
            "expected 'zcc.parameter' of an ema");
  EXPECT_EQ(verifyState({StateKind::Average, b.getStringAttr("w"), {}, {}}),
            "");
}

} // namespace
} // namespace zcc
