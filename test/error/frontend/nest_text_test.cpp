// Loop nests as text that are none: a diagnostic, and no crash.
#include <gtest/gtest.h>

#include <string>

#include "pimento/frontend/nest/text.h"

namespace {

using namespace pimento;

/// x[i] = v, with holes for what may be wrong.
std::string text(const std::string &values, const std::string &statement, const std::string &loops = R"("extent": 4)",
                 const std::string &buffer = R"("kind": "argument", "type": "f32", "shape": [4])") {
  return R"({"nest": 1, "function": "f", "files": ["f.py"], "at": [1, 1], "loops": [{"name": "i", )" + loops +
         R"(, "at": [2, 1]}], "buffers": [{"name": "x", )" + buffer + R"(, "at": [1, 7]}], "values": [)" + values +
         R"(], "statements": [{"buffer": 0, "value": 0, "loops": [0], "guards": [], "if": [], "at": [3, 5], "in": "f", )" +
         statement + "}]}";
}

constexpr const char *kOne = R"(["constant", "f32", 1])", *kAtI = R"("index": [[0, 0, 1]])";

Diagnostic only(const std::string &json) {
  const auto read = frontend::readNest(json, "f.nest");
  EXPECT_FALSE(read) << json;
  if (read) return {};
  EXPECT_FALSE(read.diagnostics().front().hint.empty()) << read.diagnostics().front().str();
  return read.diagnostics().front();
}

TEST(NestTextErrors, ATextThatIsNone) {
  for (const char *json :
       {"", "{", "[]", "7", "{}", R"({"nest": 2})", R"({"nest": 1})", R"({"nest": 1, "function": 3})",
        R"({"nest": 1, "function": "f"})", R"({"nest": 1, "function": "f", "loops": {}})"})
    EXPECT_EQ(only(json).code, "nest-syntax") << json;
  EXPECT_TRUE(frontend::readNest(text(kOne, kAtI), "f.nest"));
}

TEST(NestTextErrors, PartsThatAreWrong) {
  const struct {
    std::string json;
    const char *code, *words;
  } wrong[] = {
      {text(R"(["constant", "f33", 1])", kAtI), "nest-type", "not one of f64"},
      {text(R"(["constant", "f32", "one"])", kAtI), "nest-syntax", "not a number"},
      {text(R"(["nonsense", "f32", 0])", kAtI), "nest-syntax", "not an operation"},
      {text(R"(["add", "f32", 0, 1])", kAtI), "nest-reference", "'value'"},
      {text(R"(["constant", "f32", 1], ["add", "f32", 0])", kAtI), "nest-syntax", "has 2 arguments"},
      {text(R"(["constant", "f32", 1], ["constant", "i32", 1], ["add", "f32", 0, 1])", kAtI), "nest-type", "needs f32"},
      {text(R"(["constant", "i32", 1])", kAtI), "nest-type", "another type"},
      {text(R"(["index", "u8", [1000, 0, 1]])", kAtI), "nest-type", "does not fit"},
      {text(R"(["load", "f32", 3, [[0]], [1, 1]])", kAtI), "nest-reference", "'buffer'"},
      {text(R"(["load", "f32", 0, [[0], [0]], [1, 1]])", kAtI), "nest-syntax", "1 indices"},
      {text(R"(["constant", "f32", 1], ["load", "f32", 0, [[0]], [1, 1], 0, 0])", kAtI), "nest-type", "not an integer"},
      {text(kOne, R"("index": [[0, 7, 1]])"), "nest-reference", "'loop'"},
      {text(kOne, R"("index": [[0, 0]])"), "nest-syntax", "pairs"},
      {text(kOne, R"("index": [[0, 0, 9223372036854775807]])"), "nest-too-large", "64 bits"},
      {text(kOne, R"("index": [[0, 0, 1]], "loops": [])"), "nest-reference", "not around"},
      {text(kOne, R"("index": [[0, 0, 1]], "loops": [0, 0])"), "nest-reference", "around itself"},
      {text(kOne, R"("index": [[0, 0, 1]], "if": [0])"), "nest-type", "not a u8"},
      {text(kOne, R"("index": [[0, 0, 1]], "data": 3)"), "nest-syntax", "'data'"},
      {text(kOne, kAtI, R"("extent": 0)"), "nest-too-large", "never"},
      {text(kOne, kAtI, R"("extent": 1000000000000000000)"), "nest-too-large", "too often"},
      {text(kOne, kAtI, R"("extent": 4)", R"("kind": "thing", "type": "f32", "shape": [4])"), "nest-syntax", "'thing'"},
      {text(kOne, kAtI, R"("extent": 4)", R"("kind": "argument", "type": "f32", "shape": [0])"), "nest-too-large",
       "'x'"},
      {text(kOne, kAtI, R"("extent": 4)", R"("kind": "argument", "type": "f32", "shape": [])"), "nest-syntax", "'x'"},
  };
  for (const auto &w : wrong) {
    const Diagnostic d = only(w.json);
    EXPECT_EQ(d.code, w.code) << d.str();
    EXPECT_NE(d.message.find(w.words), std::string::npos) << d.str();
    EXPECT_EQ(d.where.file, "f.nest");
  }
  EXPECT_EQ(only(std::string(frontend::kMaxNestBytes + 1, ' ')).code, "nest-too-large");
}

TEST(NestTextErrors, WhatTheKernelsBreakIsSaidAtThePlaceInTheSource) {
  // x[i + 1] = 1
  EXPECT_EQ(only(text(kOne, R"("index": [[1, 0, 1]])")).where.str(), "f.py:3:5");
  // y is read before anything is stored to it
  const Diagnostic d = only(text(R"(["load", "f32", 0, [[0, 0, 1]], [3, 9]])", kAtI, R"("extent": 4)",
                                 R"("kind": "result", "type": "f32", "shape": [4])"));
  EXPECT_EQ(d.code, "uninitialized") << d.str();
  EXPECT_EQ(d.where.file, "f.py");
}

}  // namespace
