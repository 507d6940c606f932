// SPDX-License-Identifier: Apache-2.0
// The contract of addr_map_place, proved by ci/formal, which includes it at the end of the module.
    // Contract: of a class that is one power of two of bytes per lane, the lane's number in a window of all lanes.
    (* anyconst *) logic [2:0] f_class;
    always_comb begin
        assume (32'(f_class) < Classes && class_i == Classes'(1) << f_class);
        if (f_class == '0) assert (place_o == '0);
        else assert (place_o == LaneBits'((base_i >> (32'(f_class) + 1)) % (1 << LaneBits)));
        cover (f_class == 3'd2 && place_o == '1);
    end
