#include "pimento/tune/boosted_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "pimento/base/shared_library.h"
#include "pimento/base/thread_pool.h"

namespace pimento::tune {

namespace {

using Handle = void *;
using Length = std::uint64_t;

/// The part of XGBoost's C interface that is used (xgboost/c_api.h). Functions give 0, or an error that lastError
/// names.
struct Library {
  const char *(*lastError)() = nullptr;
  int (*matrixOf)(const float *data, Length rows, Length columns, float missing, Handle *out) = nullptr;
  int (*setInfo)(Handle matrix, const char *field, const float *values, Length count) = nullptr;
  int (*freeMatrix)(Handle matrix) = nullptr;
  int (*create)(const Handle *matrices, Length count, Handle *out) = nullptr;
  int (*free)(Handle booster) = nullptr;
  int (*set)(Handle booster, const char *name, const char *value) = nullptr;
  int (*update)(Handle booster, int iteration, Handle matrix) = nullptr;
  int (*rounds)(Handle booster, int *out) = nullptr;
  int (*predict)(Handle booster, const char *values, const char *config, Handle matrix, const Length **shape,
                 Length *dim, const float **result) = nullptr;
  int (*save)(Handle booster, const char *config, Length *length, const char **bytes) = nullptr;
  int (*load)(Handle booster, const void *bytes, Length length) = nullptr;
  std::string problem;
};

Library loadLibrary() {
  Library l;
  // libgomp reads it once, when it is loaded.
  setenv("OMP_WAIT_POLICY", "passive", 0);
  const char *named = std::getenv("PIMENTO_XGBOOST");
  SharedLibrary file(named != nullptr ? std::vector<std::string>{named}
                                      : std::vector<std::string>{"libxgboost.so.0", "libxgboost.so"});
  file.find("XGBGetLastError", l.lastError);
  file.find("XGDMatrixCreateFromMat", l.matrixOf);
  file.find("XGDMatrixSetFloatInfo", l.setInfo);
  file.find("XGDMatrixFree", l.freeMatrix);
  file.find("XGBoosterCreate", l.create);
  file.find("XGBoosterFree", l.free);
  file.find("XGBoosterSetParam", l.set);
  file.find("XGBoosterUpdateOneIter", l.update);
  file.find("XGBoosterBoostedRounds", l.rounds);
  file.find("XGBoosterPredictFromDense", l.predict);
  file.find("XGBoosterSaveModelToBuffer", l.save);
  file.find("XGBoosterLoadModelFromBuffer", l.load);
  l.problem = file.problem();
  return l;
}

Result<const Library *> library() {
  static const Library loaded = loadLibrary();
  if (!loaded.problem.empty())
    return unsupported("predictor-library", {}, "the predictor needs XGBoost, which cannot be used: " + loaded.problem,
                       "install it (Debian: 'apt install libxgboost-dev'), or use '--engine exact'");
  return &loaded;
}

/// Depth and rate as for any small table; histograms, since a column has few values.
constexpr std::array<std::array<const char *, 2>, 9> kParameters = {{{"objective", "reg:squarederror"},
                                                                     {"tree_method", "hist"},
                                                                     {"max_depth", "8"},
                                                                     {"eta", "0.1"},
                                                                     {"subsample", "0.9"},
                                                                     {"colsample_bytree", "0.8"},
                                                                     {"nthread", "1"},
                                                                     {"seed", "1"},
                                                                     {"verbosity", "0"}}};

Diagnostic failureOf(const Library &lib) {
  const std::string_view message = lib.lastError();  // a stack trace follows
  return error("predictor-failed", {}, fmt::format("XGBoost: {}", message.substr(0, message.find('\n'))),
               "use '--engine exact', or a model that was trained anew");
}

/// Rows with labels, as the library has them.
struct Matrix {
  const Library *lib = nullptr;
  Handle handle = nullptr;

  Matrix() = default;
  Matrix(Matrix &&other) noexcept : lib(other.lib), handle(std::exchange(other.handle, nullptr)) {}
  Matrix &operator=(Matrix &&) = delete;
  ~Matrix() {
    if (handle != nullptr) lib->freeMatrix(handle);
  }

  static Result<Matrix> of(const Table &rows, std::span<const float> labels) {
    PIMENTO_CHECK(rows.rows() == labels.size() && !labels.empty());
    const Result<const Library *> found = library();
    if (!found) return found.diagnostics();
    Matrix m;
    m.lib = *found;
    if (m.lib->matrixOf(rows.values.data(), rows.rows(), rows.columns, std::numeric_limits<float>::quiet_NaN(),
                        &m.handle) != 0 ||
        m.lib->setInfo(m.handle, "label", labels.data(), labels.size()) != 0)
      return failureOf(*m.lib);
    return m;
  }
};

}  // namespace

struct BoostedTrees::Booster {
  const Library *lib = nullptr;
  Handle handle = nullptr;

