#include "pimento/sim/dpu/mram.h"

#include <algorithm>
#include <cstring>

namespace pimento::sim::dpu {

Mram::Mram(std::int64_t size) : size_(size) {}

Mram::Mram(const Mram &o) : size_(o.size_), chunks_(o.chunks_.size()) {
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    chunks_[i].pattern = o.chunks_[i].pattern;
    chunks_[i].isKnown = o.chunks_[i].isKnown;
    if (o.chunks_[i].data) chunks_[i].data = std::make_unique<Data>(*o.chunks_[i].data);
  }
}

template <typename F>
void Mram::forParts(std::uint32_t offset, std::size_t size, F &&f) {
  std::size_t position = 0;
  while (position < size) {
    const std::size_t at = offset + position;
    const std::size_t inside = at % kChunk, part = std::min(size - position, kChunk - inside);
    f(at / kChunk, inside, part, position);
    position += part;
  }
}

const Mram::Chunk &Mram::chunkAt(std::size_t chunk) const {
  static const Chunk untouched;
  return chunk < chunks_.size() ? chunks_[chunk] : untouched;
}

Mram::Chunk &Mram::ownChunk(std::size_t chunk) {
  if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
  return chunks_[chunk];
}

Mram::Data &Mram::touch(std::size_t chunk) {
  Chunk &c = ownChunk(chunk);
  if (!c.data) {
    c.data = std::make_unique_for_overwrite<Data>();
    for (std::size_t i = 0; i < kChunk; i += 8) std::memcpy(&c.data->bytes[i], &c.pattern, 8);
    if (c.isKnown)
      c.data->known.set();
    else
      c.data->known.reset();
  }
  return *c.data;
}

void Mram::read(std::uint32_t offset, std::span<std::uint8_t> out) const {
  forParts(offset, out.size(), [&](std::size_t chunk, std::size_t inside, std::size_t part, std::size_t position) {
    const Chunk &c = chunkAt(chunk);
    if (c.data) {
      std::memcpy(&out[position], &c.data->bytes[inside], part);
      return;
    }
    for (std::size_t i = 0; i < part; ++i)
      out[position + i] = static_cast<std::uint8_t>(c.pattern >> (8 * ((inside + i) % 8)));
  });
}

void Mram::write(std::uint32_t offset, std::span<const std::uint8_t> bytes) {
  forParts(offset, bytes.size(), [&](std::size_t chunk, std::size_t inside, std::size_t part, std::size_t position) {
    Data &d = touch(chunk);
    std::memcpy(&d.bytes[inside], &bytes[position], part);
    // Units at the ends count as known, too: the rest of them is at worst the zero of an untouched bank, which
    // `simulate` reads alike.
    for (std::size_t u = inside / 8; u <= (inside + part - 1) / 8; ++u) d.known.set(u);
  });
}

void Mram::fill(std::uint32_t offset, std::int64_t size, std::span<const std::uint8_t> pattern) {
  std::uint64_t word = 0;
  for (int i = 0; i < 8; ++i) {
    // Byte i of an aligned 8-byte unit, whatever `offset` is.
    const std::size_t phase = (static_cast<std::size_t>(i) + 8 - offset % 8) % pattern.size();
    word |= static_cast<std::uint64_t>(pattern[phase]) << (8 * i);
  }
  forParts(offset, static_cast<std::size_t>(size),
           [&](std::size_t chunk, std::size_t inside, std::size_t part, std::size_t) {
             if (part == kChunk) {
               ownChunk(chunk) = Chunk{nullptr, word, true};
               return;
             }
             Data &d = touch(chunk);
             for (std::size_t i = inside; i < inside + part; ++i)
               d.bytes[i] = static_cast<std::uint8_t>(word >> (8 * (i % 8)));
             for (std::size_t u = inside / 8; u <= (inside + part - 1) / 8; ++u) d.known.set(u);
           });
}

void Mram::readTracked(std::uint32_t offset, std::span<std::uint8_t> out, std::span<std::uint8_t> unknown) const {
  forParts(offset, out.size(), [&](std::size_t chunk, std::size_t inside, std::size_t part, std::size_t position) {
    const Chunk &c = chunkAt(chunk);
    if (!c.data) {
      for (std::size_t i = 0; i < part; i += 8) std::memcpy(&out[position + i], &c.pattern, 8);
      std::memset(&unknown[position], c.isKnown ? 0 : 1, part);
      return;
    }
    std::memcpy(&out[position], &c.data->bytes[inside], part);
    for (std::size_t i = 0; i < part; i += 8)
      std::memset(&unknown[position + i], c.data->known[(inside + i) / 8] ? 0 : 1, 8);
  });
}

void Mram::writeTracked(std::uint32_t offset, std::span<const std::uint8_t> bytes,
                        std::span<const std::uint8_t> unknown) {
  const auto isKnown = [&](std::size_t position) {
    std::uint64_t u = 0;
    std::memcpy(&u, &unknown[position], 8);
    return u == 0;
  };
  forParts(offset, bytes.size(), [&](std::size_t chunk, std::size_t inside, std::size_t part, std::size_t position) {
    const Chunk &c = chunkAt(chunk);
    if (!c.data && !c.isKnown) {
      bool isAllUnknown = true;
      for (std::size_t i = 0; i < part && isAllUnknown; i += 8) isAllUnknown = !isKnown(position + i);
      if (isAllUnknown) return;
    }
    Data &d = touch(chunk);
    std::memcpy(&d.bytes[inside], &bytes[position], part);
    for (std::size_t i = 0; i < part; i += 8) d.known.set((inside + i) / 8, isKnown(position + i));
  });
}

}  // namespace pimento::sim::dpu
