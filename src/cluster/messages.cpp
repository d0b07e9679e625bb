#include "pimento/cluster/messages.h"

#include <bit>

namespace pimento::cluster {

namespace {

void putSeconds(std::string &to, double seconds) {
  putNumber(to, std::bit_cast<std::uint64_t>(seconds));
}

/// The bytes behind the kind, or none where that is another.
ByteReader contentOf(std::string_view message, Message kind) {
  ByteReader from(message.empty() ? message : message.substr(1));
  if (kindOf(message) != kind) from.fail();
  return from;
}

/// Entries that one function reads, to the end of the message.
template <typename T, typename Take>
bool readAll(std::string_view message, Message kind, std::vector<T> &out, const Take &take) {
  ByteReader from = contentOf(message, kind);
  while (from.isGood() && !from.isEmpty()) out.push_back(take(from));
  return from.isGood();
}

}  // namespace

std::string written(const Hello &hello) {
  std::string out = written(Message::kHello);
  for (const std::string *text : {&hello.plan, &hello.build, &hello.host}) putText(out, *text);
  putSigned(out, hello.process);
  putSigned(out, hello.jobs);
  return out;
}

std::string written(const std::vector<TaskMessage> &tasks) {
  std::string out = written(Message::kTasks);
  for (const TaskMessage &t : tasks) {
    putSigned(out, t.number);
    putText(out, t.text);
  }
  return out;
}

std::string written(const std::vector<ResultMessage> &results) {
  std::string out = written(Message::kResults);
  for (const ResultMessage &r : results) {
    putSigned(out, r.number);
    putSeconds(out, r.seconds);
    putText(out, r.text);
  }
  return out;
}

std::string written(const Diagnostics &problems) {
  std::string out = written(Message::kFailed);
  for (const Diagnostic &d : problems) {
    putNumber(out, static_cast<std::uint64_t>(d.kind));
    for (const std::string *text : {&d.code, &d.where.file, &d.message, &d.hint}) putText(out, *text);
    putSigned(out, d.where.line);
    putSigned(out, d.where.column);
  }
  return out;
}

Message kindOf(std::string_view message) {
  if (message.empty()) return Message::kAlive;
  return static_cast<Message>(message.front());
}

bool read(std::string_view message, Hello &out) {
  ByteReader from = contentOf(message, Message::kHello);
  for (std::string *text : {&out.plan, &out.build, &out.host}) *text = from.text();
  out.process = from.signedNumber();
  out.jobs = static_cast<int>(from.signedNumber());
  return from.isGood() && out.jobs > 0;
}

bool read(std::string_view message, std::vector<TaskMessage> &out) {
  return readAll(message, Message::kTasks, out, [](ByteReader &from) {
    TaskMessage t;
    t.number = from.signedNumber();
    t.text = from.text();
    return t;
  });
}

bool read(std::string_view message, std::vector<ResultMessage> &out) {
  return readAll(message, Message::kResults, out, [](ByteReader &from) {
    ResultMessage r;
    r.number = from.signedNumber();
    r.seconds = std::bit_cast<double>(from.number());
    r.text = from.text();
    return r;
  });
}

bool read(std::string_view message, Diagnostics &out) {
  return readAll(message, Message::kFailed, out, [](ByteReader &from) {
    Diagnostic d;
    d.kind = static_cast<DiagnosticKind>(from.number(static_cast<std::uint64_t>(DiagnosticKind::kOurs) + 1));
    for (std::string *text : {&d.code, &d.where.file, &d.message, &d.hint}) *text = from.text();
    d.where.line = static_cast<int>(from.signedNumber());
    d.where.column = static_cast<int>(from.signedNumber());
    return d;
  });
}

}  // namespace pimento::cluster
