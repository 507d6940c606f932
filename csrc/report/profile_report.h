// SPDX-License-Identifier: Apache-2.0
// The profile of a run: counters by kernel and launch, counts by instruction, limits.
//
//   profile_words.c   lines, and the words for reasons
//   profile_rates.c   rates and roofs
//
//   profile_table.c   the text
//   profile_json.c    the same as JSON
//   profile_html.c    a page with the source beside bars
//   profile_pair.c    two architectures side by side, by line (profile_pair.h)
#ifndef SMCOSIM_REPORT_PROFILE_REPORT_H
#define SMCOSIM_REPORT_PROFILE_REPORT_H

#include "isa/isa.h"
#include "report/report.h"
#include "sm/line_counts.h"

// A text by line; line 1 is lines[0].
typedef struct ProfileText {
    const char *path;  // path; NULL: none
    const char *const *lines;
    int n;
} ProfileText;

typedef struct ProfileKernel {
    const char *name;   // C++ name without parameters
    const char *entry;  // name in the PTX
    const IsaProgram *program;
    ProfileText ptx, cuda;
    const int *cuda_line;  // by PTX line, 0: unknown; NULL: the PTX has no .loc
    KernelReport shape;    // shape of the last launch; cycles and instructions of all launches
    LineCounts *rows;      // counts by instruction; the last row holds the remaining counts
    Counters counters;     // sums of all its launches
} ProfileKernel;

typedef struct ProfileLaunch {
    int kernel;
    uint32_t grid[3], block[3];
    Counters counters;
} ProfileLaunch;

struct Profile {
    ProfileKernel *kernels;
    int nkernels, cap_kernels;
    ProfileLaunch *launches;
    int nlaunches, cap_launches;
    int sms;
};

// Compares the counts of its instructions with its counters. EXIT_MISMATCH names the first counter
// that differs.
bool profile_check(const ProfileKernel *k, Diag *d);

// ---- lines ----

// Sums of the instructions of a PTX line.
typedef struct ProfileLine {
    int line;   // line of the PTX; 0: made by the compiler; -1: no instruction of the kernel
    int cuda;   // line of the CUDA source; 0: unknown
    int first;  // instruction
    LineCounts of;
    uint64_t cost;  // scheduler cycles, including the cycles of its issue
} ProfileLine;

void profile_add(LineCounts *to, const LineCounts *from);
// All lines with counts, in the order of the PTX. Returns their number.
int profile_lines(const ProfileKernel *k, Arena *arena, ProfileLine **lines);
// The n most expensive lines of the kernel, worst first.
int profile_worst(const ProfileLine *lines, int n, int most, Arena *arena,
                  const ProfileLine ***worst);
// The most frequent class of its scheduler cycles without issue; CTR_ISSUED: none.
CounterId profile_reason(const LineCounts *c);
// The reason for its cost in words.
const char *profile_words(const ProfileKernel *k, const ProfileLine *l, Arena *arena);
const char *profile_class_name(CounterId what, Arena *arena);
// The line of a text without surrounding blanks; "" if it does not exist.
const char *profile_text(const ProfileText *t, int line, Arena *arena);

// ---- rates ----

typedef struct ProfileRate {
    const char *name, *unit;
    double value, peak;  // peak 0: none
} ProfileRate;
enum { PROFILE_RATES = 6 };
// Rates of issue, register file, L1, L2 and DRAM of a kernel or launch, on `sms` SMs.
void profile_rates(const Counters *c, const MachineConfig *cfg, int sms,
                   ProfileRate rates[PROFILE_RATES]);

// Roofs of the SM: warp instructions per cycle that each part allows at the kernel's intensity.
typedef struct ProfileRoof {
    const char *name;
    double per_inst;  // bytes or instructions per instruction
    double peak;      // maximum per cycle
    double roof;      // instructions per cycle
} ProfileRoof;
enum { ROOF_ISSUE, ROOF_REGISTERS, ROOF_DRAM, PROFILE_ROOFS };
// Returns the lowest.
int profile_roofs(const Counters *c, const MachineConfig *cfg, ProfileRoof roofs[PROFILE_ROOFS]);
double profile_ipc(const Counters *c, int sms);  // IPC of one SM

// ---- output ----

void profile_table(FILE *out, const RunReport *run, const LaunchReport *l);
bool profile_json(const char *path, const RunReport *run, Diag *d);
bool profile_html(const char *path, const RunReport *run, Diag *d);
// Frame of the page, whose tables (class p) sort by a click; a bar of the classes, `most` wide.
void profile_page_begin(FILE *out, const char *version, const char *command);
void profile_page_end(FILE *out);
void profile_put_bar(FILE *out, const LineCounts *c, uint64_t cost, uint64_t most);
// By the name's end: .html, .json, or the table.
bool profile_file(const char *path, const RunReport *run, Diag *d);

#endif
