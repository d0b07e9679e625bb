// Messages between ranks. MPI carries them (mpi.h); tests carry them between threads.
#pragma once

#include <cstddef>
#include <string>

namespace pimento::cluster {

class Channel {
 public:
  virtual ~Channel() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t count() const = 0;
  /// Returns before it has arrived. Messages from one rank to another arrive in order.
  virtual void send(std::size_t to, std::string message) = 0;
  /// The next message; false: none is there.
  virtual bool receive(std::size_t &from, std::string &message) = 0;
  /// All ranks leave. `isWhole`: none of them was lost, so they can wait for each other.
  virtual void close(bool isWhole) = 0;
};

}  // namespace pimento::cluster
