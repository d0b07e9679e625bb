// A file of C as a Graph: chooses the function, and runs the steps one after the other.
#include <string>
#include <vector>

#include "clang/Basic/SourceManager.h"
#include "pimento/frontend/c/kernel_function.h"
#include "pimento/frontend/c/kernel_parse.h"
#include "pimento/frontend/c/kernel_reader.h"
#include "pimento/frontend/c/kernel_shapes.h"
#include "pimento/frontend/frontend.h"
#include "pimento/frontend/graph_builder.h"
#include "pimento/frontend/nest/schedule.h"

namespace pimento::frontend {

namespace {

class Import {
 public:
  Import(std::string file, const CKernelOptions &options) : file_(std::move(file)), options_(options) {}

  void operator()(clang::ASTContext &context) {
    const auto function = chooseFunction(context, Location{file_}, options_.function);
    if (!function) return found_.push_back(function.diagnostics().front());
    const clang::FunctionDecl &f = **function;
    const clang::PresumedLoc at =
        context.getSourceManager().getPresumedLoc(context.getSourceManager().getExpansionLoc(f.getLocation()));
    NestProgram program(f.getNameAsString(), at.isValid() ? Location{at.getFilename(), static_cast<int>(at.getLine()),
                                                                     static_cast<int>(at.getColumn())}
                                                          : Location{file_});
    const kernel::Sizes sizes = sizesOf(context, f, options_.sizes);
    CReader reader(context, program, sizes);
    if (!reader.read(f)) {
      found_ = std::move(reader.diagnostics());
      return;
    }
    if (Status s = build(program); !s) found_ = std::move(s.diagnostics());
  }

  Result<CKernels> take() {
    if (!found_.empty()) return std::move(found_);
    return std::move(made_);
  }

 private:
  Status build(NestProgram &program) {
    tidy(program);
    if (Status s = shapeBuffers(program); !s) return s;
    GraphBuilder builder(program.name, program.where);
    std::vector<int> buffers;
    Status emitted = emitKernels(program, schedule(program), builder, buffers);
    if (!emitted) return renamed(std::move(emitted.diagnostics()));
    for (std::size_t b = 0; b < program.buffers.size(); ++b) {
      if (program.buffers[b].kind == NestBuffer::Kind::kResult) builder.returned(buffers[b], program.where);
    }
    Result<kernel::Graph> graph =
        builder.finish("it needs a loop or statement that stores to a parameter or returns a value");
    if (!graph) return renamed(std::move(graph.diagnostics()));
    made_ = {std::move(*graph), std::move(program.warnings)};
    return okStatus();
  }

  static Diagnostics renamed(Diagnostics found) {
    rename(found, {{"uninitialized", "c-uninitialized"},
                   {"missing-size", "c-bounds"},
                   {"bad-form", "c-bounds"},  // of a row of a selection
                   {"unsupported-access", "c-not-affine"},
                   {"loop-dependence", "c-dependence"},
                   {"out-of-bounds", "c-bounds"},
                   {"duplicate-write", "c-overwrite"},
                   {"self-dependence", "c-dependence"},
                   {"too-large", "c-too-large"},
                   {"no-kernel", "c-function"}});
    return found;
  }

  std::string file_;
  const CKernelOptions &options_;
  Diagnostics found_;
  CKernels made_;
};

}  // namespace

bool hasKernelC() {
  return true;
}

struct CFile::Read {
  CTree tree;
  std::string file, function;
};

Result<CFile> CFile::read(std::string_view text, std::string_view file, const std::string &function,
                          const CPreprocessing &preprocessing) {
  Result<CTree> tree = CTree::parse(text, file, preprocessing);
  if (!tree) return std::move(tree.diagnostics());
  return CFile(std::make_shared<const Read>(Read{std::move(*tree), std::string(file), function}));
}

Result<CKernels> CFile::bind(const kernel::Sizes &sizes) const {
  const CKernelOptions options{read_->function, sizes, {}};
  Import import{read_->file, options};
  if (Status s = read_->tree.use([&](clang::ASTContext &context) { import(context); }); !s)
    return std::move(s.diagnostics());
  return import.take();
}

Result<std::vector<std::string>> CFile::sizes() const {
  Result<std::vector<std::string>> found = std::vector<std::string>{};
  const Status s = read_->tree.use([&](clang::ASTContext &context) {
    const auto function = chooseFunction(context, Location{read_->file}, read_->function);
    found =
        function ? Result<std::vector<std::string>>(openSizesOf(context, **function)) : function.diagnostics().front();
  });
  if (!s) return s.diagnostics();
  return found;
}

Result<CKernels> importC(std::string_view text, std::string_view file, const CKernelOptions &options) {
  Result<CFile> read = CFile::read(text, file, options.function, options.preprocessing);
  if (!read) return std::move(read.diagnostics());
  return read->bind(options.sizes);
}

}  // namespace pimento::frontend
