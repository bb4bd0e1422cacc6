// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of options that have a syntax of their own: meshes, shardings,
// lists of axes, numbers of bytes.
#ifndef ZCC_COMPILER_DRIVER_OPTIONVALUES_H
#define ZCC_COMPILER_DRIVER_OPTIONVALUES_H

#include <cstdint>
#include <string>
#include <vector>

namespace zcc {

/// The parts between separators; an empty text is one empty part.
std::vector<std::string> split(const std::string &text, char separator);

struct MeshAxis {
  std::string name;
  int64_t size;
};
/// Parses --mesh: `8`, `8x64` (one axis of the product without a name: axes are
/// chosen; one device is `data`) or `data=8,tensor=4`. Returns an error
/// message, or "".
std::string parseMesh(const std::string &text, std::vector<MeshAxis> &axes);

/// An entry of --shard: for each dim the axes that shard it, major first.
struct ShardRequest {
  std::string glob;
  std::vector<std::vector<std::string>> dims;
};
/// Parses `NAME-GLOB=data,-,b+c`. Returns an error message, or "".
std::string parseShard(const std::string &text, ShardRequest &request);

/// Checks an entry of --state, `NAME-GLOB=0|1|2|3|keep|gather`. Returns an
/// error message, or "".
std::string checkState(const std::string &text);

/// Parses --zero-axes: names between commas or plus signs.
std::vector<std::string> parseAxes(const std::string &text);

/// Parses a number of bytes: `80GB`, `64GiB`, `1e9`. Returns an error message,
/// or "".
std::string parseBytes(const std::string &text, double &bytes);

/// Checks the axes (all will do where none is named yet) that --shard and
/// --zero-axes name against the mesh. Returns an error message, or "".
std::string checkAxes(const std::vector<MeshAxis> &mesh,
                      const std::vector<std::string> &shard,
                      const std::string &zeroAxes);

} // namespace zcc

#endif
