// SPDX-License-Identifier: Apache-2.0
// Observation port of rf_subbank.
`ifdef RF_OBS
    assign obs_data_o = obs_en_i ? mem_q[obs_addr_i] : '0;
`endif
