// The functions of pimento_inf.h.
#include <pimento_inf.h>

#include <memory>
#include <set>

#include "failure.h"
#include "pimento/base/file.h"
#include "pimento/driver/data_folder.h"
#include "system.h"

using namespace pimento;
using capi::guarded;
using capi::guardedOr;
using capi::wrongUsage;

constexpr bool isSame(int a, int b) {
  return a == b;
}
static_assert(isSame(INF_REFUSED, PIMENTO_NO_ANSWER) && isSame(INF_WRONG_USAGE, PIMENTO_WRONG_USAGE) &&
              isSame(INF_NO_MEMORY, PIMENTO_NO_MEMORY) && isSame(INF_INTERNAL, PIMENTO_INTERNAL));

struct inf_program : capi::InfProgram {
  using capi::InfProgram::InfProgram;
};
struct inf_system : capi::InfSystem {
  using capi::InfSystem::InfSystem;
  std::set<std::unique_ptr<inf_program>> programs;
};

namespace {

int isNull(const char *what) {
  return wrongUsage("api-null", std::string(what) + " is NULL", "pimento_inf.h names the arguments that may be NULL");
}

/// What was given cannot be used.
int statusOf(const Status &status) {
  return status ? INF_OK : capi::fail(INF_REFUSED, status.diagnostics().front());
}
/// Of a call whose mistakes are the caller's, but for a lack of room.
int usageOf(const Status &status) {
  if (status) return INF_OK;
  const Diagnostic &why = status.diagnostics().front();
  return capi::fail(why.kind == DiagnosticKind::kUsage ? INF_WRONG_USAGE : INF_REFUSED, why);
}

}  // namespace

int inf_api_version(void) {
  return INF_API_VERSION;
}

const char *inf_problem(void) {
  return capi::lastProblem();
}

int inf_start(const char *machine, const char *const *settings, size_t count, inf_system **system) {
  if (system != nullptr) *system = nullptr;
  return guarded([&] {
    if (system == nullptr) return isNull("the pointer for the system");
    if (settings == nullptr && count > 0) return isNull("the settings");
    std::vector<machine::Override> overrides;
    for (size_t i = 0; i < count; ++i) {
      const std::string text = settings[i] == nullptr ? "" : settings[i];
      const std::size_t eq = text.find('=');
      if (eq == std::string::npos || eq == 0)
        return wrongUsage("api-value", "'" + text + "' is not a setting",
                          "write PATH=VALUE, for example sram.mode=words");
      overrides.push_back({text.substr(0, eq), text.substr(eq + 1)});
    }
    auto loaded = machine::loadMachine(machine == nullptr ? "l3-arrays" : machine, driver::machineFolders(), overrides);
    if (!loaded) return statusOf(loaded.diagnostics());
    if (!loaded->sram)
      return statusOf(unsupported("inf-machine", {}, "machine '" + loaded->name + "' has no arrays that compute",
                                  "use a machine of family l3-sram"));
    *system = new inf_system(std::move(*loaded));
    return static_cast<int>(INF_OK);
  });
}

void inf_stop(inf_system *system) {
  delete system;
}

int inf_open(inf_system *system, const char *file, inf_program **program) {
  if (program != nullptr) *program = nullptr;
  return guarded([&] {
    if (system == nullptr) return isNull("the system");
    if (file == nullptr) return isNull("the file");
    if (program == nullptr) return isNull("the pointer for the program");
    const Result<std::string> bytes = readFile(file);
    if (!bytes) return statusOf(bytes.diagnostics());
    auto binary = tdfg::readFatBinary(*bytes, file);
    if (!binary) return statusOf(binary.diagnostics());
    auto opened = std::make_unique<inf_program>(*system, file, std::move(*binary));
    *program = opened.get();
    system->programs.insert(std::move(opened));
    return static_cast<int>(INF_OK);
  });
}

void inf_close(inf_program *program) {
  if (program == nullptr) return;
  auto &programs = static_cast<inf_system &>(program->system()).programs;
  for (auto at = programs.begin(); at != programs.end(); ++at)
    if (at->get() == program) {
      programs.erase(at);
      return;
    }
}

int inf_array(inf_system *system, void *data, const char *type, size_t dims, const size_t *shape, size_t pitch) {
  return guarded([&] {
    if (system == nullptr) return isNull("the system");
    if (data == nullptr) return isNull("the array");
    if (type == nullptr) return isNull("the type");
    if (shape == nullptr && dims > 0) return isNull("the shape");
    const auto parsed = parseDType(type);
    if (!parsed)
      return wrongUsage("api-value", std::string("'") + type + "' is not an element type",
                        "use one of " + dtypeNames());
    capi::UserArray array;
    array.data = static_cast<std::byte *>(data);
    array.type = *parsed;
    constexpr size_t kMost = size_t{1} << 40;
    for (size_t i = 0; i < dims; ++i) {
      if (shape[i] == 0 || shape[i] > kMost)
        return wrongUsage("api-value", "an extent of the array is " + std::to_string(shape[i]), "use 1 or more");
      array.shape.push_back(static_cast<std::int64_t>(shape[i]));
    }
    array.pitch = pitch == 0 ? array.rowElements() : static_cast<std::int64_t>(pitch);
    if (pitch > kMost || array.pitch < array.rowElements())
      return wrongUsage("api-value", "rows of the array overlap", "give the elements from one row to the next, or 0");
    return usageOf(system->add(std::move(array)));
  });
}

int inf_release(inf_system *system, void *data) {
  return guarded([&] { return system == nullptr ? isNull("the system") : usageOf(system->release(data)); });
}

int inf_cfg(inf_program *program, const inf_size *sizes, size_t size_count, const inf_operand *operands,
            size_t operand_count) {
  return guarded([&] {
    if (program == nullptr) return isNull("the program");
    if (program->system().configured != nullptr)
      return wrongUsage("inf-busy", "the machine runs one program at a time, and one is configured",
                        "call inf_end for it first");
    if ((sizes == nullptr && size_count > 0) || (operands == nullptr && operand_count > 0))
      return isNull("the list of sizes or operands");
    std::map<std::string, std::int64_t> bySize;
    for (size_t i = 0; i < size_count; ++i) {
      if (sizes[i].name == nullptr) return isNull("the name of a size");
      bySize[sizes[i].name] = sizes[i].value;
    }
    std::map<std::string, void *> byArray;
    for (size_t i = 0; i < operand_count; ++i) {
      if (operands[i].name == nullptr) return isNull("the name of an operand");
      byArray[operands[i].name] = operands[i].data;
    }
    return statusOf(program->configure(bySize, byArray));
  });
}

int inf_end(inf_program *program) {
  return guarded([&] {
    if (program == nullptr) return isNull("the program");
    if (program->system().configured != program)
      return wrongUsage("inf-order", "the program is not configured", "call inf_cfg first");
    return statusOf(program->run());
  });
}

double inf_time_ns(const inf_program *program) {
  return program == nullptr ? -1 : program->nanoseconds().value_or(-1);
}

long long inf_count(const inf_program *program, const char *name) {
  return guardedOr<long long>(-1, [&] {
    return program == nullptr || name == nullptr ? -1 : static_cast<long long>(program->count(name).value_or(-1));
  });
}

size_t inf_warnings(const inf_program *program) {
  return program == nullptr ? 0 : program->warnings().size();
}

const char *inf_warning(const inf_program *program, size_t index) {
  return program == nullptr || index >= program->warnings().size() ? nullptr : program->warnings()[index].c_str();
}

const char *inf_report(const inf_program *program) {
  return program == nullptr ? nullptr : program->report().c_str();
}
