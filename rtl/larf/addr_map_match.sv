// SPDX-License-Identifier: Apache-2.0
// Purpose:    releases and arrivals of addr_map_table: which entries have the register. Part of addr_map_table.
// Parameters: Slots, 3..1536: entries; PhyBits, 2..15: of a register; NumWr, 1..4: arrivals per cycle.
// Timing:     compared in the cycle after the request, with the register numbers of that cycle;
//             *_done_o two cycles later.
// Reset:      none in flight (register numbers are not reset).
// Left out:   changes of these entries.
// Shapes:     - ; Slots=6,PhyBits=2,NumWr=1
// Proof:      1:5:Slots=3,PhyBits=2,NumWr=1
// Proof:      1:5:Slots=4,PhyBits=2,NumWr=2

module addr_map_match #(
    parameter int Slots   = 384,
    parameter int PhyBits = 10,
    parameter int NumWr   = 2
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     rel_valid_i,
    input  logic [PhyBits-1:0]       rel_phys_i,
    input  logic [NumWr-1:0]         arr_valid_i,
    input  logic [NumWr*PhyBits-1:0] arr_phys_i,
    // plane b: bit b of the register of each slot, but of the new one
    input  logic [PhyBits*Slots-1:0] id_i,
    input  logic [Slots-1:0]         new_slot_i,
    input  logic [PhyBits-1:0]       new_phys_i,
    output logic [Slots-1:0]         rel_match_o,
    output logic [Slots-1:0]         arr_match_o,
    output logic                     rel_done_o,
    output logic [PhyBits-1:0]       rel_done_phys_o,
    output logic [NumWr-1:0]         arr_done_o,
    output logic [NumWr*PhyBits-1:0] arr_done_phys_o
);

    logic                     rel1_q, rel2_q;
    logic [NumWr-1:0]         arr1_q, arr2_q;
    logic [PhyBits-1:0]       rel1_phys_q, rel2_phys_q;
    logic [NumWr*PhyBits-1:0] arr1_phys_q, arr2_phys_q;
    logic [Slots-1:0]         one_match;
    always @* begin
        rel_match_o = {Slots{rel1_q}};
        for (int p = 0; p < PhyBits; p = p + 1)
            rel_match_o = rel_match_o & ~(id_i[p*Slots +: Slots] ^ {Slots{rel1_phys_q[p]}});
        rel_match_o = (rel_match_o & ~new_slot_i) | (new_slot_i & {Slots{rel1_q && rel1_phys_q == new_phys_i}});
        arr_match_o = '0;
        for (int w = 0; w < NumWr; w = w + 1) begin
            one_match = {Slots{arr1_q[w]}};
            for (int p = 0; p < PhyBits; p = p + 1)
                one_match = one_match & ~(id_i[p*Slots +: Slots] ^ {Slots{arr1_phys_q[w*PhyBits + p]}});
            one_match = (one_match & ~new_slot_i) |
                        (new_slot_i & {Slots{arr1_q[w] && arr1_phys_q[w*PhyBits +: PhyBits] == new_phys_i}});
            arr_match_o = arr_match_o | one_match;
        end
    end
    always_ff @(posedge clk_i) begin
        rel1_phys_q     <= rel_phys_i;
        rel2_phys_q     <= rel1_phys_q;
        rel_done_phys_o <= rel2_phys_q;
        arr1_phys_q     <= arr_phys_i;
        arr2_phys_q     <= arr1_phys_q;
        arr_done_phys_o <= arr2_phys_q;
        if (!rst_ni) begin
            rel1_q     <= 1'b0;
            rel2_q     <= 1'b0;
            rel_done_o <= 1'b0;
            arr1_q     <= '0;
            arr2_q     <= '0;
            arr_done_o <= '0;
        end else begin
            rel1_q     <= rel_valid_i;
            rel2_q     <= rel1_q;
            rel_done_o <= rel2_q;
            arr1_q     <= arr_valid_i;
            arr2_q     <= arr1_q;
            arr_done_o <= arr2_q;
        end
    end
endmodule
