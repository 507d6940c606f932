// SPDX-License-Identifier: Apache-2.0
// What rf_subbank shows through its observation port.
`ifdef RF_OBS
    assign obs_data_o = obs_en_i ? mem_q[obs_addr_i] : '0;
`endif
