// SPDX-License-Identifier: Apache-2.0
// Golden model of rf_datapath: the golden models of its parts, wired in C as the contract says.
// `dp_settle` computes all values that depend on state alone, once after each change. `dp_decide`
// computes the decisions about writers, frees and hints, at the latest at the clock edge. Arriving
// instructions change neither of them, so their lookups run at the clock edge.
#include "models/rf/rf_datapath.h"

#include "models/rename/alloc_unit.h"
#include "models/rf/banked_rf.h"
#include "models/collect/coalescer.h"
#include "models/collect/packed_collector.h"
#include "models/pack/packer.h"
#include "models/rename/rename_table.h"
#include "models/pack/unpacker.h"
#include "models/pack/width_detect.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_FIRST, STEP_MERGE_ASK, STEP_MERGE_GET, STEP_PLACE, STEP_PLACED };
enum { NONE = -1 };

typedef struct Place {
    uint32_t bank, entry, mask;
} Place;

// An entry register: an instruction whose registers are looked up.
typedef struct Entry {
    bool busy;
    uint32_t warp, unit, reg[DP_MAX_OPS];
    uint32_t need, again, known, answered;  // again: refused so far; known: before this cycle
    uint32_t dst_n, dst_done, dst[DP_MAX_DST];
    Place place[DP_MAX_OPS];
    int slot;  // collector it moves to at this clock edge, NONE
} Entry;

// Destinations of the last instruction that moved from an entry, without a lookup so far.
typedef struct Late {
    uint32_t warp, n, done, reg[DP_MAX_DST];
} Late;

// Stage 1 and stage 2 of a writer.
typedef struct Write1 {
    bool busy;
    int step;
    uint32_t warp, reg, need, lanes;
    Place place;  // old one; from STEP_PLACED on the new one
    uint32_t pair, buddy, align, kind;
    bool seeks, comes;  // the buddy lookup is pending; its place arrives in this cycle
    Place buddy_place;
    uint32_t data[32];
} Write1;
typedef struct Write2 {
    bool busy, bank_done, update_done;
    uint32_t warp, reg, lanes;
    Place place;
    uint32_t data[32];
} Write2;

// Requests of stage 1 of a writer in this cycle.
typedef struct Ask {
    bool in_place, merge, buddy, place;  // the last three: requested in this cycle
    Place buddy_place;
} Ask;

typedef struct Datapath {
    int params[10];
    int warps, regs, banks, entries, num_coll, num_ops, num_alloc, num_disp, num_wr;
    void *rt, *au, *rf, *co, *up, *wd, *pk;
    PackedPool pool;
    Entry entry[DP_MAX_ALLOC];
    Late late[DP_MAX_ALLOC];
    // shown destinations: of moved instructions; their numbers
    uint32_t shown_late, shown_index[DP_MAX_ALLOC];
    int first;  // entry with priority for a collector
    struct {
        uint32_t policy, mode, pack, table, kernel, grow, order, shrink;
    } cfg;
    unsigned ideal;  // DP_IDEAL_*
    uint32_t hints;  // address of the hints in alloc_unit's observation
    Write1 w1[DP_MAX_WR];
    Write2 w2[DP_MAX_WR];
    int merging;           // writer whose merge read is delivered in this cycle, NONE
    RfDatapathOut status;  // obs_* of the previous cycle
    // from state alone
    int offer[DP_MAX_DISP];
    // decided from inputs; good for the inputs in `seen`
    bool decided;
    RfDatapathIn seen;
    Ask ask[DP_MAX_WR];
    int merge_asks;   // writer that asks a bank, NONE
    uint32_t served;  // writers that ask bank and table to finish
    uint32_t done, leaves, accepts, taken_w2;
    RenameTableIn rt_in;
    RenameTableOut rt_out;
    AllocUnitIn au_in;
    AllocUnitOut au_out;
    BankedRfIn rf_in;
    BankedRfOut rf_out;
    CoalescerIn co_in;
    CoalescerOut co_out;
    UnpackerIn up_in;
    UnpackerOut up_out;
    WidthDetectIn wd_in;
    WidthDetectOut wd_out;
    uint32_t sized, size[DP_MAX_WR];  // results whose sizes were found in this cycle
    PackerIn pk_in;
    PackerOut pk_out;
} Datapath;

// Slices of a mask: a digit per mask.
static uint32_t ones(uint32_t mask) { return (uint32_t)(0x4332322132212110u >> 4 * mask & 7); }

// ---- values that depend on state alone ---------------------------------------------------------

// Places known in this cycle.
static void settle_entry(Datapath *m, int a) {
    Entry *k = &m->entry[a];
    k->answered = m->rt_out.src_answer[0] >> a * m->num_ops & ((1u << m->num_ops) - 1);
    for (uint32_t left = k->answered; left; left &= left - 1) {
        const int o = __builtin_ctz(left), l = a * m->num_ops + o;
        k->place[o] = m->rt_out.src_mask[l]
            ? (Place){m->rt_out.src_bank[l], m->rt_out.src_entry[l], m->rt_out.src_mask[l]}
            : (Place){0};
    }
}

static bool late_occupied(const Late *d) { return d->done < d->n; }

static bool entry_complete(const Datapath *m, int a) {
    const Entry *k = &m->entry[a];
    return k->busy && !k->again && (k->dst_done == k->dst_n || !late_occupied(&m->late[a]));
}

// Complete entries get the free collectors in their order.
static void settle_entries(Datapath *m) {
    int got = 0;
    for (int a = 0; a < m->num_alloc; a++) {
        m->entry[a].slot = NONE;
        if (m->entry[a].busy) settle_entry(m, a);
    }
    for (int i = 0; i < m->num_alloc; i++) {
        const int a = (m->first + i) % m->num_alloc;
        if (entry_complete(m, a)) m->entry[a].slot = packed_slot(&m->pool, got++);
    }
}

// Rows that the banks deliver in this cycle, unpacked.
static void unpack_rows(Datapath *m) {
    m->up_in.up_valid[0] = m->rf_out.rd_data_valid[0];
    for (uint32_t left = m->rf_out.rd_data_valid[0]; left; left &= left - 1) {
        const int b = __builtin_ctz(left), c = (int)m->rf_out.rd_data_coll[b];
        memcpy(m->up_in.up_row[b], m->rf_out.rd_data[b], 128);
        const bool merges = c == m->num_coll;
        m->up_in.up_mask1[b] =
            merges ? m->w1[m->merging].place.mask : m->pool.coll[c].granted.mask1;
        m->up_in.up_mask2[b] = merges ? 0 : m->pool.coll[c].granted.mask2;
    }
    if (m->up_in.up_valid[0]) unpacker_model.eval(m->up, &m->up_in, &m->up_out);
}

