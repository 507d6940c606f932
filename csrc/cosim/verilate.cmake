# SPDX-License-Identifier: Apache-2.0
# Library sm_cosim.
file(GLOB cosim_sources CONFIGURE_DEPENDS csrc/cosim/*.c)
add_library(sm_cosim STATIC ${cosim_sources})
target_include_directories(sm_cosim PUBLIC csrc .)
target_compile_options(sm_cosim PRIVATE ${STRICT})
target_link_libraries(sm_cosim PUBLIC dl)
