// SPDX-License-Identifier: Apache-2.0
// Registration of blocks: one line each. A block's port table and parameters are in its contract,
// models/<family>/<name>.h. Its model is beside the contract, its RTL in
// rtl/<family>/<name>.sv. Its family is the folder of the contract: verilate.cmake makes
// contracts.h from these folders.
#ifndef SMCOSIM_COSIM_BLOCKS_H
#define SMCOSIM_COSIM_BLOCKS_H

#include "contracts.h"  // the build's list of the contracts, and <name>_FAMILY for each

// B(name, macro prefix, type prefix, description)
// clang-format off
#define COSIM_BLOCKS(B) \
    B(banked_rf, BANKED_RF, BankedRf, "banked register file with its arbiter") \
    B(operand_collector, OPERAND_COLLECTOR, OperandCollector, \
      "pool of single-port, three-operand collectors") \
    B(bypass_collector, BYPASS_COLLECTOR, BypassCollector, "collectors that bypass values within a window of instructions") \
    B(reg_cache, REG_CACHE, RegCache, "register file cache: last results of each warp, written back on eviction") \
    B(rf_datapath, RF_DATAPATH, RfDatapath, "integrated path: rename, coalesce, collect, read; pack, place, write") \
    B(rename_table, RENAME_TABLE, RenameTable, "where each register of each warp lives") \
    B(srp_allocator, SRP_ALLOCATOR, SrpAllocator, "who holds a section of the shared register pool") \
    B(arch_to_phys, ARCH_TO_PHYS, ArchToPhys, "base and extended registers to physical ones") \
    B(owf_locks, OWF_LOCKS, OwfLocks, "who holds the registers that two warps share, owner warps first") \
    B(width_detect, WIDTH_DETECT, WidthDetect, "bytes that each result needs") \
    B(packer, PACKER, Packer, "results aligned with the slices they are written to") \
    B(unpacker, UNPACKER, Unpacker, "two registers recovered from each row read") \
    B(coalescer, COALESCER, Coalescer, "which operands are read together") \
    B(alloc_unit, ALLOC_UNIT, AllocUnit, "free register map, allocation policies, hints") \
    B(rfv_throttle, RFV_THROTTLE, RfvThrottle, "which CTA may take registers so that one can finish") \
    B(addr_map_table, ADDR_MAP_TABLE, AddrMapTable, "which registers hold the words that a load asks for") \
    B(load_shape, LOAD_SHAPE, LoadShape, "base, stride and mask of a load from the addresses of its lanes") \
    B(ref_count, REF_COUNT, RefCount, "mappings and pins of each physical register, and which are free") \
    B(wait_table, WAIT_TABLE, WaitTable, "registers that share a value in flight and wait for it") \
    B(row_reader, ROW_READER, RowReader, "registers read without an instruction, for merges and questions") \
    B(locality_checker, LOCALITY_CHECKER, LocalityChecker, "warps whose next load would be served from registers") \
    B(merge_unit, MERGE_UNIT, MergeUnit, "a load's value from two registers that hold parts of it") \
    B(bdi_compress, BDI_COMPRESS, BdiCompress, "BDI images of lines") \
    B(bdi_decompress, BDI_DECOMPRESS, BdiDecompress, "lines from their BDI images") \
    B(md_cache, MD_CACHE, MdCache, "metadata cache of a memory controller: bursts of each line") \
    B(assist_ctrl, ASSIST_CTRL, AssistCtrl, "assist warp table: which routine of which warp is deployed next") \
    B(p_queue, P_QUEUE, PQueue, "instructions executed ahead, in program order, per warp") \
    B(pmode_rename, PMODE_RENAME, PmodeRename, "registers of N-mode and P-mode that are renamed") \
    B(avail_vector, AVAIL_VECTOR, AvailVector, "which registers are left for renaming") \
    B(dual_scoreboard, DUAL_SCOREBOARD, DualScoreboard, "N- and P-scoreboard, modes and their switches") \
    B(scalar_rf, SCALAR_RF, ScalarRf, "registers of one scalar unit, two banks of words") \
    B(scalar_collect, SCALAR_COLLECT, ScalarCollect, "operands of a scalar unit's instructions") \
    B(scalar_alloc, SCALAR_ALLOC, ScalarAlloc, "contexts and registers of scalar threads") \
    B(cta_barrier, CTA_BARRIER, CtaBarrier, "named barriers of CTAs, for warps and scalar threads")
// clang-format on

#endif
