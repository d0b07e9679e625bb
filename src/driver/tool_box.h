// What compiling takes and keeps: compilers for DPUs and for cores of hosts, and what targets made with it.
//
// Shared by all runs of a verb (Options::tools), and by the calls of a program that holds on to one.
#pragma once

#include <memory>

#include "pimento/base/cache.h"
#include "pimento/evaluate/choices.h"
#include "pimento/program/dpu_compiler.h"

namespace pimento::driver {

struct ToolBox {
  std::unique_ptr<program::DpuCompiler> dpuCompiler;  ///< null where Pimento was built without LLVM
  std::shared_ptr<Cache> cache = std::make_shared<Cache>();

  std::shared_ptr<trace::HostTools> hostTools;  ///< likewise

  evaluate::Tools tools() const { return {dpuCompiler.get(), cache, hostTools.get()}; }
};

std::shared_ptr<const ToolBox> makeToolBox();

}  // namespace pimento::driver