static void dp_settle(Datapath *m) {
    m->decided = false;
    m->rt_in.src_valid[0] = m->rt_in.dst_valid[0] = m->rt_in.bd_valid[0] = m->rt_in.up_valid[0] = 0;
    m->rt_in.fr_valid[0] = m->rt_in.ex_valid[0] = 0;
    rename_table_model.eval(m->rt, &m->rt_in, &m->rt_out);
    m->au_in.rq_valid[0] = m->au_in.fr_valid[0] = m->au_in.hl_valid[0] = m->au_in.hq_valid[0] = 0;
    m->au_in.lk_valid[0] = 0;
    alloc_unit_model.eval(m->au, &m->au_in, &m->au_out);
    packed_offers(&m->pool, m->offer);
}

// ---- decisions of a cycle -----------------------------------------------------------------------

// Whether a write fits in the present place of its register.
static bool fits(const Write1 *s) { return s->place.mask && s->need <= ones(s->place.mask); }

// Requests of stage 1 of writer w.
static Ask decide_ask(const Datapath *m, int w) {
    const Write1 *s = &m->w1[w];
    Ask k = {.buddy_place = s->buddy_place};
    if (!s->busy) return k;
    const RenameTableOut *rt = &m->rt_out;
    if (s->comes)
        k.buddy_place =
            rt->bd_mask[w] ? (Place){rt->bd_bank[w], rt->bd_entry[w], rt->bd_mask[w]} : (Place){0};
    const bool first = s->step == STEP_FIRST;
    k.in_place = first && fits(s);
    k.merge = s->step == STEP_MERGE_ASK ||
        (first && s->place.mask && !k.in_place && s->lanes != UINT32_MAX);
    k.buddy = s->seeks;
    k.place = s->step != STEP_PLACED && !k.merge && !k.buddy;
    return k;
}

static uint32_t kind_of(const Write1 *s) {
    const uint32_t had = ones(s->place.mask);
    return !had ? AU_FIRST : s->need == had ? AU_KEEP : s->need < had ? AU_SHRINK : AU_GROW;
}

// Sizes of the arriving results, each computed once in a cycle.
static void find_sizes(Datapath *m, const RfDatapathIn *in, uint32_t results) {
    const uint32_t missing = results & ~m->sized;
    m->sized |= results;
    if (!missing || !m->cfg.pack) return;
    m->wd_in.wd_valid[0] = missing;
    for (uint32_t left = missing; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        memcpy(m->wd_in.wd_data[w], in->wr_data[w], 128);
        m->wd_in.wd_lane[w] = in->wr_lane[w], m->wd_in.wd_old[w] = 0;
    }
    width_detect_model.eval(m->wd, &m->wd_in, &m->wd_out);
    for (uint32_t left = missing; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        m->size[w] = m->wd_out.wd_size[w];
    }
}

static uint32_t size_of_result(const Datapath *m, int w) { return m->cfg.pack ? m->size[w] : 4; }

// The place of a register in the table.
static Place peek_place(const Datapath *m, uint32_t warp, uint32_t reg) {
    uint32_t words[4];
    rename_table_model.observe(m->rt, warp * (uint32_t)m->regs + reg, words);
    return words[0] ? (Place){words[0] >> 16 & 0xff, words[0] & 0xffff, words[0] >> 24 & 15}
                    : (Place){0};
}

// The row of an arriving result that may grow in the next cycle; mask 0: none.
static Place grows_next(Datapath *m, const RfDatapathIn *in, int w) {
    const Write1 *s = &m->w1[w];
    const bool waits = s->busy &&
        (s->step != STEP_FIRST ||
         (m->ask[w].place && kind_of(s) == AU_SHRINK && !(m->au_out.rq_ready[0] >> w & 1)));
    if (!(in->wr_valid[0] >> w & 1) || waits) return (Place){0};
    const bool looks_up = m->ideal & DP_IDEAL_LOOKUP;
    const Place p = looks_up ? peek_place(m, in->wr_warp[w], in->wr_reg[w])
                             : (Place){in->wr_old_bank[w], in->wr_old_entry[w], in->wr_old_mask[w]};
    if (!p.mask || (in->wr_lane[w] != UINT32_MAX && !(m->ideal & DP_IDEAL_MERGE)))
        return (Place){0};
    find_sizes(m, in, 1u << w);
    return size_of_result(m, w) > ones(p.mask) ? p : (Place){0};
}

// Rows that alloc_unit looks up one cycle before growth requests room in them.
static void decide_looks(Datapath *m, const RfDatapathIn *in) {
    AllocUnitIn *au = &m->au_in;
    au->lk_valid[0] = 0;
    for (int w = 0; w < m->num_wr && !m->cfg.grow; w++) {
        const Place p = m->ask[w].merge ? m->w1[w].place : grows_next(m, in, w);
        if (!p.mask) continue;
        au->lk_valid[0] |= 1u << w;
        au->lk_bank[w] = p.bank, au->lk_entry[w] = p.entry;
    }
}

static void decide_places(Datapath *m, const RfDatapathIn *in) {
    AllocUnitIn *au = &m->au_in;
    au->policy[0] = m->cfg.policy, au->cfg_grow[0] = m->cfg.grow, au->cfg_order[0] = m->cfg.order;
    decide_looks(m, in);
    au->rq_valid[0] = 0;
    for (int w = 0; w < m->num_wr; w++) {
        const Write1 *s = &m->w1[w];
        const Ask *k = &m->ask[w];
        if (!k->place) continue;
        au->rq_valid[0] |= 1u << w;
        au->rq_warp[w] = s->warp, au->rq_reg[w] = s->reg, au->rq_size[w] = s->need,
        au->rq_align[w] = s->align;
        au->rq_kind[w] = kind_of(s);
        au->rq_pair[0] = (au->rq_pair[0] & ~(1u << w)) | s->pair << w;
        au->rq_old_bank[w] = s->place.bank, au->rq_old_entry[w] = s->place.entry,
        au->rq_old_mask[w] = s->place.mask;
        au->rq_bd_bank[w] = k->buddy_place.bank, au->rq_bd_entry[w] = k->buddy_place.entry;
        au->rq_bd_mask[w] = k->buddy_place.mask;
    }
    au->fr_valid[0] = m->rt_out.freed_valid[0];
    for (uint32_t left = au->fr_valid[0]; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        au->fr_bank[l] = m->rt_out.freed_bank[l], au->fr_entry[l] = m->rt_out.freed_entry[l];
        au->fr_mask[l] = m->rt_out.freed_mask[l];
    }
    au->hl_valid[0] = in->hl_valid[0], au->hl_op[0] = in->hl_op[0],
    au->hl_kernel[0] = in->hl_kernel[0];
    au->hl_reg[0] = in->hl_reg[0], au->hl_value[0] = in->hl_value[0];
    au->hq_valid[0] = 0;
    alloc_unit_model.eval(m->au, au, &m->au_out);
}

// The place that alloc_unit answers to a writer.
static Place place_found(const Datapath *m, int w) {
    return (Place){m->au_out.al_bank[w], m->au_out.al_entry[w], m->au_out.al_mask[w]};
}

// Whether stage 1 itself requests bank and table. Its place is known, and no merged lanes are
// outstanding.
static bool writes_at_once(const Datapath *m, int w) {
    const Ask *k = &m->ask[w];
    const bool ideal = m->ideal & DP_IDEAL_ALLOC && k->place && m->w1[w].step != STEP_MERGE_GET;
    return (k->in_place || ideal) && m->au_out.al_done[0] >> w & 1;
}

