// SPDX-License-Identifier: Apache-2.0
// Purpose:    the walk of rename_table over the registers of a warp that ended. It stores which of
//             them are still mapped, and selects the rows to free next, one in each lane and cycle.
//             Contract: models/rename/rename_table.h.
// Parameters: Warps, 1..64; Regs, 2..64: registers per warp; Banks, 1..32: table banks; NumWr, 1..4: writers.
// Timing:     ask_o, row_o and ex_ready_o depend on state alone; a row is freed where may_i permits
//             it. A walk begins in the cycle after ex_valid_i and takes a cycle for each register
//             of a lane, one at least.
// Reset:      no walk.
// Left out:   the rows' mapped bits (rename_bank), of which the walk copies those of its warp.
// Shapes:     - ; Warps=1,Regs=2,Banks=1,NumWr=1 ; Warps=5,Regs=7,Banks=3,NumWr=3 ; Banks=10
// Proof:      1:8:Warps=2,Regs=3,Banks=2,NumWr=1
// Proof:      1:8:Warps=2,Regs=5,Banks=3,NumWr=2

`include "macros.svh"

module rename_walk #(
    parameter int Warps = 48,
    parameter int Regs  = 63,
    parameter int Banks = 4,
    parameter int NumWr = 2,
    localparam int WarpBits  = Warps > 1 ? $clog2(Warps) : 1,
    localparam int RegBits   = Regs > 1 ? $clog2(Regs) : 1,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int Groups    = (Regs + Banks - 1) / Banks,
    localparam int Slots     = (Warps + Banks - 1) / Banks * Banks,
    localparam int Rows      = Slots * Groups,
    localparam int RowBits   = Rows > 1 ? $clog2(Rows) : 1,
    localparam int GroupBits = Groups > 1 ? $clog2(Groups) : 1,
    localparam int NumFreed  = Banks < 8 ? Banks : 8
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    // table bank of register r of warp w: 0: (r + w) mod Banks, 1: w mod Banks
    input  logic                          cfg_table_i,
    // a warp ends
    input  logic                          ex_valid_i,
    input  logic [WarpBits-1:0]           ex_warp_i,
    output logic                          ex_ready_o,
    // The warp of the walk, or of a walk that would begin now. Its mapped bits then, by table bank,
    // groups side by side: registers spread over the banks; registers all in one bank.
    output logic [WarpBits-1:0]           warp_o,
    input  logic [Banks*Groups-1:0]       spread_i,
    input  logic [Banks*Banks*Groups-1:0] own_i,
    // registers set and freed in this cycle
    input  logic [NumWr-1:0]              up_done_i,
    input  logic [NumWr*WarpBits-1:0]     up_warp_i,
    input  logic [NumWr*RegBits-1:0]      up_reg_i,
    input  logic [NumWr*BankBits-1:0]     up_home_i,
    input  logic                          fr_done_i,
    input  logic [WarpBits-1:0]           fr_warp_i,
    input  logic [RegBits-1:0]            fr_reg_i,
    input  logic [BankBits-1:0]           fr_home_i,
    // table banks in which a row is to be freed, the row; banks that can free it
    output logic [Banks-1:0]              ask_o,
    // observation: the copy
    `OBS_PORT(output logic [Banks*Groups-1:0]       obs_bits_o)
    `OBS_PORT(output logic [WarpBits-1:0]           obs_warp_o)
    output logic [RowBits-1:0]            row_o,
    input  logic [Banks-1:0]              may_i
);

    logic                walk_q;
    logic [WarpBits-1:0] walk_warp_q;
    logic [BankBits-1:0] walk_home;
    // Mapped registers of the warp, groups side by side: register x of a group, with cfg_table 0
    // that in table bank x. The first group with a mapped register is freed. The bits are copied
    // when the warp ends and follow later updates and frees.
    logic [Banks*Groups-1:0] walk_bits_q, walk_bits_d, walk_bits;
    logic [WarpBits-1:0]     walk_warp;    // that of the next cycle
    logic [Banks-1:0]        walk_hit;     // registers of the group that are freed now
    assign walk_warp   = walk_q ? walk_warp_q : ex_warp_i;
    logic [Groups-1:0]       walk_groups, walk_first;
    logic [GroupBits-1:0]    walk_group;
    logic [Banks-1:0]        walk_live, walk_next, walk_left;
    logic [31:0]             walk_line;    // the row's number of groups
    assign ex_ready_o = !walk_q;
    assign warp_o     = walk_warp;
    assign walk_home  = BankBits'(32'(walk_warp_q) % Banks);
    always @* begin
        walk_bits   = '0;
        walk_groups = '0;
        walk_first  = '0;
        walk_group  = '0;
        walk_live   = '0;
        if (walk_q) begin
            walk_bits = walk_bits_q;
            for (int x = 0; x < Banks; x = x + 1)
                walk_groups = walk_groups | walk_bits[x*Groups +: Groups];
            for (int k = 0; k < Groups; k = k + 1) begin
                walk_first[k] = walk_groups[k] && (walk_groups << (Groups - k)) == '0;
                if (walk_first[k]) walk_group = walk_group | GroupBits'(k);
            end
            for (int x = 0; x < Banks; x = x + 1)
                walk_live[x] = (walk_bits[x*Groups +: Groups] & walk_first) != '0;
        end
    end
    // the first mapped register of the group in each lane: none below it is
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_walk_next
        if (b < NumFreed) begin : g_lowest
            assign walk_next[b] = walk_live[b];
        end else begin : g_higher
            logic [Banks-1:0] below;       // banks of the lane below b
            for (genvar i = 0; i < Banks; i = i + 1) begin : g_below
                assign below[i] = i < b && i % NumFreed == b % NumFreed;
            end
            assign walk_next[b] = walk_live[b] && (walk_live & below) == '0;
        end
    end
    assign ask_o = !cfg_table_i ? walk_next
                     : walk_live != '0 ? Banks'(1) << walk_home : '0;
    always @* begin
        walk_line = 32'(walk_warp_q);
        if (cfg_table_i) begin
            walk_line = 32'(walk_warp_q) - 32'(walk_home);
            for (int x = Banks - 1; x >= 0; x = x - 1)
                if (walk_live[x]) walk_line = 32'(walk_warp_q) - 32'(walk_home) + x;
        end
    end
    assign row_o = RowBits'(walk_line * Groups + 32'(walk_group));
    for (genvar x = 0; x < Banks; x = x + 1) begin : g_walk_hit
        logic may, lowest;
        assign lowest = walk_live[x] && (walk_live << (Banks - x)) == '0;
        assign may    = cfg_table_i ? (may_i & (Banks'(1) << walk_home)) != '0 : may_i[x];
        assign walk_hit[x] = may && (cfg_table_i ? lowest : walk_next[x]);
    end
    assign walk_left = walk_live & ~walk_hit;

    // The copy: updates and frees of this cycle, and last the rows that only the walk frees.
    function automatic [31:0] walk_bit(input by_warp, input [RegBits-1:0] register, input [BankBits-1:0] home);
        walk_bit = (by_warp ? 32'(register) % Banks : 32'(home)) * Groups + 32'(register) / Banks;
    endfunction
    always @* begin
        walk_bits_d = walk_bits_q;
        if (walk_q || ex_valid_i) begin
            if (!walk_q) begin
                walk_bits_d = cfg_table_i ? '0 : spread_i;
                for (int b = 0; b < Banks; b = b + 1)
                    walk_bits_d = walk_bits_d | own_i[b*Banks*Groups +: Banks*Groups];
            end
            for (int w = 0; w < NumWr; w = w + 1)
                if (up_done_i[w] && up_warp_i[w*WarpBits +: WarpBits] == walk_warp)
                    walk_bits_d = walk_bits_d | (Banks*Groups)'(1) <<
                        walk_bit(cfg_table_i, up_reg_i[w*RegBits +: RegBits], up_home_i[w*BankBits +: BankBits]);
            if (fr_done_i && fr_warp_i == walk_warp)
                walk_bits_d = walk_bits_d & ~((Banks*Groups)'(1) << walk_bit(cfg_table_i, fr_reg_i, fr_home_i));
            for (int x = 0; x < Banks; x = x + 1)
                if (walk_hit[x])
                    walk_bits_d[x*Groups +: Groups] = walk_bits_d[x*Groups +: Groups] & ~walk_first;
        end
    end

    // The walk ends when nothing is left after this cycle.
    logic walk_end;
    assign walk_end = walk_left == '0 && (walk_groups & (walk_groups - Groups'(1))) == '0;
    always_ff @(posedge clk_i) begin
        walk_q      <= rst_ni && (walk_q ? !walk_end : ex_valid_i);
        walk_bits_q <= walk_bits_d;
        if (!walk_q) walk_warp_q <= ex_warp_i;
    end

    `CHECK_RANGE(rename_walk, Warps, 1, 64)
    `CHECK_RANGE(rename_walk, Regs, 2, 64)
    `CHECK_RANGE(rename_walk, Banks, 1, 32)
    `CHECK_RANGE(rename_walk, NumWr, 1, 4)
    `include "rename/rename_walk.obs.svh"
endmodule
