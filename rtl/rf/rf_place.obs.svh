// SPDX-License-Identifier: Apache-2.0
// The form of a place in an observed word of this folder's modules; 0 where it has no slices.
    function automatic [31:0] obs_place(input [PlaceBits-1:0] at);
        obs_place = at[PlaceBits-1 -: 4] != '0
            ? {1'b1, 3'b0, at[PlaceBits-1 -: 4], 8'(at[EntryBits +: BankBits]), 16'(at[EntryBits-1:0])} : '0;
    endfunction