  Booster() = default;
  Booster(const Booster &) = delete;
  Booster &operator=(const Booster &) = delete;
  ~Booster() {
    if (handle != nullptr) lib->free(handle);
  }

  Diagnostic failure() const { return failureOf(*lib); }

  /// `matrix`: what it will be fitted to, whose columns it takes; null: it will be read.
  static Result<std::shared_ptr<Booster>> make(const Handle *matrix) {
    const Result<const Library *> found = library();
    if (!found) return found.diagnostics();
    auto b = std::make_shared<Booster>();
    b->lib = *found;
    if (b->lib->create(matrix, matrix == nullptr ? 0 : 1, &b->handle) != 0) return b->failure();
    for (const auto &[name, value] : kParameters)
      if (b->lib->set(b->handle, name, value) != 0) return b->failure();
    return b;
  }

  /// Trees number `first` on.
  Status boost(const Matrix &matrix, int first, int trees) {
    for (int i = first; i < first + trees; ++i)
      if (lib->update(handle, i, matrix.handle) != 0) return failure();
    return okStatus();
  }

  /// Of rows [first, end), into `out`.
  Status predict(const Table &rows, std::size_t first, std::size_t end, float *out) const {
    const std::string values =
        fmt::format(R"({{"data": [{}, true], "shape": [{}, {}], "typestr": "<f4", "version": 3}})",
                    reinterpret_cast<std::uintptr_t>(rows.row(first).data()), end - first, rows.columns);
    static constexpr const char *kConfig =
        R"({"type": 0, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false, "missing": NaN, "training": false, "cache_id": 0})";
    const Length *shape = nullptr;
    Length dim = 0;
    const float *result = nullptr;
    if (lib->predict(handle, values.c_str(), kConfig, nullptr, &shape, &dim, &result) != 0) return failure();
    std::copy(result, result + (end - first), out);
    return okStatus();
  }
};

Result<BoostedTrees> BoostedTrees::fit(const Table &rows, std::span<const float> labels, int rounds) {
  const auto matrix = Matrix::of(rows, labels);
  if (!matrix) return matrix.diagnostics();
  auto booster = Booster::make(&matrix->handle);
  if (!booster) return booster.diagnostics();
  if (Status s = (*booster)->boost(*matrix, 0, rounds); !s) return s.diagnostics();
  return BoostedTrees(std::move(*booster));
}

Result<BoostedTrees> BoostedTrees::read(std::string_view bytes) {
  auto booster = Booster::make(nullptr);
  if (!booster) return booster.diagnostics();
  if ((*booster)->lib->load((*booster)->handle, bytes.data(), bytes.size()) != 0) return (*booster)->failure();
  if ((*booster)->lib->set((*booster)->handle, "nthread", "1") != 0) return (*booster)->failure();
  return BoostedTrees(std::move(*booster));
}

Status BoostedTrees::refine(const Table &rows, std::span<const float> labels, int rounds) {
  const auto matrix = Matrix::of(rows, labels);
  if (!matrix) return matrix.diagnostics();
  int first = 0;
  if (booster_->lib->rounds(booster_->handle, &first) != 0) return booster_->failure();
  return booster_->boost(*matrix, first, rounds);
}

Result<std::vector<float>> BoostedTrees::predict(const Table &rows, int jobs) const {
  constexpr std::size_t kChunk = 1024;
  std::vector<float> out(rows.rows());
  std::mutex mutex;
  std::optional<Diagnostics> failed;
  parallelFor(jobs, static_cast<std::int64_t>((out.size() + kChunk - 1) / kChunk), [&](std::int64_t i) {
    const std::size_t first = static_cast<std::size_t>(i) * kChunk;
    const Status s = booster_->predict(rows, first, std::min(first + kChunk, out.size()), out.data() + first);
    if (s) return;
    const std::lock_guard<std::mutex> lock(mutex);
    failed = s.diagnostics();
  });
  if (failed) return *failed;
  return out;
}

Result<std::string> BoostedTrees::bytes() const {
  Length length = 0;
  const char *bytes = nullptr;
  if (booster_->lib->save(booster_->handle, R"({"format": "ubj"})", &length, &bytes) != 0) return booster_->failure();
  return std::string(bytes, length);
}

}  // namespace pimento::tune
