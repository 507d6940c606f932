// SPDX-License-Identifier: Apache-2.0
// Integers of all widths, bit operations, wide products, division, dot products, video instructions.
__global__ void integer(long long *out, const int *in, const unsigned char *b8, const short *s16, int n) {
    int t = threadIdx.x, v = in[t], w = in[t + 1];
    unsigned u = (unsigned)v;
    long long l = out[t], m = out[t + 1];
    unsigned long long ul = (unsigned long long)l;
    l += (long long)v * w + (long long)__mulhi(v, w) + __umulhi(u, 77u) + __mul64hi(l, m) + (long long)__umul64hi(ul, 5);
    l += v / n + v % n + u / 7u + u % (unsigned)n + l / m + l % n + ul / 10 + ul % 1000;
    l += __popc(v) + __popcll(l) + __clz(v) + __clzll(l) + __ffs(v) + __ffsll(l) + __brev(u) + (long long)__brevll(ul);
    l += __byte_perm(v, w, 0x5140) + __funnelshift_l(u, (unsigned)w, 5) + __funnelshift_rc(u, (unsigned)w, n);
    l += __sad(v, w, u) + __usad(u, 5u, 7u) + __mul24(v, w) + __umul24(u, 3) + __vabsdiffu4(u, w) + __vsadu4(u, w);
    l += __rhadd(v, w) + __uhadd(u, 9u) + min(v, w) + max(u, 3u) + abs(v) + llabs(m);
    unsigned char c = (unsigned char)(b8[t] + b8[t + 1] * 3);
    short s = (short)(s16[t] * s16[t + 1] - s16[t + 2]);
    signed char sc = (signed char)b8[t + 2];
    l += c + s + sc + (c > 7 ? s : sc) + (unsigned short)(s << 3) + ((s >> 2) | c) + min(s, (short)c);
    l = (l << (n & 63)) ^ (l >> (v & 63)) ^ (long long)(ul >> (w & 63));
#if __CUDA_ARCH__ >= 610
    l += __dp4a(v, w, 3) + __dp4a(u, (unsigned)w, 4u) + __dp2a_lo(v, w, 5) + __dp2a_hi(u, (unsigned)w, 6u);
#endif
    __int128 wide = (__int128)l * m + ul;
    unsigned __int128 uwide = (unsigned __int128)ul * ul - (unsigned)v;
    out[t] = l + (long long)(wide >> 64) + (long long)(uwide >> 37) + (wide < (__int128)m);
}
