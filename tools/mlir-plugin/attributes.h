// The names of what the passes write on linalg ops and on functions, each under one constant. What they mean is said in
// docs/how-to/mlir-plugin.md. `pimento.target` and `pimento.mapping` are those that `compile --emit mlir` writes too.
#pragma once

namespace pimento::mlirplugin {

constexpr const char *kPrefix = "pimento.";

constexpr const char *kOffload = "pimento.offload";              ///< bool
constexpr const char *kTarget = "pimento.target";                ///< machine that runs it; of offloaded ops
constexpr const char *kMapping = "pimento.mapping";              ///< of offloaded ops
constexpr const char *kTimeNs = "pimento.time_ns";               ///< f64, on the side it runs on
constexpr const char *kEnergyPj = "pimento.energy_pj";           ///< f64, likewise
constexpr const char *kHostTimeNs = "pimento.host_time_ns";      ///< f64, were it to run on the host
constexpr const char *kDeviceTimeNs = "pimento.device_time_ns";  ///< f64, were it to run on the device; if it can
constexpr const char *kReason = "pimento.reason";                ///< why there, and why so

constexpr const char *kSizes = "pimento.sizes";        ///< read: on an op with dynamic shapes, "d0=4096,d1=1024"
constexpr const char *kConstant = "pimento.constant";  ///< read: on an argument that is the same in every run
constexpr const char *kDevice = "pimento.device";      ///< on functions that pimento-offload has made

}  // namespace pimento::mlirplugin
