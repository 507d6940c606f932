// SPDX-License-Identifier: Apache-2.0
// The contract of width_detect, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any port and lane: the value is the sign extension of its wd_size_o low bytes.
    // No fewer bytes suffice, because of some lane or of wd_old_i. Output wd_wide_o is that of the
    // paper's circuit.
    (* anyconst *) logic [1:0]  f_p;
    logic [Row-1:0]             f_row;
    logic [Lanes-1:0]           f_lane;
    logic [2:0]                 f_wide, f_size, f_old, f_need, f_or, f_nand;
    logic [31:0]                f_value;
    logic                       f_valid;
    logic [2:0]                 f_worst;   // bytes of the widest written lane
    always_comb begin
        assume (f_p < NumPorts);
        f_row   = Row'(wd_data_i >> f_p * Row);
        f_lane  = Lanes'(wd_lane_i >> f_p * Lanes);
        f_old   = 3'(wd_old_i >> f_p * 3);
        f_wide  = 3'(wd_wide_o >> f_p * 3);
        f_size  = 3'(wd_size_o >> f_p * 3);
        f_valid = wd_valid_i[f_p];
        f_need  = '0;
        f_worst = 3'd1;
        assume (f_old <= 4);
        for (int l = 0; l < Lanes; l = l + 1) begin
            f_value = {f_row[3*Slice + l*8 +: 8], f_row[2*Slice + l*8 +: 8],
                       f_row[Slice + l*8 +: 8], f_row[l*8 +: 8]};
            f_or    = {|f_value[30:23], |f_value[22:15], |f_value[14:7]};
            f_nand  = {~&f_value[30:23], ~&f_value[22:15], ~&f_value[14:7]};
            if (f_lane[l]) begin
                f_need = f_need | (f_value[31] ? f_nand : f_or);
                // sign extension, arithmetically
                if (f_valid && f_size <= 3) assert ($signed(f_value << 8) >>> 8 == $signed(f_value));
                if (f_valid && f_size <= 2) assert ($signed(f_value << 16) >>> 16 == $signed(f_value));
                if (f_valid && f_size <= 1) assert ($signed(f_value << 24) >>> 24 == $signed(f_value));
                if (f_worst < 2 && $signed(f_value << 24) >>> 24 != $signed(f_value)) f_worst = 3'd2;
                if (f_worst < 3 && $signed(f_value << 16) >>> 16 != $signed(f_value)) f_worst = 3'd3;
                if (f_worst < 4 && $signed(f_value << 8) >>> 8 != $signed(f_value)) f_worst = 3'd4;
            end
        end
        if (f_valid) begin
            assert (f_wide == f_need);
            assert (f_size >= 1 && f_size <= 4);
            if (f_lane == '1) assert (f_size == f_worst);
            else              assert (f_size == (f_old > f_worst ? f_old : f_worst));
        end else assert (f_wide == '0 && f_size == '0);
        cover (f_valid && f_size == 1 && f_row[3*Slice + 7] && f_lane == '1);
        cover (f_valid && f_size == 3 && f_lane == '1 && f_wide == 3'b010);
        cover (f_valid && f_size == 4 && f_worst == 1);
    end
