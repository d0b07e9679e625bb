#include "pimento/cluster/mpi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "pimento/base/integer.h"
#include "pimento/base/module.h"
#include "pimento/base/shared_library.h"
#include "pimento/base/text.h"
#include "pimento/base/thread_pool.h"
#include "pimento/cluster/many_ranks.h"
#include "pimento/cluster/mpi_module.h"
#include "pimento/cluster/this_process.h"

namespace pimento::cluster {

namespace {

/// A number in the environment; 0: it has none.
std::int64_t environmentNumber(const char *name) {
  const char *text = std::getenv(name);
  return text == nullptr ? 0 : parseInteger(text).value_or(0);
}

class MpiChannel final : public Channel {
 public:
  MpiChannel(const PimentoMpiFunctions &mpi, std::size_t rank, std::size_t count)
      : mpi_(mpi), rank_(rank), count_(count) {}

  std::size_t rank() const override { return rank_; }
  std::size_t count() const override { return count_; }
  void send(std::size_t to, std::string message) override {
    mpi_.send(static_cast<int>(to), message.data(), message.size());
  }
  bool receive(std::size_t &from, std::string &message) override {
    int rank = 0;
    const long size = mpi_.next(&rank);
    if (size < 0) return false;
    from = static_cast<std::size_t>(rank);
    message.resize(static_cast<std::size_t>(size));
    mpi_.take(message.data());
    return true;
  }
  void close(bool isWhole) override { mpi_.finish(isWhole); }

 private:
  const PimentoMpiFunctions &mpi_;
  std::size_t rank_, count_;
};

}  // namespace

bool isLaunched() {
  // Open MPI's mpirun says how many there are; srun --mpi=pmix gives a rank alone.
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return environmentNumber("OMPI_COMM_WORLD_SIZE") > 1;
  return std::getenv("PMIX_RANK") != nullptr && environmentNumber("SLURM_NTASKS") > 1;
}

int processorsOfRank() {
  if (!isLaunched()) return 0;
  // Slurm's own limits a task's processors to its share.
  const std::int64_t here = std::max<std::int64_t>(1, environmentNumber("OMPI_COMM_WORLD_LOCAL_SIZE"));
  return static_cast<int>(std::max<std::int64_t>(1, jobCount(0) / here));
}

Result<std::unique_ptr<Ranks>> launchedRanks() {
  constexpr const char *kHint =
      "build Pimento where Open MPI is installed (scripts/install-deps.sh --with mpi, then cmake again), or start it "
      "without mpirun: it then uses all processors of this machine";
  SharedLibrary library({libraryFile("PimentoMpi.so")});
  const PimentoMpiFunctions *(*entry)() = nullptr;
  if (library.problem().empty()) library.find("pimentoMpi", entry);
  if (!library.problem().empty())
    return unsupported("mpi-missing", {},
                       "started as one of several ranks, but MPI cannot be used: " + library.problem(), kHint);
  const PimentoMpiFunctions &mpi = *entry();
  if (mpi.version != std::string_view(PIMENTO_VERSION))
    return unsupported("mpi-missing", {}, "PimentoMpi.so is of another version of Pimento", kHint);
  int rank = 0, count = 1;
  if (!mpi.start(&rank, &count))
    return unsupported("mpi-missing", {}, "MPI does not start, or not with threads",
                       "try 'mpirun -np 2 hostname'; Pimento needs MPI_THREAD_SERIALIZED");
  return manyRanks(std::make_unique<MpiChannel>(mpi, static_cast<std::size_t>(rank), static_cast<std::size_t>(count)),
                   buildSum());
}

}  // namespace pimento::cluster
