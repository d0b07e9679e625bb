// What the tests of the run-time library share: calls of its functions on many operands.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/base/rng.h"
#include "test/support/cases.h"
#include "test/support/linked_dpu.h"

namespace pimento::test {

using Words = std::vector<std::uint64_t>;

inline std::string sourceOf(const std::string &path) {
  auto text = readFile(std::string(PIMENTO_SOURCE_DIR) + "/" + path);
  if (!text) throw std::runtime_error(messages(text.diagnostics()));
  return *text;
}

template <typename T>
std::span<const std::byte> bytesOf(const std::vector<T> &values) {
  return std::as_bytes(std::span(values));
}

template <typename T>
std::vector<T> fromMram(const sim::dpu::Dpu &dpu, std::uint32_t offset, std::size_t count) {
  std::vector<T> values(count);
  dpu.readMram(offset, std::as_writable_bytes(std::span(values)));
  return values;
}

/// The run-time functions of `names`, callable from here on many operands at once.
class Callee {
 public:
  explicit Callee(std::vector<std::string> names) : names_(std::move(names)) {
    std::string text = sourceOf("test/unit/dpu_runtime/call_many.s");
    for (const std::string &name : names_) text += "        .long   " + name + "\n";
    image_ = imageOf(text, 1);
  }

  /// One call. `area` is WRAM at area(), before and behind.
  struct Case {
    std::uint64_t d0 = 0, d2 = 0;
    std::string area;
  };

  /// Calls `name` on all cases, which become what it left. Returns the issued instructions, its own and the caller's.
  std::int64_t call(const std::string &name, std::vector<Case> &cases) {
    std::int64_t instructions = 0;
    constexpr std::size_t kAtOnce = 1 << 20;
    for (std::size_t i = 0; i < cases.size(); i += kAtOnce)
      instructions += callSome(indexOf(name), std::span(cases).subspan(i, std::min(kAtOnce, cases.size() - i)));
    return instructions;
  }

  std::uint32_t area() const { return addressOf(*image_, "area"); }

 private:
  std::uint32_t indexOf(const std::string &name) const {
    if (name == "nothing") return 0;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return static_cast<std::uint32_t>(i + 1);
    throw std::runtime_error("not linked: " + name);
  }

  std::int64_t callSome(std::uint32_t function, std::span<Case> cases) {
    const std::size_t bytes = 32 + cases[0].area.size();
    std::vector<char> mram(bytes * cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      std::memcpy(mram.data() + i * bytes, &cases[i].d0, 8);
      std::memcpy(mram.data() + i * bytes + 8, &cases[i].d2, 8);
      std::memcpy(mram.data() + i * bytes + 32, cases[i].area.data(), bytes - 32);
    }
    sim::dpu::Dpu dpu(image_, plainDpu());
    const std::vector<std::uint32_t> args = {function, static_cast<std::uint32_t>(cases.size()),
                                             static_cast<std::uint32_t>(bytes)};
    dpu.writeWram(addressOf(*image_, "args"), bytesOf(args));
    dpu.writeMram(image_->code.mramUsed, bytesOf(mram));
    const sim::dpu::RunResult result = dpu.simulate({.maxInstructions = std::int64_t{1} << 32});
    if (result.fault) throw std::runtime_error(result.fault->str());
    dpu.readMram(image_->code.mramUsed, std::as_writable_bytes(std::span(mram)));
    for (std::size_t i = 0; i < cases.size(); ++i) {
      std::memcpy(&cases[i].d0, mram.data() + i * bytes + 16, 8);
      std::memcpy(&cases[i].d2, mram.data() + i * bytes + 24, 8);
      cases[i].area.assign(mram.data() + i * bytes + 32, bytes - 32);
    }
    return result.counts.instructions;
  }

  std::vector<std::string> names_;
  std::shared_ptr<const sim::dpu::Image> image_;
};

}  // namespace pimento::test
