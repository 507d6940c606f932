// SPDX-License-Identifier: Apache-2.0
// Registration of blocks: one include and one line each. Everything else about a block is in its
// contract (models/<family>/<name>.h: port table, parameters), beside it, and in rtl/<family>/<name>.sv.
#ifndef SMCOSIM_COSIM_BLOCKS_H
#define SMCOSIM_COSIM_BLOCKS_H

#include "models/larf/addr_map_table.h"
#include "models/rename/alloc_unit.h"
#include "models/regmutex/arch_to_phys.h"
#include "models/pmode/avail_vector.h"
#include "models/rf/banked_rf.h"
#include "models/collect/bypass_collector.h"
#include "models/collect/coalescer.h"
#include "models/pmode/dual_scoreboard.h"
#include "models/larf/merge_unit.h"
#include "models/collect/operand_collector.h"
#include "models/pmode/p_queue.h"
#include "models/pack/packer.h"
#include "models/pmode/pmode_rename.h"
#include "models/rename/rename_table.h"
#include "models/rf/rf_datapath.h"
#include "models/regmutex/srp_allocator.h"
#include "models/pack/unpacker.h"
#include "models/pack/width_detect.h"

// B(name, macro prefix, type prefix, family, what it does)
#define COSIM_BLOCKS(B)                                                                            \
    B(banked_rf, BANKED_RF, BankedRf, "rf", "banked register file with its arbiter")              \
    B(operand_collector, OPERAND_COLLECTOR, OperandCollector, "collect",                          \
      "pool of single-port, three-operand collectors")                                             \
    B(bypass_collector, BYPASS_COLLECTOR, BypassCollector, "collect", "collectors that bypass values within a window of instructions") \
    B(rf_datapath, RF_DATAPATH, RfDatapath, "rf", "integrated path: rename, coalesce, collect, read; pack, place, write") \
    B(rename_table, RENAME_TABLE, RenameTable, "rename", "where each register of each warp lives") \
    B(srp_allocator, SRP_ALLOCATOR, SrpAllocator, "regmutex", "who holds a section of the shared register pool") \
    B(arch_to_phys, ARCH_TO_PHYS, ArchToPhys, "regmutex", "base and extended registers to physical ones") \
    B(width_detect, WIDTH_DETECT, WidthDetect, "pack", "bytes that each result needs")            \
    B(packer, PACKER, Packer, "pack", "results aligned with the slices they are written to")      \
    B(unpacker, UNPACKER, Unpacker, "pack", "two registers recovered from each row read")         \
    B(coalescer, COALESCER, Coalescer, "collect", "which operands are read together")             \
    B(alloc_unit, ALLOC_UNIT, AllocUnit, "rename", "free register map, allocation policies, hints") \
    B(addr_map_table, ADDR_MAP_TABLE, AddrMapTable, "larf", "which registers hold the words that a load asks for") \
    B(merge_unit, MERGE_UNIT, MergeUnit, "larf", "a load's value from two registers that hold parts of it") \
    B(p_queue, P_QUEUE, PQueue, "pmode", "instructions executed ahead, in program order, per warp") \
    B(pmode_rename, PMODE_RENAME, PmodeRename, "pmode", "registers of N-mode and P-mode that are renamed") \
    B(avail_vector, AVAIL_VECTOR, AvailVector, "pmode", "which registers are left for renaming")  \
    B(dual_scoreboard, DUAL_SCOREBOARD, DualScoreboard, "pmode", "N- and P-scoreboard, modes and their switches")

#endif
