// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enums that are text in the IR: a string attribute has the name of a case.
#ifndef ZCC_DIALECTS_NAMEDENUM_TD
#define ZCC_DIALECTS_NAMEDENUM_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/EnumAttr.td"

class NamedEnum<string namespace, string name, string summary, list<string> symbols, list<string> names>
    : I32Enum<name, summary # ": " # !interleave(names, ", "),
        !foreach(i, !range(!size(symbols)), I32EnumCase<symbols[i], i, names[i]>)> {
  let cppNamespace = namespace;
}
// The string attribute of an op that has the name of a case. Getters, setters and builders take the enum.
class NamedEnumAttr<EnumInfo info, string type = info.cppNamespace # "::" # info.className>
    : StringBasedAttr<And<[StrAttrPred, CPred<info.cppNamespace # "::" # info.stringToSymbolFnName #
          "(::llvm::cast<::mlir::StringAttr>($_self).getValue()).has_value()">]>, info.summary> {
  let returnType = type;
  let convertFromStorage = "*" # info.cppNamespace # "::" # info.stringToSymbolFnName # "($_self.getValue())";
  let constBuilderCall = "$_builder.getStringAttr(" # info.cppNamespace # "::" # info.symbolToStringFnName # "($0))";
}

#endif
