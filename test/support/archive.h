// Archives as `ar` makes them, for tests of who reads them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace pimento::test {

/// With an index of symbols (an empty one) and a table of long names where one is longer than 15 bytes.
inline std::string archiveOf(const std::vector<std::pair<std::string, std::string>> &members) {
  std::string archive = "!<arch>\n", names;
  const auto add = [&](const std::string &name, const std::string &contents) {
    archive += fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", name, 0, 0, 0, 644, contents.size()) + contents;
    if (contents.size() % 2 != 0) archive += '\n';
  };
  add("/", std::string(4, '\0'));
  std::vector<std::string> fields;
  for (const auto &[name, contents] : members) {
    fields.push_back(name.size() < 16 ? name + "/" : fmt::format("/{}", names.size()));
    if (name.size() >= 16) names += name + "/\n";
  }
  if (!names.empty()) add("//", names);
  for (std::size_t i = 0; i < members.size(); ++i) add(fields[i], members[i].second);
  return archive;
}

}  // namespace pimento::test
