// A small LLVM IR of our own: modules that random tests build, print as text and interpret without LLVM.
//
// Memory is a few named areas of bytes; an access names its area and computes its offset from a masked index, so that
// no access is out of bounds. Flags that promise something (nsw, exact, ...) are not drawn: the interpreter finds out
// which ones hold (ir_interpreter.h) and the text carries those.
#pragma once

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimento::test {

__extension__ typedef unsigned __int128 IrWord;
__extension__ typedef __int128 IrSigned;

struct IrType {
  enum class Kind : std::uint8_t { kInt, kFloat, kDouble };
  Kind kind = Kind::kInt;
  unsigned bits = 32, lanes = 1;

  bool operator==(const IrType &) const = default;
  bool isInt() const { return kind == Kind::kInt; }
  bool isScalar() const { return lanes == 1; }
  /// Of memory, where the type may be loaded from any bytes.
  unsigned bytes() const { return (bits * lanes + 7) / 8; }
  IrWord mask() const { return bits == 128 ? ~IrWord{0} : (IrWord{1} << bits) - 1; }
  IrType lane() const { return {kind, bits, 1}; }
  IrType with(unsigned otherBits) const { return {Kind::kInt, otherBits, lanes}; }
  std::string str() const {
    const std::string one = kind == Kind::kInt ? fmt::format("i{}", bits) : kind == Kind::kFloat ? "float" : "double";
    return lanes == 1 ? one : fmt::format("<{} x {}>", lanes, one);
  }
  /// In the names of intrinsics.
  std::string suffix() const {
    const std::string one = kind == Kind::kInt ? fmt::format("i{}", bits) : fmt::format("f{}", bits);
    return lanes == 1 ? one : fmt::format("v{}{}", lanes, one);
  }
};

inline constexpr IrType kIrI1{IrType::Kind::kInt, 1, 1}, kIrI32{IrType::Kind::kInt, 32, 1};

using IrLanes = std::array<IrWord, 4>;

struct IrOperand {
  IrType type;
  int value = -1;  ///< number of a value of the function; -1: a constant
  IrLanes constant{};
};

enum class IrOp : std::uint8_t {
  kBinary,     ///< name: add, ...
  kCompare,    ///< name: icmp or fcmp with its predicate
  kSelect,     ///< condition, yes, no
  kCast,       ///< name: trunc, ...
  kIntrinsic,  ///< name without llvm. and types
  kOverflow,   ///< of an .with.overflow intrinsic: `part` 0 the value, 1 the bit
  kFneg,
  kFreeze,
  kExtract,  ///< vector, i32 index
  kInsert,   ///< vector, scalar, i32 index
  kShuffle,  ///< two vectors, `lanes`: which
  kLoad,     ///< index
  kStore,    ///< index, value
  kFill,     ///< memset of area: byte, length
  kCopy,     ///< memcpy or memmove of `part` offset: length
  kCall,     ///< `callee`
  kPhi,      ///< one operand for each of `from`
};

struct IrAccess {
  int area = 0, source = 0;  ///< areas of the module, then those of the function
  unsigned mask = 0, scale = 1, offset = 0, sourceOffset = 0, align = 1;
};

struct IrInstruction {
  IrOp op = IrOp::kBinary;
  IrType type;
  std::string name{};
  std::vector<IrOperand> operands{};
  std::vector<int> from{};  ///< blocks, of a phi
  IrAccess access{};
  unsigned part = 0;
  IrLanes lanes{};  ///< of a shuffle
  int callee = -1;
  bool isRemoved = false;
  std::optional<IrLanes> forced{};  ///< a reducer's: the instruction is this constant
  // What the interpreter saw hold in all executions.
  bool isExecuted = false, nuw = true, nsw = true, exact = true, disjoint = true, nneg = true, nonzero = true;
  IrLanes seen{};

  bool hasValue() const { return op != IrOp::kStore && op != IrOp::kFill && op != IrOp::kCopy; }
};

struct IrBlock {
  std::vector<int> instructions{};    ///< values of the function, phis first
  std::vector<IrOperand> operands{};  ///< returned, branched on, switched on
  std::vector<int> next{};            ///< of a switch: the default one first
  std::vector<IrWord> cases{};
  bool isRemoved = false;
};

struct IrArea {
  std::string name;
  std::vector<std::uint8_t> bytes;  ///< of a local one: only their number counts
};

struct IrFunction {
  std::string name, attributes{};
  IrType result;
  std::vector<IrType> parameters{};
  std::vector<std::string> extensions{};  ///< zeroext, signext or nothing, of parameters
  std::vector<IrInstruction> values{};    ///< parameters first
  std::vector<IrBlock> blocks{};
  std::vector<IrArea> areas{};
  bool isLeaf = true, isRemoved = false;
};

struct IrCall {
  int function = 0;
  std::vector<IrLanes> arguments;
};

struct IrModule {
  std::vector<IrArea> areas;
  std::vector<IrFunction> functions;
  std::vector<IrCall> calls;  ///< what main does
};

class IrPrinter {
 public:
  explicit IrPrinter(const IrModule &module) : module_(module) {}

  std::string text() {
    add("target datalayout = \"e-m:e-p:32:32-i64:64-n32-S64\"\ntarget triple = \"dpu-upmem-dpurt\"\n\n");
    for (const IrArea &area : module_.areas)
      add("@{} = global {}, section \".dpu_host\", align 8\n", area.name, bytes(area.bytes));
    for (const IrFunction &f : module_.functions)
      if (!f.isRemoved) function(f);
    mainFunction();
    for (const std::string &d : declarations_) add("{}\n", d);
    return out_;
  }

  /// Bytes of @out that a value takes: 16 for each lane.
  static unsigned slots(const IrType &type) { return 16 * type.lanes; }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  static std::string bytes(const std::vector<std::uint8_t> &values) {
    std::string all = fmt::format("[{} x i8] c\"", values.size());
    for (const std::uint8_t b : values) all += fmt::format("\\{:02X}", b);
    return all + "\"";
  }

  static std::string laneText(const IrType &type, IrWord bits) {
    const auto low = static_cast<std::uint64_t>(bits);
    if (type.kind == IrType::Kind::kDouble) return fmt::format("0x{:016X}", low);
    if (type.kind == IrType::Kind::kFloat) {
      const float f = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      return fmt::format("0x{:016X}", f != f ? 0x7ff8000000000000 : std::bit_cast<std::uint64_t>(double{f}));
    }
    if (type.bits == 1) return low != 0 ? "true" : "false";
    if (type.bits > 64) return fmt::format("u0x{:X}{:016X}", static_cast<std::uint64_t>(bits >> 64), low);
    return fmt::format("{}", low);
  }
  static std::string constantText(const IrType &type, const IrLanes &lanes) {
    if (type.isScalar()) return laneText(type, lanes[0]);
    std::string all = "<";
    for (unsigned i = 0; i < type.lanes; ++i)
      all += fmt::format("{}{} {}", i == 0 ? "" : ", ", type.lane().str(), laneText(type, lanes[i]));
    return all + ">";
  }
  std::string operand(const IrOperand &o) const {
    if (o.value < 0) return constantText(o.type, o.constant);
    const IrInstruction &i = f_->values[static_cast<std::size_t>(o.value)];
    return i.forced ? constantText(o.type, *i.forced) : fmt::format("%v{}", o.value);
  }
  std::string typed(const IrOperand &o) const { return o.type.str() + " " + operand(o); }

  void declare(std::string text) {
    for (const std::string &d : declarations_)
      if (d == text) return;
    declarations_.push_back(std::move(text));
  }

  void function(const IrFunction &f) {
    f_ = &f;
    add("\ndefine {} @{}(", f.result.str(), f.name);
    for (std::size_t i = 0; i < f.parameters.size(); ++i)
      add("{}{} {}%v{}", i == 0 ? "" : ", ", f.parameters[i].str(), f.extensions[i], i);
    add(") {} {{\n", f.attributes);
    for (std::size_t b = 0; b < f.blocks.size(); ++b) {
      if (f.blocks[b].isRemoved) continue;
      add("b{}:\n", b);
      if (b == 0)
        for (const IrArea &area : f.areas) add("  %{} = alloca [{} x i8], align 8\n", area.name, area.bytes.size());
      for (const int value : f.blocks[b].instructions) {
        const IrInstruction &i = f.values[static_cast<std::size_t>(value)];
        if (!i.isRemoved && !i.forced) instruction(i, value);
      }
      terminator(f.blocks[b]);
    }
    add("}}\n");
  }

  void terminator(const IrBlock &block) {
    if (block.next.empty()) return add("  ret {}\n", typed(block.operands[0]));
    if (block.next.size() == 1) return add("  br label %b{}\n", block.next[0]);
    if (block.cases.empty())
      return add("  br {}, label %b{}, label %b{}\n", typed(block.operands[0]), block.next[0], block.next[1]);
    add("  switch {}, label %b{} [", typed(block.operands[0]), block.next[0]);
    for (std::size_t i = 0; i < block.cases.size(); ++i)
      add(" {} {}, label %b{}", block.operands[0].type.str(), laneText(block.operands[0].type, block.cases[i]),
          block.next[i + 1]);
    add(" ]\n");
  }

  std::string arguments(const std::vector<IrOperand> &operands) const {
    std::string all;
    for (const IrOperand &o : operands) all += (all.empty() ? "" : ", ") + typed(o);
    return all;
  }

  std::string areaName(int area) const {
    const auto count = static_cast<int>(module_.areas.size());
    return area < count ? "@" + module_.areas[static_cast<std::size_t>(area)].name
                        : "%" + f_->areas[static_cast<std::size_t>(area - count)].name;
  }

  // The address of an access, computed before it.
  std::string address(const IrInstruction &i, int value) {
    const IrAccess &a = i.access;
    const std::string base = areaName(a.area);
    const bool hasIndex = a.mask != 0;
    if (!hasIndex && a.offset == 0) return base;
    std::string at = base;
    if (a.offset != 0) {
      add("  %o{} = getelementptr inbounds i8, ptr {}, i32 {}\n", value, base, a.offset);
      at = fmt::format("%o{}", value);
    }
    if (!hasIndex) return at;
    add("  %x{} = and i32 {}, {}\n", value, operand(i.operands[0]), a.mask);
    add("  %p{} = getelementptr inbounds i{}, ptr {}, i32 %x{}\n", value, 8 * a.scale, at, value);
    return fmt::format("%p{}", value);
  }

  std::string flags(const IrInstruction &i) const {
    const std::string &n = i.name;
    if (n == "add" || n == "sub" || n == "mul" || n == "shl" || n == "trunc")
      return fmt::format("{}{}", i.nuw ? "nuw " : "", i.nsw ? "nsw " : "");
    if (n == "udiv" || n == "sdiv" || n == "lshr" || n == "ashr") return i.exact ? "exact " : "";
    if (n == "or") return i.disjoint ? "disjoint " : "";
    if (n == "zext" || n == "uitofp") return i.nneg ? "nneg " : "";
    return "";
  }

  void intrinsic(const IrInstruction &i, int value) {
    const IrType &in = i.operands[0].type;
    std::string types = "." + i.type.suffix(), extra, more;
    if (i.name == "fptosi.sat" || i.name == "fptoui.sat") types += "." + in.suffix();
    if (i.name == "ctlz" || i.name == "cttz") extra = i.nonzero ? ", i1 true" : ", i1 false";
    if (i.name == "abs") extra = ", i1 false";
    if (i.name.starts_with("vector.reduce")) types = "." + in.suffix();
    std::string parameters;
    for (const IrOperand &o : i.operands) parameters += (parameters.empty() ? "" : ", ") + o.type.str();
    declare(fmt::format("declare {} @llvm.{}{}({}{})", i.type.str(), i.name, types, parameters,
                        extra.empty() ? "" : ", i1"));
    add("  %v{} = call {} @llvm.{}{}({}{})\n", value, i.type.str(), i.name, types, arguments(i.operands), extra);
  }

  void overflow(const IrInstruction &i, int value) {
    const IrType &in = i.operands[0].type;
    const std::string both = fmt::format("{{ {}, {} }}", in.str(), in.with(1).str());
    declare(fmt::format("declare {0} @llvm.{1}.with.overflow.{2}({3}, {3})", both, i.name, in.suffix(), in.str()));
    add("  %w{} = call {} @llvm.{}.with.overflow.{}({})\n", value, both, i.name, in.suffix(), arguments(i.operands));
    add("  %v{} = extractvalue {} %w{}, {}\n", value, both, value, i.part);
  }

  void memory(const IrInstruction &i, int value) {
    const IrAccess &a = i.access;
    if (i.op == IrOp::kFill) {
      declare("declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)");
      const std::string at = address({IrOp::kFill, {}, {}, {}, {}, {a.area, 0, 0, 1, a.offset}}, value);
      return add("  call void @llvm.memset.p0.i32(ptr align {} {}, {}, {}, i1 false)\n", a.align, at,
                 typed(i.operands[0]), typed(i.operands[1]));
    }
    declare(fmt::format("declare void @llvm.{}.p0.p0.i32(ptr, ptr, i32, i1)", i.name));
    add("  %d{} = getelementptr i8, ptr {}, i32 {}\n", value, areaName(a.area), a.offset);
    add("  %s{} = getelementptr i8, ptr {}, i32 {}\n", value, areaName(a.source), a.sourceOffset);
    add("  call void @llvm.{}.p0.p0.i32(ptr align {} %d{}, ptr align {} %s{}, {}, i1 false)\n", i.name, a.align, value,
        a.align, value, typed(i.operands[0]));
  }

  void instruction(const IrInstruction &i, int value) {
    const std::string type = i.type.str();
    switch (i.op) {
      case IrOp::kBinary:
        return add("  %v{} = {} {}{} {}, {}\n", value, i.name, flags(i), type, operand(i.operands[0]),
                   operand(i.operands[1]));
      case IrOp::kCompare:
        return add("  %v{} = {} {}, {}\n", value, i.name, typed(i.operands[0]), operand(i.operands[1]));
      case IrOp::kSelect:
        return add("  %v{} = select {}\n", value, arguments(i.operands));
      case IrOp::kCast:
        return add("  %v{} = {} {}{} to {}\n", value, i.name, flags(i), typed(i.operands[0]), type);
      case IrOp::kIntrinsic:
        return intrinsic(i, value);
      case IrOp::kOverflow:
        return overflow(i, value);
      case IrOp::kFneg:
        return add("  %v{} = fneg {}\n", value, typed(i.operands[0]));
      case IrOp::kFreeze:
        return add("  %v{} = freeze {}\n", value, typed(i.operands[0]));
      case IrOp::kExtract:
        return add("  %v{} = extractelement {}\n", value, arguments(i.operands));
      case IrOp::kInsert:
        return add("  %v{} = insertelement {}\n", value, arguments(i.operands));
      case IrOp::kShuffle:
        return add("  %v{} = shufflevector {}, <{} x i32> {}\n", value, arguments(i.operands), i.type.lanes,
                   constantText({IrType::Kind::kInt, 32, i.type.lanes}, i.lanes));
      case IrOp::kLoad: {
        const std::string at = address(i, value);
        return add("  %v{} = load {}, ptr {}, align {}\n", value, type, at, i.access.align);
      }
      case IrOp::kStore: {
        const std::string at = address(i, value);
        return add("  store {}, ptr {}, align {}\n", typed(i.operands[1]), at, i.access.align);
      }
      case IrOp::kFill:
      case IrOp::kCopy:
        return memory(i, value);
      case IrOp::kCall:
        return add("  %v{} = call {} @{}({})\n", value, type,
                   module_.functions[static_cast<std::size_t>(i.callee)].name, calledWith(i));
      case IrOp::kPhi: {
        std::string all;
        for (std::size_t k = 0; k < i.from.size(); ++k)
          all += fmt::format("{} [ {}, %b{} ]", k == 0 ? "" : ",", operand(i.operands[k]), i.from[k]);
        return add("  %v{} = phi {}{}\n", value, type, all);
      }
    }
  }

  std::string calledWith(const IrInstruction &i) const {
    const IrFunction &callee = module_.functions[static_cast<std::size_t>(i.callee)];
    std::string all;
    for (std::size_t k = 0; k < i.operands.size(); ++k)
      all += fmt::format("{}{} {}{}", k == 0 ? "" : ", ", i.operands[k].type.str(), callee.extensions[k],
                         operand(i.operands[k]));
    return all;
  }

  // Arguments from @in, results to @out, 16 bytes for each lane.
  void mainFunction() {
    std::string body;
    std::vector<std::uint8_t> in;
    unsigned out = 0, names = 0;
    for (const IrCall &call : module_.calls) {
      const IrFunction &f = module_.functions[static_cast<std::size_t>(call.function)];
      std::string all;
      for (std::size_t i = 0; i < f.parameters.size(); ++i) {
        const IrType &type = f.parameters[i];
        std::string whole = "poison";
        for (unsigned lane = 0; lane < type.lanes; ++lane) {
          body += fmt::format("  %a{0} = getelementptr i8, ptr @in, i32 {1}\n  %l{0} = load {2}, ptr %a{0}, align 8\n",
                              names, in.size(), type.lane().str());
          for (int byte = 0; byte < 16; ++byte)
            in.push_back(static_cast<std::uint8_t>(call.arguments[i][lane] >> (8 * byte)));
          const std::string one = fmt::format("%l{}", names++);
          if (type.isScalar()) {
            whole = one;
            continue;
          }
          body += fmt::format("  %i{} = insertelement {} {}, {} {}, i32 {}\n", names, type.str(), whole,
                              type.lane().str(), one, lane);
          whole = fmt::format("%i{}", names++);
        }
        all += fmt::format("{}{} {}{}", i == 0 ? "" : ", ", type.str(), f.extensions[i], whole);
      }
      body += fmt::format("  %r{} = call {} @{}({})\n", names, f.result.str(), f.name, all);
      const unsigned result = names++;
      for (unsigned lane = 0; lane < f.result.lanes; ++lane, out += 16)
        body += stored(f.result, result, lane, out, names);
    }
    add("\n@in = global {}, align 8\n@out = global [{} x i8] zeroinitializer, section \".dpu_host\", align 8\n",
        bytes(in), out + 16);
    add("\ndefine i32 @main() {{\n{}  ret i32 0\n}}\n", body);
  }

  static std::string stored(const IrType &type, unsigned result, unsigned lane, unsigned out, unsigned &names) {
    const IrType one = type.lane();
    std::string text, value = fmt::format("%r{}", result);
    const auto step = [&](const std::string &what) {
      value = fmt::format("%e{}", names++);
      text += fmt::format("  {} = {}\n", value, what);
    };
    if (!type.isScalar()) step(fmt::format("extractelement {} {}, i32 {}", type.str(), value, lane));
    if (!one.isInt()) {
      const std::string number = value;
      step(fmt::format("fcmp uno {} {}, 0.0", one.str(), value));
      step(fmt::format("select i1 {}, {} 0x7FF8000000000000, {} {}", value, one.str(), one.str(), number));
      step(fmt::format("bitcast {} {} to i{}", one.str(), value, one.bits));
    }
    const unsigned bits = one.bits > 64 ? 128 : 64;
    if (one.bits != bits) step(fmt::format("zext i{} {} to i{}", one.bits, value, bits));
    text += fmt::format("  %q{0} = getelementptr i8, ptr @out, i32 {1}\n  store i{3} {2}, ptr %q{0}, align 8\n",
                        names++, out, value, bits);
    return text;
  }

  const IrModule &module_;
  const IrFunction *f_ = nullptr;
  std::string out_;
  std::vector<std::string> declarations_;
};

}  // namespace pimento::test