// Reads of banks: collectors, the merge read.
static void ask_reads(Datapath *m) {
    BankedRfIn *rf = &m->rf_in;
    const uint32_t oldest = 1u << m->num_coll;
    uint32_t before = oldest;
    rf->rd_valid[0] = 0;
    for (int i = 0; i < m->pool.busy; i++) {
        const int c = m->pool.order[i];
        const PackedEntry *k = &m->pool.coll[c];
        rf->older[c] = before;
        before |= 1u << c;
        if (k->ask == PC_NONE) continue;
        const PackedRead *r = &k->read[k->ask];
        rf->rd_valid[0] |= 1u << c;
        rf->rd_bank[c] = r->bank, rf->rd_entry[c] = r->entry, rf->rd_entry2[c] = r->entry2;
        rf->rd_sel[c] = r->sel;
    }
    rf->older[m->num_coll] = 0;
    m->merge_asks = NONE;
    for (int w = m->num_wr - 1; w >= 0; w--)
        if (m->ask[w].merge) m->merge_asks = w;
    if (m->merge_asks == NONE) return;
    const Place *p = &m->w1[m->merge_asks].place;
    rf->rd_valid[0] |= oldest;
    rf->rd_bank[m->num_coll] = p->bank;
    rf->rd_entry[m->num_coll] = rf->rd_entry2[m->num_coll] = p->entry;
    rf->rd_sel[m->num_coll] = 0;
}

// Requests of writer w to banks and table, from stage 2 or from stage 1 that writes at once.
static void ask_write(Datapath *m, int w) {
    BankedRfIn *rf = &m->rf_in;
    const Write2 *t = &m->w2[w];
    const Write1 *s = &m->w1[w];
    m->served |= 1u << w;
    const Place p = t->busy ? t->place : place_found(m, w);
    const bool update = t->busy ? !t->update_done : m->au_out.al_kind[w] != AU_KEEP;
    m->rt_in.up_valid[0] |= (uint32_t)update << w;
    m->rt_in.up_warp[w] = t->busy ? t->warp : s->warp;
    m->rt_in.up_reg[w] = t->busy ? t->reg : s->reg;
    m->rt_in.up_bank[w] = p.bank, m->rt_in.up_entry[w] = p.entry, m->rt_in.up_mask[w] = p.mask;
    if (t->busy && t->bank_done) return;
    rf->wr_valid[0] |= 1u << w;
    rf->wr_bank[w] = p.bank, rf->wr_entry[w] = p.entry;
    rf->wr_lane[w] = t->busy ? t->lanes : m->au_out.al_kind[w] == AU_FIRST ? UINT32_MAX : s->lanes;
    m->pk_in.pk_valid[0] |= 1u << w;
    m->pk_in.pk_mask[w] = p.mask;
    memcpy(m->pk_in.pk_data[w], t->busy ? t->data : s->data, 128);
}

static void decide_banks(Datapath *m) {
    BankedRfIn *rf = &m->rf_in;
    ask_reads(m);
    rf->wr_valid[0] = m->pk_in.pk_valid[0] = 0;
    m->served = m->rt_in.up_valid[0] = 0;
    for (int w = 0; w < m->num_wr; w++)
        if (m->w2[w].busy || writes_at_once(m, w)) ask_write(m, w);
    if (m->pk_in.pk_valid[0]) packer_model.eval(m->pk, &m->pk_in, &m->pk_out);
    for (uint32_t left = rf->wr_valid[0]; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        rf->wr_slice[w] = m->pk_out.pk_slice[w];
        memcpy(rf->wr_data[w], m->pk_out.pk_out[w], 128);
    }
    banked_rf_model.eval(m->rf, rf, &m->rf_out);
}

// Requests to the rename table except those of instructions.
static void decide_table(Datapath *m, const RfDatapathIn *in) {
    RenameTableIn *rt = &m->rt_in;
    rt->cfg_table[0] = m->cfg.table;
    rt->freed_ready[0] = m->au_out.fr_ready[0];
    rt->dst_valid[0] = rt->src_valid[0] = rt->bd_valid[0] = 0;
    const bool seeks = m->cfg.policy == AU_PAIR && !(m->ideal & (DP_IDEAL_BUDDY | DP_IDEAL_LOOKUP));
    const uint32_t seek = seeks ? in->wr_valid[0] & in->wr_pair[0] : 0;
    for (int w = 0; w < m->num_wr; w++) {
        const Write1 *s = &m->w1[w];
        const bool own = m->ask[w].buddy;
        if (!own && !(seek >> w & 1)) continue;
        rt->bd_valid[0] |= 1u << w;
        rt->bd_warp[w] = own ? s->warp : in->wr_warp[w],
        rt->bd_reg[w] = own ? s->buddy : in->wr_buddy[w];
    }
    rt->fr_valid[0] = in->fr_valid[0], rt->fr_warp[0] = in->fr_warp[0],
    rt->fr_reg[0] = in->fr_reg[0];
    rename_table_model.eval(m->rt, rt, &m->rt_out);
}

static void dp_decide(Datapath *m, const RfDatapathIn *in) {
    m->sized = 0;
    for (int w = 0; w < m->num_wr; w++) m->ask[w] = decide_ask(m, w);
    decide_places(m, in);
    decide_banks(m);
    decide_table(m, in);
    m->done = m->leaves = m->accepts = m->taken_w2 = 0;
    for (int w = 0; w < m->num_wr; w++) {
        const uint32_t bit = 1u << w;
        const Write1 *s = &m->w1[w];
        const bool bank = !(m->rf_in.wr_valid[0] & bit) || m->rf_out.wr_ready[0] & bit;
        const bool update = !(m->rt_in.up_valid[0] & bit) || m->rt_out.up_ready[0] & bit;
        if (m->served & bit && bank && update) m->done |= bit;
        const bool free2 = !m->w2[w].busy || m->done & bit;
        const bool placed =
            (m->ask[w].place && m->au_out.al_done[0] & bit) || (s->busy && s->step == STEP_PLACED);
        if (placed && free2) m->leaves |= bit;
        if (in->wr_valid[0] & bit && (!s->busy || m->leaves & bit)) m->accepts |= bit;
    }
}

// Whether the decisions hold for these inputs. Only the inputs of dp_decide are compared.
static bool same_inputs(const RfDatapathIn *a, const RfDatapathIn *b) {
    const size_t from = offsetof(RfDatapathIn, wr_valid);
    return !memcmp((const char *)a + from, (const char *)b + from, sizeof *a - from);
}

static void dp_ensure(Datapath *m, const RfDatapathIn *in) {
    if (m->decided && same_inputs(&m->seen, in)) return;
    m->seen = *in;
    dp_decide(m, in);
    m->decided = true;
}

