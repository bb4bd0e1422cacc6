// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of collectives of both dialects, dist and exec.
#ifndef ZCC_DIALECTS_DIST_DISTINTERFACES_TD
#define ZCC_DIALECTS_DIST_DISTINTERFACES_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

// The operation of a collective. It determines the traffic on the network: an exchange of boxes is an all-to-all or a
// permute (passes/Distribute/CollectiveAccount.h).
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
    An op that a group of devices executes together, each with its own source and target. Its account (bytes, seconds)
    follows from this interface and from the mesh.
  }];
  let methods = [
    InterfaceMethod<"Returns the operation.", "::zcc::dist::CollectiveKind", "getCollectiveKind", (ins)>,
    InterfaceMethod<"Returns the names of the axes of the group, major to minor.", "::mlir::ArrayAttr", "getAxes", (ins)>,
    InterfaceMethod<"Returns the type of a device's source.", "::mlir::RankedTensorType", "getSourceType", (ins)>,
    InterfaceMethod<"Returns the type of a device's target.", "::mlir::RankedTensorType", "getTargetType", (ins)>,
    InterfaceMethod<"Returns the boxes of an exchange of boxes; else nullopt.", "::std::optional<::zcc::dist::Boxes>", "getBoxes", (ins)>,
    InterfaceMethod<"Returns the kind of the moved value: parameter, gradient, ...", "::llvm::StringRef", "getWhat", (ins)>,
    InterfaceMethod<"Returns the name of the value.", "::llvm::StringRef", "getValue", (ins)>,
    InterfaceMethod<"Returns the decision that caused it.", "::llvm::StringRef", "getWhy", (ins)>];
}

#endif
