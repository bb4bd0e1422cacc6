// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the names that JAX gives the leaves of arguments and results:
// `params['blocks'][0]['attn']['wo']`, `params.layers[0].w`.
#ifndef ZCC_PASSES_IMPORT_ARGUMENTPATH_H
#define ZCC_PASSES_IMPORT_ARGUMENTPATH_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace zcc {

struct ArgumentPath {
  std::string root;                    // the Python argument
  llvm::SmallVector<std::string> keys; // from the root to the leaf

  /// Returns "blocks.0.attn.wo"; the root's name if there are no keys.
  std::string getName() const;
};

/// Reads such a name. A text of another form becomes the root as a whole.
ArgumentPath parseArgumentPath(llvm::StringRef text);

} // namespace zcc

#endif
