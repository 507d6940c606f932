// SPDX-License-Identifier: Apache-2.0
// Golden model of bypass_collector in front of a register file and units of this file. Programs of
// one warp run, and every dispatched operand is compared with the program's value in order. The
// example of thesis Figure 3.6, rules one by one, and random programs in every mode, window and
// size.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/collect/bypass_collector.h"
#include "models/stim.h"

enum {
    COLLS = 2,
    OPS = 3,
    UNITS = 3,
    WRITERS = 2,
    BANKS = 2,
    REGS = 64,
    MAX_SRC = 6,
    MAX_PROGRAM = 400,
    STUCK = 3000
};
enum { ME = 1 };  // the BOC of the warp
enum { RF_ONLY = 1, BOC_ONLY = 2, BOTH = 3 };

typedef struct Inst {
    int nsrc, words;
    uint8_t src[MAX_SRC], dst, unit;
    bool pass, homeless, partial;
    uint8_t bits;
    uint32_t lanes;
} Inst;

typedef struct Part {
    bool there;
    uint8_t inst, part;
    uint32_t expected[OPS];
} Part;
typedef struct Result {
    uint8_t reg, bits, inst;
    bool homeless;
    uint32_t lanes, value, when;
} Result;

typedef struct Machine {
    void *model;
    BypassCollectorIn in;
    BypassCollectorOut out;
    StimRandom random;
    int window, mode;
    // Percent: grants, units and write ports that are ready; cycles until a result, at most.
    int grant, take, write, latency;
    bool war;  // the collector keeps WAR away, not the scoreboard
    // place that must have entered before results of place 0 arrive
    uint32_t hold_load;
    const Inst *program;
    int n, at, part;         // next to enter
    uint32_t arch[REGS][2];  // lane 0, lane 31: the program's values, in order
    uint32_t rf[REGS][2];
    uint64_t writing, reading, only;
    uint8_t named[REGS];  // places since it was named last, at most 255
    Part slot[BOW_MAX_WINDOW];
    Result result[MAX_PROGRAM];
    int nresults;
    int due;  // register that was granted, -1
    uint32_t due_value[2];
    int forwards, reads, writes, writes_of[REGS], saves, direct, dispatched;
} Machine;

static uint32_t mixed(uint32_t h, uint32_t v) { return (h ^ v) * 0x9e3779b1u + (h >> 15); }

static void machine_open(Machine *m, int window, int values, int mode) {
    const int params[] = {COLLS, OPS, 1, UNITS, WRITERS, window, values, BANKS};
    memset(m, 0, sizeof *m);
    m->model = bypass_collector_model.open(params);
    assert_non_null(m->model);
    m->window = window, m->mode = mode, m->in.mode[0] = (uint32_t)mode;
    m->grant = m->take = m->write = 100, m->latency = 2, m->due = -1;
    m->random.state = 88172645463325252ull;
    memset(m->named, 255, sizeof m->named);
    for (int r = 0; r < REGS; r++)
        for (int l = 0; l < 2; l++) m->arch[r][l] = m->rf[r][l] = (uint32_t)(1000 * r + l);
}

static void machine_close(Machine *m) { bypass_collector_model.close(m->model); }

static bool lane_on(uint32_t lanes, int l) { return lanes >> (31 * l) & 1; }

// A row with these values in lanes 0 and 31.
static void put_row(uint32_t row[32], const uint32_t v[2]) {
    uint8_t *bytes = (uint8_t *)row;
    memset(row, 0, 128);
    for (int s = 0; s < 4; s++)
        bytes[32 * s] = (uint8_t)(v[0] >> 8 * s), bytes[32 * s + 31] = (uint8_t)(v[1] >> 8 * s);
}

static uint32_t get_lane(const uint32_t row[32], int l) {
    const uint8_t *b = (const uint8_t *)row + 31 * l;
    return (uint32_t)b[0] | (uint32_t)b[32] << 8 | (uint32_t)b[64] << 16 | (uint32_t)b[96] << 24;
}

static uint64_t words_of(const Inst *i) {
    return i->words ? (((uint64_t)1 << i->words) - 1) << i->dst : 0;
}
static uint64_t reg_bit(int r) { return (uint64_t)1 << r; }
static int parts_of(const Inst *i) { return i->nsrc <= OPS ? 1 : (i->nsrc + OPS - 1) / OPS; }

// ---- a cycle ------------------------------------------------------------------------------------

static void present_results(Machine *m, uint32_t now, uint32_t entered) {
    int p = 0;
    for (int i = 0; i < m->nresults && p < WRITERS; i++) {
        const Result *r = &m->result[i];
        if (r->when > now || (r->inst == 0 && entered <= m->hold_load)) continue;
        m->in.res_valid[0] |= 1u << p;
        m->in.res_coll[p] = ME, m->in.res_reg[p] = r->reg, m->in.res_write[p] = r->bits;
        m->in.res_homeless[0] |= (uint32_t)r->homeless << p;
        m->in.res_lane[p] = r->lanes;
        const uint32_t v[2] = {r->value, mixed(r->value, 31)};
        put_row(m->in.res_data[p], v);
        p++;
    }
}

static void write_rf(Machine *m, int p) {
    const uint32_t reg = m->out.wr_reg[p];
    assert_int_equal(m->out.wr_coll[p], ME);
    m->writes++, m->writes_of[reg]++;
    *(m->out.wr_save[0] >> p & 1 ? &m->saves : &m->direct) += 1;
    for (int l = 0; l < 2; l++)
        if (lane_on(m->out.wr_lane[p], l)) m->rf[reg][l] = get_lane(m->out.wr_data[p], l);
}

