// SPDX-License-Identifier: Apache-2.0
// Purpose:    decides which source operands of each instruction are read together: one register named
//             twice, two registers in one entry, two registers of one bank in slices that do not
//             overlap. Contract: models/collect/coalescer.h.
// Parameters: NumAlloc, 1..4: instructions per cycle; NumOps, 2..3: operands of each; Banks, 1..32,
//             and Entries, 2..1024, of the register file.
// Timing:     combinational: outputs in the cycle of the inputs. The rd_ outputs of an operand are
//             defined where its rd_valid_o is 1.
// Reset:      no state; clk_i and rst_ni are there because every block has them.
// Left out:   coalescing across instructions, more than two registers in one read.
// Shapes:     - ; NumAlloc=1,NumOps=2,Banks=1,Entries=2 ; NumAlloc=4,NumOps=2,Banks=3,Entries=100
// Proof:      1:1:NumAlloc=1,NumOps=3,Banks=4,Entries=4
// Proof:      1:1:NumAlloc=2,NumOps=2,Banks=3,Entries=3

module coalescer #(
    parameter int NumAlloc = 2,
    parameter int NumOps   = 3,
    parameter int Banks    = 4,
    parameter int Entries  = 256,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int Num       = NumAlloc * NumOps
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // operands as they come from the renaming table
    input  logic [1:0]               co_mode_i,
    input  logic [Num-1:0]           co_valid_i,
    input  logic [Num*6-1:0]         co_reg_i,
    input  logic [Num*BankBits-1:0]  co_bank_i,
    input  logic [Num*EntryBits-1:0] co_entry_i,
    input  logic [Num*4-1:0]         co_mask_i,
