// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short texts of the parts of a plan, as options take them and a plan's text
// has them. Parsers return what is wrong, or "".
#ifndef ZCC_PLANNING_PLANVALUES_H
#define ZCC_PLANNING_PLANVALUES_H

#include "planning/Plan.h"

namespace zcc::planning {

/// The parts between separators; an empty text is one empty part.
std::vector<std::string> split(const std::string &text, char separator);

/// An axis, or a part of it as in `tensor:(2)4`: 4 coordinates that 2 major
/// ones stand before. `size` is 0 for all of it.
struct AxisName {
  std::string axis;
  int64_t before = 1, size = 0;
};
/// False if it is neither.
bool parseAxisName(const std::string &text, AxisName &name);

/// `8`, `8x64` (one axis of the product without a name: axes are chosen; one
/// device is `data`) or `data=8,tensor=4`.
std::string parseMesh(const std::string &text, std::vector<PlanAxis> &axes);
std::string printMesh(const std::vector<PlanAxis> &axes);

/// `NAME-GLOB=data,-,b+c`: for each dim the axes, major first; `?` may take
/// others.
std::string parseAnnotation(const std::string &text,
                            PlanAnnotation &annotation);
std::string printAnnotation(const PlanAnnotation &annotation);

/// `NAME-GLOB=0|1|2|3|keep|gather`.
std::string parseState(const std::string &text, PlanState &state);
std::string printState(const PlanState &state);

/// Names between commas or plus signs.
std::vector<std::string> parseAxes(const std::string &text);

/// `AXIS+AXIS/EXTENT`.
std::string parseShards(const std::string &text, PlanShards &shards);
std::string printShards(const PlanShards &shards);
/// `["AXIS/EXTENT", "/EXTENT"]`.
std::string printShards(const std::vector<PlanShards> &list);

/// `auto`, `none`, `full` or `GLOB,...`; returns what is wrong, or "".
std::string parseRemat(const std::string &text,
                       std::vector<PlanResidual> &residuals);
/// As --remat takes them, if it does.
std::string printRemat(const std::vector<PlanResidual> &residuals);

/// What may live in the host's memory: moments and master weights, what the
/// backward pass reads of the forward pass, parameters.
inline constexpr const char *offloadKinds[] = {"optimizer", "activations",
                                               "parameters"};
/// "none", "auto", or some of them, into their order. What is wrong, or "".
std::string parseOffload(const std::vector<std::string> &names,
                         std::vector<std::string> &kinds);

/// `0-3,7-31/8`, every eighth from 7 to 31; "" for none. Ascending.
std::string parseNumbers(const std::string &text,
                         std::vector<int64_t> &numbers);
std::string printNumbers(const std::vector<int64_t> &numbers);

/// Of a decision (PlanDecision): computed again by the backward task, and handed
/// over to that of weights' gradients, where that is a task of its own.
inline constexpr auto handOverFate = static_cast<PlanResidual::Fate>(3);

/// The types of kept residuals, as --compress takes them.
inline constexpr const char *compressions[] = {"none", "auto", "bf16", "f8",
                                               "int8"};
bool isCompression(const std::string &text);

/// Checks the axes that annotations and `zeroAxes` name against the mesh; all
/// will do where none is named yet. An error, with the option, or "".
std::string checkAxes(const Plan &plan);

} // namespace zcc::planning

#endif
