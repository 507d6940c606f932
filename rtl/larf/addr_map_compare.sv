// SPDX-License-Identifier: Apache-2.0
// Purpose:    compares one entry of addr_map_table with the look-up or the step of a store in stage
//             3. It says which lanes the entry gives, whether the entry is all of the load, and
//             whether the store kills it.
// Parameters: LaneBits, 1..5: log2 of the lanes; AddrBits, 6..32; CodeBits, 2..8: bits of an address and of stride / 4.
// Timing:     combinational.
// Reset:      -
// Left out:   the choice among entries (addr_map_choose).
// Shapes:     - ; LaneBits=1,AddrBits=6,CodeBits=2
// Proof:      1:1:LaneBits=1,AddrBits=6,CodeBits=2
// Proof:      1:1:LaneBits=2,AddrBits=8,CodeBits=3

module addr_map_compare #(
    parameter int LaneBits = 5,
    parameter int AddrBits = 32,
    parameter int CodeBits = 8,
    localparam int Lanes   = 1 << LaneBits,
    localparam int Classes = CodeBits + 1
) (
    // the entry
    input  logic                valid_i,
    input  logic                data_i,
    input  logic [AddrBits-1:0] base_i,
    input  logic [CodeBits-1:0] code_i,
    input  logic [Lanes-1:0]    mask_i,
    // of its base in the window
    input  logic [LaneBits-1:0] place_i,
    // the look-up; its base in the entry's window, but for the place
    input  logic                look_i,
    input  logic [CodeBits-1:0] look_code_i,
    input  logic [Lanes-1:0]    look_mask_i,
    input  logic [AddrBits-1:0] look_want_i,
    input  logic [AddrBits-1:0] look_place_mask_i,
    input  logic [LaneBits-1:0] look_place_i,
    input  logic                look_pow2_i,
    // the entry is in the middle window; in the one above
    input  logic                mid_i,
    input  logic                above_i,
    // the step of a store
    input  logic                kill_i,
    input  logic [Classes-1:0]  kill_class_i,
    input  logic [AddrBits-1:0] kill_low_i,
    input  logic [AddrBits-1:0] kill_high_i,
    // it is all of the load, with its data; without
    output logic                exact_o,
    output logic                wait_o,
    // requested lanes that it does not give
    output logic [Lanes-1:0]    gaps_o,
    // lane of the entry - lane of the load
    output logic [LaneBits:0]   shift_o,
    output logic                die_o
);

    localparam int LineBits = LaneBits + 2;
    localparam int SpanBits = CodeBits + LaneBits + 2;

    // a look-up: the distance is that of the places in the window, and the windows
    logic                alive, alike, whole, reach, usable;
    logic [LaneBits:0]   away;                      // requested place - place of the entry
    logic [LaneBits-1:0] turn;
    logic [Lanes-1:0]    turned, inner;
    assign alive   = valid_i && look_i;
    assign alike   = code_i == look_code_i && ((base_i ^ look_want_i) & ~look_place_mask_i) == '0;
    assign away    = look_pow2_i ? {1'b0, look_place_i} - {1'b0, place_i} : '0;
    assign reach   = mid_i || (above_i ? !away[LaneBits] && away != '0 : away[LaneBits]);
    assign whole   = alike && mid_i && away == '0 && (look_mask_i & ~mask_i) == '0;
    assign turn    = away[LaneBits-1:0];
    assign turned  = Lanes'({mask_i, mask_i} >> turn);
    assign inner   = shift_o[LaneBits] ? ~({Lanes{1'b1}} >> turn) : {Lanes{1'b1}} >> turn;
    assign shift_o = {away[LaneBits] ^ !mid_i, turn};
    assign gaps_o  = look_mask_i & ~(turned & inner & {Lanes{usable}});
    assign usable  = alive && alike && reach && look_pow2_i && data_i;
    assign exact_o = alive && whole && data_i;
    assign wait_o  = alive && whole && !data_i;

    // a step of a store: does the entry's span meet its bytes?
    logic [Classes-1:0]  class_is;
    logic [SpanBits-1:0] span;
    logic [AddrBits:0]   into;
    addr_map_class #(.CodeBits(CodeBits)) u_class (
        .code_i, .class_o(class_is)
    );
    assign span  = ((SpanBits'(code_i) << LineBits) - (SpanBits'(code_i) << 2)) | SpanBits'(3);
    assign into  = {1'b0, kill_low_i} - {1'b0, base_i};
    assign die_o = kill_i && valid_i && class_is == kill_class_i && base_i <= kill_high_i &&
                   (into[AddrBits] || into[AddrBits-1:0] <= AddrBits'(span));
endmodule