// Allocation ports that take an instruction.
static uint32_t dp_ready(const Datapath *m) {
    uint32_t ready = 0;
    for (int a = 0; a < m->num_alloc; a++)
        if (!m->entry[a].busy || m->entry[a].slot != NONE) ready |= 1u << a;
    return ready;
}

// Destinations found, and which instructions move on.
static void eval_entries(const Datapath *m, RfDatapathOut *out) {
    out->is_ready[0] = dp_ready(m);
    out->en_valid[0] = out->ds_late[0] = out->ds_mapped[0] = out->ds_pair[0] = 0;
    const uint32_t shown = out->ds_valid[0] = m->rt_out.dst_answer[0];
    for (int a = 0; a < m->num_alloc; a++) {
        const Entry *k = &m->entry[a];
        if (k->busy && k->slot != NONE)
            out->en_valid[0] |= 1u << a, out->en_slot[a] = (uint32_t)k->slot;
        if (!(shown >> a & 1)) continue;
        out->ds_index[a] = m->shown_index[a];
        out->ds_late[0] |= m->shown_late & 1u << a;
        out->ds_mask[a] = m->rt_out.dst_mask[a], out->ds_bank[a] = m->rt_out.dst_bank[a];
        out->ds_entry[a] = m->rt_out.dst_entry[a];
        out->ds_mapped[0] |= (uint32_t)(m->rt_out.dst_mask[a] != 0) << a;
        out->ds_pair[0] |= m->au_out.ha_pair[0] & 1u << a;
        out->ds_buddy[a] = m->au_out.ha_buddy[a] & ((1u << block_bits(m->regs)) - 1);
        out->ds_align[a] = m->au_out.ha_align[a];
    }
}

static void dp_eval(void *self, const void *inputs, void *outputs) {
    Datapath *m = self;
    RfDatapathOut *out = outputs;
    dp_ensure(m, inputs);
    const size_t status = offsetof(RfDatapathOut, obs_place);
    memcpy((char *)out + status, (const char *)&m->status + status, sizeof *out - status);
    eval_entries(m, out);
    out->disp_valid[0] = out->disp_need[0] = 0;
    for (int d = 0; d < m->num_disp; d++) {
        if (m->offer[d] == PC_NONE) continue;
        const PackedEntry *k = &m->pool.coll[m->offer[d]];
        out->disp_valid[0] |= 1u << d;
        out->disp_slot[d] = (uint32_t)m->offer[d];
        out->disp_need[0] |= k->need << d * m->num_ops;
        for (int o = 0; o < m->num_ops; o++) {
            uint32_t *to = out->disp_data[d * m->num_ops + o];
            if (k->unmapped >> o & 1) memset(to, 0, 128);
            else if (k->need >> o & 1) memcpy(to, m->pool.row[m->offer[d]][o], 128);
        }
    }
    out->wr_ready[0] = m->accepts, out->wr_done[0] = m->done;
    out->fr_ready[0] = m->rt_out.fr_ready[0], out->ex_ready[0] = m->rt_out.ex_ready[0];
    out->used_slices[0] = m->au_out.used_slices[0], out->used_regs[0] = m->au_out.used_regs[0];
}

// ---- the clock edge --------------------------------------------------------------------------

// Entries that move in this cycle, and of these those with operands.
static uint32_t moving(const Datapath *m) {
    uint32_t moves = 0;
    for (int a = 0; a < m->num_alloc; a++)
        if (m->entry[a].busy && m->entry[a].slot != NONE) moves |= 1u << a;
    return moves;
}

static uint32_t moving_reads(const Datapath *m) {
    uint32_t moves = moving(m);
    for (int a = 0; a < m->num_alloc; a++)
        if (!m->entry[a].need) moves &= ~(1u << a);
    return moves;
}

static uint32_t entries_waiting(const Datapath *m) {
    uint32_t waiting = 0;
    for (int a = 0; a < m->num_alloc; a++)
        if (entry_complete(m, a) && m->entry[a].slot == NONE) waiting |= 1u << a;
    return waiting;
}

// Status of this cycle, shown in the next one.
static void tick_status(Datapath *m) {
    RfDatapathOut *st = &m->status;
    const CoalescerOut *co = &m->co_out;
    const uint32_t moves = st->obs_place[0] = moving_reads(m);
    st->obs_op[0] = m->co_in.co_valid[0];
    st->obs_multi[0] = moves ? co->co_multi[0] & moves : 0;
    st->obs_possible[0] = moves ? co->co_possible[0] & moves : 0;
    st->obs_coalesced[0] = moves ? co->co_coalesced[0] & moves : 0;
    st->obs_merged[0] = moves ? co->co_merged[0] & moves : 0;
    for (uint32_t left = st->obs_op[0]; left; left &= left - 1)
        st->obs_op_size[__builtin_ctz(left)] = ones(m->co_in.co_mask[__builtin_ctz(left)]);
    st->obs_entry_wait[0] = entries_waiting(m);
    st->obs_bd[0] = m->rt_out.bd_ready[0],
    st->obs_bd_refused[0] = m->rt_in.bd_valid[0] & ~m->rt_out.bd_ready[0];
    const uint32_t reads = m->rf_in.rd_valid[0], merge = 1u << m->num_coll;
    st->obs_bank_read[0] = st->obs_bank_write[0] = 0;
    for (uint32_t left = m->rf_out.rd_grant[0]; left; left &= left - 1)
        st->obs_bank_read[0] |= 1u << m->rf_in.rd_bank[__builtin_ctz(left)];
    for (uint32_t left = m->rf_out.wr_ready[0]; left; left &= left - 1)
        st->obs_bank_write[0] |= 1u << m->rf_in.wr_bank[__builtin_ctz(left)];
    st->obs_rd_refused[0] = reads & ~m->rf_out.rd_grant[0] & ~merge;
    st->obs_wr_refused[0] = m->rf_in.wr_valid[0] & ~m->rf_out.wr_ready[0];
    st->obs_merge[0] = (m->rf_out.rd_grant[0] & merge) != 0;
    st->obs_alloc[0] = m->au_out.al_done[0], st->obs_none[0] = m->au_out.al_none[0];
    for (uint32_t left = st->obs_alloc[0]; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        st->obs_kind[w] = m->au_out.al_kind[w], st->obs_how[w] = m->au_out.al_how[w];
        st->obs_size[w] = m->w1[w].need;
    }
    st->obs_freed[0] = m->au_in.fr_valid[0] & m->au_out.fr_ready[0];
}

// A mask of lanes as a mask of bytes, the same for each slice.
static void lane_bytes(uint32_t bytes[8], uint32_t lanes) {
    for (int i = 0; i < 8; i++)
        bytes[i] = ((lanes >> 4 * i & 0xf) * 0x00204081u & 0x01010101u) * 0xffu;
}

static void move_to_stage2(Datapath *m, int w, bool bank_done, bool update_done) {
    const Write1 *s = &m->w1[w];
    Write2 *t = &m->w2[w];
    const bool placed = s->step == STEP_PLACED;
    const uint32_t kind = placed ? s->kind : m->au_out.al_kind[w];
    t->busy = true;
    t->bank_done = bank_done, t->update_done = update_done || kind == AU_KEEP;
    t->warp = s->warp, t->reg = s->reg;
    t->lanes = kind == AU_FIRST ? UINT32_MAX : s->lanes;
    t->place = placed ? s->place : place_found(m, w);
    memcpy(t->data, s->data, 128);
}

