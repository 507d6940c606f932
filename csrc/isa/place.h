// SPDX-License-Identifier: Apache-2.0
// Locations of the registers of warps when each warp owns a fixed part of the register file.
//
// A warp owns `alloc` registers: those of the kernel, rounded up to the granularity. Warps occupy
// the file one after another, row by row (a row is one entry of every bank). A row ends after
// `together` warps, and the next warps begin one bank later. So equal registers of different warps
// are in different banks. In one warp, registers r and r + banks share a bank. If a warp owns whole
// rows, bank = (r + warp) mod banks, entry = warp * rows + r / banks.
#ifndef SMCOSIM_ISA_PLACE_H
#define SMCOSIM_ISA_PLACE_H

typedef struct RegPlace {
    int bank, entry;
} RegPlace;

typedef struct RegLayout {
    int banks, alloc, together;
} RegLayout;

static inline RegLayout reg_layout(int banks, int granularity, int nregs) {
    int alloc = (nregs + granularity - 1) / granularity * granularity, a = banks, b = alloc;
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return (RegLayout){banks, alloc, banks / a};
}

static inline RegPlace reg_place(const RegLayout *l, int warp, int reg) {
    const int at = warp * l->alloc + reg;
    if (!(l->banks & (l->banks - 1))) {  // a power of two, and so is `together`: no division
        const int turn = warp >> __builtin_ctz((unsigned)l->together);
        return (RegPlace){(at + turn) & (l->banks - 1), at >> __builtin_ctz((unsigned)l->banks)};
    }
    return (RegPlace){(at + warp / l->together) % l->banks, at / l->banks};
}

#endif
