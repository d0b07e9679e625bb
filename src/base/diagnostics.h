// What we tell a user whose input is wrong, and the Result type that carries it.
//
// Every user mistake becomes a Diagnostic with a stable code, a place, a message and a hint that names the legal
// choices. Library code never prints, exits or throws for user mistakes. Mistakes of our own are asserts
// (PIMENTO_CHECK), which user input must not be able to reach.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pimento {

/// A place in a user's text. `line` and `column` count from 1; 0 means "no such detail".
struct Location {
  std::string file;
  int line = 0;
  int column = 0;

  /// "FILE:LINE:COL", leaving out what is unknown; empty if all is.
  std::string str() const;
};

enum class Severity { kError, kWarning, kNote };

/// What went wrong. Control flow asks this; codes are names for users.
enum class DiagnosticKind : std::uint8_t {
  kUsage,          ///< an option or argument that does not exist, or does not go with the others
  kInput,          ///< a text, file or value that is wrong in itself
  kUnsupported,    ///< legal, but this machine, program or front end cannot do it
  kCapacity,       ///< it could, if it had more room
  kDataDependent,  ///< values that are not known decide it
  kFault,          ///< the simulated program went wrong while it ran
  kOurs,           ///< a mistake of Pimento
};
/// "usage" "input" "unsupported" "capacity" "data-dependent" "fault" "ours".
std::string_view name(DiagnosticKind kind);

/// One message to the user. `code` is a stable kebab-case name ("unknown-key"); tests and docs refer to it.
struct Diagnostic {
  Severity severity = Severity::kError;
  DiagnosticKind kind = DiagnosticKind::kInput;
  std::string code;
  Location where;
  std::string message;
  std::string hint;
  bool isClangs = false;  ///< Clang's words, which bear its marks ("-Wunused")

  /// "FILE:LINE:COL: error: MESSAGE [CODE]\n  hint: HINT"
  std::string str() const;
};

using Diagnostics = std::vector<Diagnostic>;

/// An error in what the user wrote; the common case.
Diagnostic error(std::string code, Location where, std::string message, std::string hint = {});
Diagnostic error(DiagnosticKind kind, std::string code, Location where, std::string message, std::string hint = {});
/// An error of kind kUsage; `option` stands where a file would: "--size".
Diagnostic usageError(std::string code, std::string option, std::string message, std::string hint = {});
/// An error of kind kUnsupported.
Diagnostic unsupported(std::string code, Location where, std::string message, std::string hint = {});
/// An error of kind kCapacity.
Diagnostic capacityError(std::string code, Location where, std::string message, std::string hint = {});

/// Gives codes other names: a front end's own for what a room below it finds.
void rename(Diagnostics &diagnostics, std::initializer_list<std::pair<std::string_view, std::string_view>> names);

/// A value, or the diagnostics that say why there is none. Never both, never neither.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic d) : state_(std::in_place_index<1>, Diagnostics{std::move(d)}) {}
  Result(Diagnostics ds) : state_(std::in_place_index<1>, std::move(ds)) {}

  explicit operator bool() const { return state_.index() == 0; }
  bool ok() const { return state_.index() == 0; }

  T &operator*() { return std::get<0>(state_); }
  const T &operator*() const { return std::get<0>(state_); }
  T *operator->() { return &std::get<0>(state_); }
  const T *operator->() const { return &std::get<0>(state_); }

  /// The diagnostics of a failed result.
  const Diagnostics &diagnostics() const { return std::get<1>(state_); }
  Diagnostics &diagnostics() { return std::get<1>(state_); }

 private:
  std::variant<T, Diagnostics> state_;
};

/// Success without a value.
struct Unit {};
using Status = Result<Unit>;
inline Status okStatus() {
  return Unit{};
}

/// Reports a broken invariant of ours and ends the process with status 3; in the C library it throws instead.
[[noreturn]] void internalError(const char *file, int line, const char *what);

}  // namespace pimento

/// An invariant that no user input can break. Always on: a wrong answer costs more than a branch.
/// The file's name without its path: no path of the machine that built it in messages and binaries.
#define PIMENTO_CHECK(condition) ((condition) ? (void)0 : ::pimento::internalError(__FILE_NAME__, __LINE__, #condition))

/// The same where a branch costs: in loops over points and elements. On in builds with sanitizers alone.
#ifdef PIMENTO_SANITIZE
#define PIMENTO_SLOW_CHECK(condition) PIMENTO_CHECK(condition)
#else
#define PIMENTO_SLOW_CHECK(condition) ((void)sizeof(condition))
#endif
