// Flags for this block besides those of verilator.f: its loops over two entries of each warp are unrolled.
--unroll-count 128
