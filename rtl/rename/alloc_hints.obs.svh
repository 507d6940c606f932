// SPDX-License-Identifier: Apache-2.0
// Observation port of alloc_hints.
`ifdef RF_OBS
    logic [SlotBits-1:0] obs_slot;
    logic [Line-1:0]     obs_line;
    logic [Hint-1:0]     obs_hint;
    assign obs_slot   = SlotBits'(obs_slot_i);
    assign obs_line   = mem_q[line_of(obs_slot)];
    assign obs_hint   = obs_line[32'(LowBits'(obs_slot))*Hint +: Hint];
    assign obs_hint_o = 32'(obs_slot_i) >= Slots || !live_q[line_of(obs_slot)] ? '0
                      : obs_hint & {{6{obs_hint[2]}}, 3'b111};
`endif
