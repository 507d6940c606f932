// SPDX-License-Identifier: Apache-2.0
// Observation port of boc_rows.
`ifdef RF_OBS
    assign obs_data_o = obs_en_i ? row_q[obs_row_i] : '0;
`endif
