// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emission/SvgText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using llvm::StringRef;

namespace zcc::svg {

std::string escaped(StringRef text) {
  std::string valid = llvm::json::fixUTF8(text), out;
  for (size_t i = 0; i < valid.size(); ++i) {
    StringRef rest = StringRef(valid).substr(i);
    // XML does not allow U+FFFE and U+FFFF.
    if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
      out += "\xEF\xBF\xBD";
      i += 2;
      continue;
    }
    auto c = static_cast<unsigned char>(valid[i]);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c < 0x20 && c != '\n' && c != '\t')
      out += "\xEF\xBF\xBD";
    else
      out += valid[i];
  }
  return out;
}

std::string number(double value) {
  std::string out;
  llvm::raw_string_ostream(out) << llvm::format("%.1f", value);
  if (StringRef(out).ends_with(".0"))
    out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

std::string element(StringRef name, const std::vector<Attribute> &attributes,
                    StringRef contents) {
  std::string out = "<" + name.str();
  for (const Attribute &own : attributes)
    out += " " + own.name.str() + "=\"" + escaped(own.value) + "\"";
  if (contents.empty())
    return out + "/>\n";
  return out + ">" + contents.str() + "</" + name.str() + ">\n";
}

std::string title(StringRef text) {
  return "<title>" + escaped(text) + "</title>";
}

std::string text(double x, double y, StringRef words,
                 std::vector<Attribute> more) {
  std::vector<Attribute> all = {{"x", x}, {"y", y}};
  all.insert(all.end(), more.begin(), more.end());
  return element("text", all, escaped(words));
}

std::string line(double x1, double y1, double x2, double y2, StringRef kind) {
  return element(
      "line",
      {{"class", kind.str()}, {"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}});
}

std::string rect(double x, double y, double width, double height,
                 std::vector<Attribute> more, StringRef contents) {
  std::vector<Attribute> all = {
      {"x", x}, {"y", y}, {"width", width}, {"height", height}};
  all.insert(all.end(), more.begin(), more.end());
  return element("rect", all, contents);
}

std::vector<double> axisTicks(double low, double high, int count) {
  double rough = (high - low) / count;
  if (!(rough > 0))
    return {low};
  double power = std::pow(10.0, std::floor(std::log10(rough))),
         step = 10 * power;
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  std::vector<double> ticks;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9;
       ++i)
    ticks.push_back(i * step);
  return ticks;
}

} // namespace zcc::svg
