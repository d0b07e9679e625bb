#include "pimento/trace/release/analyzer.h"

#include <iterator>

namespace pimento::trace::release {

std::int32_t AnalyzerReader::registerOf(const std::string &name) {
  if (name.empty()) return -1;
  return registers_.try_emplace(name, static_cast<std::int32_t>(registers_.size())).first->second;
}

AnalyzerStep AnalyzerReader::read(std::string_view disassembly, const PipeCounts &pipe) {
  Record r;
  AnalyzerStep s;
  if (!parse(disassembly, r)) return s;
  s.isSeen = true;
  s.kind = r.kind;
  s.destination = registerOf(r.destination);
  s.sources = {registerOf(r.sources[0]), registerOf(r.sources[1])};
  s.pipe = pipe;
  return s;
}

std::int32_t Analyzer::newNode(const Step &step, Level level) {
  std::int32_t at = 0;
  if (free_.empty()) {
    at = static_cast<std::int32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    at = free_.back();
    free_.pop_back();
  }
  nodes_[static_cast<std::size_t>(at)] = {&step, {-1, -1}, 0, level, false};
  return at;
}

void Analyzer::dropChildren(std::int32_t node) {
  dropped_.assign(1, node);
  while (!dropped_.empty()) {
    const std::int32_t at = dropped_.back();
    dropped_.pop_back();
    for (const std::int32_t c : nodes_[static_cast<std::size_t>(at)].children) {
      if (c < 0 || --nodes_[static_cast<std::size_t>(c)].holders > 0) continue;
      free_.push_back(c);
      dropped_.push_back(c);
    }
  }
}

void Analyzer::take(const Step &step, Level level) {
  if (step.destination < 0 && !isCim(step.kind)) return;  // a store: no tree has it
  const std::int32_t at = newNode(step, level);
  nodes_[static_cast<std::size_t>(at)].holders = 1;  // this function
  if (step.kind != Kind::kLoad)                      // loads are leaves
    for (std::size_t s = 0; s < step.sources.size(); ++s) {
      const std::int32_t source = step.sources[s];
      const std::int32_t child =
          source < 0 || source >= std::ssize(writer_) ? -1 : writer_[static_cast<std::size_t>(source)];
      if (child < 0 || nodes_[static_cast<std::size_t>(child)].isTaken) continue;
      nodes_[static_cast<std::size_t>(at)].children[s] = child;
      ++nodes_[static_cast<std::size_t>(child)].holders;
    }
  if (isCim(step.kind)) grow(at);
  if (step.destination >= 0) {
    if (step.destination >= std::ssize(writer_)) writer_.resize(static_cast<std::size_t>(step.destination) + 1, -1);
    std::int32_t &writer = writer_[static_cast<std::size_t>(step.destination)];
    const std::int32_t before = writer;
    writer = at;
    ++nodes_[static_cast<std::size_t>(at)].holders;
    if (before >= 0) drop(before);
  }
  drop(at);
}

void Analyzer::grow(std::int32_t root) {
  nodes_[static_cast<std::size_t>(root)].isTaken = true;
  path_ = {{root, 0}};
  while (!path_.empty()) {
    auto &[at, next] = path_.back();
    const Node &n = nodes_[static_cast<std::size_t>(at)];
    if (next == n.children.size()) {
      const std::int32_t done = at;
      path_.pop_back();
      list(done);
      // No tree looks below it again.
      const std::array<std::int32_t, 2> children = nodes_[static_cast<std::size_t>(done)].children;
      nodes_[static_cast<std::size_t>(done)].children = {-1, -1};
      for (const std::int32_t c : children)
        if (c >= 0) drop(c);
      continue;
    }
    const std::int32_t child = n.children[next++];
    if (child < 0 || nodes_[static_cast<std::size_t>(child)].isTaken) continue;
    nodes_[static_cast<std::size_t>(child)].isTaken = true;
    path_.emplace_back(child, 0);
  }
}

/// The next one of the list of all trees (counters.h).
void Analyzer::list(std::int32_t node) {
  const Node &n = nodes_[static_cast<std::size_t>(node)];
  const Kind kind = n.step->kind;
  for (int c = 0; c < kConfigurations; ++c) {
    const auto configuration = static_cast<Configuration>(c);
    Counters &counters = counters_[static_cast<std::size_t>(c)];
    if (isLoadOpen_ && isEnabled(configuration, level_)) countOne(counters.cim[static_cast<std::size_t>(level_)], kind);
    if (kind == Kind::kLoad) {
      if (isEnabled(configuration, n.level)) ++counters.loads[static_cast<std::size_t>(n.level)];
    } else if (vanishes(kind) && isEnabled(configuration, level_)) {
      counters.removed += n.step->pipe;
    }
  }
  isLoadOpen_ = kind == Kind::kLoad;
  if (isLoadOpen_) level_ = n.level;
}

}  // namespace pimento::trace::release
