#include "pimento/frontend/c/dpu_target.h"

#include "clang/Basic/MacroBuilder.h"
#include "clang/Basic/TargetBuiltins.h"

namespace pimento::frontend {

namespace {

/// `TargetInfo::TargetOpts` is private, and only Clang's own factory, which knows Clang's own targets alone, sets it.
/// Explicit instantiation may name private members (C++20, [temp.spec.general]/6), so this hands its address out.
template <auto member>
struct Opened {
  friend auto targetOptionsOf(clang::TargetInfo &target) -> std::shared_ptr<clang::TargetOptions> & {
    return target.*member;
  }
};
auto targetOptionsOf(clang::TargetInfo &target) -> std::shared_ptr<clang::TargetOptions> &;
template struct Opened<&clang::TargetInfo::TargetOpts>;

class DpuTarget final : public clang::TargetInfo {
 public:
  DpuTarget() : TargetInfo(llvm::Triple(kDpuTriple)) {
    BigEndian = false;
    TLSSupported = false;
    NoAsmVariants = true;
    HasFloat128 = HasFloat16 = HasBFloat16 = HasIbm128 = false;
    IntWidth = IntAlign = LongWidth = LongAlign = PointerWidth = PointerAlign = 32;
    LongLongWidth = LongLongAlign = DoubleWidth = DoubleAlign = LongDoubleWidth = LongDoubleAlign = 64;
    LongDoubleFormat = &llvm::APFloat::IEEEdouble();
    SizeType = UnsignedInt;
    PtrDiffType = IntPtrType = SignedInt;
    IntMaxType = Int64Type = SignedLongLong;
    WCharType = SignedInt;
    WIntType = UnsignedInt;
    SuitableAlign = DefaultAlignForAttributeAligned = 64;
    // Arrays that transfers may use are aligned as those need it.
    LargeArrayMinWidth = LargeArrayAlign = 64;
    // Atomic operations become instructions, which the back end refuses by their line, and no calls of a library.
    MaxAtomicPromoteWidth = MaxAtomicInlineWidth = 64;
    resetDataLayout(kDpuDataLayout);
  }

  void getTargetDefines(const clang::LangOptions & /*options*/, clang::MacroBuilder &builder) const override {
    builder.defineMacro("__dpu__");
    builder.defineMacro("__DPU__");
    builder.defineMacro("__ELF__");
    builder.defineMacro("__PIMENTO__");
  }
  llvm::ArrayRef<clang::Builtin::Info> getTargetBuiltins() const override { return {}; }
  BuiltinVaListKind getBuiltinVaListKind() const override { return VoidPtrBuiltinVaList; }
  /// Those every target has (registers, memory, numbers) are read before this is asked.
  bool validateAsmConstraint(const char *& /*name*/, ConstraintInfo & /*info*/) const override { return false; }
  std::string_view getClobbers() const override { return ""; }
  llvm::ArrayRef<const char *> getGCCRegNames() const override {
    static const char *const names[] = {"r0",  "r1",  "r2",  "r3",  "r4",  "r5",  "r6",  "r7",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
                                        "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23"};
    return names;
  }
  llvm::ArrayRef<clang::TargetInfo::GCCRegAlias> getGCCRegAliases() const override { return {}; }
};

}  // namespace

llvm::IntrusiveRefCntPtr<clang::TargetInfo> makeDpuTarget(std::shared_ptr<clang::TargetOptions> options) {
  llvm::IntrusiveRefCntPtr<clang::TargetInfo> target(new DpuTarget);
  targetOptionsOf(*target) = std::move(options);
  return target;
}

}  // namespace pimento::frontend
