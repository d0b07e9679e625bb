// What `profile` refuses: files that are no programs, or of other machines; what is missing to run them; parts that do
// not come; traces that are cut, altered or newer. Each has a message with a hint, and exit status 1. No QEMU is run.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "pimento/base/file.h"
#include "pimento/driver/options.h"
#include "pimento/driver/verbs.h"
#include "pimento/trace/file/writer.h"
#include "test/support/folder.h"
#include "test/support/rv64_program.h"

namespace pimento::driver {
namespace {

/// An executable of one segment that is not loaded; fields to change.
struct Head {
  std::uint16_t machine = EM_AARCH64, type = ET_EXEC;
  std::uint8_t wordSize = ELFCLASS64, order = ELFDATA2LSB;
};

std::string elf(const Head &head) {
  Elf64_Ehdr h{};
  std::memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = head.wordSize;
  h.e_ident[EI_DATA] = head.order;
  h.e_type = head.type;
  h.e_machine = head.order == ELFDATA2MSB ? static_cast<std::uint16_t>(head.machine << 8) : head.machine;
  return {reinterpret_cast<const char *>(&h), sizeof h};
}

/// A program that needs a loader, and a library where it is named.
std::string dynamicElf(const std::string &loader, const std::string &library = "") {
  Elf64_Ehdr h{};
  std::memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  h.e_ident[EI_DATA] = ELFDATA2LSB;
  h.e_type = ET_DYN;
  h.e_machine = EM_AARCH64;
  h.e_phoff = sizeof h;
  h.e_phentsize = sizeof(Elf64_Phdr);
  h.e_phnum = 1;
  h.e_shoff = sizeof h + sizeof(Elf64_Phdr);
  h.e_shentsize = sizeof(Elf64_Shdr);
  h.e_shnum = 2;
  Elf64_Phdr segment{};
  segment.p_type = PT_INTERP;
  Elf64_Shdr dynamic{}, names{};
  Elf64_Dyn entries[2] = {};
  entries[0].d_tag = library.empty() ? DT_NULL : DT_NEEDED;
  entries[0].d_un.d_val = 1;
  const std::uint64_t at = h.e_shoff + 2 * sizeof(Elf64_Shdr);
  dynamic.sh_type = SHT_DYNAMIC;
  dynamic.sh_link = 1;
  dynamic.sh_offset = at;
  dynamic.sh_size = sizeof entries;
  names.sh_type = SHT_STRTAB;
  names.sh_offset = at + sizeof entries;
  segment.p_offset = names.sh_offset + 1 + library.size() + 1;
  std::string out;
  const auto add = [&](const auto &part) { out.append(reinterpret_cast<const char *>(&part), sizeof part); };
  add(h);
  add(segment);
  add(dynamic);
  add(names);
  add(entries);
  return out + '\0' + library + '\0' + loader + '\0';
}

/// A field of an ELF header changed.
template <typename Field>
std::string with(std::string bytes, Field Elf64_Ehdr::*field, Field value) {
  Elf64_Ehdr h;
  std::memcpy(&h, bytes.data(), sizeof h);
  h.*field = value;
  std::memcpy(bytes.data(), &h, sizeof h);
  return bytes;
}

/// A trace of ten instructions, five times.
std::string trace() {
  std::ostringstream out;
  trace::file::Writer writer(out, false);
  trace::Program program;
  program.functions = {{"main", 0x1000, 40}};
  writer.onStart(program, false);
  trace::Block block;
  for (std::uint64_t i = 0; i < 10; ++i) {
    trace::Instruction in;
    in.address = 0x1000 + 4 * i;
    block.instructions.push_back(in);
  }
  for (int turn = 0; turn < 5; ++turn) writer.onBlock(block, 10, {});
  trace::ProgramEnd end;
  end.instructions = 50;
  EXPECT_TRUE(writer.finish(end));
  return out.str();
}

std::string changed(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}

/// What a case may set up.
struct Scene {
  test::Folder folder;
  Options options;

