// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The enums of exec.
#ifndef ZCC_DIALECTS_EXEC_EXECENUMS_TD
#define ZCC_DIALECTS_EXEC_EXECENUMS_TD

include "dialects/NamedEnum.td"

// A buffer's name is that of a declaration (state, input, output), of a value, which is bound for each action, of an
// accumulator, which lives over the microbatches, or of a temporary, which lives inside the task.
def Exec_BufferSpace : NamedEnum<"::zcc::exec", "BufferSpace", "a space of buffers",
    ["Accumulator", "Coordinates", "Hyper", "Input", "Key", "Output", "State", "Temporary", "Value"],
    ["accumulator", "coordinates", "hyper", "input", "key", "output", "state", "temporary", "value"]>;
def Exec_BufferSpaceAttr : NamedEnumAttr<Exec_BufferSpace>;

#endif
