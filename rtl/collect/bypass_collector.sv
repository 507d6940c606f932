// SPDX-License-Identifier: Apache-2.0
// Purpose:    the pool of bypassing operand collectors (BOCs), one per warp. It routes entries,
//             results and rows to their BOC. It arbitrates round-robin among BOCs at the dispatch
//             ports and has the write ports to the register file. Contract:
//             models/collect/bypass_collector.h.
// Parameters: NumColl, 2..64: BOCs; NumOps, 1..3: operands per entry; NumAlloc, 1..4: entries per
//             cycle; NumDisp, 1..8: execution units, one dispatch port each. NumWr, 1..4: results
//             per cycle, and write ports; Window, 2..7: instructions of the window. Values,
//             NumOps+1..28: rows of a BOC; Banks, 1..32, of the register file.
// Timing:     outputs depend on registers alone; res_ready_o and wr_*_o also on the results and the
//             mode of the cycle. No output depends on wr_ready_i, rd_grant_i, disp_ready_i or on
//             entries. All actions take effect at the clock edge. The path takes 2.59 ns at 45 nm
//             with two BOCs and rows of 8 bits (SM clock: 1.43 ns): two cycles. It begins with a
//             BOC's read in flight, its offer, and whether a save holds the write port. Whether a
//             result is taken there, the rows that an entry of the cycle finds and takes, and the
//             pointer `next` follow. The contract lists the changes that shorter paths would
//             require.
// Reset:      all BOCs empty, pointers and turns 0.
// Left out:   the BOC itself (boc).
// Shapes:     - ; NumColl=2,NumOps=1,NumAlloc=1,NumDisp=1,NumWr=1,Window=2,Values=4,Banks=1
// Shapes:     NumColl=5,NumOps=2,NumAlloc=3,NumDisp=3,NumWr=2,Window=7,Values=28,Banks=3
// Shapes:     NumColl=48,Values=6 ; NumColl=64,Window=2,Values=4,Banks=4
// Proof:      1:6:NumColl=2,NumOps=1,NumAlloc=2,NumDisp=1,NumWr=1,Window=2,Values=4,Banks=2
// Proof:      1:6:NumColl=3,NumOps=1,NumAlloc=1,NumDisp=1,NumWr=2,Window=2,Values=4,Banks=1
// Cut:        g_boc*.u_boc

