# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import lit.formats
from lit.llvm import llvm_config

config.name = "zcc"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "data", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.zcc_build, "test")
llvm_config.with_environment("PATH", [os.path.join(config.zcc_build, "bin"), config.llvm_tools_dir], append_path=True)
llvm_config.with_system_environment(["HOME", "ASAN_OPTIONS", "TSAN_OPTIONS", "TMPDIR"])
config.substitutions.append(("%data", os.path.join(config.test_source_root, "data")))
config.substitutions.append(("%python", config.python))