`ifdef RF_OBS
    // observation: parameters only
    input  logic [31:0]              obs_addr_i,
    output logic [31:0]              obs_data_o,
`endif
    // reads, at the operand that leads each
    output logic [Num-1:0]           rd_valid_o,
    output logic [Num*BankBits-1:0]  rd_bank_o,
    output logic [Num*EntryBits-1:0] rd_entry_o,
    output logic [Num*EntryBits-1:0] rd_entry2_o,
    output logic [Num*4-1:0]         rd_sel_o,
    output logic [Num*4-1:0]         rd_mask1_o,
    output logic [Num*4-1:0]         rd_mask2_o,
    output logic [Num*NumOps-1:0]    rd_ops1_o,
    output logic [Num*NumOps-1:0]    rd_ops2_o,
    // per instruction
    output logic [NumAlloc*NumOps-1:0] co_unread_o,
    output logic [NumAlloc-1:0]      co_multi_o,
    output logic [NumAlloc-1:0]      co_possible_o,
    output logic [NumAlloc-1:0]      co_coalesced_o,
    output logic [NumAlloc-1:0]      co_merged_o
);

    logic unused;
    assign unused = clk_i ^ rst_ni;

    function automatic [3:0] ones(input [3:0] mask);
        ones = (4'(mask[0]) + 4'(mask[1])) + (4'(mask[2]) + 4'(mask[3]));
    endfunction

    logic merge;  // one register named twice is one read
    assign merge = co_mode_i == 2'd1 || co_mode_i == 2'd2;

    // Pairs of operands x < y are numbered x * NumOps + y; the other numbers stay 0.
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_port
        localparam int B = a * NumOps;
        logic [NumOps-1:0]        valid, written, lead, second;
        logic [NumOps*NumOps-1:0] repeats, differ, fit, able, take;
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_op
            assign valid[o]   = co_valid_i[B + o];
            assign written[o] = valid[o] && (co_mask_i[(B+o)*4 +: 4] != '0);
            assign co_unread_o[B + o] = valid[o] && !written[o];
        end
        for (genvar x = 0; x < NumOps; x = x + 1) begin : g_x
            for (genvar y = 0; y < NumOps; y = y + 1) begin : g_y
                if (x < y) begin : g_pair
                    logic same_reg, same_bank, same_entry, disjoint;
                    assign same_reg   = co_reg_i[(B+x)*6 +: 6] == co_reg_i[(B+y)*6 +: 6];
                    assign same_bank  = co_bank_i[(B+x)*BankBits +: BankBits] ==
                                        co_bank_i[(B+y)*BankBits +: BankBits];
                    assign same_entry = co_entry_i[(B+x)*EntryBits +: EntryBits] ==
                                        co_entry_i[(B+y)*EntryBits +: EntryBits];
                    assign disjoint   =
                        (co_mask_i[(B+x)*4 +: 4] & co_mask_i[(B+y)*4 +: 4]) == '0;
                    assign repeats[x*NumOps + y] = merge && written[x] && written[y] && same_reg;
                    assign differ[x*NumOps + y]  = valid[x] && valid[y] && !same_reg;
                    assign fit[x*NumOps + y]     = written[x] && written[y] && !same_reg &&
                        ones(co_mask_i[(B+x)*4 +: 4]) + ones(co_mask_i[(B+y)*4 +: 4]) <
                        4'd5;
                    assign able[x*NumOps + y]    = lead[x] && lead[y] &&
                        (co_mode_i == 2'd1 ? same_bank && same_entry
                                           : co_mode_i == 2'd2 &&
                                             same_bank && disjoint);
                    // the first possible pair: none before it in the order 0-1, 0-2, 1-2
                    if (x*NumOps + y == 1) begin : g_first
                        assign take[x*NumOps + y] = able[x*NumOps + y];
                    end else begin : g_later
                        assign take[x*NumOps + y] = able[x*NumOps + y] &&
                            (able[x*NumOps + y - 1 : 0] == '0);
                    end
                end else begin : g_none
                    assign repeats[x*NumOps + y] = 1'b0;
                    assign differ[x*NumOps + y]  = 1'b0;
                    assign fit[x*NumOps + y]     = 1'b0;
                    assign able[x*NumOps + y]    = 1'b0;
                    assign take[x*NumOps + y]    = 1'b0;
                end
            end
        end
        // A register is led by the lowest operand that names it; the second of a pair leads no read.
        always @* begin
            lead = written;
            for (int o = 1; o < NumOps; o = o + 1)
                for (int x = 0; x < o; x = x + 1)
                    if (repeats[x*NumOps + o]) lead[o] = 1'b0;
        end
        always @* begin
            second = '0;
            for (int o = 1; o < NumOps; o = o + 1)
                for (int x = 0; x < o; x = x + 1)
                    if (take[x*NumOps + o]) second[o] = 1'b1;
        end
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_rd
            logic [NumOps-1:0]    ops1, ops2;
            logic [EntryBits-1:0] entry2;
            logic [3:0]           mask2;
            logic                 pair;
            always @* begin
                ops1    = repeats[o*NumOps +: NumOps];
                ops1[o] = 1'b1;
                ops2    = '0;
                mask2   = '0;
                entry2  = '0;
                pair    = 1'b0;
                for (int y = o + 1; y < NumOps; y = y + 1)
                    if (take[o*NumOps + y]) begin
                        pair   = 1'b1;
                        ops2   = repeats[y*NumOps +: NumOps] | (NumOps'(1) << y);
                        mask2  = mask2 | co_mask_i[(B+y)*4 +: 4];
                        entry2 = entry2 | co_entry_i[(B+y)*EntryBits +: EntryBits];
                    end
                if (!pair || co_mode_i != 2'd2)
                    entry2 = co_entry_i[(B+o)*EntryBits +: EntryBits];
            end
            assign rd_valid_o[B+o]                         = lead[o] && !second[o];
            assign rd_bank_o[(B+o)*BankBits +: BankBits]    = co_bank_i[(B+o)*BankBits +: BankBits];
            assign rd_entry_o[(B+o)*EntryBits +: EntryBits] = co_entry_i[(B+o)*EntryBits +: EntryBits];
            assign rd_entry2_o[(B+o)*EntryBits +: EntryBits] = entry2;
            assign rd_sel_o[(B+o)*4 +: 4]   = co_mode_i != 2'd2 ? '0
                                            : mask2;
            assign rd_mask1_o[(B+o)*4 +: 4] = co_mask_i[(B+o)*4 +: 4];
            assign rd_mask2_o[(B+o)*4 +: 4] = mask2;
            assign rd_ops1_o[(B+o)*NumOps +: NumOps] = ops1;
            assign rd_ops2_o[(B+o)*NumOps +: NumOps] = ops2;
        end
        assign co_multi_o[a]     = differ != '0;
        assign co_possible_o[a]  = fit != '0;
        assign co_coalesced_o[a] = take != '0;
        assign co_merged_o[a]    = repeats != '0;
    end

`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 32'hffff_0000) obs_data_o = NumAlloc;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o = NumOps;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o = Banks;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o = Entries;
    end
`endif

`ifdef SIM
    initial begin
        if (NumAlloc < 1 || NumAlloc > 4)
            $fatal(1, "coalescer: NumAlloc = %0d, legal is 1..4", NumAlloc);
        if (NumOps < 2 || NumOps > 3) $fatal(1, "coalescer: NumOps = %0d, legal is 2..3", NumOps);
        if (Banks < 1 || Banks > 32) $fatal(1, "coalescer: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024)
            $fatal(1, "coalescer: Entries = %0d, legal is 2..1024", Entries);
    end
`endif

`ifdef FORMAL
    // Contract, for any instruction (port f_a): each operand gets its value from exactly one read, in
    // which every slice of its mask comes from its own entry of its own bank; a read carries one or
    // two registers; what can be read together is. Places of the operands as the renaming table gives
    // them: one register has one place, two registers share no slice.
    (* anyconst *) logic [1:0] f_a;
    (* anyconst *) logic [1:0] f_x;   // any two operands of it, f_x < f_y
    (* anyconst *) logic [1:0] f_y;
    logic [NumOps-1:0]           f_valid, f_rd, f_unread;
    logic [NumOps*6-1:0]         f_reg;
    logic [NumOps*BankBits-1:0]  f_bank, f_rd_bank;
    logic [NumOps*EntryBits-1:0] f_entry, f_rd_entry, f_rd_entry2;
    logic [NumOps*4-1:0]         f_mask, f_sel, f_mask1, f_mask2;
    logic [NumOps*NumOps-1:0]    f_ops1, f_ops2;
    logic [NumOps-1:0]           f_served, f_twice, f_at_x, f_at_y;
    logic [5:0]                  f_reg_x, f_reg_y;
    logic [BankBits-1:0]         f_bank_x, f_bank_y;
    logic [EntryBits-1:0]        f_entry_x, f_entry_y;
    logic [3:0]                  f_mask_x, f_mask_y;
    logic                        f_both, f_same_read, f_able;
    assign f_valid     = NumOps'(co_valid_i >> f_a * NumOps);
    assign f_reg       = (NumOps*6)'(co_reg_i >> f_a * NumOps * 6);
    assign f_bank      = (NumOps*BankBits)'(co_bank_i >> f_a * NumOps * BankBits);
    assign f_entry     = (NumOps*EntryBits)'(co_entry_i >> f_a * NumOps * EntryBits);
    assign f_mask      = (NumOps*4)'(co_mask_i >> f_a * NumOps * 4);
    assign f_rd        = NumOps'(rd_valid_o >> f_a * NumOps);
    assign f_rd_bank   = (NumOps*BankBits)'(rd_bank_o >> f_a * NumOps * BankBits);
    assign f_rd_entry  = (NumOps*EntryBits)'(rd_entry_o >> f_a * NumOps * EntryBits);
    assign f_rd_entry2 = (NumOps*EntryBits)'(rd_entry2_o >> f_a * NumOps * EntryBits);
    assign f_sel       = (NumOps*4)'(rd_sel_o >> f_a * NumOps * 4);
    assign f_mask1     = (NumOps*4)'(rd_mask1_o >> f_a * NumOps * 4);
    assign f_mask2     = (NumOps*4)'(rd_mask2_o >> f_a * NumOps * 4);
    assign f_ops1      = (NumOps*NumOps)'(rd_ops1_o >> f_a * NumOps * NumOps);
    assign f_ops2      = (NumOps*NumOps)'(rd_ops2_o >> f_a * NumOps * NumOps);
    assign f_unread    = NumOps'(co_unread_o >> f_a * NumOps);
    assign f_reg_x     = 6'(f_reg >> f_x * 6);
    assign f_reg_y     = 6'(f_reg >> f_y * 6);
    assign f_bank_x    = BankBits'(f_bank >> f_x * BankBits);
    assign f_bank_y    = BankBits'(f_bank >> f_y * BankBits);
    assign f_entry_x   = EntryBits'(f_entry >> f_x * EntryBits);
    assign f_entry_y   = EntryBits'(f_entry >> f_y * EntryBits);
    assign f_mask_x    = 4'(f_mask >> f_x * 4);
    assign f_mask_y    = 4'(f_mask >> f_y * 4);
    assign f_both      = f_valid[f_x] && f_valid[f_y] && f_mask_x != '0 && f_mask_y != '0;
    assign f_able      = f_both && f_reg_x != f_reg_y && f_bank_x == f_bank_y &&
        (co_mode_i == 1 ? f_entry_x == f_entry_y
                        : co_mode_i == 2 && (f_mask_x & f_mask_y) == '0);
    always_comb begin
        assume (f_a < NumAlloc && f_x < f_y && f_y < NumOps);
        // environment
        for (int x = 0; x < NumOps; x = x + 1)
            for (int y = x + 1; y < NumOps; y = y + 1)
                if (f_valid[x] && f_valid[y]) begin
                    if (f_reg[x*6 +: 6] == f_reg[y*6 +: 6])
                        assume (f_mask[x*4 +: 4] == f_mask[y*4 +: 4] &&
                            (f_mask[x*4 +: 4] == '0 ||
                            (f_bank[x*BankBits +: BankBits] == f_bank[y*BankBits +: BankBits] &&
                             f_entry[x*EntryBits +: EntryBits] == f_entry[y*EntryBits +: EntryBits])));
                    else if (f_bank[x*BankBits +: BankBits] == f_bank[y*BankBits +: BankBits] &&
                             f_entry[x*EntryBits +: EntryBits] == f_entry[y*EntryBits +: EntryBits])
                        assume ((f_mask[x*4 +: 4] & f_mask[y*4 +: 4]) == '0);
                end
        f_served = f_unread;
        f_twice  = '0;
        f_at_x   = '0;
        f_at_y   = '0;
        for (int o = 0; o < NumOps; o = o + 1)
            if (f_rd[o]) begin
                f_twice  = f_twice | (f_served & f_ops1[o*NumOps +: NumOps]);
                f_served = f_served | f_ops1[o*NumOps +: NumOps];
                f_twice  = f_twice | (f_served & f_ops2[o*NumOps +: NumOps]);
                f_served = f_served | f_ops2[o*NumOps +: NumOps];
                f_at_x[o] = f_ops1[o*NumOps + 32'(f_x)] || f_ops2[o*NumOps + 32'(f_x)];
                f_at_y[o] = f_ops1[o*NumOps + 32'(f_y)] || f_ops2[o*NumOps + 32'(f_y)];
                // the leader takes the first value; a second value has a mask
                assert (f_ops1[o*NumOps + o]);
                assert ((f_ops1[o*NumOps +: NumOps] & ((NumOps'(1) << o) - 1'b1)) == '0);
                assert ((f_ops2[o*NumOps +: NumOps] & ((NumOps'(1) << o) - 1'b1)) == '0);
                assert ((f_mask2[o*4 +: 4] != '0) == (f_ops2[o*NumOps +: NumOps] != '0));
                // operand f_x, wherever it is served, gets its own slices
                if (f_ops1[o*NumOps + 32'(f_x)]) assert (f_mask1[o*4 +: 4] == f_mask_x);
                if (f_ops2[o*NumOps + 32'(f_x)]) assert (f_mask2[o*4 +: 4] == f_mask_x);
                if (f_at_x[o]) begin
                    assert (f_rd_bank[o*BankBits +: BankBits] == f_bank_x);
                    for (int s = 0; s < 4; s = s + 1)
                        if (f_mask_x[s])
                            assert ((f_sel[o*4 + s] ? f_rd_entry2[o*EntryBits +: EntryBits]
                                                    : f_rd_entry[o*EntryBits +: EntryBits]) == f_entry_x);
                end
                // and the same for f_y
                if (f_ops1[o*NumOps + 32'(f_y)]) assert (f_mask1[o*4 +: 4] == f_mask_y);
                if (f_ops2[o*NumOps + 32'(f_y)]) assert (f_mask2[o*4 +: 4] == f_mask_y);
                if (f_at_y[o]) begin
                    assert (f_rd_bank[o*BankBits +: BankBits] == f_bank_y);
                    for (int s = 0; s < 4; s = s + 1)
                        if (f_mask_y[s])
                            assert ((f_sel[o*4 + s] ? f_rd_entry2[o*EntryBits +: EntryBits]
                                                    : f_rd_entry[o*EntryBits +: EntryBits]) == f_entry_y);
                end
                // one value of a read is one register
                if (f_ops1[o*NumOps + 32'(f_x)] && f_ops1[o*NumOps + 32'(f_y)])
                    assert (f_reg_x == f_reg_y);
                if (f_ops2[o*NumOps + 32'(f_x)] && f_ops2[o*NumOps + 32'(f_y)])
                    assert (f_reg_x == f_reg_y);
                // single reads do not touch Address2
                if (f_ops2[o*NumOps +: NumOps] == '0 || co_mode_i != 2)
                    assert (f_sel[o*4 +: 4] == '0 && f_rd_entry2[o*EntryBits +: EntryBits] ==
                                                     f_rd_entry[o*EntryBits +: EntryBits]);
            end
        f_same_read = (f_at_x & f_at_y) != '0;
        // each operand once, and only those that were never written not at all
        assert (f_served == f_valid && f_twice == '0);
        assert (f_unread[f_x] == (f_valid[f_x] && f_mask_x == '0));
        // what is read together, and what must be
        if (f_same_read && f_reg_x != f_reg_y) assert (f_able && co_coalesced_o[f_a]);
        if (f_able) assert (co_coalesced_o[f_a]);
        if (f_able && f_x == 0 && f_y == 1) assert (f_same_read);
        if (f_able && f_x == 0 && NumOps == 3 && !f_same_read)
            assert (f_y == 2 && (f_rd & 3'b010) == '0);  // operand 1 went with operand 0
        if (f_both && f_reg_x == f_reg_y)
            assert (f_same_read == (co_mode_i == 1 || co_mode_i == 2) && co_merged_o[f_a] == f_same_read);
        if (co_mode_i == 0 || co_mode_i == 3)
            assert (!co_coalesced_o[f_a] && !co_merged_o[f_a] && !f_same_read);
        // counters
        if (f_valid[f_x] && f_valid[f_y] && f_reg_x != f_reg_y) assert (co_multi_o[f_a]);
        if (f_both && f_reg_x != f_reg_y && ones(f_mask_x) + ones(f_mask_y) <= 4)
            assert (co_possible_o[f_a]);
        if (NumOps == 2) begin
            assert (co_multi_o[f_a] == (f_valid == '1 && f_reg_x != f_reg_y));
            assert (co_possible_o[f_a] == (f_both && f_reg_x != f_reg_y &&
                                           ones(f_mask_x) + ones(f_mask_y) <= 4));
            assert (co_coalesced_o[f_a] == f_able);
        end
        cover (co_mode_i == 2 && f_same_read && f_reg_x != f_reg_y && f_entry_x != f_entry_y);
        cover (co_mode_i == 1 && f_same_read && f_reg_x != f_reg_y && ones(f_mask_x) == 3);
        cover (co_mode_i == 2 && f_same_read && f_reg_x == f_reg_y);
        cover (co_coalesced_o == '1 && co_possible_o == '1 && f_able);
    end
`endif
endmodule
