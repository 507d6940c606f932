// SPDX-License-Identifier: Apache-2.0
// Purpose:    contexts and registers of scalar threads: a bit per context and per part of each
//             unit's file. It also stores the unit and part of each context. Contract:
//             models/scalar/scalar_alloc.h.
// Parameters: Words, 8..4096, even; Units, 1..8; Threads, 2..64: contexts.
// Timing:     ready_o depends on state alone; start_grant_o, start_ctx_o and start_base_o answer a
//             start in the same cycle; state changes at the clock edge. Cost: the lowest free
//             context, and beside it the lowest free part of each unit, of which start_unit_i picks
//             the number. 1.08 ns at 45 nm (SM clock: 1.43 ns). With six units (kepler) 1.13 ns
//             from register to register, 1.09 ns to the outputs, 0.91 ns from an input.
// Reset:      no part exists.
// Left out:   several kernels at once.
// Shapes:     - ; Words=8,Threads=2 ; Words=50,Units=3,Threads=11 ; Words=170,Units=6,Threads=32
// Proof:      3:8:Words=12,Units=2,Threads=3
// Proof:      3:8:Words=8,Units=1,Threads=4

`include "macros.svh"

module scalar_alloc #(
    parameter int Words   = 1024,
    parameter int Units   = 1,
    parameter int Threads = 32,
    localparam int WordBits  = $clog2(Words + 1),
    localparam int CountBits = $clog2(Threads + 1),
    localparam int UnitBits  = Units > 1 ? $clog2(Units) : 1,
    localparam int CtxBits   = $clog2(Threads)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // a kernel is placed
    input  logic                 cfg_valid_i,
    input  logic [WordBits-1:0]  cfg_words_i,
    input  logic [CountBits-1:0] cfg_parts_i,
    // requests
    input  logic                 start_valid_i,
    input  logic [UnitBits-1:0]  start_unit_i,
    input  logic [Threads-1:0]   end_mask_i,
    // observation: words, parts, contexts, then parameters
    `OBS_PORT(input  logic [31:0]          obs_addr_i)
    `OBS_PORT(output logic [31:0]          obs_data_o)
    output logic [Units-1:0]     ready_o,
    output logic                 start_grant_o,
    output logic [CtxBits-1:0]   start_ctx_o,
    output logic [WordBits-1:0]  start_base_o
);

    logic [WordBits-1:0]         words_q, words;  // words: at the next edge
    logic [CountBits-1:0]        parts_q;
    logic [Threads-1:0]          used_q;          // contexts
    logic [Units*Threads-1:0]    busy_q;          // parts of each unit: in use, or the file does not have them
    logic [Threads*CtxBits-1:0]  part_q;          // of each context
    logic [Threads*UnitBits-1:0] unit_q;

    logic [CountBits-1:0] parts_d;
    logic [WordBits-1:0]  words_d;

    // ---- The first word of each part: a multiple of words_q, worked out with it
    logic [Threads*WordBits-1:0] place_q, place_d;
    for (genvar p = 0; p < Threads; p = p + 1) begin : g_place
        assign place_d[p*WordBits +: WordBits] = WordBits'(p) * words;
    end

    // ---- Offer: the lowest free part of each unit, and the lowest free context
    logic [Units-1:0]         room;     // the unit has a free part
    logic [Units*CtxBits-1:0] part_of;
    logic                     idle;     // a context is free
    for (genvar u = 0; u < Units; u = u + 1) begin : g_unit
        lowest_index #(.Width(Threads)) u_part (
            .set_i   (~busy_q[u*Threads +: Threads]),
            .any_o   (room[u]),
            .index_o (part_of[u*CtxBits +: CtxBits])
        );
        assign ready_o[u] = room[u] && idle;
    end
    lowest_index #(.Width(Threads)) u_ctx (
        .set_i   (~used_q),
        .any_o   (idle),
        .index_o (start_ctx_o)
    );

    // ---- Start
    logic [Threads-1:0] ctx, part;
    logic [CtxBits-1:0] part_index;
    logic               placed;  // there is a part, and so a grant if there is a context
    assign part_index    = part_of[32'(start_unit_i)*CtxBits +: CtxBits];
    assign ctx           = Threads'(idle) << start_ctx_o;
    assign part          = Threads'(1) << part_index;
    assign placed        = start_valid_i && !cfg_valid_i && room[start_unit_i];
    assign start_grant_o = placed && idle;
    always @* begin
        start_base_o = '0;
        for (int p = 0; p < Threads; p = p + 1)
            if (part[p]) start_base_o = start_base_o | place_q[p*WordBits +: WordBits];
    end

    // ---- Next state
    logic [Threads-1:0]          used_d, absent;  // absent: parts that no file has
    logic [Units*Threads-1:0]    busy_d, back;    // back: parts of contexts that end
    logic [Threads*CtxBits-1:0]  part_d;
    logic [Threads*UnitBits-1:0] unit_d;
    logic [Threads*Threads-1:0]  freed;           // of each context, on its unit
    for (genvar c = 0; c < Threads; c = c + 1) begin : g_freed
        logic ends;
        assign ends = end_mask_i[c] && used_q[c];
        assign freed[c*Threads +: Threads] = Threads'(ends) << part_q[c*CtxBits +: CtxBits];
        assign absent[c] = CountBits'(c) >= cfg_parts_i;
    end
    always @* begin
        back = '0;
        for (int u = 0; u < Units; u = u + 1)
            for (int c = 0; c < Threads; c = c + 1)
                if (32'(unit_q[c*UnitBits +: UnitBits]) == u)
                    back[u*Threads +: Threads] = back[u*Threads +: Threads] | freed[c*Threads +: Threads];
    end
    always @* begin
        words_d = words_q;
        parts_d = parts_q;
        used_d  = used_q & ~end_mask_i;
        busy_d  = busy_q & ~back;
        part_d  = part_q;
        unit_d  = unit_q;
        for (int c = 0; c < Threads; c = c + 1) begin
            if (end_mask_i[c]) begin
                part_d[c*CtxBits +: CtxBits]   = '0;
                unit_d[c*UnitBits +: UnitBits] = '0;
            end
            if (placed && ctx[c]) begin
                used_d[c] = 1'b1;
                part_d[c*CtxBits +: CtxBits]   = part_index;
                unit_d[c*UnitBits +: UnitBits] = start_unit_i;
            end
        end
        for (int u = 0; u < Units; u = u + 1)
            if (start_grant_o && (32'(start_unit_i) == u))
                busy_d[u*Threads +: Threads] = busy_d[u*Threads +: Threads] | part;
        if (cfg_valid_i) begin
            words_d = cfg_words_i;
            parts_d = cfg_parts_i;
            used_d  = '0;
            busy_d  = {Units{absent}};
            part_d  = '0;
            unit_d  = '0;
        end
    end

    assign words = words_d;
    always_ff @(posedge clk_i)
        if (!rst_ni) begin
            words_q <= '0;
            place_q <= '0;
            parts_q <= '0;
            used_q  <= '0;
            busy_q  <= '1;
            part_q  <= '0;
            unit_q  <= '0;
        end else begin
            words_q <= words;
            place_q <= place_d;
            parts_q <= parts_d;
            used_q  <= used_d;
            busy_q  <= busy_d;
            part_q  <= part_d;
            unit_q  <= unit_d;
        end

    `CHECK_RANGE(scalar_alloc, Words, 8, 4096)
    `CHECK(Words % 2 == 0, $sformatf("scalar_alloc: Words = %0d is odd", Words))
    `CHECK_RANGE(scalar_alloc, Units, 1, 8)
    `CHECK_RANGE(scalar_alloc, Threads, 2, 64)
    `include "scalar/scalar_alloc.obs.svh"
endmodule
