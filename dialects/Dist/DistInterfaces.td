// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of collectives of both dialects, dist and exec.
#ifndef ZCC_DIALECTS_DIST_DISTINTERFACES_TD
#define ZCC_DIALECTS_DIST_DISTINTERFACES_TD

include "mlir/IR/OpBase.td"
include "dialects/Dist/DistEnums.td"

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
    InterfaceMethod<"Returns the kind of the moved value.", "::zcc::dist::MovedKind", "getWhat", (ins)>,
    InterfaceMethod<"Returns the name of the value.", "::llvm::StringRef", "getValue", (ins)>,
    InterfaceMethod<"Returns the decision that caused it.", "::llvm::StringRef", "getWhy", (ins)>];
}

#endif
