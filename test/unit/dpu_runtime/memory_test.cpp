// Memory and string helpers give what the host's C library gives, on all alignments, and touch nothing else.
#include <cstring>
#include <functional>

#include "test/unit/dpu_runtime/run.h"

namespace pimento::test {
namespace {

constexpr std::size_t kArea = 256;

/// Offsets in the area, or what else r0 to r2 are.
struct Args {
  std::uint32_t a = 0, b = 0, n = 0;
};

enum class Result { kAddress, kNumber, kSign };

struct Helper {
  const char *name;
  Args (*prepare)(Rng &rng, std::string &area);
  /// `a` and `b` are the addresses of args.a and args.b.
  std::int64_t (*host)(const char *area, char *a, const char *b, const Args &args);
  Result result;
  bool isSecondAddress = true;
};

std::uint32_t below(Rng &rng, std::uint64_t n) {
  return static_cast<std::uint32_t>(rng.below(n));
}
std::int64_t sign(int x) {
  return x < 0 ? -1 : x > 0;
}
std::int64_t offset(const char *area, const void *p) {
  return p == nullptr ? -1 : static_cast<const char *>(p) - area;
}
char byteOf(const Args &args) {
  return static_cast<char>(args.b);
}

Args anyAreas(Rng &rng, std::string &) {
  Args args{below(rng, 120), below(rng, 120), rng.below(3) != 0 ? below(rng, 100) : below(rng, 4) * 8};
  if (rng.below(2) != 0) args.b = (args.b & ~7u) + (args.a & 7u);
  return args;
}

Args separateAreas(Rng &rng, std::string &area) {
  Args args;
  do args = anyAreas(rng, area);
  while (args.a < args.b + args.n && args.b < args.a + args.n);
  return args;
}

Args areaAndByte(Rng &rng, std::string &area) {
  Args args = anyAreas(rng, area);
  args.b = static_cast<unsigned char>(area[rng.below(200)]) | 0x500u;
  return args;
}

Args likeAreas(Rng &rng, std::string &area) {
  const Args args{below(rng, 20), 128 + below(rng, 20), below(rng, 90)};
  for (std::uint32_t i = 0; i < args.n; ++i) area[args.b + i] = area[args.a + i];
  if (args.n > 0 && rng.below(2) != 0) area[args.b + rng.below(args.n)] = static_cast<char>(rng.next());
  return args;
}

// Two strings, often alike, and a number of bytes.
Args strings(Rng &rng, std::string &area) {
  const bool hasFewLetters = rng.below(2) != 0;
  const auto text = [&](std::uint64_t length) {
    std::string s;
    for (; length > 0; --length) s += static_cast<char>(hasFewLetters ? 'a' + rng.below(3) : 1 + rng.below(255));
    return s;
  };
  std::string u = text(rng.below(14));
  const std::string v = rng.below(3) != 0 ? text(rng.below(6)) : u;
  if (rng.below(4) == 0) u += v;
  const Args args{below(rng, 16), 128 + below(rng, 16), below(rng, 20)};
  std::memcpy(area.data() + args.a, u.c_str(), u.size() + 1);
  std::memcpy(area.data() + args.b, v.c_str(), v.size() + 1);
  return args;
}

Args stringAndByte(Rng &rng, std::string &area) {
  Args args = strings(rng, area);
  args.b = static_cast<unsigned char>(area[args.a + rng.below(6)]) | 0x500u;
  return args;
}

Args stringAndLimit(Rng &rng, std::string &area) {
  Args args = strings(rng, area);
  args.b = args.n;
  return args;
}

std::vector<Helper> helpers() {
  using enum Result;
  return {
      {"memcpy", separateAreas,
       [](const char *s, char *a, const char *b, const Args &x) { return offset(s, std::memcpy(a, b, x.n)); },
       kAddress},
      {"memmove", anyAreas,
       [](const char *s, char *a, const char *b, const Args &x) { return offset(s, std::memmove(a, b, x.n)); },
       kAddress},
      {"memset", areaAndByte,
       [](const char *s, char *a, const char *, const Args &x) { return offset(s, std::memset(a, byteOf(x), x.n)); },
       kAddress, false},
      {"memcmp", likeAreas,
       [](const char *, char *a, const char *b, const Args &x) { return sign(std::memcmp(a, b, x.n)); }, kSign},
      {"memchr", areaAndByte,
       [](const char *s, char *a, const char *, const Args &x) { return offset(s, std::memchr(a, byteOf(x), x.n)); },
       kAddress, false},
      {"strlen", strings,
       [](const char *, char *a, const char *, const Args &) { return static_cast<std::int64_t>(std::strlen(a)); },
       kNumber},
      {"strnlen", stringAndLimit,
       [](const char *, char *a, const char *, const Args &x) {
         return std::min<std::int64_t>(x.b, static_cast<std::int64_t>(std::strlen(a)));
       },
       kNumber, false},
      {"strcpy", strings,
       [](const char *s, char *a, const char *b, const Args &) { return offset(s, std::strcpy(a, b)); }, kAddress},
      {"strcat", strings,
       [](const char *s, char *a, const char *b, const Args &) { return offset(s, std::strcat(a, b)); }, kAddress},
      {"strncpy", strings,
       [](const char *s, char *a, const char *b, const Args &x) { return offset(s, std::strncpy(a, b, x.n)); },
       kAddress},
      {"strncat", strings,
       [](const char *s, char *a, const char *b, const Args &x) { return offset(s, std::strncat(a, b, x.n)); },
       kAddress},
      {"strcmp", strings, [](const char *, char *a, const char *b, const Args &) { return sign(std::strcmp(a, b)); },
       kSign},
      {"strncmp", strings,
       [](const char *, char *a, const char *b, const Args &x) { return sign(std::strncmp(a, b, x.n)); }, kSign},
      {"strchr", stringAndByte,
       [](const char *s, char *a, const char *, const Args &x) { return offset(s, std::strchr(a, byteOf(x))); },
       kAddress, false},
      {"strrchr", stringAndByte,
       [](const char *s, char *a, const char *, const Args &x) { return offset(s, std::strrchr(a, byteOf(x))); },
       kAddress, false},
      {"strstr", strings,
       [](const char *s, char *a, const char *b, const Args &) { return offset(s, std::strstr(a, b)); }, kAddress},
  };
}

// What r0 says, as the host's function would say it.
std::int64_t meaning(const Helper &helper, std::uint32_t r0, std::uint32_t base) {
  switch (helper.result) {
    case Result::kAddress:
      return r0 == 0 ? -1 : std::int64_t{r0} - base;
    case Result::kNumber:
      return r0;
    case Result::kSign:
      return sign(static_cast<std::int32_t>(r0));
  }
  return 0;
}

TEST(DpuMemory, HelpersDoWhatTheHostsLibraryDoes) {
  const auto all = helpers();
  std::vector<std::string> names;
  for (const Helper &h : all) names.emplace_back(h.name);
  Callee callee(names);
  const std::uint32_t base = callee.area();
  Rng rng(1);
  for (const Helper &h : all) {
    std::vector<Callee::Case> cases(static_cast<std::size_t>(std::min<std::int64_t>(caseCount(3000), 200000)));
    std::vector<std::string> after(cases.size());
    std::vector<std::int64_t> expected(cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      std::string area(kArea, '\0');
      for (char &c : area) c = static_cast<char>(rng.next());
      const Args args = h.prepare(rng, area);
      const std::uint32_t second = h.isSecondAddress ? base + args.b : args.b;
      cases[i] = {std::uint64_t{base + args.a} << 32 | second, std::uint64_t{args.n} << 32, area};
      expected[i] = h.host(area.data(), area.data() + args.a, area.data() + (h.isSecondAddress ? args.b : 0), args);
      after[i] = area;
    }
    callee.call(h.name, cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ASSERT_EQ(meaning(h, static_cast<std::uint32_t>(cases[i].d0 >> 32), base), expected[i]) << h.name << " " << i;
      ASSERT_TRUE(cases[i].area == after[i]) << h.name << " left other bytes in case " << i;
    }
  }
}

}  // namespace
}  // namespace pimento::test
