// SPDX-License-Identifier: Apache-2.0
// Observation ports of alloc_scan: flags of the first 32 words, position of the sweep, side and
// slices of the wish.
`ifdef RF_OBS
    assign obs_full_o = 32'(full_q);
    assign obs_some_o = 32'(some_q);
    assign obs_ptr_o  = ptr_q;
    assign obs_wish_o = {wish_side_q, wish_n_q};
`endif
