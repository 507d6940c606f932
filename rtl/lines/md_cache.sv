// SPDX-License-Identifier: Apache-2.0
// Purpose:    metadata cache of a memory controller: the number of bursts of each line in DRAM.
//             Contract: models/lines/md_cache.h. Tags, ages and marks are flip-flops, so that a hit
//             is detected in the cycle of the look-up. Bytes are a memory of one port with an
//             enable per field, which reads the old bytes while it writes. Each look-up or fill
//             takes one access.
// Parameters: Bytes, 32..65536, and Ways, 1..8: Bytes / (32 * Ways) is a power of two.
// Timing:     an answer is valid one cycle after its look-up; outputs depend on state alone. 1.67
//             ns at 45 nm (SM clock: 1.43 ns), from a look-up's line to the address of the bytes.
//             The path leads through the tags of its set, which are selected by AND and OR, and the
//             way that is used. Ages are compared beside the tags.
// Reset:      no lines, no answer (bytes are not reset).
// Left out:   requests to DRAM.
// Shapes:     - ; Bytes=128,Ways=2 ; Bytes=96,Ways=3
// Proof:      2:7:Bytes=64,Ways=1
// Proof:      2:7:Bytes=64,Ways=2

`include "macros.svh"

module md_cache #(
    parameter int Bytes = 8192,
    parameter int Ways  = 4
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    // look-ups
    input  logic         req_valid_i,
    input  logic [17:0]  req_line_i,
    input  logic [6:0]   req_field_i,
    input  logic         req_write_i,
    input  logic [1:0]   req_value_i,
    // fills
    input  logic         fill_valid_i,
    input  logic [17:0]  fill_line_i,
    input  logic [255:0] fill_data_i,
    // observation: lines, their bytes, parameters
    `OBS_PORT(input  logic [31:0]  obs_addr_i)
    `OBS_PORT(output logic [255:0] obs_data_o)
    // answers
    output logic         ans_valid_o,
    output logic         ans_hit_o,
    output logic [1:0]   ans_value_o,
    output logic         vic_valid_o,
    output logic [17:0]  vic_line_o,
    output logic [255:0] vic_data_o
);

    localparam int Sets    = Bytes / (32 * Ways);
    localparam int SetBits = Sets > 1 ? $clog2(Sets) : 1;
    localparam int WayBits = Ways > 1 ? $clog2(Ways) : 1;
    localparam int Lines   = Sets * Ways;
    localparam int Index   = Lines > 1 ? $clog2(Lines) : 1;

    logic [Lines-1:0]         valid_q, dirty_q;
    logic [Lines*WayBits-1:0] age_q;
    logic [Lines*18-1:0]      line_q;
    logic [255:0]             bytes_q [0:Lines-1];

    // ---- The set, and what is in it: tags are looked up for requests alone
    logic [SetBits-1:0] set, req_set, fill_set;
    logic [Ways-1:0]    valid, dirty, same, oldest, empty, way;
    logic [Ways*WayBits-1:0] age;
    logic [Ways*18-1:0] tags;
    logic               hit, full;
    assign req_set  = Sets > 1 ? req_line_i[SetBits-1:0] : '0;
    assign fill_set = Sets > 1 ? fill_line_i[SetBits-1:0] : '0;
    assign set      = fill_valid_i ? fill_set : req_set;
    logic [Sets-1:0]    req_of, fill_of, of;  // one-hot: the set
    assign req_of  = Sets'(1) << req_set;
    assign fill_of = Sets'(1) << fill_set;
    assign of      = fill_valid_i ? fill_of : req_of;
    always @* begin
        valid = '0; dirty = '0; age = '0; tags = '0;
        for (int s = 0; s < Sets; s = s + 1) begin
            if (of[s]) begin
                valid = valid | valid_q[s*Ways +: Ways];
                age   = age | age_q[s*Ways*WayBits +: Ways*WayBits];
            end
            if (req_of[s]) begin
                dirty = dirty | dirty_q[s*Ways +: Ways];
                tags  = tags | line_q[s*Ways*18 +: Ways*18];
            end
        end
    end
    for (genvar w = 0; w < Ways; w = w + 1) begin : g_way
        assign same[w]   = valid[w] && tags[18*w +: 17] == req_line_i[16:0] &&
                           (tags[18*w + 17] == req_line_i[17]);
        assign oldest[w] = age[w*WayBits +: WayBits] == WayBits'(Ways - 1);
    end
    assign hit   = same != '0;
    assign full  = &valid;
    assign empty = ~valid & (valid + Ways'(1));        // the first that is not valid
    assign way   = fill_valid_i ? empty : hit ? same : oldest;

    // ---- What changes
    logic               uses, writes, evicts;
    logic [Ways-1:0]    ages;     // of a way: it was used after the one that is used now
    logic [WayBits-1:0] number;   // of the way that is used
    assign uses   = fill_valid_i || (req_valid_i && hit);
    assign writes = req_valid_i && hit && req_write_i;
    assign evicts = req_valid_i && !hit && full;
    always @* begin
        number = '0;
        ages   = '0;
        for (int w = 0; w < Ways; w = w + 1) begin
            if (way[w]) number = number | WayBits'(w);
            for (int v = 0; v < Ways; v = v + 1)
                ages[w] = ages[w] | (way[v] & (age[w*WayBits +: WayBits] < age[v*WayBits +: WayBits]));
        end
    end
    for (genvar s = 0; s < Sets; s = s + 1) begin : g_set
        logic mine;
        assign mine = of[s];
        for (genvar w = 0; w < Ways; w = w + 1) begin : g_line
            localparam int At = s*Ways + w;
            logic               valid_d, dirty_d;
            logic [WayBits-1:0] age_d;
            logic [17:0]        line_d;
            always @* begin
                valid_d = valid_q[At];
                dirty_d = dirty_q[At];
                age_d   = age_q[At*WayBits +: WayBits];
                line_d  = line_q[At*18 +: 18];
                if (mine) begin
                    if (fill_valid_i && way[w]) begin
                        valid_d = 1'b1;
                        line_d  = fill_line_i;
                        dirty_d = 1'b0;
                    end
                    if (evicts && way[w]) valid_d = 1'b0;
                    if (writes && way[w]) dirty_d = 1'b1;
                    if (uses)
                        age_d = way[w] ? '0
                            : age[w*WayBits +: WayBits] + WayBits'(ages[w]);
                end
            end
            always_ff @(posedge clk_i) begin
                line_q[At*18 +: 18] <= line_d;
                if (!rst_ni) begin
                    valid_q[At] <= 1'b0;
                    dirty_q[At] <= 1'b0;
                    age_q[At*WayBits +: WayBits] <= WayBits'(w);
                end else begin
                    valid_q[At] <= valid_d;
                    dirty_q[At] <= dirty_d;
                    age_q[At*WayBits +: WayBits] <= age_d;
                end
            end
        end
    end

    // ---- Bytes, and the answer
    logic [Index-1:0] at;
    logic [255:0]     read_q;
    logic [7:0]       field;   // its first bit
    logic [7:0]       bit_q;
    logic             ans_q, hit_q, vic_q;
    logic [17:0]      vic_line_q, vic_line;
    assign at     = Index'(32'(set) * Ways + 32'(number));
    assign field  = {req_field_i, 1'b0};
    always @* begin
        vic_line = '0;
        for (int w = 0; w < Ways; w = w + 1)
            if (way[w]) vic_line = vic_line | tags[18*w +: 18];
    end
    always_ff @(posedge clk_i) begin
        ans_q <= rst_ni && req_valid_i;
        hit_q <= rst_ni && req_valid_i && hit;
        vic_q <= rst_ni && evicts && (way & dirty) != '0;
        bit_q <= {req_field_i, 1'b0};
        vic_line_q <= vic_line;
        read_q <= bytes_q[at];
        if (fill_valid_i) bytes_q[at] <= fill_data_i;
        else if (writes) bytes_q[at][field +: 2] <= req_value_i;
    end
    assign ans_valid_o = ans_q;
    assign ans_hit_o   = hit_q;
    assign ans_value_o = hit_q ? read_q[bit_q +: 2] : 2'd0;
    assign vic_valid_o = vic_q;
    assign vic_line_o  = vic_q ? vic_line_q : 18'd0;
    assign vic_data_o  = vic_q ? read_q : 256'd0;

    `CHECK(Ways >= 1 && Ways <= 8 && Sets >= 1 && Sets * Ways * 32 == Bytes && (Sets & (Sets - 1)) == 0,
        $sformatf("md_cache: Bytes is %0d and Ways %0d, expected a power of two of sets", Bytes, Ways))
    `include "lines/md_cache.obs.svh"
endmodule
