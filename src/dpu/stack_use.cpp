#include "pimento/dpu/stack_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "pimento/dpu/isa.h"

namespace pimento::dpu {

namespace {

using program::Code;
using program::kIramBase;

constexpr std::uint8_t kStackPointer = 22, kLink = 23;

/// A function of the program, by the instruction that it begins with.
struct Function {
  std::string name;
  std::uint32_t begin = 0, end = 0;  ///< instructions
  std::int64_t frame = 0;
  bool hasUnknownFrame = false, callsPointer = false, isPointedTo = false;
  std::set<std::uint32_t> calls;  ///< functions by their begin
  std::set<std::uint32_t> jumps;  ///< that it goes on in, its own frame gone
};

std::int64_t bytesStored(const Instruction &i) {
  switch (i.op) {
    case Op::kSb:
    case Op::kSbId:
      return 1;
    case Op::kSh:
    case Op::kShId:
      return 2;
    case Op::kSw:
    case Op::kSwId:
      return 4;
    case Op::kSd:
    case Op::kSdId:
      return 8;
    case Op::kLdma:
    case Op::kSdma:
      return 8 * (1 + (i.imm & 255));
    default:
      return 0;
  }
}

class Reader {
 public:
  explicit Reader(const Code &code) : code_(code) {
    findFunctions();
    for (auto &[begin, f] : functions_) read(f);
    for (const auto &[begin, f] : functions_)
      if (f.isPointedTo) pointedTo_.insert(begin);
  }

  StackUse run() {
    const Code::Symbol *main = code_.symbolNamed("main");
    const auto first = functionAt(main != nullptr ? (main->address - kIramBase) / 8 : code_.entry);
    if (!first) return {};
    const std::vector<std::uint32_t> chain = deepest(*first).chain;
    StackUse use;
    use.bytes = done_.at(*first).bytes;
    for (const std::uint32_t f : chain) {
      use.chain.push_back(functions_.at(f).name);
      use.frames.push_back(functions_.at(f).frame);
    }
    use.doubts.assign(doubts_.begin(), doubts_.end());
    return use;
  }

 private:
  struct Depth {
    std::int64_t bytes = 0;
    std::vector<std::uint32_t> chain;
  };

  /// On the way from main to the function at hand.
  struct Step {
    std::uint32_t function = 0;
    std::int64_t below = 0;  ///< of its frame, while what it calls or jumps to runs
  };

  void findFunctions() {
    std::map<std::string, std::int64_t, std::less<>> sizes;
    std::set<std::string, std::less<>> pointedTo;
    for (const Code::Symbol &s : code_.symbols) {
      if (!s.isAbsolute) continue;
      if (s.name.starts_with(kPointedToPrefix)) pointedTo.insert(s.name.substr(kPointedToPrefix.size()));
      if (!s.name.starts_with(kStackSizePrefix)) continue;
      // Several functions of a name, each of its own file: the most.
      const auto value = static_cast<std::int32_t>(s.address);
      const auto [at, isNew] = sizes.try_emplace(s.name.substr(kStackSizePrefix.size()), value);
      if (!isNew)
        at->second = value < 0 || at->second < 0 ? kStackSizeUnknown : std::max<std::int64_t>(at->second, value);
    }
    for (const Code::Symbol &s : code_.symbols) {
      if (!s.isFunction || s.isAbsolute || s.address < kIramBase) continue;
      const std::uint32_t begin = (s.address - kIramBase) / 8;
      const auto [at, isNew] = functions_.try_emplace(begin);
      Function &f = at->second;
      if (isNew) f = {s.name, begin, begin + s.size / 8, -1, false, false, false, {}, {}};
      f.end = std::min<std::uint32_t>(std::max(f.end, begin + s.size / 8),
                                      static_cast<std::uint32_t>(code_.instructions.size()));
      f.isPointedTo |= pointedTo.contains(s.name);
      if (const auto size = sizes.find(s.name); size != sizes.end()) {
        // Of an unknown one the part that the code shows.
        if (size->second >= 0) f.frame = std::max<std::int64_t>(f.frame, size->second);
        f.hasUnknownFrame |= size->second < 0;
      }
    }
  }

  std::optional<std::uint32_t> functionAt(std::uint32_t pc) const {
    auto at = functions_.upper_bound(pc);
    if (at == functions_.begin()) return std::nullopt;
    --at;
    return pc < at->second.end ? std::optional(at->first) : std::nullopt;
  }

