// SPDX-License-Identifier: Apache-2.0
// The machine: one integer per key of config.def. A preset is a YAML file of keys; --set overrides.
#ifndef SMCOSIM_CONFIG_CONFIG_H
#define SMCOSIM_CONFIG_CONFIG_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdint.h>
#include <stdio.h>

typedef struct MachineConfig {
    const char *machine;  // preset name
#define CFG(field, key, def, least, most, unit, meaning) int field;
#define CFGENUM(field, key, def, words, meaning) int field;  // index into the words
#include "config/config.def"
#undef CFG
#undef CFGENUM
} MachineConfig;

// blocks.registered
enum {
    REGISTERED_RF_DATAPATH = 1,
    REGISTERED_RFV_THROTTLE = 2,
    REGISTERED_BYPASS_COLLECTOR = 4,
    REGISTERED_REG_CACHE = 8,
    REGISTERED_PMODE = 16,
    REGISTERED_REF_COUNT = 32,
    REGISTERED_MD_CACHE = 64
};

enum { SCHED_GTO, SCHED_LRR, SCHED_TWO_LEVEL };                    // sm.scheduler
enum { WIDTHS_NEVER, WIDTHS_PACKING, WIDTHS_ALWAYS };              // compiler.widths
enum { PICK_SMALLEST, PICK_LARGEST };                              // regmutex.pick
enum { RULE_ESTIMATE, RULE_SECTIONS, RULE_MOST };                  // regmutex.rule
enum { ROUND_FLOOR, ROUND_EVEN };                                  // regmutex.round
enum { PRELOAD_WAIT, PRELOAD_DROP };                               // pmode.preload_full
enum { PARTIAL_MERGE, PARTIAL_SKIP };                              // pmode.partial
enum { PMODE_BEGIN_LOAD, PMODE_BEGIN_MISS };                       // pmode.begin
enum { PMODE_STALLED_FETCHED, PMODE_STALLED_HELD };                // pmode.stalled
enum { LARF_TABLE_ROWS, LARF_TABLE_FLAT };                         // larf.table
enum { LARF_PARTIAL_POWERS, LARF_PARTIAL_ANY, LARF_PARTIAL_OFF };  // larf.partial
enum { LARF_ADMISSION_STATIC, LARF_ADMISSION_LIVE };               // larf.admission
enum { LARF_FLUSH_FENCE, LARF_FLUSH_BARRIER };                     // larf.flush
enum { PAIRS_FEWEST, PAIRS_KEPT, PAIRS_ALL };                      // owf.pairs
enum { SCHEDULE_LATENCY, SCHEDULE_SOURCE };                        // compiler.schedule
enum { TABLE_AUTO, TABLE_REGISTER, TABLE_WARP };                   // rename.table
enum { SHRINK_FREE, SHRINK_HOLD };                                 // rename.shrink
enum { GROW_INPLACE, GROW_MOVE };                                  // rename.grow
enum { BDI_FIRST_MISFIT, BDI_FIRST_BYTES };                        // bdi.base
enum { WAR_ISSUE, WAR_COLLECTOR };                                 // bow.war
enum { ADMISSION_LIVE, ADMISSION_STATIC, ADMISSION_GREEDY };       // rfv.admission
enum { ORDER_AUTO, ORDER_ROTATE, ORDER_LOWEST };                   // rename.order
enum { L1_STORE_EVICT, L1_STORE_UPDATE };                          // l1.store
enum { L1_HASH_MOD, L1_HASH_HASH };                                // l1.hash
enum { L1_LOADS_ALL, L1_LOADS_NC };                                // l1.loads
enum { CONST_OPERANDS_HIT, CONST_OPERANDS_CACHE };                 // const.operands
enum { CABA_CHECK_NONE, CABA_CHECK_CODEC };                        // caba.check
// caba.ideal
enum { CABA_AS_BUILT, CABA_IDEAL_WINDOW, CABA_IDEAL_LOAD, CABA_IDEAL_STORE, CABA_IDEAL_BOTH };
enum { CABA_HIGH_PLACE, CABA_HIGH_FIRST };
enum { CABA_BEST_CYCLES, CABA_BEST_BURSTS };
enum { CABA_REGISTERS_SHARED, CABA_REGISTERS_APART };
// caba.design
enum { CABA_PLAIN, CABA_L1_2X, CABA_L1_4X, CABA_L2_2X, CABA_L2_4X, CABA_RAW_L2, CABA_DIRECT };
enum { CABA_PROFILE_NONE, CABA_PROFILE_MEASURED };  // caba.profile
enum { BDI_TRIAL_SIZE, BDI_TRIAL_LAST };            // bdi.trial

