# SPDX-License-Identifier: Apache-2.0
# Library sm_cosim, the shared Verilator runtime, and the Verilated variants of the presets' shapes.
# verilate.sh makes each variant, and makes other shapes at run time.
set(COSIM_DATA ${CMAKE_BINARY_DIR}/data)
set(COSIM_VARIANTS ${COSIM_DATA}/variants)

find_program(VERILATOR verilator)
if(NOT VERILATOR)
  message(FATAL_ERROR "verilator is missing: apt install verilator")
endif()
execute_process(COMMAND ${VERILATOR} --version OUTPUT_VARIABLE VERILATOR_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE VERILATOR_ROOT
  OUTPUT_STRIP_TRAILING_WHITESPACE)
set(VERILATOR_INCLUDE ${VERILATOR_ROOT}/include)

file(GLOB cosim_sources CONFIGURE_DEPENDS csrc/cosim/*.c)
add_library(sm_cosim STATIC ${cosim_sources})
target_include_directories(sm_cosim PUBLIC csrc .)
target_compile_options(sm_cosim PRIVATE ${STRICT})
target_link_libraries(sm_cosim PUBLIC dl)

# A row per block in blocks.h; its family is the folder of its contract.
file(READ csrc/cosim/blocks.h blocks_text)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS csrc/cosim/blocks.h)
string(REGEX MATCHALL "\n    B\\([a-z0-9_]+" blocks "${blocks_text}")
list(TRANSFORM blocks REPLACE "\n    B\\(" "")
set(contracts "// Made by csrc/cosim/verilate.cmake: the contract of every block, and its family.\n")
foreach(block ${blocks})
  file(GLOB ${block}_contract RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS models/*/${block}.h)
  list(LENGTH ${block}_contract count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "block ${block} of csrc/cosim/blocks.h: one contract models/<family>/${block}.h expected, found ${count}")
  endif()
  string(REGEX REPLACE "models/(.*)/.*" "\\1" family ${${block}_contract})
  string(APPEND contracts "#include \"${${block}_contract}\"\n#define ${block}_FAMILY \"${family}\"\n")
endforeach()
set(COSIM_GENERATED ${CMAKE_BINARY_DIR}/generated)
file(CONFIGURE OUTPUT ${COSIM_GENERATED}/contracts.h CONTENT "@contracts@" @ONLY)
target_include_directories(sm_cosim PUBLIC ${COSIM_GENERATED})
target_include_directories(sm_verify PRIVATE ${COSIM_GENERATED})

# One runtime for all variants and the program, so that models of several shared objects write one wave file.
add_library(smcosim_rt SHARED csrc/cosim/shim/runtime.cc ${VERILATOR_INCLUDE}/verilated.cpp
  ${VERILATOR_INCLUDE}/verilated_cov.cpp ${VERILATOR_INCLUDE}/verilated_fst_c.cpp
  ${VERILATOR_INCLUDE}/verilated_threads.cpp)
target_include_directories(smcosim_rt PRIVATE csrc ${VERILATOR_INCLUDE} ${VERILATOR_INCLUDE}/vltstd)
target_compile_options(smcosim_rt PRIVATE -w -include ${CMAKE_SOURCE_DIR}/csrc/cosim/shim/checked_io.h)
target_compile_definitions(smcosim_rt PRIVATE VL_USER_FATAL VL_USER_STOP VL_USER_FINISH VM_SC=0 VM_TRACE=1 VM_TRACE_FST=1
  VERILATOR_VERSION_TEXT="${VERILATOR_VERSION}")
