# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUTPUT, a C++ source with the text of the template PAGE.
# Run as a script at build time: cmake -DOUTPUT=... -DPAGE=... -P this-file
file(READ ${PAGE} text)
file(WRITE ${OUTPUT} "#include \"llvm/ADT/StringRef.h\"
namespace zcc {
llvm::StringRef getPageTemplate();
llvm::StringRef getPageTemplate() { return R\"PAGE(${text})PAGE\"; }
} // namespace zcc
")
