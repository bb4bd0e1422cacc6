// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What collectives of both dialects, dist and exec, say of themselves.
#ifndef ZCC_DIALECTS_DIST_DISTINTERFACES_TD
#define ZCC_DIALECTS_DIST_DISTINTERFACES_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

// What a collective op does. What crosses the network follows: an exchange of boxes is an all-to-all or a permute
// (passes/Distribute/Account.h).
class Dist_CollectiveKindCase<string name, int value> : I32EnumAttrCase<name, value, name>;
def Dist_CollectiveKind : I32EnumAttr<"CollectiveKind", "a collective", [
    Dist_CollectiveKindCase<"all_reduce", 0>, Dist_CollectiveKindCase<"all_gather", 1>,
    Dist_CollectiveKindCase<"reduce_scatter", 2>, Dist_CollectiveKindCase<"all_to_all", 3>,
    Dist_CollectiveKindCase<"permute", 4>, Dist_CollectiveKindCase<"exchange_boxes", 5>]> {
  let cppNamespace = "::zcc::dist";
}

def Dist_CollectiveInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::zcc::dist";
  let description = [{
    An op that a group of devices does together, each with its own source and target. Its account (bytes, seconds) follows from
    what this interface says and from the mesh.
  }];
  let methods = [
    InterfaceMethod<"What it does.", "::zcc::dist::CollectiveKind", "getCollectiveKind", (ins)>,
    InterfaceMethod<"The axes of the group, major to minor, by name.", "::mlir::ArrayAttr", "getAxes", (ins)>,
    InterfaceMethod<"What a device gives.", "::mlir::RankedTensorType", "getSourceType", (ins)>,
    InterfaceMethod<"What a device gets.", "::mlir::RankedTensorType", "getTargetType", (ins)>,
    InterfaceMethod<"Of an exchange of boxes, which; else nullopt.", "::std::optional<::zcc::dist::Boxes>", "getBoxes", (ins)>,
    InterfaceMethod<"What is moved: parameter, gradient, ...", "::llvm::StringRef", "getWhat", (ins)>,
    InterfaceMethod<"The name of the value.", "::llvm::StringRef", "getValue", (ins)>,
    InterfaceMethod<"Which decision caused it.", "::llvm::StringRef", "getWhy", (ins)>];
}

#endif
