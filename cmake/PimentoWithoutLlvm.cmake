# Which tests a build without LLVM has to run again: those of rooms that are another program there. All others are the
# same text under the same flags, and the build with LLVM has run them.
#
# What PIMENTO_WITH_LLVM changes is marked by its sources: a library that is other without LLVM has files named
# without_*.cpp there. A room of src/ is other where its library is, or links one that is (frontend, backend_dpu, driver).
# Folders of tests that are no room of src/ (cli, capi, scripts, upmem, ...) are, where what their fast entries run or link is.
#
# In a build without LLVM this leaves the target `tests_without_llvm`, which builds the fast tests of those rooms, and in
# the build folder the file rooms-without-llvm: a pattern for `ctest -L`.
if(PIMENTO_WITH_LLVM)
  return()
endif()

# Sets `result` to whether `target`, or what it links or waits for, has sources that stand in for LLVM.
function(pimento_is_other_without_llvm target result)
  get_property(known GLOBAL PROPERTY pimento_is_other_${target})
  if("${known}" STREQUAL "")
    set(known FALSE)
    get_target_property(type ${target} TYPE)
    get_target_property(sources ${target} SOURCES)
    if(sources MATCHES "without_[a-z_]+\\.cpp")
      set(known TRUE)
    else()
      foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES MANUALLY_ADDED_DEPENDENCIES)
        get_target_property(others ${target} ${property})
        string(REGEX REPLACE "\\$<(BUILD_INTERFACE|LINK_ONLY):([^<>]*)>" "\\2" others "${others}")
        foreach(other ${others})
          if(TARGET ${other} AND NOT known)
            pimento_is_other_without_llvm(${other} known)
          endif()
        endforeach()
      endforeach()
    endif()
    set_property(GLOBAL PROPERTY pimento_is_other_${target} ${known})
  endif()
  set(${result} ${known} PARENT_SCOPE)
endfunction()

get_property(rooms GLOBAL PROPERTY pimento_rooms_of_tests)
list(REMOVE_DUPLICATES rooms)
list(SORT rooms)
set(others "")
add_custom_target(tests_without_llvm)
foreach(room ${rooms})
  get_property(targets GLOBAL PROPERTY pimento_targets_of_room_${room})
  set(asked ${targets})
  if(TARGET pimento_${room})
    set(asked pimento_${room})
  endif()
  set(is_other FALSE)
  foreach(target ${asked})
    if(NOT is_other)
      pimento_is_other_without_llvm(${target} is_other)
    endif()
  endforeach()
  if(is_other)
    list(APPEND others ${room})
    if(targets)
      add_dependencies(tests_without_llvm ${targets})
    endif()
  endif()
endforeach()
list(JOIN others "|" others)
file(WRITE ${CMAKE_BINARY_DIR}/rooms-without-llvm "^(${others})$\n")
