// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The short texts of the parts of a plan, as options and plan files have them.
// Parsers return what is wrong, or "".
#ifndef ZCC_PLANNING_PLANVALUES_H
#define ZCC_PLANNING_PLANVALUES_H

#include "planning/Plan.h"
#include <optional>

namespace zcc::planning {

/// Returns the parts between separators; an empty text has one empty part.
std::vector<std::string> split(const std::string &text, char separator);

/// An axis, or a part of it as in `tensor:(2)4`: a part of size 4, with parts
/// of size 2 in all more major than it. `size` is 0 for a whole axis.
struct AxisName {
  std::string axis;
  int64_t before = 1, size = 0;
};
/// Returns false if the text is neither.
bool parseAxisName(const std::string &text, AxisName &name);

/// Reads `8` or `8x64` (one unnamed axis of that product, for which a search
/// chooses axes; a single device is `data`), or `data=8,tensor=4`.
std::string parseMesh(const std::string &text, std::vector<PlanAxis> &axes);
/// Orders axes that all have roles by how much they send, so that the devices
/// of an axis that sends much are neighbors: pipe, data, expert, context,
/// tensor. Leaves a mesh alone that has an axis of another name.
void orderByRole(std::vector<PlanAxis> &axes);
std::string printMesh(const std::vector<PlanAxis> &axes);

/// Reads `NAME-GLOB=data,-,b+c`, which gives the axes of each dim, major first.
/// A dim with `?` may take further axes.
std::string parseAnnotation(const std::string &text,
                            PlanAnnotation &annotation);
std::string printAnnotation(const PlanAnnotation &annotation);

/// Reads `NAME-GLOB=0|1|2|3|keep|gather`.
std::string parseState(const std::string &text, PlanState &state);
std::string printState(const PlanState &state);

/// Returns the names between commas or plus signs.
std::vector<std::string> parseAxes(const std::string &text);
/// Returns the axes of a fold `expert=AXES`; none if the text is no such fold.
std::vector<std::string> parseFold(const std::string &text);

/// Reads `AXIS+AXIS/EXTENT`.
std::string parseShards(const std::string &text, PlanShards &shards);
std::string printShards(const PlanShards &shards);
/// Returns `["AXIS/EXTENT", "/EXTENT"]`.
std::string printShards(const std::vector<PlanShards> &list);

/// Reads `auto`, `none`, `full` or `GLOB,...`.
std::string parseRemat(const std::string &text,
                       std::vector<PlanResidual> &residuals);
/// Returns the residuals as --remat takes them, as far as it can express them.
std::string printRemat(const std::vector<PlanResidual> &residuals);

/// `keep`, `recompute` or `recompute-blocks`; nullopt: none.
std::optional<RematPolicy> parsePolicy(const std::string &text);
const char *printPolicy(RematPolicy policy);

/// `optimizer`, `activations` or `parameters`.
const char *printKind(OffloadKind kind);
/// Reads "none", "auto", or names of kinds in any order.
std::string parseOffload(const std::vector<std::string> &names,
                         PlanOffload &offload);
/// Returns "auto" or the names of the kinds; nothing if there are none.
std::vector<std::string> printOffload(const PlanOffload &offload);

/// Reads `0-3,7-31/8` (every eighth from 7 to 31), or "" for no numbers. Each
/// number stands once.
std::string parseNumbers(const std::string &text,
                         std::vector<int64_t> &numbers);
std::string printNumbers(const std::vector<int64_t> &numbers);

/// Returns all that parseCompression() takes: `none|auto|FORMAT|...`.
std::string listCompressions();
/// Parses `none`, `auto` or the name of a number format.
std::string parseCompression(const std::string &text,
                             PlanCompression &compression);
std::string printCompression(const PlanCompression &compression);

/// Checks that the mesh has the axes that annotations, `zeroAxes` and
/// `expertAxes` name; accepts any axes if the mesh has no names yet. Returns an
/// error that names the option, or "".
std::string checkAxes(const Plan &plan);

} // namespace zcc::planning

#endif
