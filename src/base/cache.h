// Values that are expensive to make, kept by key: linked programs, short runs that bounds are made of.
//
// An object with a bound that is handed to who may use it, not a store of the whole process. Several threads may ask at
// once; a value is made by the first, and the others wait for it. When there is too much, everything is forgotten: a
// search that goes through many keys comes back to few of them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <typeindex>
#include <utility>

namespace pimento {

class Cache {
 public:
  explicit Cache(std::size_t mostBytes = std::size_t{256} << 20) : mostBytes_(mostBytes) {}

  /// The value of `key` among those of type T, made by `make()` where there is none. `bytes`: about what it takes.
  template <typename T, typename Make>
  std::shared_ptr<const T> get(const std::string &key, std::size_t bytes, Make &&make) {
    const std::shared_ptr<Entry> entry = entryOf({std::type_index(typeid(T)), key}, bytes);
    const std::lock_guard lock(entry->mutex);
    if (entry->value == nullptr) entry->value = std::make_shared<const T>(make());
    return std::static_pointer_cast<const T>(entry->value);
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<const void> value;
  };
  using Key = std::pair<std::type_index, std::string>;

  std::shared_ptr<Entry> entryOf(Key key, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
    const std::size_t more = bytes + key.second.size();
    if (bytes_ + more > mostBytes_) {
      entries_.clear();
      bytes_ = 0;
    }
    bytes_ += more;
    return entries_.emplace(std::move(key), std::make_shared<Entry>()).first->second;
  }

  std::mutex mutex_;  // of what follows
  std::map<Key, std::shared_ptr<Entry>> entries_;
  std::size_t bytes_ = 0;
  std::size_t mostBytes_;
};

}  // namespace pimento