static void take_results(Machine *m) {
    for (int p = WRITERS - 1; p >= 0; p--) {
        const bool valid = m->out.wr_valid[0] >> p & 1, save = m->out.wr_save[0] >> p & 1;
        const bool ready = m->in.wr_ready[0] >> p & 1;
        if (valid && ready) write_rf(m, p);
        if (!(m->in.res_valid[0] >> p & 1) || !(m->out.res_ready[0] >> p & 1)) continue;
        if (valid && !save && !ready) continue;
        m->writing &= ~reg_bit((int)m->in.res_reg[p]);
        for (int i = 0; i < m->nresults; i++)
            if (m->result[i].reg == m->in.res_reg[p]) {
                memmove(&m->result[i], &m->result[i + 1],
                        sizeof *m->result * (unsigned)(m->nresults - i - 1));
                m->nresults--;
                break;
            }
    }
}

static uint32_t value_of(const Machine *m, int inst, int word) {
    const Inst *i = &m->program[inst];
    uint32_t h = (uint32_t)(inst * 4 + word + 1);
    for (int s = 0; s < i->nsrc; s++) h = mixed(h, m->arch[i->src[s]][0]);
    return h;
}

static void dispatched(Machine *m, int d, uint32_t now) {
    Part *part = &m->slot[m->out.disp_slot[d]];
    assert_int_equal(m->out.disp_coll[d], ME);
    assert_true(part->there);
    const Inst *i = &m->program[part->inst];
    assert_int_equal(i->unit, d);
    for (int o = 0; o < OPS; o++) {
        const int s = part->part * OPS + o;
        assert_int_equal(m->out.disp_need[0] >> (d * OPS + o) & 1, s < i->nsrc);
        if (s >= i->nsrc) continue;
        assert_int_equal(get_lane(m->out.disp_data[d * OPS + o], 0), part->expected[o]);
        bool later = false;
        for (int x = 0; x < m->window; x++)
            for (int k = 0; k < OPS && &m->slot[x] != part && m->slot[x].there; k++) {
                const Inst *other = &m->program[m->slot[x].inst];
                const int t = m->slot[x].part * OPS + k;
                later |= t < other->nsrc && other->src[t] == i->src[s];
            }
        if (!later) m->reading &= ~reg_bit(i->src[s]);
    }
    part->there = false;
    m->dispatched++;
    if (part->part + 1 < parts_of(i)) return;
    for (int r = 0; r < m->nresults; r++)
        if (m->result[r].inst == part->inst && m->result[r].when == UINT32_MAX)
            m->result[r].when = now + 1 + stim_below(&m->random, (uint32_t)m->latency);
}

static bool entry_fits(const Machine *m, const Inst *i, bool more) {
    const bool reserves = i->bits == BOC_ONLY && m->mode == BOW_COMPILER;
    uint64_t need = more || !reserves ? 0 : words_of(i), only = m->only;
    for (int s = m->part * OPS; s < i->nsrc && s < (m->part + 1) * OPS; s++)
        need |= reg_bit(i->src[s]);
    for (int r = 0; r < REGS && !more; r++)
        if (m->named[r] >= m->window) only &= ~reg_bit(r);
    if (more && reserves) only |= words_of(i);
    const uint32_t room = more ? m->out.more_room[ME] : m->out.alloc_room[ME];
    return __builtin_popcountll(need & ~only) + (m->in.res_valid[0] != 0) <= (int)room;
}

static void name(Machine *m, const Inst *i, bool more) {
    for (int r = 0; !more && r < REGS; r++) m->named[r] += m->named[r] < 255;
    for (int s = m->part * OPS; s < i->nsrc && s < (m->part + 1) * OPS; s++)
        m->named[i->src[s]] = 1;
    for (int w = 0; !more && w < i->words; w++) m->named[i->dst + w] = 1;
}

// In program order: the instruction's result. A lane that is off keeps its value.
static void compute(Machine *m, const Inst *i) {
    uint32_t value[BOW_WORDS];
    for (int w = 0; w < i->words; w++) value[w] = value_of(m, m->at, w);
    for (int w = 0; w < i->words; w++) {
        const uint32_t v[2] = {value[w], mixed(value[w], 31)};
        for (int l = 0; l < 2; l++)
            if (lane_on(i->lanes, l)) m->arch[i->dst + w][l] = v[l];
        m->result[m->nresults++] = (Result){(uint8_t)(i->dst + w),
                                            i->bits,
                                            (uint8_t)m->at,
                                            i->homeless,
                                            i->lanes,
                                            value[w],
                                            UINT32_MAX};
        if (i->bits) m->only &= ~reg_bit(i->dst + w);  // 00 leaves the row that there is
        if (i->bits == BOC_ONLY && m->mode == BOW_COMPILER) m->only |= reg_bit(i->dst + w);
    }
}

