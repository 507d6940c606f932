// SPDX-License-Identifier: Apache-2.0
// Purpose:    counts the mappings and pins of each physical warp register and gives out free ones. A register whose
//             count falls to 0 is free when the address mapping table has been told and has answered. Contract:
//             models/larf/ref_count.h.
//             Counts stand in flip-flops, a plane per bit: every port names any register, and a count may change by
//             several ports in one cycle. Each register adds the ports that name it and saturates; what a port must
//             know of its register (is there room, is it the last) it reads from the planes beside that. Each bank
//             offers its lowest free register; the ports take banks in turn.
// Parameters: Banks, 1..32; Entries, 2..1024, of a bank; CountBits, 1..8; NumAlloc, 1..4; NumDec, 1..8.
// Timing:     al_* and inc_grant_o in the cycle of the request; all state changes at the clock edge; rel_* and
//             free_count_o from state alone. At 45 nm 2.32 ns from a count down to free_count's register, 1.77 ns to
//             al_* and inc_grant_o (1024 registers, two ports): at 700 MHz each takes two cycles, here it is one.
// Reset:      all registers are free.
// Left out:   who maps them (rename_table); counts down beyond NumDec per cycle wait outside.
// Shapes:     - ; Banks=2,Entries=16,CountBits=2,NumAlloc=2,NumDec=1
// Shapes:     Banks=1,Entries=2,CountBits=1,NumAlloc=1,NumDec=1
// Shapes:     Banks=3,Entries=5,CountBits=3,NumAlloc=4,NumDec=8
// Proof:      2:10:Banks=1,Entries=2,CountBits=1,NumAlloc=1,NumDec=1
// Proof:      2:10:Banks=2,Entries=2,CountBits=2,NumAlloc=2,NumDec=2

