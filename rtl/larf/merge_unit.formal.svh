// SPDX-License-Identifier: Apache-2.0
// The contract of merge_unit, proved by ci/formal, which includes it at the end of the module.
    // Contract: each lane of a result is the OR of the two input rows at the lane shifted to it.
    // The proof follows any one merge from its entry to its exit.
    (* anyconst *) logic [$clog2(Lanes)-1:0] f_lane;
    (* anyconst *) logic [1:0]               f_slice;
    logic            f_past, f_here, f_watch, f_some, f_some_q;
    logic [Byte-1:0] f_byte, f_byte_q, f_out;
    logic [2:0]      f_ahead;     // results that leave before the one followed
    integer          f_from;
    initial f_past = 1'b0;
    always_comb begin
        assume (32'(f_slice) < Slices);
        f_some = 1'b0;
        f_byte = '0;
        for (int r = 0; r < 2; r = r + 1) begin
            f_from = 32'(f_lane) + 32'($signed(op_shift_i[r*ShBits +: ShBits]));
            if (op_valid_i[r] && op_mask_i[r*Lanes + 32'(f_lane)] && f_from >= 0 && f_from < Lanes) begin
                f_some = 1'b1;
                f_byte = f_byte | op_row_i[r*Row + 32'(f_slice)*Slice + f_from*Byte +: Byte];
            end
        end
        f_out = res_row_o[32'(f_slice)*Slice + 32'(f_lane)*Byte +: Byte];
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni) f_here <= 1'b0;
        else if (f_here) begin
            if (res_valid_o && res_ready_i) begin
                f_ahead <= f_ahead - 1'b1;
                if (f_ahead == 0) f_here <= 1'b0;
            end
        end else if (f_watch && op_valid_i != '0 && op_ready_o) begin
            f_here   <= 1'b1;
            f_ahead  <= 3'(cnt_q) - 3'(res_valid_o && res_ready_i);
            f_some_q <= f_some;
            f_byte_q <= f_byte;
        end
    end
    (* anyseq *) logic f_choose;
    assign f_watch = f_choose;
    logic [PtrBits-1:0] f_place;  // place of the one followed
    assign f_place = PtrBits'((32'(head_q) + 32'(f_ahead)) % Slots);
    always_comb if (f_past) begin
        assert (32'(cnt_q) <= Slots && 32'(head_q) < Slots);
        assert (op_ready_o == (32'(cnt_q) < Slots || res_ready_i));
        assert (res_valid_o == (cnt_q != '0));
        if (f_here) begin
            assert (32'(f_ahead) < 32'(cnt_q));
            assert (lane_q[32'(f_place)*Lanes + 32'(f_lane)] == f_some_q);
            if (f_ahead == 0) assert (res_lane_o[f_lane] == f_some_q && f_out == f_byte_q);
            else assert (row_q[32'(f_place)*Row + 32'(f_slice)*Slice + 32'(f_lane)*Byte +: Byte] == f_byte_q);
        end
        cover (f_here && f_ahead == 0 && f_some_q && f_byte_q != '0 && f_lane == 1);
        cover (f_here && f_ahead == Slots - 1 && cnt_q == Slots && op_valid_i == 2'b11 && op_ready_o);
        cover (op_valid_i == 2'b11 && op_ready_o && lane[0 +: Lanes] != '0 && lane[Lanes +: Lanes] != '0 &&
               op_shift_i[0 +: ShBits] == 3 && (lane[0 +: Lanes] & lane[Lanes +: Lanes]) == '0 &&
               (lane[0 +: Lanes] | lane[Lanes +: Lanes]) == '1);
    end
