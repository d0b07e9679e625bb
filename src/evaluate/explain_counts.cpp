#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "pimento/base/integer.h"
#include "pimento/evaluate/explainer.h"

namespace pimento::evaluate {

namespace {

using Arithmetic = Derivation::Arithmetic;
using program::Purpose;

/// A body of loops with commands of one purpose directly in it.
struct Nest {
  std::vector<const program::Node *> loops;
  std::int64_t commands = 0;
};

void findNests(const std::vector<program::Node> &nodes, Purpose purpose, std::vector<const program::Node *> &loops,
               std::vector<Nest> &out) {
  std::int64_t here = 0;
  for (const program::Node &n : nodes)
    if (!n.isLoop && n.command.purpose == purpose) ++here;
  if (here > 0) out.push_back({loops, here});
  for (const program::Node &n : nodes) {
    if (!n.isLoop) continue;
    loops.push_back(&n);
    findNests(n.children, purpose, loops, out);
    loops.pop_back();
  }
}

bool isName(const std::string &text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// "output * batch * row * commands".
DerivationPtr nestNode(const Nest &nest) {
  std::int64_t value = nest.commands;
  std::string formula, path;
  Parts parts;
  for (const program::Node *l : nest.loops) {
    value = multiplySaturated(value, l->trip);
    std::string symbol = isName(l->label) ? l->label : "loop";
    const auto isTaken = [&](const std::string &s) {
      return s == "commands" || s == "max" || s == "min" || s == "ceil" ||
             std::any_of(parts.begin(), parts.end(), [&](const auto &p) { return p.symbol == s; });
    };
    if (isTaken(symbol)) symbol += std::to_string(parts.size());
    formula += symbol + " * ";
    path += (path.empty() ? "" : "/") + (l->label.empty() ? symbol : l->label);
    parts.push_back({symbol, leaf(symbol, l->trip, "", "trips of the loop")});
  }
  parts.push_back({"commands", leaf("commands", nest.commands, "", "in the body")});
  return node(path.empty() ? "outside of loops" : "in " + path, value, "", formula + "commands", Arithmetic::kInteger,
              std::move(parts));
}

/// The factors behind the loops: per dim of the kernel, its padded extent over the levels of the machine.
std::vector<DerivationPtr> mappingNodes(const ExplainedStage &stage, MachineNumbers &numbers) {
  std::vector<DerivationPtr> out;
  if (stage.placed == nullptr) return out;
  const mapping::Mapping &m = stage.placed->mapping;
  const std::vector<machine::Level> &levels = numbers.machine().levels;
  for (const mapping::Subspace &s : m.subspaces)
    for (std::size_t d = 0; d < stage.dims.size(); ++d) {
      Parts parts;
      std::string formula;
      for (std::size_t l = 0; l <= levels.size(); ++l) {
        const std::string symbol = l == levels.size() ? "range" : levels[l].name;
        formula += (l == 0 ? "" : " * ") + symbol;
        parts.push_back({symbol, leaf(symbol, s.factors[l][d], "", "mapping's factor")});
      }
      out.push_back(node(fmt::format("M{} of the mapping: {}, padded", s.index, stage.dims[d]),
                         s.extent(static_cast<int>(d)), "", formula, Arithmetic::kInteger, std::move(parts),
                         out.empty() ? mapping::print(m) : ""));
    }
  return out;
}

DerivationPtr purposePerChannel(const std::string &name, const ExplainedStage &stage, Purpose purpose,
                                std::int64_t value, MachineNumbers &numbers) {
  std::vector<Nest> nests;
  std::vector<const program::Node *> loops;
  findNests(stage.process->body, purpose, loops, nests);
  std::vector<DerivationPtr> parts;
  for (const Nest &n : nests) parts.push_back(nestNode(n));
  auto d = std::make_shared<Derivation>(*sumOf(name, value, "", parts));
  if (value != 0) d->beside = mappingNodes(stage, numbers);
  return d;
}

std::string_view aboutRowCount(int which) {
  constexpr std::array<std::string_view, 6> kAbout = {
      "rows that the controller opened in one bank; counted by the engine, since it depends on time",
      "commands that opened a row in every unit's bank; counted by the engine, since it depends on time",
      "rows that the controller closed in one bank; counted by the engine, since it depends on time",
      "commands that closed a row in every unit's bank; counted by the engine, since it depends on time",
      "REF commands of all ranks; counted by the engine, since it depends on time",
      "refresh requests that the next one replaced before they were served; counted by the engine"};
  return kAbout[static_cast<std::size_t>(which - program::kPurposes)];
}

}  // namespace

DerivationPtr channelsOf(const ExplainedStage &stage, MachineNumbers &numbers) {
  const std::int64_t n = stage.record.run.units;
  if (!numbers.machine().dram) {
    const std::string name = fmt::format("{}s", stage.record.run.unit);
    if (stage.placed == nullptr) return leaf(name, n, "", name + " that run the program");
    Parts parts;
    std::string formula;
    const auto &levels = numbers.machine().levels;
    for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
      std::int64_t factor = 1;
      for (const std::int64_t f : stage.placed->mapping.subspaces[0].factors[l]) factor *= f;
      formula += (l == 0 ? "" : " * ") + levels[l].name;
      parts.push_back({levels[l].name, leaf(levels[l].name, factor, "", "mapping's factor")});
    }
    return node(name, n, "", formula, Arithmetic::kInteger, std::move(parts));
  }
  const auto &organization = numbers.machine().dram->organization;
  if (n == organization.channels && numbers.has("organization.channels"))
    return numbers.number("organization.channels");
  return leaf("channels", n, "", "identical channels that run the program");
}

CountNodes explainCounts(const std::string &prefix, const ExplainedStage &stage, MachineNumbers &numbers) {
  const DerivationPtr channels = channelsOf(stage, numbers);
  if (stage.process->code != nullptr || stage.process->unit) return explainDpuCounts(prefix, stage, channels);
  std::array<DerivationPtr, kDeviceCounts> perChannel;
  CountNodes out;
  for (int i = 0; i < kDeviceCounts; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string name(deviceCountName(i));
    const std::int64_t total = stage.record.run.counts.at(name);
    const std::int64_t one = total / stage.record.run.units;
    const std::string label = name + " per channel";
    if (i < program::kPurposes)
      perChannel[at] = purposePerChannel(label, stage, static_cast<Purpose>(i), one, numbers);
    else if (i + 1 == kDeviceCounts)
      perChannel[at] = sumOf(label, one, "", {perChannel.begin(), perChannel.begin() + program::kPurposes});
    else
      perChannel[at] = leaf(label, one, "", std::string(aboutRowCount(i)));
    out.emplace_back(name, node(prefix + name, total, "", "per_channel * channels", Arithmetic::kInteger,
                                {{"per_channel", perChannel[at]}, {"channels", channels}}));
  }
  return out;
}

ActionNodes sumActions(const std::string &prefix,
                       const std::array<std::vector<DerivationPtr>, energy::kActions> &parts) {
  ActionNodes out;
  for (std::size_t a = 0; a < out.size(); ++a) {
    std::int64_t sum = 0;
    for (const DerivationPtr &p : parts[a]) sum = addSaturated(sum, p->integer());
    if (!parts[a].empty())
      out[a] = sumOf(fmt::format("{}{} of the device", prefix, energy::name(static_cast<energy::Action>(a))), sum, "",
                     parts[a]);
  }
  return out;
}

ActionNodes deviceActionNodes(const std::string &prefix, const ExplainedStage &stage, const CountNodes &counts,
                              MachineNumbers &numbers) {
  const machine::Machine &m = numbers.machine();
  if (!m.dram) return dpuActionNodes(prefix, stage, counts);
  std::array<std::vector<DerivationPtr>, energy::kActions> parts;
  for (const ActionPart &p : actionParts()) {
    const DerivationPtr &count = counts[static_cast<std::size_t>(p.count)].second;
    if (count->integer() == 0) continue;
    Parts operands = {{"commands", count}};
    std::string formula = "commands";
    if (p.times != 1) formula += fmt::format(" * {}", p.times);
    if (p.per != ActionPer::kCommand && m.pim) {
      formula += " * blocks";
      operands.push_back({"blocks", numbers.number("pim.blocks", m.pim->blocks)});
    }
    if (p.per == ActionPer::kLane && m.pim) {
      formula += " * lanes";
      operands.push_back({"lanes", numbers.number("pim.lanes", m.pim->lanes)});
    }
    const std::int64_t value = multiplySaturated(multiplySaturated(count->integer(), p.times), multiplier(p, m));
    parts[static_cast<std::size_t>(p.action)].push_back(node(fmt::format("of {}", deviceCountName(p.count)), value, "",
                                                             formula, Arithmetic::kInteger, std::move(operands)));
  }
  return sumActions(prefix, parts);
}

ActionNodes hostActionNodes(const std::string &prefix, const lower::HostWork &work, const Breakdown &breakdown,
                            std::int64_t operations, MachineNumbers &numbers) {
  ActionNodes out;
  const auto nameOf = [&](energy::Action a) { return fmt::format("{}{} of the host", prefix, energy::name(a)); };
  for (const ActionTerm &t : hostActionTerms(numbers.machine(), work, breakdown))
    if (t.term.value != 0)
      out[static_cast<std::size_t>(t.action)] =
          numbers.term(nameOf(t.action), "", t.term, Arithmetic::kInteger, "none");
  constexpr energy::Action kOperations = energy::Action::kHostOperations;
  if (operations != 0)
    out[static_cast<std::size_t>(kOperations)] =
        leaf(nameOf(kOperations), operations, "", "scalar operations of the kernel");
  return out;
}

ActionNodes addActions(const std::string &prefix, const std::vector<ActionNodes> &parts) {
  ActionNodes out;
  for (std::size_t a = 0; a < out.size(); ++a) {
    std::vector<DerivationPtr> all;
    std::int64_t sum = 0;
    for (const ActionNodes &p : parts)
      if (p[a] != nullptr) {
        all.push_back(p[a]);
        sum = addSaturated(sum, p[a]->integer());
      }
    if (all.empty()) continue;
    out[a] = sumOf(prefix + std::string(energy::name(static_cast<energy::Action>(a))), sum, "", all);
  }
  return out;
}

}  // namespace pimento::evaluate
