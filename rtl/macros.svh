// SPDX-License-Identifier: Apache-2.0
// All conditionals that the modules share. A module includes this file and has none of its own.
//   RF_OBS     state is observed through ports       SIM        parameters are checked, memories begin cleared
//   RF_NARROW  fewer lanes, for proofs               RF_MERGE   memories are written as a simulator does it fast (with SIM, too)
//   MU_WARP    with RF_NARROW: all lanes of one slice instead of some of each
// An argument has no comma outside of brackets.
`ifndef RTL_MACROS_SVH
`define RTL_MACROS_SVH

// A port, or the connection of one, through which state is observed; anything else that is there for observation.
`ifdef RF_OBS
`define OBS_PORT(port) port,
`define OBS(text) text
`else
`define OBS_PORT(port)
`define OBS(text)
`endif

// A width: of proofs, of the design.
`ifdef RF_NARROW
`define NARROW(few, all) few
`else
`define NARROW(few, all) all
`endif
`ifdef MU_WARP
`define WHOLE_WARP(whole, part) whole
`else
`define WHOLE_WARP(whole, part) part
`endif

// Checks of parameters: MODULE is refused when PARAMETER is out of range or LEGAL is false. A
// simulation stops before the first cycle. Synthesis and lint stop at elaboration. (Icarus 11 has no
// elaboration tasks.) The message is a text, or $sformatf(..) where it holds values. Memories that
// begin cleared: their words.
`ifdef SIM
`define CHECK_RANGE(module_name, parameter_name, low, high) \
    initial \
        if (parameter_name < low || parameter_name > high) \
            $fatal(1, `"module_name: parameter_name = %0d, legal is low..high`", parameter_name);
`define CHECK(legal, message) \
    initial if (!(legal)) $fatal(1, message);
`define CLEAR_MEMORY(memory, words) \
    initial for (int init = 0; init < words; init = init + 1) memory[init] = '0;
`else
`ifdef __ICARUS__
`define CHECK_RANGE(module_name, parameter_name, low, high)
`define CHECK(legal, message)
`else
`define CHECK_RANGE(module_name, parameter_name, low, high) \
    if (parameter_name < low || parameter_name > high) \
        $error(`"module_name: parameter_name is out of range, legal is low..high`");
`define CHECK(legal, message) \
    if (!(legal)) $error(message);
`endif
`define CLEAR_MEMORY(memory, words)
`endif

// Is a memory word written as a whole, under a mask? (Synthesis infers enables from the other spelling alone.)
`ifdef SIM
`define MERGE 1'b1
`elsif RF_MERGE
`define MERGE 1'b1
`else
`define MERGE 1'b0
`endif

`endif