`include "macros.svh"

module bypass_collector #(
    parameter int NumColl  = 32,
    parameter int NumOps   = 3,
    parameter int NumAlloc = 2,
    parameter int NumDisp  = 4,
    parameter int NumWr    = 4,
    parameter int Window   = 3,
    parameter int Values   = 12,
    parameter int Banks    = 32,
    localparam int Lanes     = `NARROW(1, 32),
    localparam int Row       = `NARROW(8, 1024),
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int CollBits  = NumColl > 1 ? $clog2(NumColl) : 1,
    localparam int UnitBits  = NumDisp > 1 ? $clog2(NumDisp) : 1,
    localparam int SlotBits  = $clog2(Window)
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    // 0 write-through, 1 write-back, 2 compiler bits, 3 no forwarding
    input  logic [1:0]                           mode_i,
    // instructions enter
    input  logic [NumAlloc-1:0]                  alloc_valid_i,
    input  logic [NumAlloc*CollBits-1:0]         alloc_coll_i,
    input  logic [NumAlloc-1:0]                  alloc_more_i,
    input  logic [NumAlloc-1:0]                  alloc_pass_i,
    input  logic [NumAlloc*UnitBits-1:0]         alloc_unit_i,
    input  logic [NumAlloc*NumOps-1:0]           alloc_need_i,
    input  logic [NumAlloc*NumOps*6-1:0]         alloc_src_i,
    input  logic [NumAlloc*3-1:0]                alloc_words_i,
    input  logic [NumAlloc*6-1:0]                alloc_dst_i,
    input  logic [NumAlloc-1:0]                  alloc_only_i,
    input  logic [NumColl-1:0]                   press_i,
    output logic [NumColl-1:0]                   alloc_ready_o,
    output logic [NumColl*SlotBits-1:0]          alloc_slot_o,
    output logic [NumColl*3-1:0]                 alloc_room_o,
    output logic [NumColl*3-1:0]                 more_room_o,
    output logic [NumAlloc*NumOps-1:0]           fwd_o,
    // BOCs ask for operands, banks deliver
    output logic [NumColl-1:0]                   rd_valid_o,
    output logic [NumColl*6-1:0]                 rd_reg_o,
    output logic [CollBits-1:0]                  rd_first_o,
    input  logic [NumColl-1:0]                   rd_grant_i,
    input  logic [Banks-1:0]                     rd_data_valid_i,
    input  logic [Banks*CollBits-1:0]            rd_data_coll_i,
    input  logic [Banks*Row-1:0]                 rd_data_i,
    // instructions leave
    input  logic [NumDisp-1:0]                   disp_ready_i,
    output logic [NumDisp-1:0]                   disp_valid_o,
    output logic [NumDisp*CollBits-1:0]          disp_coll_o,
    output logic [NumDisp*SlotBits-1:0]          disp_slot_o,
    output logic [NumDisp*NumOps-1:0]            disp_need_o,
    output logic [NumDisp*NumOps*Row-1:0]        disp_data_o,
    // results
    input  logic [NumWr-1:0]                     res_valid_i,
    input  logic [NumWr*CollBits-1:0]            res_coll_i,
    input  logic [NumWr*6-1:0]                   res_reg_i,
    input  logic [NumWr*2-1:0]                   res_write_i,
    input  logic [NumWr-1:0]                     res_homeless_i,
    input  logic [NumWr*Lanes-1:0]               res_lane_i,
    input  logic [NumWr*Row-1:0]                 res_data_i,
    output logic [NumWr-1:0]                     res_ready_o,
    // writes to the register file: results and saves
    output logic [NumWr-1:0]                     wr_valid_o,
    output logic [NumWr-1:0]                     wr_save_o,
    output logic [NumWr*CollBits-1:0]            wr_coll_o,
    output logic [NumWr*6-1:0]                   wr_reg_o,
    output logic [NumWr*Lanes-1:0]               wr_lane_o,
    output logic [NumWr*Row-1:0]                 wr_data_o,
    input  logic [NumWr-1:0]                     wr_ready_i,
    // observation: see the contract
    `OBS_PORT(input  logic [31:0]                          obs_addr_i)
    `OBS_PORT(output logic [1023:0]                        obs_data_o)
    // registers are dead; the warp has ended
    input  logic [NumAlloc-1:0]                  kill_valid_i,
    input  logic [NumAlloc*CollBits-1:0]         kill_coll_i,
    input  logic [NumAlloc*64-1:0]               kill_regs_i,
    input  logic [NumColl-1:0]                   drop_i,
    output logic [NumColl-1:0]                   saving_o,
    output logic [NumColl-1:0]                   empty_o
);

    `OBS(localparam int ValueBits = $clog2(Values);)
    localparam int PortBits  = NumAlloc > 1 ? $clog2(NumAlloc) : 1;
    localparam int WrBits    = NumWr > 1 ? $clog2(NumWr) : 1;
    localparam int InBits    = 3 + UnitBits + NumOps*7 + 9;
    localparam int ResBits   = 11;

    function automatic [NumColl-1:0] lowest(input [NumColl-1:0] set);
        integer k;
        reg [NumColl-1:0] upto;
        begin
            upto = set;
            for (k = 1; k < NumColl; k = k * 2) upto = upto | (upto << k);
            lowest = set & ~(upto << 1);
        end
    endfunction
    function automatic [NumColl-1:0] first_of(input [NumColl-1:0] set, input [CollBits-1:0] from);
        reg [NumColl-1:0] up;
        begin
            up       = set & ({NumColl{1'b1}} << from);
            first_of = lowest(up) | (up == '0 ? lowest(set) : '0);
        end
    endfunction
    function automatic [CollBits-1:0] coll_behind(input [CollBits-1:0] c);
        coll_behind = c == CollBits'(NumColl - 1) ? '0 : c + CollBits'(1);
    endfunction
    // BOCs whose saves go through port p
    function automatic [NumColl-1:0] of_port(input integer p);
        integer c;
        for (c = 0; c < NumColl; c = c + 1) of_port[c] = c % NumWr == p;
    endfunction

    // ---- Routing: which port has something for BOC c; of several the lowest
    logic [NumColl-1:0]          in_valid, res_valid, arr_valid, kill_valid;
    logic [NumColl*PortBits-1:0] in_port, kill_port;
    logic [NumColl*WrBits-1:0]   res_port;
    logic [NumColl*BankBits-1:0] arr_bank;
    logic [NumAlloc*InBits-1:0]  in_bus;
    logic [NumWr-1:0]            served;
    logic [NumWr*ResBits-1:0]    res_bus;
    always @* begin
        in_valid   = '0;
        in_port    = '0;
        kill_valid = '0;
        kill_port  = '0;
        for (int a = NumAlloc - 1; a >= 0; a = a - 1) begin
            if (alloc_valid_i[a]) begin
                in_valid[alloc_coll_i[a*CollBits +: CollBits]]                              = 1'b1;
                in_port[32'(alloc_coll_i[a*CollBits +: CollBits])*PortBits +: PortBits]     = PortBits'(a);
            end
            if (kill_valid_i[a]) begin
                kill_valid[kill_coll_i[a*CollBits +: CollBits]]                             = 1'b1;
                kill_port[32'(kill_coll_i[a*CollBits +: CollBits])*PortBits +: PortBits]    = PortBits'(a);
            end
        end
    end
    always @* begin
        res_valid = '0;
        res_port  = '0;
        for (int p = NumWr - 1; p >= 0; p = p - 1)
            if (res_valid_i[p]) begin
                res_valid[res_coll_i[p*CollBits +: CollBits]]                       = 1'b1;
                res_port[32'(res_coll_i[p*CollBits +: CollBits])*WrBits +: WrBits] = WrBits'(p);
            end
        for (int p = 0; p < NumWr; p = p + 1)
            served[p] = res_valid_i[p] &&
                        (res_port[32'(res_coll_i[p*CollBits +: CollBits])*WrBits +: WrBits] == WrBits'(p));
    end
    always @* begin
        arr_valid = '0;
        arr_bank  = '0;
        for (int b = 0; b < Banks; b = b + 1)
            if (rd_data_valid_i[b]) begin
                arr_valid[rd_data_coll_i[b*CollBits +: CollBits]]                          = 1'b1;
                arr_bank[32'(rd_data_coll_i[b*CollBits +: CollBits])*BankBits +: BankBits] = BankBits'(b);
            end
    end
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_in
        assign in_bus[a*InBits +: InBits] =
            {alloc_more_i[a], alloc_pass_i[a], alloc_only_i[a], alloc_unit_i[a*UnitBits +: UnitBits],
             alloc_need_i[a*NumOps +: NumOps], alloc_src_i[a*NumOps*6 +: NumOps*6], alloc_words_i[a*3 +: 3],
             alloc_dst_i[a*6 +: 6]};
    end
    // Rows of the ports
    wire [Row-1:0] bank_row [0:Banks-1];
    wire [Row-1:0] res_row [0:NumWr-1];
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        assign bank_row[b] = rd_data_i[b*Row +: Row];
    end
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_res
        logic [Lanes-1:0] lane;
        assign lane       = res_lane_i[p*Lanes +: Lanes];
        assign res_row[p] = res_data_i[p*Row +: Row];
        assign res_bus[p*ResBits +: ResBits] = {lane == '0, lane == {Lanes{1'b1}}, res_homeless_i[p],
                                                res_write_i[p*2 +: 2], res_reg_i[p*6 +: 6]};
    end

    // ---- The BOCs
    logic [NumColl-1:0]          offer, leave, res_rf, save, save_done;
    logic [NumWr-1:0]            ok;                 // a result that is written now is taken
    logic [NumColl*UnitBits-1:0] unit;
    logic [NumColl*SlotBits-1:0] slot;
    logic [NumColl*NumOps-1:0]   need, hit;
    logic [NumColl*6-1:0]        save_reg;
    wire  [NumOps*Row-1:0]       data [0:NumColl-1];
    // Observed: BOC obs_coll, row obs_row of it.
    `OBS(logic [1:0]           obs_kind;)
    `OBS(logic [CollBits-1:0]  obs_coll;)
    `OBS(logic [ValueBits-1:0] obs_row;)
    `OBS(logic                 obs_en;)
    `OBS(wire  [1023:0]        obs_boc [0:NumColl-1];)
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_boc
        logic [InBits-1:0]  in;
        logic [ResBits-1:0] res;
        logic [Row-1:0]     arrived, stored;         // 0 without an arrival: an idle BOC does not follow the ports' rows
        assign arrived = arr_valid[c] ? bank_row[arr_bank[c*BankBits +: BankBits]] : '0;
        assign stored  = res_valid[c] ? res_row[res_port[c*WrBits +: WrBits]] : '0;
        assign in  = in_bus[32'(in_port[c*PortBits +: PortBits])*InBits +: InBits];
        assign res = res_bus[32'(res_port[c*WrBits +: WrBits])*ResBits +: ResBits];
        boc #(.NumOps(NumOps), .NumDisp(NumDisp), .Window(Window), .Values(Values)) u_boc (
            .clk_i,
            .rst_ni,
            .mode_i,
            .drop_i(drop_i[c]),
            .press_i(press_i[c]),
            .kill_valid_i(kill_valid[c]),
            .kill_regs_i(kill_regs_i[32'(kill_port[c*PortBits +: PortBits])*64 +: 64]),
            .in_valid_i(in_valid[c]),
            .in_more_i(in[InBits-1]),
            .in_pass_i(in[InBits-2]),
            .in_only_i(in[InBits-3]),
            .in_unit_i(in[9 + NumOps*7 +: UnitBits]),
            .in_need_i(in[9 + NumOps*6 +: NumOps]),
            .in_src_i(in[9 +: NumOps*6]),
            .in_words_i(in[8:6]),
            .in_dst_i(in[5:0]),
            .ready_o(alloc_ready_o[c]),
            .slot_o(alloc_slot_o[c*SlotBits +: SlotBits]),
            .room_o(alloc_room_o[c*3 +: 3]),
            .more_room_o(more_room_o[c*3 +: 3]),
            .hit_o(hit[c*NumOps +: NumOps]),
            .rd_valid_o(rd_valid_o[c]),
            .rd_reg_o(rd_reg_o[c*6 +: 6]),
            .rd_grant_i(rd_grant_i[c]),
            .arr_valid_i(arr_valid[c]),
            .arr_data_i(arrived),
            .offer_o(offer[c]),
            .disp_unit_o(unit[c*UnitBits +: UnitBits]),
            .disp_slot_o(slot[c*SlotBits +: SlotBits]),
            .disp_need_o(need[c*NumOps +: NumOps]),
            .disp_leave_i(leave[c]),
            .res_valid_i(res_valid[c]),
            .res_none_i(res[10]),
            .res_all_i(res[9]),
            .res_homeless_i(res[8]),
            .res_write_i(res[7:6]),
            .res_reg_i(res[5:0]),
            .res_lane_i(res_lane_i[32'(res_port[c*WrBits +: WrBits])*Lanes +: Lanes]),
            .res_data_i(stored),
            .res_rf_o(res_rf[c]),
            .res_ok_i(ok[res_port[c*WrBits +: WrBits]]),
            .saving_o(saving_o[c]),
            .save_o(save[c]),
            .save_reg_o(save_reg[c*6 +: 6]),
            .save_done_i(save_done[c]),
            .data_o(data[c]),
            `OBS_PORT(.obs_en_i(obs_en && obs_coll == CollBits'(c)))
            `OBS_PORT(.obs_kind_i(obs_kind))
            `OBS_PORT(.obs_row_i(obs_row))
            `OBS_PORT(.obs_data_o(obs_boc[c]))
            .empty_o(empty_o[c])
        );
    end

    // ---- Dispatch: each port takes the first BOC from its pointer that offers an instruction for the unit
    logic [NumDisp*NumColl-1:0]  offers, disp_one;
    logic [NumDisp*CollBits-1:0] disp_q, disp_d;
    always @* begin
        offers = '0;
        if (offer != '0)
            for (int c = 0; c < NumColl; c = c + 1)
                if (offer[c]) offers[32'(unit[c*UnitBits +: UnitBits])*NumColl + c] = 1'b1;
    end
    for (genvar d = 0; d < NumDisp; d = d + 1) begin : g_disp
        logic [NumColl-1:0]  one;
        logic [CollBits-1:0] coll;
        assign one             = first_of(offers[d*NumColl +: NumColl], disp_q[d*CollBits +: CollBits]);
        onehot_index #(.Width(NumColl)) u_coll (
            .one_i(one), .index_o(coll)
        );
        assign disp_valid_o[d] = one != '0;
        assign disp_coll_o[d*CollBits +: CollBits]           = coll;
        assign disp_slot_o[d*SlotBits +: SlotBits]           = slot[32'(coll)*SlotBits +: SlotBits];
        assign disp_need_o[d*NumOps +: NumOps]               = one != '0 ? need[32'(coll)*NumOps +: NumOps] : '0;
        assign disp_data_o[d*NumOps*Row +: NumOps*Row]       = data[coll];
        assign disp_one[d*NumColl +: NumColl]                = disp_ready_i[d] ? one : '0;
        assign disp_d[d*CollBits +: CollBits] =
            one != '0 && disp_ready_i[d] ? coll_behind(coll)
                                                                        : disp_q[d*CollBits +: CollBits];
    end
    always @* begin
        leave = '0;
        for (int d = 0; d < NumDisp; d = d + 1) leave = leave | disp_one[d*NumColl +: NumColl];
    end

    // ---- Write ports: a result that is written now, or a save of the port's BOCs
    logic [NumWr*CollBits-1:0] save_q, save_d;
    logic [NumWr-1:0]          turn_q, turn_d;
    logic [NumWr*NumColl-1:0]  save_ones;
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_wr
        localparam logic [NumColl-1:0] Mine = of_port(p);
        logic [CollBits-1:0] from, coll;
        logic [NumColl-1:0]  one;
        logic [Row-1:0]      saved;
        logic                now, conflict;
        assign from           = res_coll_i[p*CollBits +: CollBits];
        assign now            = served[p] && (res_rf >> from & NumColl'(1)) != '0;
        assign one            = first_of(save & Mine, save_q[p*CollBits +: CollBits]);
        onehot_index #(.Width(NumColl)) u_coll (
            .one_i(one), .index_o(coll)
        );
        assign conflict       = now && one != '0;
        assign wr_valid_o[p]  = now || one != '0;
        assign wr_save_o[p]   = one != '0 && (!now || turn_q[p]);
        assign res_ready_o[p] = served[p] && (!now || !wr_save_o[p]);
        assign ok[p]          = !(one != '0 && turn_q[p]) && wr_ready_i[p];
        assign saved          = data[coll][(NumOps - 1)*Row +: Row];
        assign wr_coll_o[p*CollBits +: CollBits]  = wr_save_o[p] ? coll : from;
        assign wr_reg_o[p*6 +: 6]                 = wr_save_o[p] ? save_reg[32'(coll)*6 +: 6] : res_reg_i[p*6 +: 6];
        assign wr_lane_o[p*Lanes +: Lanes]        = wr_save_o[p] ? {Lanes{1'b1}}
                                                                                   : res_lane_i[p*Lanes +: Lanes];
        assign wr_data_o[p*Row +: Row]            = wr_save_o[p] ? saved : res_row[p];
        assign save_ones[p*NumColl +: NumColl]    = wr_save_o[p] && wr_ready_i[p] ? one : '0;
        assign save_d[p*CollBits +: CollBits]     =
            wr_save_o[p] && wr_ready_i[p] ? coll_behind(coll) : save_q[p*CollBits +: CollBits];
        assign turn_d[p] = conflict && wr_ready_i[p] ? !wr_save_o[p] : turn_q[p];
    end
    always @* begin
        save_done = '0;
        for (int p = 0; p < NumWr; p = p + 1) save_done = save_done | save_ones[p*NumColl +: NumColl];
    end

    // ---- Reads: the BOC that comes first stays while it is refused
    logic [CollBits-1:0] first_q, first_d;
    logic                stays;
    assign stays      = (rd_valid_o & ~rd_grant_i & (NumColl'(1) << first_q)) != '0;
    assign first_d    = rd_valid_o != '0 && !stays ? coll_behind(first_q) : first_q;
    assign rd_first_o = first_q;

    // ---- Forwards, counted when the instruction is in
    logic [NumAlloc*NumOps-1:0] fwd_q, fwd_d;
    always @* begin
        fwd_d = '0;
        for (int a = 0; a < NumAlloc; a = a + 1)
            if (alloc_valid_i[a] &&
                ((drop_i >> alloc_coll_i[a*CollBits +: CollBits] & NumColl'(1)) == '0))
                fwd_d[a*NumOps +: NumOps] = hit[32'(alloc_coll_i[a*CollBits +: CollBits])*NumOps +: NumOps];
    end
    assign fwd_o = fwd_q;

    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            disp_q  <= '0;
            save_q  <= '0;
            turn_q  <= '0;
            first_q <= '0;
            fwd_q   <= '0;
        end else begin
            disp_q  <= disp_d;
            save_q  <= save_d;
            turn_q  <= turn_d;
            first_q <= first_d;
            fwd_q   <= fwd_d;
        end
    end

    `CHECK_RANGE(bypass_collector, NumColl, 2, 64)
    `CHECK_RANGE(bypass_collector, NumOps, 1, 3)
    `CHECK_RANGE(bypass_collector, NumAlloc, 1, 4)
    `CHECK_RANGE(bypass_collector, NumDisp, 1, 8)
    `CHECK_RANGE(bypass_collector, NumWr, 1, 4)
    `CHECK_RANGE(bypass_collector, Window, 2, 7)
    `CHECK(Values > NumOps && Values <= 28,
        $sformatf("bypass_collector: Values = %0d, legal is 2..28 and more than NumOps", Values))
    `CHECK_RANGE(bypass_collector, Banks, 1, 32)
    `include "collect/bypass_collector.obs.svh"
endmodule
