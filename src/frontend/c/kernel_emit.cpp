// Statements as kernels: kinds of loops, and what happens to each target.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "pimento/frontend/c/kernel_accumulation.h"
#include "pimento/frontend/c/kernel_body.h"
#include "pimento/frontend/c/kernel_schedule.h"
#include "pimento/frontend/graph_builder.h"
#include "pimento/kernel/builder.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Combine;
using kernel::DimKind;
using kernel::Op;

namespace {

using Dims = std::vector<kernel::Dim>;

bool hasKind(const Dims &dims, DimKind kind) {
  return std::any_of(dims.begin(), dims.end(), [kind](const kernel::Dim &d) { return d.kind == kind; });
}

class Emitter {
 public:
  explicit Emitter(CProgram &program)
      : program_(program), pool_(program.pool), extents_(program.extents()), graph_(program.name, program.where) {}

  Result<kernel::Graph> run(const CSchedule &schedule) {
    for (const CBuffer &b : program_.buffers) {
      Buffer buffer;
      buffer.name = b.name;
      buffer.type = b.type;
      buffer.shape = b.shape;
      buffer.isMemref = !b.isScalar;
      const bool isGiven = b.kind == CBuffer::Kind::kArgument;
      buffers_.push_back(isGiven ? graph_.addArgument(std::move(buffer)) : graph_.addBuffer(std::move(buffer)));
    }
    std::size_t next = 0;  // loop
    std::vector<std::size_t> ends;
    for (std::size_t g = 0; g < schedule.groups.size(); ++g) {
      const CGroup &group = schedule.groups[g];
      for (; next < schedule.loops.size() && schedule.loops[next].first == g; ++next) {
        if (ends.empty()) settle(schedule, schedule.loops[next]);
        const CLoop &loop = program_.loops[static_cast<std::size_t>(schedule.loops[next].loop)];
        if (loop.isBounded())
          return unsupported(
              "c-dependence", group.front().where,
              fmt::format("iterations of '{}', which data bound, depend on one another across statements", loop.name),
              "write the loop once for each statement, if that is the same");
        graph_.openLoop(loop.name, loop.extent, group.front().where);
        ends.push_back(schedule.loops[next].end);
      }
      counters_ = schedule.counters[g];
      const Status s = group.size() == 1              ? single(group[0])
                       : isSelection(program_, group) ? selection(group)
                                                      : joint(group);
      if (!s) return s.diagnostics();
      for (; !ends.empty() && ends.back() == g + 1; ends.pop_back()) graph_.closeLoop();
    }
    for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
      if (program_.buffers[b].kind == CBuffer::Kind::kResult) graph_.returned(buffers_[b], program_.where);
    }
    Result<kernel::Graph> graph =
        graph_.finish("it needs a loop, or a statement, that stores to a parameter or returns a value");
    if (!graph)
      rename(graph.diagnostics(), {{"out-of-bounds", "c-bounds"},
                                   {"duplicate-write", "c-overwrite"},
                                   {"self-dependence", "c-dependence"},
                                   {"too-large", "c-too-large"},
                                   {"no-kernel", "c-function"}});
    return graph;
  }

 private:
  Buffer &target(const CStatement &s) { return graph_.buffer(buffers_[static_cast<std::size_t>(s.buffer)]); }
  const std::string &nameOf(const CStatement &s) const {
    return program_.buffers[static_cast<std::size_t>(s.buffer)].name;
  }

  /// What changes in a loop is a tensor before it, and the same one in every round.
  void settle(const CSchedule &schedule, const CSchedule::Around &loop) {
    for (std::size_t g = loop.first; g < loop.end; ++g)
      for (const CStatement &s : schedule.groups[g]) updated(s);
  }
  bool isInRounds() const { return counters_ > 0; }