static void try_to_enter(Machine *m) {
    if (m->at == m->n) return;
    const Inst *i = &m->program[m->at];
    const bool more = m->part > 0;
    const uint32_t head = m->out.alloc_slot[ME], window = (uint32_t)m->window;
    const uint32_t slot = more ? (head + window - 1) % window : head;
    uint64_t names = words_of(i);
    for (int s = 0; s < i->nsrc; s++) names |= reg_bit(i->src[s]);
    if (!more && (names & m->writing || (!m->war && words_of(i) & m->reading))) return;
    if (m->slot[slot].there) return;
    assert_true(more || m->out.alloc_ready[ME]);
    if (!i->pass && !entry_fits(m, i, more)) {
        m->in.press[ME] = 1;
        return;
    }
    m->in.alloc_valid[0] = 1;
    m->in.alloc_coll[0] = ME, m->in.alloc_more[0] = more, m->in.alloc_pass[0] = i->pass,
    m->in.alloc_unit[0] = i->unit;
    m->in.alloc_need[0] = 0;
    m->slot[slot] = (Part){!i->pass, (uint8_t)m->at, (uint8_t)m->part, {0}};
    for (int o = 0; o < OPS && m->part * OPS + o < i->nsrc; o++) {
        const int reg = i->src[m->part * OPS + o];
        m->in.alloc_need[0] |= 1u << o;
        m->in.alloc_src[o] = (uint32_t)reg;
        m->slot[slot].expected[o] = m->arch[reg][0];
        if (!i->pass) m->reading |= reg_bit(reg);
    }
    m->in.alloc_words[0] = more ? 0 : (uint32_t)i->words;
    m->in.alloc_dst[0] = i->dst;
    m->in.alloc_only[0] = i->bits == BOC_ONLY;
    name(m, i, more);
    if (++m->part < parts_of(i)) return;
    m->part = 0;
    if (!i->pass) {
        compute(m, i);
        m->writing |= words_of(i);
    }
    m->at++;
}

static void forwards(Machine *m) { m->forwards += __builtin_popcount(m->out.fwd[0]); }

static bool percent(Machine *m, int p) { return stim_percent(&m->random, p); }

static void cycle(Machine *m, uint32_t now) {
    memset(&m->in, 0, sizeof m->in);
    m->in.mode[0] = (uint32_t)m->mode;
    present_results(m, now, (uint32_t)m->at);
    if (m->due >= 0) {
        m->in.rd_data_valid[0] = 1, m->in.rd_data_coll[0] = ME;
        put_row(m->in.rd_data[0], m->due_value);
        m->due = -1;
    }
    bypass_collector_model.eval(m->model, &m->in, &m->out);
    forwards(m);
    if (m->out.rd_valid[ME] && percent(m, m->grant)) {
        m->in.rd_grant[ME] = 1;
        m->due = (int)m->out.rd_reg[ME];
        memcpy(m->due_value, m->rf[m->due], sizeof m->due_value);
        m->reads++;
    }
    for (int p = 0; p < WRITERS; p++) m->in.wr_ready[0] |= (uint32_t)percent(m, m->write) << p;
    for (int d = 0; d < UNITS; d++) m->in.disp_ready[0] |= (uint32_t)percent(m, m->take) << d;
    take_results(m);
    const uint32_t taken = m->out.disp_valid[0] & m->in.disp_ready[0];
    // one instruction per BOC
    assert_true((m->out.disp_valid[0] & (m->out.disp_valid[0] - 1)) == 0);
    try_to_enter(m);
    for (int d = 0; d < UNITS; d++)
        if (taken >> d & 1) dispatched(m, d, now);
    bypass_collector_model.tick(m->model, &m->in);
}

static bool waits(const Machine *m) {
    for (int s = 0; s < m->window; s++)
        if (m->slot[s].there) return true;
    return false;
}

// Runs a program to its end and until nothing is under way or waits for its save.
static void run(Machine *m, const Inst *program, int n) {
    m->program = program, m->n = n, m->at = m->part = 0;
    int idle = 0, last = 0;
    for (uint32_t now = 0; m->at < n || waits(m) || m->nresults || m->out.saving[ME] || idle < 3;
         now++) {
        cycle(m, now);
        const int progress = m->at + m->dispatched - m->nresults + m->writes + m->part;
        idle = progress == last ? idle + 1 : 0;
        last = progress;
        assert_true(idle < STUCK);
    }
}

// ---- programs -----------------------------------------------------------------------------------

static Inst inst(int dst, int a, int b, int c) {
    Inst i = {
        .dst = (uint8_t)(dst < 0 ? 0 : dst), .words = dst >= 0, .bits = BOTH, .lanes = UINT32_MAX};
    const int src[] = {a, b, c};
    for (int k = 0; k < 3; k++)
        if (src[k] >= 0) i.src[i.nsrc++] = (uint8_t)src[k];
    return i;
}

static bool reads(const Inst *i, int reg) {
    for (int s = 0; s < i->nsrc; s++)
        if (i->src[s] == reg) return true;
    return false;
}

// Compiler bits of the word `reg` of instruction `at`, on a program without branches that ends with
// nothing live.
static int word_bits(const Inst *p, int n, int at, int reg, int window) {
    int last = at, near = 0, read = 0;
    bool gaps = true;
    for (int i = at + 1; i < n; i++) {
        if (reads(&p[i], reg)) {
            read = 1;
            near |= i - at < window;
            gaps &= i - last < window;
            last = i;
        }
        if (words_of(&p[i]) & reg_bit(reg) && !p[i].pass) {
            if (!p[i].partial) break;
            gaps = false;  // the lanes that are off live on
            read = 1;
        }
    }
    return !read ? 0 : near && gaps && !p[at].partial ? BOC_ONLY : near ? BOTH : RF_ONLY;
}

static void set_bits(Inst *p, int n, int window) {
    for (int i = 0; i < n; i++) {
        int all = 0;
        for (int w = 0; w < p[i].words; w++) all |= word_bits(p, n, i, p[i].dst + w, window);
        p[i].bits = (uint8_t)all;
    }
}