// Updates stage 1 when it does not leave: its next step, and the answers of this cycle.
static void tick_step(Datapath *m, int w) {
    Write1 *s = &m->w1[w];
    const Ask *k = &m->ask[w];
    const bool done = m->au_out.al_done[0] >> w & 1;
    s->buddy_place = k->buddy_place;
    s->comes = k->buddy && m->rt_out.bd_ready[0] >> w & 1;
    s->seeks = k->buddy && !s->comes;
    if (k->merge) {
        const bool granted = m->merge_asks == w && m->rf_out.rd_grant[0] >> m->num_coll & 1;
        s->step = granted ? STEP_MERGE_GET : STEP_MERGE_ASK;
        if (granted) m->merging = w;
    } else if (k->place && done) {
        s->step = STEP_PLACED, s->place = place_found(m, w), s->kind = m->au_out.al_kind[w];
    } else if (s->step != STEP_PLACED && !k->in_place) {
        s->step = STEP_PLACE;
    }
}

// Fills the lanes that are not written.
static void fill_lanes(Write1 *s, const uint32_t *old) {
    uint32_t bytes[8];
    lane_bytes(bytes, ~s->lanes);
    for (int i = 0; i < 32; i++) s->data[i] |= old[i] & bytes[i & 7];
    s->lanes = UINT32_MAX;
}

static void tick_merge(Datapath *m) {
    if (m->merging == NONE) return;
    Write1 *s = &m->w1[m->merging];
    fill_lanes(s, m->up_out.up_first[s->place.bank]);
    m->merging = NONE;
}

// ---- parts without cost (DP_IDEAL_*) -----------------------------------------------------------

// Reads the place and the hints of the register; those of the result are ignored.
static void ideal_lookup(Datapath *m, Write1 *s) {
    uint32_t words[4];
    s->place = peek_place(m, s->warp, s->reg);
    alloc_unit_model.observe(m->au, m->hints + m->cfg.kernel * AU_REGS + s->reg, words);
    s->align = words[0] & 3, s->pair = words[0] >> 2 & 1, s->buddy = words[0] >> 3 & 63;
}

static void ideal_merge(Datapath *m, Write1 *s) {
    UnpackerIn up = {.up_valid = {1}, .up_mask1 = {s->place.mask}};
    UnpackerOut out;
    banked_rf_model.observe(m->rf, s->place.bank * (uint32_t)m->entries + s->place.entry,
                            up.up_row[0]);
    unpacker_model.eval(m->up, &up, &out);
    fill_lanes(s, out.up_first[0]);
}

// Bytes that all 32 lanes need. Unwritten lanes keep the old value.
static uint32_t ideal_width(Datapath *m, const Write1 *s, const uint32_t *data) {
    Write1 whole = *s;
    WidthDetectIn in = {.wd_valid = {1}, .wd_lane = {UINT32_MAX}};
    WidthDetectOut out;
    uint32_t bytes[8];
    lane_bytes(bytes, s->lanes);
    for (int i = 0; i < 32; i++) whole.data[i] = data[i] & bytes[i & 7];
    ideal_merge(m, &whole);
    memcpy(in.wd_data[0], whole.data, 128);
    width_detect_model.eval(m->wd, &in, &out);
    return out.wd_size[0];
}

static void ideal_walk(Datapath *m, uint32_t warp) {
    for (uint32_t reg = 0; reg < (uint32_t)m->regs; reg++) {
        Place p;
        p.mask = rename_table_take(m->rt, warp, reg, &p.bank, &p.entry);
        if (p.mask) alloc_unit_give(m->au, p.bank, p.entry, p.mask);
    }
}

bool rf_datapath_resting(const void *self) {
    const Datapath *m = self;
    if (m->pool.busy || m->merging != NONE || m->rt_out.freed_valid[0] || !m->rt_out.ex_ready[0])
        return false;
    for (int a = 0; a < m->num_alloc; a++)
        if (m->entry[a].busy || late_occupied(&m->late[a])) return false;
    for (int w = 0; w < m->num_wr; w++)
        if (m->w1[w].busy || m->w2[w].busy) return false;
    const RfDatapathOut *st = &m->status;
    const uint32_t shown = st->obs_place[0] | st->obs_src_refused[0] | st->obs_dst_refused[0] |
        st->obs_entry_wait[0] | st->obs_bd[0] | st->obs_bd_refused[0] | st->obs_bank_read[0] |
        st->obs_bank_write[0] | st->obs_rd_refused[0] | st->obs_wr_refused[0] | st->obs_merge[0] |
        st->obs_alloc[0] | st->obs_none[0] | st->obs_freed[0];
    const RenameTableOut *rt = &m->rt_out;
    return !shown && !rt->src_answer[0] && !rt->dst_answer[0] && !rt->bd_answer[0] &&
        alloc_unit_resting(m->au);
}

void rf_datapath_ideal(void *self, unsigned mask) {
    Datapath *m = self;
    m->ideal = mask;
    rename_table_ideal(m->rt, mask & DP_IDEAL_LOOKUP);
    if (mask & DP_IDEAL_ALLOC) alloc_unit_ideal(m->au);
}

// Loads stage 1 with the result, except its data.
static void take_result(Datapath *m, const RfDatapathIn *in, int w) {
    Write1 *s = &m->w1[w];
    const bool pair = in->wr_pair[0] >> w & 1;
    *s = (Write1){.busy = true,
                  .warp = in->wr_warp[w],
                  .reg = in->wr_reg[w],
                  .lanes = in->wr_lane[w],
                  .pair = pair,
                  .buddy = pair ? in->wr_buddy[w] : 0,
                  .align = in->wr_align[w]};
    if (in->wr_old_mask[w])
        s->place = (Place){in->wr_old_bank[w], in->wr_old_entry[w], in->wr_old_mask[w]};
    if (m->ideal & DP_IDEAL_LOOKUP) ideal_lookup(m, s);
    const uint32_t size = size_of_result(m, w), had = ones(s->place.mask);
    s->need = (s->lanes != UINT32_MAX || m->cfg.shrink) && had > size ? had : size;
    if (m->ideal & DP_IDEAL_WIDTH && m->cfg.pack && s->lanes != UINT32_MAX && had) {
        const uint32_t width = ideal_width(m, s, in->wr_data[w]);
        s->need = m->cfg.shrink && had > width ? had : width;
    }
    if (!s->pair || m->cfg.policy != AU_PAIR) return;
    if (m->ideal & (DP_IDEAL_BUDDY | DP_IDEAL_LOOKUP)) {
        s->buddy_place = peek_place(m, s->warp, s->buddy);
        return;
    }
    s->comes = m->rt_out.bd_ready[0] >> w & 1;
    s->seeks = !s->comes && !fits(s);
}

