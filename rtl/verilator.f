// Flags every Verilated variant of these modules is built with.
// Rows are 1024 bits and ports up to 32 rows: without the limit raised, wide assignments become calls
// that copy bit by bit (measured: 4 times slower).
--expand-limit 1024
-O3
--x-assign fast
// Start values are functions of VerilatedContext, 0 or random (RuntimeApi.context_start). Only code
// that runs once differs from that of `fast`.
--x-initial unique