// The row bound: BOC-only registers of the window, and the instruction's other sources.
static void bound_rows(Inst *p, int n, int window, int values) {
    for (bool again = true; again;) {
        again = false;
        uint8_t named[REGS];
        uint64_t only = 0;
        memset(named, 255, sizeof named);
        for (int i = 0; i < n && !again; i++) {
            for (int r = 0; r < REGS; r++)
                if (named[r] < 255 && ++named[r] > window) only &= ~reg_bit(r);
            uint64_t other = 0;
            for (int s = 0; s < p[i].nsrc; s++)
                other |= reg_bit(p[i].src[s]), named[p[i].src[s]] = 1;
            for (int w = 0; w < p[i].words; w++) named[p[i].dst + w] = 1;
            const uint64_t writes = p[i].pass || !p[i].bits ? 0 : words_of(&p[i]);
            const uint64_t held = p[i].bits == BOC_ONLY ? only | writes : only;
            if (__builtin_popcountll(held) + __builtin_popcountll(other & ~held) > values) {
                int longest = i;
                for (int k = i; k >= 0; k--)
                    if (p[k].bits == BOC_ONLY && words_of(&p[k]) & held) longest = k;
                p[longest].bits = BOTH, p[longest].homeless = false;
                again = true;
            }
            only = p[i].bits == BOC_ONLY ? held : only & ~writes;
        }
    }
}

// ---- thesis Figure 3.6 --------------------------------------------------------------------------

// Line 2 is at place 0; line 12 has no registers.
static int figure(Inst *p, int window) {
    const Inst lines[] = {inst(3, 8, -1, -1), inst(2, -1, -1, -1),  inst(1, 0, 2, -1),
                          inst(1, 0, 2, 1),   inst(1, 1, -1, -1),   inst(0, 0, 2, 1),
                          inst(0, 0, -1, -1), inst(0, 9, 0, -1),    inst(1, 0, -1, -1),
                          inst(2, 1, -1, -1), inst(-1, -1, -1, -1), inst(-1, 2, -1, -1),
                          inst(-1, 3, 1, -1)};
    const int n = sizeof lines / sizeof *lines;
    memcpy(p, lines, sizeof lines);
    set_bits(p, n, window);
    return n;
}

static void figure_counts(int window, int mode, int total, const int *of, int rf_reads) {
    Inst p[16];
    Machine m;
    machine_open(&m, window, 4 * window, mode);
    m.hold_load = 3;
    m.latency = 1;
    run(&m, p, figure(p, window));
    assert_int_equal(m.writes, total);
    for (int r = 0; of && r < 4; r++) assert_int_equal(m.writes_of[r], of[r]);
    if (rf_reads) assert_int_equal(m.reads, rf_reads);
    machine_close(&m);
}

static void figure_3_6(void **state) {
    (void)state;
    const int through[] = {3, 4, 2, 1}, back[] = {1, 2, 1, 1}, compiler[] = {0, 1, 0, 1};
    figure_counts(3, BOW_WRITE_THROUGH, 10, through, 5);
    figure_counts(3, BOW_WRITE_BACK, 5, back, 4);
    figure_counts(3, BOW_COMPILER, 2, compiler, 4);
    figure_counts(2, BOW_WRITE_THROUGH, 10, through, 0);
    figure_counts(2, BOW_WRITE_BACK, 6, NULL, 0);
    figure_counts(2, BOW_COMPILER, 4, NULL, 0);
    figure_counts(4, BOW_WRITE_THROUGH, 10, through, 0);
    figure_counts(4, BOW_WRITE_BACK, 3, NULL, 0);
    figure_counts(4, BOW_COMPILER, 1, NULL, 0);
    figure_counts(3, BOW_NO_FORWARD, 10, through, 18);
}

// ---- rules one by one ---------------------------------------------------------------------------

// RF reads of register 5 when it is read twice, `gap` places apart, with instructions of one kind
// between.
static int reads_over(int window, int gap, bool pass) {
    Inst p[16];
    Machine m;
    machine_open(&m, window, 4 * window, BOW_WRITE_THROUGH);
    p[0] = inst(-1, 5, -1, -1);
    for (int i = 1; i < gap; i++) p[i] = inst(-1, -1, -1, -1), p[i].pass = pass;
    p[gap] = inst(-1, 5, -1, -1);
    run(&m, p, gap + 1);
    assert_int_equal(m.reads + m.forwards, 2);
    machine_close(&m);
    return m.reads;
}

static void distance_less_than_window_is_forwarded(void **state) {
    (void)state;
    for (int window = 2; window <= 7; window++)
        for (int gap = 1; gap <= window + 1; gap++) {
            assert_int_equal(reads_over(window, gap, false), gap < window ? 1 : 2);
            assert_int_equal(reads_over(window, gap, true), gap < window ? 1 : 2);
        }
}

static void reading_again_extends_the_window(void **state) {
    (void)state;
    Inst p[101];
    for (int window = 2; window <= 7; window++) {
        Machine m;
        machine_open(&m, window, 4 * window, BOW_WRITE_BACK);
        for (int i = 0; i < 100; i++) p[i] = inst(-1, i % (window - 1) ? -1 : 5, -1, -1);
        run(&m, p, 100);
        assert_int_equal(m.reads, 1);
        machine_close(&m);
    }
}

// A reader that is switched off names its register: the true reader behind it is still forwarded.
static void an_instruction_that_is_switched_off_names_its_registers(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_COMPILER);
    Inst p[] = {inst(5, -1, -1, -1), inst(-1, -1, -1, -1), inst(-1, 5, -1, -1),
                inst(-1, -1, -1, -1), inst(-1, 5, -1, -1)};
    p[0].bits = BOC_ONLY;
    p[2].pass = true;
    run(&m, p, 5);
    assert_int_equal(m.writes + m.reads, 0);
    assert_int_equal(m.forwards, 1);
    machine_close(&m);
}

