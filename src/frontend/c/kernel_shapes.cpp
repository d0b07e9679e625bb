// Extents of what is only known as a pointer.
#include "pimento/frontend/c/kernel_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "pimento/frontend/nest/accumulation.h"
#include "pimento/frontend/nest/schedule.h"
#include "pimento/frontend/nest/structured.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;

namespace {

/// All accesses to one buffer: the form of each, with the box it is made in.
struct Use {
  const NestStatement *statement = nullptr;
  Affine form;  ///< of the first index
  Location where;
  bool isOpen = false;  ///< an index from data
};

class Shaper {
 public:
  explicit Shaper(NestProgram &program) : program_(program) {}

  Status run() {
    for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
      if (Status s = shape(static_cast<int>(b)); !s) return s;
    }
    warnOfOverlap();
    return okStatus();
  }

 private:
  std::vector<Use> usesOf(int buffer) const {
    std::vector<Use> uses;
    for (const NestStatement &s : program_.statements) {
      const auto add = [&](const std::vector<Affine> &index, DataIndex data, const Location &where) {
        uses.push_back({&s, index.empty() ? Affine{} : index.front(), where, data.at == 0});
      };
      if (s.buffer == buffer) add(s.index, s.data, s.where);
      visitLoads(program_, s, [&](int e) {
        const Expression &node = program_.pool[e];
        if (node.buffer == buffer) add(node.index, node.data(), program_.pool.whereOf(e));
      });
    }
    return uses;
  }

  /// Where the points of the statement put the form; 0 where there are none.
  std::optional<FormRange> range(const Use &use, const Affine &form) const {
    const NestStatement &s = *use.statement;
    const auto found = rangeUnder(program_, s.loops, s.guards, form);
    if (found || !rangeOf(form, program_.extents())) return found;
    return FormRange{0, 0};
  }

  Status shape(int b) {
    NestBuffer &buffer = program_.buffers[static_cast<std::size_t>(b)];
    const bool isOpen = !buffer.shape.empty() && buffer.shape.front() == 0;
    const std::vector<Use> uses = usesOf(b);
    if (!isOpen || uses.empty()) {
      if (isOpen) buffer.shape.front() = 1;
      return okStatus();
    }
    if (buffer.shape.size() == 1 && findLists(b, uses)) return okStatus();
    std::int64_t extent = 0;
    std::optional<Location> open;
    for (const Use &use : uses) {
      if (use.isOpen) {
        // A selection may keep every point.
        const bool isAppend =
            use.statement->buffer == b && use.statement->predicate >= 0 && !accumulationOf(program_, *use.statement);
        if (isAppend) {
          std::int64_t points = 1;
          for (const int l : use.statement->loops) {
            if (__builtin_mul_overflow(points, program_.loops[static_cast<std::size_t>(l)].extent, &points)) points = 0;
          }
          extent = std::max(extent, points);
        } else {
          open = use.where;
        }
        continue;
      }
      const auto found = range(use, use.form);
      if (!found || found->high > (std::int64_t{1} << 48)) {
        return unsupported("c-too-large", use.where, fmt::format("an index of '{}' is too large", buffer.name),
                           "use smaller sizes");
      }
      if (found->low < 0) {
        return error("c-bounds", use.where,
                     fmt::format("an index of '{}' runs over {}..{}, below the start of the array", buffer.name,
                                 found->low, found->high),
                     "start the loop later, or guard the access by if");
      }
      extent = std::max(extent, found->high + 1);
    }
    if (open && extent == 0) {
      return error("c-bounds", *open,
                   fmt::format("the number of elements of '{}' is unknown: its index comes from data", buffer.name),
                   fmt::format("declare the parameter with its extent: {}[256], or {}[n]", buffer.name, buffer.name));
    }
    buffer.shape.front() = std::max<std::int64_t>(extent, 1);
    if (buffer.shape.size() == 1 && !open && !program_.isBound(b)) delinearize(b, uses);
    return okStatus();
  }

  struct Parts {
    Affine row, column;
  };

