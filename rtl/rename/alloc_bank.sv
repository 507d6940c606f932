// SPDX-License-Identifier: Apache-2.0
// Purpose:    the free register map of one register file bank and its search: 4 bits per physical
//             register (slice in use) and a reservation, and for each class of place a candidate: the
//             lowest entry that offers it. Part of alloc_unit, see models/alloc_unit.h.
// Parameters: Entries, 2..1024: physical registers; NumWr, 1..4: allocations per cycle; NumGive,
//             1..12: places given back per cycle.
// Timing:     take_ and give_ inputs change the map at the clock edge; look_free_o shows an entry of
//             the map in the cycle of look_entry_i. Candidates and used_o are registers loaded from a
//             search of the map as it was in the cycle before: the search (two levels: groups of 16
//             entries, then one group) has a clock period of its own, and who uses a candidate must
//             compare it with what was taken in the cycle before. The search runs only after a change
//             of the map.
//             Classes: 0..2 one to three slices anywhere, 3 all four, 4..6 one to three from slice 3
//             down, 7..9 one to three from slice 0 up. Reserved entries are no candidates.
// Reset:      nothing in use or reserved; candidates those of the empty map.
// Left out:   candidates for reserved entries: reservations end all at once when nothing else is free.
// Cost:       5 flip-flops per entry and ten find-firsts; the paper's map of 1024 x 4 bit has 4096.
// Shapes:     - ; Entries=2,NumWr=1,NumGive=2 ; Entries=100,NumWr=4,NumGive=12
// Proof:      1:4:Entries=3,NumWr=2,NumGive=1
// Proof:      1:4:Entries=17,NumWr=1,NumGive=1
`ifdef SIM
`define RF_OBS
`endif
`ifdef FORMAL
`define RF_OBS
`endif

module alloc_bank #(
    parameter int Entries = 256,
    parameter int NumWr   = 2,
    parameter int NumGive = 6,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int CountBits = $clog2(Entries + 1),
    localparam int Classes   = 10
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // places taken; the rest of the entry becomes reserved or is not any more
    input  logic [NumWr-1:0]             take_en_i,
    input  logic [NumWr*EntryBits-1:0]   take_entry_i,
    input  logic [NumWr*4-1:0]           take_mask_i,
    input  logic [NumWr-1:0]             take_rsv_i,
    // places given back
    input  logic [NumGive-1:0]           give_en_i,
    input  logic [NumGive*EntryBits-1:0] give_entry_i,
    input  logic [NumGive*4-1:0]         give_mask_i,
    // reservations that end
    input  logic [NumWr-1:0]             end_en_i,
    input  logic [NumWr*EntryBits-1:0]   end_entry_i,
    input  logic                         end_all_i,
    // one entry per port
    input  logic [NumWr*EntryBits-1:0]   look_entry_i,
    output logic [NumWr*4-1:0]           look_free_o,
`ifdef RF_OBS
    // observation: 16 entries, a byte each; one candidate
    input  logic [6:0]                   obs_group_i,
    input  logic [3:0]                   obs_class_i,
    output logic [127:0]                 obs_map_o,
    output logic [14:0]                  obs_cand_o,
    // the map changed in the cycle before
    output logic                         obs_dirty_o,
`endif
`ifdef TESTBUG
    // a fault of the map or of a candidate at this edge: 0 none, 1 flip, 2 to 0, 3 to 1
    input  logic [1:0]                   fault_map_i,
    input  logic [1:0]                   fault_cand_i,
    input  logic [9:0]                   fault_entry_i,
    input  logic [3:0]                   fault_class_i,
    input  logic [3:0]                   fault_bit_i,
`endif
    // candidates of each class; masks of the first three (the others are what their class says)
    output logic [Classes-1:0]           cand_valid_o,
    output logic [Classes*EntryBits-1:0] cand_entry_o,
    output logic [3*4-1:0]               cand_mask_o,
    output logic [CountBits-1:0]         used_o
);
    // Seeded faults, seen at the ports of alloc_unit.
    // 140  slice 3 is not given back when slice 0 is given back with it: al_done_o, used_regs_o,
    //      al_entry_o
    // 141  reserved entries are candidates: al_entry_o, al_done_o, policy 1, after the first register
    //      of a pair
    // 142  two slices are found only side by side: al_entry_o, al_done_o, an entry with 0101 or 1001
    //      or 1010 free
    // 143  two slices from slice 3 down are found when slice 3 is free: al_entry_o, al_done_o, policy 2,
    //      a left-aligned register of two bytes
    // 144  an entry that became free stays reserved: al_entry_o, policy 1
    // 145  the first search after the map was empty is lost: al_mask_o, al_entry_o, al_done_o, the
    //      allocation two cycles after the first
