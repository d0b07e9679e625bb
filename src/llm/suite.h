// Reference points of published models of GPUs and of language models on them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pimento/evaluate/suite.h"
#include "pimento/llm/host.h"

namespace pimento::evaluate {
class Target;
}

namespace pimento::llm {

/// "gpu-model": times and energies of kernels on the study's GPU. "llm-published": times of the layers of language
/// models on it, and with AttAcc. `hostFile`: the machine file of the study's GPU; `models`: the table of models.
std::vector<evaluate::Suite> suites(const std::string &hostFile, const std::string &models,
                                    const evaluate::Target &nearBank);

}  // namespace pimento::llm