  /// form = row * width + column with 0 <= column < width everywhere.
  std::optional<Parts> split(const Use &use, const Affine &form, std::int64_t width) const {
    Parts parts;
    parts.row.coefficients.resize(form.coefficients.size());
    parts.column.coefficients.resize(form.coefficients.size());
    for (std::size_t l = 0; l < form.coefficients.size(); ++l) {
      const bool goes = form.coefficients[l] % width == 0;
      (goes ? parts.row : parts.column).coefficients[l] = goes ? form.coefficients[l] / width : form.coefficients[l];
    }
    const auto reach = range(use, parts.column);
    if (!reach) return std::nullopt;
    // The constant goes where the column stays within the row: the lowest column decides.
    const std::int64_t lowest = reach->low + form.constant;
    const std::int64_t rows = lowest >= 0 ? lowest / width : -((-lowest + width - 1) / width);
    parts.row.constant = rows;
    parts.column.constant = form.constant - rows * width;
    const auto columns = range(use, parts.column), all = range(use, parts.row);
    if (!columns || !all || columns->low < 0 || columns->high >= width || all->low < 0) return std::nullopt;
    parts.row = trimmed(std::move(parts.row));
    parts.column = trimmed(std::move(parts.column));
    return parts;
  }

  /// out[i * m + n[i]++]: rows of m, which other accesses stay within.
  bool findLists(int b, const std::vector<Use> &uses) {
    std::map<std::size_t, NestStatement> appends;  // by statement, as they are to be
    std::int64_t width = 0, rows = 0;
    for (std::size_t s = 0; s < program_.statements.size(); ++s) {
      const NestStatement &statement = program_.statements[s];
      if (statement.buffer != b || !statement.data.isThere()) continue;
      const auto list = s + 1 < program_.statements.size() ? flatListOf(program_, statement) : std::nullopt;
      const auto high = list ? highestRow(*list, program_.statements[s + 1]) : std::nullopt;
      if (!high || (width != 0 && width != list->width)) return false;
      width = list->width;
      rows = std::max(rows, *high + 1);
      appends.emplace(s, list->append);
    }
    if (appends.empty()) return false;
    std::vector<Use> others;
    std::vector<std::vector<Affine>> indices;
    for (const Use &use : uses) {
      if (use.isOpen && appends.contains(static_cast<std::size_t>(use.statement - program_.statements.data())))
        continue;
      const auto parts = use.isOpen ? std::nullopt : split(use, use.form, width);
      if (!parts) return false;
      others.push_back(use);
      indices.push_back({parts->row, parts->column});
    }
    reshape(b, others, indices, {width});
    std::int64_t &extent = program_.buffers[static_cast<std::size_t>(b)].shape.front();
    extent = std::max(extent, rows);
    for (const auto &[s, append] : appends) {
      program_.statements[s].index = append.index;
      program_.statements[s].data = append.data;
    }
    return true;
  }

  /// The last row that a list is in; none where it is no selection's, or may be longer than a row.
  std::optional<std::int64_t> highestRow(const NestFlatList &list, const NestStatement &count) {
    const NestStatement &append = list.append;
    const Affine &row = append.index.front();
    const auto selection = selectionOf(program_, {append, count});
    if (!selection) return std::nullopt;
    std::int64_t most = 1;
    for (const int l : append.loops)
      if (coefficient(row, l) == 0 &&
          __builtin_mul_overflow(most, program_.loops[static_cast<std::size_t>(l)].extent, &most))
        return std::nullopt;
    if (selection->limit >= 0) most = std::min(most, selection->limit);
    const auto rows = rangeUnder(program_, append.loops, append.guards, row);
    if (most > list.width || !rows || rows->low < 0) return std::nullopt;
    return rows->high;
  }