// The parts of an instruction with more than three sources take one place; both words of a pair are
// forwarded.
static void a_continuation_takes_no_place(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_COMPILER);
    Inst p[] = {inst(5, -1, -1, -1), inst(10, 20, 21, 22), inst(-1, 5, 10, 11)};
    p[0].bits = BOC_ONLY;
    p[1].words = 2, p[1].bits = BOC_ONLY, p[1].homeless = true;
    for (int s = 3; s < 6; s++) p[1].src[s] = (uint8_t)(20 + s);
    p[1].nsrc = 6;
    run(&m, p, 3);
    assert_int_equal(m.writes, 0);
    assert_int_equal(m.reads, 6);
    assert_int_equal(m.forwards, 3);
    machine_close(&m);
}

// The second part reads a register whose row the first part reserved: it is read, not taken for
// forwarded.
static void a_continuation_may_read_what_is_reserved(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_COMPILER);
    Inst p[] = {inst(24, 20, 21, 22), inst(-1, 24, 25, -1)};
    p[0].words = 2, p[0].bits = BOC_ONLY;
    for (int s = 3; s < 6; s++) p[0].src[s] = (uint8_t)(20 + s);
    p[0].nsrc = 6;
    run(&m, p, 2);
    assert_int_equal(m.writes, 0);
    assert_int_equal(m.reads, 6);
    assert_int_equal(m.forwards, 2);
    machine_close(&m);
}

// WAR is the collector's: the older instruction has not got its operands when the younger one could
// write.
static void an_older_reader_goes_first(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_WRITE_THROUGH);
    m.war = true;
    m.grant = 10;
    Inst p[] = {inst(-1, 1, 2, 5), inst(5, -1, -1, -1), inst(-1, 5, -1, -1)};
    p[1].unit = 1;
    run(&m, p, 3);
    machine_close(&m);
}

// Half size: seven registers in the window, nothing can be written for a long time.
static void full_of_dirty_rows_it_goes_on_as_ports_come_free(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 6, BOW_WRITE_BACK);
    m.write = 2;
    m.take = 20;
    Inst p[40];
    for (int i = 0; i < 40; i++) {
        p[i] = inst(4 * (i % 10), i % 7, 11 + i % 5, 20 + i % 11);
        p[i].words = i % 3 ? 1 : 4;
        p[i].unit = (uint8_t)(i % UNITS);
    }
    run(&m, p, 40);
    assert_int_equal(m.direct + m.saves, m.writes);
    machine_close(&m);
}

// A 10 result in some lanes, its register not there: the other lanes are unknown, the register file
// gets these.
static void lanes_of_an_absent_register_go_to_the_register_file(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_COMPILER);
    Inst p[] = {inst(5, -1, -1, -1), inst(-1, 5, -1, -1)};
    p[0].bits = BOC_ONLY, p[0].lanes = 1;
    run(&m, p, 2);
    assert_int_equal(m.direct, 1);
    assert_int_equal(m.reads, 1);
    assert_int_equal(m.rf[5][1], 5001);
    assert_int_equal(m.rf[5][0], m.arch[5][0]);
    machine_close(&m);
}

// ... there and clean: the lanes go into the row, and only the row.
static void lanes_of_a_clean_register_stay(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_COMPILER);
    Inst p[] = {inst(-1, 5, -1, -1),  inst(5, -1, -1, -1),  inst(-1, 5, -1, -1),
                inst(-1, -1, -1, -1), inst(-1, -1, -1, -1), inst(-1, -1, -1, -1)};
    p[1].bits = BOC_ONLY, p[1].lanes = 1;
    run(&m, p, 6);
    assert_int_equal(m.writes, 0);
    assert_int_equal(m.forwards, 1);
    assert_int_equal(m.rf[5][0], 5000);
    machine_close(&m);
}

// ... there and dirty: saved with all lanes.
static void lanes_over_a_dirty_register_are_merged(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_WRITE_BACK);
    Inst p[] = {inst(5, -1, -1, -1), inst(5, -1, -1, -1), inst(-1, -1, -1, -1),
                inst(-1, -1, -1, -1), inst(-1, -1, -1, -1)};
    p[1].lanes = 1;
    run(&m, p, 5);
    assert_int_equal(m.writes, 1);
    assert_int_equal(m.rf[5][0], m.arch[5][0]);
    assert_int_equal(m.rf[5][1], m.arch[5][1]);
    machine_close(&m);
}

// The slot has passed on when the result arrives: it is written, and not kept.
static void a_late_result_is_written(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_COMPILER);
    Inst p[] = {inst(5, -1, -1, -1), inst(-1, -1, -1, -1), inst(-1, -1, -1, -1),
                inst(-1, -1, -1, -1), inst(-1, 5, -1, -1)};
    m.hold_load = 3;
    run(&m, p, 5);
    assert_int_equal(m.direct, 1);
    assert_int_equal(m.reads, 1);
    machine_close(&m);
}

// ---- driven by hand -----------------------------------------------------------------------------

static void tick(Machine *m) {
    bypass_collector_model.tick(m->model, &m->in);
    memset(&m->in, 0, sizeof m->in);
    m->in.mode[0] = (uint32_t)m->mode;
    bypass_collector_model.eval(m->model, &m->in, &m->out);
}

static void put_in(Machine *m, uint32_t unit, uint32_t need, uint32_t src, int dst) {
    m->in.alloc_valid[0] = 1, m->in.alloc_coll[0] = ME, m->in.alloc_unit[0] = unit;
    m->in.alloc_need[0] = need;
    for (uint32_t o = 0; o < OPS; o++) m->in.alloc_src[o] = src + o;
    m->in.alloc_words[0] = dst >= 0;
    m->in.alloc_dst[0] = dst < 0 ? 0 : (uint32_t)dst;
}

