// What Clang says, as Diagnostics: a consumer for clang::DiagnosticsEngine that keeps and never prints.
#pragma once

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/LangOptions.h"
#include "pimento/base/diagnostics.h"

namespace pimento::frontend {

/// Errors and warnings apart, each followed by its notes. Where a message is about an included file, its hint says who
/// includes it.
class ClangMessages final : public clang::DiagnosticConsumer {
 public:
  /// `code` of every diagnostic. Files below `ownFolder` are named without it. `onMissingHeader`: the hint where an
  /// include is not found.
  ClangMessages(std::string code, std::string ownFolder, std::string onMissingHeader = {})
      : code_(std::move(code)), ownFolder_(std::move(ownFolder)), onMissingHeader_(std::move(onMissingHeader)) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override;

  Diagnostics &errors() { return errors_; }
  Diagnostics &warnings() { return warnings_; }

 private:
  Location placeOf(const clang::Diagnostic &info, std::string &hint) const;

  std::string code_, ownFolder_, onMissingHeader_;
  Diagnostics errors_, warnings_;
  Diagnostics *last_ = nullptr;  ///< where the notes of the last message go
};

}  // namespace pimento::frontend
