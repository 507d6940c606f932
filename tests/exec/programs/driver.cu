// SPDX-License-Identifier: Apache-2.0
// The driver API: a module from PTX text, a variable in it, a launch, errors.
#include <cuda.h>
#include <cstdio>
#define CK(x) do { CUresult e_ = (x); if (e_) { const char *s_; cuGetErrorName(e_, &s_); printf("line %d: %s: %s\n", __LINE__, #x, s_); return 1; } } while (0)
static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 add = 5;\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1; @%p1 ret;\n"
    "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3]; ld.global.u32 %r4, [add];\n"
    "add.u32 %r3, %r3, %r4; st.global.u32 [%rd3], %r3; ret;\n}\n";
int main() {
    CUdevice d; CUcontext c; CUmodule m; CUfunction f; CUdeviceptr p, v; size_t n; char name[100]; int major, h[32], bad = 0;
    CK(cuInit(0)); CK(cuDeviceGet(&d, 0)); CK(cuDeviceGetName(name, 100, d)); CK(cuCtxCreate(&c, NULL, 0, d));
    CK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d));
    CK(cuModuleLoadData(&m, ptx)); CK(cuModuleGetFunction(&f, m, "k")); CK(cuModuleGetGlobal(&v, &n, m, "add"));
    bad += n != 4 || major != 7;
    CK(cuMemAlloc(&p, sizeof h)); for (int i = 0; i < 32; i++) h[i] = i;
    CK(cuMemcpyHtoD(p, h, sizeof h)); int nine = 9, count = 20; CK(cuMemcpyHtoD(v, &nine, 4));
    void *args[] = {&p, &count}; CK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    struct { CUdeviceptr p; int n; } block = {p, 10}; size_t bytes = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    CK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
    CK(cuCtxSynchronize()); CK(cuMemcpyDtoH(h, p, sizeof h));
    for (int i = 0; i < 32; i++) bad += h[i] != i + (i < 10 ? 18 : i < 20 ? 9 : 0);
    bad += cuModuleGetFunction(&f, m, "other") != CUDA_ERROR_NOT_FOUND;
    CK(cuMemFree(p)); bad += cuMemFree(p) == CUDA_SUCCESS;
    CK(cuModuleUnload(m)); CK(cuCtxDestroy(c));
    printf("%s\n", bad ? "FAILED" : "PASSED"); return bad != 0;
}
