// SPDX-License-Identifier: Apache-2.0
// Observation port of unpacker.
`ifdef RF_OBS
    assign obs_data_o = obs_addr_i == 32'hffff_0000 ? NumRows : '0;
`endif
