// SPDX-License-Identifier: Apache-2.0
// Observation ports of rename_walk.
`ifdef RF_OBS
    assign obs_bits_o = walk_bits_q;
    assign obs_warp_o = walk_warp_q;
`endif