  /// The rows that all accesses agree on, from the widest down.
  void delinearize(int b, const std::vector<Use> &uses) {
    std::vector<std::vector<Affine>> indices;
    for (const Use &use : uses) indices.push_back({use.form});
    std::vector<std::int64_t> widths;
    std::int64_t limit = program_.buffers[static_cast<std::size_t>(b)].shape.front();
    for (bool hasChanged = true; std::exchange(hasChanged, false);) {
      std::set<std::int64_t, std::greater<>> candidates;
      for (const auto &index : indices) {
        for (const std::int64_t c : index.back().coefficients) {
          if (c > 1 && c < limit) candidates.insert(c);
        }
      }
      for (const std::int64_t width : candidates) {
        std::vector<Parts> parts;
        bool walksRows = false;
        for (std::size_t u = 0; u < uses.size(); ++u) {
          const auto found = split(uses[u], indices[u].back(), width);
          if (!found) break;
          walksRows = walksRows || !found->column.coefficients.empty();
          parts.push_back(*found);
        }
        if (parts.size() != uses.size() || !walksRows) continue;
        for (std::size_t u = 0; u < uses.size(); ++u) {
          indices[u].back() = parts[u].row;
          indices[u].push_back(parts[u].column);
        }
        widths.push_back(width);
        limit = width;
        hasChanged = true;
        break;
      }
    }
    if (!widths.empty()) reshape(b, uses, indices, widths);
  }

  void reshape(int b, const std::vector<Use> &uses, const std::vector<std::vector<Affine>> &indices,
               const std::vector<std::int64_t> &widths) {
    std::vector<std::int64_t> shape{1};
    for (std::size_t u = 0; u < uses.size(); ++u) {
      if (const auto rows = range(uses[u], indices[u].front())) shape[0] = std::max(shape[0], rows->high + 1);
    }
    for (std::size_t w = 0; w < widths.size(); ++w) {
      if (w + 1 < widths.size() && widths[w] % widths[w + 1] != 0) return;
      shape.push_back(w + 1 < widths.size() ? widths[w] / widths[w + 1] : widths[w]);
    }
    // Forms say everything: equal forms have equal indices.
    const auto indexOf = [&](const NestStatement &s, const Affine &form) {
      for (std::size_t u = 0; u < uses.size(); ++u) {
        if (uses[u].statement == &s && uses[u].form == form) return indices[u];
      }
      return std::vector<Affine>{form};
    };
    for (NestStatement &s : program_.statements) {
      const auto change = [&](int root) {
        if (root < 0) return root;
        return program_.pool.rewrite(root, [&](int e) -> std::optional<int> {
          const Expression node = program_.pool[e];
          if (node.op != Op::kLoad || node.buffer != b) return std::nullopt;
          return program_.pool.load(node.type, b, indexOf(s, node.index.front()), {}, program_.pool.whereOf(e));
        });
      };
      s.value = change(s.value);
      s.predicate = change(s.predicate);
      s.data.value = change(s.data.value);
      if (s.buffer == b) s.index = indexOf(s, s.index.front());
    }
    program_.buffers[static_cast<std::size_t>(b)].shape = std::move(shape);
  }

  void warnOfOverlap() {
    std::set<int> read, written;
    for (const NestStatement &s : program_.statements) {
      written.insert(s.buffer);
      visitLoads(program_, s, [&](int e) { read.insert(program_.pool[e].buffer); });
    }
    const auto isLoose = [&](int b) {
      if (b < 0) return false;
      const NestBuffer &buffer = program_.buffers[static_cast<std::size_t>(b)];
      return buffer.kind == NestBuffer::Kind::kArgument && !buffer.isRestrict && !buffer.isScalar;
    };
    std::set<int> all = read;
    all.insert(written.begin(), written.end());
    for (const int w : written) {
      if (!isLoose(w)) continue;
      for (const int other : all) {
        if (other == w || !isLoose(other) || (written.contains(other) && other < w)) continue;
        const NestBuffer &a = program_.buffers[static_cast<std::size_t>(w)],
                         &c = program_.buffers[static_cast<std::size_t>(other)];
        if (a.type != c.type) continue;
        Diagnostic d =
            error("c-overlap", a.where, fmt::format("'{}' and '{}' are assumed not to overlap", a.name, c.name),
                  fmt::format("declare them so: *restrict {}, *restrict {}", a.name, c.name));
        d.severity = Severity::kWarning;
        program_.warnings.push_back(std::move(d));
        break;
      }
    }
  }

  NestProgram &program_;
};

}  // namespace

Status shapeBuffers(NestProgram &program) {
  return Shaper(program).run();
}

}  // namespace pimento::frontend
