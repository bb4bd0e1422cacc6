# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUTPUT, a C++ table of the machine descriptions FILES (name, text).
# Run as a script at build time: cmake -DOUTPUT=... "-DFILES=a b" -P this-file
separate_arguments(FILES)
set(table "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND table "{\"${name}\", R\"MACHINE(${text})MACHINE\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"planning/Machine.h\"
#include <utility>
namespace zcc::planning {
static constexpr std::pair<std::string_view, std::string_view> machines[] = {
${table}};
std::vector<std::string> getMachineNames() {
  std::vector<std::string> names;
  for (auto &[name, text] : machines)
    names.emplace_back(name);
  return names;
}
std::string_view getMachineText(std::string_view wanted) {
  for (auto &[name, text] : machines)
    if (name == wanted)
      return text;
  return {};
}
} // namespace zcc::planning
")
