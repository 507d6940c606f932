// Flags for this block besides those of verilator.f, but for code coverage. Its BOCs are instances of one module that is
// not inlined (no_inline in the .cfg), and loops over rows stay loops: inlined and unrolled it would be 32 times as large.
--unroll-count 4
bypass_collector.cfg
