// What ranks tell each other, as bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/bytes.h"
#include "pimento/base/diagnostics.h"

namespace pimento::cluster {

enum class Message : std::uint8_t {
  kHello,    ///< to the first: who computes here
  kResults,  ///< to the first
  kAlive,    ///< both ways, where there is nothing to say
  kFailed,   ///< to the first: diagnostics
  kTasks,    ///< from the first
  kEnd,      ///< from the first: nothing will follow
};

/// Where and with what a rank computes.
struct Hello {
  std::string plan, build;  ///< checksums: of what decides results, and of the program's file
  std::string host;
  std::int64_t process = 0;
  int jobs = 1;
};

struct TaskMessage {
  std::int64_t number = 0;
  std::string text;
};

struct ResultMessage {
  std::int64_t number = 0;
  double seconds = 0;  ///< that it took
  std::string text;
};

inline std::string written(Message kind) {
  return {static_cast<char>(kind)};
}
std::string written(const Hello &hello);
std::string written(const std::vector<TaskMessage> &tasks);
std::string written(const std::vector<ResultMessage> &results);
std::string written(const Diagnostics &problems);

/// The first byte; the rest is read by one of the following. All give nothing where the bytes are no such message.
Message kindOf(std::string_view message);
bool read(std::string_view message, Hello &out);
bool read(std::string_view message, std::vector<TaskMessage> &out);
bool read(std::string_view message, std::vector<ResultMessage> &out);
bool read(std::string_view message, Diagnostics &out);

}  // namespace pimento::cluster
