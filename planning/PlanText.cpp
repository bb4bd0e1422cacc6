// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and prints the text of a plan (parsePlan and printPlan of Plan.h).
// PlanMessage.cpp turns the message that protobuf read into a Plan, and back.
#include "planning/PlanMessage.h"
#include <algorithm>

namespace zcc::planning {
namespace pb = google::protobuf;

std::string parsePlan(std::string_view text, const std::string &file,
                      Plan &plan) {
  plan = {};
  TextErrors errors(file);
  proto::Plan message;
  pb::TextFormat::ParseInfoTree places;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&places);
  if (parser.ParseFromString(std::string(text), &message))
    checkMessage(message, PlanCheck::Whole, places, errors);
  if (!errors.text.empty())
    return errors.text;
  plan = readMessage(message, places);
  plan.file = file;
  return "";
}

std::string printPlan(const Plan &plan) {
  proto::Plan message = writeMessage(plan);
  // Each message stands on one line. The decisions come before the values of
  // the model that they were made for.
  std::string text = "# A plan of zcc: --plan reads it.\n";
  pb::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  printer.SetUseShortRepeatedPrimitives(true);
  const pb::Reflection *reflection = message.GetReflection();
  std::vector<const pb::FieldDescriptor *> fields;
  reflection->ListFields(message, &fields);
  std::rotate(fields.begin(),
              fields.empty() || fields[0]->name() != "values"
                  ? fields.begin()
                  : fields.begin() + 1,
              fields.end());
  for (const pb::FieldDescriptor *field : fields) {
    int count =
        field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      std::string value;
      printer.PrintFieldValueToString(message, field,
                                      field->is_repeated() ? i : -1, &value);
      bool nested = field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE;
      text +=
          field->name() + (nested ? " { " + value + "}" : ": " + value) + "\n";
    }
  }
  return text;
}

} // namespace zcc::planning