`ifdef TESTBUG
    integer testbug;
    initial if ($value$plusargs("testbug=%d", testbug) == 0) testbug = 0;
`elsif FORMAL_BUG
    localparam integer testbug = `FORMAL_BUG;
`else
    localparam integer testbug = 0;
`endif

    localparam int Groups    = (Entries + 15) / 16;
    localparam int GroupBits = Groups > 1 ? $clog2(Groups) : 1;
    localparam int Pad       = Groups * 16;

    logic [4*Entries-1:0]         used_q;  // plane i: slice i of the entries
    logic [Entries-1:0]           rsv_q;
    logic                         dirty_q; // the map changed: search it
    logic [Classes-1:0]           valid_q;
    logic [Classes*EntryBits-1:0] entry_q;
    logic [3*4-1:0]               mask_q;
    logic [CountBits-1:0]         count_q;
    assign cand_valid_o = valid_q;
    assign cand_entry_o = entry_q;
    assign cand_mask_o  = mask_q;
    assign used_o       = count_q;

    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_look
        logic [EntryBits-1:0] entry;
        assign entry = look_entry_i[w*EntryBits +: EntryBits];
        for (genvar i = 0; i < 4; i = i + 1) begin : g_slice
            logic [Entries-1:0] plane;
            assign plane = used_q[i*Entries +: Entries];
            assign look_free_o[w*4 + i] = !plane[entry];
        end
    end

    // ---- Map
    logic                 change;
    logic [4*Entries-1:0] used_d;
    logic [Entries-1:0]   rsv_d;
`ifdef TESTBUG
    assign change = take_en_i != '0 || give_en_i != '0 || end_en_i != '0 || end_all_i ||
                    fault_map_i != '0;
`else
    assign change = take_en_i != '0 || give_en_i != '0 || end_en_i != '0 || end_all_i;
`endif
    // (Every signal is an argument: always @* does not look into functions.)
    function automatic [Entries-1:0] given(input integer i, input [NumGive-1:0] en,
                                           input [NumGive*EntryBits-1:0] entry,
                                           input [NumGive*4-1:0] mask);
        integer g;
        begin
            given = '0;
            for (g = 0; g < NumGive; g = g + 1)
                if (en[g] && mask[g*4 + i] && !(testbug == 140 && i == 3 && mask[g*4]))
                    given[entry[g*EntryBits +: EntryBits]] = 1'b1;
        end
    endfunction
    function automatic [Entries-1:0] taken(input integer i, input [NumWr-1:0] en,
                                           input [NumWr*EntryBits-1:0] entry,
                                           input [NumWr*4-1:0] mask);
        integer w;
        begin
            taken = '0;
            for (w = 0; w < NumWr; w = w + 1)
                if (en[w] && mask[w*4 + i]) taken[entry[w*EntryBits +: EntryBits]] = 1'b1;
        end
    endfunction
    function automatic [Entries-1:0] ended(input all, input [NumWr-1:0] take, input [NumWr-1:0] stop,
                                           input [NumWr*EntryBits-1:0] taken_at,
                                           input [NumWr*EntryBits-1:0] stopped_at);
        integer w;
        begin
            ended = {Entries{all}};
            for (w = 0; w < NumWr; w = w + 1) begin
                if (take[w]) ended[taken_at[w*EntryBits +: EntryBits]] = 1'b1;
                if (stop[w]) ended[stopped_at[w*EntryBits +: EntryBits]] = 1'b1;
            end
        end
    endfunction
    function automatic [Entries-1:0] begun(input [NumWr-1:0] en, input [NumWr*EntryBits-1:0] entry);
        integer w;
        begin
            begun = '0;
            for (w = 0; w < NumWr; w = w + 1)
                if (en[w]) begun[entry[w*EntryBits +: EntryBits]] = 1'b1;
        end
    endfunction
