#include "pimento/llm/host.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "pimento/base/file.h"
#include "pimento/energy/energy.h"
#include "pimento/llm/gpu_table.h"

namespace pimento::llm {

Result<Host> makeHost(machine::Machine machine, machine::Machine study) {
  const Result<machine::Gpu> gpu = machine::gpuOf(machine);
  if (!gpu) return gpu.diagnostics();
  for (const machine::Machine *m : {&machine, &study})
    if (Status s = energy::check(*m, hostActionNames()); !s) return s.diagnostics();
  std::shared_ptr<const GpuTable> table;
  if (gpu->model == machine::Gpu::Model::kTable) {
    namespace fs = std::filesystem;
    const Location where = machine.where("gpu.table");
    const std::string file = (fs::path(where.file).parent_path() / gpu->table).string();
    const Result<std::string> text = readFile(file);
    if (!text)
      return error("unreadable-file", where, "cannot read the table of measured times '" + file + "'",
                   "measure the GPU, or name the file that has its times");
    Result<GpuTable> read = GpuTable::parse(*text, file);
    if (!read) return read.diagnostics();
    table = std::make_shared<const GpuTable>(std::move(*read));
  }
  GpuModel model(*gpu, std::move(table));
  return Host{std::move(machine), std::move(study), std::move(model)};
}

}  // namespace pimento::llm
