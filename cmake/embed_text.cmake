# Writes OUTPUT, a C++ source that holds the text of FILES as what HEADER declares: NAMESPACE::FUNCTION() gives a
# std::vector<TYPE>, TYPE being {name, text}.
#   cmake -DOUTPUT=... -DHEADER=... -DNAMESPACE=... -DTYPE=... -DFUNCTION=... "-DFILES=a;b" -P embed_text.cmake
set(entries "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  # Compilers limit the length of one literal: a new one every 8,000 characters.
  string(LENGTH "${text}" length)
  set(literals "\"\"")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 part)
    string(APPEND literals " R\"pimento(${part})pimento\"")
    math(EXPR at "${at} + 8000")
  endwhile()
  string(APPEND entries "      {\"${name}\", ${literals}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

const std::vector<${TYPE}> &${FUNCTION}() {
  static const std::vector<${TYPE}> files = {
${entries}  };
  return files;
}

}  // namespace ${NAMESPACE}
")
