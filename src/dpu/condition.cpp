#include "pimento/dpu/condition.h"

#include <array>
#include <cctype>
#include <string>

#include "pimento/base/text.h"

namespace pimento::dpu {

namespace {

struct Word {
  std::string_view word;
  Condition condition;
};

// eq, neq, ltu and geu are the words for z, nz, nc and c after a subtraction.
constexpr std::array kWords = {
    Word{"false", Condition::kFalse}, Word{"true", Condition::kTrue},   Word{"z", Condition::kZ},
    Word{"nz", Condition::kNz},       Word{"xz", Condition::kXz},       Word{"xnz", Condition::kXnz},
    Word{"pl", Condition::kPl},       Word{"mi", Condition::kMi},       Word{"sz", Condition::kSz},
    Word{"snz", Condition::kSnz},     Word{"spl", Condition::kSpl},     Word{"smi", Condition::kSmi},
    Word{"ov", Condition::kOv},       Word{"nov", Condition::kNov},     Word{"c", Condition::kC},
    Word{"nc", Condition::kNc},       Word{"eq", Condition::kZ},        Word{"neq", Condition::kNz},
    Word{"ltu", Condition::kNc},      Word{"geu", Condition::kC},       Word{"lts", Condition::kLts},
    Word{"ges", Condition::kGes},     Word{"les", Condition::kLes},     Word{"gts", Condition::kGts},
    Word{"leu", Condition::kLeu},     Word{"gtu", Condition::kGtu},     Word{"xles", Condition::kXles},
    Word{"xgts", Condition::kXgts},   Word{"xleu", Condition::kXleu},   Word{"xgtu", Condition::kXgtu},
    Word{"e", Condition::kE},         Word{"o", Condition::kO},         Word{"se", Condition::kSe},
    Word{"so", Condition::kSo},       Word{"nsh32", Condition::kNsh32}, Word{"sh32", Condition::kSh32},
    Word{"max", Condition::kMax},     Word{"nmax", Condition::kNmax},   Word{"small", Condition::kSmall},
    Word{"large", Condition::kLarge}, Word{"nc5", Condition::kNc5},     Word{"nc6", Condition::kNc6},
    Word{"nc7", Condition::kNc7},     Word{"nc8", Condition::kNc8},     Word{"nc9", Condition::kNc9},
    Word{"nc10", Condition::kNc10},   Word{"nc11", Condition::kNc11},   Word{"nc12", Condition::kNc12},
    Word{"nc13", Condition::kNc13},   Word{"nc14", Condition::kNc14},
};

// WORD=CODE; a + names a family whose words are included.
struct FamilyRow {
  std::string_view name, words;
};
constexpr std::array kFamilies = {
    FamilyRow{"true_only", "true=1"},
    FamilyRow{"false_only", "false=0"},
    FamilyRow{"true_false", "false=0 true=1"},
    FamilyRow{"source", "sz=12 snz=13 spl=14 smi=15"},  // of no form by itself
    FamilyRow{"zero", "true=1 z=2 nz=3 xz=4 xnz=5"},    // of no form by itself
    FamilyRow{"fused_shift", "true=1 +source"},
    FamilyRow{"div", "false=0 true=1 +source"},
    FamilyRow{"boot", "false=0 +zero +source"},
    FamilyRow{"count", "+zero max=8 nmax=9 +source"},
    FamilyRow{"logic", "+zero pl=8 mi=9 +source"},
    FamilyRow{"mul", "+zero +source small=30 large=31"},
    FamilyRow{"shift_imm", "+logic e=24 o=25 se=30 so=31"},
    FamilyRow{"shift_reg", "+logic e=24 o=25 nsh32=28 sh32=29 se=30 so=31"},
    FamilyRow{"add",
              "+logic ov=18 nov=19 c=20 nc=21 nc5=22 nc6=23 nc7=24 nc8=25 nc9=26 nc10=27 nc11=28 nc12=29 nc13=30 "
              "nc14=31"},
    FamilyRow{"sub",
              "true=1 eq=2 z=2 neq=3 nz=3 xz=4 xnz=5 pl=8 mi=9 +source ov=18 nov=19 ltu=20 nc=20 geu=21 c=21 lts=22 "
              "ges=23 les=24 gts=25 leu=26 gtu=27 xles=28 xgts=29 xleu=30 xgtu=31"},
    FamilyRow{"set", "z=6 nz=7 xz=10 xnz=11"},
    FamilyRow{"sub_set", "eq=6 z=6 neq=7 nz=7 xz=10 xnz=11"},
    FamilyRow{"sub_set_ext",
              "+sub_set true=33 pl=40 mi=41 sz=44 snz=45 spl=46 smi=47 ov=50 nov=51 ltu=52 nc=52 geu=53 c=53 lts=54 "
              "ges=55 les=56 gts=57 leu=58 gtu=59 xles=60 xgts=61 xleu=62 xgtu=63"},
    FamilyRow{"acquire", "true=1 z=2 nz=3"},
    FamilyRow{"release", "nz=0"},
};

Condition conditionOf(std::string_view word) {
  for (const Word &w : kWords) {
    if (w.word == word) return w.condition;
  }
  return Condition::kFalse;
}

std::vector<ConditionFamily> buildFamilies() {
  std::vector<ConditionFamily> families;
  for (const FamilyRow &row : kFamilies) {
    ConditionFamily family{row.name, {}};
    for (const std::string_view item : split(row.words, ' ')) {
      if (item.front() == '+') {
        for (const ConditionFamily &other : families) {
          if (other.name == item.substr(1)) {
            family.words.insert(family.words.end(), other.words.begin(), other.words.end());
          }
        }
        continue;
      }
      const std::size_t equals = item.find('=');
      const std::string_view word = item.substr(0, equals);
      family.words.push_back(
          {word, conditionOf(word), static_cast<std::uint8_t>(*parseInteger(item.substr(equals + 1)))});
    }
    families.push_back(std::move(family));
  }
  return families;
}

}  // namespace

const ConditionWord *ConditionFamily::withCode(unsigned code) const {
  for (const ConditionWord &w : words) {
    if (w.code == code) return &w;
  }
  return nullptr;
}

const ConditionWord *ConditionFamily::withText(std::string_view text) const {
  if (!text.empty() && (text.front() == '?' || text.front() == '!')) text.remove_prefix(1);
  std::string lower(text);
  for (char &c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "t") lower = "true";
  if (lower == "nsz") lower = "snz";
  for (const ConditionWord &w : words) {
    if (w.word == lower) return &w;
  }
  return nullptr;
}

const std::vector<ConditionFamily> &conditionFamilies() {
  static const std::vector<ConditionFamily> families = buildFamilies();
  return families;
}

const ConditionFamily *conditionFamily(std::string_view name) {
  for (const ConditionFamily &family : conditionFamilies()) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

std::string_view conditionName(Condition condition) {
  for (const Word &w : kWords) {
    if (w.condition == condition) return w.word;
  }
  return "?";
}

bool isEstablished(Condition condition) {
  return condition != Condition::kSmall && condition != Condition::kLarge;
}

}  // namespace pimento::dpu
