// SPDX-License-Identifier: Apache-2.0
// Purpose:    reads whole warp registers without an instruction: two for each merge of LARF, which merge_unit then gets
//             together, and one at a time for the locality checker. Contract: models/larf/row_reader.h.
// Parameters: Queue, 1..8: merges that wait, the one being read included; Banks, 1..32, and Entries, 2..1024, of the
// file.
// Timing:     all outputs but un_* from state alone; un_* from state and back_valid_i. A merge that enters in cycle t
//             asks for its first row in t + 1 and gives its rows in the cycle after the last one has come.
// Reset:      nothing waits, nothing is under way.
// Left out:   banks and their arbiter (banked_rf), shifts (merge_unit).
// Shapes:     - ; Queue=1,Banks=2,Entries=1024 ; Queue=3,Banks=1,Entries=2 ; Queue=8,Banks=32,Entries=64
// Proof:      2:10:Queue=1,Banks=1,Entries=2
// Proof:      2:10:Queue=2,Banks=1,Entries=2

module row_reader #(
    parameter int Queue   = 4,
    parameter int Banks   = 4,
    parameter int Entries = 256,
`ifdef RF_NARROW
    localparam int Row     = 2,   // the bits of a row move together
    localparam int Lanes   = 2,
    localparam int TagBits = 2,
`else
    localparam int Row     = 1024,
    localparam int Lanes   = 32,
    localparam int TagBits = 24,
`endif
    localparam int ShBits  = $clog2(Lanes) + 1,
    localparam int PhyBits = (Banks > 1 ? $clog2(Banks) : 1) + $clog2(Entries)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // merges
    input  logic                 mg_valid_i,
    input  logic [1:0]           mg_use_i,
    input  logic [2*PhyBits-1:0] mg_phys_i,
    input  logic [2*ShBits-1:0]  mg_shift_i,
    input  logic [2*Lanes-1:0]   mg_mask_i,
    input  logic [TagBits-1:0]   mg_tag_i,
    output logic                 mg_ready_o,
    // the locality checker
    input  logic                 qu_valid_i,
    input  logic [PhyBits-1:0]   qu_phys_i,
    input  logic                 drop_i,
    output logic                 qu_ready_o,
    // reads
    input  logic                 rd_grant_i,
    input  logic                 back_valid_i,
    input  logic [Row-1:0]       back_row_i,
    output logic                 rd_valid_o,
    output logic [PhyBits-1:0]   rd_phys_o,
    output logic                 un_valid_o,
    output logic [PhyBits-1:0]   un_phys_o,
`ifdef RF_OBS
    // observation: what waits, rows, then parameters
    input  logic [31:0]          obs_addr_i,
    output logic [1023:0]        obs_data_o,
