# SPDX-License-Identifier: Apache-2.0
# data/cuda/libcudart.so.<version>: one library per major version of CUDA, from the same sources. It has the name and
# symbol version that programs linked with `-cudart shared` require. No file of NVIDIA's is needed.
#
# Calls that nvcc --default-stream per-thread renames: blocking ones end in _ptds, the others in _ptsz.
set(CUDART_PTDS cudaMemcpy cudaMemcpy2D cudaMemcpy3D cudaMemcpyToSymbol cudaMemcpyFromSymbol cudaMemcpyToArray
  cudaMemcpyFromArray cudaMemcpy2DToArray cudaMemcpy2DFromArray cudaMemset cudaMemset2D cudaMemset3D)
set(CUDART_PTSZ cudaMemcpyAsync cudaMemcpy2DAsync cudaMemcpy3DAsync cudaMemcpyToSymbolAsync cudaMemcpyFromSymbolAsync
  cudaMemcpy2DToArrayAsync cudaMemcpy2DFromArrayAsync cudaMemcpyPeerAsync cudaMemsetAsync cudaMemset2DAsync
  cudaMemset3DAsync cudaMallocAsync cudaMallocFromPoolAsync cudaFreeAsync cudaMemPrefetchAsync cudaStreamAttachMemAsync
  cudaLaunchKernel __cudaLaunchKernel cudaLaunchKernelExC cudaLaunchCooperativeKernel cudaLaunchHostFunc
  cudaStreamSynchronize cudaStreamQuery cudaStreamWaitEvent cudaStreamGetFlags cudaStreamGetPriority
  cudaStreamIsCapturing cudaStreamBeginCapture cudaStreamBeginCaptureToGraph cudaStreamEndCapture cudaStreamGetCaptureInfo
  cudaStreamUpdateCaptureDependencies cudaGraphLaunch cudaGraphUpload cudaStreamAddCallback cudaEventRecord cudaEventRecordWithFlags)
file(GLOB cuda_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/csrc/cuda/*.c)
add_custom_target(cudart ALL)
foreach(version 11.0 12 13)
  string(REGEX REPLACE "[.].*" "" major ${version})
  set(name libcudart.so.${version})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${name}.map CONTENT "${name} {\n  global: cuda*; __cuda*;\n  local: *;\n};\n")
  add_library(cudart${major} SHARED ${cuda_sources})
  set_target_properties(cudart${major} PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME ${name} C_VISIBILITY_PRESET hidden
    NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/data/cuda LINK_DEPENDS ${CMAKE_BINARY_DIR}/generated/${name}.map)
  target_include_directories(cudart${major} PRIVATE csrc)
  target_compile_definitions(cudart${major} PRIVATE CUDART_VERSION_MAJOR=${major})
  # Programs are not built with sanitizers, nor on this machine only.
  target_compile_options(cudart${major} PRIVATE ${STRICT} -Wno-missing-field-initializers -fno-sanitize=all)
  target_link_options(cudart${major} PRIVATE -fno-sanitize=all -Wl,-soname,${name} -Wl,-z,defs
    -Wl,--version-script,${CMAKE_BINARY_DIR}/generated/${name}.map)
  foreach(call ${CUDART_PTDS})
    target_link_options(cudart${major} PRIVATE -Wl,--defsym=${call}_ptds=${call})
  endforeach()
  foreach(call ${CUDART_PTSZ})
    target_link_options(cudart${major} PRIVATE -Wl,--defsym=${call}_ptsz=${call})
  endforeach()
  add_dependencies(cudart cudart${major})
endforeach()
# libcuda.so.1, the driver API; it has no symbol versions.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/libcuda.so.1.map CONTENT "{\n  global: cu[A-Z]*;\n  local: *;\n};\n")
file(GLOB driver_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/csrc/cuda/driver/*.c)
add_library(cuda_driver SHARED ${cuda_sources} ${driver_sources})
set_target_properties(cuda_driver PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME libcuda.so.1 C_VISIBILITY_PRESET hidden
  NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/data/cuda
  LINK_DEPENDS ${CMAKE_BINARY_DIR}/generated/libcuda.so.1.map)
target_include_directories(cuda_driver PRIVATE csrc)
target_compile_definitions(cuda_driver PRIVATE CUDART_VERSION_MAJOR=13)
target_compile_options(cuda_driver PRIVATE ${STRICT} -Wno-missing-field-initializers -fno-sanitize=all)
target_link_options(cuda_driver PRIVATE -fno-sanitize=all -Wl,-soname,libcuda.so.1 -Wl,-z,defs -Wl,-Bsymbolic
  -Wl,--version-script,${CMAKE_BINARY_DIR}/generated/libcuda.so.1.map)
add_dependencies(cudart cuda_driver)
if(TARGET smcosim)
  add_dependencies(smcosim cudart)
endif()
