// Statements as kernels: kinds of loops, and what happens to each target.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "pimento/frontend/graph_builder.h"
#include "pimento/frontend/nest/accumulation.h"
#include "pimento/frontend/nest/body.h"
#include "pimento/frontend/nest/schedule.h"
#include "pimento/frontend/nest/structured.h"
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
  Emitter(NestProgram &program, GraphBuilder &graph, std::vector<int> &buffers)
      : program_(program), pool_(program.pool), extents_(program.extents()), graph_(graph), buffers_(buffers) {}

  Status run(const NestSchedule &schedule) {
    addMissingBuffers(program_, graph_, buffers_);
    std::size_t next = 0;  // loop
    std::vector<NestSchedule::Around> ends;
    for (std::size_t g = 0; g < schedule.groups.size(); ++g) {
      const NestGroup &group = schedule.groups[g];
      for (; next < schedule.loops.size() && schedule.loops[next].first == g; ++next) {
        if (ends.empty()) settle(schedule, schedule.loops[next]);
        const NestLoop &loop = program_.loops[static_cast<std::size_t>(schedule.loops[next].loop)];
        if (loop.isBounded())
          return unsupported(
              "loop-dependence", group.front().where,
              fmt::format("iterations of '{}', whose bounds come from data, depend on one another across statements",
                          loop.name),
              "write one loop per statement, if the result is the same");
        graph_.openLoop(loop.name, loop.extent, group.front().where);
        ends.push_back(schedule.loops[next]);
      }
      counters_ = schedule.counters[g];
      const auto selected = selectionOf(program_, group);
      const Status s = group.size() == 1  ? single(group[0])
                       : group[1].follows ? extreme(group)
                       : selected         ? selection(group, *selected)
                                          : joint(group);
      if (!s) return s;
      for (; !ends.empty() && ends.back().end == g + 1; ends.pop_back()) graph_.closeLoop(swapsOf(ends.back()));
    }
    return okStatus();
  }

 private:
  Buffer &target(const NestStatement &s) { return graph_.buffer(buffers_[static_cast<std::size_t>(s.buffer)]); }
  const std::string &nameOf(const NestStatement &s) const {
    return program_.buffers[static_cast<std::size_t>(s.buffer)].name;
  }

  /// What changes in a loop is a tensor before it, and the same one in every round.
  void settle(const NestSchedule &schedule, const NestSchedule::Around &loop) {
    for (std::size_t g = loop.first; g < loop.end; ++g)
      for (const NestStatement &s : schedule.groups[g]) updated(s);
    for (const NestSchedule::Around &inner : schedule.loops) {
      if (inner.first < loop.first || inner.end > loop.end) continue;
      for (const auto &swap : program_.loops[static_cast<std::size_t>(inner.loop)].swaps)
        for (const int b : swap) update(b, program_.loops[static_cast<std::size_t>(inner.loop)].where);
    }
  }
  /// Tensors that exchange their names after every round.
  std::vector<std::array<int, 2>> swapsOf(const NestSchedule::Around &loop) {
    std::vector<std::array<int, 2>> swaps;
    for (const auto &[a, b] : program_.loops[static_cast<std::size_t>(loop.loop)].swaps)
      swaps.push_back({tensorOf(a), tensorOf(b)});
    return swaps;
  }
  int tensorOf(int buffer) { return graph_.buffer(buffers_[static_cast<std::size_t>(buffer)]).tensor; }
  int update(int buffer, const Location &where) {
    const int b = buffers_[static_cast<std::size_t>(buffer)];
    return graph_.update(b, b, true, where);
  }
  bool isInRounds() const { return counters_ > 0; }

  Dims plainDims(const std::vector<int> &loops) const {
    Dims dims;
    std::set<std::string> taken;
    for (const int l : loops) {
      const NestLoop &loop = program_.loops[static_cast<std::size_t>(l)];
      std::string name = loop.name;
      for (int n = 1; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", loop.name, n);
      dims.push_back({std::move(name), loop.extent, dims.size() < counters_ ? DimKind::kCounter : DimKind::kParallel});
    }
    return dims;
  }

  std::vector<NestAccess> loadsIn(int root, const NestStatement &s) const {
    std::vector<NestAccess> loads;
    pool_.visit(root, [&](int e) {
      const Expression &x = pool_[e];
      if (x.op == Op::kLoad) loads.push_back({x.buffer, x.index, s.loops, 0});
    });
    return loads;
  }

  Dims dimsOf(const NestStatement &s) {
    Dims dims = plainDims(s.loops);
    const std::vector<DimKind> kinds = kindsOf(program_, s, counters_);
    for (std::size_t d = 0; d < dims.size(); ++d) dims[d].kind = kinds[d];
    return dims;
  }

  bool coversAll(const NestStatement &s) {
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

  Status nothingToAddTo(const NestStatement &s) {
    return error("uninitialized", s.where, fmt::format("this adds to '{}', which was never written", nameOf(s)),
                 "store an initial value before the loop");
  }

  /// `term` or the whole value, with the condition as a choice.
  int valueOf(const NestStatement &s, const std::optional<NestAccumulation> &how) {
    if (how) return how->term;
    if (s.predicate < 0) return s.value;
    const DType type = pool_[s.value].type;
    const DType held = program_.buffers[static_cast<std::size_t>(s.buffer)].type;
    const int old = pool_.load(held, s.buffer, s.index, s.data, s.where);
    return pool_.op(Op::kSelect, type, s.predicate, s.value, pool_.cast(type, old));
  }

  Status single(const NestStatement &s) {
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

  int updated(const NestStatement &s) { return update(s.buffer, s.where); }

  /// h[bin] += 1, or a scatter in the order of the loops.
  Status indirect(const NestStatement &s) {
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
      return unsupported("unsupported-access", s.where,
                         fmt::format("'{}' is stored conditionally at an index from data", nameOf(s)),
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

  Status selection(const NestGroup &group, const NestSelection &how) {
    const NestStatement &append = group[0], &count = group[1];
    const Buffer counter = target(count);
    if (counter.holds != Holds::kConstant || counter.constant.integer != 0) {
      return unsupported("loop-dependence", append.where,
                         fmt::format("the count '{}' of a selection does not start at 0", nameOf(count)),
                         "set it to 0 right before the loops; selected elements start at the beginning of the array");
    }
    kernel::KernelBuilder k(append.function, plainDims(append.loops), append.where);
    const bool isOneList = append.index.size() == 1 && how.limit < 0;
    const int tensor = isOneList ? startOfList(append) : updated(append);
    BodyWriter body(program_, graph_, buffers_, k, append.loops);
    if (Status bounded = body.bound(); !bounded) return bounded;
    const Result<int> value = body.write(append.value, how.predicate);
    if (!value) return value.diagnostics();
    const Result<int> predicate = body.write(how.predicate);
    if (!predicate) return predicate.diagnostics();
    for (const Affine &guard : append.guards) k.guard(project(guard, append.loops));
    std::vector<Affine> place = project(append.index, append.loops);
    place.back() = {std::vector<std::int64_t>(append.loops.size(), 0), 0};
    if (append.loops.size() == 1) place.back().coefficients[0] = 1;
    k.store(tensor < 0 ? graph_.overwrite(buffers_[static_cast<std::size_t>(append.buffer)]) : tensor, place, *value);
    k.store(graph_.overwrite(buffers_[static_cast<std::size_t>(count.buffer)]), project(count.index, count.loops),
            k.integer(counter.type, 1), Combine::kAdd);
    k.select(*predicate, how.limit);
    graph_.add(k.take());
    return okStatus();
  }

  /// The tensor that a list is appended to; -1: a fresh one, since nothing has been stored behind what it fills.
  int startOfList(const NestStatement &append) {
    const Buffer &before = target(append);
    const bool isUntouched =
        before.holds == Holds::kNothing || (before.holds == Holds::kTensor && before.tensor == before.argument);
    return isUntouched && !isInRounds() ? -1 : updated(append);
  }

  /// A minimum or maximum, and what is stored where it takes a new value.
  Status extreme(const NestGroup &group) {
    const NestStatement &first = group.front();
    const auto how = accumulationOf(program_, first);
    PIMENTO_CHECK(how.has_value());
    const Buffer before = target(first);
    if (before.holds == Holds::kNothing) return nothingToAddTo(first);
    const bool startsNeutral =
        before.holds == Holds::kConstant && isNeutral(before.constant, how->combine, before.type);
    kernel::KernelBuilder k(first.function, dimsOf(first), first.where);
    std::vector<int> tensors;
    for (const NestStatement &s : group) {
      const Buffer &b = target(s);
      const bool isZero = b.holds == Holds::kConstant && b.constant.integer == 0 && b.constant.real == 0 &&
                          !std::signbit(b.constant.real);
      const bool isFresh = s.follows ? isZero || b.holds == Holds::kNothing : startsNeutral;
      tensors.push_back(isFresh ? -1 : updated(s));
    }
    BodyWriter body(program_, graph_, buffers_, k, first.loops);
    if (Status bounded = body.bound(); !bounded) return bounded;
    std::vector<int> values;
    for (const NestStatement &s : group) {
      const Result<int> value = body.write(s.follows ? s.value : how->term);
      if (!value) return value.diagnostics();
      values.push_back(*value);
    }
    for (const Affine &guard : first.guards) k.guard(project(guard, first.loops));
    for (std::size_t s = 0; s < group.size(); ++s) {
      const int to =
          tensors[s] < 0 ? graph_.overwrite(buffers_[static_cast<std::size_t>(group[s].buffer)]) : tensors[s];
      if (s == 0)
        k.store(to, project(first.index, first.loops), values[0], how->combine);
      else
        k.storeWith(to, values[s]);
    }
    graph_.add(k.take());
    return okStatus();
  }

  Dims jointDims(const NestGroup &group) {
    Dims dims = plainDims(group.front().loops);
    const std::vector<DimKind> kinds = jointKindsOf(program_, group, counters_);
    for (std::size_t d = 0; d < dims.size(); ++d) dims[d].kind = kinds[d];
    return dims;
  }

  /// One kernel of several stores. Where a statement reads what an earlier one stored, it gets that value.
  Status joint(const NestGroup &group) {
    const std::vector<int> &loops = group.front().loops;
    const Dims dims = jointDims(group);
    const bool isSequential = hasKind(dims, DimKind::kSequential);
    struct Goal {
      std::optional<NestAccumulation> how;
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
  Status prepare(const NestGroup &group, std::size_t number, const std::optional<NestAccumulation> &how,
                 bool isSequential, bool &isFresh, int &tensor) {
    const NestStatement &s = group[number];
    const Buffer before = target(s);
    if (before.holds == Holds::kNothing && how) return nothingToAddTo(s);
    bool isRead = false;
    for (const NestStatement &other : group) {
      for (const NestAccess &read : readsOf(program_, other)) {
        const bool isItself = how && &other == &s && read.index == s.index;
        isRead = isRead || (read.buffer == s.buffer && !isItself);
      }
    }
    // What a kernel reads it must find: a least value so far is stored before, a running sum starts from zeros.
    const bool mayStart = !isRead || (how && how->combine == Combine::kAdd);
    const bool startsNeutral = how && isSequential && mayStart && before.holds == Holds::kConstant &&
                               isNeutral(before.constant, how->combine, before.type);
    isFresh = !how && !isRead && s.predicate < 0 && coversAll(s);
    if (startsNeutral) {
      tensor = graph_.overwrite(buffers_[static_cast<std::size_t>(s.buffer)]);
    } else if (!isFresh) {
      tensor = updated(s);
    }
    return okStatus();
  }

  NestProgram &program_;
  ExpressionPool &pool_;
  std::vector<std::int64_t> extents_;
  GraphBuilder &graph_;
  std::vector<int> &buffers_;
  std::size_t counters_ = 0;  ///< loops around the current kernel
};

}  // namespace

void addMissingBuffers(const NestProgram &program, GraphBuilder &graph, std::vector<int> &buffers) {
  for (std::size_t b = buffers.size(); b < program.buffers.size(); ++b) {
    const NestBuffer &declared = program.buffers[b];
    Buffer buffer;
    buffer.name = declared.name;
    buffer.type = declared.type;
    buffer.shape = declared.shape;
    buffer.isMemref = !declared.isScalar;
    const bool isGiven = declared.kind == NestBuffer::Kind::kArgument;
    buffers.push_back(isGiven ? graph.addArgument(std::move(buffer)) : graph.addBuffer(std::move(buffer)));
  }
}

Status emitKernels(NestProgram &program, const NestSchedule &schedule, GraphBuilder &graph, std::vector<int> &buffers) {
  return Emitter(program, graph, buffers).run(schedule);
}

}  // namespace pimento::frontend
