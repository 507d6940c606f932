// SPDX-License-Identifier: Apache-2.0
// Purpose:    the integrated register path of packing, CORF, CORF++ and register virtualisation:
//             renaming, coalescing, operand collection, banks, unpacking on the way out; width
//             detection, allocation, packing and mapping updates on the way in. Here are the entry
//             registers, the two stages of each writer and the wires. Contract: models/rf/rf_datapath.h.
// Parameters: Warps, 1..64; Regs, 2..64: registers per warp; Banks, 1..32, and Entries, 2..1024, of
//             the register file; NumColl, 2..31: collectors; NumOps, 1..3: operands each; NumAlloc,
//             1..4: instructions accepted per cycle; NumDisp, 1..8: units; NumWr, 1..4: results per
//             cycle; NumKernels, 1..8: kernel slots with hints.
// Timing:     is_ready_o, en_, ds_ and disp_ outputs depend on state alone; wr_ready_o, wr_done_o and
//             fr_ready_o answer in the same cycle. An instruction asks the banks two cycles after it was
//             accepted (one more per port conflict of the table, or while no collector is free); a
//             result is in its bank one cycle after it was taken when its place is kept, else two. st_
//             outputs tell what happened in the cycle before.
//             Long paths: table memory, coalescer, read registers of the collector; place of stage 1,
//             packer, bank arbitration, bank; table memory (buddy), choice of a place, stage 2; width
//             detection, need. The longest (45 nm, 2.67 ns, one cycle): collectors in use, free ones, entries that
//             move, destinations that are looked up late (late_q).
// Reset:      no register mapped, no instruction, no result, entry 0 first; the banks keep their contents.
// Left out:   forwarding of results to collectors; more than one merge at a time.
// Cost:       two rows of flip-flops per writer, so that a write port takes a result each cycle
//             although finding a place takes one.
// Shapes:     -
// Shapes:     Warps=1,Regs=2,Banks=1,Entries=2,NumColl=2,NumOps=2,NumAlloc=1,NumDisp=1,NumWr=1,NumKernels=1
// Shapes:     Warps=5,Regs=7,Banks=3,Entries=20,NumColl=5,NumOps=2,NumAlloc=3,NumDisp=3,NumWr=3,NumKernels=2
// Proof:      1:11:Warps=2,Regs=2,Banks=2,Entries=2,NumColl=2,NumOps=2,NumAlloc=1,NumDisp=1,NumWr=1,NumKernels=1
// Proof:      1:8:Warps=1,Regs=3,Banks=1,Entries=2,NumColl=2,NumOps=1,NumAlloc=2,NumDisp=1,NumWr=2,NumKernels=1
// Cut:        u_table u_coalescer u_collector u_rf u_unpacker u_width u_alloc u_packer