static void tick_accept(Datapath *m, const RfDatapathIn *in, int w) {
    Write1 *s = &m->w1[w];
    uint32_t bytes[8];
    take_result(m, in, w);
    if (s->lanes == UINT32_MAX) {
        memcpy(s->data, in->wr_data[w], 128);
        return;
    }
    lane_bytes(bytes, s->lanes);
    for (int i = 0; i < 32; i++) s->data[i] = in->wr_data[w][i] & bytes[i & 7];
    if (!s->place.mask) return;
    // with the true width: slices are other bytes
    const bool grows = !fits(s), shrinks = s->need < ones(s->place.mask);
    if ((m->ideal & DP_IDEAL_MERGE && grows) || shrinks) ideal_merge(m, s);
}

static void tick_writers(Datapath *m, const RfDatapathIn *in) {
    find_sizes(m, in, m->accepts);
    tick_merge(m);
    for (int w = 0; w < m->num_wr; w++) {
        const uint32_t bit = 1u << w;
        Write2 *t = &m->w2[w];
        Write1 *s = &m->w1[w];
        const bool bank = m->rf_out.wr_ready[0] & bit, update = m->rt_out.up_ready[0] & bit;
        const bool fast = m->served & bit && !t->busy;
        if (t->busy) t->bank_done |= bank, t->update_done |= update;
        if (t->busy && m->done & bit) t->busy = false;
        if (m->leaves & bit) {
            if (!(fast && m->done & bit)) move_to_stage2(m, w, fast && bank, fast && update);
            s->busy = false;
        } else if (s->busy) {
            tick_step(m, w);
        }
        if (m->accepts & bit) tick_accept(m, in, w);
    }
}

// The operands of the moving entries pass through the coalescer.
static void coalesce(Datapath *m) {
    CoalescerIn *co = &m->co_in;
    co->co_mode[0] = m->cfg.mode, co->co_valid[0] = 0;
    for (int a = 0; a < m->num_alloc; a++) {
        const Entry *k = &m->entry[a];
        if (!k->busy || k->slot == NONE) continue;
        co->co_valid[0] |= k->need << a * m->num_ops;
        for (int o = 0; o < m->num_ops; o++) {
            const int l = a * m->num_ops + o;
            co->co_reg[l] = k->reg[o];
            co->co_bank[l] = k->place[o].bank, co->co_entry[l] = k->place[o].entry,
            co->co_mask[l] = k->place[o].mask;
        }
    }
    if (co->co_valid[0]) coalescer_model.eval(m->co, co, &m->co_out);
}

static void tick_move(Datapath *m, int a) {
    Entry *k = &m->entry[a];
    PackedRead reads[DP_MAX_OPS];
    const CoalescerOut *co = &m->co_out;
    const uint32_t valid =
        k->need ? co->rd_valid[0] >> a * m->num_ops & ((1u << m->num_ops) - 1) : 0;
    for (uint32_t left = valid; left; left &= left - 1) {
        const int o = __builtin_ctz(left), l = a * m->num_ops + o;
        reads[o] = (PackedRead){co->rd_bank[l],  co->rd_entry[l], co->rd_entry2[l], co->rd_sel[l],
                                co->rd_mask1[l], co->rd_mask2[l], co->rd_ops1[l],   co->rd_ops2[l]};
    }
    packed_enter(&m->pool, k->slot, k->unit, k->need, valid, reads, k->need ? co->co_unread[a] : 0);
    k->busy = false;
    if (k->dst_done == k->dst_n) return;
    m->late[a] = (Late){.warp = k->warp, .n = k->dst_n, .done = k->dst_done};
    memcpy(m->late[a].reg, k->dst, sizeof k->dst);
}

// Destinations that are looked up.
static uint32_t destinations(const Datapath *m, const RfDatapathIn *in, int a) {
    return m->ideal & DP_IDEAL_LOOKUP ? 0 : in->is_dst_n[a];
}

static void tick_issue(Datapath *m, const RfDatapathIn *in, int a) {
    Entry *k = &m->entry[a];
    const uint32_t need = in->is_need[a] & ((1u << m->num_ops) - 1);
    *k = (Entry){.busy = true,
                 .warp = in->is_warp[a],
                 .unit = in->is_unit[a],
                 .need = need,
                 .again = need,
                 .dst_n = destinations(m, in, a),
                 .slot = NONE};
    for (int o = 0; o < m->num_ops; o++) k->reg[o] = in->is_reg[a * m->num_ops + o];
    for (uint32_t i = 0; i < k->dst_n; i++) k->dst[i] = in->is_dst_reg[a * DP_MAX_DST + (int)i];
}

// Instructions that move into their collectors, those that arrive, and the entry that is first for
// a collector.
static void tick_entries(Datapath *m, const RfDatapathIn *in, uint32_t enters) {
    int first = NONE;
    for (int i = 0; i < m->num_alloc && first == NONE; i++) {
        const int a = (m->first + i) % m->num_alloc;
        if (entry_complete(m, a) && m->entry[a].slot == NONE) first = a;
    }
    if (first != NONE) m->first = first;
    for (int a = 0; a < m->num_alloc; a++) {
        Entry *k = &m->entry[a];
        k->known |= k->answered;
        if (k->busy && k->slot != NONE) tick_move(m, a);
        if (enters >> a & 1) tick_issue(m, in, a);
    }
}

// The source of the destination that port a looks up in this cycle.
enum { DST_NONE, DST_LATE, DST_ENTRY, DST_ARRIVES };

static int destination_of(const Datapath *m, const RfDatapathIn *in, uint32_t enters, int a) {
    const Entry *k = &m->entry[a];
    if (late_occupied(&m->late[a])) return DST_LATE;
    if (k->busy && k->dst_done < k->dst_n) return DST_ENTRY;
    return enters >> a & 1 && destinations(m, in, a) ? DST_ARRIVES : DST_NONE;
}

static void ask_destination(Datapath *m, const RfDatapathIn *in, int from, int a) {
    RenameTableIn *rt = &m->rt_in;
    const Late *d = &m->late[a];
    const Entry *k = &m->entry[a];
    rt->dst_valid[0] |= 1u << a;
    rt->dst_late[0] |= (uint32_t)(from == DST_LATE) << a;
    rt->dst_warp[a] = from == DST_LATE ? d->warp : from == DST_ENTRY ? k->warp : in->is_warp[a];
    m->shown_index[a] = from == DST_LATE ? d->done : from == DST_ENTRY ? k->dst_done : 0;
    rt->dst_reg[a] = from == DST_LATE ? d->reg[d->done]
        : from == DST_ENTRY           ? k->dst[k->dst_done]
                                      : in->is_dst_reg[a * DP_MAX_DST];
    m->au_in.hq_kernel[a] = m->cfg.kernel, m->au_in.hq_reg[a] = rt->dst_reg[a];
}

