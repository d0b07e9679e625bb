# What `make install` and the Debian package hold: the tool, one shared library of all rooms with its headers, the module
# of what needs LLVM (src/CMakeLists.txt), the Python package, the data, and what CMake and pkg-config need to find them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(rooms base kernel machine mapping program trace tdfg energy dpu sim lower search evaluate tune emit targets frontend_nest frontend guest driver)
list(TRANSFORM rooms PREPEND pimento_ OUTPUT_VARIABLE room_libraries)

# The rooms' static libraries, whole, in one shared library: a user links -lpimento and needs none of the libraries
# behind it; LLVM comes with the module.
file(WRITE ${CMAKE_BINARY_DIR}/shared.cpp "")
add_library(pimento_shared SHARED ${CMAKE_BINARY_DIR}/shared.cpp)
target_link_libraries(pimento_shared PRIVATE ${room_libraries})
list(JOIN room_libraries "," all_rooms)
set_target_properties(pimento_shared PROPERTIES
  OUTPUT_NAME pimento EXPORT_NAME pimento VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${all_rooms}")
target_include_directories(pimento_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(pimento_shared INTERFACE cxx_std_20)
if(PIMENTO_SANITIZE OR PIMENTO_FUZZ)
  set_target_properties(pimento_shared PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

install(TARGETS pimento RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS pimento_shared EXPORT PimentoTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Headers of the front end's and the page's insides need libraries that users need not have.
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pimento FILES_MATCHING PATTERN "*.h" PATTERN "*.def"
        PATTERN "frontend/mlir" EXCLUDE PATTERN "frontend/c" EXCLUDE PATTERN "frontend/native" EXCLUDE PATTERN "frontend/decoder/mc.h" EXCLUDE
        PATTERN "backend_dpu/target" EXCLUDE PATTERN "dpu/include" EXCLUDE PATTERN "emit/html/*" EXCLUDE)
install(FILES src/emit/html/page.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pimento/emit/html)
# The Python package, where Debian's Python looks below /usr; it finds the library beside it.
install(DIRECTORY python/pimento DESTINATION lib/python3/dist-packages
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY hosts llms machines validation examples DESTINATION ${CMAKE_INSTALL_DATADIR}/pimento USE_SOURCE_PERMISSIONS)
install(DIRECTORY kernels/infinity-stream DESTINATION ${CMAKE_INSTALL_DATADIR}/pimento/kernels)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Pimento)
install(EXPORT PimentoTargets NAMESPACE Pimento:: DESTINATION ${package_folder})
configure_package_config_file(cmake/PimentoConfig.cmake.in ${CMAKE_BINARY_DIR}/PimentoConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/PimentoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/PimentoConfig.cmake ${CMAKE_BINARY_DIR}/PimentoConfigVersion.cmake
        DESTINATION ${package_folder})
file(RELATIVE_PATH prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/pimento.pc.in ${CMAKE_BINARY_DIR}/pimento.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/pimento.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "Pimento")
set(CPACK_PACKAGE_CONTACT "Pimento maintainers <maintainers@pimento.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Compiles one kernel for a memory-centric machine, proves that the compiled program
 computes the right answer, and says how long it takes and what energy it costs.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# XGBoost is loaded when it is first asked for: tune --engine predictor.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-numpy, libxgboost0")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-matplotlib, python3-pandas")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
include(CPack)
