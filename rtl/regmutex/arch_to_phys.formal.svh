// SPDX-License-Identifier: Apache-2.0
// The contract of arch_to_phys, proved by ci/formal, which includes it at the end of the module.
    // The mapping never assigns one physical register to two owners: registers x and y of the warps
    // of instruction 0. Sections are those of srp_allocator (different for different warps) and the
    // pool begins behind all base sets.
    (* anyconst *) logic [1:0] f_x, f_y;
    logic [BankBits-1:0]  f_bank_x, f_bank_y;
    logic [EntryBits-1:0] f_entry_x, f_entry_y;
    logic [RegBits-1:0]  f_reg_x, f_reg_y;
    logic [PhysBits-1:0] f_phys_x, f_phys_y;
    localparam int F = NumAlloc - 1;  // the other instruction, or the same
    assign f_reg_x  = at_reg_i[32'(f_x)*RegBits +: RegBits];
    assign f_reg_y  = at_reg_i[(F*NumRegs + 32'(f_y))*RegBits +: RegBits];
    assign f_phys_x = at_phys_o[32'(f_x)*PhysBits +: PhysBits];
    assign f_phys_y = at_phys_o[(F*NumRegs + 32'(f_y))*PhysBits +: PhysBits];
    assign f_bank_x  = at_bank_o[32'(f_x)*BankBits +: BankBits];
    assign f_bank_y  = at_bank_o[(F*NumRegs + 32'(f_y))*BankBits +: BankBits];
    assign f_entry_x = at_entry_o[32'(f_x)*EntryBits +: EntryBits];
    assign f_entry_y = at_entry_o[(F*NumRegs + 32'(f_y))*EntryBits +: EntryBits];
    logic f_same_warp;
    assign f_same_warp = at_warp_i[0 +: WarpBits] == at_warp_i[F*WarpBits +: WarpBits];
    always @* begin
        assume (32'(f_x) < NumRegs && 32'(f_y) < NumRegs);
        assume (cfg_ext_i == '0 || 32'(cfg_srp_i) >= 32'(cfg_base_i) * Warps);
        for (int a = 0; a < NumAlloc; a = a + 1) begin
            assume (32'(at_warp_i[a*WarpBits +: WarpBits]) < Warps);
            assume (32'(at_section_i[a*WarpBits +: WarpBits]) < Warps);
        end
        if (f_same_warp) begin
            assume (at_held_i[0] == at_held_i[F]);
            assume (at_section_i[0 +: WarpBits] == at_section_i[F*WarpBits +: WarpBits]);
        end else if (at_held_i[0] && at_held_i[F])
            assume (at_section_i[0 +: WarpBits] != at_section_i[F*WarpBits +: WarpBits]);
        if (at_ok_o[f_x] && at_ok_o[F*NumRegs + 32'(f_y)])
            assert ((f_phys_x == f_phys_y) == (f_same_warp && f_reg_x == f_reg_y));
        // one place for one number, within the file
        if (at_ok_o[f_x] && at_ok_o[F*NumRegs + 32'(f_y)])
            assert ((f_bank_x == f_bank_y && f_entry_x == f_entry_y) == (f_phys_x == f_phys_y));
        if (at_ok_o[f_x]) assert (32'(f_bank_x) < Banks && 32'(f_entry_x) < Entries);
        assert ((at_ok_o & at_fault_o) == '0);
        for (int a = 0; a < NumAlloc; a = a + 1)
            for (int k = 0; k < NumRegs; k = k + 1) begin
                assert ((at_ok_o[a*NumRegs + k] || at_fault_o[a*NumRegs + k]) ==
                        (at_valid_i[a] && at_need_i[a*NumRegs + k]));
                if (at_ok_o[a*NumRegs + k]) begin
                    assert (32'(at_phys_o[(a*NumRegs + k)*PhysBits +: PhysBits]) < Banks * Entries);
                    assert (32'(at_reg_i[(a*NumRegs + k)*RegBits +: RegBits]) < 32'(cfg_base_i) + 32'(cfg_ext_i));
                    if (at_reg_i[(a*NumRegs + k)*RegBits +: RegBits] >= cfg_base_i)
                        assert (at_held_i[a] && at_phys_o[(a*NumRegs + k)*PhysBits +: PhysBits] >= cfg_srp_i);
                    else
                        assert (cfg_ext_i == '0 || at_phys_o[(a*NumRegs + k)*PhysBits +: PhysBits] < cfg_srp_i);
                end
                // a base register is always mapped when the base sets fit
                if (at_valid_i[a] && at_need_i[a*NumRegs + k] && 32'(cfg_base_i) * Warps <= Banks * Entries &&
                    at_reg_i[(a*NumRegs + k)*RegBits +: RegBits] < cfg_base_i)
                    assert (at_ok_o[a*NumRegs + k]);
            end
        cover (at_ok_o[f_x] && f_reg_x > cfg_base_i && at_section_i[0 +: WarpBits] != '0 && cfg_base_i != '0);
        cover (at_fault_o[f_x] && f_reg_x >= cfg_base_i && !at_held_i[0]);
        cover (at_ok_o[f_x] && 32'(f_phys_x) == Banks * Entries - 1);
        cover (at_ok_o[f_x] && 32'(f_bank_x) != 32'(f_phys_x) % Banks);
    end
