#include "pimento/targets/upmem/compiled/build.h"

#include <fmt/format.h>

#include "pimento/dpu/assembler.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/load.h"
#include "pimento/dpu/runtime.h"
#include "pimento/dpu/stack_use.h"

namespace pimento::targets::upmem::compiled {

namespace {

using Built = Result<std::shared_ptr<const sim::dpu::Image>>;

using Objects = Result<std::vector<dpu::Object>>;

/// The program, and what it takes of the library's part in C.
Objects assembled(const std::string &text, std::int64_t tasklets, program::DpuCompiler &compiler) {
  const Result<std::string> assembly =
      compiler.compile({"kernel.c", text, {"-O2", "-g0", fmt::format("-DNR_TASKLETS={}", tasklets)}});
  if (!assembly) return assembly.diagnostics();
  Result<dpu::Object> object = dpu::assemble(*assembly, "kernel.s");
  if (!object) return std::move(object.diagnostics());
  std::vector<dpu::Object> objects;
  objects.push_back(std::move(*object));
  return dpu::withCLibrary(std::move(objects), &compiler);
}

Built linkNow(const std::vector<dpu::Object> &objects, std::int64_t tasklets, std::int64_t stackBytes) {
  dpu::LinkOptions options;
  options.tasklets = tasklets;
  options.stackBytes = static_cast<std::uint32_t>(stackBytes);
  Result<program::Code> code = dpu::link(objects, options, &dpu::runtimeLibrary());
  if (!code) return code.diagnostics();
  const dpu::StackUse use = dpu::stackUse(*code);
  if (use.bytes > stackBytes || !use.doubts.empty())
    return unsupported("dpu-stack", {},
                       use.doubts.empty()
                           ? fmt::format("a tasklet needs {} bytes of stack, {} more than the {} available: {}",
                                         use.bytes, use.bytes - stackBytes, stackBytes, use.str())
                           : fmt::format("the stack size of a tasklet is unknown: {}", use.doubts.front()),
                       "split the kernel into several that keep less data at a time");
  return sim::dpu::Image::make(std::move(*code));
}

}  // namespace

Diagnostic noCompiler() {
  return unsupported(
      "no-dpu-compiler", {}, "no compiler for DPU programs: Pimento was built without LLVM",
      "install LLVM and Clang 19 (Debian: llvm-19-dev, libclang-19-dev) and build again; or use 'reference', "
      "which runs the measured programs");
}

Built buildProgram(const std::string &text, std::int64_t tasklets, std::int64_t stackBytes,
                   program::DpuCompiler *compiler, Cache &cache) {
  if (compiler == nullptr) return noCompiler();
  // Programs that count their tasklets (those with barriers) are compiled for each number of them.
  const bool counts = text.find("NR_TASKLETS") != std::string::npos;
  constexpr std::size_t kObjects = 256 << 10, kImage = 256 << 10;
  const auto key = [&](std::int64_t a, std::int64_t b) { return fmt::format("{} {} {}", a, b, text); };
  const auto objects =
      cache.get<Objects>(key(counts ? tasklets : 0, 0), kObjects, [&] { return assembled(text, tasklets, *compiler); });
  if (!*objects) return objects->diagnostics();
  return *cache.get<Built>(key(tasklets, stackBytes), kImage, [&] { return linkNow(**objects, tasklets, stackBytes); });
}

}  // namespace pimento::targets::upmem::compiled
