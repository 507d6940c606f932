// SPDX-License-Identifier: Apache-2.0
// What alloc_open shows beside its outputs: where the next row is looked for that closes.
`ifdef RF_OBS
    assign obs_victim_o = victim_q;
`endif
