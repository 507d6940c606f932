// SPDX-License-Identifier: Apache-2.0
// Purpose:    the integrated register path of packing, CORF, CORF++ and register virtualization.
//             Way out: renaming, coalescing, operand collection, banks, unpacking. Way in: width
//             detection, allocation, packing and mapping updates. This level has the wires, the
//             registers of configuration and status, and the choice of the first entry. Contract:
//             models/rf/rf_datapath.h.
// Parameters: Warps, 1..64; Regs, 2..64: registers per warp; Banks, 1..32, and Entries, 2..1024, of
//             the register file; NumColl, 2..31: collectors. NumOps, 1..3: operands each; NumAlloc,
//             1..4: instructions accepted per cycle; NumDisp, 1..8: units; NumWr, 1..4: results per
//             cycle. NumKernels, 1..8: kernel slots with hints.
// Timing:     is_ready_o, en_, ds_ and disp_ outputs depend on state alone; wr_ready_o, wr_done_o
//             and fr_ready_o answer in the same cycle. An instruction asks the banks two cycles
//             after it was accepted. A port conflict of the table adds one cycle, and so does each
//             cycle without a free collector. A result is in its bank one cycle after it was taken
//             if its place is kept, else two. Long path: table memory, coalescer, read registers of
//             the collector. Long path: place of stage 1, packer, bank arbitration, bank. Long
//             path: table memory (buddy), choice of a place, stage 2. Long path: width detection,
//             need. The longest (45 nm, 2.67 ns, one cycle): collectors in use, free ones, entries
//             that move, destinations that are looked up late (late_q).
// Reset:      no register mapped, no instruction, no result, entry 0 first; the banks keep their contents.
// Left out:   forwarding of results to collectors; more than one merge at a time.
// Shapes:     -
// Shapes:     Warps=1,Regs=2,Banks=1,Entries=2,NumColl=2,NumOps=2,NumAlloc=1,NumDisp=1,NumWr=1,NumKernels=1
// Shapes:     Warps=5,Regs=7,Banks=3,Entries=20,NumColl=5,NumOps=2,NumAlloc=3,NumDisp=3,NumWr=3,NumKernels=2
// Proof:      1:11:Warps=2,Regs=2,Banks=2,Entries=2,NumColl=2,NumOps=2,NumAlloc=1,NumDisp=1,NumWr=1,NumKernels=1
// Proof:      1:8:Warps=1,Regs=3,Banks=1,Entries=2,NumColl=2,NumOps=1,NumAlloc=2,NumDisp=1,NumWr=2,NumKernels=1
// Cut:        g_port*.u_lookup u_table u_coalescer u_collector u_rf u_merge u_unpacker u_width u_alloc u_packer g_wr*.u_writer

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
    // places of the registers that they will write, and their hints
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
    // events of the previous cycle, for counters
    `OBS_PORT(output logic [NumAlloc-1:0]          obs_place_o)
    `OBS_PORT(output logic [NumAlloc-1:0]          obs_multi_o)
    `OBS_PORT(output logic [NumAlloc-1:0]          obs_possible_o)
    `OBS_PORT(output logic [NumAlloc-1:0]          obs_coalesced_o)
    `OBS_PORT(output logic [NumAlloc-1:0]          obs_merged_o)
    `OBS_PORT(output logic [NumSrc-1:0]            obs_op_o)
    `OBS_PORT(output logic [NumSrc*3-1:0]          obs_op_size_o)
    `OBS_PORT(output logic [NumSrc-1:0]            obs_src_refused_o)
    `OBS_PORT(output logic [NumAlloc-1:0]          obs_dst_refused_o)
    `OBS_PORT(output logic [NumAlloc-1:0]          obs_entry_wait_o)
    `OBS_PORT(output logic [NumWr-1:0]             obs_bd_o)
    `OBS_PORT(output logic [NumWr-1:0]             obs_bd_refused_o)
    `OBS_PORT(output logic [Banks-1:0]             obs_bank_read_o)
    `OBS_PORT(output logic [Banks-1:0]             obs_bank_write_o)
    `OBS_PORT(output logic [NumColl-1:0]           obs_rd_refused_o)
    `OBS_PORT(output logic [NumWr-1:0]             obs_wr_refused_o)
    `OBS_PORT(output logic                         obs_merge_o)
    `OBS_PORT(output logic [NumWr-1:0]             obs_alloc_o)
    `OBS_PORT(output logic [NumWr*2-1:0]           obs_kind_o)
    `OBS_PORT(output logic [NumWr*3-1:0]           obs_how_o)
    `OBS_PORT(output logic [NumWr*3-1:0]           obs_size_o)
    `OBS_PORT(output logic [NumWr-1:0]             obs_none_o)
    `OBS_PORT(output logic [NumFreed-1:0]          obs_freed_o)
    // status
    output logic [SliceCountBits-1:0]    used_slices_o,
    output logic [RegCountBits-1:0]      used_regs_o
);

    localparam int Readers    = NumColl + 1;               // the last one: the writers' merge reads
    localparam int ReaderBits = $clog2(Readers);

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
    `OBS(logic          obs_entry_en;)
    `OBS(logic          obs_stage_en;)
    `OBS(logic          obs_data_en;)
    `OBS(logic [NumAlloc*320-1:0]  obs_entry;)
    `OBS(logic [NumWr*320-1:0]     obs_stage;)
    `OBS(logic [2*NumWr*Row-1:0]   obs_rows;)
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
    logic [NumSrc-1:0]            src_valid, src_ready, src_answer;
    logic [NumAlloc*WarpBits-1:0] src_warp, dst_warp;
    logic [NumSrc*RegBits-1:0]    src_reg;
    logic [NumSrc*4-1:0]          src_mask;
    logic [NumSrc*BankBits-1:0]   src_bank;
    logic [NumSrc*EntryBits-1:0]  src_entry;
    logic [NumAlloc-1:0]          dst_valid, dst_late, dst_ready, shown_late, ha_pair, unused_ha_valid;
    logic [NumAlloc*RegBits-1:0]  dst_reg;
    logic [NumAlloc*6-1:0]        hq_reg, ha_buddy;
    logic [NumAlloc-1:0]          complete;     // all its lookups are known
    logic [AllocBits-1:0]         en_first_q;
    logic [NumAlloc*UnitBits-1:0] entry_unit;
    logic [NumSrc-1:0]            entry_need, co_valid, co_read, co_unread;
    logic [NumSrc*6-1:0]          co_reg;
    logic [NumSrc*BankBits-1:0]   co_bank, co_rd_bank;
    logic [NumSrc*EntryBits-1:0]  co_entry, co_rd_entry, co_rd_entry2;
    logic [NumSrc*4-1:0]          co_mask, co_rd_sel, co_rd_mask1, co_rd_mask2;
    logic [NumSrc*NumOps-1:0]     co_rd_ops1, co_rd_ops2;
    logic [NumAlloc-1:0]          co_multi, co_possible, co_coalesced, co_merged;
    logic [NumColl-1:0]           coll_valid;
    logic [NumColl*BankBits-1:0]  coll_bank;
    logic [NumColl*EntryBits-1:0] coll_entry, coll_entry2;
    logic [NumColl*4-1:0]         coll_sel;
    logic [NumColl*NumColl-1:0]   coll_older;
    logic [Readers-1:0]           rd_valid, rd_grant;
    logic [Readers*Readers-1:0]   rd_older;
    logic [Banks-1:0]             row_valid, row_coll_valid, row_merge;
    logic [Banks*ReaderBits-1:0]  row_reader;
    logic [Banks*CollBits-1:0]    row_coll;
    logic [Banks*Row-1:0]         row, row_first, row_second;
    logic [Banks*4-1:0]           coll_mask1, coll_mask2, row_mask1, row_mask2;
    logic [NumWr-1:0]             merge_ask, merge_get, merge_go;
    logic [BankBits-1:0]          merge_bank;
    logic [EntryBits-1:0]         merge_entry;
    logic [Row-1:0]               merge_row;
    logic [NumWr-1:0]             bd_valid, bd_ready, up_valid, up_ready, bk_valid, bk_ready, lk_valid;
    logic [NumWr*WarpBits-1:0]    bd_warp, up_warp, rq_warp;
    logic [NumWr*RegBits-1:0]     bd_reg, up_reg;
    logic [NumWr*4-1:0]           bd_mask, bk_mask, bk_slice, rq_old_mask, rq_bd_mask, al_mask;
    logic [NumWr*BankBits-1:0]    bd_bank, bk_bank, rq_old_bank, rq_bd_bank, al_bank, lk_bank;
    logic [NumWr*EntryBits-1:0]   bd_entry, bk_entry, rq_old_entry, rq_bd_entry, al_entry, lk_entry;
    logic [NumWr*Lanes-1:0]       bk_lane;
    logic [NumWr*Row-1:0]         bk_data, bk_packed;
    logic [NumWr-1:0]             rq_valid, rq_ready, rq_pair, al_done, al_none;
    logic [NumWr*6-1:0]           rq_reg;
    logic [NumWr*3-1:0]           rq_size, al_how, wd_size;
    logic [NumWr*2-1:0]           rq_align, rq_kind, al_kind;
    logic [NumFreed-1:0]           freed_valid, freed_ready, given_back;
    logic [NumFreed*BankBits-1:0]  freed_bank;
    logic [NumFreed*EntryBits-1:0] freed_entry;
    logic [NumFreed*4-1:0]         freed_mask;
    assign given_back = freed_valid;
    // outputs without a use here
    logic [NumSrc-1:0]   unused_src_mapped;
    logic [NumWr-1:0]    unused_bd_answer, unused_bd_mapped, unused_packed;
    logic [Banks-1:0]    unused_first, unused_second;
    logic [NumWr*3-1:0]  unused_wide;
    logic                unused_counted;    // used by counters
    assign unused_counted = ^{co_multi, co_possible, co_coalesced, co_merged, row_merge, al_none, al_how};

    // ---- Instructions look up their registers, an entry per allocation port
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_port
        localparam int S = a * NumOps;
        rf_lookup #(.Warps(Warps), .Regs(Regs), .Banks(Banks), .Entries(Entries), .NumOps(NumOps), .NumDisp(NumDisp)) u_lookup (
            .clk_i, .rst_ni,
            .is_valid_i(is_valid_i[a]), .is_warp_i(is_warp_i[a*WarpBits +: WarpBits]),
            .is_unit_i(is_unit_i[a*UnitBits +: UnitBits]), .is_need_i(is_need_i[S +: NumOps]),
            .is_reg_i(is_reg_i[S*RegBits +: NumOps*RegBits]), .is_dst_n_i(is_dst_n_i[a*3 +: 3]),
            .is_dst_reg_i(is_dst_reg_i[a*4*RegBits +: 4*RegBits]), .is_ready_o(is_ready_o[a]),
            .src_valid_o(src_valid[S +: NumOps]), .src_warp_o(src_warp[a*WarpBits +: WarpBits]),
            .src_reg_o(src_reg[S*RegBits +: NumOps*RegBits]), .src_ready_i(src_ready[S +: NumOps]),
            .src_answer_i(src_answer[S +: NumOps]), .src_mask_i(src_mask[S*4 +: NumOps*4]),
            .src_bank_i(src_bank[S*BankBits +: NumOps*BankBits]),
            .src_entry_i(src_entry[S*EntryBits +: NumOps*EntryBits]),
            .dst_valid_o(dst_valid[a]), .dst_late_o(dst_late[a]), .dst_warp_o(dst_warp[a*WarpBits +: WarpBits]),
            .dst_reg_o(dst_reg[a*RegBits +: RegBits]), .dst_ready_i(dst_ready[a]),
            .shown_late_o(shown_late[a]), .shown_index_o(ds_index_o[a*2 +: 2]),
            .complete_o(complete[a]), .unit_o(entry_unit[a*UnitBits +: UnitBits]), .need_o(entry_need[S +: NumOps]),
            .moves_i(en_valid_o[a]),
            `OBS_PORT(.obs_en_i(obs_entry_en))
            `OBS_PORT(.obs_data_o(obs_entry[a*320 +: 320]))
            .co_valid_o(co_valid[S +: NumOps]), .co_reg_o(co_reg[S*6 +: NumOps*6]), .co_mask_o(co_mask[S*4 +: NumOps*4]),
            .co_bank_o(co_bank[S*BankBits +: NumOps*BankBits]), .co_entry_o(co_entry[S*EntryBits +: NumOps*EntryBits])
        );
        // the answer about a destination, in the cycle after its lookup, with its hints
        assign hq_reg[a*6 +: 6] = 6'(dst_reg[a*RegBits +: RegBits]);
        assign ds_late_o[a]     = ds_valid_o[a] && shown_late[a];
        assign ds_pair_o[a]     = ds_valid_o[a] && ha_pair[a];
        assign ds_buddy_o[a*RegBits +: RegBits] = RegBits'(ha_buddy[a*6 +: 6]);
    end

    // Of the complete instructions without a collector, the first in cyclic order is the first next
    // time.
    logic [NumAlloc-1:0]  refused, next_first;
    logic [AllocBits-1:0] next_index;
    assign refused = complete & ~en_valid_o;
    find_first #(.Width(NumAlloc)) u_first (
        .set_i(refused), .from_i({NumAlloc{1'b1}} << en_first_q), .first_o(next_first)
    );
    onehot_index #(.Width(NumAlloc)) u_first_index (
        .one_i(next_first), .index_o(next_index)
    );
    always_ff @(posedge clk_i) begin
        if (!rst_ni) en_first_q <= '0;
        else         en_first_q <= refused != '0 ? next_index : en_first_q;
    end

    rename_table #(.Warps(Warps), .Regs(Regs), .Banks(Banks), .Entries(Entries), .NumAlloc(NumAlloc), .NumOps(NumOps), .NumWr(NumWr)) u_table (
        .clk_i, .rst_ni, .cfg_table_i(by_warp_q),
        .src_valid_i(src_valid), .src_warp_i(src_warp), .src_reg_i(src_reg), .src_ready_o(src_ready),
        .src_answer_o(src_answer), .src_mapped_o(unused_src_mapped), .src_mask_o(src_mask), .src_bank_o(src_bank),
        .src_entry_o(src_entry),
        .dst_valid_i(dst_valid), .dst_late_i(dst_late), .dst_warp_i(dst_warp), .dst_reg_i(dst_reg),
        .dst_ready_o(dst_ready), .dst_answer_o(ds_valid_o), .dst_mapped_o(ds_mapped_o), .dst_mask_o(ds_mask_o),
        .dst_bank_o(ds_bank_o), .dst_entry_o(ds_entry_o),
        .bd_valid_i(bd_valid), .bd_warp_i(bd_warp), .bd_reg_i(bd_reg), .bd_ready_o(bd_ready),
        .bd_answer_o(unused_bd_answer), .bd_mapped_o(unused_bd_mapped), .bd_mask_o(bd_mask), .bd_bank_o(bd_bank),
        .bd_entry_o(bd_entry),
        .up_valid_i(up_valid), .up_warp_i(up_warp), .up_reg_i(up_reg), .up_bank_i(bk_bank), .up_entry_i(bk_entry),
        .up_mask_i(bk_mask), .up_ready_o(up_ready),
        .fr_valid_i, .fr_warp_i, .fr_reg_i, .fr_ready_o, .ex_valid_i, .ex_warp_i, .ex_ready_o,
        `OBS_PORT(.obs_addr_i(obs_table_addr))
        `OBS_PORT(.obs_data_o(obs_table))
        .freed_valid_o(freed_valid), .freed_bank_o(freed_bank), .freed_entry_o(freed_entry), .freed_mask_o(freed_mask),
        .freed_ready_i(freed_ready)
    );
    coalescer #(.NumAlloc(NumAlloc), .NumOps(NumOps), .Banks(Banks), .Entries(Entries)) u_coalescer (
        .clk_i, .rst_ni, .co_mode_i(mode_q), .co_valid_i(co_valid), .co_reg_i(co_reg), .co_bank_i(co_bank),
        .co_entry_i(co_entry), .co_mask_i(co_mask),
        `OBS_PORT(.obs_addr_i(32'd0))
        `OBS_PORT(.obs_data_o(obs_none[0*32 +: 32]))
        .rd_valid_o(co_read), .rd_bank_o(co_rd_bank), .rd_entry_o(co_rd_entry), .rd_entry2_o(co_rd_entry2),
        .rd_sel_o(co_rd_sel), .rd_mask1_o(co_rd_mask1), .rd_mask2_o(co_rd_mask2), .rd_ops1_o(co_rd_ops1),
        .rd_ops2_o(co_rd_ops2), .co_unread_o(co_unread), .co_multi_o(co_multi), .co_possible_o(co_possible),
        .co_coalesced_o(co_coalesced), .co_merged_o(co_merged)
    );

    // ---- Operands are read, collected and leave
    packed_collector #(.NumColl(NumColl), .NumOps(NumOps), .NumAlloc(NumAlloc), .NumDisp(NumDisp), .Banks(Banks), .Entries(Entries), .Row(Row)) u_collector (
        .clk_i, .rst_ni,
        .alloc_valid_i(complete), .alloc_first_i(en_first_q), .alloc_unit_i(entry_unit), .alloc_need_i(entry_need),
        .alloc_unmapped_i(co_unread), .alloc_read_i(co_read), .alloc_bank_i(co_rd_bank), .alloc_entry_i(co_rd_entry),
        .alloc_entry2_i(co_rd_entry2), .alloc_sel_i(co_rd_sel), .alloc_mask1_i(co_rd_mask1),
        .alloc_mask2_i(co_rd_mask2), .alloc_ops1_i(co_rd_ops1), .alloc_ops2_i(co_rd_ops2),
        .alloc_ready_o(en_valid_o), .alloc_slot_o(en_slot_o),
        .rd_valid_o(coll_valid), .rd_bank_o(coll_bank), .rd_entry_o(coll_entry), .rd_entry2_o(coll_entry2),
        .rd_sel_o(coll_sel), .older_o(coll_older), .rd_grant_i(rd_grant[NumColl-1:0]),
        .rd_data_valid_i(row_coll_valid), .rd_data_coll_i(row_coll), .rd_mask1_o(coll_mask1), .rd_mask2_o(coll_mask2),
        .rd_first_i(row_first), .rd_second_i(row_second),
        `OBS_PORT(.obs_addr_i(obs_coll_addr))
        `OBS_PORT(.obs_data_o(obs_coll))
        .disp_ready_i, .disp_valid_o, .disp_slot_o, .disp_need_o, .disp_data_o
    );
    rf_merge #(.NumColl(NumColl), .NumWr(NumWr), .Banks(Banks), .Entries(Entries)) u_merge (
        .merge_ask_i(merge_ask), .merge_get_i(merge_get), .old_mask_i(rq_old_mask), .old_bank_i(rq_old_bank),
        .old_entry_i(rq_old_entry), .merge_go_o(merge_go), .merge_row_o(merge_row),
        .coll_valid_i(coll_valid), .coll_older_i(coll_older), .rd_valid_o(rd_valid), .rd_older_o(rd_older),
        .rd_grant_i(rd_grant[NumColl]), .merge_bank_o(merge_bank), .merge_entry_o(merge_entry),
        .row_valid_i(row_valid), .row_reader_i(row_reader), .coll_mask1_i(coll_mask1), .coll_mask2_i(coll_mask2),
        .row_coll_valid_o(row_coll_valid), .row_coll_o(row_coll), .row_merge_o(row_merge), .row_mask1_o(row_mask1),
        .row_mask2_o(row_mask2), .row_first_i(row_first)
    );
    banked_rf #(.Banks(Banks), .Entries(Entries), .NumColl(Readers), .NumWr(NumWr)) u_rf (
        .clk_i, .rst_ni,
        .rd_valid_i(rd_valid), .rd_bank_i({merge_bank, coll_bank}), .rd_entry_i({merge_entry, coll_entry}),
        .rd_entry2_i({merge_entry, coll_entry2}), .rd_sel_i({4'd0, coll_sel}), .older_i(rd_older), .rd_grant_o(rd_grant),
        .wr_valid_i(bk_valid), .wr_bank_i(bk_bank), .wr_entry_i(bk_entry), .wr_slice_i(bk_slice), .wr_lane_i(bk_lane),
        .wr_data_i(bk_packed), .wr_ready_o(bk_ready),
        `OBS_PORT(.obs_addr_i(obs_banks_addr))
        `OBS_PORT(.obs_data_o(obs_banks))
        .rd_data_valid_o(row_valid), .rd_data_coll_o(row_reader), .rd_data_o(row)
    );
    unpacker #(.NumRows(Banks)) u_unpacker (
        .clk_i, .rst_ni, .up_valid_i(row_valid), .up_row_i(row), .up_mask1_i(row_mask1), .up_mask2_i(row_mask2),
        `OBS_PORT(.obs_addr_i(32'd0))
        `OBS_PORT(.obs_data_o(obs_none[1*32 +: 32]))
        .up_first_valid_o(unused_first), .up_second_valid_o(unused_second), .up_first_o(row_first),
        .up_second_o(row_second)
    );

    // ---- Results are written
    width_detect #(.NumPorts(NumWr)) u_width (
        .clk_i, .rst_ni, .wd_valid_i(wr_valid_i), .wd_data_i(wr_data_i), .wd_lane_i(wr_lane_i), .wd_old_i({NumWr{3'd0}}),
        `OBS_PORT(.obs_addr_i(32'd0))
        `OBS_PORT(.obs_data_o(obs_none[2*32 +: 32]))
        .wd_wide_o(unused_wide), .wd_size_o(wd_size)
    );
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr
        logic [RegBits-1:0] asks_for;
        assign rq_reg[w*6 +: 6] = 6'(asks_for);
        rf_writer #(.Warps(Warps), .Regs(Regs), .Banks(Banks), .Entries(Entries)) u_writer (
            .clk_i, .rst_ni, .policy_i(policy_q), .pack_i(pack_q), .move_i(move_q), .hold_i(hold_q),
            .wr_valid_i(wr_valid_i[w]), .wr_warp_i(wr_warp_i[w*WarpBits +: WarpBits]),
            .wr_reg_i(wr_reg_i[w*RegBits +: RegBits]), .wr_lane_i(wr_lane_i[w*Lanes +: Lanes]),
            .wr_data_i(wr_data_i[w*Row +: Row]), .wr_old_mask_i(wr_old_mask_i[w*4 +: 4]),
            .wr_old_bank_i(wr_old_bank_i[w*BankBits +: BankBits]),
            .wr_old_entry_i(wr_old_entry_i[w*EntryBits +: EntryBits]),
            .wr_pair_i(wr_pair_i[w]), .wr_buddy_i(wr_buddy_i[w*RegBits +: RegBits]),
            .wr_align_i(wr_align_i[w*2 +: 2]), .wd_size_i(wd_size[w*3 +: 3]),
            .wr_ready_o(wr_ready_o[w]), .wr_done_o(wr_done_o[w]),
            .bd_valid_o(bd_valid[w]), .bd_warp_o(bd_warp[w*WarpBits +: WarpBits]),
            .bd_reg_o(bd_reg[w*RegBits +: RegBits]), .bd_ready_i(bd_ready[w]), .bd_mask_i(bd_mask[w*4 +: 4]),
            .bd_bank_i(bd_bank[w*BankBits +: BankBits]), .bd_entry_i(bd_entry[w*EntryBits +: EntryBits]),
            .lk_valid_o(lk_valid[w]), .lk_bank_o(lk_bank[w*BankBits +: BankBits]),
            .lk_entry_o(lk_entry[w*EntryBits +: EntryBits]),
            .merge_ask_o(merge_ask[w]), .merge_go_i(merge_go[w]), .merge_get_o(merge_get[w]), .merge_row_i(merge_row),
            .rq_valid_o(rq_valid[w]), .rq_warp_o(rq_warp[w*WarpBits +: WarpBits]), .rq_reg_o(asks_for),
            .rq_kind_o(rq_kind[w*2 +: 2]), .rq_size_o(rq_size[w*3 +: 3]), .rq_align_o(rq_align[w*2 +: 2]),
            .rq_pair_o(rq_pair[w]), .rq_old_mask_o(rq_old_mask[w*4 +: 4]),
            .rq_old_bank_o(rq_old_bank[w*BankBits +: BankBits]),
            .rq_old_entry_o(rq_old_entry[w*EntryBits +: EntryBits]), .rq_bd_mask_o(rq_bd_mask[w*4 +: 4]),
            .rq_bd_bank_o(rq_bd_bank[w*BankBits +: BankBits]),
            .rq_bd_entry_o(rq_bd_entry[w*EntryBits +: EntryBits]),
            .rq_ready_i(rq_ready[w]), .al_done_i(al_done[w]), .al_kind_i(al_kind[w*2 +: 2]),
            .al_mask_i(al_mask[w*4 +: 4]), .al_bank_i(al_bank[w*BankBits +: BankBits]),
            .al_entry_i(al_entry[w*EntryBits +: EntryBits]),
            `OBS_PORT(.obs_en_i(obs_stage_en))
            `OBS_PORT(.obs_data_o(obs_stage[w*320 +: 320]))
            `OBS_PORT(.obs_rows_en_i(obs_data_en))
            `OBS_PORT(.obs_rows_o(obs_rows[2*w*Row +: 2*Row]))
            .bk_valid_o(bk_valid[w]), .bk_lane_o(bk_lane[w*Lanes +: Lanes]), .bk_data_o(bk_data[w*Row +: Row]),
            .bk_ready_i(bk_ready[w]), .up_valid_o(up_valid[w]), .up_warp_o(up_warp[w*WarpBits +: WarpBits]),
            .up_reg_o(up_reg[w*RegBits +: RegBits]), .up_ready_i(up_ready[w]), .mask_o(bk_mask[w*4 +: 4]),
            .bank_o(bk_bank[w*BankBits +: BankBits]), .entry_o(bk_entry[w*EntryBits +: EntryBits])
        );
    end
    alloc_unit #(.Banks(Banks), .Entries(Entries), .Warps(Warps), .NumWr(NumWr), .NumFree(NumFreed), .NumKernels(NumKernels), .NumAlloc(NumAlloc)) u_alloc (
        .clk_i, .rst_ni, .policy_i(policy_q), .cfg_grow_i(move_q), .cfg_order_i(lowest_q), .lk_valid_i(lk_valid),
        .lk_bank_i(lk_bank), .lk_entry_i(lk_entry), .rq_valid_i(rq_valid), .rq_warp_i(rq_warp), .rq_reg_i(rq_reg),
        .rq_kind_i(rq_kind), .rq_size_i(rq_size), .rq_align_i(rq_align), .rq_pair_i(rq_pair),
        .rq_old_bank_i(rq_old_bank), .rq_old_entry_i(rq_old_entry), .rq_old_mask_i(rq_old_mask),
        .rq_bd_bank_i(rq_bd_bank), .rq_bd_entry_i(rq_bd_entry), .rq_bd_mask_i(rq_bd_mask), .fr_valid_i(given_back),
        .fr_bank_i(freed_bank), .fr_entry_i(freed_entry), .fr_mask_i(freed_mask), .hl_valid_i, .hl_op_i, .hl_kernel_i,
        .hl_reg_i, .hl_value_i, .hq_valid_i(dst_valid), .hq_kernel_i({NumAlloc{kernel_q}}), .hq_reg_i(hq_reg),
        `OBS_PORT(.obs_addr_i(obs_alloc_addr))
        `OBS_PORT(.obs_data_o(obs_alloc))
        .fr_ready_o(freed_ready), .rq_ready_o(rq_ready), .al_done_o(al_done), .al_none_o(al_none),
        .al_kind_o(al_kind), .al_how_o(al_how), .al_bank_o(al_bank), .al_entry_o(al_entry), .al_mask_o(al_mask),
        .ha_valid_o(unused_ha_valid), .ha_pair_o(ha_pair), .ha_buddy_o(ha_buddy), .ha_align_o(ds_align_o),
        .used_slices_o, .used_regs_o
    );
    packer #(.NumPorts(NumWr)) u_packer (
        .clk_i, .rst_ni, .pk_valid_i(bk_valid), .pk_data_i(bk_data), .pk_mask_i(bk_mask),
        `OBS_PORT(.obs_addr_i(32'd0))
        `OBS_PORT(.obs_data_o(obs_none[3*32 +: 32]))
        .pk_out_valid_o(unused_packed), .pk_slice_o(bk_slice), .pk_out_o(bk_packed)
    );

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
