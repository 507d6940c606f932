// Flags for this block besides those of verilator.f: its 32 BOCs are as many copies of the code, so that loops over rows
// stay loops, and of each BOC's signals the rows are not traced.
--unroll-count 8
--trace-max-width 256