  void input(const std::string &bytes, const char *name = "p") {
    options.input = folder / name;
    std::ofstream(options.input, std::ios::binary) << bytes;
  }
  /// PATH has one program, which says `version`, and otherwise fails.
  void qemu(const std::string &version) {
    std::filesystem::create_directory(folder / "path");
    const std::string file = folder / "path/qemu-aarch64";
    std::ofstream(file) << "#!/bin/sh\n[ \"$1\" = --version ] && { echo '" << version << "'; exit; }\nexit 1\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    setenv("PATH", (folder / "path:/usr/bin:/bin").c_str(), 1);
  }
  void noQemu() { setenv("PATH", (folder / "").c_str(), 1); }
  /// A folder with a loader.
  void sysroot() {
    std::filesystem::create_directories(folder / "root/lib");
    std::ofstream(folder / "root/lib/ld.so") << "x";
    options.sysroot = folder / "root";
  }
};

constexpr const char *kGood = "qemu-aarch64 version 7.2.1 (Debian)";

struct Case {
  const char *what, *code;
  std::function<void(Scene &)> make;
  const char *says = "";  ///< in message or hint
};

const std::vector<Case> &cases() {
  static const std::vector<Case> kCases = {
      {"an empty file", "not-a-program", [](Scene &s) { s.input(""); }},
      {"a text", "not-a-program", [](Scene &s) { s.input("hello"); }},
      {"a script", "not-a-program", [](Scene &s) { s.input("#!/bin/sh\necho\n"); }, "interpreter"},
      {"a folder", "not-a-program", [](Scene &s) { s.options.input = s.folder / ""; }},
      {"no file", "unreadable-file", [](Scene &s) { s.options.input = s.folder / "none"; }},
      {"a program of a PC", "unsupported-program", [](Scene &s) { s.input(elf({.machine = EM_X86_64})); }},
      {"one of an old PC", "unsupported-program",
       [](Scene &s) { s.input(elf({.machine = EM_386, .wordSize = ELFCLASS32})); }},
      {"of a POWER machine", "unsupported-program", [](Scene &s) { s.input(elf({.machine = EM_PPC64})); }},
      {"of a MIPS machine", "unsupported-program", [](Scene &s) { s.input(elf({.machine = EM_MIPS})); }},
      {"big-endian AArch64", "unsupported-program", [](Scene &s) { s.input(elf({.order = ELFDATA2MSB})); },
       "big-endian"},
      {"big-endian Arm", "unsupported-program",
       [](Scene &s) { s.input(elf({.machine = EM_ARM, .wordSize = ELFCLASS32, .order = ELFDATA2MSB})); }, "big-endian"},
      {"32-bit RISC-V", "unsupported-program",
       [](Scene &s) { s.input(elf({.machine = EM_RISCV, .wordSize = ELFCLASS32})); }, "32-bit RISC-V"},
      {"AArch64 with 32-bit words", "unsupported-program", [](Scene &s) { s.input(elf({.wordSize = ELFCLASS32})); }},
      {"Arm with 64-bit words", "unsupported-program", [](Scene &s) { s.input(elf({.machine = EM_ARM})); }},
      {"an object file", "unsupported-program", [](Scene &s) { s.input(elf({.type = ET_REL})); }, "object file"},
      {"a core dump", "unsupported-program", [](Scene &s) { s.input(elf({.type = ET_CORE})); }},
      {"a header that is cut", "bad-elf", [](Scene &s) { s.input(elf({}).substr(0, 40)); }},
      {"segments outside the file", "bad-elf",
       [](Scene &s) {
         s.input(with(with(elf({}), &Elf64_Ehdr::e_phnum, Elf64_Half{3}), &Elf64_Ehdr::e_phoff, Elf64_Off{64}));
       }},
      {"sections outside the file", "bad-elf",
       [](Scene &s) {
         s.input(with(with(elf({}), &Elf64_Ehdr::e_shnum, Elf64_Half{3}), &Elf64_Ehdr::e_shoff, Elf64_Off{1} << 60));
       }},
      {"a loader's name outside the file", "bad-elf",
       [](Scene &s) {
         const std::string whole = dynamicElf("/lib/ld.so");
         s.input(whole.substr(0, whole.size() - 2));
       }},
      {"names of libraries outside the file", "bad-elf",
       [](Scene &s) {
         s.input(dynamicElf("/l", "libx.so")
                     .substr(0, sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + 2 * sizeof(Elf64_Shdr) + 40));
       }},
      {"no QEMU", "missing-qemu", [](Scene &s) { s.input(elf({})), s.noQemu(); }, "qemu-user"},
      {"a newer QEMU", "wrong-qemu", [](Scene &s) { s.input(elf({})), s.qemu("qemu-aarch64 version 9.1.0"); }, "9.1.0"},
      {"an older QEMU", "wrong-qemu", [](Scene &s) { s.input(elf({})), s.qemu("qemu-aarch64 version 5.2.0"); },
       "qemu-user"},
      {"a QEMU that says nothing", "wrong-qemu", [](Scene &s) { s.input(elf({})), s.qemu(""); }},
      {"no loader", "missing-loader", [](Scene &s) { s.input(dynamicElf("/no/such/ld.so")), s.qemu(kGood); },
       "--sysroot"},
      {"no loader below the folder", "missing-loader",
       [](Scene &s) { s.input(dynamicElf("/lib/other.so")), s.sysroot(), s.qemu(kGood); }, "--sysroot"},
      {"no library", "missing-library",
       [](Scene &s) { s.input(dynamicElf("/lib/ld.so", "libnowhere.so.1")), s.sysroot(), s.qemu(kGood); },
       "libnowhere.so.1"},
      {"a library of a library", "missing-library",
       [](Scene &s) {
         s.input(dynamicElf("/lib/ld.so", "libfirst.so"));
         s.sysroot();
         std::ofstream(s.folder / "root/lib/libfirst.so", std::ios::binary) << dynamicElf("", "libsecond.so");
         s.qemu(kGood);
       },
       "--sysroot"},
      {"an engine that there is not", "unknown-engine",
       [](Scene &s) { s.input(elf({})), s.options.engine = "interpeter"; }, "'interpreter'"},
      {"AArch64 in the interpreter", "interpreter-program",
       [](Scene &s) { s.input(elf({})), s.options.engine = "interpreter"; }, "not for RISC-V 64"},
      {"a dynamic program in the interpreter", "interpreter-program",
       [](Scene &s) {
         s.input(with(dynamicElf("/lib/ld.so"), &Elf64_Ehdr::e_machine, Elf64_Half{EM_RISCV}));
         s.options.engine = "interpreter";
       },
       "dynamic"},
      {"RISC-V without QEMU and with nothing to load", "bad-elf",
       [](Scene &s) { s.input(elf({.machine = EM_RISCV})), s.noQemu(); }},
      {"the engine of a trace", "trace-option",
       [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.engine = "qemu"; }, "--engine"},
      {"the reshaped program of a trace", "check-reshaped-engine",
       [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.checksReshaped = true; }, "--engine interpreter"},
      {"the reshaped program of QEMU's guest", "check-reshaped-engine",
       [](Scene &s) { s.input(elf({})), s.options.checksReshaped = true; }, "RISC-V 64"},
      {"the reshaped program of a part", "check-reshaped-part",
       [](Scene &s) {
         s.input(test::rv64::elfOf(test::rv64::Assembler().exit(0).code()));
         s.options.engine = "interpreter";
         s.options.checksReshaped = true;
         s.options.skip = 1;
       },
       "omit --skip"},
      {"a machine without a core", "unsupported-target",
       [](Scene &s) { s.input(elf({})), s.options.target = "hbm-pim"; }, "cim-a9"},
      {"an empty trace", "trace-magic", [](Scene &s) { s.input("", "t.ptrace"); }, "--save"},
      {"a text as a trace", "trace-magic", [](Scene &s) { s.input("hello", "t.ptrace"); }},
      {"a trace's first half", "trace-length",
       [](Scene &s) { s.input(trace().substr(0, trace().size() / 2), "t.ptrace"); }, "byte"},
      {"a trace without its last byte", "trace-length",
       [](Scene &s) { s.input(trace().substr(0, trace().size() - 1), "t.ptrace"); }},
      {"a trace and more", "trace-length", [](Scene &s) { s.input(trace() + "x", "t.ptrace"); }},
      {"an altered trace", "trace-checksum",
       [](Scene &s) { s.input(changed(trace(), trace().size() - 1), "t.ptrace"); }},
      {"a trace with altered blocks", "trace-checksum", [](Scene &s) { s.input(changed(trace(), 60), "t.ptrace"); },
       "byte"},
      {"a newer trace", "trace-version",
       [](Scene &s) {
         std::string bytes = trace();
         bytes[trace::file::kMagic.size()] = static_cast<char>(trace::file::kVersion + 1);
         s.input(bytes, "t.ptrace");
       },
       "newer"},
      {"arguments of a trace", "trace-option",
       [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.arguments = {"x"}; }},
      {"a folder of libraries of a trace", "trace-option",
       [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.sysroot = "/"; }, "--sysroot"},
      {"a start that never comes", "marker-not-reached",
       [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.start = "main:6"; }, "main:6"},
      {"a stop that never comes", "marker-not-reached",
       [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.stop = "0x2000"; }, "0x2000"},
      {"a function that is not there", "unknown-function",
       [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.start = "mian"; }, "'main'"},
      {"a count of nothing", "bad-marker", [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.start = "main:0"; }},
      {"an address of letters", "bad-marker", [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.stop = "0xyz"; }},
      {"a part behind the end", "no-instructions", [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.skip = 50; },
       "--skip"},
      {"a trace to nowhere", "unwritable-file",
       [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.save = s.folder / "no/such/t.ptrace"; }},
  };
  return kCases;
}

Outcome runOf(Scene &scene) {
  const std::string before = std::getenv("PATH");
  Outcome out = run(VerbId::kProfile, scene.options);
  setenv("PATH", before.c_str(), 1);
  locate(out.diagnostics, scene.options);  // as the tool does
  return out;
}

void expect(const Case &c, const Outcome &out) {
  EXPECT_EQ(out.status, 1) << c.what;
  ASSERT_FALSE(out.diagnostics.empty()) << c.what;
  const Diagnostic &d = out.diagnostics.front();
  EXPECT_EQ(d.code, c.code) << c.what << ": " << d.message;
  EXPECT_FALSE(d.hint.empty()) << c.what;
  EXPECT_FALSE(d.where.file.empty()) << c.what;
  EXPECT_NE((d.message + d.hint + d.where.file).find(c.says), std::string::npos) << c.what << ": " << d.str();
}

TEST(ProfileInputs, ThatAreRefusedSayWhy) {
  ASSERT_GE(cases().size(), 40U);
  for (const Case &c : cases()) {
    Scene scene;
    c.make(scene);
    expect(c, runOf(scene));
  }
}

/// Where the build's folders are not beside the program.
TEST(ProfileInputs, DISABLED_ThePluginIsNowhere) {
  Scene scene;
  scene.options.target = PIMENTO_SOURCE_DIR "/machines/cim-a9.yaml";
  scene.input(elf({}));
  scene.qemu(kGood);
  expect({"no plugin", "missing-plugin", {}, "install"}, runOf(scene));
}

TEST(ProfileInputs, ThatHaveNoPluginSaySo) {
  const test::Folder folder;
  std::filesystem::copy_file("/proc/self/exe", folder / "moved");
  const std::string command =
      (folder / "moved") +
      " --gtest_also_run_disabled_tests --gtest_filter=ProfileInputs.DISABLED_ThePluginIsNowhere >" + (folder / "said");
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(ProfileInputs, OfOtherVerbsAreNoTraces) {
  for (const VerbId verb : {VerbId::kEstimate, VerbId::kSimulate, VerbId::kCompile}) {
    Scene scene;
    scene.input(trace(), "t.ptrace");
    const Outcome out = run(verb, scene.options);
    EXPECT_EQ(out.status, 1);
    ASSERT_FALSE(out.diagnostics.empty());
    EXPECT_EQ(out.diagnostics.front().code, "host-program");
    EXPECT_NE(out.diagnostics.front().hint.find("pimento profile"), std::string::npos);
  }
}

/// A shipped cell with one line of it changed.
std::string cellWith(const std::string &from, const std::string &to) {
  std::string text = *readFile(PIMENTO_SOURCE_DIR "/machines/cells/fefet.yaml");
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ProfileInputs, OfChoicesThatCannotBeSayWhy) {
  const auto option = [](std::string Options::*field, const char *value) {
    return [field, value](Scene &s) { s.options.*field = value; };
  };
  const auto set = [](const char *value) { return [value](Scene &s) { s.options.sets = {value}; }; };
  const auto cell = [](std::string text) {
    return [text = std::move(text)](Scene &s) {
      s.options.technology = s.folder / "cell.yaml";
      std::ofstream(s.options.technology) << text;
    };
  };
  const std::vector<Case> refused = {
      {"an unknown cell", "unknown-cell", option(&Options::technology, "fefett"), "'fefet'"},
      {"a cell that is nowhere", "unreadable-file", option(&Options::technology, "nowhere.yaml"), "nowhere.yaml"},
      {"a cell without units", "bare-number", cell(cellWith("bitlines: 4 fJ", "bitlines: 4")), "pJ"},
      {"a cell with another unit", "wrong-unit", cell(cellWith("cell: 0.5 fJ", "cell: 0.5 ns")), "pJ"},
      {"a cell below zero", "impossible-value", cell(cellWith("sense: 2 fJ", "sense: -2 fJ")), "sense"},
      {"a cell that never is read", "missing-key", cell(cellWith("  time: 0.4 ns\n", "")), "time"},
      {"a cell with a word too many", "unknown-key", cell(cellWith("leakage:", "leek: 1 ratio\nleakage:")), "leek"},
      {"a cell that is a list", "yaml-syntax", cell("[1, 2"), "YAML"},
      {"a cell that is a text", "yaml-syntax", cell("hello"), "mapping"},
      {"an empty cell", "yaml-syntax", cell(""), "mapping"},
      {"a choice too many", "empty-choice", option(&Options::technology, "sram,"), "comma"},
      {"an unknown set", "unknown-set", option(&Options::arrays, "destinyy"), "'destiny'"},
      {"a set without this geometry", "no-such-array", option(&Options::arrays, "table3"), "64 KiB"},
      {"a set without this cell", "no-such-cell",
       [](Scene &s) { s.options.arrays = "release-constants", s.options.technology = "stt-mram"; }, "fefet"},
      {"caches of nothing", "impossible-value", option(&Options::caches, "0KiB"), "from 64"},
      {"caches without a unit", "bad-caches", option(&Options::caches, "32"), "32KiB"},
      {"caches of an unknown unit", "wrong-unit", option(&Options::caches, "32KiBB"), "'KiB'"},
      {"sets that are no power of two", "impossible-value", option(&Options::caches, "48KiB"), "power of two"},
      {"a cache too many", "bad-caches", option(&Options::caches, "16KiB+64KiB+1MiB"), "l1d and l2"},
      {"no ways", "impossible-value", option(&Options::caches, "32KiB/0"), "from 1"},
      {"more ways than there are", "impossible-value", option(&Options::caches, "32KiB/100000"), "64"},
      {"no sizes between commas", "empty-choice", option(&Options::caches, "32KiB,,64KiB"), "comma"},
      {"a size that the set has no operations for", "no-cim-energy", option(&Options::caches, "64KiB"), "--arrays"},
      {"a level that is not there", "unknown-name", option(&Options::levels, "l3"), "l2"},
      {"a level without a name", "empty-choice", option(&Options::levels, "l1d+"), "+"},
      {"a level twice", "duplicate-choice", option(&Options::levels, "l1d+l1d"), "l1d"},
      {"a cache of instructions", "no-cim-energy", option(&Options::levels, "l1i"), "l1i"},
      {"an unknown locality", "bad-locality", option(&Options::locality, "nearby"), "bank"},
      {"an unknown way of moving", "unknown-choice", set("cim.moves=maybe"), "copy"},
      {"an unknown way of accepting", "unknown-choice", set("cim.accept=cheap"), "energy"},
      {"rows of no word", "impossible-value", set("cim.row_words=0"), "from 1"},
      {"operations of seven bits", "impossible-value", set("cim.width=7"), "from 8"},
      {"an unknown set of energies", "unknown-choice", set("energy.set=nope"), "release-constants"},
      {"lines shorter than above", "impossible-value", set("caches.l2.line=32 B"), "lines of l1"},
      {"a machine whose caches do not compute", "missing-section",
       [](Scene &s) { s.options.target = "hbm-pim", s.options.levels = "l1d"; }, "cim-a9"},
  };
  for (const Case &c : refused) {
    Scene scene;
    scene.input(trace(), "t.ptrace");
    c.make(scene);
    expect(c, runOf(scene));
  }
}

TEST(ProfileInputs, OfExploreAreSweptAndNothingElse) {
  const std::vector<Case> refused = {
      {"no sweep", "trace-sweep", [](Scene &s) { s.input(trace(), "t.ptrace"); }, "--sweep"},
      {"options of kernels", "sweep-option",
       [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.sizes = {"m=4"}, s.options.sweeps = {"core.rob=20"}; },
       "saved traces"},
      {"options of mappings", "sweep-option",
       [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.orders = "all", s.options.sweeps = {"core.rob=20"}; },
       "saved traces"},
      {"a size", "sweep-unknown", [](Scene &s) { s.input(trace(), "t.ptrace"), s.options.sweeps = {"size.m=4"}; }},
      {"two choices", "one-choice",
       [](Scene &s) {
         s.input(trace(), "t.ptrace");
         s.options.levels = "l1d,l2";
         s.options.sweeps = {"core.rob=20"};
       },
       "l1d+l2"},
      {"caches of a host with a kernel", "host-option",
       [](Scene &s) { s.options.input = "gemv", s.options.levels = "l1d", s.options.sweeps = {"tRP=10"}; }, "--levels"},
      {"half a trace", "trace-length",
       [](Scene &s) {
         s.input(trace().substr(0, trace().size() / 2), "t.ptrace");
         s.options.sweeps = {"core.rob=20,30"};
       }},
  };
  for (const Case &c : refused) {
    Scene scene;
    c.make(scene);
    scene.options.isQuiet = true;
    Outcome out = run(VerbId::kExplore, scene.options);
    locate(out.diagnostics, scene.options);
    expect(c, out);
  }
}

TEST(ProfileInputs, ThatAreTracesNeedNothingElse) {
  Scene scene;
  scene.input(trace(), "renamed");
  scene.noQemu();
  scene.options.isJson = true;
  const Outcome out = runOf(scene);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics.front().str());
  EXPECT_NE(out.text.find("\"instructions\": 50"), std::string::npos);
}

TEST(ProgramStages, ThatFailLeaveTheOutputAsItWas) {
  const test::Folder folder;
  std::ofstream(folder / "out") << "before";
  Scene scene;
  scene.input("no trace at all", "t.ptrace");
  scene.options.emit = "trace";
  scene.options.output = folder / "out";
  EXPECT_EQ(run(VerbId::kCompile, scene.options).status, 1);
  EXPECT_EQ(*readFile(folder / "out"), "before");
  EXPECT_FALSE(std::filesystem::exists(folder / "out.part"));
}

TEST(ProgramStages, MayReplaceTheTraceThatTheyShow) {
  Scene scene;
  scene.input(trace(), "t.ptrace");
  scene.options.emit = "idg";
  scene.options.output = scene.options.input;
  const Outcome out = run(VerbId::kCompile, scene.options);
  EXPECT_EQ(out.status, 0);
  EXPECT_TRUE(out.isOutputWritten);
  EXPECT_EQ(readFile(scene.options.input)->rfind("# ", 0), 0U);
}

TEST(ProgramStages, HeedWhereCachesCompute) {
  Scene scene;
  scene.input(trace(), "t.ptrace");
  scene.options.emit = "candidates";
  scene.options.locality = "nowhere";
  const Outcome out = run(VerbId::kCompile, scene.options);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics.front().code, "bad-locality");
}

TEST(ProgramStages, OfKernelsTakeNoArguments) {
  Options options;
  options.input = "gemv";
  options.arguments = {"extra"};
  const Outcome out = run(VerbId::kCompile, options);
  EXPECT_EQ(out.status, 1);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics.front().code, "unexpected-argument");
}

TEST(ProgramStages, AreNoneOfMachinesWithoutACore) {
  Scene scene;
  scene.input(trace(), "t.ptrace");
  scene.options.emit = "candidates";
  scene.options.target = "upmem";
  const Outcome out = run(VerbId::kCompile, scene.options);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics.front().code, "unsupported-target");
}

}  // namespace
}  // namespace pimento::driver
