// Texts that go wrong when they run: they end their child process and nothing else, and the answer says how.
#include "test/support/cases.h"
#include "test/unit/frontend/native_support.h"

namespace pimento::frontend {
namespace {

constexpr const char *kGood = "void f(const float x[4], float y[4]) { for (int i = 0; i < 4; i++) y[i] = x[i]; }";
constexpr const char *kPointers = "void f(const float *x, float *y) { for (int i = 0; i < 4; i++) y[i] = x[i]; }";

void expectFault(const std::string &text, const std::string &graphText, const std::string &code,
                 const std::string &said, DiagnosticKind kind = DiagnosticKind::kFault) {
  SCOPED_TRACE(text);
  const auto answer = runCOn(text, graphText, {}, {1, std::size_t{64} << 20, std::size_t{4} << 20});
  ASSERT_FALSE(answer.ok()) << answer->whyNot;
  const Diagnostic &d = answer.diagnostics().front();
  EXPECT_EQ(d.code, code) << d.str();
  EXPECT_EQ(d.kind, kind);
  EXPECT_NE(d.message.find(said), std::string::npos) << d.str();
  EXPECT_FALSE(d.hint.empty());
  EXPECT_EQ(d.where.file, "k.c");
}

TEST(NativeErrors, AnAccessOutsideADeclaredArrayNamesTheElement) {
  expectFault("void f(const float x[4], float y[4]) { for (int i = 0; i <= 4; i++) y[i] = x[0]; }", kGood,
              "text-bounds", "accesses element 4 of 'y', which has 4");
  expectFault("void f(const float x[4], float y[4]) { y[-1] = x[0]; }", kGood, "text-bounds",
              "accesses element -1 of 'y'");
  expectFault("void f(const float x[4], float y[4]) { y[-500000] = x[0]; }", kGood, "text-bounds",
              "accesses element -500000 of 'y'");
  expectFault("void f(const float x[4], float y[4]) { y[0] = x[4]; }", kGood, "text-bounds", "element 4 of 'x'");
}

TEST(NativeErrors, AnArrayWhoseLengthIsReadWrongIsOurs) {
  expectFault("void f(const float *x, float *y) { for (int i = 0; i < 5; i++) y[i] = x[0]; }", kPointers,
              "wrong-reading", "accesses element 4 of 'y', which has 4 in the imported kernel", DiagnosticKind::kOurs);
  expectFault("void f(const float *x, float *y) { y[0] = x[90000]; }", kPointers, "wrong-reading",
              "element 90000 of 'x'", DiagnosticKind::kOurs);
}

TEST(NativeErrors, WritingToWhatTheReadingOnlyReadsIsOurs) {
  expectFault("void f(float x[4], float y[4]) { for (int i = 0; i < 4; i++) y[i] = x[i]; x[2] = 9; }", kGood,
              "wrong-reading", "the source writes to 'x', the imported kernel does not", DiagnosticKind::kOurs);
}

TEST(NativeErrors, AnEndlessLoopEnds) {
  expectFault("void f(const float x[4], float y[4]) { for (;;) y[0] += x[0]; }", kGood, "text-endless", "within 1 s");
}

TEST(NativeErrors, WildAddressesAreACrash) {
  expectFault("void f(const float x[4], float y[4]) { *(volatile int *)16 = 1; y[0] = x[0]; }", kGood, "text-crash",
              "outside all of its arrays");
  expectFault("void f(const float x[4], float y[4]) { __builtin_trap(); y[0] = x[0]; }", kGood, "text-crash",
              "signal 4");
}

TEST(NativeErrors, StackAndMemoryHaveAnEnd) {
  expectFault(
      "int g(volatile int *p) { volatile int t[100]; t[0] = *p; return g(t) + t[0]; }\n"
      "void f(const float x[4], float y[4]) { volatile int i = 1; y[0] = x[0] + g(&i); }",
      kGood, "text-crash", "MiB for local arrays");
  expectFault("void f(const float x[4], float y[4]) { volatile float t[4000000]; t[0] = x[0]; y[0] = t[0]; }", kGood,
              "text-crash", "MiB for local arrays");
  if (test::isSanitized()) return;  // whose malloc ends the process where memory does
  expectFault(
      "#include <stdlib.h>\nvoid f(const float x[4], float y[4]) {\n"
      "  volatile float *t = malloc(1ul << 30); t[0] = x[0]; y[0] = t[0]; }",
      kGood, "text-crash", "outside all of its arrays");
}

TEST(NativeErrors, ATextThatIsNoCIsRefusedAsEver) {
  const auto answer = runCOn("void f(", kGood);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.diagnostics().front().code, "c-syntax");
}

}  // namespace
}  // namespace pimento::frontend
