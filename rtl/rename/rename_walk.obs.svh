// SPDX-License-Identifier: Apache-2.0
// What rename_walk shows through its observation port.
`ifdef RF_OBS
    assign obs_bits_o = walk_bits_q;
    assign obs_warp_o = walk_warp_q;
`endif