// Lookups of this cycle. An arriving instruction makes the same lookups as one in the entry.
static void ask_registers(Datapath *m, const RfDatapathIn *in, uint32_t enters,
                          int from[DP_MAX_ALLOC]) {
    RenameTableIn *rt = &m->rt_in;
    rt->src_valid[0] = rt->dst_valid[0] = rt->dst_late[0] = 0;
    for (int a = 0; a < m->num_alloc; a++) {
        const Entry *k = &m->entry[a];
        const bool arrives = enters >> a & 1;
        from[a] = destination_of(m, in, enters, a);
        if (from[a] != DST_NONE) ask_destination(m, in, from[a], a);
        if (!arrives && !(k->busy && k->again)) continue;
        const uint32_t need = in->is_need[a] & ((1u << m->num_ops) - 1);
        rt->src_valid[0] |= (arrives ? need : k->again) << a * m->num_ops;
        rt->src_warp[a] = arrives ? in->is_warp[a] : k->warp;
        for (int o = 0; o < m->num_ops; o++)
            rt->src_reg[a * m->num_ops + o] = arrives ? in->is_reg[a * m->num_ops + o] : k->reg[o];
    }
    m->au_in.hq_valid[0] = rt->dst_valid[0];
}

// The answers show which lookups were served. If the instruction moved, its destination is in the
// late register by now.
static void tick_served(Datapath *m, uint32_t src, uint32_t dst, const int from[DP_MAX_ALLOC],
                        uint32_t moved) {
    m->status.obs_src_refused[0] = src & ~m->rt_out.src_answer[0];
    m->status.obs_dst_refused[0] = dst & ~m->rt_out.dst_answer[0];
    m->shown_late = 0;
    for (int a = 0; a < m->num_alloc; a++) {
        m->entry[a].again &= ~(m->rt_out.src_answer[0] >> a * m->num_ops);
        if (!(m->rt_out.dst_answer[0] >> a & 1)) continue;
        const bool late = from[a] == DST_LATE || (from[a] == DST_ENTRY && moved >> a & 1);
        if (late) m->late[a].done++, m->shown_late |= 1u << a;
        else m->entry[a].dst_done++;
    }
}

static uint32_t tick_dispatch(const Datapath *m, const RfDatapathIn *in) {
    uint32_t leaving = 0;
    for (int d = 0; d < m->num_disp; d++)
        if (m->offer[d] != PC_NONE && in->disp_ready[0] >> d & 1) leaving |= 1u << m->offer[d];
    return leaving;
}

static void tick_collectors(Datapath *m, uint32_t leaving) {
    for (uint32_t left = m->up_in.up_valid[0]; left; left &= left - 1) {
        const int b = __builtin_ctz(left), c = (int)m->rf_out.rd_data_coll[b];
        if (c < m->num_coll)
            packed_store(&m->pool, c, m->up_out.up_first[b], m->up_out.up_second[b]);
    }
    packed_advance(&m->pool, m->rf_out.rd_grant[0] & ~(1u << m->num_coll), leaving);
}

static void dp_tick(void *self, const void *inputs) {
    Datapath *m = self;
    const RfDatapathIn *in = inputs;
    dp_ensure(m, in);
    const uint32_t enters = in->is_valid[0] & dp_ready(m), leaving = tick_dispatch(m, in);
    coalesce(m);
    tick_status(m);
    unpack_rows(m);
    int from[DP_MAX_ALLOC];
    const uint32_t moved = moving(m);
    ask_registers(m, in, enters, from);
    const bool walks = !(m->ideal & DP_IDEAL_WALK);
    m->rt_in.ex_valid[0] = in->ex_valid[0] && walks, m->rt_in.ex_warp[0] = in->ex_warp[0];

    tick_writers(m, in);
    tick_collectors(m, leaving);
    tick_entries(m, in, enters);
    const uint32_t src = m->rt_in.src_valid[0], dst = m->rt_in.dst_valid[0];
    rename_table_model.tick(m->rt, &m->rt_in);
    alloc_unit_model.tick(m->au, &m->au_in);
    banked_rf_model.tick(m->rf, &m->rf_in);
    if (in->ex_valid[0] && !walks) ideal_walk(m, in->ex_warp[0]);
    m->cfg.policy = in->cfg_policy[0], m->cfg.mode = in->cfg_mode[0], m->cfg.pack = in->cfg_pack[0];
    m->cfg.table = in->cfg_table[0], m->cfg.kernel = in->cfg_kernel[0];
    m->cfg.grow = in->cfg_grow[0], m->cfg.order = in->cfg_order[0],
    m->cfg.shrink = in->cfg_shrink[0];
    dp_settle(m);
    tick_served(m, src, dst, from, moved);
    settle_entries(m);
}

// ---- open, reset, observe ----------------------------------------------------------------------

static void dp_close(void *self) {
    Datapath *m = self;
    if (!m) return;
    if (m->rt) rename_table_model.close(m->rt);
    if (m->au) alloc_unit_model.close(m->au);
    if (m->rf) banked_rf_model.close(m->rf);
    if (m->co) coalescer_model.close(m->co);
    if (m->up) unpacker_model.close(m->up);
    if (m->wd) width_detect_model.close(m->wd);
    if (m->pk) packer_model.close(m->pk);
    free(m);
}

static void dp_reset(void *self) {
    Datapath *m = self;
    rename_table_model.reset(m->rt);
    alloc_unit_model.reset(m->au);
    banked_rf_model.reset(m->rf);
    packed_reset(&m->pool);
    memset(m->entry, 0, sizeof m->entry);
    memset(m->late, 0, sizeof m->late);
    m->shown_late = 0;
    m->first = 0;
    memset(&m->cfg, 0, sizeof m->cfg);
    memset(m->w1, 0, sizeof m->w1);
    memset(m->w2, 0, sizeof m->w2);
    memset(&m->status, 0, sizeof m->status);
    m->merging = NONE;
    dp_settle(m);
    settle_entries(m);
}

static void *dp_open(const int *params) {
    Datapath *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->warps = params[0], m->regs = params[1], m->banks = params[2], m->entries = params[3];
    m->num_coll = params[4], m->num_ops = params[5], m->num_alloc = params[6],
    m->num_disp = params[7];
    m->num_wr = params[8];
    const int kernels = params[9];
    m->pool.num_coll = m->num_coll, m->pool.num_ops = m->num_ops;
    m->pool.num_alloc = m->num_alloc, m->pool.num_disp = m->num_disp;
    const int freed = m->banks < RT_MAX_FREED ? m->banks : RT_MAX_FREED;
    m->rt = rename_table_model.open(
        (int[]){m->warps, m->regs, m->banks, m->entries, m->num_alloc, m->num_ops, m->num_wr});
    m->au = alloc_unit_model.open(
        (int[]){m->banks, m->entries, m->warps, m->num_wr, freed, kernels, m->num_alloc});
    m->rf = banked_rf_model.open((int[]){m->banks, m->entries, m->num_coll + 1, m->num_wr});
    m->co = coalescer_model.open((int[]){m->num_alloc, m->num_ops, m->banks, m->entries});
    m->up = unpacker_model.open(&m->banks);
    m->wd = width_detect_model.open(&m->num_wr);
    m->pk = packer_model.open(&m->num_wr);
    if (!m->rt || !m->au || !m->rf || !m->co || !m->up || !m->wd || !m->pk) {
        dp_close(m);
        return NULL;
    }
    // after map, open rows, banks
    m->hints = (uint32_t)(m->banks * ((m->entries + 15) / 16) + m->banks * 6);
    dp_reset(m);
    return m;
}

