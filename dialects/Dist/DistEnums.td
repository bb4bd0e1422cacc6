// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The enums of dist. Collectives print their kind as a keyword, all others are string attributes.
#ifndef ZCC_DIALECTS_DIST_DISTENUMS_TD
#define ZCC_DIALECTS_DIST_DISTENUMS_TD

include "dialects/NamedEnum.td"

// The operation of a collective. It determines the traffic on the network: an exchange of boxes is an all-to-all or a
// permute (passes/Distribute/Sharding/CollectiveAccount.h).
class Dist_CollectiveKindCase<string name, int value> : I32EnumAttrCase<name, value, name>;
def Dist_CollectiveKind : I32EnumAttr<"CollectiveKind", "a collective", [
    Dist_CollectiveKindCase<"all_reduce", 0>, Dist_CollectiveKindCase<"all_gather", 1>,
    Dist_CollectiveKindCase<"reduce_scatter", 2>, Dist_CollectiveKindCase<"all_to_all", 3>,
    Dist_CollectiveKindCase<"permute", 4>, Dist_CollectiveKindCase<"exchange_boxes", 5>]> {
  let cppNamespace = "::zcc::dist";
}

class Dist_Enum<string name, string summary, list<string> symbols, list<string> names>
    : NamedEnum<"::zcc::dist", name, summary, symbols, names>;

def Dist_TaskKind : Dist_Enum<"TaskKind", "a kind of task",
    ["Prologue", "Forward", "Backward", "WeightBackward", "Epilogue", "Init"],
    ["prologue", "forward", "backward", "weight_backward", "epilogue", "init"]>;
def Dist_TaskKindAttr : NamedEnumAttr<Dist_TaskKind>;

// When ops run: for each microbatch, in a loop of their own (survey) or in the loop (micro); or once, before the loop or
// after it.
def Dist_StepRegion : Dist_Enum<"StepRegion", "a region of the step",
    ["Survey", "Before", "Micro", "After"], ["survey", "before", "micro", "after"]>;

def Dist_MovedKind : Dist_Enum<"MovedKind", "a kind of value that a collective moves or that is summed",
    ["Activation", "Gradient", "Optimizer", "Parameter", "Scalar"],
    ["activation", "gradient", "optimizer", "parameter", "scalar"]>;
def Dist_MovedKindAttr : NamedEnumAttr<Dist_MovedKind>;

// The categories by which a report adds up memory. The workspace is that of kernels: no buffer is of this category.
def Dist_MemoryCategory : Dist_Enum<"MemoryCategory", "a category of memory",
    ["Gradients", "Optimizer", "Parameters", "Residuals", "Temporary", "Workspace"],
    ["gradients", "optimizer", "parameters", "residuals", "temporary", "workspace"]>;
def Dist_MemoryCategoryAttr : NamedEnumAttr<Dist_MemoryCategory>;

def Dist_OutputKind : Dist_Enum<"OutputKind", "a kind of reported value",
    ["Loss", "Metric", "GradientNorm", "Finite", "GradientSquares", "Array"],
    ["loss", "metric", "gradient_norm", "finite", "gradient_squares", "array"]>;
def Dist_OutputKindAttr : NamedEnumAttr<Dist_OutputKind>;

#endif