  Dims plainDims(const std::vector<int> &loops) const {
    Dims dims;
    std::set<std::string> taken;
    for (const int l : loops) {
      const CLoop &loop = program_.loops[static_cast<std::size_t>(l)];
      std::string name = loop.name;
      for (int n = 1; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", loop.name, n);
      dims.push_back({std::move(name), loop.extent, dims.size() < counters_ ? DimKind::kCounter : DimKind::kParallel});
    }
    return dims;
  }

  std::vector<NestAccess> loadsIn(int root, const CStatement &s) const {
    std::vector<NestAccess> loads;
    pool_.visit(root, [&](int e) {
      const Expression &x = pool_[e];
      if (x.op == Op::kLoad) loads.push_back({x.buffer, x.index, s.loops, 0});
    });
    return loads;
  }

  Dims dimsOf(const CStatement &s) {
    Dims dims = plainDims(s.loops);
    const std::vector<DimKind> kinds = kindsOf(program_, s, counters_);
    for (std::size_t d = 0; d < dims.size(); ++d) dims[d].kind = kinds[d];
    return dims;
  }

  bool coversAll(const CStatement &s) {
    const std::vector<std::int64_t> &shape = target(s).shape;
    if (!s.guards.empty() || s.data.isThere() || isInRounds() || program_.hasBounded(s.loops)) return false;
    std::set<int> used;
    for (std::size_t i = 0; i < s.index.size(); ++i) {
      const Affine &form = s.index[i];
      if (form.constant != 0) return false;
      if (form.coefficients.empty()) {
        if (shape[i] != 1) return false;
        continue;
      }
      const int loop = static_cast<int>(form.coefficients.size()) - 1;
      const bool isLoop =
          form.coefficients.back() == 1 &&
          std::all_of(form.coefficients.begin(), form.coefficients.end() - 1, [](std::int64_t c) { return c == 0; });
      if (!isLoop || extents_[static_cast<std::size_t>(loop)] != shape[i] || !used.insert(loop).second) return false;
    }
    return true;
  }

  Status nothingToAddTo(const CStatement &s) {
    return error("c-uninitialized", s.where,
                 fmt::format("this adds to '{}', in which nothing has been stored", nameOf(s)),
                 "store a first value before the loop");
  }

  /// `term` or the whole value, with the condition as a choice.
  int valueOf(const CStatement &s, const std::optional<CAccumulation> &how) {
    if (how) return how->term;
    if (s.predicate < 0) return s.value;
    const DType type = pool_[s.value].type;
    const DType held = program_.buffers[static_cast<std::size_t>(s.buffer)].type;
    const int old = pool_.load(held, s.buffer, s.index, s.data, s.where);
    return pool_.op(Op::kSelect, type, s.predicate, s.value, pool_.cast(type, old));
  }

  Status single(const CStatement &s) {
    if (s.data.isThere()) return indirect(s);
    const Buffer before = target(s);
    auto how = accumulationOf(program_, s);
    std::vector<NestAccess> own;
    bool isShifted = false;
    for (NestAccess &load : loadsIn(valueOf(s, how), s)) {
      if (load.buffer != s.buffer) continue;
      isShifted = isShifted || load.index != s.index;
      own.push_back(std::move(load));
    }
    const auto constant = pool_.isConstant(s.value) && s.predicate < 0 ? std::optional(pool_[s.value]) : std::nullopt;
    const bool isMinusZero = constant && isFloat(constant->type) && constant->real == 0 && std::signbit(constant->real);
    const Dims dims = dimsOf(s);
    const bool isWhole = coversAll(s);
    if (constant && isWhole && !isMinusZero) {
      target(s).holds = Holds::kConstant;
      target(s).constant = {constant->real, constant->integer};
      return okStatus();
    }
    if (how && before.holds == Holds::kNothing) return nothingToAddTo(s);
    if (how && how->isLoose && !hasKind(dims, DimKind::kReduction) && !isShifted) how.reset();  // a choice is exact
    const bool mustAccumulate = hasKind(dims, DimKind::kReduction) || (how && isShifted);
    const bool startsNeutral =
        how && own.empty() && before.holds == Holds::kConstant && isNeutral(before.constant, how->combine, before.type);
    const bool accumulates =
        how && (mustAccumulate || startsNeutral || (own.empty() && before.holds == Holds::kTensor));
    if (!accumulates) how.reset();
    kernel::KernelBuilder k(s.function, dims, s.where);
    // What one iteration stores another one may read.
    const bool isCarried = !own.empty() && hasKind(dims, DimKind::kSequential);
    const bool isFresh = startsNeutral || (!accumulates && isWhole && !isShifted && !isCarried);
    int tensor = -1;
    if (!isFresh) tensor = updated(s);
    BodyWriter body(program_, graph_, buffers_, k, s.loops);
    if (Status bounded = body.bound(); !bounded) return bounded;
    const Result<int> value = body.write(valueOf(s, how));
    if (!value) return value.diagnostics();
    if (isFresh) tensor = graph_.overwrite(buffers_[static_cast<std::size_t>(s.buffer)]);
    for (const Affine &guard : s.guards) k.guard(project(guard, s.loops));
    k.store(tensor, project(s.index, s.loops), *value, how ? how->combine : Combine::kAssign);
    graph_.add(k.take());
    return okStatus();
  }

  int updated(const CStatement &s) {
    const int b = buffers_[static_cast<std::size_t>(s.buffer)];
    return graph_.update(b, b, true, s.where);
  }

  /// h[bin] += 1, or a scatter in the order of the loops.
  Status indirect(const CStatement &s) {
    const auto how = accumulationOf(program_, s);
    const Buffer before = target(s);
    const bool startsNeutral =
        how && before.holds == Holds::kConstant && isNeutral(before.constant, how->combine, before.type);
    if (how && before.holds == Holds::kNothing) return nothingToAddTo(s);
    Dims dims = plainDims(s.loops);
    const std::vector<bool> isKnown = determined(targetOf(s).index, s.loops, extents_);
    for (std::size_t d = counters_; d < dims.size(); ++d)
      dims[d].kind = !how ? DimKind::kSequential : isKnown[d] ? DimKind::kParallel : DimKind::kReduction;
    if (!how && s.predicate >= 0) {
      return unsupported("c-not-affine", s.where,
                         fmt::format("'{}' is stored under a condition, at a place that data decide", nameOf(s)),
                         "a selection is if (c) out[count++] = x, from a count of 0; a histogram is h[bin] += 1");
    }
    kernel::KernelBuilder k(s.function, dims, s.where);
    const int tensor = startsNeutral ? -1 : updated(s);
    BodyWriter body(program_, graph_, buffers_, k, s.loops);
    if (Status bounded = body.bound(); !bounded) return bounded;
    const Result<int> value = body.write(how ? how->term : s.value);
    if (!value) return value.diagnostics();
    // Where the condition does not hold, the index may be anything.
    int index = s.data.value;
    if (s.predicate >= 0) {
      const DType type = pool_[index].type;
      index = pool_.op(Op::kSelect, type, s.predicate, index, pool_.integer(type, 0));
    }
    const Result<int> last = body.write(index);
    if (!last) return last.diagnostics();
    for (const Affine &guard : s.guards) k.guard(project(guard, s.loops));
    const int to = startsNeutral ? graph_.overwrite(buffers_[static_cast<std::size_t>(s.buffer)]) : tensor;
    k.store({to, project(s.index, s.loops), s.data.at, *last}, *value, how ? how->combine : Combine::kAssign);
    graph_.add(k.take());
    return okStatus();
  }

  Status selection(const CGroup &group) {
    const CStatement &append = group[0], &count = group[1];
    const Buffer counter = target(count);
    if (counter.holds != Holds::kConstant || counter.constant.integer != 0) {
      return unsupported("c-dependence", append.where,
                         fmt::format("the count '{}' of a selection does not start at 0", nameOf(count)),
                         "set it to 0 right before the loops; what is selected goes to the start of the array");
    }
    kernel::KernelBuilder k(append.function, plainDims(append.loops), append.where);
    BodyWriter body(program_, graph_, buffers_, k, append.loops);
    if (Status bounded = body.bound(); !bounded) return bounded;
    const Result<int> value = body.write(append.value, append.predicate);
    if (!value) return value.diagnostics();
    const Result<int> predicate = body.write(append.predicate);
    if (!predicate) return predicate.diagnostics();
    for (const Affine &guard : append.guards) k.guard(project(guard, append.loops));
    const Affine first{std::vector<std::int64_t>(append.loops.size(), 0), 0};
    Affine place = first;
    if (append.loops.size() == 1) place.coefficients[0] = 1;
    k.store(graph_.overwrite(buffers_[static_cast<std::size_t>(append.buffer)]), {place}, *value);
    k.store(graph_.overwrite(buffers_[static_cast<std::size_t>(count.buffer)]), project(count.index, count.loops),
            k.integer(counter.type, 1), Combine::kAdd);
    k.select(*predicate);
    graph_.add(k.take());
    return okStatus();
  }

  /// A loop is parallel in a kernel of several stores if no element is touched in two of its iterations and written in
  /// one.
  Dims jointDims(const CGroup &group) {
    const std::vector<int> &loops = group.front().loops;
    Dims dims = plainDims(loops);
    for (const CStatement &writer : group) {
      for (const CStatement &other : group) {
        std::vector<NestAccess> accesses = readsOf(program_, other);
        accesses.push_back(targetOf(other));
        for (const NestAccess &access : accesses) {
          if (access.buffer != writer.buffer) continue;
          const kernel::Meeting m = meeting(program_, writer, targetOf(writer), other, access);
          for (std::size_t d = counters_; d < loops.size(); ++d)
            if (m.isPossible(d, 1, counters_) || m.isPossible(d, -1, counters_)) dims[d].kind = DimKind::kSequential;
        }
      }
    }
    return dims;
  }

  /// One kernel of several stores. Where a statement reads what an earlier one stored, it gets that value.
  Status joint(const CGroup &group) {
    const std::vector<int> &loops = group.front().loops;
    const Dims dims = jointDims(group);
    const bool isSequential = hasKind(dims, DimKind::kSequential);
    struct Goal {
      std::optional<CAccumulation> how;
      int root = -1, tensor = -1;
      bool isFresh = false;
    };
    std::vector<Goal> goals;
    std::map<std::pair<int, std::size_t>, int> stored;  // by statement: the new value of its element
    for (std::size_t s = 0; s < group.size(); ++s) {
      Goal goal;
      goal.how = accumulationOf(program_, group[s]);
      const auto forwarded = [&](int root) {
        return pool_.rewrite(root, [&](int e) -> std::optional<int> {
          const Expression x = pool_[e];
          if (x.op != Op::kLoad) return std::nullopt;
          for (std::size_t earlier = s; earlier-- > 0;) {
            if (group[earlier].buffer == x.buffer && group[earlier].index == x.index) {
              return stored.at({x.buffer, earlier});
            }
          }
          return std::nullopt;
        });
      };
      goal.root = forwarded(valueOf(group[s], goal.how));
      const DType type = program_.buffers[static_cast<std::size_t>(group[s].buffer)].type;
      int next = pool_.cast(type, goal.root);
      if (goal.how) {
        const int old = pool_.load(type, group[s].buffer, group[s].index, {}, group[s].where);
        next = pool_.op(kernel::opOf(goal.how->combine), type, old, next);
      }
      stored[{group[s].buffer, s}] = next;
      goals.push_back(goal);
    }
    for (std::size_t s = 0; s < group.size(); ++s) {
      if (Status status = prepare(group, s, goals[s].how, isSequential, goals[s].isFresh, goals[s].tensor); !status) {
        return status;
      }
    }
    kernel::KernelBuilder k(group.front().function, dims, group.front().where);
    BodyWriter body(program_, graph_, buffers_, k, loops);
    if (Status bounded = body.bound(); !bounded) return bounded;
    std::vector<int> values;
    for (const Goal &goal : goals) {
      const Result<int> value = body.write(goal.root);
      if (!value) return value.diagnostics();
      values.push_back(*value);
    }
    for (std::size_t s = 0; s < group.size(); ++s) {
      if (goals[s].isFresh) goals[s].tensor = graph_.overwrite(buffers_[static_cast<std::size_t>(group[s].buffer)]);
      k.store(goals[s].tensor, project(group[s].index, loops), values[s],
              goals[s].how ? goals[s].how->combine : Combine::kAssign);
    }
    for (const Affine &guard : group.front().guards) k.guard(project(guard, loops));
    graph_.add(k.take());
    return okStatus();
  }

  /// Whether a statement of a joint kernel gives its buffer a fresh tensor, and else the tensor it updates.
  Status prepare(const CGroup &group, std::size_t number, const std::optional<CAccumulation> &how, bool isSequential,
                 bool &isFresh, int &tensor) {
    const CStatement &s = group[number];
    const Buffer before = target(s);
    if (before.holds == Holds::kNothing && how) return nothingToAddTo(s);
    bool isRead = false;
    for (const CStatement &other : group) {
      for (const NestAccess &read : readsOf(program_, other)) {
        const bool isItself = how && &other == &s && read.index == s.index;
        isRead = isRead || (read.buffer == s.buffer && !isItself);
      }
    }
    const bool startsNeutral = how && isSequential && before.holds == Holds::kConstant &&
                               isNeutral(before.constant, how->combine, before.type);
    isFresh = !how && !isRead && s.predicate < 0 && coversAll(s);
    if (startsNeutral) {
      tensor = graph_.overwrite(buffers_[static_cast<std::size_t>(s.buffer)]);
    } else if (!isFresh) {
      tensor = updated(s);
    }
    return okStatus();
  }

  CProgram &program_;
  ExpressionPool &pool_;
  std::vector<std::int64_t> extents_;
  GraphBuilder graph_;
  std::vector<int> buffers_;
  std::size_t counters_ = 0;  ///< loops around the current kernel
};

}  // namespace

Result<kernel::Graph> emitGraph(CProgram &program, const CSchedule &schedule) {
  return Emitter(program).run(schedule);
}

}  // namespace pimento::frontend