`include "macros.svh"

module rf_datapath #(
    parameter int Warps      = 48,
    parameter int Regs       = 63,
    parameter int Banks      = 4,
    parameter int Entries    = 256,
    parameter int NumColl    = 16,
    parameter int NumOps     = 3,
    parameter int NumAlloc   = 2,
    parameter int NumDisp    = 4,
    parameter int NumWr      = 2,
    parameter int NumKernels = 8,
    localparam int Lanes = `NARROW(2, 32),  // lanes do not see each other but in width_detect
    localparam int Row            = Lanes * 32,
    localparam int WarpBits       = Warps > 1 ? $clog2(Warps) : 1,
    localparam int RegBits        = Regs > 1 ? $clog2(Regs) : 1,
    localparam int BankBits       = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits      = Entries > 1 ? $clog2(Entries) : 1,
    localparam int CollBits       = NumColl > 1 ? $clog2(NumColl) : 1,
    localparam int UnitBits       = NumDisp > 1 ? $clog2(NumDisp) : 1,
    localparam int KernelBits     = NumKernels > 1 ? $clog2(NumKernels) : 1,
    localparam int AllocBits      = NumAlloc > 1 ? $clog2(NumAlloc) : 1,
    localparam int SliceCountBits = $clog2(4*Banks*Entries + 1),
    localparam int RegCountBits   = $clog2(Banks*Entries + 1),
    localparam int NumSrc         = NumAlloc * NumOps,
    localparam int NumFreed       = Banks < 8 ? Banks : 8
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // configuration
    input  logic [1:0]                   cfg_policy_i,
    input  logic [1:0]                   cfg_mode_i,
    input  logic                         cfg_pack_i,
    input  logic [KernelBits-1:0]        cfg_kernel_i,
    input  logic                         cfg_table_i,
    input  logic                         cfg_grow_i,
    input  logic                         cfg_order_i,
    input  logic                         cfg_shrink_i,
    // instructions arrive
    input  logic [NumAlloc-1:0]          is_valid_i,
    input  logic [NumAlloc*WarpBits-1:0] is_warp_i,
    input  logic [NumAlloc*UnitBits-1:0] is_unit_i,
    input  logic [NumSrc-1:0]            is_need_i,
    input  logic [NumSrc*RegBits-1:0]    is_reg_i,
    input  logic [NumAlloc*3-1:0]        is_dst_n_i,
    input  logic [NumAlloc*4*RegBits-1:0] is_dst_reg_i,
    output logic [NumAlloc-1:0]          is_ready_o,
    // move from their entries to collectors
    output logic [NumAlloc-1:0]          en_valid_o,
    output logic [NumAlloc*CollBits-1:0] en_slot_o,
    // where what they will write lives, and its hints
    output logic [NumAlloc-1:0]          ds_valid_o,
    output logic [NumAlloc-1:0]          ds_late_o,
    output logic [NumAlloc*2-1:0]        ds_index_o,
    output logic [NumAlloc-1:0]          ds_mapped_o,
    output logic [NumAlloc*4-1:0]        ds_mask_o,
    output logic [NumAlloc*BankBits-1:0] ds_bank_o,
    output logic [NumAlloc*EntryBits-1:0] ds_entry_o,
    output logic [NumAlloc-1:0]          ds_pair_o,
    output logic [NumAlloc*RegBits-1:0]  ds_buddy_o,
    output logic [NumAlloc*2-1:0]        ds_align_o,
    // and leave with their operands
    input  logic [NumDisp-1:0]           disp_ready_i,
    output logic [NumDisp-1:0]           disp_valid_o,
    output logic [NumDisp*CollBits-1:0]  disp_slot_o,
    output logic [NumDisp*NumOps-1:0]    disp_need_o,
    output logic [NumDisp*NumOps*Row-1:0] disp_data_o,
    // results, with where their registers live and their hints
    input  logic [NumWr-1:0]             wr_valid_i,
    input  logic [NumWr*WarpBits-1:0]    wr_warp_i,
    input  logic [NumWr*RegBits-1:0]     wr_reg_i,
    input  logic [NumWr*Lanes-1:0]       wr_lane_i,
    input  logic [NumWr*Row-1:0]         wr_data_i,
    input  logic [NumWr*4-1:0]           wr_old_mask_i,
    input  logic [NumWr*BankBits-1:0]    wr_old_bank_i,
    input  logic [NumWr*EntryBits-1:0]   wr_old_entry_i,
    input  logic [NumWr-1:0]             wr_pair_i,
    input  logic [NumWr*RegBits-1:0]     wr_buddy_i,
    input  logic [NumWr*2-1:0]           wr_align_i,
    output logic [NumWr-1:0]             wr_ready_o,
    output logic [NumWr-1:0]             wr_done_o,
    // registers are freed, one by one or all of a warp
    input  logic                         fr_valid_i,
    input  logic [WarpBits-1:0]          fr_warp_i,
    input  logic [RegBits-1:0]           fr_reg_i,
    output logic                         fr_ready_o,
    input  logic                         ex_valid_i,
    input  logic [WarpBits-1:0]          ex_warp_i,
    output logic                         ex_ready_o,
    // hints
    input  logic                         hl_valid_i,
    input  logic [1:0]                   hl_op_i,
    input  logic [KernelBits-1:0]        hl_kernel_i,
    input  logic [5:0]                   hl_reg_i,
    input  logic [5:0]                   hl_value_i,
    // observation: the parts one after the other, see the contract; then parameters
    `OBS_PORT(input  logic [31:0]                  obs_addr_i)
    `OBS_PORT(output logic [1023:0]                obs_data_o)
    // status
    output logic [SliceCountBits-1:0]    used_slices_o,
    output logic [RegCountBits-1:0]      used_regs_o,
    output logic [NumAlloc-1:0]          st_place_o,
    output logic [NumAlloc-1:0]          st_multi_o,
    output logic [NumAlloc-1:0]          st_possible_o,
    output logic [NumAlloc-1:0]          st_coalesced_o,
    output logic [NumAlloc-1:0]          st_merged_o,
    output logic [NumSrc-1:0]            st_op_o,
    output logic [NumSrc*3-1:0]          st_op_size_o,
    output logic [NumSrc-1:0]            st_src_refused_o,
    output logic [NumAlloc-1:0]          st_dst_refused_o,
    output logic [NumAlloc-1:0]          st_entry_wait_o,
    output logic [NumWr-1:0]             st_bd_o,
    output logic [NumWr-1:0]             st_bd_refused_o,
    output logic [Banks-1:0]             st_bank_read_o,
    output logic [Banks-1:0]             st_bank_write_o,
    output logic [NumColl-1:0]           st_rd_refused_o,
    output logic [NumWr-1:0]             st_wr_refused_o,
    output logic                         st_merge_o,
    output logic [NumWr-1:0]             st_alloc_o,
    output logic [NumWr*2-1:0]           st_kind_o,
    output logic [NumWr*3-1:0]           st_how_o,
    output logic [NumWr*3-1:0]           st_size_o,
    output logic [NumWr-1:0]             st_none_o,
    output logic [NumFreed-1:0]          st_freed_o
);

    localparam int PlaceBits = 4 + BankBits + EntryBits;   // {mask, bank, entry}
    localparam int Readers   = NumColl + 1;                // the last one: the writers' merge reads
    localparam int ReaderBits = $clog2(Readers);
    localparam logic [1:0] Keep = 2'd0, Shrink = 2'd1, First = 2'd2, Grow = 2'd3;  // al_kind
    localparam int MaxDst   = 4;                           // destinations of an instruction
    localparam logic [1:0] Pair = 2'd1, Align = 2'd2;      // cfg_policy
    localparam logic [1:0] Left = 2'd1;                    // alignment
    localparam logic [2:0] StepFirst = 3'd0, StepMergeAsk = 3'd1, StepMergeGet = 3'd2,
                           StepPlace = 3'd3, StepPlaced = 3'd4;

    function automatic [2:0] ones(input [3:0] mask);
        ones = (3'(mask[0]) + 3'(mask[1])) + (3'(mask[2]) + 3'(mask[3]));
    endfunction
    // The n lowest ones of a mask, or the n highest.
    function automatic [3:0] shrunk(input [3:0] mask, input [2:0] n, input high);
        integer i;
        for (i = 0; i < 4; i = i + 1)
            shrunk[i] = mask[i] && (high ? ones(mask >> (i + 1)) < n
                                         : ones(mask & ((4'd1 << i) - 4'd1)) < n);
    endfunction
    // A bit per lane to a bit per bit of a row.
    function automatic [Row-1:0] spread(input [Lanes-1:0] lanes);
        integer l;
        reg [Lanes*8-1:0] slice;
        begin
            for (l = 0; l < Lanes; l = l + 1) slice[l*8 +: 8] = {8{lanes[l]}};
            spread = {4{slice}};
        end
    endfunction

    // observation: its regions; addresses and answers of the parts
    `OBS(localparam int ObsTable = Warps * Regs + 1 + NumFreed;)
    `OBS(localparam int ObsAlloc = ObsTable + Banks * ((Entries + 15) / 16) + Banks * 6 + NumKernels * 64 + 1;)
    `OBS(localparam int ObsBanks = ObsAlloc + Banks * Entries + Banks;)
    `OBS(localparam int ObsColl  = ObsBanks + NumColl * (1 + NumOps);)
    `OBS(localparam int ObsEntry = ObsColl + NumAlloc + 1;)
    `OBS(localparam int ObsWr    = ObsEntry + 2 * NumWr;)
    `OBS(localparam int ObsData  = ObsWr + 2 * NumWr;)
    `OBS(logic [31:0]   obs_table_addr;)
    `OBS(logic [31:0]   obs_alloc_addr;)
    `OBS(logic [31:0]   obs_banks_addr;)
    `OBS(logic [31:0]   obs_coll_addr;)
    `OBS(logic [127:0]  obs_table;)
    `OBS(logic [127:0]  obs_alloc;)
    `OBS(logic [1023:0] obs_banks;)
    `OBS(logic [1023:0] obs_coll;)
    `OBS(logic [4*32-1:0] obs_none;)

    // ---- Configuration, in registers: what is set in a cycle counts from the next one on
    logic [1:0]            policy_q, mode_q;
    logic                  pack_q, by_warp_q, move_q, lowest_q, hold_q;
    logic [KernelBits-1:0] kernel_q;
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            policy_q  <= '0;
            mode_q    <= '0;
            pack_q    <= 1'b0;
            by_warp_q <= 1'b0;
            move_q    <= 1'b0;
            lowest_q  <= 1'b0;
            hold_q    <= 1'b0;
            kernel_q  <= '0;
        end else begin
            policy_q  <= cfg_policy_i;
            mode_q    <= cfg_mode_i;
            pack_q    <= cfg_pack_i;
            by_warp_q <= cfg_table_i;
            move_q    <= cfg_grow_i;
            lowest_q  <= cfg_order_i;
            hold_q    <= cfg_shrink_i;
            kernel_q  <= cfg_kernel_i;
        end
    end

    // ---- Wires between the parts
    logic [NumSrc-1:0]           src_valid, src_ready, src_answer;
    logic [NumAlloc*WarpBits-1:0] src_warp;
    logic [NumSrc*RegBits-1:0]   src_reg;
    logic [NumSrc*4-1:0]         src_mask;
    logic [NumSrc*BankBits-1:0]  src_bank;
    logic [NumSrc*EntryBits-1:0] src_entry;
    logic [NumAlloc-1:0]         dst_valid, dst_late, dst_ready;
    logic [NumAlloc*WarpBits-1:0] dst_warp;
    logic [NumAlloc*RegBits-1:0] dst_reg;
    logic [NumAlloc*6-1:0]       hq_reg, ha_buddy;
    logic [NumAlloc-1:0]         ha_pair;
    logic [NumWr-1:0]            bd_valid, bd_ready;
    logic [NumWr*WarpBits-1:0]   bd_warp, up_warp, rq_warp;
    logic [NumWr*RegBits-1:0]    bd_reg, up_reg;
    logic [NumWr*4-1:0]          bd_mask, up_mask, rq_old_mask, rq_bd_mask, al_mask;
    logic [NumWr*BankBits-1:0]   bd_bank, up_bank, rq_old_bank, rq_bd_bank, al_bank;
    logic [NumWr*EntryBits-1:0]  bd_entry, up_entry, rq_old_entry, rq_bd_entry, al_entry;
    logic [NumWr-1:0]            up_valid, up_ready;
    logic [NumFreed-1:0]           freed_valid, freed_ready, given_back;
    assign given_back = freed_valid;
    logic [NumFreed*BankBits-1:0]  freed_bank;
    logic [NumFreed*EntryBits-1:0] freed_entry;
    logic [NumFreed*4-1:0]         freed_mask;
    logic [NumWr-1:0]            rq_valid, rq_ready, rq_pair, al_done, al_none, lk_valid;
    logic [NumWr*BankBits-1:0]   lk_bank;
    logic [NumWr*EntryBits-1:0]  lk_entry;
    logic [NumWr*6-1:0]          rq_reg;
    logic [NumWr*3-1:0]          rq_size, al_how, wd_size;
    logic [NumWr*2-1:0]          rq_align, rq_kind, al_kind;
    logic [NumSrc-1:0]           co_valid, co_read, co_unread;
    logic [NumSrc*6-1:0]         co_reg;
    logic [NumSrc*BankBits-1:0]  co_bank, co_rd_bank;
    logic [NumSrc*EntryBits-1:0] co_entry, co_rd_entry, co_rd_entry2;
    logic [NumSrc*4-1:0]         co_mask, co_rd_sel, co_rd_mask1, co_rd_mask2;
    logic [NumSrc*NumOps-1:0]    co_rd_ops1, co_rd_ops2;
    logic [NumAlloc-1:0]         co_multi, co_possible, co_coalesced, co_merged;
    logic [NumAlloc-1:0]         complete;      // all its lookups are known
    logic [AllocBits-1:0]        en_first_q;
    logic [NumAlloc*UnitBits-1:0] entry_unit;
    logic [NumSrc-1:0]           entry_need;
    logic [NumColl-1:0]          coll_valid;
    logic [NumColl*BankBits-1:0] coll_bank;
    logic [NumColl*EntryBits-1:0] coll_entry, coll_entry2;
    logic [NumColl*4-1:0]        coll_sel;
    logic [NumColl*NumColl-1:0]  coll_older;
    logic [Readers-1:0]          rd_valid, rd_grant;
    logic [Readers*Readers-1:0]  rd_older;
    logic [NumWr-1:0]            bk_valid, bk_ready;
    logic [NumWr*BankBits-1:0]   bk_bank;
    logic [NumWr*EntryBits-1:0]  bk_entry;
    logic [NumWr*Lanes-1:0]      bk_lane;
    logic [NumWr*4-1:0]          bk_mask, bk_slice;
    logic [NumWr*Row-1:0]        bk_data, bk_packed;
    logic [Banks-1:0]            row_valid, row_coll_valid;
    logic [Banks*ReaderBits-1:0] row_reader;
    logic [Banks*CollBits-1:0]   row_coll;
    logic [Banks*Row-1:0]        row, row_first, row_second;
    logic [Banks*4-1:0]          coll_mask1, coll_mask2, row_mask1, row_mask2;
    logic                        merge_valid, merge_grant;
    logic [BankBits-1:0]         merge_bank;
    logic [EntryBits-1:0]        merge_entry;
    logic [3:0]                  merge_mask;    // of the merge read that is delivered

    // what nobody here needs
    logic [NumSrc-1:0]           unused_src_mapped;
    logic [NumWr-1:0]            unused_bd_answer, unused_bd_mapped, unused_packed;
    logic [NumAlloc-1:0]         unused_ha_valid;
    logic [Banks-1:0]            unused_first, unused_second;
    logic [NumWr*3-1:0]          unused_wide;

    // ---- Entry registers: one per allocation port. What arrives asks for its lookups at once, what is in
    // the entry for those that were refused and for its further destinations. Behind each entry is a late
    // register, for the destinations of one that moved on before all of them were looked up.
    logic [NumSrc*PlaceBits-1:0] look_place;    // as known in this cycle
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_entry
        logic                        busy_q;
        logic [WarpBits-1:0]         warp_q;
        logic [UnitBits-1:0]         unit_q;
        logic [NumOps*RegBits-1:0]   reg_q;
        logic [NumOps-1:0]           need_q, again_q, known_q;
        logic [NumOps*PlaceBits-1:0] place_q;
        logic [MaxDst*RegBits-1:0]   dst_q;
        logic [2:0]                  dst_n_q, served_q;    // destinations; of these looked up
        logic                        late_q;               // the late register
        logic [WarpBits-1:0]         late_warp_q;
        logic [MaxDst*RegBits-1:0]   late_dst_q;
        logic [2:0]                  late_n_q, late_served_q;
        logic                        shown_late_q;         // the destination that is shown now
        logic [1:0]                  shown_index_q;
        logic                        takes, dst_left, entry_asks;
        logic [2:0]                  served;               // of the entry's, this cycle's too
        logic [NumOps-1:0]           need, answer;
        assign dst_left      = served_q != dst_n_q;
        assign entry_asks    = busy_q && dst_left && !late_q;
        assign served        = entry_asks && dst_ready[a] ? served_q + 3'd1 : served_q;
        assign complete[a]   = busy_q && again_q == '0 && (!dst_left || !late_q);
        assign is_ready_o[a] = !busy_q || en_valid_o[a];
        assign takes         = is_valid_i[a] && is_ready_o[a];
        assign need          = is_need_i[a*NumOps +: NumOps];
        assign answer        = src_answer[a*NumOps +: NumOps];
        // lookups
        assign src_valid[a*NumOps +: NumOps] = takes ? need : busy_q ? again_q : '0;
        assign src_warp[a*WarpBits +: WarpBits] = takes ? is_warp_i[a*WarpBits +: WarpBits] : warp_q;
        assign src_reg[a*NumOps*RegBits +: NumOps*RegBits] =
            takes ? is_reg_i[a*NumOps*RegBits +: NumOps*RegBits] : reg_q;
        assign dst_late[a]  = late_q;
        assign dst_valid[a] = late_q || entry_asks || (takes && is_dst_n_i[a*3 +: 3] != 3'd0);
        assign dst_warp[a*WarpBits +: WarpBits] = late_q     ? late_warp_q
                                                : entry_asks ? warp_q
                                                             : is_warp_i[a*WarpBits +: WarpBits];
        assign dst_reg[a*RegBits +: RegBits] =
            late_q     ? late_dst_q[32'(late_served_q[1:0])*RegBits +: RegBits]
          : entry_asks ? dst_q[32'(served_q[1:0])*RegBits +: RegBits]
                       : is_dst_reg_i[a*MaxDst*RegBits +: RegBits];
        assign hq_reg[a*6 +: 6] = 6'(dst_reg[a*RegBits +: RegBits]);
        // the answer about a destination, in the cycle after its lookup
        assign ds_late_o[a]          = ds_valid_o[a] && shown_late_q;
        assign ds_index_o[a*2 +: 2]  = shown_index_q;
        assign ds_pair_o[a]          = ds_valid_o[a] && ha_pair[a];
        assign ds_buddy_o[a*RegBits +: RegBits] = RegBits'(ha_buddy[a*6 +: 6]);
        // what moves on
        assign entry_unit[a*UnitBits +: UnitBits] = unit_q;
        assign entry_need[a*NumOps +: NumOps]     = need_q;
        assign co_valid[a*NumOps +: NumOps]       = complete[a] ? need_q : '0;
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_op
            localparam int L = a * NumOps + o;
            assign look_place[L*PlaceBits +: PlaceBits] = known_q[o]
                ? place_q[o*PlaceBits +: PlaceBits]
                : {src_mask[L*4 +: 4], src_bank[L*BankBits +: BankBits],
                   src_entry[L*EntryBits +: EntryBits]};
            assign {co_mask[L*4 +: 4], co_bank[L*BankBits +: BankBits],
                    co_entry[L*EntryBits +: EntryBits]} = look_place[L*PlaceBits +: PlaceBits];
            assign co_reg[L*6 +: 6] = 6'(reg_q[o*RegBits +: RegBits]);
        end
        always_ff @(posedge clk_i) begin
            if (!rst_ni) begin
                busy_q <= 1'b0;
                late_q <= 1'b0;
            end else begin
                busy_q <= takes || (busy_q && !en_valid_o[a]);
                late_q <= late_q ? !dst_ready[a] || late_served_q + 3'd1 != late_n_q
                                 : en_valid_o[a] && served != dst_n_q;
            end
        end
        always_ff @(posedge clk_i) begin
            if (!late_q) begin
                late_warp_q   <= warp_q;
                late_dst_q    <= dst_q;
                late_n_q      <= dst_n_q;
                late_served_q <= served;
            end else if (dst_ready[a]) late_served_q <= late_served_q + 3'd1;
            shown_late_q  <= late_q || (entry_asks && en_valid_o[a]);
            shown_index_q <= late_q ? late_served_q[1:0] : entry_asks ? served_q[1:0] : 2'd0;
        end
        always_ff @(posedge clk_i) begin
            if (takes) begin
                warp_q   <= is_warp_i[a*WarpBits +: WarpBits];
                unit_q   <= is_unit_i[a*UnitBits +: UnitBits];
                reg_q    <= is_reg_i[a*NumOps*RegBits +: NumOps*RegBits];
                need_q   <= need;
                again_q  <= need & ~src_ready[a*NumOps +: NumOps];
                known_q  <= '0;
                dst_q    <= is_dst_reg_i[a*MaxDst*RegBits +: MaxDst*RegBits];
                dst_n_q  <= is_dst_n_i[a*3 +: 3];
                served_q <= 3'(dst_ready[a] && !late_q && !entry_asks);
            end else if (busy_q) begin
                again_q  <= again_q & ~src_ready[a*NumOps +: NumOps];
                known_q  <= known_q | answer;
                place_q  <= look_place[a*NumOps*PlaceBits +: NumOps*PlaceBits];
                served_q <= served;
            end
        end
    end
    // Of those that are complete and find no collector the first in cyclic order is the first next time.
    function automatic [AllocBits-1:0] next_first(input [AllocBits-1:0] first,
                                                  input [NumAlloc-1:0] refused);
        integer a;
        begin
            next_first = first;
            for (a = NumAlloc - 1; a >= 0; a = a - 1)
                if (refused[a] && AllocBits'(a) < first) next_first = AllocBits'(a);
            for (a = NumAlloc - 1; a >= 0; a = a - 1)
                if (refused[a] && AllocBits'(a) >= first) next_first = AllocBits'(a);
        end
    endfunction
    always_ff @(posedge clk_i) begin
        if (!rst_ni) en_first_q <= '0;
        else         en_first_q <= next_first(en_first_q, complete & ~en_valid_o);
    end

    rename_table #(.Warps(Warps), .Regs(Regs), .Banks(Banks), .Entries(Entries), .NumAlloc(NumAlloc), .NumOps(NumOps), .NumWr(NumWr)) u_table (
        .clk_i,
        .rst_ni,
        .cfg_table_i   (by_warp_q),
        .src_valid_i   (src_valid),
        .src_warp_i    (src_warp),
        .src_reg_i     (src_reg),
        .src_ready_o   (src_ready),
        .src_answer_o  (src_answer),
        .src_mapped_o  (unused_src_mapped),
        .src_mask_o    (src_mask),
        .src_bank_o    (src_bank),
        .src_entry_o   (src_entry),
        .dst_valid_i   (dst_valid),
        .dst_late_i    (dst_late),
        .dst_warp_i    (dst_warp),
        .dst_reg_i     (dst_reg),
        .dst_ready_o   (dst_ready),
        .dst_answer_o  (ds_valid_o),
        .dst_mapped_o  (ds_mapped_o),
        .dst_mask_o    (ds_mask_o),
        .dst_bank_o    (ds_bank_o),
        .dst_entry_o   (ds_entry_o),
        .bd_valid_i    (bd_valid),
        .bd_warp_i     (bd_warp),
        .bd_reg_i      (bd_reg),
        .bd_ready_o    (bd_ready),
        .bd_answer_o   (unused_bd_answer),
        .bd_mapped_o   (unused_bd_mapped),
        .bd_mask_o     (bd_mask),
        .bd_bank_o     (bd_bank),
        .bd_entry_o    (bd_entry),
        .up_valid_i    (up_valid),
        .up_warp_i     (up_warp),
        .up_reg_i      (up_reg),
        .up_bank_i     (up_bank),
        .up_entry_i    (up_entry),
        .up_mask_i     (up_mask),
        .up_ready_o    (up_ready),
        .fr_valid_i,
        .fr_warp_i,
        .fr_reg_i,
        .fr_ready_o,
        .ex_valid_i,
        .ex_warp_i,
        .ex_ready_o,
        `OBS_PORT(.obs_addr_i    (obs_table_addr))
        `OBS_PORT(.obs_data_o    (obs_table))
        .freed_valid_o (freed_valid),
        .freed_bank_o  (freed_bank),
        .freed_entry_o (freed_entry),
        .freed_mask_o  (freed_mask),
        .freed_ready_i (freed_ready)
    );

    coalescer #(.NumAlloc(NumAlloc), .NumOps(NumOps), .Banks(Banks), .Entries(Entries)) u_coalescer (
        .clk_i,
        .rst_ni,
        .co_mode_i      (mode_q),
        .co_valid_i     (co_valid),
        .co_reg_i       (co_reg),
        .co_bank_i      (co_bank),
        .co_entry_i     (co_entry),
        .co_mask_i      (co_mask),
        `OBS_PORT(.obs_addr_i     (32'd0))
        `OBS_PORT(.obs_data_o     (obs_none[0*32 +: 32]))
        .rd_valid_o     (co_read),
        .rd_bank_o      (co_rd_bank),
        .rd_entry_o     (co_rd_entry),
        .rd_entry2_o    (co_rd_entry2),
        .rd_sel_o       (co_rd_sel),
        .rd_mask1_o     (co_rd_mask1),
        .rd_mask2_o     (co_rd_mask2),
        .rd_ops1_o      (co_rd_ops1),
        .rd_ops2_o      (co_rd_ops2),
        .co_unread_o    (co_unread),
        .co_multi_o     (co_multi),
        .co_possible_o  (co_possible),
        .co_coalesced_o (co_coalesced),
        .co_merged_o    (co_merged)
    );

    packed_collector #(.NumColl(NumColl), .NumOps(NumOps), .NumAlloc(NumAlloc), .NumDisp(NumDisp), .Banks(Banks), .Entries(Entries), .Row(Row)) u_collector (
        .clk_i,
        .rst_ni,
        .alloc_valid_i    (complete),
        .alloc_first_i    (en_first_q),
        .alloc_unit_i     (entry_unit),
        .alloc_need_i     (entry_need),
        .alloc_unmapped_i (co_unread),
        .alloc_read_i     (co_read),
        .alloc_bank_i     (co_rd_bank),
        .alloc_entry_i    (co_rd_entry),
        .alloc_entry2_i   (co_rd_entry2),
        .alloc_sel_i      (co_rd_sel),
        .alloc_mask1_i    (co_rd_mask1),
        .alloc_mask2_i    (co_rd_mask2),
        .alloc_ops1_i     (co_rd_ops1),
        .alloc_ops2_i     (co_rd_ops2),
        .alloc_ready_o    (en_valid_o),
        .alloc_slot_o     (en_slot_o),
        .rd_valid_o        (coll_valid),
        .rd_bank_o         (coll_bank),
        .rd_entry_o        (coll_entry),
        .rd_entry2_o      (coll_entry2),
        .rd_sel_o         (coll_sel),
        .older_o          (coll_older),
        .rd_grant_i       (rd_grant[NumColl-1:0]),
        .rd_data_valid_i (row_coll_valid),
        .rd_data_coll_i   (row_coll),
        .rd_mask1_o        (coll_mask1),
        .rd_mask2_o        (coll_mask2),
        .rd_first_i       (row_first),
        .rd_second_i      (row_second),
        `OBS_PORT(.obs_addr_i       (obs_coll_addr))
        `OBS_PORT(.obs_data_o        (obs_coll))
        .disp_ready_i,
        .disp_valid_o,
        .disp_slot_o,
        .disp_need_o,
        .disp_data_o
    );

    // ---- Banks: the collectors in the order of their age, the merge read before all of them
    assign rd_valid = {merge_valid, coll_valid};
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_older
        assign rd_older[c*Readers +: Readers] = {1'b1, coll_older[c*NumColl +: NumColl]};
    end
    assign rd_older[NumColl*Readers +: Readers] = '0;
    assign merge_grant = rd_grant[NumColl];

    banked_rf #(.Banks(Banks), .Entries(Entries), .NumColl(Readers), .NumWr(NumWr)) u_rf (
        .clk_i,
        .rst_ni,
        .rd_valid_i      (rd_valid),
        .rd_bank_i       ({merge_bank, coll_bank}),
        .rd_entry_i      ({merge_entry, coll_entry}),
        .rd_entry2_i     ({merge_entry, coll_entry2}),
        .rd_sel_i        ({4'd0, coll_sel}),
        .older_i         (rd_older),
        .rd_grant_o      (rd_grant),
        .wr_valid_i      (bk_valid),
        .wr_bank_i       (bk_bank),
        .wr_entry_i      (bk_entry),
        .wr_slice_i      (bk_slice),
        .wr_lane_i       (bk_lane),
        .wr_data_i       (bk_packed),
        .wr_ready_o      (bk_ready),
        `OBS_PORT(.obs_addr_i      (obs_banks_addr))
        `OBS_PORT(.obs_data_o      (obs_banks))
        .rd_data_valid_o (row_valid),
        .rd_data_coll_o  (row_reader),
        .rd_data_o       (row)
    );

    for (genvar b = 0; b < Banks; b = b + 1) begin : g_row
        logic [ReaderBits-1:0] reader;
        logic                  merges;
        assign reader = row_reader[b*ReaderBits +: ReaderBits];
        assign merges = reader == ReaderBits'(NumColl);
        assign row_coll_valid[b]                  = row_valid[b] && !merges;
        assign row_coll[b*CollBits +: CollBits] = CollBits'(reader);
        assign row_mask1[b*4 +: 4] = merges ? merge_mask : coll_mask1[b*4 +: 4];
        assign row_mask2[b*4 +: 4] = merges ? 4'd0 : coll_mask2[b*4 +: 4];
    end

    unpacker #(.NumRows(Banks)) u_unpacker (
        .clk_i,
        .rst_ni,
        .up_valid_i        (row_valid),
        .up_row_i          (row),
        .up_mask1_i        (row_mask1),
        .up_mask2_i        (row_mask2),
        `OBS_PORT(.obs_addr_i        (32'd0))
        `OBS_PORT(.obs_data_o        (obs_none[1*32 +: 32]))
        .up_first_valid_o  (unused_first),
        .up_second_valid_o (unused_second),
        .up_first_o        (row_first),
        .up_second_o       (row_second)
    );

    // ---- Writers
    width_detect #(.NumPorts(NumWr)) u_width (
        .clk_i,
        .rst_ni,
        .wd_valid_i (wr_valid_i),
        .wd_data_i  (wr_data_i),
        .wd_lane_i  (wr_lane_i),
        .wd_old_i   ({NumWr{3'd0}}),
        `OBS_PORT(.obs_addr_i (32'd0))
        `OBS_PORT(.obs_data_o (obs_none[2*32 +: 32]))
        .wd_wide_o  (unused_wide),
        .wd_size_o  (wd_size)
    );

    alloc_unit #(.Banks(Banks), .Entries(Entries), .Warps(Warps), .NumWr(NumWr), .NumFree(NumFreed), .NumKernels(NumKernels), .NumAlloc(NumAlloc)) u_alloc (
        .clk_i,
        .rst_ni,
        .policy_i       (policy_q),
        .cfg_grow_i     (move_q),
        .cfg_order_i    (lowest_q),
        .lk_valid_i     (lk_valid),
        .lk_bank_i      (lk_bank),
        .lk_entry_i     (lk_entry),
        .rq_valid_i     (rq_valid),
        .rq_warp_i      (rq_warp),
        .rq_reg_i       (rq_reg),
        .rq_kind_i      (rq_kind),
        .rq_size_i      (rq_size),
        .rq_align_i     (rq_align),
        .rq_pair_i      (rq_pair),
        .rq_old_bank_i  (rq_old_bank),
        .rq_old_entry_i (rq_old_entry),
        .rq_old_mask_i  (rq_old_mask),
        .rq_bd_bank_i   (rq_bd_bank),
        .rq_bd_entry_i  (rq_bd_entry),
        .rq_bd_mask_i   (rq_bd_mask),
        .fr_valid_i     (given_back),
        .fr_bank_i      (freed_bank),
        .fr_entry_i     (freed_entry),
        .fr_mask_i      (freed_mask),
        .hl_valid_i,
        .hl_op_i,
        .hl_kernel_i,
        .hl_reg_i,
        .hl_value_i,
        .hq_valid_i     (dst_valid),
        .hq_kernel_i    ({NumAlloc{kernel_q}}),
        .hq_reg_i       (hq_reg),
        `OBS_PORT(.obs_addr_i     (obs_alloc_addr))
        `OBS_PORT(.obs_data_o     (obs_alloc))
        .fr_ready_o     (freed_ready),
        .rq_ready_o     (rq_ready),
        .al_done_o      (al_done),
        .al_none_o      (al_none),
        .al_kind_o      (al_kind),
        .al_how_o       (al_how),
        .al_bank_o      (al_bank),
        .al_entry_o     (al_entry),
        .al_mask_o      (al_mask),
        .ha_valid_o     (unused_ha_valid),
        .ha_pair_o      (ha_pair),
        .ha_buddy_o     (ha_buddy),
        .ha_align_o     (ds_align_o),
        .used_slices_o,
        .used_regs_o
    );

    packer #(.NumPorts(NumWr)) u_packer (
        .clk_i,
        .rst_ni,
        .pk_valid_i     (bk_valid),
        .pk_data_i      (bk_data),
        .pk_mask_i      (bk_mask),
        `OBS_PORT(.obs_addr_i     (32'd0))
        `OBS_PORT(.obs_data_o     (obs_none[3*32 +: 32]))
        .pk_out_valid_o (unused_packed),
        .pk_slice_o     (bk_slice),
        .pk_out_o       (bk_packed)
    );

    logic [NumWr-1:0]           merge_ask, merge_pick, merge_get;
    logic [NumWr*PlaceBits-1:0] stage_place;   // old place of stage 1
    assign merge_pick  = merge_ask & (~merge_ask + NumWr'(1));
    assign merge_valid = merge_ask != '0;
    always @* begin
        merge_bank  = '0;
        merge_entry = '0;
        merge_mask  = '0;
        for (int w = 0; w < NumWr; w = w + 1) begin
            if (merge_pick[w]) begin
                merge_bank  = merge_bank | stage_place[w*PlaceBits + EntryBits +: BankBits];
                merge_entry = merge_entry | stage_place[w*PlaceBits +: EntryBits];
            end
            if (merge_get[w])
                merge_mask = merge_mask | stage_place[w*PlaceBits + EntryBits + BankBits +: 4];
        end
    end

    logic [NumWr*3-1:0] need_size;    // of what is in stage 1

    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr
        // stage 1
        logic                 busy1_q;
        logic [2:0]           step_q, need_q, had_q;
        logic [WarpBits-1:0]  warp1_q;
        logic [RegBits-1:0]   reg1_q;
        logic [Lanes-1:0]     lane1_q;
        logic [Row-1:0]       data1_q;
        logic [PlaceBits-1:0] place1_q, bd_q;  // old place, new one from StepPlaced on; buddy's
        logic                 pair_q, seek_q;  // it has a buddy, whose place has to be asked for
        logic                 found_q;         // .., whose place was asked for in the cycle before
        logic [RegBits-1:0]   buddy_q;
        logic [1:0]           align_q, kind_q;
        // stage 2
        logic                 busy2_q, bank2_q, update2_q;   // .., what is done
        logic [WarpBits-1:0]  warp2_q;
        logic [RegBits-1:0]   reg2_q;
        logic [Lanes-1:0]     lane2_q;
        logic [Row-1:0]       data2_q;
        logic [PlaceBits-1:0] place2_q;

        // a result arrives
        logic       full_in, grows_in, pairs_in;
        logic [2:0] had_in, need_in, size_in;
        logic [3:0] old_mask_in;
        assign old_mask_in = wr_old_mask_i[w*4 +: 4];
        assign had_in      = ones(old_mask_in);
        assign full_in     = wr_lane_i[w*Lanes +: Lanes] == '1;
        assign size_in     = pack_q ? wd_size[w*3 +: 3] : 3'd4;
        assign need_in     = (hold_q || (!full_in)) && had_in > size_in ? had_in : size_in;
        assign grows_in    = had_in == 3'd0 || need_in > had_in;
        assign pairs_in    = wr_valid_i[w] && wr_pair_i[w] && policy_q == Pair;

        // stage 1: it keeps its place, or fetches its old value, or asks for a place
        logic                 first, full, in_place, give_waits, merge, ask;
        logic [PlaceBits-1:0] bd, al_place;
        logic [2:0]           had;
        logic [3:0]           old_mask;
        logic [1:0]           rq;
        assign first    = busy1_q && step_q == StepFirst;
        assign full     = lane1_q == '1;
        assign old_mask = place1_q[PlaceBits-1 -: 4];
        assign had      = had_q;
        assign rq       = had == 3'd0 ? First : need_q == had ? Keep : need_q < had ? Shrink : Grow;
        assign bd       = found_q ? {bd_mask[w*4 +: 4], bd_bank[w*BankBits +: BankBits],
                                     bd_entry[w*EntryBits +: EntryBits]} : bd_q;
        assign in_place = first && (rq == Keep || rq == Shrink);
        assign give_waits = in_place && rq == Shrink && !rq_ready[w];   // what it leaves has no room yet
        assign merge    = first && rq == Grow && !full;
        assign merge_ask[w] = merge || (busy1_q && step_q == StepMergeAsk);
        assign merge_get[w] = busy1_q && step_q == StepMergeGet;
        assign ask      = busy1_q && !merge_ask[w] && !seek_q && step_q != StepPlaced;
        assign stage_place[w*PlaceBits +: PlaceBits] = place1_q;
        assign need_size[w*3 +: 3] = need_q;
        // the buddy's place: asked for when the result arrives, again while that was refused
        assign bd_valid[w] = (busy1_q && seek_q) || pairs_in;
        assign bd_warp[w*WarpBits +: WarpBits] =
            busy1_q && seek_q ? warp1_q : wr_warp_i[w*WarpBits +: WarpBits];
        assign bd_reg[w*RegBits +: RegBits] =
            busy1_q && seek_q ? buddy_q : wr_buddy_i[w*RegBits +: RegBits];
        // its row: looked up ahead of the request, once it is known that it grows
        logic looks_in;
        assign looks_in    = wr_valid_i[w] && had_in != 3'd0 && grows_in && full_in && (!busy1_q || (first && !give_waits));
        assign lk_valid[w] = !move_q && (merge_ask[w] || looks_in);
        assign {lk_bank[w*BankBits +: BankBits], lk_entry[w*EntryBits +: EntryBits]} = merge_ask[w]
            ? place1_q[PlaceBits-5:0]
            : {wr_old_bank_i[w*BankBits +: BankBits], wr_old_entry_i[w*EntryBits +: EntryBits]};
        // the old value fills the lanes that are not written
        logic [Row-1:0]   data1;
        logic [Lanes-1:0] lane1;
        always @* begin
            data1 = data1_q;
            lane1 = lane1_q;
            if (merge_get[w]) begin
                data1 = data1_q | (row_first[32'(place1_q[EntryBits +: BankBits])*Row +: Row] &
                                   ~spread(lane1_q));
                lane1 = '1;
            end
        end

        // a place is asked for
        assign rq_valid[w]                     = ask;
        assign rq_warp[w*WarpBits +: WarpBits] = warp1_q;
        assign rq_reg[w*6 +: 6]                = 6'(reg1_q);
        assign rq_kind[w*2 +: 2]               = rq;
        assign rq_size[w*3 +: 3]               = need_q;
        assign rq_align[w*2 +: 2]              = align_q;
        assign rq_pair[w]                      = pair_q;
        assign {rq_old_mask[w*4 +: 4], rq_old_bank[w*BankBits +: BankBits],
                rq_old_entry[w*EntryBits +: EntryBits]} = place1_q;
        assign {rq_bd_mask[w*4 +: 4], rq_bd_bank[w*BankBits +: BankBits],
                rq_bd_entry[w*EntryBits +: EntryBits]} = bd;
        assign al_place = {al_mask[w*4 +: 4], al_bank[w*BankBits +: BankBits],
                           al_entry[w*EntryBits +: EntryBits]};

        // bank and table: stage 2, or stage 1 when it keeps its place and stage 2 is empty. What it
        // keeps of its place is not taken from alloc_unit, whose answer comes late.
        logic                 fast, serve, needs_bank, needs_update, done;
        logic [3:0]           kept;
        logic [PlaceBits-1:0] place;
        assign kept         = shrunk(old_mask, need_q, policy_q == Align && align_q == Left);
        assign fast         = in_place && !give_waits && !busy2_q;
        assign serve        = busy2_q || fast;
        assign place        = busy2_q ? place2_q : {kept, place1_q[PlaceBits-5:0]};
        assign needs_bank   = !(busy2_q && bank2_q);
        assign needs_update = busy2_q ? !update2_q : need_q != had;
        assign bk_valid[w]  = serve && needs_bank;
        assign {bk_mask[w*4 +: 4], bk_bank[w*BankBits +: BankBits],
                bk_entry[w*EntryBits +: EntryBits]} = place;
        assign bk_lane[w*Lanes +: Lanes] = busy2_q ? lane2_q : lane1_q;
        logic [Row-1:0] row_out;
        always @* begin                    // nothing toggles while it does not write
            row_out = '0;
            if (busy2_q)   row_out = data2_q;
            else if (fast) row_out = data1_q;
        end
        assign bk_data[w*Row +: Row] = row_out;
        assign up_valid[w] = serve && needs_update;
        assign up_warp[w*WarpBits +: WarpBits] = busy2_q ? warp2_q : warp1_q;
        assign up_reg[w*RegBits +: RegBits]    = busy2_q ? reg2_q : reg1_q;
        assign {up_mask[w*4 +: 4], up_bank[w*BankBits +: BankBits],
                up_entry[w*EntryBits +: EntryBits]} = place;
        assign done = serve && (!needs_bank || bk_ready[w]) &&
                      (!needs_update || up_ready[w]);
        assign wr_done_o[w] = done;

        // from stage to stage
        logic has_place, leaves, accepts;
        assign has_place = busy1_q && step_q == StepPlaced;
        assign leaves    = ((ask && al_done[w]) || has_place) && (!busy2_q || done);
        assign accepts   = wr_valid_i[w] && (!busy1_q || leaves);
        assign wr_ready_o[w] = accepts;

        logic [2:0] step_d;
        always @* begin
            step_d = step_q;
            if (merge_ask[w]) step_d = merge_pick[w] && merge_grant ? StepMergeGet : StepMergeAsk;
            else if (ask && al_done[w]) step_d = StepPlaced;
            else if (step_q != StepPlaced && !give_waits) step_d = StepPlace;
        end
        logic [1:0] kind;
        assign kind = has_place ? kind_q : al_kind[w*2 +: 2];

        always_ff @(posedge clk_i) begin
            if (!rst_ni) begin
                busy1_q <= 1'b0;
                busy2_q <= 1'b0;
            end else begin
                busy1_q <= accepts || (busy1_q && !leaves);
                busy2_q <= (leaves && !(fast && done)) || (busy2_q && !done);
            end
        end
        always_ff @(posedge clk_i) begin
            if (leaves) begin
                warp2_q   <= warp1_q;
                reg2_q    <= reg1_q;
                lane2_q   <= kind == First ? '1 : lane1;
                data2_q   <= data1;
                place2_q  <= has_place ? place1_q : al_place;
                bank2_q   <= fast && bk_ready[w];
                update2_q <= kind == Keep || (fast && up_ready[w]);
            end else begin
                if (bk_ready[w]) bank2_q <= 1'b1;
                if (up_ready[w]) update2_q <= 1'b1;
            end
        end
        always_ff @(posedge clk_i) begin
            if (accepts) begin
                step_q   <= StepFirst;
                need_q   <= need_in;
                had_q    <= had_in;
                warp1_q  <= wr_warp_i[w*WarpBits +: WarpBits];
                reg1_q   <= wr_reg_i[w*RegBits +: RegBits];
                lane1_q  <= wr_lane_i[w*Lanes +: Lanes];
                data1_q  <= wr_data_i[w*Row +: Row] & spread(wr_lane_i[w*Lanes +: Lanes]);
                place1_q <= {old_mask_in, wr_old_bank_i[w*BankBits +: BankBits],
                             wr_old_entry_i[w*EntryBits +: EntryBits]};
                pair_q   <= wr_pair_i[w];
                buddy_q  <= wr_buddy_i[w*RegBits +: RegBits];
                align_q  <= wr_align_i[w*2 +: 2];
                seek_q   <= pairs_in && grows_in && !bd_ready[w];
                found_q  <= pairs_in && bd_ready[w];
                bd_q     <= '0;
            end else if (busy1_q) begin
                step_q   <= step_d;
                if (ask && al_done[w]) place1_q <= al_place;
                if (ask) kind_q <= al_kind[w*2 +: 2];
                seek_q   <= seek_q && !bd_ready[w];
                found_q  <= seek_q && bd_ready[w];
                bd_q     <= bd;
                if (merge_get[w]) begin
                    lane1_q <= lane1;
                    data1_q <= data1;
                end
            end
        end
    end

    // ---- Status of the cycle before
    logic [NumAlloc-1:0] placed;         // instructions with operands that move to collectors
    logic [NumSrc-1:0]   placed_ops;
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_placed
        assign placed[a] = en_valid_o[a] && entry_need[a*NumOps +: NumOps] != '0;
        assign placed_ops[a*NumOps +: NumOps] = en_valid_o[a] ? entry_need[a*NumOps +: NumOps] : '0;
    end
    logic [NumSrc*3-1:0] op_size;
    for (genvar l = 0; l < NumSrc; l = l + 1) begin : g_op_size
        assign op_size[l*3 +: 3] = ones(co_mask[l*4 +: 4]);
    end
    logic [Banks-1:0] bank_write;
    always @* begin
        bank_write = '0;
        for (int w = 0; w < NumWr; w = w + 1)
            if (bk_ready[w]) bank_write = bank_write | (Banks'(1) << bk_bank[w*BankBits +: BankBits]);
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            st_place_o       <= '0;
            st_multi_o       <= '0;
            st_possible_o    <= '0;
            st_coalesced_o   <= '0;
            st_merged_o      <= '0;
            st_op_o          <= '0;
            st_src_refused_o <= '0;
            st_dst_refused_o <= '0;
            st_entry_wait_o  <= '0;
            st_bd_o          <= '0;
            st_bd_refused_o  <= '0;
            st_bank_write_o  <= '0;
            st_rd_refused_o  <= '0;
            st_wr_refused_o  <= '0;
            st_alloc_o       <= '0;
            st_none_o        <= '0;
            st_freed_o       <= '0;
        end else begin
            st_place_o       <= placed;
            st_multi_o       <= co_multi & placed;
            st_possible_o    <= co_possible & placed;
            st_coalesced_o   <= co_coalesced & placed;
            st_merged_o      <= co_merged & placed;
            st_op_o          <= placed_ops;
            st_src_refused_o <= src_valid & ~src_ready;
            st_dst_refused_o <= dst_valid & ~dst_ready;
            st_entry_wait_o  <= complete & ~en_valid_o;
            st_bd_o          <= bd_ready;
            st_bd_refused_o  <= bd_valid & ~bd_ready;
            st_bank_write_o  <= bank_write;
            st_rd_refused_o  <= coll_valid & ~rd_grant[NumColl-1:0];
            st_wr_refused_o  <= bk_valid & ~bk_ready;
            st_alloc_o       <= al_done;
            st_none_o        <= al_none;
            st_freed_o       <= freed_valid & freed_ready;
        end
    end
    always_ff @(posedge clk_i) begin
        st_op_size_o <= op_size;
        st_kind_o    <= al_kind;
        st_how_o     <= al_how;
        st_size_o    <= need_size;
    end
    assign st_bank_read_o = row_valid;
    assign st_merge_o     = (row_valid & ~row_coll_valid) != '0;

    `CHECK_RANGE(rf_datapath, Warps, 1, 64)
    `CHECK_RANGE(rf_datapath, Regs, 2, 64)
    `CHECK_RANGE(rf_datapath, Banks, 1, 32)
    `CHECK_RANGE(rf_datapath, Entries, 2, 1024)
    `CHECK_RANGE(rf_datapath, NumColl, 2, 31)
    `CHECK_RANGE(rf_datapath, NumOps, 1, 3)
    `CHECK_RANGE(rf_datapath, NumAlloc, 1, 4)
    `CHECK_RANGE(rf_datapath, NumDisp, 1, 8)
    `CHECK_RANGE(rf_datapath, NumWr, 1, 4)
    `CHECK_RANGE(rf_datapath, NumKernels, 1, 8)
    `include "rf/rf_datapath.obs.svh"
endmodule
