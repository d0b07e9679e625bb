#include "pimento/backend_dpu/target/condition.h"

#include "llvm/Support/ErrorHandling.h"

namespace llvm::dpu {

const char *name(Condition c) {
  static constexpr const char *kNames[] = {"eq",   "neq",  "ltu", "geu", "leu", "gtu",  "lts",
                                           "ges",  "les",  "gts", "xz",  "xnz", "xleu", "xgtu",
                                           "xles", "xgts", "z",   "nz",  "pl",  "mi",   "true"};
  return kNames[static_cast<std::size_t>(c)];
}

Condition opposite(Condition c) {
  switch (c) {
    case Condition::kEq:
      return Condition::kNeq;
    case Condition::kNeq:
      return Condition::kEq;
    case Condition::kLtu:
      return Condition::kGeu;
    case Condition::kGeu:
      return Condition::kLtu;
    case Condition::kLeu:
      return Condition::kGtu;
    case Condition::kGtu:
      return Condition::kLeu;
    case Condition::kLts:
      return Condition::kGes;
    case Condition::kGes:
      return Condition::kLts;
    case Condition::kLes:
      return Condition::kGts;
    case Condition::kGts:
      return Condition::kLes;
    case Condition::kZ:
      return Condition::kNz;
    case Condition::kNz:
      return Condition::kZ;
    case Condition::kPl:
      return Condition::kMi;
    case Condition::kMi:
      return Condition::kPl;
    default:
      llvm_unreachable("not a comparison");
  }
}

Condition swapped(Condition c) {
  switch (c) {
    case Condition::kEq:
    case Condition::kNeq:
      return c;
    case Condition::kLtu:
      return Condition::kGtu;
    case Condition::kGtu:
      return Condition::kLtu;
    case Condition::kGeu:
      return Condition::kLeu;
    case Condition::kLeu:
      return Condition::kGeu;
    case Condition::kLts:
      return Condition::kGts;
    case Condition::kGts:
      return Condition::kLts;
    case Condition::kGes:
      return Condition::kLes;
    case Condition::kLes:
      return Condition::kGes;
    default:
      llvm_unreachable("not a comparison");
  }
}

Condition of(ISD::CondCode code) {
  switch (code) {
    case ISD::SETEQ:
      return Condition::kEq;
    case ISD::SETNE:
      return Condition::kNeq;
    case ISD::SETULT:
      return Condition::kLtu;
    case ISD::SETUGE:
      return Condition::kGeu;
    case ISD::SETULE:
      return Condition::kLeu;
    case ISD::SETUGT:
      return Condition::kGtu;
    case ISD::SETLT:
      return Condition::kLts;
    case ISD::SETGE:
      return Condition::kGes;
    case ISD::SETLE:
      return Condition::kLes;
    case ISD::SETGT:
      return Condition::kGts;
    default:
      llvm_unreachable("not an integer comparison");
  }
}

Condition wide(Condition c) {
  switch (c) {
    case Condition::kEq:
      return Condition::kXz;
    case Condition::kNeq:
      return Condition::kXnz;
    case Condition::kLeu:
      return Condition::kXleu;
    case Condition::kGtu:
      return Condition::kXgtu;
    case Condition::kLes:
      return Condition::kXles;
    case Condition::kGts:
      return Condition::kXgts;
    default:
      return c;  // the borrow of the low halves is in the flags of the second subtraction
  }
}

}  // namespace llvm::dpu