static uint32_t obs_place(const Place *p) {
    return p->mask ? 1u << 31 | p->mask << 24 | p->bank << 16 | p->entry : 0;
}

static void observe_collector(const Datapath *m, int c, uint32_t *words) {
    const PackedEntry *k = &m->pool.coll[c];
    if (!k->busy) return;
    words[0] = 1u | k->need << 1 | k->todo << 5 | (k->ask == PC_NONE ? 0u : 1u << k->ask) << 8 |
        (uint32_t)k->coming << 11 | k->missing << 12 | k->unmapped << 15 | k->unit << 18;
    for (int i = 0; m->pool.order[i] != c; i++) words[1] |= 1u << m->pool.order[i];
    for (int i = 0; i < m->num_ops; i++) {
        if (!(k->todo >> i & 1)) continue;
        const PackedRead *r = &k->read[i];
        words[2 + 3 * i] = r->bank << 16 | r->entry;
        words[3 + 3 * i] = r->entry2;
        words[4 + 3 * i] = r->sel | r->mask1 << 4 | r->mask2 << 8 | r->ops1 << 12 | r->ops2 << 16;
    }
}

static void observe_row(const Datapath *m, int row, uint32_t *words) {
    const int c = row / m->num_ops, o = row % m->num_ops;
    const PackedEntry *k = &m->pool.coll[c];
    if (k->busy && k->need >> o & 1 && !((k->missing | k->unmapped) >> o & 1))
        memcpy(words, m->pool.row[c][o], 128);
}

static void observe_late(const Late *d, uint32_t *words) {
    if (!late_occupied(d)) return;
    words[0] = 1u << 27;
    words[8] = d->n | d->done << 3 | d->warp << 8;
    for (uint32_t i = 0; i < d->n; i++) words[9] |= d->reg[i] << 8 * i;
}

static void observe_entry(const Datapath *m, int a, uint32_t *words) {
    const Entry *k = &m->entry[a];
    if (a == m->num_alloc) {
        words[0] = (uint32_t)m->first;
        words[1] = m->cfg.policy | m->cfg.mode << 2 | m->cfg.pack << 4 | m->cfg.table << 5 |
            m->cfg.grow << 6 | m->cfg.order << 7 | m->cfg.kernel << 8 | m->cfg.shrink << 11;
    }
    if (a == m->num_alloc) return;
    observe_late(&m->late[a], words);
    if (!k->busy) return;
    words[0] |= 1u | k->again << 1 | k->known << 4 | k->need << 7 | k->dst_n << 10 |
        k->dst_done << 13 | k->warp << 16 | k->unit << 24;
    for (int o = 0; o < m->num_ops; o++) {
        if (!(k->need >> o & 1)) continue;
        words[1 + 2 * o] = k->reg[o];
        if (k->known >> o & 1) words[2 + 2 * o] = obs_place(&k->place[o]);
    }
    for (uint32_t i = 0; i < k->dst_n; i++) words[7] |= k->dst[i] << 8 * i;
}

static void observe_writer(const Datapath *m, int i, uint32_t *words) {
    const Write1 *s = &m->w1[i / 2];
    const Write2 *t = &m->w2[i / 2];
    if (i % 2 == 0 && s->busy) {
        words[0] = 1u | (uint32_t)s->step << 1 | s->reg << 8 | s->warp << 16 | s->need << 24;
        words[1] = obs_place(&s->place);
        words[2] = s->lanes;
        words[3] = s->pair | s->align << 1 | (uint32_t)s->seeks << 3 |
            (s->step == STEP_PLACED ? s->kind : 0) << 4 | s->buddy << 8 | (uint32_t)s->comes << 14;
        words[4] = obs_place(&s->buddy_place);
    } else if (i % 2 == 1 && t->busy) {
        words[0] = 1u | (uint32_t)t->bank_done << 1 | (uint32_t)t->update_done << 2 | t->reg << 8 |
            t->warp << 16;
        words[1] = obs_place(&t->place);
        words[2] = t->lanes;
    }
}

static void observe_data(const Datapath *m, int i, uint32_t *words) {
    if (i % 2 == 0 && m->w1[i / 2].busy) memcpy(words, m->w1[i / 2].data, 128);
    if (i % 2 == 1 && m->w2[i / 2].busy) memcpy(words, m->w2[i / 2].data, 128);
}

// Regions of the observation, in order.
enum {
    OBS_TABLE,
    OBS_ALLOC,
    OBS_BANKS,
    OBS_STATUS,
    OBS_ROWS,
    OBS_ENTRIES,
    OBS_WRITERS,
    OBS_DATA,
    OBS_REGIONS
};

static void obs_lengths(const Datapath *m, uint32_t length[OBS_REGIONS]) {
    length[OBS_TABLE] = rename_table_model.obs_count(m->rt);
    length[OBS_ALLOC] = alloc_unit_model.obs_count(m->au);
    length[OBS_BANKS] = banked_rf_model.obs_count(m->rf);
    length[OBS_STATUS] = (uint32_t)m->num_coll;
    length[OBS_ROWS] = (uint32_t)(m->num_coll * m->num_ops);
    length[OBS_ENTRIES] = (uint32_t)m->num_alloc + 1;
    length[OBS_WRITERS] = length[OBS_DATA] = (uint32_t)(2 * m->num_wr);
}

static uint32_t dp_obs_count(void *self) {
    uint32_t length[OBS_REGIONS], all = 0;
    obs_lengths(self, length);
    for (int i = 0; i < OBS_REGIONS; i++) all += length[i];
    return all;
}

static void dp_observe(void *self, uint32_t addr, uint32_t *words) {
    const Datapath *m = self;
    uint32_t length[OBS_REGIONS];
    memset(words, 0, 128);
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < 10) words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
        return;
    }
    obs_lengths(m, length);
    int region = 0;
    while (region < OBS_REGIONS && addr >= length[region]) addr -= length[region++];
    const int i = (int)addr;
    switch (region) {
    case OBS_TABLE: rename_table_model.observe(m->rt, addr, words); break;
    case OBS_ALLOC: alloc_unit_model.observe(m->au, addr, words); break;
    case OBS_BANKS: banked_rf_model.observe(m->rf, addr, words); break;
    case OBS_STATUS: observe_collector(m, i, words); break;
    case OBS_ROWS: observe_row(m, i, words); break;
    case OBS_ENTRIES: observe_entry(m, i, words); break;
    case OBS_WRITERS: observe_writer(m, i, words); break;
    case OBS_DATA: observe_data(m, i, words); break;
    default: break;
    }
}

const BlockModel rf_datapath_model = {"rf_datapath", dp_open,      dp_close,   dp_reset, dp_eval,
                                      dp_tick,       dp_obs_count, dp_observe, 32};
