#include "pimento/driver/verbs/serve.h"

#include <chrono>
#include <fstream>

#include "pimento/base/file.h"
#include "pimento/driver/llm_machines.h"
#include "pimento/driver/result_file.h"
#include "pimento/driver/serve_view.h"
#include "pimento/llm/host.h"
#include "pimento/llm/pim.h"

namespace pimento::driver {

namespace {

using Clock = std::chrono::steady_clock;

Result<std::vector<llm::Request>> requestsOf(const Options &options) {
  if (options.requests.empty())
    return usageError("no-requests", "--requests", "there are no requests to serve",
                      "pass --requests FILE.csv with the columns arrival_s, prompt, output");
  const Result<std::string> text = readFile(options.requests);
  if (!text) return text.diagnostics();
  return llm::readRequests(*text, options.requests);
}

Status writeFiles(const Options &options, const ServeAnswer &a) {
  if (!options.trace.empty()) {
    std::ofstream file(options.trace);
    if (!file)
      return usageError("unwritable-file", options.trace, "cannot write the timeline",
                        "choose a folder that exists and is writable");
    if (Status s = writeServeTrace(a, file); !s) return s;
  }
  return options.tables.empty() ? okStatus() : writeFile(options.tables, layerTimesCsv(a));
}

}  // namespace

Result<ServeAnswer> runServe(const Options &options) {
  Result<std::vector<llm::Request>> requests = requestsOf(options);
  if (!requests) return requests.diagnostics();
  const auto loaded = loadLlm(options, LlmUse::kServing);
  if (!loaded) return loaded.diagnostics();
  const LlmMachines &m = **loaded;
  ServeAnswer a;
  a.model = *m.model;
  a.host = m.host->machine.name;
  a.target = m.machine ? m.machine->name : "";
  a.dtype = m.dtype;
  a.gpus = options.gpus;
  a.devices = m.devices;
  a.mostRequests = options.mostRequests;
  a.requests = std::move(*requests);
  a.warnings = m.warnings;
  const Clock::time_point start = Clock::now();
  Result<llm::Served> served =
      llm::serve(*m.system, a.model, a.requests, {options.mostRequests, m.elementBytes, m.room});
  if (!served) return served.diagnostics();
  a.wallUs = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
  a.served = std::make_shared<const llm::Served>(std::move(*served));
  if (m.device) {
    a.pimRuns = m.device->runs();
    a.pimKnown = m.device->known();
  }
  a.run = runOf(VerbId::kServe, options, m.named());
  if (Status s = writeFiles(options, a); !s) return s.diagnostics();
  return a;
}

Outcome show(const ServeAnswer &answer, const Options &options) {
  return {options.isJson ? serveJson(answer) : serveTable(answer), {}, 0};
}

}  // namespace pimento::driver
