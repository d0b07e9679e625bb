// What the back end refuses, and that it says so instead of stopping the process.
#include "pimento/backend_dpu/backend.h"

#include <gtest/gtest.h>

namespace pimento::backend_dpu {
namespace {

Diagnostic firstOf(const std::string &ir) {
  const auto assembly = compile(ir, {});
  EXPECT_FALSE(assembly.ok()) << *assembly;
  return assembly ? Diagnostic{} : assembly.diagnostics().front();
}

TEST(BackendErrors, TextThatIsNoModuleIsNamedWithItsLine) {
  const Diagnostic d = firstOf("define i32 @f() {\n ret i32 %x\n}");
  EXPECT_EQ(d.code, "dpu-backend-ir");
  EXPECT_EQ(d.where.line, 2);
}

TEST(BackendErrors, ABrokenModule) {
  EXPECT_EQ(firstOf("BC\xC0\xDE and no more").code, "dpu-backend-ir");
  EXPECT_EQ(firstOf("define void @f() { x: br label %x\n y: %v = phi i32 [1, %x]\n ret void }").code, "dpu-backend-ir");
}

TEST(BackendErrors, ARoutineThatDoesNotExist) {
  const auto assembly = compile(
      "define i65 @f(i65 %a, i65 %b, i65 %n) { %r = call i65 @llvm.fshr.i65(i65 %a, i65 %b, i65 %n)\n ret i65 %r }\n"
      "declare i65 @llvm.fshr.i65(i65, i65, i65)",
      {.level = 0});
  ASSERT_FALSE(assembly.ok());
  EXPECT_EQ(assembly.diagnostics().front().code, "dpu-backend-unsupported");
}

TEST(BackendErrors, WhatADpuDoesNotHaveIsNamed) {
  const char *modules[] = {
      "define i32 @f(ptr %p) { %v = atomicrmw add ptr %p, i32 1 seq_cst\n ret i32 %v }",
      "define i32 @f(ptr %p) { %v = load atomic i32, ptr %p seq_cst, align 4\n ret i32 %v }",
      "@t = thread_local global i32 0\ndefine ptr @f() { ret ptr @t }",
      "define void @f(ptr %p) { %v = load fp128, ptr %p\n store fp128 %v, ptr %p\n ret void }",
      "define i256 @f(i256 %a) { ret i256 %a }",
      "define void @f(i64 %a) { call void asm sideeffect \"nop\", \"r\"(i64 %a)\n ret void }",
      "define void @f(i32 %a) { call void asm sideeffect \"nop\", \"w\"(i32 %a)\n ret void }",
      "define <vscale x 2 x i32> @f(<vscale x 2 x i32> %a) { ret <vscale x 2 x i32> %a }",
      "define void @f() { ret void }\n@llvm.global_ctors = appending global [1 x {i32, ptr, ptr}] "
      "[{i32, ptr, ptr} {i32 1, ptr @f, ptr null}]",
      "declare i32 @llvm.read_register.i32(metadata)\ndefine i32 @f() { %v = call i32 @llvm.read_register.i32(metadata "
      "!0)\n"
      " ret i32 %v }\n!0 = !{!\"r20\"}",
      "declare void @g()\ndefine void @f() { musttail call void @g()\n ret void }",
  };
  for (const char *m : modules) {
    const Diagnostic d = firstOf(m);
    EXPECT_EQ(d.code, "dpu-backend-unsupported") << m;
    EXPECT_FALSE(d.message.empty());
  }
}

}  // namespace
}  // namespace pimento::backend_dpu
