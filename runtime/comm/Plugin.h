// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and opens the library of a transport (TransportPlugin.h). Transports
// that come with zcc are listed in runtime/CMakeLists.txt; any other is found
// by its name, as libzcc-NAME.so beside the file of this code: zrun, or
// libzcc.so.

#ifndef ZCC_RUNTIME_COMM_PLUGIN_H
#define ZCC_RUNTIME_COMM_PLUGIN_H

#include "runtime/comm/TransportPlugin.h"

#include <string>
#include <vector>

namespace zcc::rt {

/// The names that --ranks accepts: transports that come with zcc, installed or
/// not, and others that lie there.
std::vector<std::string> knownTransports();
std::vector<std::string> foundTransports();

/// `ranks` is one of these names. The library stays open until the process
/// ends. If something is missing, that is bad input that says how to install
/// it.
const ZccTransport &openTransport(const std::string &ranks);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_PLUGIN_H