set_source_files_properties(${VERILATOR_INCLUDE}/verilated_fst_c.cpp PROPERTIES COMPILE_DEFINITIONS SMCOSIM_IO_CHECKED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
target_link_libraries(smcosim_rt PRIVATE Threads::Threads ZLIB::ZLIB)
set_target_properties(smcosim_rt PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${COSIM_VARIANTS})

# Settings of verilate.sh, at build and at run time. Blocks are compiled by clang if it is installed
# and works. Its code runs up to a tenth faster than gcc's and takes no longer to compile
# (bench/blocks.md). SMCOSIM_VARIANT_CXX names another compiler.
find_program(SMCOSIM_VARIANT_CXX NAMES clang++ clang++-16 clang++-15 clang++-14 DOC "C++ compiler of the Verilated blocks")
set(variant_cxx ${CMAKE_CXX_COMPILER})
set(variant_flags "-O2 -fno-gnu-unique")
set(variant_compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if(SMCOSIM_VARIANT_CXX)
  file(WRITE ${CMAKE_BINARY_DIR}/variant_cxx.cc "#include <memory>\nint f() { return *std::make_unique<int>(1); }\n")
  execute_process(COMMAND ${SMCOSIM_VARIANT_CXX} -std=c++17 -fPIC -shared -o ${CMAKE_BINARY_DIR}/variant_cxx.so
                          ${CMAKE_BINARY_DIR}/variant_cxx.cc RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(variant_cxx ${SMCOSIM_VARIANT_CXX})
    execute_process(COMMAND ${variant_cxx} --version OUTPUT_VARIABLE variant_compiler OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "\n.*" "" variant_compiler "${variant_compiler}")
    if(variant_compiler MATCHES clang)
      set(variant_flags -O2)
    endif()
  else()
    message(WARNING "${SMCOSIM_VARIANT_CXX} does not build a C++ library: the blocks are compiled by ${CMAKE_CXX_COMPILER}")
  endif()
endif()
if(SMCOSIM_NATIVE)
  string(APPEND variant_flags " -march=native")
endif()
file(CONFIGURE OUTPUT ${COSIM_VARIANTS}/toolchain CONTENT "verilator=@VERILATOR_VERSION@
include=@VERILATOR_INCLUDE@
cxx=@variant_cxx@
cxxflags=@variant_flags@
launcher=@CMAKE_CXX_COMPILER_LAUNCHER@
version=@VERILATOR_VERSION@; @variant_compiler@ @variant_flags@
" @ONLY)
if(NOT EXISTS ${COSIM_DATA}/cosim)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/csrc/cosim ${COSIM_DATA}/cosim SYMBOLIC)
endif()

add_executable(cosim_prebuild csrc/cosim/prebuild/prebuild.c)
target_compile_options(cosim_prebuild PRIVATE ${STRICT})
target_link_libraries(cosim_prebuild PRIVATE sm_cosim)
set_target_properties(cosim_prebuild PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tools)

# A stamp per block and machine. If a shape exists already, verilate.sh finds it and builds nothing.
# Prebuilt at the default machine's shape: the blocks that the SM drives, banked_rf also with its
# seeded faults (README.md shows one). Prebuilt at the smallest shape: every block with its seeded
# faults, for the tests. Without a selected fault it is the plain module. Other variants are
# Verilated at their first use.
set(machines ${CMAKE_SOURCE_DIR}/csrc/config/machines/fermi.yaml ${CMAKE_SOURCE_DIR}/csrc/config/machines/tiny.yaml)
file(GLOB_RECURSE rtl_files CONFIGURE_DEPENDS rtl/*.sv rtl/*.svh rtl/*.vlt rtl/*.groups rtl/*.leaves rtl/*.faults)
set(stamps "")
set(demo_stamps "")
foreach(block ${blocks})
  foreach(file ${machines})
    get_filename_component(machine ${file} NAME_WE)
    if(machine STREQUAL tiny)
      set(kinds testbug)
    elseif(block MATCHES "^(banked_rf|operand_collector|rf_datapath)$")
      set(kinds plain)
      if(block STREQUAL banked_rf)
        list(APPEND kinds testbug)
      endif()
    else()
      set(kinds "")
    endif()
    foreach(kind ${kinds})
      set(stamp ${COSIM_VARIANTS}/${block}.${machine}.${kind}.stamp)
      add_custom_command(OUTPUT ${stamp}
        COMMAND cosim_prebuild ${COSIM_DATA} ${machine} ${block} ${kind}
        COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
        DEPENDS cosim_prebuild ${rtl_files} ${machines} models/block.h ${${block}_contract} csrc/cosim/verilate.sh
          csrc/cosim/faults.sh csrc/cosim/faults.awk csrc/cosim/inputs.awk csrc/cosim/edge.awk
          csrc/cosim/leaves.awk csrc/cosim/shim/leaves.h csrc/cosim/shim/block_shim.cc csrc/cosim/shim/shim.h ${COSIM_VARIANTS}/toolchain
        COMMENT "Verilating ${block} for ${machine} (${kind})" VERBATIM)
      list(APPEND stamps ${stamp})
      if(machine STREQUAL fermi AND kind STREQUAL plain AND NOT block STREQUAL rf_datapath)
        list(APPEND demo_stamps ${stamp})  # variants that a run of the default architecture loads
      endif()
    endforeach()
  endforeach()
endforeach()
add_custom_target(variants ALL DEPENDS ${stamps} smcosim_rt)
add_custom_target(demo_variants DEPENDS ${demo_stamps} smcosim_rt)
