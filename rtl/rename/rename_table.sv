// SPDX-License-Identifier: Apache-2.0
// Purpose:    the renaming table: bank, entry and allocation mask of each register of each warp.
//             Banked by register number plus warp or by warp, each bank dual-ported; a conflict delays
//             a request, never drops it. Contract: models/rename/rename_table.h.
// Parameters: Warps, 1..64; Regs, 2..64: registers per warp; Banks, 1..32, and Entries, 2..1024, of
//             the register file (the table has as many banks); NumAlloc, 1..4: instructions looked
//             up per cycle; NumOps, 1..3: sources each; NumWr, 1..4: writers.
// Timing:     ready of every request in the cycle of the request; answers to lookups one cycle
//             later, for one cycle. Updates and frees are seen by lookups of the same cycle. Longest path 1.26 ns
//             (45 nm, one cycle): which registers of a warp that ended are still mapped, to the same.
// Reset:      everything unmapped (the mapped bits are flip-flops; the memories are not reset).
// Left out:   a memory that is write-first (the value is passed by instead).
// Cost:       besides the memories a mapped bit per register, with its decoder and two selections per table bank,
//             is most of 0.065 mm2 of cells (45 nm); a row comparison per table bank.
// Shapes:     - ; Warps=1,Regs=2,Banks=1,Entries=2,NumAlloc=1,NumOps=1,NumWr=1
// Shapes:     Warps=5,Regs=7,Banks=3,Entries=100,NumAlloc=3,NumOps=2,NumWr=3
// Proof:      2:8:Warps=2,Regs=3,Banks=2,Entries=2,NumAlloc=2,NumOps=1,NumWr=2
// Proof:      2:8:Warps=1,Regs=3,Banks=1,Entries=2,NumAlloc=1,NumOps=3,NumWr=2

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
    // buddies of what writers write
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
`ifdef RF_OBS
    // observation: mappings, the state around them, then parameters
    input  logic [31:0]                 obs_addr_i,
    output logic [127:0]                obs_data_o,
`endif
    // freed mappings: lane l gives what table banks l, l + 8, .. free
    output logic [NumFreed-1:0]         freed_valid_o,
    output logic [NumFreed*BankBits-1:0] freed_bank_o,
    output logic [NumFreed*EntryBits-1:0] freed_entry_o,
    output logic [NumFreed*4-1:0]       freed_mask_o,
    input  logic [NumFreed-1:0]         freed_ready_i
);

    // Registers k * Banks .. k * Banks + Banks - 1 of a warp are group k of it. A row of a table bank is
    // {warp, group}; with cfg_table 1, when all registers of a warp are in one bank, {the warps that
    // share the bank with it, register in the group, group}: as many rows.
    localparam int Groups  = (Regs + Banks - 1) / Banks;
    localparam int Slots   = (Warps + Banks - 1) / Banks * Banks;
    localparam int Rows    = Slots * Groups;
    localparam int RowBits = Rows > 1 ? $clog2(Rows) : 1;
    localparam int GroupBits = Groups > 1 ? $clog2(Groups) : 1;
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
    logic                 walk_q;
    logic [WarpBits-1:0]  walk_warp_q;
    logic [NumFreed-1:0]  freed_q;

    // ---- Requests, by table bank. Two copies side by side, the first cut at `first`: the lowest of
    // both is the first in cyclic order.
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
    logic [NumFreed-1:0] fr_lane;      // the lane takes what `fr` frees
    logic [BankBits-1:0] fr_home, walk_home;
    logic [RowBits-1:0]  fr_row, walk_at;
    assign slot    = ~freed_q | freed_ready_i;
    assign fr_home = bank_of(cfg_table_i, fr_warp_i, fr_reg_i);
    assign fr_row  = row_of(cfg_table_i, fr_warp_i, fr_reg_i);
    // Mapped registers of the warp, groups side by side: register x of a group, with cfg_table 0 that in
    // table bank x. The first group that has one is freed. They are copied when the warp ends and follow
    // what is set and freed from then on.
    logic [Banks*Groups-1:0] walk_bits_q, walk_bits_d, walk_bits;
    logic [WarpBits-1:0]     walk_warp;    // that of the next cycle
    logic [Banks-1:0]        walk_hit;     // registers of the group that are freed now
    logic [RowBits-1:0]      spread_from, own_from;    // first row of the warp, cfg_table 0 and 1
    assign walk_warp   = walk_q ? walk_warp_q : ex_warp_i;
    assign spread_from = row_of(1'b0, walk_warp, '0);
    assign own_from    = row_of(1'b1, walk_warp, '0);
    logic [Groups-1:0]       walk_groups, walk_first;
    logic [GroupBits-1:0]    walk_group;
    logic [Banks-1:0]        walk_live, walk_next, walk_asks, walk_take, walk_left;
    logic [Banks-1:0]        walk_may;     // port A of the table bank is left for the walk
    logic [31:0]             walk_line;    // the row's number of groups
    assign walk_home = bank_of(1'b1, walk_warp_q, '0);
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
    assign walk_asks = !cfg_table_i ? walk_next
                     : walk_live != '0 ? Banks'(1) << walk_home : '0;
    always @* begin
        walk_line = 32'(walk_warp_q);
        if (cfg_table_i) begin
            walk_line = 32'(walk_warp_q) - 32'(walk_home);
            for (int x = Banks - 1; x >= 0; x = x - 1)
                if (walk_live[x]) walk_line = 32'(walk_warp_q) - 32'(walk_home) + x;
        end
    end
    assign walk_at   = RowBits'(walk_line * Groups + 32'(walk_group));
    for (genvar x = 0; x < Banks; x = x + 1) begin : g_walk_hit
        logic may, lowest;
        assign lowest = walk_live[x] && (walk_live << (Banks - x)) == '0;
        assign may    = cfg_table_i ? (walk_may & (Banks'(1) << walk_home)) != '0 : walk_may[x];
        assign walk_hit[x] = may && (cfg_table_i ? lowest : walk_next[x]);
    end
    assign walk_left = walk_live & ~walk_hit;

    // ---- Table banks
    logic [Banks*NumAsk-1:0]  ask_win;     // lookups served by the bank, either port
    logic [Banks*NumAsk-1:0]  ask_win_a;   // by port A
    logic [Banks*NumLook-1:0] look_win, look_win_a;
    logic [Banks*NumWr-1:0]   up_win;
    logic [Banks-1:0]         fr_win;
    logic [Banks-1:0]         live_fr;     // the register to be freed is mapped
    logic [2*Banks*MapBits-1:0] map;       // answers: port A of bank 0, B, A of 1, ..
    logic [2*Banks-1:0]       live;        // whether they are of mapped registers
`ifdef RF_OBS
    logic [Banks*MapBits-1:0] obs_map;
    logic [Banks-1:0]         obs_live;
    logic [WarpBits-1:0]      obs_warp;
    logic [RegBits-1:0]       obs_reg;
    logic [BankBits-1:0]      obs_home;
    logic [RowBits-1:0]       obs_row;
    logic                     obs_en;
    assign obs_en   = obs_addr_i < Warps * Regs;
    assign obs_warp = WarpBits'(obs_addr_i / Regs);
    assign obs_reg  = RegBits'(obs_addr_i % Regs);
    assign obs_home = bank_of(cfg_table_i, obs_warp, obs_reg);
    assign obs_row  = obs_en ? row_of(cfg_table_i, obs_warp, obs_reg) : '0;
`endif

    // By bank, for the copy of the walk: what is mapped.
    logic [Banks*Groups-1:0]       spread_live;
    logic [Banks*Banks*Groups-1:0] own_live;
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        // requests to this bank, doubled for the cyclic order
        logic [NumAsk-1:0]    ask_req, ask_first, ask_second;
        logic [2*NumAsk-1:0]  ask_two, ask_rest, ask_1st, ask_2nd;
        logic [NumLook-1:0]   look_req, look_first, look_second;
        logic [2*NumLook-1:0] look_two, look_rest, look_1st, look_2nd;
        logic [NumWr-1:0]     up_req, up_turn, up_one;
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
        // sources, in their cyclic order, then destinations in theirs
        always @* begin
            ask_two    = '0;
            ask_1st    = '0;
            ask_first  = '0;
            ask_rest   = '0;
            ask_2nd    = '0;
            ask_second = '0;
            if (ask_req != '0) begin
                ask_two    = {ask_req[NumAsk-1:NumSrc], ask_req[NumAsk-1:NumSrc] & dst_from,
                              ask_req[NumSrc-1:0], ask_req[NumSrc-1:0] & src_from};
                ask_1st    = ask_two & (~ask_two + (2*NumAsk)'(1));
                ask_first  = {ask_1st[2*NumAsk-1 -: NumAlloc] | ask_1st[2*NumSrc +: NumAlloc],
                              ask_1st[2*NumSrc-1 -: NumSrc] | ask_1st[0 +: NumSrc]};
                ask_rest   = ask_two & ~{{2{ask_first[NumAsk-1:NumSrc]}}, {2{ask_first[NumSrc-1:0]}}};
                ask_2nd    = ask_rest & (~ask_rest + (2*NumAsk)'(1));
                ask_second = {ask_2nd[2*NumAsk-1 -: NumAlloc] | ask_2nd[2*NumSrc +: NumAlloc],
                              ask_2nd[2*NumSrc-1 -: NumSrc] | ask_2nd[0 +: NumSrc]};
            end
        end
        // buddies, in their cyclic order, then late destinations in theirs
        always @* begin
            look_two    = '0;
            look_1st    = '0;
            look_first  = '0;
            look_rest   = '0;
            look_2nd    = '0;
            look_second = '0;
            if (look_req != '0) begin
                look_two    = {look_req[NumLook-1:NumWr], look_req[NumLook-1:NumWr] & dst_from,
                               look_req[NumWr-1:0], look_req[NumWr-1:0] & bd_from};
                look_1st    = look_two & (~look_two + (2*NumLook)'(1));
                look_first  = {look_1st[2*NumLook-1 -: NumAlloc] | look_1st[2*NumWr +: NumAlloc],
                               look_1st[2*NumWr-1 -: NumWr] | look_1st[0 +: NumWr]};
                look_rest   = look_two & ~{{2{look_first[NumLook-1:NumWr]}}, {2{look_first[NumWr-1:0]}}};
                look_2nd    = look_rest & (~look_rest + (2*NumLook)'(1));
                look_second = {look_2nd[2*NumLook-1 -: NumAlloc] | look_2nd[2*NumWr +: NumAlloc],
                               look_2nd[2*NumWr-1 -: NumWr] | look_2nd[0 +: NumWr]};
            end
        end
        always @* begin
            up_turn = '0;
            up_one  = '0;
            if (up_req != '0) begin
                up_turn = up_req & up_from;
                up_one  = up_turn != '0 ? up_turn & (~up_turn + NumWr'(1)) : up_req & (~up_req + NumWr'(1));
            end
        end

        // Port A: update, free, second of `look`, of `ask` what port B does not serve, walk. Port B: first of
        // `look`, else of `ask`. That there is a second one is known before who it is.
        logic up_en, fr_en, look_en, walk_en, ask_en, b_ask, ask_many;
        logic [NumLook-1:0] look_a;
        logic [NumAsk-1:0]  a_one, b_one;
        assign up_en   = up_req != '0;
        assign fr_en   = !up_en && slot[b % NumFreed] && fr_valid_i && fr_home == BankBits'(b);
        assign look_a  = up_en || fr_en ? '0 : look_second;
        assign look_en = (look_req & (look_req - NumLook'(1))) != '0;
        assign ask_en  = !up_en && !fr_en && !look_en;
        assign b_ask   = look_req == '0;
        assign ask_many = (ask_req & (ask_req - NumAsk'(1))) != '0;
        assign a_one   = !ask_en ? '0 : b_ask ? ask_second : ask_first;
        assign b_one   = b_ask ? ask_first : '0;
        assign walk_may[b] = slot[b % NumFreed] && !fr_lane[b % NumFreed] && !up_en && !fr_en && !look_en &&
                             !(b_ask ? ask_many : ask_req != '0);
        assign walk_en = walk_asks[b] && walk_may[b];
        assign up_win[b*NumWr +: NumWr]         = up_one;
        assign look_win[b*NumLook +: NumLook]   = look_a | look_first;
        assign look_win_a[b*NumLook +: NumLook] = look_a;
        assign fr_win[b]                        = fr_en;
        assign walk_take[b]                     = walk_en;
        assign ask_win_a[b*NumAsk +: NumAsk]    = a_one;
        assign ask_win[b*NumAsk +: NumAsk]      = a_one | b_one;

        logic [RowBits-1:0] a_row, b_row;
        logic [MapBits-1:0] a_data;
        always @* begin
            a_row  = '0;
            a_data = '0;
            b_row  = '0;
            if (up_req != '0)
                for (int w = 0; w < NumWr; w = w + 1)
                    if (up_one[w]) begin
                        a_row  = a_row | up_row[w*RowBits +: RowBits];
                        a_data = a_data | {up_mask_i[w*4 +: 4],
                                           up_bank_i[w*BankBits +: BankBits],
                                           up_entry_i[w*EntryBits +: EntryBits]};
                    end
            if (look_req != '0) begin
                for (int w = 0; w < NumWr; w = w + 1) begin
                    if (look_a[w]) a_row = a_row | bd_row[w*RowBits +: RowBits];
                    if (look_first[w]) b_row = b_row | bd_row[w*RowBits +: RowBits];
                end
                for (int a = 0; a < NumAlloc; a = a + 1) begin
                    if (look_a[NumWr + a]) a_row = a_row | dst_row[a*RowBits +: RowBits];
                    if (look_first[NumWr + a]) b_row = b_row | dst_row[a*RowBits +: RowBits];
                end
            end
            if (fr_en) a_row = a_row | fr_row;
            if (walk_q && walk_may[b]) a_row = a_row | walk_at;    // read in vain where it does not ask
            if (ask_req != '0) begin
                for (int l = 0; l < NumSrc; l = l + 1) begin
                    if (!up_en && a_one[l]) a_row = a_row | src_row[l*RowBits +: RowBits];
                    if (b_one[l]) b_row = b_row | src_row[l*RowBits +: RowBits];
                end
                for (int a = 0; a < NumAlloc; a = a + 1) begin
                    if (!up_en && a_one[NumSrc + a]) a_row = a_row | dst_row[a*RowBits +: RowBits];
                    if (b_one[NumSrc + a]) b_row = b_row | dst_row[a*RowBits +: RowBits];
                end
            end
        end

        // the memory: port A reads or writes, port B reads; what port A writes is passed by to port B (only
        // that serves lookups then)
        logic [MapBits-1:0] mem_q [0:Rows-1];
        logic [MapBits-1:0] a_q, b_q, pass_q;
        // mapped or not: written one cycle later, looked at beside what the memory delivers
        logic [Rows-1:0]    live_q;
        logic [RowBits-1:0] a_row_q, b_row_q;
        logic               late_q, late_up_q;     // row a_row_q is set or freed at the clock edge
        logic               same_row;
        assign same_row = late_q && a_row_q == b_row_q;
        always_ff @(posedge clk_i) begin
            if (up_en) mem_q[a_row] <= a_data;
            else       a_q <= mem_q[a_row];
            b_q <= mem_q[b_row];
        end
        always_ff @(posedge clk_i) begin
            a_row_q    <= a_row;
            b_row_q    <= b_row;
            late_up_q  <= up_en;
            if (up_en) pass_q <= a_data;
            if (!rst_ni) begin
                late_q <= 1'b0;
                live_q <= '0;
            end else begin
                late_q <= up_en || fr_en || walk_en;
                if (late_q) live_q[a_row_q] <= late_up_q;
            end
        end
        assign live_fr[b] = late_q && a_row_q == fr_row ? late_up_q : live_q[fr_row];
        assign map[(2*b)*MapBits +: MapBits]     = a_q;
        assign map[(2*b + 1)*MapBits +: MapBits] = same_row ? pass_q : b_q;
        assign live[2*b]     = live_q[a_row_q];
        assign live[2*b + 1] = same_row ? late_up_q : live_q[b_row_q];

        // for the walk's copy
        logic               own_here;
        assign own_here = cfg_table_i && bank_of(1'b1, walk_warp, '0) == BankBits'(b);
        // the rows of a warp lie side by side; last what is written to the mapped bits at the clock edge
        logic [Groups-1:0]       spread;
        logic [Banks*Groups-1:0] own;
        always @* begin
            spread = '0;
            own    = '0;
            if (ex_valid_i && !walk_q) begin
                for (int s = 0; s < Slots; s = s + 1)
                    spread = spread | (live_q[s*Groups +: Groups] & {Groups{spread_from == RowBits'(s * Groups)}});
                for (int s = 0; s < Slots / Banks; s = s + 1)
                    own = own | (live_q[s*Banks*Groups +: Banks*Groups] &
                                 {Banks*Groups{own_here && own_from == RowBits'(s * Banks * Groups)}});
                if (late_q && 32'(a_row_q) / Groups == 32'(walk_warp))
                    spread[32'(a_row_q) % Groups] = late_up_q;
                if (late_q && own_here && 32'(a_row_q) / (Banks * Groups) == 32'(walk_warp) / Banks)
                    own[32'(a_row_q) % (Banks * Groups)] = late_up_q;
            end
        end
        assign spread_live[b*Groups +: Groups]          = spread;
        assign own_live[b*Banks*Groups +: Banks*Groups] = own;
`ifdef RF_OBS
        assign obs_live[b] = obs_en && obs_home == BankBits'(b) &&
                             (late_q && a_row_q == obs_row ? late_up_q : live_q[obs_row]);
        assign obs_map[b*MapBits +: MapBits] = obs_live[b] ? mem_q[obs_row] : '0;
`endif
    end

    // The copy: what is set and freed in this cycle, and last what the walk frees, which no other does.
    function automatic [31:0] walk_bit(input by_warp, input [RegBits-1:0] register, input [BankBits-1:0] home);
        walk_bit = (by_warp ? 32'(register) % Banks : 32'(home)) * Groups + 32'(register) / Banks;
    endfunction
    always @* begin
        walk_bits_d = walk_bits_q;
        if (walk_q || ex_valid_i) begin
            if (!walk_q) begin
                walk_bits_d = cfg_table_i ? '0 : spread_live;
                for (int b = 0; b < Banks; b = b + 1)
                    walk_bits_d = walk_bits_d | own_live[b*Banks*Groups +: Banks*Groups];
            end
            for (int w = 0; w < NumWr; w = w + 1)
                if (up_ready_o[w] && up_warp_i[w*WarpBits +: WarpBits] == walk_warp)
                    walk_bits_d = walk_bits_d | (Banks*Groups)'(1) <<
                        walk_bit(cfg_table_i, up_reg_i[w*RegBits +: RegBits], up_home[w*BankBits +: BankBits]);
            if (fr_ready_o && fr_warp_i == walk_warp)
                walk_bits_d = walk_bits_d & ~((Banks*Groups)'(1) << walk_bit(cfg_table_i, fr_reg_i, fr_home));
            for (int x = 0; x < Banks; x = x + 1)
                if (walk_hit[x])
                    walk_bits_d[x*Groups +: Groups] = walk_bits_d[x*Groups +: Groups] & ~walk_first;
        end
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
    assign ex_ready_o = !walk_q;

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
    logic [NumFreed-1:0]         freed_live;       // what is freed was mapped
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

    // The walk ends when nothing is left after this cycle.
    logic walk_end;
    assign walk_end = walk_left == '0 && (walk_groups & (walk_groups - Groups'(1))) == '0;

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            src_first_q  <= '0;
            dst_first_q  <= '0;
            bd_first_q   <= '0;
            up_first_q   <= '0;
            src_answer_q <= '0;
            dst_answer_q <= '0;
            bd_answer_q  <= '0;
            walk_q       <= 1'b0;
            freed_q      <= '0;
        end else begin
            src_first_q  <= AllocBits'(next_turn(2'(src_first_q), 4'(src_refused)));
            dst_first_q  <= AllocBits'(next_turn(2'(dst_first_q), 4'(dst_refused)));
            bd_first_q   <= WrBits'(next_turn(2'(bd_first_q), 4'(bd_refused)));
            up_first_q   <= WrBits'(next_turn(2'(up_first_q), 4'(up_refused)));
            src_answer_q <= src_ready_o;
            dst_answer_q <= dst_ready_o;
            bd_answer_q  <= bd_ready_o;
            walk_q       <= walk_q ? !walk_end : ex_valid_i;
            freed_q      <= ~slot | freed_live;
        end
    end
    always_ff @(posedge clk_i) begin
        src_sel_q  <= src_sel_d;
        dst_sel_q  <= dst_sel_d;
        bd_sel_q   <= bd_sel_d;
        if (!walk_q) walk_warp_q <= ex_warp_i;
        walk_bits_q <= walk_bits_d;
        gave_q      <= walk_take | fr_win;
        freed_map_q <= freed_map;
    end

`ifdef RF_OBS
    logic [MapBits-1:0] obs_found;
    always @* begin
        obs_data_o = '0;
        obs_found  = '0;
        for (int b = 0; b < Banks; b = b + 1) obs_found = obs_found | obs_map[b*MapBits +: MapBits];
        if (obs_en) begin
            if (obs_found[MapBits-1 -: 4] != '0)
                obs_data_o[31:0] = {1'b1, 3'b0, obs_found[MapBits-1 -: 4],
                                    8'(obs_found[EntryBits +: BankBits]), 16'(obs_found[EntryBits-1:0])};
        end else if (obs_addr_i == Warps * Regs) begin
            obs_data_o[31:0] = {8'(bd_first_q), 8'(up_first_q), 8'(dst_first_q), 8'(src_first_q)};
            if (walk_q) obs_data_o[63:32] = {1'b1, 23'b0, 8'(walk_warp_q)};
        end else if (obs_addr_i <= Warps * Regs + NumFreed) begin
            for (int l = 0; l < NumFreed; l = l + 1)
                if (obs_addr_i == 32'(Warps * Regs + 1 + l) && freed_q[l])
                    obs_data_o[31:0] = {1'b1, 3'b0, freed_mask_o[l*4 +: 4],
                                        8'(freed_bank_o[l*BankBits +: BankBits]),
                                        16'(freed_entry_o[l*EntryBits +: EntryBits])};
        end
        else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Warps;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Regs;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = Entries;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = NumAlloc;
        else if (obs_addr_i == 32'hffff_0005) obs_data_o[31:0] = NumOps;
        else if (obs_addr_i == 32'hffff_0006) obs_data_o[31:0] = NumWr;
    end
`endif

`ifdef SIM
    initial begin
        if (Warps < 1 || Warps > 64) $fatal(1, "rename_table: Warps = %0d, legal is 1..64", Warps);
        if (Regs < 2 || Regs > 64) $fatal(1, "rename_table: Regs = %0d, legal is 2..64", Regs);
        if (Banks < 1 || Banks > 32) $fatal(1, "rename_table: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024)
            $fatal(1, "rename_table: Entries = %0d, legal is 2..1024", Entries);
        if (NumAlloc < 1 || NumAlloc > 4)
            $fatal(1, "rename_table: NumAlloc = %0d, legal is 1..4", NumAlloc);
        if (NumOps < 1 || NumOps > 3) $fatal(1, "rename_table: NumOps = %0d, legal is 1..3", NumOps);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "rename_table: NumWr = %0d, legal is 1..4", NumWr);
    end
`endif

`ifdef FORMAL
    // Contract, for any register (f_warp, f_reg), any source f_l, any instruction port f_a, any
    // writer f_w, any table bank f_b: a lookup answers with what was last set, a conflict delays and
    // never drops, what is freed comes out once. Ghost: the mapping of that register. cfg_table
    // may be either, but stays.
    (* anyconst *) logic [WarpBits-1:0]  f_warp;
    (* anyconst *) logic [RegBits-1:0]   f_reg;
    (* anyconst *) logic [3:0]           f_l;
    (* anyconst *) logic [AllocBits-1:0] f_a;
    (* anyconst *) logic [WrBits-1:0]    f_w;
    (* anyconst *) logic [BankBits-1:0]  f_b;
    (* anyconst *) logic f_by_warp;
    logic                f_past, f_mapped, f_due, f_dst_due, f_bd_due, f_freed_due, f_freed_was;
    logic                f_exited, f_was_first, f_waited, f_first_held;
    logic                f_dst_was_first, f_dst_waited, f_dst_first_held;
    logic [MapBits-1:0]  f_map, f_freed_map, f_freed_had;
    logic [BankBits-1:0] f_home;
    logic [RowBits-1:0]  f_row;
    initial f_past = 1'b0;
    assign f_home = bank_of(f_by_warp, f_warp, f_reg);
    assign f_row  = row_of(f_by_warp, f_warp, f_reg);
    // the lane of that register, and its mapping there
    logic [2:0]         f_lane;
    logic               f_lane_valid, f_lane_ready;
    logic [MapBits-1:0] f_lane_map;
    assign f_lane       = 3'(32'(f_home) % NumFreed);
    assign f_lane_valid = 1'(freed_valid_o >> f_lane);
    assign f_lane_ready = 1'(freed_ready_i >> f_lane);
    assign f_lane_map   = {4'(freed_mask_o >> f_lane * 4), BankBits'(freed_bank_o >> f_lane * BankBits),
                           EntryBits'(freed_entry_o >> f_lane * EntryBits)};

    // The ghost changes: an update by some writer, a free, the walk.
    logic [NumWr-1:0]         f_ups;
    logic [NumWr*MapBits-1:0] f_up_maps;
    logic [MapBits-1:0]       f_up_map;
    logic                     f_frees, f_walks;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_f_up
        assign f_ups[w] = up_valid_i[w] && up_ready_o[w] &&
            up_warp_i[w*WarpBits +: WarpBits] == f_warp && up_reg_i[w*RegBits +: RegBits] == f_reg;
        assign f_up_maps[w*MapBits +: MapBits] = f_ups[w]
            ? {up_mask_i[w*4 +: 4], up_bank_i[w*BankBits +: BankBits],
               up_entry_i[w*EntryBits +: EntryBits]} : '0;
        always_comb assume (32'(up_warp_i[w*WarpBits +: WarpBits]) < Warps &&
            32'(up_reg_i[w*RegBits +: RegBits]) < Regs && up_mask_i[w*4 +: 4] != '0 &&
            32'(bd_warp_i[w*WarpBits +: WarpBits]) < Warps &&
            32'(bd_reg_i[w*RegBits +: RegBits]) < Regs);
    end
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_f_dst
        always_comb assume (32'(dst_warp_i[a*WarpBits +: WarpBits]) < Warps &&
            32'(dst_reg_i[a*RegBits +: RegBits]) < Regs);
    end
    for (genvar l = 0; l < NumSrc; l = l + 1) begin : g_f_src
        always_comb assume (32'(src_warp_i[(l/NumOps)*WarpBits +: WarpBits]) < Warps &&
            32'(src_reg_i[l*RegBits +: RegBits]) < Regs);
    end
    always_comb begin
        f_up_map = '0;
        for (int w = 0; w < NumWr; w = w + 1) f_up_map = f_up_map | f_up_maps[w*MapBits +: MapBits];
    end
    assign f_frees = fr_ready_o && fr_warp_i == f_warp && fr_reg_i == f_reg;
    assign f_walks = walk_take[f_home] && walk_at == f_row;

    // What meets at table bank f_b.
    logic [NumSrc-1:0] f_src_here;
    logic [NumAlloc-1:0] f_dst_here;
    logic [NumWr-1:0]  f_bd_here, f_up_here;
    logic              f_fr_here;
    logic [3:0]        f_served, f_dst_served, f_late_served, f_bd_served, f_writes;   // dst: not late
    for (genvar l = 0; l < NumSrc; l = l + 1) begin : g_f_src_here
        assign f_src_here[l] = src_valid_i[l] && src_home[l*BankBits +: BankBits] == f_b;
    end
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_f_dst_here
        assign f_dst_here[a] = dst_valid_i[a] && dst_home[a*BankBits +: BankBits] == f_b;
    end
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_f_wr_here
        assign f_bd_here[w] = bd_valid_i[w] && bd_home[w*BankBits +: BankBits] == f_b;
        assign f_up_here[w] = up_valid_i[w] && up_home[w*BankBits +: BankBits] == f_b;
    end
    assign f_fr_here = fr_ready_o && fr_home == f_b;
    always_comb begin
        f_served = '0;
        f_dst_served = '0;
        f_late_served = '0;
        f_bd_served = '0;
        f_writes = 4'(f_fr_here) + 4'(walk_take[f_b]);
        for (int l = 0; l < NumSrc; l = l + 1)
            if (f_src_here[l] && src_ready_o[l]) f_served = f_served + 4'd1;
        for (int a = 0; a < NumAlloc; a = a + 1)
            if (f_dst_here[a] && dst_ready_o[a]) begin
                if (dst_late_i[a]) f_late_served = f_late_served + 4'd1;
                else               f_dst_served = f_dst_served + 4'd1;
            end
        for (int w = 0; w < NumWr; w = w + 1) begin
            if (f_bd_here[w] && bd_ready_o[w]) f_bd_served = f_bd_served + 4'd1;
            if (f_up_here[w] && up_ready_o[w]) f_writes = f_writes + 4'd1;
        end
    end

    // Steps from the port that is first to port f_a.
    logic [AllocBits:0] f_steps, f_steps_had, f_dst_steps, f_dst_steps_had;
    assign f_steps = f_a >= src_first_q ? {1'b0, f_a} - {1'b0, src_first_q}
                   : {1'b0, f_a} + (AllocBits+1)'(NumAlloc) - {1'b0, src_first_q};
    assign f_dst_steps = f_a >= dst_first_q ? {1'b0, f_a} - {1'b0, dst_first_q}
                       : {1'b0, f_a} + (AllocBits+1)'(NumAlloc) - {1'b0, dst_first_q};

    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni) begin
            f_mapped    <= 1'b0;
            f_due       <= 1'b0;
            f_dst_due   <= 1'b0;
            f_bd_due    <= 1'b0;
            f_dst_waited <= 1'b0;
            f_freed_due <= 1'b0;
            f_freed_was <= 1'b0;
            f_exited    <= 1'b0;
            f_waited    <= 1'b0;
        end else begin
            if (f_ups != '0) begin
                f_mapped <= 1'b1;
                f_map    <= f_up_map;
            end else if (f_frees || f_walks) f_mapped <= 1'b0;
            f_due <= src_valid_i[f_l] && src_ready_o[f_l] &&
                WarpBits'(src_warp_i >> (f_l / NumOps) * WarpBits) == f_warp &&
                RegBits'(src_reg_i >> f_l * RegBits) == f_reg;
            f_dst_due <= dst_valid_i[f_a] && dst_ready_o[f_a] &&
                WarpBits'(dst_warp_i >> f_a * WarpBits) == f_warp &&
                RegBits'(dst_reg_i >> f_a * RegBits) == f_reg;
            f_bd_due <= bd_valid_i[f_w] && bd_ready_o[f_w] &&
                WarpBits'(bd_warp_i >> f_w * WarpBits) == f_warp &&
                RegBits'(bd_reg_i >> f_w * RegBits) == f_reg;
            f_freed_due <= f_mapped && (f_frees || f_walks);
            f_freed_was <= f_lane_valid && !f_lane_ready;
            // the warp ended and its register was not set since
            f_exited <= ((ex_valid_i && ex_ready_o && ex_warp_i == f_warp) || f_exited) && f_ups == '0;
            f_waited <= src_refused[f_a];
            f_dst_waited <= dst_valid_i[f_a] && !dst_ready_o[f_a];
        end
        f_freed_map  <= f_map;
        f_freed_had  <= f_lane_map;
        f_was_first  <= src_first_q == f_a;
        f_steps_had  <= f_steps;
        f_first_held <= src_refused[src_first_q];
        f_dst_was_first  <= dst_first_q == f_a;
        f_dst_steps_had  <= f_dst_steps;
        f_dst_first_held <= dst_valid_i[dst_first_q] && !dst_ready_o[dst_first_q];
    end

    always_comb begin
        assume (32'(f_warp) < Warps && 32'(f_reg) < Regs && 32'(f_l) < NumSrc && 32'(f_a) < NumAlloc &&
                32'(f_w) < NumWr && 32'(f_b) < Banks);
        assume (32'(fr_warp_i) < Warps && 32'(fr_reg_i) < Regs && 32'(ex_warp_i) < Warps);
        assume (obs_addr_i == 32'(f_warp) * Regs + 32'(f_reg) && cfg_table_i == f_by_warp);
    end
    always_comb if (f_past) begin
        // what is stored: the ghost
        assert (obs_data_o[31] == f_mapped && (obs_live != '0) == f_mapped);
        if (f_mapped)
            assert ({obs_data_o[27:24], BankBits'(obs_data_o[23:16]), EntryBits'(obs_data_o[15:0])} ==
                    f_map && f_map[MapBits-1 -: 4] != '0);
        // an answer: what was set last, up to the cycle of the lookup
        if (f_due) begin
            assert (src_answer_o[f_l] && src_mapped_o[f_l] == f_mapped);
            assert (4'(src_mask_o >> f_l * 4) == (f_mapped ? f_map[MapBits-1 -: 4] : 4'd0));
            if (f_mapped)
                assert (BankBits'(src_bank_o >> f_l * BankBits) == f_map[EntryBits +: BankBits] &&
                        EntryBits'(src_entry_o >> f_l * EntryBits) == f_map[EntryBits-1:0]);
        end
        if (f_dst_due) begin
            assert (dst_answer_o[f_a] && dst_mapped_o[f_a] == f_mapped);
            assert (4'(dst_mask_o >> f_a * 4) == (f_mapped ? f_map[MapBits-1 -: 4] : 4'd0));
            if (f_mapped)
                assert (BankBits'(dst_bank_o >> f_a * BankBits) == f_map[EntryBits +: BankBits] &&
                        EntryBits'(dst_entry_o >> f_a * EntryBits) == f_map[EntryBits-1:0]);
        end
        if (f_bd_due) begin
            assert (bd_answer_o[f_w] && bd_mapped_o[f_w] == f_mapped);
            assert (4'(bd_mask_o >> f_w * 4) == (f_mapped ? f_map[MapBits-1 -: 4] : 4'd0));
            if (f_mapped)
                assert (BankBits'(bd_bank_o >> f_w * BankBits) == f_map[EntryBits +: BankBits] &&
                        EntryBits'(bd_entry_o >> f_w * EntryBits) == f_map[EntryBits-1:0]);
        end
        // ready only for who asks; two ports per bank, one of them for what writes
        assert ((src_ready_o & ~src_valid_i) == '0 && (dst_ready_o & ~dst_valid_i) == '0 &&
                (bd_ready_o & ~bd_valid_i) == '0 && (up_ready_o & ~up_valid_i) == '0 &&
                !(fr_ready_o && !fr_valid_i));
        assert (f_writes <= 4'd1 && f_served + f_dst_served + f_late_served + f_bd_served + f_writes <= 4'd2);
        // a refusal is a conflict: nobody waits while a port is idle, or behind who comes after him
        if ((f_dst_here & ~dst_late_i & ~dst_ready_o) != '0)
            assert (f_served + f_dst_served + f_late_served + f_bd_served + f_writes == 4'd2 &&
                    !walk_take[f_b]);
        if ((f_src_here & ~src_ready_o) != '0)
            assert (f_served + f_late_served + f_bd_served + f_writes == 4'd2 && !walk_take[f_b]);
        if ((f_dst_here & dst_late_i & ~dst_ready_o) != '0)
            assert (f_late_served + f_bd_served + f_writes == 4'd2 && !walk_take[f_b]);
        if ((f_bd_here & ~bd_ready_o) != '0)
            assert (f_bd_served + f_writes == 4'd2 && !walk_take[f_b]);
        if ((f_up_here & ~up_ready_o) != '0) assert ((f_up_here & up_ready_o) != '0);
        if (fr_valid_i && !fr_ready_o && fr_home == f_b && slot[32'(f_b) % NumFreed])
            assert (f_up_here != '0);
        // the port that is first gets one source through each bank it asks, unless others take both
        if (32'(src_first_q) == 32'(f_a) && NumOps'(f_src_here >> f_a * NumOps) != '0)
            assert (NumOps'((f_src_here & src_ready_o) >> f_a * NumOps) != '0 ||
                    f_late_served + f_bd_served + f_writes == 4'd2);
        // who is refused comes nearer to being first, and stays there until all is served
        assert (32'(src_first_q) < NumAlloc && 32'(dst_first_q) < NumAlloc && 32'(bd_first_q) < NumWr &&
                32'(up_first_q) < NumWr);
        // the writer that is first is never refused
        assert (!(bd_valid_i[bd_first_q] && !bd_ready_o[bd_first_q]) &&
                !(up_valid_i[up_first_q] && !up_ready_o[up_first_q]));
        if (f_waited) assert (f_first_held ? f_steps <= f_steps_had : f_steps == '0 || f_steps < f_steps_had);
        if (f_waited && f_was_first) assert (src_first_q == f_a);
        if (f_dst_waited) assert (f_dst_first_held ? f_dst_steps <= f_dst_steps_had
                                                   : f_dst_steps == '0 || f_dst_steps < f_dst_steps_had);
        if (f_dst_waited && f_dst_was_first) assert (dst_first_q == f_a);
        // freed: once, with what it was, held until it is taken
        if (f_freed_due) assert (f_lane_valid && f_lane_map == f_freed_map);
        if (f_freed_was) assert (f_lane_valid && f_lane_map == f_freed_had);
        // the walk: at its end everything is unmapped
        if (walk_q) assert (32'(walk_warp_q) < Warps);
        if (walk_q && walk_warp_q == f_warp)
            assert (walk_bits_q[(f_by_warp ? 32'(f_reg) % Banks : 32'(f_home)) * Groups + 32'(f_reg) / Banks] ==
                    f_mapped);
        if (f_exited && !(walk_q && walk_warp_q == f_warp)) assert (!f_mapped);
    end
    always_comb begin
        cover (f_past && f_due && f_mapped && f_map[MapBits-1 -: 4] == 4'b1010);
        cover (f_past && f_dst_due && f_freed_due);
        cover (f_past && f_by_warp && f_bd_due && f_mapped);
        cover (f_past && (f_src_here & ~src_ready_o) != '0 && f_waited);
        cover (f_past && f_freed_was && f_freed_due == 1'b0 && f_lane_ready);
        cover (f_past && f_exited && !walk_q && f_due && !f_mapped && f_freed_had[0]);
        cover (f_past && fr_valid_i && !fr_ready_o && slot == '1);
    end
`endif
endmodule
