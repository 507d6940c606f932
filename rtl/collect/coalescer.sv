// SPDX-License-Identifier: Apache-2.0
// Purpose:    decides which source operands of each instruction are read together. These are one
//             register named twice, two registers in one entry, and two registers of one bank in
//             slices that do not overlap. Contract: models/collect/coalescer.h.
// Parameters: NumAlloc, 1..4: instructions per cycle; NumOps, 1..3: operands of each; Banks, 1..32,
//             and Entries, 2..1024, of the register file.
// Timing:     combinational: outputs in the cycle of the inputs. The rd_ outputs of an operand are
//             defined where its rd_valid_o is 1.
// Reset:      no state; every block has clk_i and rst_ni.
// Left out:   coalescing across instructions, more than two registers in one read.
// Shapes:     - ; NumAlloc=1,NumOps=2,Banks=1,Entries=2 ; NumAlloc=4,NumOps=2,Banks=3,Entries=100
// Proof:      1:1:NumAlloc=1,NumOps=3,Banks=4,Entries=4
// Proof:      1:1:NumAlloc=2,NumOps=2,Banks=3,Entries=3

`include "macros.svh"

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
    // operands from the renaming table
    input  logic [1:0]               co_mode_i,
    input  logic [Num-1:0]           co_valid_i,
    input  logic [Num*6-1:0]         co_reg_i,
    input  logic [Num*BankBits-1:0]  co_bank_i,
    input  logic [Num*EntryBits-1:0] co_entry_i,
    input  logic [Num*4-1:0]         co_mask_i,
    // observation: parameters only
    `OBS_PORT(input  logic [31:0]              obs_addr_i)
    `OBS_PORT(output logic [31:0]              obs_data_o)
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

    logic merge;  // one register named twice is one read
    assign merge = co_mode_i == 2'd1 || co_mode_i == 2'd2;

    // Pairs of operands x < y are numbered x * NumOps + y; the other numbers stay 0.
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_port
        localparam int B = a * NumOps;
        logic [NumOps-1:0]        valid, written, lead, second;
        logic [NumOps*NumOps-1:0] repeats, differ, fit, able, take;
        logic [NumOps*3-1:0]      slices;  // how many each has
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_op
            assign valid[o]   = co_valid_i[B + o];
            assign written[o] = valid[o] && (co_mask_i[(B+o)*4 +: 4] != '0);
            assign co_unread_o[B + o] = valid[o] && !written[o];
            popcount #(.Width(4)) u_slices (
                .set_i(co_mask_i[(B+o)*4 +: 4]), .count_o(slices[o*3 +: 3])
            );
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
                        4'(slices[x*3 +: 3]) + 4'(slices[y*3 +: 3]) < 4'd5;
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

    `CHECK_RANGE(coalescer, NumAlloc, 1, 4)
    `CHECK_RANGE(coalescer, NumOps, 1, 3)
    `CHECK_RANGE(coalescer, Banks, 1, 32)
    `CHECK_RANGE(coalescer, Entries, 2, 1024)
    `include "collect/coalescer.obs.svh"
endmodule