static void put_result(Machine *m, int p, uint32_t reg, uint32_t bits) {
    m->in.res_valid[0] |= 1u << p;
    m->in.res_coll[p] = ME, m->in.res_reg[p] = reg, m->in.res_write[p] = bits,
    m->in.res_lane[p] = UINT32_MAX;
    bypass_collector_model.eval(m->model, &m->in, &m->out);
}

// Ready for three units, of which two never take anything: the third is offered in the third cycle
// at last.
static void units_that_refuse_do_not_hold_up_the_others(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_WRITE_BACK);
    for (uint32_t u = 0; u < 3; u++) put_in(&m, u, 0, 0, -1), tick(&m);
    uint32_t offered = 0;
    for (int i = 0; i < 3; i++) {
        offered |= m.out.disp_valid[0];
        m.in.disp_ready[0] = 4;
        tick(&m);
    }
    assert_int_equal(offered & 3, 3);
    // it has left
    for (int i = 0; i < 4; i++) assert_int_equal(m.out.disp_valid[0] & 4, 0), tick(&m);
    machine_close(&m);
}

static void refused_by_all_it_asks_them_in_turn(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_WRITE_BACK);
    for (uint32_t u = 0; u < 3; u++) put_in(&m, u, 0, 0, -1), tick(&m);
    uint32_t offered[9];
    for (int i = 0; i < 9; i++) offered[i] = m.out.disp_valid[0], tick(&m);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(offered[i] | offered[i + 1] | offered[i + 2], 7);
        assert_int_equal(offered[i], offered[i + 3]);
    }
    machine_close(&m);
}

static void one_result_per_collector_and_cycle(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_WRITE_BACK);
    put_in(&m, 0, 0, 0, 4), tick(&m);
    put_in(&m, 0, 0, 0, 6), m.in.disp_ready[0] = 1, tick(&m);
    m.in.disp_ready[0] = 1, tick(&m);
    put_result(&m, 0, 4, 0), put_result(&m, 1, 6, 0);
    assert_int_equal(m.out.res_ready[0], 1);
    assert_int_equal(m.out.wr_valid[0], 0);
    tick(&m);
    put_result(&m, 1, 6, 0);
    assert_int_equal(m.out.res_ready[0], 2);
    machine_close(&m);
}

// The row waits for its save, which the port refuses. Then the new value goes to the register file
// alone: the old one is never written after it.
static void a_newer_value_cancels_the_save(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 2, 8, BOW_COMPILER);
    put_in(&m, 0, 0, 0, 4), tick(&m);
    m.in.disp_ready[0] = 1, tick(&m);
    put_result(&m, 0, 4, BOTH), tick(&m);
    put_in(&m, 0, 0, 0, -1), tick(&m);
    put_in(&m, 0, 0, 0, -1), m.in.disp_ready[0] = 1, tick(&m);  // register 4 has left the window
    assert_true(m.out.saving[ME]);
    m.in.disp_ready[0] = 1, tick(&m);
    put_in(&m, 0, 0, 0, 4), tick(&m);
    m.in.disp_ready[0] = 1, tick(&m);
    assert_int_equal(m.out.wr_save[0], 1u << ME % WRITERS);
    put_result(&m, 0, 4, RF_ONLY);
    assert_int_equal(m.out.wr_valid[0] & ~m.out.wr_save[0], 1);
    m.in.wr_ready[0] = 1, tick(&m);
    assert_int_equal(m.out.wr_valid[0], 0);
    assert_true(m.out.empty[ME]);
    machine_close(&m);
}

// Data of a read that was granted in the cycle of the drop does not reach the next warp's row.
static void a_dropped_collector_forgets_everything(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 3, 12, BOW_WRITE_BACK);
    put_in(&m, 0, 0, 0, 4), tick(&m);
    m.in.disp_ready[0] = 1, tick(&m);
    put_result(&m, 0, 4, 0), tick(&m);
    put_in(&m, 0, 1, 7, -1), tick(&m);
    assert_int_equal(m.out.rd_reg[ME], 7);
    m.in.rd_grant[ME] = m.in.drop[ME] = 1, tick(&m);
    assert_true(m.out.empty[ME]);
    assert_false(m.out.saving[ME]);
    m.in.rd_data_valid[0] = 1, m.in.rd_data_coll[0] = ME;
    put_in(&m, 0, 1, 4, -1), tick(&m);
    assert_int_equal(m.out.fwd[0], 0);
    assert_int_equal(m.out.rd_reg[ME], 4);  // of the register file, never the old warp's
    assert_int_equal(m.out.disp_valid[0], 0);
    machine_close(&m);
}

static void killed_registers_are_not_saved(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 2, 8, BOW_WRITE_BACK);
    for (int r = 4; r < 6; r++) {
        put_in(&m, 0, 0, 0, r), tick(&m);
        m.in.disp_ready[0] = 1, tick(&m);
        put_result(&m, 0, (uint32_t)r, 0), tick(&m);
    }
    put_in(&m, 0, 0, 0, -1), tick(&m);  // register 4 is to be saved
    assert_true(m.out.saving[ME]);
    m.in.kill_valid[0] = 1, m.in.kill_coll[0] = ME, m.in.kill_regs[0] = 1u << 4 | 1u << 5, tick(&m);
    assert_false(m.out.saving[ME]);
    m.in.disp_ready[0] = 1, tick(&m);
    assert_true(m.out.empty[ME]);
    machine_close(&m);
}

