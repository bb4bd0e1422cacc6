// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and opens the library of a transport (TransportPlugin.h).

#ifndef ZCC_RUNTIME_COMM_PLUGIN_H
#define ZCC_RUNTIME_COMM_PLUGIN_H

#include "runtime/comm/TransportPlugin.h"

namespace zcc::rt {

/// `name` is "mpi" or "gloo". The library lies beside the program; it stays
/// open until the process ends. What is missing is bad input that says how to
/// install it.
const ZccTransport &openTransport(const char *name);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_PLUGIN_H
