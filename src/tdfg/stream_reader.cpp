#include "pimento/tdfg/stream_reader.h"

#include <algorithm>

#include "pimento/base/text.h"
#include "pimento/tdfg/words.h"

namespace pimento::tdfg {

bool StreamReader::streams(Streams &s) {
  s = {};
  dims_.clear();
  if (!choice(kStreamFormWords, s.nest.form, "a form of streams")) return false;
  auto name = scan_.takeIdentifier();
  if (!name) return expected("the nest's name");
  s.nest.name = std::move(*name);
  if (!lineEnd()) return false;
  for (scan_.skipEmptyLines(); !scan_.takeWord("end"); scan_.skipEmptyLines())
    if (!streamLine(s)) return false;
  return lineEnd();
}

bool StreamReader::streamLine(Streams &s) {
  if (scan_.takeWord("dim")) return dimLine(s);
  if (scan_.takeWord("guard")) {
    s.guards.emplace_back();
    return form(s.guards.back().form, &s.guards.back().factors, &dims_) && lineEnd();
  }
  if (scan_.takeWord("load")) {
    s.loads.emplace_back();
    return access(s.loads.back()) && lineEnd();
  }
  if (scan_.takeWord("bound")) return boundLine(s);
  if (scan_.takeWord("select")) {
    if (!value(s.nest.predicate)) return false;
    return (!scan_.takeWord("limit") || number(s.nest.limit, "a limit", 1, INT64_MAX)) && lineEnd();
  }
  for (const char *kind : {"store", "reduce", "update"})
    if (scan_.takeWord(kind)) return targetLine(s);
  int number = -1;
  const Location where = scan_.where();
  if (!value(number)) return false;
  if (number != static_cast<int>(s.nest.body.size()))
    return fail(
        "tdfg-syntax", where,
        "value v" + std::to_string(number) + " stands where v" + std::to_string(s.nest.body.size()) + " is due");
  return punctuation('=') && valueLine(s) && lineEnd();
}

bool StreamReader::dimLine(Streams &s) {
  StreamDim dim;
  if (!identifier(dim.name, "a loop's name") || !choice(kDimWords, dim.kind, "a kind of loop") || !form(dim.extent))
    return false;
  if (!s.loads.empty() || !s.targets.empty() || !s.guards.empty() || !s.nest.body.empty())
    return fail("tdfg-syntax", scan_.where(), "a loop stands behind what it is around", "put 'dim' lines first");
  dims_.push_back(dim.name);
  s.dims.push_back(std::move(dim));
  return lineEnd();
}

bool StreamReader::dimName(int &into) {
  const Location where = scan_.where();
  std::string name;
  if (!identifier(name, "a loop's name")) return false;
  const auto at = std::find(dims_.begin(), dims_.end(), name);
  if (at == dims_.end()) return fail("tdfg-name", where, "there is no loop '" + name + "' here");
  into = static_cast<int>(at - dims_.begin());
  return true;
}

bool StreamReader::boundLine(Streams &s) {
  kernel::DataBounds b;
  if (!dimName(b.dim)) return false;
  if (scan_.takeWord("first") && !value(b.first)) return false;
  if (scan_.takeWord("end") && !value(b.end)) return false;
  s.nest.bounds.push_back(b);
  return lineEnd();
}

bool StreamReader::value(int &into) {
  const std::string_view word = scan_.peekWord();
  const auto number = word.size() > 1 && word[0] == 'v' ? parseInteger(word.substr(1)) : std::nullopt;
  if (!number || *number < 0 || *number > (1 << 24)) return expected("a value", "v0, v1, ...");
  scan_.takeWord();
  into = static_cast<int>(*number);
  return true;
}

bool StreamReader::access(StreamAccess &into) {
  if (!arrayName(into.array) || !punctuation('[')) return false;
  if (scan_.takePunctuation(']')) return true;
  do {
    into.index.emplace_back();
    StreamIndex &index = into.index.back();
    index.factors.assign(dims_.size(), 0);
    if (isValueWord(scan_.peekWord())) {
      if (into.indirectAt >= 0) return fail("tdfg-syntax", scan_.where(), "two indices come from data", "one may");
      into.indirectAt = static_cast<int>(into.index.size()) - 1;
      if (!value(into.indirectIndex)) return false;
    } else if (!form(index.form, &index.factors, &dims_)) {
      return false;
    }
  } while (scan_.takePunctuation(','));
  return punctuation(']');
}

bool StreamReader::targetLine(Streams &s) {
  StreamAccess target;
  kernel::Store store;
  if (!access(target) || !punctuation('=') || !value(store.value)) return false;
  if (!scan_.isAtLineEnd() && scan_.peekWord() != "follows" && !combine(store.combine)) return false;
  if (scan_.takeWord("follows") && !numberInto(store.follows, "a store's number")) return false;
  s.targets.push_back(std::move(target));
  s.nest.stores.push_back(store);
  return lineEnd();
}

bool StreamReader::valueLine(Streams &s) {
  kernel::Value v;
  if (scan_.takeWord("form")) {
    Form f;
    if (!type(v.type) || !form(f)) return false;
    s.forms.push_back({static_cast<int>(s.nest.body.size()), f});
  } else if (scan_.takeWord("constant")) {
    if (!type(v.type) || !literal(v.type, v.constant, v.integer)) return false;
  } else if (scan_.takeWord("load")) {
    v.op = kernel::Op::kLoad;
    if (!type(v.type) || !numberInto(v.access, "a load's number")) return false;
  } else if (scan_.takeWord("index")) {
    v.op = kernel::Op::kIndex;
    if (!type(v.type) || !dimName(v.dim)) return false;
  } else if (!operation(v.op) || !type(v.type) || !valueArguments(v)) {
    return false;
  }
  s.nest.body.push_back(v);
  return true;
}

bool StreamReader::valueArguments(kernel::Value &v) {
  for (int a = 0; a < kernel::argumentCount(v.op); ++a)
    if ((a > 0 && !punctuation(',')) || !value(v.args[static_cast<std::size_t>(a)])) return false;
  return true;
}

}  // namespace pimento::tdfg