`include "macros.svh"

module ref_count #(
    parameter int Banks     = 4,
    parameter int Entries   = 256,
    parameter int CountBits = 6,
    parameter int NumAlloc  = 2,
    parameter int NumDec    = 4,
    localparam int NumInc    = 4,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = $clog2(Entries),
    localparam int PhyBits   = BankBits + EntryBits,
    localparam int FreeBits  = $clog2(Banks * Entries + 1)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // all become free
    input  logic                         cl_valid_i,
    // registers are allocated
    input  logic [NumAlloc-1:0]          al_valid_i,
    input  logic [NumAlloc*BankBits-1:0] al_bank_i,
    output logic [NumAlloc-1:0]          al_grant_o,
    output logic [NumAlloc*PhyBits-1:0]  al_phys_o,
    // counts
    input  logic [NumInc-1:0]            inc_valid_i,
    input  logic [NumInc*PhyBits-1:0]    inc_phys_i,
    output logic [NumInc-1:0]            inc_grant_o,
    input  logic [NumDec-1:0]            dec_valid_i,
    input  logic [NumDec*PhyBits-1:0]    dec_phys_i,
    // observation: registers, then parameters
    `OBS_PORT(input  logic [31:0]                  obs_addr_i)
    `OBS_PORT(output logic [31:0]                  obs_data_o)
    // the table gets an entry, is told, and answers
    input  logic                         mk_valid_i,
    input  logic [PhyBits-1:0]           mk_phys_i,
    input  logic                         rel_ready_i,
    input  logic                         done_valid_i,
    input  logic [PhyBits-1:0]           done_phys_i,
    output logic                         rel_valid_o,
    output logic [PhyBits-1:0]           rel_phys_o,
    output logic [FreeBits-1:0]          free_count_o
);

    localparam int Regs = Banks * Entries;
    localparam int Most = (1 << CountBits) - 1;
    localparam int SumBits = (CountBits > 3 ? CountBits : 3) + 1;  // of a count and all ports that count it up
    localparam int DownBits = $clog2(NumDec + 1);

    logic [CountBits*Regs-1:0] count_q, count_d;    // plane k: bit k of each count
    logic [Regs-1:0]           pending_q, pending_d, sent_q, sent_d, entered_q, entered_d, used;

    // ---- One-hot: place bank * Entries + entry of a register number
    function automatic [Regs-1:0] place_of(input [PhyBits-1:0] phys);
        integer b;
        begin
            place_of = '0;
            for (b = 0; b < Banks; b = b + 1)
                if (phys[EntryBits +: BankBits] == BankBits'(b))
                    place_of[b*Entries +: Entries] = Entries'(1) << phys[EntryBits-1:0];
        end
    endfunction

    // Which of n places have bit b in their number.
    function automatic [Regs-1:0] with_bit(input integer b, input integer bank_bits);
        integer g;
        for (g = 0; g < Regs; g = g + 1)
            with_bit[g] = bank_bits != 0 ? 1'((g / Entries) >> b) : 1'((g % Entries) >> b);
    endfunction

    // ---- Free registers: the lowest of each bank
    logic [Regs-1:0] counted;
    always @* begin
        counted = '0;
        for (int k = 0; k < CountBits; k = k + 1) counted = counted | count_q[k*Regs +: Regs];
    end
    assign used = counted | pending_q | sent_q;
    // The lowest of the entries of a bank.
    function automatic [Entries-1:0] lowest_of(input [Entries-1:0] x);
        logic [Entries-1:0] some;
        integer s;
        begin
            some = x;
            for (s = 1; s < Entries; s = s * 2) some = some | some << s;
            lowest_of = x & ~(some << 1);
        end
    endfunction
    function automatic [Banks-1:0] first_bank(input [Banks-1:0] x);
        logic [Banks-1:0] some;
        integer s;
        begin
            some = x;
            for (s = 1; s < Banks; s = s * 2) some = some | some << s;
            first_bank = x & ~(some << 1);
        end
    endfunction
    logic [Banks-1:0]           has_free;
    logic [Banks*EntryBits-1:0] lowest;
    logic [Regs-1:0]            offer;
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        logic [Entries-1:0] empty;
        assign empty = ~used[b*Entries +: Entries];
        assign offer[b*Entries +: Entries] = lowest_of(empty);
        assign has_free[b] = empty != '0;
        for (genvar e = 0; e < EntryBits; e = e + 1) begin : g_index
            localparam logic [Regs-1:0] Mine = with_bit(e, 0);
            assign lowest[b*EntryBits + e] = (offer[b*Entries +: Entries] & Mine[b*Entries +: Entries]) != '0;
        end
    end
    logic [NumAlloc*Banks-1:0] takes;               // bank that a port takes, one-hot
    for (genvar r = 0; r < NumAlloc; r = r + 1) begin : g_alloc
        logic [Banks-1:0] open, from, upper, pick;  // banks with a register; from the home bank on; the first of those
        if (r == 0) begin : g_first
            assign open = has_free;
        end else begin : g_next
            assign open = g_alloc[r-1].open & ~g_alloc[r-1].pick;
        end
        assign from  = {Banks{1'b1}} << al_bank_i[r*BankBits +: BankBits];
        assign upper = first_bank(open & from);
        assign pick  = {Banks{al_valid_i[r]}} & ((open & from) != '0 ? upper : first_bank(open));
        assign takes[r*Banks +: Banks] = pick;
        logic [PhyBits-1:0] phys;
        always @* begin
            phys = '0;
            for (int b = 0; b < Banks; b = b + 1)
                if (pick[b]) phys = phys | {BankBits'(b), lowest[b*EntryBits +: EntryBits]};
        end
        assign al_phys_o[r*PhyBits +: PhyBits] = phys;
    end

    // Each port that asks takes a bank while there are any, so that grants need not wait for the choice.
    logic [NumAlloc:0]   enough;                    // at least so many banks have a free register
    logic [NumAlloc-1:0] ahead;                     // so many earlier ports ask, one-hot
    always @* begin
        enough    = '0;
        enough[0] = 1'b1;
        for (int b = 0; b < Banks; b = b + 1)
            if (has_free[b]) enough = {enough[NumAlloc-1:0], 1'b1};
        ahead = NumAlloc'(1);
        for (int r = 0; r < NumAlloc; r = r + 1) begin
            al_grant_o[r] = al_valid_i[r] && ((ahead & enough[NumAlloc:1]) != '0);
            if (al_valid_i[r]) ahead = ahead << 1;
        end
    end

    // ---- Counting up: granted while the count and what earlier ports ask stay below the most. Where a port is refused,
    //      all later ones of the register are, so that those that ask count as those that are granted.
    logic [NumInc*Regs-1:0] inc_at;                 // of ports that ask
    for (genvar i = 0; i < NumInc; i = i + 1) begin : g_inc
        logic [Regs-1:0]      at;
        logic [CountBits+2:0] there;
        assign at = place_of(inc_phys_i[i*PhyBits +: PhyBits]);
        always @* begin
            there = '0;
            for (int k = 0; k < CountBits; k = k + 1) there[k] = (at & count_q[k*Regs +: Regs]) != '0;
            for (int j = 0; j < i; j = j + 1)
                if (inc_valid_i[j] && inc_phys_i[j*PhyBits +: PhyBits] == inc_phys_i[i*PhyBits +: PhyBits])
                    there = there + (CountBits+3)'(1);
        end
        assign inc_grant_o[i] = inc_valid_i[i] && (there < (CountBits+3)'(Most));
        assign inc_at[i*Regs +: Regs] = inc_valid_i[i] ? at : '0;
    end

    // ---- The lowest pending register is announced
    logic [Regs-1:0]    waits, first;
    assign waits = pending_q & ~sent_q;
    logic [Banks-1:0]   bank_waits, bank_first;
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_waits
        assign bank_waits[b] = waits[b*Entries +: Entries] != '0;
        assign first[b*Entries +: Entries] = lowest_of(waits[b*Entries +: Entries]) & {Entries{bank_first[b]}};
    end
    assign bank_first  = first_bank(bank_waits);
    assign rel_valid_o = bank_waits != '0;
    for (genvar i = 0; i < PhyBits; i = i + 1) begin : g_rel
        localparam logic [Regs-1:0] Mine = i < EntryBits ? with_bit(i, 0) : with_bit(i - EntryBits, 1);
        assign rel_phys_o[i] = (first & Mine) != '0;
    end

    // ---- Next state
    logic [Regs-1:0]        granted, answered, marked;
    logic [NumDec*Regs-1:0] dec_named, dec_at;      // of any port; of ports that count down
    always @* begin
        granted = '0;
        for (int r = 0; r < NumAlloc; r = r + 1)
            for (int b = 0; b < Banks; b = b + 1)
                if (takes[r*Banks + b]) granted[b*Entries +: Entries] = offer[b*Entries +: Entries];
        for (int d = 0; d < NumDec; d = d + 1)
            dec_named[d*Regs +: Regs] = place_of(dec_phys_i[d*PhyBits +: PhyBits]);
        answered = done_valid_i ? place_of(done_phys_i) : '0;
        marked   = mk_valid_i ? place_of(mk_phys_i) : '0;
    end
    for (genvar d = 0; d < NumDec; d = d + 1) begin : g_dec
        assign dec_at[d*Regs +: Regs] = dec_valid_i[d] ? dec_named[d*Regs +: Regs] : '0;
    end
    // Planes: ports that count up and down, the count with the former and saturated, less the latter. A register that is
    // given out has count 0, and nobody counts it in this cycle.
    logic [3*Regs-1:0]         ups;
    logic [DownBits*Regs-1:0]  downs;
    logic [SumBits*Regs-1:0]   sum;
    logic [CountBits*Regs-1:0] less_by;
    logic [Regs-1:0]           carry, was, over, full, more, less, counted_d, falls;
    always @* begin
        ups   = '0;
        downs = '0;
        sum   = '0;
        less_by = '0;
        more  = '0;
        less  = '0;
        for (int i = 0; i < NumInc; i = i + 1) begin
            carry = inc_at[i*Regs +: Regs];
            more  = more | carry;
            for (int k = 0; k < 3; k = k + 1) begin
                was   = ups[k*Regs +: Regs];
                ups[k*Regs +: Regs] = was ^ carry;
                carry = carry & was;
            end
        end
        for (int d = 0; d < NumDec; d = d + 1) begin
            carry = dec_at[d*Regs +: Regs];
            less  = less | carry;
            for (int k = 0; k < DownBits; k = k + 1) begin
                was   = downs[k*Regs +: Regs];
                downs[k*Regs +: Regs] = was ^ carry;
                carry = carry & was;
            end
        end
        full  = '1;
        carry = '0;
        for (int k = 0; k < SumBits; k = k + 1) begin
            was = k < CountBits ? count_q[(k < CountBits ? k : 0)*Regs +: Regs] : '0;
            if (k < CountBits) full = full & was;
            if (k < 3) begin
                sum[k*Regs +: Regs] = was ^ ups[(k < 3 ? k : 0)*Regs +: Regs] ^ carry;
                carry = (was & ups[(k < 3 ? k : 0)*Regs +: Regs]) | ((was | ups[(k < 3 ? k : 0)*Regs +: Regs]) & carry);
            end else begin
                sum[k*Regs +: Regs] = was ^ carry;
                carry = was & carry;
            end
        end
        over = '0;
        for (int k = CountBits; k < SumBits; k = k + 1) over = over | sum[k*Regs +: Regs];
        more = more & ~full;
        carry = '0;                                 // borrowed
        for (int k = 0; k < CountBits; k = k + 1) begin
            was = sum[k*Regs +: Regs] | over;
            if (k < DownBits) begin
                less_by[k*Regs +: Regs] = was ^ downs[(k < DownBits ? k : 0)*Regs +: Regs] ^ carry;
                carry = (~was & downs[(k < DownBits ? k : 0)*Regs +: Regs]) |
                        ((~was | downs[(k < DownBits ? k : 0)*Regs +: Regs]) & carry);
            end else begin
                less_by[k*Regs +: Regs] = was ^ carry;
                carry = ~was & carry;
            end
        end
        counted_d = '0;
        for (int k = 0; k < CountBits; k = k + 1) counted_d = counted_d | less_by[k*Regs +: Regs];
    end
    always @* begin
        count_d = less_by;
        count_d[0 +: Regs] = less_by[0 +: Regs] | granted;
    end
    assign falls     = less & ~counted_d;
    assign entered_d = (entered_q & ~answered) | marked;
    assign pending_d = (falls & entered_d) |
                       (pending_q & ~more & ~(rel_ready_i ? first : '0));
    assign sent_d    = (sent_q & ~answered) | (rel_ready_i ? first : '0);

    // ---- How many are free: one by an answer, one by each count down that is the last; each grant takes one. A port
    //      that counts down reads what it must know of its register, so that this need not wait for the planes.
    logic [FreeBits-1:0] free_q, free_d;
    logic [Regs-1:0]     entered_then;
    logic [NumDec-1:0]   gone;
    assign entered_then = entered_d;
    for (genvar d = 0; d < NumDec; d = d + 1) begin : g_last
        logic [PhyBits-1:0] phys;
        logic [SumBits-1:0] there;
        logic [3:0]         down;
        logic               earlier;                // a port that counts the same register down
        assign phys = dec_phys_i[d*PhyBits +: PhyBits];
        always @* begin
            there = '0;
            down  = '0;
            earlier = 1'b0;
            for (int k = 0; k < CountBits; k = k + 1)
                there[k] = (dec_named[d*Regs +: Regs] & count_q[k*Regs +: Regs]) != '0;
            for (int i = 0; i < NumInc; i = i + 1)
                if (inc_valid_i[i] && inc_phys_i[i*PhyBits +: PhyBits] == phys) there = there + SumBits'(1);
            if (there > SumBits'(Most)) there = SumBits'(Most);
            for (int e = 0; e < NumDec; e = e + 1)
                if (dec_valid_i[e] && dec_phys_i[e*PhyBits +: PhyBits] == phys) begin
                    down = down + 4'd1;
                    if (e < d) earlier = 1'b1;
                end
        end
        assign gone[d] = dec_valid_i[d] && !earlier && (SumBits+4)'(there) == (SumBits+4)'(down) &&
                         (dec_named[d*Regs +: Regs] & (entered_then | sent_q)) == '0 &&
                         !(rel_ready_i && rel_valid_o && rel_phys_o == phys);
    end
    always @* begin
        free_d = free_q + FreeBits'((answered & sent_q & ~counted_d & ~pending_d) != '0);
        for (int d = 0; d < NumDec; d = d + 1) free_d = free_d + FreeBits'(gone[d]);
        for (int r = 0; r < NumAlloc; r = r + 1) free_d = free_d - FreeBits'(al_grant_o[r]);
    end
    assign free_count_o = free_q;

    always_ff @(posedge clk_i) begin
        if (!rst_ni || cl_valid_i) begin
            count_q   <= '0;
            pending_q <= '0;
            sent_q    <= '0;
            entered_q <= '0;
            free_q    <= FreeBits'(Regs);
        end else begin
            count_q   <= count_d;
            pending_q <= pending_d;
            sent_q    <= sent_d;
            entered_q <= entered_d;
            free_q    <= free_d;
        end
    end

    `CHECK_RANGE(ref_count, Banks, 1, 32)
    `CHECK_RANGE(ref_count, Entries, 2, 1024)
    `CHECK_RANGE(ref_count, CountBits, 1, 8)
    `CHECK_RANGE(ref_count, NumAlloc, 1, 4)
    `CHECK_RANGE(ref_count, NumDec, 1, 8)
    `include "larf/ref_count.obs.svh"
endmodule
