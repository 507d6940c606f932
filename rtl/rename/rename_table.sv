// SPDX-License-Identifier: Apache-2.0
// Purpose:    the renaming table: bank, entry and allocation mask of each register of each warp.
//             Banked by register number plus warp or by warp, each bank dual-ported; a conflict
//             delays a request, never drops it. The module connects its banks (rename_bank) and the
//             walk over the registers of a warp that ended (rename_walk). Contract:
//             models/rename/rename_table.h.
// Parameters: Warps, 1..64; Regs, 2..64: registers per warp; Banks, 1..32, and Entries, 2..1024, of
//             the register file (the table has as many banks). NumAlloc, 1..4: instructions looked
//             up per cycle; NumOps, 1..3: sources each; NumWr, 1..4: writers.
// Timing:     ready of every request in the cycle of the request; answers to lookups one cycle
//             later, for one cycle. Lookups see updates and frees of the same cycle. Longest path
//             1.33 ns (45 nm, one cycle): from the registers of an ended warp that are still mapped
//             to the same state.
// Reset:      everything unmapped (the mapped bits are flip-flops; the memories are not reset).
// Left out:   a memory that is write-first (the value is forwarded instead).
// Cost:       a mapped bit per register, with its decoder and two selections per table bank, is
//             most of 0.065 mm2 of cells (45 nm). The memories, and a row comparison per table
//             bank, are extra.
// Shapes:     - ; Warps=1,Regs=2,Banks=1,Entries=2,NumAlloc=1,NumOps=1,NumWr=1
// Shapes:     Warps=5,Regs=7,Banks=3,Entries=100,NumAlloc=3,NumOps=2,NumWr=3
// Long proof: 2:8:Warps=2,Regs=3,Banks=2,Entries=2,NumAlloc=2,NumOps=1,NumWr=2
// Proof:      2:8:Warps=1,Regs=3,Banks=1,Entries=2,NumAlloc=1,NumOps=3,NumWr=2

