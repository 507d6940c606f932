// SPDX-License-Identifier: Apache-2.0
// Inline assembly: scopes with registers and labels, carry chains, rare instructions.
__global__ void inline_asm(unsigned *out, const unsigned *in, float *f) {
    unsigned a = in[0], b = in[1], c = in[2], d = in[3], lo, hi, p;
    asm("add.cc.u32 %0, %2, %4;\n\taddc.u32 %1, %3, %5;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b), "r"(c), "r"(d));
    asm("{\n\t.reg .u32 t1, t2;\n\tmul.lo.u32 t1, %1, %2;\n\tmul.hi.u32 t2, %1, %2;\n\tadd.u32 %0, t1, t2;\n\t}" : "=r"(p) : "r"(a), "r"(b));
#pragma unroll
    for (int i = 0; i < 3; i++)
        asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.u32 q, %0, 0;\n\t@q bra SKIP;\n\tadd.u32 %0, %0, 1;\nSKIP:\n\t}" : "+r"(p));
    asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.cc.u32 %1, %2, %3, %5;\n\taddc.u32 %0, %0, 0;" : "+r"(lo), "+r"(hi) : "r"(a), "r"(b), "r"(c), "r"(d));
    asm("sub.cc.u32 %0, %0, %2;\n\tsubc.cc.u32 %1, %1, %3;\n\tsubc.u32 %0, %0, 0x0;" : "+r"(lo), "+r"(hi) : "r"(c), "r"(d));
    unsigned e, g, h, k;
    asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(e) : "r"(a), "r"(b), "r"(c));
    asm("bfe.u32 %0, %1, 3, 9;\n\tbfi.b32 %0, %0, %2, 5, 7;" : "=r"(g) : "r"(a), "r"(b));
    asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(h) : "r"(a), "r"(b), "r"(c));
    asm("set.lt.u32.s32 %0, %1, %2;\n\tvabsdiff4.u32.u32.u32.add %0, %1, %2, %0;\n\tcnot.b32 %0, %0;" : "=r"(k) : "r"(a), "r"(b));
    asm volatile("{\n\t.reg .pred m, o;\n\tsetp.lt.and.u32 m|o, %0, %1, !m;\n\t@!o st.global.u32 [%2+-4], %0;\n\tselp.b32 %0, %0, %1, m;\n\t}" : "+r"(k) : "r"(a), "l"(out + 9));
    asm volatile("prefetch.global.L2 [%0];\n\tld.global.nc.L1::no_allocate.L2::128B.f32 %1, [%0];" : : "l"(f), "f"(f[0]));
    asm volatile("st.release.gpu.global.u32 [%0], %1;\n\tld.acquire.gpu.global.u32 %2, [%0];" : : "l"(out), "r"(a), "r"(b));
    asm volatile("red.global.add.u32 [%0], %1;\n\tmembar.gl;\n\tfence.acq_rel.gpu;" : : "l"(out + 3), "r"(e));
    float x;
    asm("{\n\t.reg .pred t;\n\ttestp.finite.f32 t, %1;\n\tselp.f32 %0, %1, 0f00000000, t;\n\t}" : "=f"(x) : "f"(f[1]));
    asm("sad.u32 %0, %1, 0b1011, 017;\n\tadd.u32 %0, %0, (4+4)*WARP_SZ-1;\n\tprmt.b32.ecl %0, %0, %1, 2U;" : "=r"(d) : "r"(a));
    f[2] = x;
    out[1] = lo + hi + p + e + g + h + k + d;
}
