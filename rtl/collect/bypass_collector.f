// Flags for this block besides those of verilator.f, but for code coverage. Its BOCs are instances of one module whose code
// they share, as long as nothing of the pool around them is folded into them (no_inline in the .cfg, no gate
// optimization) and the module calls no functions. Loops over rows stay loops.
--unroll-count 4
-fno-gate
bypass_collector.cfg