  void read(Function &f) {
    std::int64_t pushed = 0, most = 0;
    bool goesOn = true;  // past its end
    for (std::uint32_t pc = f.begin; pc < f.end; ++pc) {
      const std::optional<Instruction> i = decode(code_.instructions[pc]);
      goesOn = !i || i->op != Op::kFault;
      if (!i) continue;
      if (i->op == Op::kAdd && i->dst == kStackPointer && i->a == kStackPointer && i->b == kImmediate && i->imm > 0)
        pushed += i->imm;
      const bool isTransfer = i->op == Op::kLdma || i->op == Op::kSdma;
      if (i->a == kStackPointer && bytesStored(*i) > 0)
        most = std::max(most, pushed + (isTransfer ? 0 : i->imm) + bytesStored(*i));
      most = std::max(most, pushed);
      if (i->op == Op::kCall) {
        follow(f, *i);
        goesOn = i->dst != kZero;
      }
      if (i->use == ConditionUse::kBranch && i->condition != Condition::kFalse) {
        leave(f, i->target);
        goesOn = i->condition != Condition::kTrue;
      }
    }
    if (goesOn && f.end > f.begin) leave(f, f.end);
    if (f.frame < 0) f.frame = most;
    f.frame = (f.frame + 7) / 8 * 8;
  }

  void follow(Function &f, const Instruction &call) {
    const bool isKnown = call.a == kZero && call.b == kImmediate;
    if (call.dst == kZero) {  // a jump: to a register it is a return or a table's
      if (isKnown) leave(f, static_cast<std::uint32_t>(call.imm));
    } else if (!isKnown) {
      f.callsPointer = true;
    } else if (const auto to = functionAt(static_cast<std::uint32_t>(call.imm))) {
      // To its own middle: a part of it that it uses several times.
      if (*to != f.begin || static_cast<std::uint32_t>(call.imm) == f.begin) f.calls.insert(*to);
    }
  }

  void leave(Function &f, std::uint32_t pc) const {
    const auto to = functionAt(pc);
    if (to && (pc < f.begin || pc >= f.end)) f.jumps.insert(*to);
  }

  const Depth &deepest(std::uint32_t begin) {
    if (const auto found = done_.find(begin); found != done_.end()) return found->second;
    const Function &f = functions_.at(begin);
    Depth out{f.frame, {begin}};
    if (f.hasUnknownFrame) doubts_.insert(fmt::format("'{}' has arrays whose size is known only at run time", f.name));
    path_.push_back({begin, 0});
    const auto consider = [&](std::uint32_t to, std::int64_t below) {
      path_.back().below = below;
      const auto before = std::find_if(path_.begin(), path_.end(), [to](const Step &s) { return s.function == to; });
      if (before != path_.end()) {
        // Jumps alone go round without the stack growing.
        if (to == begin || std::any_of(before, path_.end(), [](const Step &s) { return s.below > 0; }))
          doubts_.insert(to == begin
                             ? fmt::format("'{}' calls itself", f.name)
                             : fmt::format("'{}' calls '{}', which calls it back", f.name, functions_.at(to).name));
        return;
      }
      const Depth &d = deepest(to);
      if (below + d.bytes <= out.bytes) return;
      out = {below + d.bytes, {begin}};
      out.chain.insert(out.chain.end(), d.chain.begin(), d.chain.end());
    };
    for (const std::uint32_t to : f.calls) consider(to, f.frame);
    for (const std::uint32_t to : f.jumps) consider(to, 0);
    if (f.callsPointer && pointedTo_.empty()) doubts_.insert(fmt::format("'{}' calls through a pointer", f.name));
    for (const std::uint32_t to : pointedTo_)
      if (f.callsPointer) consider(to, f.frame);
    path_.pop_back();
    return done_[begin] = std::move(out);
  }

  const Code &code_;
  std::map<std::uint32_t, Function> functions_;
  std::set<std::uint32_t> pointedTo_;
  std::map<std::uint32_t, Depth> done_;
  std::vector<Step> path_;
  std::set<std::string> doubts_;
};

}  // namespace

std::string StackUse::str() const {
  std::string text;
  for (std::size_t i = 0; i < chain.size(); ++i)
    text += fmt::format("{}{} ({}{})", i == 0 ? "" : " > ", chain[i], frames[i], i == 0 ? " bytes" : "");
  return text;
}

StackUse stackUse(const Code &code) {
  return Reader(code).run();
}

}  // namespace pimento::dpu