// scalar.paradigm
enum { PARADIGM_NONE, PARADIGM_PREFETCH, PARADIGM_DIVERGENCE, PARADIGM_EXTRACT, PARADIGM_AUTO };
enum { SCALAR_RR, SCALAR_OLDEST };                                    // scalar.scheduler
enum { TOUCH_TOGETHER, TOUCH_SERIAL };                                // scalar.touch
enum { COMPACT_MASK, COMPACT_ARRAY, COMPACT_SCAN };                   // scalar.compact
enum { EXTRACT_PROFITABLE, EXTRACT_ALL };                             // scalar.extract
enum { SCALAR_LOADS_NONE, SCALAR_LOADS_NC, SCALAR_LOADS_UNWRITTEN };  // scalar.loads
enum { HELPER_UNIT, HELPER_SIMT };                                    // scalar.helper

// Fills cfg from the preset (a name from `list machines`, or a path of a YAML file). Keys that the
// file does not set have the values of the preset that its key `like` names, otherwise of
// config.def. Preset files are searched in data_dir/machines. Unknown preset or key: EXIT_USAGE
// with a suggestion.
bool config_load(MachineConfig *cfg, Arena *arena, const char *data_dir, const char *preset,
                 Diag *d);
// Applies one "key=value".
bool config_set(MachineConfig *cfg, const char *assignment, Diag *d);
// The same for an option other than --set, whose value contains the assignment.
bool config_set_for(MachineConfig *cfg, const char *option, const char *value,
                    const char *assignment, Diag *d);
// Fixed pipeline delays: l2.latency and dram.latency (round trips seen by the SM) minus the parts
// whose time the memory model computes. These parts are crossbar, flits, row activation and burst.
// Negative: the configured latency is less than its parts. csrc/mem uses the delays; config_check
// rejects negative ones.
typedef struct MemFixed {
    int l2_pipe, dram_pipe;  // SM cycles
    int64_t burst;        // 1/1000 SM cycles that one line holds the data bus of a modeled channel
    int channels, banks;  // DRAM channels and L2 banks in the model of nports SMs
    // time for which data holds a modeled channel, relative to a real channel, in 1/1000
    int64_t stretch;
} MemFixed;
MemFixed config_mem_fixed(const MachineConfig *cfg, int nports);
// DRAM clock cycles in 1/1000 SM cycles.
int64_t config_dram_time(const MachineConfig *cfg, int dram_cycles);
// Scalar registers of each warp when the SM has its maximum of warps (mode scalar-gcn).
int config_scalar_regs(const MachineConfig *cfg);

// Values that one bypassing collector holds, of full or half size: bow.entries, or the number that
// bow.window requires.
int config_bow_rows(const MachineConfig *cfg, bool half);

// Relations between values (warps * 32 <= threads granularity, rf entries, ...).
bool config_check(const MachineConfig *cfg, Diag *d);
// Hash over every value except the machine's name, which shows whether two runs had the same
// machine.
uint64_t config_hash(const MachineConfig *cfg);
// Text of a set of words "a|b|c" in the form of config_set: none, all, or some joined by +.
void config_flags_text(char *buf, size_t size, const char *words, int flags);
// Prints every key with its value, as YAML that config_load accepts.
void config_print(FILE *out, const MachineConfig *cfg);
// The table of keys as data: name, default, range or words, meaning, by number of the key.
typedef struct ConfigInfo {
    const char *name, *usual, *range, *meaning;
} ConfigInfo;
int config_key_count(void);
ConfigInfo config_key_info(Arena *arena, int key);
const char *config_key_value(Arena *arena, int key, const MachineConfig *cfg);
int config_key_index(const char *name);         // -1: there is none
const char *config_key_near(const char *name);  // the nearest name, or NULL
// The comment beside the key in the preset's file, or in the preset that `like` names; "" if
// absent.
const char *config_key_source(Arena *arena, const char *data_dir, const char *preset, int key);
// Names of the presets in data_dir/machines; returns the count.
int config_presets(Arena *arena, const char *data_dir, const char ***names);
// The text of the preset's `description` key, "" if it has none or cannot be read.
const char *config_description(Arena *arena, const char *data_dir, const char *preset);

#endif
