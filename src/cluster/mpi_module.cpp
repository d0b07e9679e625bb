// Compiled into PimentoMpi.so alone.
#include "pimento/cluster/mpi_module.h"

#include <mpi.h>

#include <chrono>
#include <list>
#include <string>
#include <thread>

namespace {

constexpr int kTag = 1;
constexpr auto kFarewell = std::chrono::seconds(2);  ///< for the last messages, where ranks are lost

struct Sent {
  std::string bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};
std::list<Sent> sent;
MPI_Status waiting;
int waitingBytes = 0;

void forgetSent() {
  for (auto s = sent.begin(); s != sent.end();) {
    int isDone = 0;
    MPI_Test(&s->request, &isDone, MPI_STATUS_IGNORE);
    s = isDone != 0 ? sent.erase(s) : std::next(s);
  }
}

bool start(int *rank, int *count) {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return false;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // ranks may be lost
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, count);
  return provided >= MPI_THREAD_SERIALIZED;
}

void send(int to, const char *bytes, std::size_t size) {
  forgetSent();
  Sent &s = sent.emplace_back();
  s.bytes.assign(bytes, size);
  if (MPI_Isend(s.bytes.data(), static_cast<int>(size), MPI_BYTE, to, kTag, MPI_COMM_WORLD, &s.request) != MPI_SUCCESS)
    sent.pop_back();
}

long next(int *from) {
  int isThere = 0;
  if (MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &isThere, &waiting) != MPI_SUCCESS || isThere == 0) {
    forgetSent();  // moves messages on, too
    return -1;
  }
  MPI_Get_count(&waiting, MPI_BYTE, &waitingBytes);
  *from = waiting.MPI_SOURCE;
  return waitingBytes;
}

void take(char *bytes) {
  MPI_Recv(bytes, waitingBytes, MPI_BYTE, waiting.MPI_SOURCE, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void finish(bool isWhole) {
  const auto end = std::chrono::steady_clock::now() + kFarewell;
  while (!sent.empty() && (isWhole || std::chrono::steady_clock::now() < end)) {
    forgetSent();
    // What others still send is not needed, but it must be received.
    int from = 0;
    if (const long size = next(&from); size >= 0) {
      std::string bytes(static_cast<std::size_t>(size), '\0');
      take(bytes.data());
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  if (isWhole) MPI_Finalize();
}

}  // namespace

extern "C" const PimentoMpiFunctions *pimentoMpi() {
  static const PimentoMpiFunctions functions{PIMENTO_VERSION, &start, &send, &next, &take, &finish};
  return &functions;
}