// An instruction without source operands passes the collector. Its results then return with these
// bits and lanes, one per cycle.
static void write_regs(Machine *m, uint32_t reg, uint32_t words, uint32_t bits, uint32_t lanes) {
    put_in(m, 0, 0, 0, (int)reg);
    m->in.alloc_words[0] = words, m->in.alloc_only[0] = bits == BOC_ONLY;
    tick(m);
    m->in.disp_ready[0] = 1, tick(m);
    for (uint32_t w = 0; w < words; w++) {
        put_result(m, 0, reg + w, bits);
        m->in.res_lane[0] = lanes;
        bypass_collector_model.eval(m->model, &m->in, &m->out);
        assert_int_equal(m->out.res_ready[0], 1);
        assert_int_equal(m->out.wr_valid[0] & ~m->out.wr_save[0], 0);
        tick(m);
    }
}

static void pass(Machine *m) {
    put_in(m, 0, 0, 0, -1);
    m->in.alloc_pass[0] = 1;
    tick(m);
}

static void more_dirty_rows_than_an_instruction_leaves_are_pressure(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 2, 6, BOW_WRITE_BACK);
    write_regs(&m, 8, 3, 0, UINT32_MAX);
    assert_false(m.out.saving[ME]);
    m.in.press[ME] = 1, tick(&m);
    assert_true(m.out.saving[ME]);
    tick(&m);
    assert_false(m.out.saving[ME]);
    write_regs(&m, 12, 1, 0, UINT32_MAX);
    assert_true(m.out.saving[ME]);
    assert_int_equal(m.out.wr_reg[ME % WRITERS], 8);  // the one that was taken first
    m.in.wr_ready[0] = 3, tick(&m);
    assert_false(m.out.saving[ME]);
    machine_close(&m);
}

static void rows_for_the_collector_alone_are_reserved_and_never_saved(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 2, 6, BOW_COMPILER);
    put_in(&m, 0, 0, 0, 8);
    m.in.alloc_words[0] = 4, m.in.alloc_only[0] = 1;
    tick(&m);
    assert_int_equal(m.out.alloc_room[ME], 2);
    machine_close(&m);
    machine_open(&m, 2, 6, BOW_COMPILER);
    write_regs(&m, 8, 4, BOC_ONLY, UINT32_MAX);
    m.in.press[ME] = 1, tick(&m);
    assert_false(m.out.saving[ME]);
    pass(&m), assert_int_equal(m.out.more_room[ME], 2);
    assert_int_equal(m.out.alloc_room[ME], 6);  // they leave with the next entry
    pass(&m), assert_int_equal(m.out.more_room[ME], 6);
    assert_true(m.out.empty[ME]);
    machine_close(&m);
}

// Lanes over lanes: the row is for the collector alone only if both results are. Returns whether it
// is saved at last.
static bool merged_is_saved(uint32_t first, uint32_t second) {
    Machine m;
    machine_open(&m, 2, 8, BOW_COMPILER);
    write_regs(&m, 8, 1, first, UINT32_MAX);
    write_regs(&m, 8, 1, second, 1);
    pass(&m), pass(&m);
    const bool saved = m.out.saving[ME];
    assert_int_equal(m.out.empty[ME], !saved);
    machine_close(&m);
    return saved;
}

static void merged_lanes_are_only_if_both_are(void **state) {
    (void)state;
    assert_false(merged_is_saved(BOC_ONLY, BOC_ONLY));
    assert_true(merged_is_saved(BOC_ONLY, BOTH));
    assert_true(merged_is_saved(BOTH, BOC_ONLY));
    assert_true(merged_is_saved(BOTH, BOTH));
}

static void a_row_that_is_overwritten_is_not_saved_twice(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 2, 8, BOW_WRITE_BACK);
    write_regs(&m, 8, 1, 0, UINT32_MAX);
    pass(&m), pass(&m);
    assert_true(m.out.saving[ME]);
    write_regs(&m, 8, 1, 0, UINT32_MAX);
    assert_false(m.out.saving[ME]);
    machine_close(&m);
}

// Lanes arrive late, in a row that is saved in this cycle: it is dirty again, and saved again.
static void lanes_that_come_while_the_row_is_saved_are_saved_too(void **state) {
    (void)state;
    Machine m;
    machine_open(&m, 2, 8, BOW_WRITE_BACK);
    write_regs(&m, 8, 1, 0, UINT32_MAX);
    put_in(&m, 0, 0, 0, 8), tick(&m);
    m.in.disp_ready[0] = 1, tick(&m);
    pass(&m), pass(&m);
    assert_int_equal(m.out.wr_save[0], 1u << ME % WRITERS);
    put_result(&m, 0, 8, 0);
    m.in.res_lane[0] = 1;
    bypass_collector_model.eval(m.model, &m.in, &m.out);
    assert_int_equal(m.out.wr_valid[0] & 1, 0);
    m.in.wr_ready[0] = 3, tick(&m);
    assert_true(m.out.saving[ME]);
    put_in(&m, 0, 1, 8, -1), tick(&m);
    assert_int_equal(m.out.fwd[0], 1);
    assert_int_equal(m.out.rd_valid[ME], 0);
    machine_close(&m);
}

// An instruction with three operands and a save take turns at the third read port.
static void a_save_shares_the_last_read_port(void **state) {
    (void)state;
    for (uint32_t need = 3; need <= 7; need += 4) {
        Machine m;
        machine_open(&m, 2, 8, BOW_WRITE_BACK);
        write_regs(&m, 8, 3, 0, UINT32_MAX);
        pass(&m), pass(&m);
        put_in(&m, 0, need, 8, -1), tick(&m);
        for (int i = 0; i < 6; i++) {
            const bool offered = m.out.disp_valid[0], save = m.out.wr_save[0];
            assert_int_equal(offered, need == 3 || i % 2 == 0);
            assert_int_equal(save, need == 3 || i % 2 == 1);
            tick(&m);
        }
        machine_close(&m);
    }
}

