// SPDX-License-Identifier: Apache-2.0
// Purpose:    counts the mappings and pins of each physical warp register and allocates free ones.
//             A register whose count falls to 0 is free when the address mapping table has received
//             its release and has answered. Contract: models/larf/ref_count.h.
//             Counts are in flip-flops, a plane per bit, because every port names any register and
//             several ports may change a count in one cycle. Each port reads the count of its
//             register and computes its value after the cycle, including other ports of the same
//             register. All these ports find the same value, and a register takes the count of any
//             port that names it. Each bank offers its lowest free register; the ports take banks
//             in turn. The number of free registers is a sum plus the changes of the last cycle,
//             which are added in this one.
// Parameters: Banks, 1..32; Entries, 2..1024, of a bank; CountBits, 1..8; NumAlloc, 1..4; NumDec, 1..8.
// Timing:     al_* and inc_grant_o in the cycle of the request; all state changes at the clock
//             edge; rel_* and free_count_o from state alone. At 45 nm (1024 registers, two ports
//             that allocate) a pending register reaches the free set in 1.74 ns. The path to al_*
//             and inc_grant_o takes 1.56 ns (SM clock: 1.43 ns).
// Reset:      all registers are free.
// Left out:   the mappings (rename_table); decrements beyond NumDec per cycle wait outside.
// Shapes:     - ; Banks=2,Entries=16,CountBits=2,NumAlloc=2,NumDec=1
// Shapes:     Banks=1,Entries=2,CountBits=1,NumAlloc=1,NumDec=1
// Shapes:     Banks=3,Entries=5,CountBits=3,NumAlloc=4,NumDec=8
// Proof:      2:10:Banks=1,Entries=2,CountBits=1,NumAlloc=1,NumDec=1
// Proof:      2:10:Banks=2,Entries=2,CountBits=1,NumAlloc=2,NumDec=1
// Long proof: 2:10:Banks=2,Entries=2,CountBits=2,NumAlloc=2,NumDec=2

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
    // the table gets an entry, receives a release, and answers
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

    logic [CountBits*Regs-1:0] count_q, count_d;    // plane k: bit k of each count
    logic [Regs-1:0]           pending_q, pending_d, sent_q, sent_d, entered_q, entered_d, used;

    // ---- Free registers: the lowest of each bank
    logic [Regs-1:0] counted;
    always @* begin
        counted = '0;
        for (int k = 0; k < CountBits; k = k + 1) counted = counted | count_q[k*Regs +: Regs];
    end
    assign used = counted | pending_q | sent_q;
    logic [Banks-1:0]           has_free;
    logic [Banks*EntryBits-1:0] lowest;
    logic [Regs-1:0]            offer;
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        logic [Entries-1:0] empty;
        assign empty = ~used[b*Entries +: Entries];
        assign has_free[b] = empty != '0;
        find_first #(.Width(Entries)) u_lowest (
            .set_i(empty), .from_i({Entries{1'b1}}), .first_o(offer[b*Entries +: Entries])
        );
        onehot_index #(.Width(Entries)) u_index (
            .one_i(offer[b*Entries +: Entries]), .index_o(lowest[b*EntryBits +: EntryBits])
        );
    end
    logic [NumAlloc*Banks-1:0] takes;               // bank that a port takes, one-hot
    for (genvar r = 0; r < NumAlloc; r = r + 1) begin : g_alloc
        logic [Banks-1:0] open, choice, pick;       // banks with a register; the first of those from the home bank on
        if (r == 0) begin : g_first
            assign open = has_free;
        end else begin : g_next
            assign open = g_alloc[r-1].open & ~g_alloc[r-1].pick;
        end
        find_first #(.Width(Banks)) u_bank (
            .set_i(open), .from_i({Banks{1'b1}} << al_bank_i[r*BankBits +: BankBits]), .first_o(choice)
        );
        assign pick = {Banks{al_valid_i[r]}} & choice;
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

    // ---- Ports that name a register: increments, decrements, the table's answer; the place of the
    // register, and its count. An idle port names none.
    localparam int Counters = NumInc + NumDec;
    localparam int Ports    = Counters + 1;
    logic [Ports-1:0]           names;
    logic [Ports*PhyBits-1:0]   name;
    logic [Ports*Banks-1:0]     in_bank;            // one-hot
    logic [Ports*Entries-1:0]   at;                 // .. in its bank
    logic [Ports*CountBits-1:0] there;
    logic [Ports*Counters-1:0]  same;               // bit p * Counters + q: q counts the register of p
    assign names = {done_valid_i, dec_valid_i, inc_valid_i};
    assign name  = {done_phys_i, dec_phys_i, inc_phys_i};
    for (genvar p = 0; p < Ports; p = p + 1) begin : g_port
        logic [PhyBits-1:0]   phys;
        logic [Entries-1:0]   entry;
        logic [Banks-1:0]     bank;
        logic [CountBits-1:0] count;
        logic [Counters-1:0]  equal;
        assign phys = name[p*PhyBits +: PhyBits];
        always @* begin
            entry = '0;
            bank  = '0;
            count = '0;
            equal = '0;
            if (names[p]) begin
                entry = Entries'(1) << phys[EntryBits-1:0];
                for (int q = 0; q < Counters; q = q + 1)
                    equal[q] = names[q] && name[q*PhyBits +: PhyBits] == phys;
                for (int b = 0; b < Banks; b = b + 1)
                    if (phys[EntryBits +: BankBits] == BankBits'(b)) begin
                        bank[b] = 1'b1;
                        for (int k = 0; k < CountBits; k = k + 1)
                            count[k] = count[k] | ((entry & count_q[k*Regs + b*Entries +: Entries]) != '0);
                    end
            end
        end
        assign at[p*Entries +: Entries]        = entry;
        assign in_bank[p*Banks +: Banks]       = bank;
        assign there[p*CountBits +: CountBits] = count;
        assign same[p*Counters +: Counters]    = equal;
    end

    // ---- The count of a port's register behind the cycle: with all that count up, saturated, less all that count down.
    // Ports of one register find the same value. A port is granted while the count and the requests
    // of earlier ports stay below the maximum. If a port is refused, all later ones of the register
    // are, so that those that ask count as granted.
    logic [Counters*CountBits-1:0] behind;
    logic [Counters-1:0]           none;            // it is 0
    for (genvar p = 0; p < Counters; p = p + 1) begin : g_count
        logic [SumBits-1:0]   ups, downs, count;
        logic                 over;
        assign count = SumBits'(there[p*CountBits +: CountBits]);
        always @* begin
            ups   = '0;
            downs = '0;
            if (names[p]) begin
                for (int i = 0; i < NumInc; i = i + 1)
                    if (same[p*Counters + i]) ups = ups + SumBits'(1);
                for (int d = 0; d < NumDec; d = d + 1)
                    if (same[p*Counters + NumInc + d]) downs = downs + SumBits'(1);
            end
        end
        assign over   = count + ups >= SumBits'(1 << CountBits);
        assign behind[p*CountBits +: CountBits] = over ? CountBits'(Most) - CountBits'(downs)
                                                       : CountBits'(count) + CountBits'(ups - downs);
        assign none[p] = names[p] && (over ? SumBits'(Most) == downs : CountBits'(count) == CountBits'(downs - ups));
        if (p < NumInc) begin : g_up
            logic [SumBits-1:0] earlier;
            always @* begin
                earlier = '0;
                if (names[p])
                    for (int i = 0; i < p; i = i + 1)
                        if (same[p*Counters + i]) earlier = earlier + SumBits'(1);
            end
            assign inc_grant_o[p] = inc_valid_i[p] && count + earlier < SumBits'(Most);
        end
    end

    // ---- The lowest pending register is announced
    logic [Regs-1:0]    waits, first;
    logic [Banks-1:0]   bank_waits, bank_first;
    logic [Entries-1:0] its_first;                  // .. in its bank
    assign waits = pending_q & ~sent_q;
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_waits
        logic [Entries-1:0] lowest_wait;
        assign bank_waits[b] = waits[b*Entries +: Entries] != '0;
        find_first #(.Width(Entries)) u_lowest (
            .set_i(waits[b*Entries +: Entries]), .from_i({Entries{1'b1}}), .first_o(lowest_wait)
        );
        assign first[b*Entries +: Entries] = lowest_wait & {Entries{bank_first[b]}};
    end
    always @* begin
        its_first = '0;
        for (int b = 0; b < Banks; b = b + 1) its_first = its_first | first[b*Entries +: Entries];
    end
    assign rel_valid_o = bank_waits != '0;
    find_first #(.Width(Banks)) u_wait (
        .set_i(bank_waits), .from_i({Banks{1'b1}}), .first_o(bank_first)
    );
    onehot_index #(.Width(Banks)) u_wait_bank (
        .one_i(bank_first), .index_o(rel_phys_o[EntryBits +: BankBits])
    );
    onehot_index #(.Width(Entries)) u_wait_entry (
        .one_i(its_first), .index_o(rel_phys_o[EntryBits-1:0])
    );

    // ---- Next state: a register that a port names gets the count that the port found. An
    // allocated register has count 0, and no port counts it in this cycle.
    logic [Regs-1:0]           granted, answered, marked, named, more, falls;
    logic [CountBits*Regs-1:0] found;
    always @* begin
        granted  = '0;
        answered = '0;
        marked   = '0;
        named    = '0;
        more     = '0;
        falls    = '0;
        found    = '0;
        for (int r = 0; r < NumAlloc; r = r + 1)
            if (al_valid_i[r])
                for (int b = 0; b < Banks; b = b + 1)
                    if (takes[r*Banks + b]) granted[b*Entries +: Entries] = offer[b*Entries +: Entries];
        for (int p = 0; p < Counters; p = p + 1)
            if (names[p])
                for (int b = 0; b < Banks; b = b + 1)
                    if (in_bank[p*Banks + b]) begin
                        named[b*Entries +: Entries] = named[b*Entries +: Entries] | at[p*Entries +: Entries];
                        for (int k = 0; k < CountBits; k = k + 1)
                            if (behind[p*CountBits + k])
                                found[k*Regs + b*Entries +: Entries] =
                                    found[k*Regs + b*Entries +: Entries] | at[p*Entries +: Entries];
                        if (p < NumInc) more[b*Entries +: Entries] = more[b*Entries +: Entries] | at[p*Entries +: Entries];
                        else if (none[p])
                            falls[b*Entries +: Entries] = falls[b*Entries +: Entries] | at[p*Entries +: Entries];
                    end
        if (done_valid_i)
            for (int b = 0; b < Banks; b = b + 1)
                if (in_bank[Counters*Banks + b]) answered[b*Entries +: Entries] = at[Counters*Entries +: Entries];
        if (mk_valid_i)
            for (int b = 0; b < Banks; b = b + 1)
                if (mk_phys_i[EntryBits +: BankBits] == BankBits'(b))
                    marked[b*Entries +: Entries] = Entries'(1) << mk_phys_i[EntryBits-1:0];
        for (int k = 0; k < CountBits; k = k + 1)
            count_d[k*Regs +: Regs] = (count_q[k*Regs +: Regs] & ~named) | found[k*Regs +: Regs];
        count_d[0 +: Regs] = count_d[0 +: Regs] | granted;
    end
    assign entered_d = (entered_q & ~answered) | marked;
    assign pending_d = (falls & entered_d) |
                       (pending_q & ~more & ~(rel_ready_i ? first : '0));
    assign sent_d    = (sent_q & ~answered) | (rel_ready_i ? first : '0);

    // ---- How many are free: one by an answer, one by each count down that is the last; each grant takes one. They are
    //      added in the cycle after.
    logic [FreeBits-1:0] free_q, free_d;
    logic [NumDec:0]     gone, gone_q;              // counts down, answer
    logic [NumAlloc-1:0] given_q;
    for (genvar d = 0; d < NumDec; d = d + 1) begin : g_last
        localparam int P = NumInc + d;
        logic [PhyBits-1:0] phys;
        logic               entered, sent;          // behind the cycle; at its start
        logic [NumDec-1:0]  earlier;                // a port that counts the same register down
        assign phys    = dec_phys_i[d*PhyBits +: PhyBits];
        assign earlier = same[P*Counters + NumInc +: NumDec] & NumDec'((1 << d) - 1);
        always @* begin
            entered = 1'b0;
            sent    = 1'b0;
            if (dec_valid_i[d])
                for (int b = 0; b < Banks; b = b + 1)
                    if (in_bank[P*Banks + b]) begin
                        entered = entered | ((at[P*Entries +: Entries] & entered_q[b*Entries +: Entries]) != '0);
                        sent    = sent | ((at[P*Entries +: Entries] & sent_q[b*Entries +: Entries]) != '0);
                    end
            entered = (entered && !(done_valid_i && done_phys_i == phys)) || (mk_valid_i && mk_phys_i == phys);
        end
        assign gone[d] = none[P] && earlier == '0 && !entered && !sent &&
                         !(rel_ready_i && rel_valid_o && rel_phys_o == phys);
    end
    // The answer's register: counted as ports of the cycle find it, pending or not.
    logic [Counters-1:0] mine;
    logic                was_pending, was_sent, empty_then, pending_then;
    assign mine = same[Counters*Counters +: Counters];
    always @* begin
        was_pending = 1'b0;
        was_sent    = 1'b0;
        if (done_valid_i)
            for (int b = 0; b < Banks; b = b + 1)
                if (in_bank[Counters*Banks + b]) begin
                    was_pending = was_pending |
                                  ((at[Counters*Entries +: Entries] & pending_q[b*Entries +: Entries]) != '0);
                    was_sent    = was_sent | ((at[Counters*Entries +: Entries] & sent_q[b*Entries +: Entries]) != '0);
                end
    end
    assign empty_then   = mine != '0 ? (mine & none) != '0 : there[Counters*CountBits +: CountBits] == '0;
    assign pending_then = ((mine[Counters-1:NumInc] & none[Counters-1:NumInc]) != '0 && mk_valid_i && mk_phys_i == done_phys_i) ||
                          (was_pending && mine[NumInc-1:0] == '0);
    assign gone[NumDec] = done_valid_i && was_sent && empty_then && !pending_then;
    always @* begin
        free_d = free_q;
        if ({gone_q, given_q} != '0) begin
            for (int g = 0; g <= NumDec; g = g + 1) free_d = free_d + FreeBits'(gone_q[g]);
            for (int r = 0; r < NumAlloc; r = r + 1) free_d = free_d - FreeBits'(given_q[r]);
        end
    end
    assign free_count_o = free_d;

    always_ff @(posedge clk_i) begin
        if (!rst_ni || cl_valid_i) begin
            count_q   <= '0;
            pending_q <= '0;
            sent_q    <= '0;
            entered_q <= '0;
            free_q    <= FreeBits'(Regs);
            gone_q    <= '0;
            given_q   <= '0;
        end else begin
            count_q   <= count_d;
            pending_q <= pending_d;
            sent_q    <= sent_d;
            entered_q <= entered_d;
            free_q    <= free_d;
            gone_q    <= gone;
            given_q   <= al_grant_o;
        end
    end

    `CHECK_RANGE(ref_count, Banks, 1, 32)
    `CHECK_RANGE(ref_count, Entries, 2, 1024)
    `CHECK_RANGE(ref_count, CountBits, 1, 8)
    `CHECK_RANGE(ref_count, NumAlloc, 1, 4)
    `CHECK_RANGE(ref_count, NumDec, 1, 8)
    `include "larf/ref_count.obs.svh"
endmodule
