// What `llm` and `serve` run on, loaded once from the options: model, GPUs, PIM devices, and where their layers are
// kept.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/units.h"
#include "pimento/driver/options.h"

namespace pimento::evaluate {
class Target;
}
namespace pimento::llm {
class PimDevice;
class System;
struct Host;
struct Model;
}  // namespace pimento::llm
namespace pimento::tune {
class Store;
}

namespace pimento::driver {

struct ToolBox;

struct LlmMachines {
  LlmMachines();
  ~LlmMachines();

  std::unique_ptr<llm::Model> model;
  std::unique_ptr<llm::Host> host;
  std::string dtype;
  double elementBytes = 2;
  // Of PIM devices; without them empty or null.
  std::unique_ptr<machine::Machine> machine,
      study;  ///< `study`: with the studies' energies, where the machine has them
  std::unique_ptr<tune::Store> store;
  std::shared_ptr<const ToolBox> tools;
  std::unique_ptr<llm::PimDevice> device;
  Bytes room;                ///< of one
  std::int64_t devices = 0;  ///< of each GPU
  std::unique_ptr<llm::System> system;
  std::vector<std::string> warnings;

  /// Of the run: the PIM device's, else the host's.
  const machine::Machine &named() const;
};

/// What is asked: it decides the usual device and the usual mappings.
enum class LlmUse : std::uint8_t {
  kSound,
  kPublished,  ///< the study's device
  kCompiled,   ///< likewise, with the mappings that its compiler would find: tuned in its space
  kServing,    ///< reference mappings: there are products of many batch sizes
};

/// Diagnostics: those of loadGpuHost,
/// loadModel, machines and stores; unknown-device, unsupported-type, one-map-for-all, no-devices.
Result<std::unique_ptr<LlmMachines>> loadLlm(const Options &options, LlmUse use);

}  // namespace pimento::driver
