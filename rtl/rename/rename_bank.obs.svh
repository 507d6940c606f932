// SPDX-License-Identifier: Apache-2.0
// Observation port of rename_bank.
`ifdef RF_OBS
    assign obs_live_o = late_q && a_row_q == obs_row_i ? late_up_q : live_q[obs_row_i];
    assign obs_map_o  = mem_q[obs_row_i];
`endif
