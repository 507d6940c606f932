// SPDX-License-Identifier: Apache-2.0
// Observation port of alloc_open: where the search for the next row to close begins.
`ifdef RF_OBS
    assign obs_victim_o = victim_q;
`endif
