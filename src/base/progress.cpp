#include "pimento/base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pimento {

namespace {

std::string duration(double seconds) {
  const auto s = static_cast<std::int64_t>(std::ceil(seconds));
  if (s < 60) return std::to_string(s) + " s";
  if (s < 3600) return std::to_string(s / 60) + " min " + std::to_string(s % 60) + " s";
  return std::to_string(s / 3600) + " h " + std::to_string(s % 3600 / 60) + " min";
}

}  // namespace

Progress::Progress(std::string what, std::int64_t total, bool isWanted)
    : what_(std::move(what)), total_(total), isShown_(isWanted && (isLog_ || ::isatty(STDERR_FILENO) == 1)) {}

Progress::~Progress() {
  if (lastLength_ > 0 && !isLog_) std::fprintf(stderr, "\r%*s\r", static_cast<int>(lastLength_), "");
}

void Progress::advance(std::int64_t count) {
  const std::int64_t done = done_.fetch_add(count) + count;
  if (!isShown_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  const auto now = Clock::now();
  constexpr auto kLogged = std::chrono::seconds(30);
  if (isLog_ ? now - std::max(lastShown_, start_) < kLogged
             : now - start_ < std::chrono::seconds(1) || now - lastShown_ < std::chrono::milliseconds(100))
    return;
  lastShown_ = now;
  const std::string text = line(what_, done, total_, std::chrono::duration<double>(now - start_).count());
  if (isLog_) {
    std::fprintf(stderr, "%s\n", text.c_str());
    return;
  }
  const int padding = static_cast<int>(std::max(lastLength_, text.size()) - text.size());
  std::fprintf(stderr, "\r%s%*s", text.c_str(), padding, "");
  std::fflush(stderr);
  lastLength_ = text.size();
}

std::string Progress::line(const std::string &what, std::int64_t done, std::int64_t total, double seconds) {
  const double share = total > 0 ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total)) : 1.0;
  std::string s = what + ": " + std::to_string(static_cast<int>(share * 100)) + " % (" + std::to_string(done) + "/" +
                  std::to_string(total) + ")";
  if (done > 0 && share < 1.0) s += ", " + duration(seconds * (1 - share) / share) + " left";
  return s;
}

}  // namespace pimento
