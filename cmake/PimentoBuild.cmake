# Build settings shared by every room, and the one function that declares a room.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Headers stand beside their sources and are included as "pimento/ROOM/NAME.h", in the tree as installed.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/include/pimento SYMBOLIC)
# Data lie where an installed copy has them (src/driver/data_folder.h).
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/pimento)
foreach(data hosts kernels llms machines validation)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${data} ${CMAKE_BINARY_DIR}/share/pimento/${data} SYMBOLIC)
endforeach()
add_library(pimento_settings INTERFACE)
target_include_directories(pimento_settings INTERFACE $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
target_compile_options(pimento_settings INTERFACE -Wall -Wextra -Wconversion -Wno-sign-conversion
                       $<$<BOOL:${PIMENTO_WERROR}>:-Werror>)
if(PIMENTO_SANITIZE)
  # g++ takes more than twice as long to optimise instrumented code as to compile it; only engines gain from it.
  # The release build has seen all warnings; under a sanitizer g++ 12 gives false ones. Tests are compiled as in the
  # release build (test/CMakeLists.txt): what they call is instrumented, and ccache has their objects.
  set(PIMENTO_OPTIMISED_ROOMS base kernel program dpu sim tdfg)
  add_compile_definitions(PIMENTO_SANITIZE _GLIBCXX_ASSERTIONS)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O0 -w)
  add_link_options(-fsanitize=address,undefined)
endif()
if(PIMENTO_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -g)
  add_compile_definitions(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
  add_link_options(-fsanitize=address,undefined)
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)

# pimento_room(NAME DEPENDS rooms... [LIBS external...] [PRIVATE_LIBS external...] [ALONE files...] SOURCES files...)
# ALONE: sources whose private names others of the room have as well. Under sanitizers the rest is compiled eight files
# at a time, in about half the time; a "redefinition" there asks for another name, or for a place in this list.
function(pimento_room name)
  cmake_parse_arguments(R "" "" "DEPENDS;LIBS;PRIVATE_LIBS;ALONE;SOURCES" ${ARGN})
  add_library(pimento_${name} STATIC ${R_SOURCES})
  add_library(Pimento::${name} ALIAS pimento_${name})
  set(deps "")
  foreach(d ${R_DEPENDS})
    if(TARGET pimento_${d}_llvm)
      # A program that has LLVM in it takes the room itself, all others its face (PIMENTO_MLIR_FROM_HOST).
      list(APPEND deps "$<IF:$<BOOL:$<TARGET_PROPERTY:PIMENTO_MLIR_FROM_HOST>>,pimento_${d}_llvm,pimento_${d}>")
    else()
      list(APPEND deps pimento_${d})
    endif()
  endforeach()
  target_link_libraries(pimento_${name} PUBLIC ${deps} ${R_LIBS} PRIVATE ${R_PRIVATE_LIBS}
                        $<BUILD_INTERFACE:pimento_settings>)
  target_include_directories(pimento_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
  if(name IN_LIST PIMENTO_OPTIMISED_ROOMS)
    target_compile_options(pimento_${name} PRIVATE -O1)
  endif()
  if(PIMENTO_SANITIZE)
    set_target_properties(pimento_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    set_source_files_properties(${R_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# pimento_uses_llvm(TARGET include folders...): after find_package, for what includes headers of LLVM, Clang or MLIR.
function(pimento_uses_llvm target)
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  # NDEBUG as the libraries were built, in any build of ours: without it LLVM's classes have more virtual functions.
  target_compile_definitions(${target} PRIVATE ${definitions} NDEBUG)
  # SYSTEM: LLVM's headers do not pass our warnings.
  target_include_directories(${target} SYSTEM PRIVATE ${ARGN})
endfunction()

# pimento_exports(TARGET functions...): of a module that uses LLVM; it shows these functions and LLVM's own inline ones.
function(pimento_exports target)
  list(JOIN ARGN "; " entries)
  set(entries "${entries};")
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/llvm_exports.map.in ${map} @ONLY)
  target_link_options(${target} PRIVATE LINKER:--version-script=${map})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()

# pimento_embed(SOURCE HEADER NAMESPACE TYPE FUNCTION files...)
# Sets SOURCE to a C++ source, made while building, with the texts of the files: what HEADER declares as
# const std::vector<NAMESPACE::TYPE> &NAMESPACE::FUNCTION(), TYPE being {name, text}.
function(pimento_embed source header namespace type function)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DHEADER=${header} -DNAMESPACE=${namespace} -DTYPE=${type}
            -DFUNCTION=${function} "-DFILES=${ARGN}" -P ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake
    VERBATIM)
  set(${source} ${output} PARENT_SCOPE)
endfunction()
