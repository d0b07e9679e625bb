#include "pimento/frontend/c/clang_messages.h"

#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/LexDiagnostic.h"
#include "llvm/ADT/SmallString.h"

namespace pimento::frontend {

namespace {

using clang::DiagnosticsEngine;

std::string nameOf(const char *file, const std::string &ownFolder) {
  std::string name = file;
  if (name.starts_with(ownFolder)) name.erase(0, ownFolder.size());
  return name;
}

}  // namespace

Location ClangMessages::placeOf(const clang::Diagnostic &info, std::string &hint) const {
  if (!info.hasSourceManager() || info.getLocation().isInvalid()) return {};
  const clang::SourceManager &sources = info.getSourceManager();
  const clang::PresumedLoc at = sources.getPresumedLoc(sources.getExpansionLoc(info.getLocation()));
  if (at.isInvalid()) return {};
  constexpr int kMostIncludes = 8;
  clang::PresumedLoc from = sources.getPresumedLoc(at.getIncludeLoc());
  for (int depth = 0; from.isValid() && depth < kMostIncludes; ++depth) {
    hint += (hint.empty() ? "included from " : ", from ") + nameOf(from.getFilename(), ownFolder_) + ":" +
            std::to_string(from.getLine());
    from = sources.getPresumedLoc(from.getIncludeLoc());
  }
  return {nameOf(at.getFilename(), ownFolder_), static_cast<int>(at.getLine()), static_cast<int>(at.getColumn())};
}

void ClangMessages::HandleDiagnostic(DiagnosticsEngine::Level level, const clang::Diagnostic &info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  if (level == DiagnosticsEngine::Ignored) return;
  llvm::SmallString<128> text;
  info.FormatDiagnostic(text);
  Diagnostic message;
  message.code = code_;
  message.isClangs = true;
  message.message = text.str().str();
  std::string hint;
  message.where = placeOf(info, hint);
  if (level == DiagnosticsEngine::Note) {
    message.severity = Severity::kNote;
    if (last_ != nullptr) last_->push_back(std::move(message));
    return;
  }
  const bool isWarning = level <= DiagnosticsEngine::Warning;
  message.severity = isWarning ? Severity::kWarning : Severity::kError;
  if (const llvm::StringRef flag = clang::DiagnosticIDs::getWarningOptionForDiag(info.getID()); !flag.empty())
    message.message += (isWarning ? " (-W" : " (-Werror=") + flag.str() + ")";
  if (info.getID() == clang::diag::err_pp_file_not_found && !onMissingHeader_.empty())
    hint = onMissingHeader_ + (hint.empty() ? "" : "; ") + hint;
  message.hint = std::move(hint);
  last_ = isWarning ? &warnings_ : &errors_;
  last_->push_back(std::move(message));
}

}  // namespace pimento::frontend