// ---- random programs ----------------------------------------------------------------------------

static int random_program(Inst *p, StimRandom *r, int n, int regs) {
    for (int i = 0; i < n; i++) {
        p[i] = (Inst){.bits = BOTH, .lanes = UINT32_MAX, .unit = (uint8_t)stim_below(r, UNITS)};
        const int most = stim_percent(r, 15) ? MAX_SRC : OPS;
        uint64_t seen = 0;
        for (int s = (int)stim_below(r, (uint32_t)most + 1); s > 0; s--) {
            const uint32_t reg = stim_below(r, (uint32_t)regs);
            if (!(seen >> reg & 1)) p[i].src[p[i].nsrc++] = (uint8_t)reg;
            seen |= reg_bit((int)reg);
        }
        if (stim_percent(r, 80)) p[i].words = stim_percent(r, 70) ? 1 : stim_percent(r, 60) ? 2 : 4;
        p[i].dst = (uint8_t)stim_below(r, (uint32_t)(regs - p[i].words + 1));
        if (stim_percent(r, 15))
            p[i].partial = true, p[i].lanes = stim_percent(r, 50) ? 1 : 0x80000001u - (1u << 31);
        if (p[i].nsrc <= OPS && stim_percent(r, 15)) p[i].pass = true;
    }
    return n;
}

static void check_memory(const Machine *m, const Inst *p, int n, int regs) {
    for (int reg = 0; reg < regs; reg++) {
        int last = -1;
        for (int i = 0; i < n; i++)
            if (words_of(&p[i]) & reg_bit(reg) && !p[i].pass) last = i;
        if (m->mode == BOW_COMPILER && last >= 0) continue;  // nothing is live at the end
        for (int l = 0; l < 2; l++) assert_int_equal(m->rf[reg][l], m->arch[reg][l]);
    }
}

static void random_run(StimRandom *r, int window, int values, int mode) {
    Inst p[MAX_PROGRAM];
    Machine m;
    machine_open(&m, window, values, mode);
    m.random.state = (uint64_t)stim_random(r) << 32 | 1;
    m.grant = 20 + (int)stim_below(r, 81), m.take = 20 + (int)stim_below(r, 81),
    m.write = 5 + (int)stim_below(r, 96);
    m.latency = 1 + (int)stim_below(r, 30);
    m.war = stim_percent(r, 50);
    const int regs = 6 + (int)stim_below(r, 20), n = random_program(p, r, 200, regs);
    if (mode == BOW_COMPILER) {
        set_bits(p, n, window);
        for (int i = 0; i < n; i++) p[i].homeless = p[i].bits == BOC_ONLY && stim_percent(r, 50);
        bound_rows(p, n, window, values);
    }
    for (int i = 0; i < window; i++) p[n + i] = inst(-1, -1, -1, -1);
    run(&m, p, n + window);
    check_memory(&m, p, n, regs);
    int sources = 0;
    for (int i = 0; i < n; i++) sources += p[i].pass ? 0 : p[i].nsrc;
    assert_int_equal(m.reads + m.forwards, sources);
    if (mode == BOW_NO_FORWARD) assert_int_equal(m.reads, sources);
    machine_close(&m);
}

static void random_programs_compute_what_they_should(void **state) {
    (void)state;
    StimRandom r = {0x123456789abcdefull};
    for (int i = 0; i < 1500; i++) {
        const int window = 2 + (int)stim_below(&r, 6), half = (int)stim_below(&r, 2);
        const int values = half ? 2 * window < 6 ? 6 : 2 * window : 4 * window;
        random_run(&r, window, values, (int)stim_below(&r, 4));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_3_6),
        cmocka_unit_test(distance_less_than_window_is_forwarded),
        cmocka_unit_test(reading_again_extends_the_window),
        cmocka_unit_test(an_instruction_that_is_switched_off_names_its_registers),
        cmocka_unit_test(a_continuation_takes_no_place),
        cmocka_unit_test(a_continuation_may_read_what_is_reserved),
        cmocka_unit_test(an_older_reader_goes_first),
        cmocka_unit_test(full_of_dirty_rows_it_goes_on_as_ports_come_free),
        cmocka_unit_test(lanes_of_an_absent_register_go_to_the_register_file),
        cmocka_unit_test(lanes_of_a_clean_register_stay),
        cmocka_unit_test(lanes_over_a_dirty_register_are_merged),
        cmocka_unit_test(a_late_result_is_written),
        cmocka_unit_test(units_that_refuse_do_not_hold_up_the_others),
        cmocka_unit_test(refused_by_all_it_asks_them_in_turn),
        cmocka_unit_test(one_result_per_collector_and_cycle),
        cmocka_unit_test(a_newer_value_cancels_the_save),
        cmocka_unit_test(a_dropped_collector_forgets_everything),
        cmocka_unit_test(killed_registers_are_not_saved),
        cmocka_unit_test(more_dirty_rows_than_an_instruction_leaves_are_pressure),
        cmocka_unit_test(rows_for_the_collector_alone_are_reserved_and_never_saved),
        cmocka_unit_test(merged_lanes_are_only_if_both_are),
        cmocka_unit_test(a_row_that_is_overwritten_is_not_saved_twice),
        cmocka_unit_test(lanes_that_come_while_the_row_is_saved_are_saved_too),
        cmocka_unit_test(a_save_shares_the_last_read_port),
        cmocka_unit_test(random_programs_compute_what_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