`ifdef TESTBUG
    function automatic fixed(input would_be, input [1:0] kind);
        fixed = kind == 2'd1 ? !would_be : kind == 2'd3;
    endfunction
    logic [EntryBits-1:0] fault_entry;
    logic                 fault_high;  // bits above the entry are 0 always
    assign fault_entry = EntryBits'(fault_entry_i);
    assign fault_high  = 32'(fault_entry_i) >= Entries;
`endif
    always @* begin
        used_d = used_q;
        rsv_d  = rsv_q;
        if (change) begin
            for (int i = 0; i < 4; i = i + 1)
                used_d[i*Entries +: Entries] =
                    (used_q[i*Entries +: Entries] &
                     ~given(i, give_en_i, give_entry_i, give_mask_i)) |
                    taken(i, take_en_i, take_entry_i, take_mask_i);
            rsv_d = (rsv_q & ~ended(end_all_i, take_en_i, end_en_i, take_entry_i, end_entry_i)) |
                    begun(take_en_i & take_rsv_i, take_entry_i);
            if (testbug != 144)
                rsv_d = rsv_d & (used_d[0 +: Entries] | used_d[Entries +: Entries] |
                                 used_d[2*Entries +: Entries] | used_d[3*Entries +: Entries]);
`ifdef TESTBUG
            if (fault_map_i != '0 && !fault_high) begin
                for (int i = 0; i < 4; i = i + 1)
                    if (fault_bit_i == 4'(i))
                        used_d[i*Entries + 32'(fault_entry)] =
                            fixed(used_d[i*Entries + 32'(fault_entry)], fault_map_i);
                if (fault_bit_i == 4'd4) rsv_d[fault_entry] = fixed(rsv_d[fault_entry], fault_map_i);
            end
`endif
        end
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            used_q  <= '0;
            rsv_q   <= '0;
            dirty_q <= 1'b0;
        end else begin
            dirty_q <= change;
            if (change) begin
                used_q <= used_d;
                rsv_q  <= rsv_d;
            end
        end
    end

    // ---- Search
    function automatic [15:0] lowest_of_16(input [15:0] v);
        lowest_of_16 = v & (~v + 16'd1);
    endfunction
    // The group of 16 with the first fitting entry, one-hot.
    function automatic [Groups-1:0] group_of(input [Entries-1:0] fits);
        integer g;
        reg [Pad-1:0] padded;
        begin
            padded = Pad'(fits);
            for (g = 0; g < Groups; g = g + 1) group_of[g] = padded[g*16 +: 16] != '0;
            group_of = group_of & (~group_of + Groups'(1));
        end
    endfunction
    function automatic [15:0] in_group(input [Entries-1:0] plane, input [Groups-1:0] group);
        integer g;
        reg [Pad-1:0] padded;
        begin
            padded   = Pad'(plane);
            in_group = '0;
            for (g = 0; g < Groups; g = g + 1)
                if (group[g]) in_group = in_group | padded[g*16 +: 16];
        end
    endfunction
    function automatic [EntryBits-1:0] entry_of(input [Groups-1:0] group, input [15:0] one);
        integer g, i;
        reg [GroupBits-1:0] high;
        reg [3:0]           low;
        begin
            high = '0;
            low  = '0;
            for (g = 0; g < Groups; g = g + 1) if (group[g]) high = high | GroupBits'(g);
            for (i = 0; i < 16; i = i + 1) if (one[i]) low = low | 4'(i);
            entry_of = EntryBits'({high, low});
        end
    endfunction
    // The n lowest free slices, n = 1..3, of those that are free.
    function automatic [3:0] lowest_slices(input [3:0] free, input [1:0] n);
        reg [2:0] count;
        integer   i;
        begin
            count = '0;
            lowest_slices = '0;
            for (i = 0; i < 4; i = i + 1)
                if (free[i] && count < 3'(n)) begin
                    lowest_slices[i] = 1'b1;
                    count = count + 3'd1;
                end
        end
    endfunction

    // Which entries offer a place of class c. Free slices: f; both and any of the lower, upper two.
    logic [Entries-1:0] f0, f1, f2, f3, low2, low1, high2, high1, used;
    function automatic [Entries-1:0] offers(input integer c, input [Entries-1:0] rsv);
        begin
            case (c)
            0: offers = low1 | high1;
            1: offers = low2 | high2 | (testbug == 142 ? f1 & f2 : low1 & high1);
            2: offers = (low2 & high1) | (high2 & low1);
            3: offers = low2 & high2;
            4: offers = f3;
            5: offers = testbug == 143 ? f3 : high2;
            6: offers = high2 & f1;
            7: offers = f0;
            8: offers = low2;
            default: offers = low2 & f2;
            endcase
            if (testbug != 141) offers = offers & ~rsv;
        end
    endfunction

    logic [Classes-1:0]           valid_d;
    logic [Classes*EntryBits-1:0] entry_d;
    logic [3*4-1:0]               mask_d;
    logic [CountBits-1:0]         count_d;
    logic [Entries-1:0]           fits;
    logic [Groups-1:0]            group;
    logic [15:0]                  one;
    logic [3:0]                   free;
    always @* begin
        fits    = '0;
        valid_d = valid_q;
        entry_d = entry_q;
        mask_d  = mask_q;
        count_d = count_q;
        f0      = '0;
        f1      = '0;
        f2      = '0;
        f3      = '0;
        low2    = '0;
        low1    = '0;
        high2   = '0;
        high1   = '0;
        used    = '0;
        group   = '0;
        one     = '0;
        free    = '0;
        if (dirty_q) begin
            f0    = ~used_q[0 +: Entries];
            f1    = ~used_q[Entries +: Entries];
            f2    = ~used_q[2*Entries +: Entries];
            f3    = ~used_q[3*Entries +: Entries];
            low2  = f0 & f1;
            low1  = f0 | f1;
            high2 = f2 & f3;
            high1 = f2 | f3;
            for (int c = 0; c < Classes; c = c + 1) begin
                fits       = offers(c, rsv_q);
                group      = group_of(fits);
                one        = lowest_of_16(in_group(fits, group));
                valid_d[c] = group != '0;
                entry_d[c*EntryBits +: EntryBits] = entry_of(group, one);
                if (c < 3) begin
                    free = {(in_group(f3, group) & one) != '0, (in_group(f2, group) & one) != '0,
                            (in_group(f1, group) & one) != '0, (in_group(f0, group) & one) != '0};
                    mask_d[c*4 +: 4] = lowest_slices(free, 2'(c + 1));
                end
            end
            used    = ~(f0 & f1 & f2 & f3);
            count_d = CountBits'($countones(used));  // of an expression, Icarus 11 counts bits beyond it too
        end
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            valid_q <= '1;
            entry_q <= '0;
            mask_q  <= 12'b0111_0011_0001;
            count_q <= '0;
        end else begin
            if (dirty_q && !(testbug == 145 && count_q == '0)) begin
                valid_q <= valid_d;
                entry_q <= entry_d;
                mask_q  <= mask_d;
            end
            count_q <= count_d;
`ifdef TESTBUG
            if (fault_cand_i != '0)
                for (int c = 0; c < Classes; c = c + 1)
                    if (fault_class_i == 4'(c)) begin
                        if (fault_bit_i == 4'd14) valid_q[c] <= fixed(valid_d[c], fault_cand_i);
                        if (32'(fault_bit_i) < EntryBits)
                            entry_q[c*EntryBits + 32'(fault_bit_i)] <=
                                fixed(entry_d[c*EntryBits + 32'(fault_bit_i)], fault_cand_i);
                        if (c < 3 && fault_bit_i >= 4'd10 && fault_bit_i < 4'd14)
                            mask_q[c*4 + 32'(fault_bit_i) - 10] <=
                                fixed(mask_d[c*4 + 32'(fault_bit_i) - 10], fault_cand_i);
                    end
`endif
        end
    end

`ifdef RF_OBS
    assign obs_dirty_o = dirty_q;
    // The mask of class c's candidate.
    function automatic [3:0] obs_mask(input [3:0] c, input [3*4-1:0] masks);
        case (c)
        4'd0: obs_mask = masks[3:0];
        4'd1: obs_mask = masks[7:4];
        4'd2: obs_mask = masks[11:8];
        4'd3: obs_mask = 4'b1111;
        4'd4: obs_mask = 4'b1000;
        4'd5: obs_mask = 4'b1100;
        4'd6: obs_mask = 4'b1110;
        4'd7: obs_mask = 4'b0001;
        4'd8: obs_mask = 4'b0011;
        default: obs_mask = 4'b0111;
        endcase
    endfunction
    always @* begin
        obs_map_o = '0;
        if (32'(obs_group_i) < Groups)
            for (int i = 0; i < 16; i = i + 1)
                if (32'(obs_group_i)*16 + i < Entries)
                    obs_map_o[i*8 +: 8] = {3'b000, rsv_q[32'(obs_group_i)*16 + i],
                        used_q[32'(obs_group_i)*16 + 3*Entries + i],
                        used_q[32'(obs_group_i)*16 + 2*Entries + i],
                        used_q[32'(obs_group_i)*16 + Entries + i], used_q[32'(obs_group_i)*16 + i]};
    end
    always @* begin
        obs_cand_o = '0;
        for (int c = 0; c < Classes; c = c + 1)
            if (obs_class_i == 4'(c) && valid_q[c])
                obs_cand_o = {1'b1, obs_mask(obs_class_i, mask_q), 10'(entry_q[c*EntryBits +: EntryBits])};
    end
`endif

`ifdef SIM
    initial begin
        if (Entries < 2 || Entries > 1024)
            $fatal(1, "alloc_bank: Entries = %0d, legal is 2..1024", Entries);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "alloc_bank: NumWr = %0d, legal is 1..4", NumWr);
        if (NumGive < 1 || NumGive > 12)
            $fatal(1, "alloc_bank: NumGive = %0d, legal is 1..12", NumGive);
    end
`endif

`ifdef FORMAL
    // Contract, for any entry: the map follows what is taken and given; each candidate fitted in the
    // map of the cycle before, and no lower entry did; where there is none, no entry did.
    (* anyconst *) logic [EntryBits-1:0] f_e;
    (* anyconst *) logic [3:0]           f_c;
    logic                   f_past;
    logic [3:0]             f_used, f_used_d;      // ghost of entry f_e
    logic                   f_rsv, f_rsv_d;
    logic [3:0]             f_was_used;            // in the cycle before
    logic                   f_was_rsv;
    logic [4*Entries-1:0]   f_was_used_all;
    logic [Entries-1:0]     f_was_rsv_all;
    logic [3:0]             f_free, f_cand_mask;
    logic [EntryBits-1:0]   f_cand;
    logic                   f_fits, f_cand_valid;
    logic [2:0]             f_n;
    initial f_past = 1'b0;
    always_comb begin
        f_used_d = f_used;
        f_rsv_d  = f_rsv && !end_all_i;
        for (int g = 0; g < NumGive; g = g + 1)
            if (give_en_i[g] && give_entry_i[g*EntryBits +: EntryBits] == f_e)
                f_used_d = f_used_d & ~give_mask_i[g*4 +: 4];
        for (int w = 0; w < NumWr; w = w + 1) begin
            if (take_en_i[w] && take_entry_i[w*EntryBits +: EntryBits] == f_e) begin
                f_used_d = f_used_d | take_mask_i[w*4 +: 4];
                f_rsv_d  = 1'b0;
            end
            if (end_en_i[w] && end_entry_i[w*EntryBits +: EntryBits] == f_e) f_rsv_d = 1'b0;
        end
        for (int w = 0; w < NumWr; w = w + 1)
            if (take_en_i[w] && take_rsv_i[w] && take_entry_i[w*EntryBits +: EntryBits] == f_e)
                f_rsv_d = 1'b1;
        if (f_used_d == '0) f_rsv_d = 1'b0;
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_used         <= rst_ni ? f_used_d : '0;
        f_rsv          <= rst_ni && f_rsv_d;
        f_was_used     <= rst_ni ? f_used : '0;
        f_was_rsv      <= rst_ni && f_rsv;
        f_was_used_all <= rst_ni ? used_q : '0;
        f_was_rsv_all  <= rst_ni ? rsv_q : '0;
    end
    logic [4*Entries-1:0] f_planes;
    logic [3:0]           f_now;
    always_comb begin
        f_planes     = used_q;
        f_now        = {f_planes[3*Entries + 32'(f_e)], f_planes[2*Entries + 32'(f_e)],
                        f_planes[Entries + 32'(f_e)], f_planes[f_e]};
        f_free       = ~f_was_used;
        f_n          = (3'(f_free[0]) + 3'(f_free[1])) + (3'(f_free[2]) + 3'(f_free[3]));
        f_cand_valid = cand_valid_o[f_c];
        f_cand       = EntryBits'(cand_entry_o >> f_c * EntryBits);
        f_cand_mask  = f_c < 3 ? 4'(cand_mask_o >> f_c * 4) : obs_mask(f_c, mask_q);
        f_fits       = f_c == 0 ? f_n >= 1 : f_c == 1 ? f_n >= 2 : f_c == 2 ? f_n >= 3
                                           : (f_free & f_cand_mask) == f_cand_mask;
    end
    always_comb begin
        assume (f_e < Entries && f_c < Classes);
        for (int w = 0; w < NumWr; w = w + 1) begin
            assume (take_entry_i[w*EntryBits +: EntryBits] < Entries);
            assume (end_entry_i[w*EntryBits +: EntryBits] < Entries);
            assume (look_entry_i[w*EntryBits +: EntryBits] < Entries);
        end
        for (int g = 0; g < NumGive; g = g + 1)
            assume (give_entry_i[g*EntryBits +: EntryBits] < Entries);
        assume (obs_group_i == 7'(f_e / 16) && obs_class_i == f_c);
        if (f_past) begin
            // the map
            assert (f_now == f_used && rsv_q[f_e] == f_rsv);
            assert (f_used != '0 || !f_rsv);
            if (look_entry_i[EntryBits-1:0] == f_e) assert (look_free_o[3:0] == ~f_used);
            assert (8'(obs_map_o >> f_e % 16 * 8) == {3'b000, f_rsv, f_used});
            // the search
            assert (obs_cand_o == (f_cand_valid ? {1'b1, f_cand_mask, 10'(f_cand)} : '0));
            if (f_cand_valid) begin
                assert (f_cand < Entries);
                if (f_cand == f_e) begin
                    assert (f_fits && !f_was_rsv && (f_free & f_cand_mask) == f_cand_mask);
                    if (f_c < 3) begin  // as many as asked for, and the lowest
                        assert ((3'(f_cand_mask[0]) + 3'(f_cand_mask[1])) +
                                (3'(f_cand_mask[2]) + 3'(f_cand_mask[3])) == f_c + 1);
                        assert ((f_free & ~f_cand_mask & (f_cand_mask - 4'd1)) == '0 || f_c > 0);
                        for (int i = 1; i < 4; i = i + 1)
                            for (int j = 0; j < i; j = j + 1)
                                if (f_cand_mask[i] && f_free[j]) assert (f_cand_mask[j]);
                    end
                end
            end
            if (f_fits && !f_was_rsv) assert (f_cand_valid && f_cand <= f_e);
            // invariants
            if (!dirty_q) assert (used_q == f_was_used_all && rsv_q == f_was_rsv_all);
            assert (f_was_used == {f_was_used_all[3*Entries + 32'(f_e)],
                f_was_used_all[2*Entries + 32'(f_e)], f_was_used_all[Entries + 32'(f_e)],
                f_was_used_all[f_e]} && f_was_rsv == f_was_rsv_all[f_e]);
            if (Entries < 16)
                assert (used_o == $countones(f_was_used_all[0 +: Entries] |
                    f_was_used_all[Entries +: Entries] | f_was_used_all[2*Entries +: Entries] |
                    f_was_used_all[3*Entries +: Entries]));
        end
        cover (f_past && f_c == 1 && f_cand_valid && f_cand_mask == 4'b0101 && f_cand == 0);
        cover (f_past && f_rsv && f_c == 8 && f_cand_valid && f_cand > f_e && f_used == 4'b0001);
    end
`endif
endmodule
