# What CUDA 12 and 13 removed from the runtime API, as what took its place.
s/\bcudaThreadSynchronize\b/cudaDeviceSynchronize/g
s/\bcudaThreadExit\b/cudaDeviceReset/g
s/\bcudaThreadSetCacheConfig\b/cudaDeviceSetCacheConfig/g
s/\bcudaThreadSetLimit\b/cudaDeviceSetLimit/g
# Properties that are gone: the values that device attributes have here.
s/[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?(\.|->) *clockRate\b/1000000/g
s/[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?(\.|->) *memoryClockRate\b/1000000/g
s/[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?(\.|->) *deviceOverlap\b/1/g
s/[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?(\.|->) *computeMode\b/0/g
s/[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?(\.|->) *kernelExecTimeoutEnabled\b/0/g
# Warp functions without a mask.
s/\b__shfl(_up|_down|_xor)?\(/__shfl\1_sync(0xffffffffu, /g
s/\b__(any|all|ballot)\(/__\1_sync(0xffffffffu, /g