`include "macros.svh"

module rename_table #(
    parameter int Warps    = 48,
    parameter int Regs     = 63,
    parameter int Banks    = 4,
    parameter int Entries  = 256,
    parameter int NumAlloc = 2,
    parameter int NumOps   = 3,
    parameter int NumWr    = 2,
    localparam int WarpBits  = Warps > 1 ? $clog2(Warps) : 1,
    localparam int RegBits   = Regs > 1 ? $clog2(Regs) : 1,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int NumSrc    = NumAlloc * NumOps,
    localparam int NumFreed  = Banks < 8 ? Banks : 8
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // table bank of register r of warp w: 0: (r + w) mod Banks, 1: w mod Banks
    input  logic                        cfg_table_i,
    // sources of instructions
    input  logic [NumSrc-1:0]           src_valid_i,
    input  logic [NumAlloc*WarpBits-1:0] src_warp_i,
    input  logic [NumSrc*RegBits-1:0]   src_reg_i,
    output logic [NumSrc-1:0]           src_ready_o,
    output logic [NumSrc-1:0]           src_answer_o,
    output logic [NumSrc-1:0]           src_mapped_o,
    output logic [NumSrc*4-1:0]         src_mask_o,
    output logic [NumSrc*BankBits-1:0]  src_bank_o,
    output logic [NumSrc*EntryBits-1:0] src_entry_o,
    // registers that instructions will write
    // (dst_late_i: it is waited for most)
    input  logic [NumAlloc-1:0]         dst_valid_i,
    input  logic [NumAlloc-1:0]         dst_late_i,
    input  logic [NumAlloc*WarpBits-1:0] dst_warp_i,
    input  logic [NumAlloc*RegBits-1:0] dst_reg_i,
    output logic [NumAlloc-1:0]         dst_ready_o,
    output logic [NumAlloc-1:0]         dst_answer_o,
    output logic [NumAlloc-1:0]         dst_mapped_o,
    output logic [NumAlloc*4-1:0]       dst_mask_o,
    output logic [NumAlloc*BankBits-1:0] dst_bank_o,
    output logic [NumAlloc*EntryBits-1:0] dst_entry_o,
    // buddies of registers that writers write
    input  logic [NumWr-1:0]            bd_valid_i,
    input  logic [NumWr*WarpBits-1:0]   bd_warp_i,
    input  logic [NumWr*RegBits-1:0]    bd_reg_i,
    output logic [NumWr-1:0]            bd_ready_o,
    output logic [NumWr-1:0]            bd_answer_o,
    output logic [NumWr-1:0]            bd_mapped_o,
    output logic [NumWr*4-1:0]          bd_mask_o,
    output logic [NumWr*BankBits-1:0]   bd_bank_o,
    output logic [NumWr*EntryBits-1:0]  bd_entry_o,
    // where the register of a writer is from now on
    input  logic [NumWr-1:0]            up_valid_i,
    input  logic [NumWr*WarpBits-1:0]   up_warp_i,
    input  logic [NumWr*RegBits-1:0]    up_reg_i,
    input  logic [NumWr*BankBits-1:0]   up_bank_i,
    input  logic [NumWr*EntryBits-1:0]  up_entry_i,
    input  logic [NumWr*4-1:0]          up_mask_i,
    output logic [NumWr-1:0]            up_ready_o,
    // one register is freed; all registers of a warp are
    input  logic                        fr_valid_i,
    input  logic [WarpBits-1:0]         fr_warp_i,
    input  logic [RegBits-1:0]          fr_reg_i,
    output logic                        fr_ready_o,
    input  logic                        ex_valid_i,
    input  logic [WarpBits-1:0]         ex_warp_i,
    output logic                        ex_ready_o,
    // observation: mappings, the state around them, then parameters
    `OBS_PORT(input  logic [31:0]                 obs_addr_i)
    `OBS_PORT(output logic [127:0]                obs_data_o)
    // freed mappings: lane l outputs those of table banks l, l + 8, ..
    output logic [NumFreed-1:0]         freed_valid_o,
    output logic [NumFreed*BankBits-1:0] freed_bank_o,
    output logic [NumFreed*EntryBits-1:0] freed_entry_o,
    output logic [NumFreed*4-1:0]       freed_mask_o,
    input  logic [NumFreed-1:0]         freed_ready_i
);

    // Registers k * Banks .. k * Banks + Banks - 1 of a warp are group k of it. A row of a table
    // bank is {warp, group}. With cfg_table 1 all registers of a warp are in one bank. A row is
    // then {number of the warp among those of the bank, register in the group, group}: as many
    // rows.
    localparam int Groups  = (Regs + Banks - 1) / Banks;
    localparam int Slots   = (Warps + Banks - 1) / Banks * Banks;
    localparam int Rows    = Slots * Groups;
    localparam int RowBits = Rows > 1 ? $clog2(Rows) : 1;
    localparam int MapBits = BankBits + EntryBits + 4;
    localparam int SelBits = $clog2(2 * Banks);            // a port of a bank: {bank, port}
    localparam int AllocBits = NumAlloc > 1 ? $clog2(NumAlloc) : 1;
    localparam int WrBits  = NumWr > 1 ? $clog2(NumWr) : 1;
    localparam int NumLook = NumWr + NumAlloc;             // lookups of buddies and late destinations
    localparam int NumAsk  = NumSrc + NumAlloc;            // of sources and other destinations

    function automatic [BankBits-1:0] bank_of(input by_warp, input [WarpBits-1:0] warp,
                                              input [RegBits-1:0] register);
        bank_of = BankBits'((32'(warp) + (by_warp ? 32'd0 : 32'(register))) % Banks);
    endfunction
    function automatic [RowBits-1:0] row_of(input by_warp, input [WarpBits-1:0] warp,
                                            input [RegBits-1:0] register);
        row_of = RowBits'((by_warp ? 32'(warp) - 32'(warp) % Banks + 32'(register) % Banks
                                   : 32'(warp)) * Groups + 32'(register) / Banks);
    endfunction

    logic [AllocBits-1:0] src_first_q, dst_first_q;
    logic [WrBits-1:0]    bd_first_q, up_first_q;
    logic [NumFreed-1:0]  freed_q;

    // ---- Requests: table bank and row
    logic [NumSrc*BankBits-1:0] src_home;
    logic [NumSrc*RowBits-1:0]  src_row;
    for (genvar l = 0; l < NumSrc; l = l + 1) begin : g_src_home
        assign src_home[l*BankBits +: BankBits] =
            bank_of(cfg_table_i, src_warp_i[(l/NumOps)*WarpBits +: WarpBits], src_reg_i[l*RegBits +: RegBits]);
        assign src_row[l*RowBits +: RowBits] =
            row_of(cfg_table_i, src_warp_i[(l/NumOps)*WarpBits +: WarpBits], src_reg_i[l*RegBits +: RegBits]);
    end
    logic [NumAlloc*BankBits-1:0] dst_home;
    logic [NumAlloc*RowBits-1:0]  dst_row;
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_dst_home
        assign dst_home[a*BankBits +: BankBits] =
            bank_of(cfg_table_i, dst_warp_i[a*WarpBits +: WarpBits], dst_reg_i[a*RegBits +: RegBits]);
        assign dst_row[a*RowBits +: RowBits] =
            row_of(cfg_table_i, dst_warp_i[a*WarpBits +: WarpBits], dst_reg_i[a*RegBits +: RegBits]);
    end
    logic [NumWr*BankBits-1:0] bd_home, up_home;
    logic [NumWr*RowBits-1:0]  bd_row, up_row;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr_home
        assign bd_home[w*BankBits +: BankBits] =
            bank_of(cfg_table_i, bd_warp_i[w*WarpBits +: WarpBits], bd_reg_i[w*RegBits +: RegBits]);
        assign bd_row[w*RowBits +: RowBits] =
            row_of(cfg_table_i, bd_warp_i[w*WarpBits +: WarpBits], bd_reg_i[w*RegBits +: RegBits]);
        assign up_home[w*BankBits +: BankBits] =
            bank_of(cfg_table_i, up_warp_i[w*WarpBits +: WarpBits], up_reg_i[w*RegBits +: RegBits]);
        assign up_row[w*RowBits +: RowBits] =
            row_of(cfg_table_i, up_warp_i[w*WarpBits +: WarpBits], up_reg_i[w*RegBits +: RegBits]);
    end
    logic [NumSrc-1:0] src_from;      // lookups of ports from `first` on
    logic [NumWr-1:0]  bd_from, up_from;
    logic [NumAlloc-1:0] src_from_port, dst_from;
    assign src_from_port = {NumAlloc{1'b1}} << src_first_q;
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_from
        assign src_from[a*NumOps +: NumOps] = {NumOps{src_from_port[a]}};
    end
    assign dst_from = {NumAlloc{1'b1}} << dst_first_q;
    assign bd_from  = {NumWr{1'b1}} << bd_first_q;
    assign up_from  = {NumWr{1'b1}} << up_first_q;

    // ---- Free and walk
    logic [NumFreed-1:0] slot;         // the lane's place is empty at the clock edge
    logic [NumFreed-1:0] fr_lane;      // the lane takes the mapping that `fr` frees
    logic [BankBits-1:0] fr_home, walk_home;
    logic [RowBits-1:0]  fr_row, walk_at;
    assign slot    = ~freed_q | freed_ready_i;
    assign fr_home = bank_of(cfg_table_i, fr_warp_i, fr_reg_i);
    assign fr_row  = row_of(cfg_table_i, fr_warp_i, fr_reg_i);
    // The walk over the registers of a warp that ended
    logic [WarpBits-1:0]           walk_warp;      // that of the next cycle
    logic [Banks-1:0]              walk_asks, walk_may, walk_take;
    logic [Banks*Groups-1:0]       spread_live;    // mapped registers by bank, for the copy
    logic [Banks*Banks*Groups-1:0] own_live;
    logic [RowBits-1:0]            spread_from, own_from;    // first row of the warp, cfg_table 0 and 1
    `OBS(logic [Banks*Groups-1:0] obs_walk_bits;)
    `OBS(logic [WarpBits-1:0]     obs_walk_warp;)
    assign walk_home   = bank_of(1'b1, walk_warp, '0);
    assign spread_from = row_of(1'b0, walk_warp, '0);
    assign own_from    = row_of(1'b1, walk_warp, '0);
    rename_walk #(.Warps(Warps), .Regs(Regs), .Banks(Banks), .NumWr(NumWr)) u_walk (
        .clk_i,
        .rst_ni,
        .cfg_table_i,
        .ex_valid_i,
        .ex_warp_i,
        .ex_ready_o,
        .warp_o      (walk_warp),
        .spread_i    (spread_live),
        .own_i       (own_live),
        .up_done_i   (up_ready_o),
        .up_warp_i,
        .up_reg_i,
        .up_home_i   (up_home),
        .fr_done_i   (fr_ready_o),
        .fr_warp_i,
        .fr_reg_i,
        .fr_home_i   (fr_home),
        .ask_o       (walk_asks),
        `OBS_PORT(.obs_bits_o  (obs_walk_bits))
        `OBS_PORT(.obs_warp_o  (obs_walk_warp))
        .row_o       (walk_at),
        .may_i       (walk_may)
    );

    // ---- Table banks
    logic [Banks*NumAsk-1:0]  ask_win;     // lookups served by the bank, either port
    logic [Banks*NumAsk-1:0]  ask_win_a;   // by port A
    logic [Banks*NumLook-1:0] look_win, look_win_a;
    logic [Banks*NumWr-1:0]   up_win;
    logic [Banks-1:0]         fr_win;
    logic [Banks-1:0]         live_fr;     // the register to be freed is mapped
    logic [2*Banks*MapBits-1:0] map;       // answers: port A of bank 0, B, A of 1, ..
    logic [2*Banks-1:0]       live;        // whether they are of mapped registers

    `OBS(logic [Banks*MapBits-1:0] obs_map;)
    `OBS(logic [Banks-1:0]         obs_live;)
    `OBS(logic [RowBits-1:0]       obs_row;)
    logic [NumWr*MapBits-1:0] up_map;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_up_map
        assign up_map[w*MapBits +: MapBits] =
            {up_mask_i[w*4 +: 4], up_bank_i[w*BankBits +: BankBits], up_entry_i[w*EntryBits +: EntryBits]};
    end
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        // requests to this bank
        logic [NumAsk-1:0]  ask_req;
        logic [NumLook-1:0] look_req;
        logic [NumWr-1:0]   up_req;
        for (genvar l = 0; l < NumSrc; l = l + 1) begin : g_src
            assign ask_req[l] = src_valid_i[l] && src_home[l*BankBits +: BankBits] == BankBits'(b);
        end
        for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_dst
            logic here;
            assign here = dst_valid_i[a] && dst_home[a*BankBits +: BankBits] == BankBits'(b);
            assign look_req[NumWr + a] = here && dst_late_i[a];
            assign ask_req[NumSrc + a] = here && !dst_late_i[a];
        end
        for (genvar w = 0; w < NumWr; w = w + 1) begin : g_wr
            assign look_req[w] = bd_valid_i[w] && bd_home[w*BankBits +: BankBits] == BankBits'(b);
            assign up_req[w]   = up_valid_i[w] && up_home[w*BankBits +: BankBits] == BankBits'(b);
        end
        rename_bank #(.Warps(Warps), .Regs(Regs), .Banks(Banks), .NumAlloc(NumAlloc), .NumOps(NumOps), .NumWr(NumWr), .MapBits(MapBits)) u_bank (
            .clk_i,
            .rst_ni,
            .src_from_i(src_from), .dst_from_i(dst_from), .bd_from_i(bd_from), .up_from_i(up_from),
            .ask_i(ask_req), .look_i(look_req), .up_i(up_req),
            .fr_i         (slot[b % NumFreed] && fr_valid_i && fr_home == BankBits'(b)),
            .src_row_i(src_row), .dst_row_i(dst_row), .bd_row_i(bd_row), .up_row_i(up_row),
            .up_map_i     (up_map),
            .fr_row_i     (fr_row),
            .walk_i       (!ex_ready_o),
            .walk_free_i  (slot[b % NumFreed] && !fr_lane[b % NumFreed]),
            .walk_ask_i(walk_asks[b]), .walk_row_i(walk_at),
            .walk_may_o(walk_may[b]), .walk_take_o(walk_take[b]),
            .ask_win_o    (ask_win[b*NumAsk +: NumAsk]),
            .ask_win_a_o  (ask_win_a[b*NumAsk +: NumAsk]),
            .look_win_o   (look_win[b*NumLook +: NumLook]),
            .look_win_a_o (look_win_a[b*NumLook +: NumLook]),
            .up_win_o     (up_win[b*NumWr +: NumWr]),
            .fr_win_o     (fr_win[b]),
            .fr_live_o    (live_fr[b]),
            .map_o        (map[2*b*MapBits +: 2*MapBits]),
            .live_o       (live[2*b +: 2]),
            .copy_i       (ex_valid_i && ex_ready_o),
            .walk_warp_i  (walk_warp),
            .own_here_i   (cfg_table_i && walk_home == BankBits'(b)),
            .spread_row_i(spread_from), .own_row_i(own_from),
            `OBS_PORT(.obs_row_i    (obs_row))
            `OBS_PORT(.obs_live_o   (obs_live[b]))
            `OBS_PORT(.obs_map_o    (obs_map[b*MapBits +: MapBits]))
            .spread_o     (spread_live[b*Groups +: Groups]),
            .own_o        (own_live[b*Banks*Groups +: Banks*Groups])
        );
    end

    // ---- Ready
    always @* begin
        src_ready_o = '0;
        dst_ready_o = '0;
        bd_ready_o  = '0;
        up_ready_o  = '0;
        for (int b = 0; b < Banks; b = b + 1) begin
            src_ready_o = src_ready_o | ask_win[b*NumAsk +: NumSrc];
            dst_ready_o = dst_ready_o | ask_win[b*NumAsk + NumSrc +: NumAlloc] |
                          look_win[b*NumLook + NumWr +: NumAlloc];
            bd_ready_o  = bd_ready_o | look_win[b*NumLook +: NumWr];
            up_ready_o  = up_ready_o | up_win[b*NumWr +: NumWr];
        end
    end
    assign fr_ready_o = fr_win != '0;

    // ---- Who is first: of those refused something the first from `first` on, itself included.
    function automatic [1:0] next_turn(input [1:0] first, input [3:0] refused);
        integer i;
        begin
            next_turn = first;
            for (i = 3; i >= 0; i = i - 1) if (refused[i] && 2'(i) < first) next_turn = 2'(i);
            for (i = 3; i >= 0; i = i - 1) if (refused[i] && 2'(i) >= first) next_turn = 2'(i);
        end
    endfunction
    logic [NumAlloc-1:0] src_refused, dst_refused;
    logic [NumWr-1:0]    bd_refused, up_refused;
    assign dst_refused = dst_valid_i & ~dst_ready_o;
    assign bd_refused  = bd_valid_i & ~bd_ready_o;
    assign up_refused  = up_valid_i & ~up_ready_o;
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_refused
        assign src_refused[a] = (src_valid_i[a*NumOps +: NumOps] & ~src_ready_o[a*NumOps +: NumOps])
                                != '0;
    end

    // ---- Answers: each lookup remembers the port that serves it.
    logic [NumSrc*SelBits-1:0]   src_sel_q, src_sel_d;
    logic [NumAlloc*SelBits-1:0] dst_sel_q, dst_sel_d;
    logic [NumWr*SelBits-1:0]    bd_sel_q, bd_sel_d;
    logic [NumSrc-1:0]           src_answer_q;
    logic [NumAlloc-1:0]         dst_answer_q;
    logic [NumWr-1:0]            bd_answer_q;
    always @* begin
        src_sel_d = '0;
        dst_sel_d = '0;
        bd_sel_d  = '0;
        for (int l = 0; l < NumSrc; l = l + 1) begin
            src_sel_d[l*SelBits +: SelBits] = SelBits'({src_home[l*BankBits +: BankBits], 1'b1});
            for (int b = 0; b < Banks; b = b + 1)
                if (ask_win_a[b*NumAsk + l]) src_sel_d[l*SelBits] = 1'b0;
        end
        for (int a = 0; a < NumAlloc; a = a + 1) begin
            dst_sel_d[a*SelBits +: SelBits] = SelBits'({dst_home[a*BankBits +: BankBits], 1'b1});
            for (int b = 0; b < Banks; b = b + 1)
                if (ask_win_a[b*NumAsk + NumSrc + a] || look_win_a[b*NumLook + NumWr + a])
                    dst_sel_d[a*SelBits] = 1'b0;
        end
        for (int w = 0; w < NumWr; w = w + 1) begin
            bd_sel_d[w*SelBits +: SelBits] = SelBits'({bd_home[w*BankBits +: BankBits], 1'b1});
            for (int b = 0; b < Banks; b = b + 1)
                if (look_win_a[b*NumLook + w]) bd_sel_d[w*SelBits] = 1'b0;
        end
    end
    for (genvar l = 0; l < NumSrc; l = l + 1) begin : g_src_answer
        logic [MapBits-1:0] found;
        logic               mapped;
        assign found  = map[32'(src_sel_q[l*SelBits +: SelBits])*MapBits +: MapBits];
        assign mapped = live[src_sel_q[l*SelBits +: SelBits]];
        assign {src_mask_o[l*4 +: 4], src_bank_o[l*BankBits +: BankBits],
                src_entry_o[l*EntryBits +: EntryBits]} = mapped ? found : '0;
        assign src_mapped_o[l] = src_answer_q[l] && mapped;
    end
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_dst_answer
        logic [MapBits-1:0] found;
        logic               mapped;
        assign found  = map[32'(dst_sel_q[a*SelBits +: SelBits])*MapBits +: MapBits];
        assign mapped = live[dst_sel_q[a*SelBits +: SelBits]];
        assign {dst_mask_o[a*4 +: 4], dst_bank_o[a*BankBits +: BankBits],
                dst_entry_o[a*EntryBits +: EntryBits]} = mapped ? found : '0;
        assign dst_mapped_o[a] = dst_answer_q[a] && mapped;
    end
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_bd_answer
        logic [MapBits-1:0] found;
        logic               mapped;
        assign found  = map[32'(bd_sel_q[w*SelBits +: SelBits])*MapBits +: MapBits];
        assign mapped = live[bd_sel_q[w*SelBits +: SelBits]];
        assign {bd_mask_o[w*4 +: 4], bd_bank_o[w*BankBits +: BankBits],
                bd_entry_o[w*EntryBits +: EntryBits]} = mapped ? found : '0;
        assign bd_mapped_o[w] = bd_answer_q[w] && mapped;
    end
    assign src_answer_o = src_answer_q;
    assign dst_answer_o = dst_answer_q;
    assign bd_answer_o  = bd_answer_q;

    // ---- Freed mappings: in the cycle after its read one comes from the memory, then it is held.
    logic [NumFreed-1:0]         freed_live;       // the freed register was mapped
    logic [Banks-1:0]            gave_q;           // the table bank freed in the cycle before
    logic [NumFreed*MapBits-1:0] freed_map_q, freed_map;
    for (genvar l = 0; l < NumFreed; l = l + 1) begin : g_freed
        logic [Banks-1:0]    of_lane;
        logic [MapBits-1:0]  fresh;        // read in the cycle before
        for (genvar b = 0; b < Banks; b = b + 1) begin : g_of_lane
            assign of_lane[b] = b % NumFreed == l;
        end
        assign fr_lane[l]    = (fr_win & of_lane) != '0;
        assign freed_live[l] = (walk_take & of_lane) != '0 || (fr_win & of_lane & live_fr) != '0;
        always @* begin
            fresh = '0;
            for (int b = 0; b < Banks; b = b + 1)
                if (of_lane[b] && gave_q[b]) fresh = fresh | map[2*b*MapBits +: MapBits];
        end
        assign freed_map[l*MapBits +: MapBits] = (gave_q & of_lane) != '0 ? fresh : freed_map_q[l*MapBits +: MapBits];
        assign {freed_mask_o[l*4 +: 4], freed_bank_o[l*BankBits +: BankBits],
                freed_entry_o[l*EntryBits +: EntryBits]} = freed_map[l*MapBits +: MapBits];
    end
    assign freed_valid_o = freed_q;

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            src_first_q  <= '0;
            dst_first_q  <= '0;
            bd_first_q   <= '0;
            up_first_q   <= '0;
            src_answer_q <= '0;
            dst_answer_q <= '0;
            bd_answer_q  <= '0;
            freed_q      <= '0;
        end else begin
            src_first_q  <= AllocBits'(next_turn(2'(src_first_q), 4'(src_refused)));
            dst_first_q  <= AllocBits'(next_turn(2'(dst_first_q), 4'(dst_refused)));
            bd_first_q   <= WrBits'(next_turn(2'(bd_first_q), 4'(bd_refused)));
            up_first_q   <= WrBits'(next_turn(2'(up_first_q), 4'(up_refused)));
            src_answer_q <= src_ready_o;
            dst_answer_q <= dst_ready_o;
            bd_answer_q  <= bd_ready_o;
            freed_q      <= ~slot | freed_live;
        end
    end
    always_ff @(posedge clk_i) begin
        src_sel_q  <= src_sel_d;
        dst_sel_q  <= dst_sel_d;
        bd_sel_q   <= bd_sel_d;
        gave_q      <= walk_take | fr_win;
        freed_map_q <= freed_map;
    end

    `CHECK_RANGE(rename_table, Warps, 1, 64)
    `CHECK_RANGE(rename_table, Regs, 2, 64)
    `CHECK_RANGE(rename_table, Banks, 1, 32)
    `CHECK_RANGE(rename_table, Entries, 2, 1024)
    `CHECK_RANGE(rename_table, NumAlloc, 1, 4)
    `CHECK_RANGE(rename_table, NumOps, 1, 3)
    `CHECK_RANGE(rename_table, NumWr, 1, 4)
    `include "rename/rename_table.obs.svh"
endmodule
