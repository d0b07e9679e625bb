#include "pimento/driver/host_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "pimento/base/file.h"
#include "pimento/base/suggest.h"
#include "pimento/driver/data_folder.h"
#include "pimento/driver/machine_option.h"
#include "pimento/machine/machine.h"

namespace pimento::driver {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> hostFolders() {
  return {dataFolder("hosts")};
}

}  // namespace

std::string hostFile(const std::string &name) {
  return (fs::path(dataFolder("hosts")) / (name + ".yaml")).string();
}

std::string modelsFile() {
  return (fs::path(dataFolder("llms")) / "models.csv").string();
}

Result<llm::Host> loadGpuHost(const Options &options) {
  const Result<std::string> file = machine::findMachine(options.host, hostFolders());
  if (!file)
    return usageError("unknown-host", "--host", fmt::format("unknown host '{}'", options.host),
                      suggest(options.host, machine::listMachines(hostFolders())) +
                          "; or a path that ends in .yaml: hosts with times of a real GPU are files that were measured "
                          "on it (docs/how-to/llm.md)");
  Result<machine::Machine> machine = machine::loadMachine(*file, hostFolders());
  if (!machine) return machine.diagnostics();
  const bool hasStudy = std::ranges::find(machine->energySets, llm::kStudySet) != machine->energySets.end();
  Result<machine::Machine> study = hasStudy
                                       ? machine::loadMachine(*file, hostFolders(), {{"energy.set", llm::kStudySet}})
                                       : Result<machine::Machine>(*machine);
  if (!study) return study.diagnostics();
  return llm::makeHost(std::move(*machine), std::move(*study));
}

Result<llm::Model> loadModel(const Options &options) {
  const bool isFile = options.input.ends_with(".csv");
  const std::string file = isFile ? options.input : modelsFile();
  const Result<std::string> text = readFile(file);
  if (!text) return text.diagnostics();
  const Result<std::vector<llm::Model>> models = llm::readModels(*text, file);
  if (!models) return models.diagnostics();
  if (!isFile) return llm::modelNamed(options.input, *models);
  if (models->size() != 1)
    return error("several-models", {file, 0, 0}, fmt::format("the file has {} models", models->size()),
                 "keep one row in it");
  return models->front();
}

}  // namespace pimento::driver
