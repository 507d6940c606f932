// SPDX-License-Identifier: Apache-2.0
// The driver API: a module from PTX text, a variable in it, launches, an array and textures, errors.
#include <cuda.h>
#include <cstdio>
#include <cstring>
#define CK(x) do { CUresult e_ = (x); if (e_) { const char *s_; cuGetErrorName(e_, &s_); printf("line %d: %s: %s\n", __LINE__, #x, s_); return 1; } } while (0)
static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 add = 5;\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1; @%p1 ret;\n"
    "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3]; ld.global.u32 %r4, [add];\n"
    "add.u32 %r3, %r3, %r4; st.global.u32 [%rd3], %r3; ret;\n}\n"
    ".global .texref plane;\n"
#define FETCH(kernel, parameter, from) \
    ".visible .entry " kernel "(.param .u64 p" parameter ")\n{\n.reg .b32 %r<3>; .reg .b64 %rd<5>; .reg .f32 %f<7>;\n" \
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2;\n" \
    from "mad.lo.u32 %r2, %r2, 8, %r1; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; st.global.f32 [%rd4], %f3; ret;\n}\n"
    FETCH("object", ", .param .u64 t", "ld.param.u64 %rd2, [t]; tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd2, {%f1, %f2}];\n")
    FETCH("reference", "", "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [plane, {%f1, %f2}];\n");

