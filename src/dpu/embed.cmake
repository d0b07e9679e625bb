# Writes OUTPUT, a C++ source that holds the text of FILES: cmake -DOUTPUT=... "-DFILES=a;b" -P embed.cmake
set(entries "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  # Compilers limit the length of one literal: a new one every 8,000 characters.
  string(LENGTH "${text}" length)
  set(literals "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 part)
    string(APPEND literals "R\"pimento(${part})pimento\" ")
    math(EXPR at "${at} + 8000")
  endwhile()
  if(literals STREQUAL "")
    set(literals "\"\"")
  endif()
  string(APPEND entries "      {\"${name}\", ${literals}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from src/dpu/runtime.
#include \"pimento/dpu/runtime.h\"

namespace pimento::dpu {

const std::vector<RuntimeFile> &runtimeFiles() {
  static const std::vector<RuntimeFile> files = {
${entries}  };
  return files;
}

}  // namespace pimento::dpu
")