`endif
    // to merge_unit
    input  logic                 op_ready_i,
    output logic [1:0]           op_valid_o,
    output logic [2*Row-1:0]     op_row_o,
    output logic [2*ShBits-1:0]  op_shift_o,
    output logic [2*Lanes-1:0]   op_mask_o,
    output logic [TagBits-1:0]   op_tag_o,
    // to the locality checker
    input  logic                 an_ready_i,
    output logic                 an_valid_o,
    output logic [Row-1:0]       an_row_o
);

    localparam int CntBits = $clog2(Queue + 1);
    localparam int Merge   = 2 + TagBits + 2*PhyBits + 2*ShBits + 2*Lanes;
    localparam int ShAt    = 2 + TagBits + 2*PhyBits;  // use, tag, registers, shifts, masks
    localparam int MaskAt  = ShAt + 2*ShBits;

    logic [CntBits-1:0]     count_q, count_d, at;
    logic [Queue*Merge-1:0] merge_q, merge_d;          // the oldest lowest
    logic [1:0]             asked_q, asked_d, come_q, come_d;
    logic                   qu_q, qu_d, qu_asked_q, qu_asked_d, qu_come_q, qu_come_d, qu_void_q, qu_void_d;
    logic [PhyBits-1:0]     qu_phys_q, qu_phys_d;
    logic [3*Row-1:0]       row_q, row_d;              // of the merge, of the question
    // reads under way, the oldest lowest: 0, 1 a row of the merge, 2 the question's
    logic [1:0]             fly_q, fly_d;              // their number
    logic [5:0]             who_q, who_d;

    logic [1:0]         use_is, wants, gets;
    logic               wants_qu, gets_qu, all, gives, taken, enters, free_slot;
    logic [PhyBits-1:0] phys0, phys1;
    assign use_is = count_q != '0 ? merge_q[1:0] : 2'b00;
    assign phys0  = merge_q[2 + TagBits +: PhyBits];
    assign phys1  = merge_q[2 + TagBits + PhyBits +: PhyBits];

    // ---- Who reads: the oldest merge, else the question
    logic want_qu;
    assign want_qu    = qu_q && !qu_void_q && !qu_asked_q;
    assign wants[0]   = use_is[0] && !asked_q[0];
    assign wants[1]   = use_is[1] && !asked_q[1] && asked_q[0];
    assign wants_qu   = want_qu && wants == 2'b00;
    assign rd_valid_o = wants != 2'b00 || wants_qu;
    assign rd_phys_o  = wants[0] ? phys0 : wants[1] ? phys1 : qu_phys_q;

    // ---- Whose row comes
    logic [1:0] who;
    logic       comes;
    assign comes      = back_valid_i && fly_q != 2'd0;
    assign who        = who_q[1:0];
    assign gets       = {comes && who == 2'd1, comes && who == 2'd0};
    assign gets_qu    = comes && who == 2'd2;
    assign un_valid_o = gets[0] || gets[1];
    assign un_phys_o  = gets[1] ? phys1 : phys0;

    // ---- What is given
    assign all        = use_is != 2'b00 && (use_is & ~come_q) == 2'b00;
    assign gives      = all && op_ready_i;
    assign op_valid_o = all ? use_is : 2'b00;
    assign op_row_o   = row_q[2*Row-1:0];
    assign op_shift_o = merge_q[ShAt +: 2*ShBits];
    assign op_mask_o  = merge_q[MaskAt +: 2*Lanes];
    assign op_tag_o   = merge_q[2 +: TagBits];
    assign an_valid_o = qu_q && qu_come_q && !qu_void_q;
    assign an_row_o   = row_q[2*Row +: Row];
    assign taken      = an_valid_o && an_ready_i;
    assign mg_ready_o = count_q != CntBits'(Queue);
    assign qu_ready_o = !qu_q;
    assign enters     = mg_valid_i && mg_ready_o;

    // ---- Next state
    assign free_slot = comes;
    always @* begin
        at      = count_q - CntBits'(gives);
        count_d = at + CntBits'(enters);
        merge_d = gives ? merge_q >> Merge : merge_q;
        for (int i = 0; i < Queue; i = i + 1)
            if (enters && at == CntBits'(i)) begin
                merge_d[i*Merge +: Merge] = {mg_mask_i, mg_shift_i, mg_phys_i, mg_tag_i, mg_use_i};
            end
        asked_d = gives ? 2'b00 : asked_q | (wants & {2{rd_grant_i}});
        come_d  = gives ? 2'b00 : come_q | gets;
        who_d = free_slot ? who_q >> 2 : who_q;
        fly_d = fly_q - 2'(free_slot);
        if (rd_valid_o && rd_grant_i) begin
            if (fly_d == 2'd0) who_d[1:0] = wants_qu ? 2'd2 : {1'b0, wants[1]};
            if (fly_d == 2'd1) who_d[3:2] = wants_qu ? 2'd2 : {1'b0, wants[1]};
            if (fly_d == 2'd2) who_d[5:4] = wants_qu ? 2'd2 : {1'b0, wants[1]};
            fly_d = fly_d + 2'd1;
        end
    end
    logic qu_ends, qu_under_way;
    assign qu_under_way = (qu_asked_q || (wants_qu && rd_grant_i)) && !qu_come_q && !gets_qu;
    assign qu_ends      = taken || (qu_void_q && gets_qu) || (drop_i && qu_q && !qu_under_way);
    always @* begin
        qu_d       = (qu_q && !qu_ends) || (qu_valid_i && qu_ready_o && !drop_i);
        qu_asked_d = !qu_ends && (qu_asked_q || (wants_qu && rd_grant_i));
        qu_come_d  = !qu_ends && (qu_come_q || gets_qu);
        qu_void_d  = !qu_ends && (qu_void_q || (drop_i && qu_q));
        qu_phys_d  = qu_valid_i && qu_ready_o && !drop_i ? qu_phys_i : qu_phys_q;
        row_d      = row_q;
        if (gets[0]) row_d[0 +: Row] = back_row_i;
        if (gets[1]) row_d[Row +: Row] = back_row_i;
        if (gets_qu) row_d[2*Row +: Row] = back_row_i;
    end
    always_ff @(posedge clk_i) begin
        merge_q   <= merge_d;
        qu_phys_q <= qu_phys_d;
        row_q     <= row_d;
        who_q     <= who_d;
        if (!rst_ni) begin
            count_q    <= '0;
            asked_q    <= '0;
            come_q     <= '0;
            qu_q       <= 1'b0;
            qu_asked_q <= 1'b0;
            qu_come_q  <= 1'b0;
            qu_void_q  <= 1'b0;
            fly_q      <= '0;
        end else begin
            count_q    <= count_d;
            asked_q    <= asked_d;
            come_q     <= come_d;
            qu_q       <= qu_d;
            qu_asked_q <= qu_asked_d;
            qu_come_q  <= qu_come_d;
            qu_void_q  <= qu_void_d;
            fly_q      <= fly_d;
        end
    end

`ifdef RF_OBS
    logic [Merge-1:0] obs_merge;
    assign obs_merge = Merge'(merge_q >> (obs_addr_i - 32'd1) * Merge);
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 0) begin
            obs_data_o[0 +: CntBits] = count_q;
            obs_data_o[5:4] = asked_q;
            obs_data_o[7:6] = come_q;
            if (qu_q) begin
                obs_data_o[35:32] = {qu_void_q, qu_come_q, qu_asked_q, 1'b1};
                obs_data_o[36 +: PhyBits] = qu_phys_q;
            end
        end else if (obs_addr_i <= Queue) begin
            if (obs_addr_i <= 32'(count_q)) begin
                obs_data_o[1:0]          = obs_merge[1:0];
                obs_data_o[8 +: TagBits] = obs_merge[2 +: TagBits];
                for (int r = 0; r < 2; r = r + 1)
                    if (obs_merge[r]) begin
                        obs_data_o[32 + 32*r +: PhyBits] = obs_merge[2 + TagBits + r*PhyBits +: PhyBits];
                        obs_data_o[48 + 32*r +: ShBits]  = obs_merge[ShAt + r*ShBits +: ShBits];
                        obs_data_o[96 + 32*r +: Lanes]   = obs_merge[MaskAt + r*Lanes +: Lanes];
                    end
            end
        end else if (obs_addr_i <= Queue + 2) begin
            if (come_q[1'(obs_addr_i - Queue - 1)])
                obs_data_o[0 +: Row] = obs_addr_i == Queue + 1 ? row_q[0 +: Row] : row_q[Row +: Row];
        end else if (obs_addr_i == Queue + 3) begin
            if (qu_come_q) obs_data_o[0 +: Row] = row_q[2*Row +: Row];
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Queue;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Entries;
    end
`endif

`ifdef SIM
    initial begin
        if (Queue < 1 || Queue > 8) $fatal(1, "row_reader: Queue = %0d, legal is 1..8", Queue);
        if (Banks < 1 || Banks > 32) $fatal(1, "row_reader: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024) $fatal(1, "row_reader: Entries = %0d, legal is 2..1024", Entries);
    end
`endif

`ifdef FORMAL
    // Contract: rows come in the order of the grants; what is given to merge_unit are the rows that came for its
    // registers.
    (* anyconst *) logic [PhyBits-1:0] f_phys;      // any register, whose row is always f_row
    (* anyconst *) logic [Row-1:0]     f_row;
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) f_past <= 1'b1;
    // the file: registers asked for come back in order; the row of f_phys is f_row
    logic [3*PhyBits-1:0] f_fly_q, f_fly_d;
    always @* begin
        f_fly_d = comes ? f_fly_q >> PhyBits : f_fly_q;
        if (rd_valid_o && rd_grant_i) begin
            if (fly_q - 2'(comes) == 2'd0) f_fly_d[0 +: PhyBits] = rd_phys_o;
            if (fly_q - 2'(comes) == 2'd1) f_fly_d[PhyBits +: PhyBits] = rd_phys_o;
            if (fly_q - 2'(comes) == 2'd2) f_fly_d[2*PhyBits +: PhyBits] = rd_phys_o;
        end
        if (!f_past) assume (!rst_ni);
        assume (!mg_valid_i || mg_use_i[0]);
        assume (!back_valid_i || fly_q != 2'd0);
        if (back_valid_i && f_fly_q[0 +: PhyBits] == f_phys) assume (back_row_i == f_row);
    end
    always_ff @(posedge clk_i) f_fly_q <= f_fly_d;
    integer f_mine;
    always @* if (f_past) begin
        assert (32'(count_q) <= Queue && fly_q <= 2'd3);
        for (int i = 0; i < Queue; i = i + 1) if (CntBits'(i) < count_q) assert (merge_q[i*Merge]);
        assert ((come_q & ~asked_q) == 2'b00 && (asked_q & ~use_is) == 2'b00);
        if (!qu_q) assert (!qu_asked_q && !qu_come_q && !qu_void_q);
        if (qu_come_q) assert (qu_asked_q && !qu_void_q);
        if (qu_void_q) assert (qu_asked_q);
        // each read under way is one that was asked for and has not come, and none is there twice
        assert (32'(fly_q) == 32'(asked_q[0] && !come_q[0]) + 32'(asked_q[1] && !come_q[1]) + 32'(qu_asked_q && !qu_come_q));
        for (int i = 0; i < 3; i = i + 1)
            if (2'(i) < fly_q) begin
                assert (who_q[2*i +: 2] != 2'd3);
                if (who_q[2*i +: 2] == 2'd0) assert (asked_q[0] && !come_q[0] && f_fly_q[i*PhyBits +: PhyBits] == phys0);
                if (who_q[2*i +: 2] == 2'd1) assert (asked_q[1] && !come_q[1] && f_fly_q[i*PhyBits +: PhyBits] == phys1);
                if (who_q[2*i +: 2] == 2'd2) assert (qu_asked_q && !qu_come_q && f_fly_q[i*PhyBits +: PhyBits] == qu_phys_q);
                for (int j = 0; j < i; j = j + 1) assert (who_q[2*i +: 2] != who_q[2*j +: 2]);
            end
        if (come_q[0] && phys0 == f_phys) assert (row_q[0 +: Row] == f_row);
        if (come_q[1] && phys1 == f_phys) assert (row_q[Row +: Row] == f_row);
        if (qu_come_q && qu_phys_q == f_phys) assert (row_q[2*Row +: Row] == f_row);
        // what is given, and what is unpinned
        if (op_valid_o[0] && phys0 == f_phys) assert (op_row_o[0 +: Row] == f_row);
        if (op_valid_o[1] && phys1 == f_phys) assert (op_row_o[Row +: Row] == f_row);
        if (an_valid_o && qu_phys_q == f_phys) assert (an_row_o == f_row);
        if (un_valid_o) assert (back_valid_i && un_phys_o == f_fly_q[0 +: PhyBits]);
        // a merge goes first
        if (rd_valid_o && use_is != 2'b00 && (use_is & ~asked_q) != 2'b00) assert (!wants_qu);
        cover (op_valid_o == 2'b11 && phys0 != phys1 && an_valid_o);
        cover (qu_void_q && op_valid_o == 2'b01);
    end
`endif
endmodule