// An array of 8 x 4 bytes, filled row by row, read as [0, 1] by an object and by a reference of the module.
static int textures(CUmodule m) {
    unsigned char in[4][16], back[4][8];
    for (int i = 0; i < 64; i++) in[i / 16][i % 16] = i * 3;
    CUarray a; CUDA_ARRAY_DESCRIPTOR d = {8, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1}, is; CUfunction f; CUdeviceptr p; float out[4][8]; int bad = 0;
    CK(cuArrayCreate(&a, &d)); CK(cuArrayGetDescriptor(&is, a));
    bad += is.Width != 8 || is.Height != 4 || is.Format != d.Format || is.NumChannels != 1;
    CUDA_MEMCPY2D c = {}; c.srcMemoryType = CU_MEMORYTYPE_HOST; c.srcHost = in; c.srcPitch = 16;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY; c.dstArray = a; c.WidthInBytes = 8; c.Height = 4; CK(cuMemcpy2D(&c));
    CUDA_MEMCPY2D b = {}; b.srcMemoryType = CU_MEMORYTYPE_ARRAY; b.srcArray = a; b.srcXInBytes = 2; b.srcY = 1;
    b.dstMemoryType = CU_MEMORYTYPE_HOST; b.dstHost = back; b.dstPitch = 8; b.WidthInBytes = 6; b.Height = 3; CK(cuMemcpy2D(&b));
    for (int i = 0; i < 18; i++) bad += back[i / 6][i % 6] != in[1 + i / 6][2 + i % 6];
    b.srcXInBytes = 3; bad += cuMemcpy2D(&b) != CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC r = {}; r.resType = CU_RESOURCE_TYPE_ARRAY; r.res.array.hArray = a;
    CUDA_TEXTURE_DESC t = {}; t.addressMode[0] = t.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    CUtexObject object; CK(cuTexObjectCreate(&object, &r, &t, NULL)); CK(cuMemAlloc(&p, sizeof out));
    void *args[] = {&p, &object}; CK(cuModuleGetFunction(&f, m, "object")); CK(cuLaunchKernel(f, 1, 1, 1, 8, 4, 1, 0, NULL, args, NULL));
    CK(cuMemcpyDtoH(out, p, sizeof out));
    for (int i = 0; i < 32; i++) bad += out[i / 8][i % 8] != in[i / 8][i % 8] / 255.0f;
    CK(cuTexObjectDestroy(object));
    // Rows of memory, as floats, by the module's own texture reference.
    CUtexref ref; float rows[4][32]; CUdeviceptr q;
    for (int i = 0; i < 128; i++) rows[i / 32][i % 32] = i * 0.5f;
    CK(cuMemAlloc(&q, sizeof rows)); CK(cuMemcpyHtoD(q, rows, sizeof rows));
    CK(cuModuleGetTexRef(&ref, m, "plane")); CUDA_ARRAY_DESCRIPTOR plain = {8, 4, CU_AD_FORMAT_FLOAT, 1};
    CK(cuTexRefSetFormat(ref, CU_AD_FORMAT_FLOAT, 1)); CK(cuTexRefSetAddressMode(ref, 0, CU_TR_ADDRESS_MODE_BORDER));
    CK(cuTexRefSetAddress2D(ref, &plain, q, sizeof rows[0]));
    CK(cuModuleGetFunction(&f, m, "reference")); CK(cuLaunchKernel(f, 1, 1, 1, 8, 4, 1, 0, NULL, args, NULL));
    CK(cuMemcpyDtoH(out, p, sizeof out));
    for (int i = 0; i < 32; i++) bad += out[i / 8][i % 8] != rows[i / 8][i % 8];
    CK(cuTexRefSetArray(ref, a, CU_TRSA_OVERRIDE_FORMAT));
    CK(cuLaunchKernel(f, 1, 1, 1, 8, 4, 1, 0, NULL, args, NULL)); CK(cuMemcpyDtoH(out, p, sizeof out));
    for (int i = 0; i < 32; i++) bad += out[i / 8][i % 8] != in[i / 8][i % 8] / 255.0f;
    bad += cuModuleGetTexRef(&ref, m, "add") == CUDA_SUCCESS || cuModuleGetTexRef(&ref, m, "none") == CUDA_SUCCESS;
    CK(cuArrayDestroy(a)); CK(cuMemFree(p)); CK(cuMemFree(q));
    return bad;
}
// Two units of PTX, linked: the kernel calls a function of the other one.
static int linked() {
    static const char head[] = ".version 8.0\n.target sm_75\n.address_size 64\n";
    static const char two[] = ".visible .func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<2>;\nld.param.u32 %r1, [x];\n"
        "add.u32 %r1, %r1, %r1;\nst.param.b32 [r], %r1;\nret;\n}\n";
    static const char one[] = ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
        ".visible .entry caller(.param .u64 p)\n{\n.reg .b32 %r<3>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"
        "ld.global.u32 %r1, [%rd1];\n{\n.param .b32 a; .param .b32 b;\nst.param.b32 [a], %r1;\ncall.uni (b), twice, (a);\n"
        "ld.param.b32 %r2, [b];\n}\nst.global.u32 [%rd1], %r2;\nret;\n}\n";
    char unit[2][1024], log[100] = "x"; CUlinkState s; CUmodule m; CUfunction f; CUdeviceptr p; void *code; size_t n; int v = 21, bad = 0;
    snprintf(unit[0], sizeof unit[0], "%s%s", head, one); snprintf(unit[1], sizeof unit[1], "%s%s", head, two);
    CUjit_option o[] = {CU_JIT_ERROR_LOG_BUFFER}; void *values[] = {log};
    CK(cuLinkCreate(1, o, values, &s)); bad += log[0] != 0; bad += cuLinkComplete(s, &code, &n) == CUDA_SUCCESS;
    for (char *u : unit) CK(cuLinkAddData(s, CU_JIT_INPUT_PTX, u, strlen(u) + 1, "unit", 0, NULL, NULL));
    CK(cuLinkComplete(s, &code, &n)); CK(cuModuleLoadData(&m, code)); CK(cuLinkDestroy(s));
    CK(cuModuleGetFunction(&f, m, "caller")); CK(cuMemAlloc(&p, 4)); CK(cuMemcpyHtoD(p, &v, 4)); void *args[] = {&p};
    CK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL)); CK(cuMemcpyDtoH(&v, p, 4)); bad += v != 42;
    CK(cuMemFree(p)); CK(cuModuleUnload(m));
    return bad;
}
// Limits, and handles for other processes; processes.cu opens such.
static int limits(CUdeviceptr p) {
    size_t bytes = 0; CUipcMemHandle h; CUdeviceptr again; int bad = 0, host = 0;
    CK(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE)); bad += bytes != 1024;
    CK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096)); CK(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE)); bad += bytes != 4096;
    bad += cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE) != CUDA_ERROR_INVALID_VALUE;
    bad += cuCtxGetLimit(&bytes, (CUlimit)77) != CUDA_ERROR_UNSUPPORTED_LIMIT;
    CK(cuIpcGetMemHandle(&h, p));
    bad += cuIpcOpenMemHandle(&again, h, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_ERROR_INVALID_CONTEXT;
    bad += cuIpcGetMemHandle(&h, (CUdeviceptr)&host) != CUDA_ERROR_INVALID_VALUE;
    bad += cuIpcCloseMemHandle(p) != CUDA_ERROR_INVALID_VALUE;
    return bad;
}
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
    bad += textures(m);
    bad += linked() + limits(p);
    bad += cuModuleGetFunction(&f, m, "other") != CUDA_ERROR_NOT_FOUND;
    CK(cuMemFree(p)); bad += cuMemFree(p) == CUDA_SUCCESS;
    CK(cuModuleUnload(m)); CK(cuCtxDestroy(c));
    printf("%s\n", bad ? "FAILED" : "PASSED"); return bad != 0;
}
