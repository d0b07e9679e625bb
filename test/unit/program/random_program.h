// Random programs for round trips and for comparing walks: legal in form, not made for any machine.
#pragma once

#include <string>

#include "pimento/base/rng.h"
#include "pimento/program/program.h"

namespace pimento::program {

class RandomPrograms {
 public:
  explicit RandomPrograms(std::uint64_t seed) : random_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) { return random_.integer(low, high); }
  bool oneIn(int n) { return between(1, n) == 1; }

  /// Trip counts up to `maxTrip`, at most `maxNodes` statements; about one loop in ten is empty.
  CommandLoops body(std::int64_t maxTrip, int maxNodes) {
    maxTrip_ = maxTrip;
    left_ = maxNodes;
    CommandLoops out;
    while (left_ > 0) out.push_back(node(0));
    return out;
  }

  Program program() {
    Program p;
    p.target = text();
    images_ = static_cast<int>(between(0, 3));
    for (int i = 0; i < images_; ++i) p.images.push_back({text() + std::to_string(i), number(), oneIn(2)});
    for (Image &i : p.images) i.bursts &= INT64_MAX;
    const std::int64_t processes = between(0, 3);
    for (std::int64_t i = 0; i < processes; ++i)
      p.processes.push_back({text(), between(1, 64), body(INT64_MAX, static_cast<int>(between(0, 30)))});
    return p;
  }

 private:
  CommandNode node(int depth) {
    --left_;
    if (depth == kMaxDepth || oneIn(2)) return command(depth);
    CommandNode n = CommandNode::loop(oneIn(4) ? text() : std::string(1, static_cast<char>('i' + between(0, 3))),
                                      between(1, maxTrip_), {});
    if (oneIn(10)) return n;
    for (std::int64_t c = between(1, 4); c > 0 && left_ > 0; --c) n.children.push_back(node(depth + 1));
    return n;
  }

  Command command(int depth) {
    Command c;
    c.isWrite = oneIn(2);
    c.isBarrier = oneIn(3);
    c.purpose = static_cast<Purpose>(between(0, kPurposes - 1));
    c.rank = static_cast<std::uint8_t>(between(0, 255));
    c.bank = static_cast<std::uint8_t>(between(0, 255));
    c.row = operand(depth);
    c.column = operand(depth);
    if (oneIn(4)) c.length = static_cast<std::int32_t>(between(1, kMostLength));
    if (!c.isWrite || images_ == 0 || oneIn(2)) return c;
    c.image = static_cast<int>(between(0, images_ - 1));
    c.burst = operand(depth);
    return c;
  }

  // Small trip counts come with small numbers, so that walks stay inside Transaction's fields.
  Operand operand(int depth) {
    const auto value = [this] { return maxTrip_ <= 8 ? between(-5, 5) : number(); };
    Operand o;
    o.base = value();
    for (int d = 0; d < depth; ++d) o.stride[static_cast<std::size_t>(d)] = value();
    return o;
  }

  std::int64_t number() {
    switch (between(0, 5)) {
      case 0:
        return 0;
      case 1:
        return between(-1, 1);
      case 2:
        return oneIn(2) ? INT64_MIN : INT64_MAX;
      default:
        return between(-20000, 20000);
    }
  }

  std::string text() {
    static const char *const kTexts[] = {"hbm-pim",   "a.b:c", "",         "two words", "quo\"te\\",
                                         "line\nend", "#;x",   "\xff\x01", "label"};
    return oneIn(3) ? kTexts[between(0, 8)] : "name";
  }

  Rng random_;
  std::int64_t maxTrip_ = 1;
  int left_ = 0;
  int images_ = 0;
};

}  // namespace pimento::program
