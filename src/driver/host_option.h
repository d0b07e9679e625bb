// `--host` and the models of `llm`: which GPU, which language model, and where their files lie.
#pragma once

#include <string>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/llm/host.h"
#include "pimento/llm/model.h"

namespace pimento::driver {

/// The host of published figures.
inline constexpr const char *kStudyHost = "published";

/// The machine file of a host that comes with the tool.
std::string hostFile(const std::string &name);
/// The table of models that comes with the tool.
std::string modelsFile();

/// `options.host`: a name, or a machine file. Diagnostics: unknown-host, those of machine files and llm::makeHost.
Result<llm::Host> loadGpuHost(const Options &options);

/// `options.input`: a name of that table, or a .csv file with one model. Diagnostics: those of llm::readModels and
/// llm::modelNamed, several-models.
Result<llm::Model> loadModel(const Options &options);

}  // namespace pimento::driver
