#include "pimento/evaluate/profile.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace pimento::evaluate {

namespace {

using Key = std::tuple<std::string, int, std::string>;  // file, line, function

std::vector<ProfileRow> sorted(const std::map<Key, ProfileRow> &rows, const Profile &profile) {
  std::vector<ProfileRow> out;
  for (const auto &[key, row] : rows) out.push_back(row);
  std::stable_sort(out.begin(), out.end(),
                   [&](const ProfileRow &a, const ProfileRow &b) { return profile.least(a) > profile.least(b); });
  return out;
}

}  // namespace

Profile profileOf(const program::Code &code, std::span<const std::int64_t> issued, std::span<const std::int64_t> waited,
                  Cycles interval) {
  Profile profile;
  profile.interval = interval;
  std::map<Key, ProfileRow> functions, lines;
  const auto add = [](ProfileRow &row, std::int64_t slots, Cycles wait) {
    row.slots += slots;
    row.waited += wait;
  };
  for (std::size_t pc = 0; pc < issued.size(); ++pc) {
    if (issued[pc] == 0) continue;
    const Cycles wait(pc < waited.size() ? waited[pc] : 0);
    profile.slots += issued[pc];
    profile.waited += wait;
    const bool isInCode = pc < code.instructions.size();
    const program::Code::Symbol *f = isInCode ? code.functionAt(static_cast<std::uint32_t>(pc)) : nullptr;
    const std::string function = f == nullptr ? std::string() : f->name;
    ProfileRow &ofFunction = functions[{"", 0, function}];
    ofFunction.function = function;
    add(ofFunction, issued[pc], wait);
    if (code.lines.empty()) continue;
    const program::Code::Line line = pc < code.lines.size() ? code.lines[pc] : program::Code::Line{};
    const bool isKnown = line.file >= 0 && static_cast<std::size_t>(line.file) < code.files.size();
    const std::string file = isKnown ? code.files[static_cast<std::size_t>(line.file)] : std::string();
    ProfileRow &ofLine = lines[{file, isKnown ? line.line : 0, function}];
    ofLine.function = function;
    ofLine.file = file;
    ofLine.line = isKnown ? line.line : 0;
    add(ofLine, issued[pc], wait);
  }
  profile.functions = sorted(functions, profile);
  profile.lines = sorted(lines, profile);
  return profile;
}

}  // namespace pimento::evaluate
