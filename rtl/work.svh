// SPDX-License-Identifier: Apache-2.0
// Is there work? A simulator skips logic without work. In a circuit the results are 0 without it as
// well, and a gate that asks would only cost time.
`ifndef RTL_WORK_SVH
`define RTL_WORK_SVH
`ifdef SIM
`define WORK(condition) (condition)
`else
`define WORK(condition) 1'b1
`endif
`endif
