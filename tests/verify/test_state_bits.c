// SPDX-License-Identifier: Apache-2.0
// Names of state bits, for every block in the tiny shape: a name and its bit lead to each other.
// Every bit that fault_i changes in the RTL has a name, and every field that is named as state is
// seen changed.
#include "testing.h"

#include "cosim/state_bits.h"
#include "cosim/variant.h"

// ---- names -------------------------------------------------------------------------------------

static uint32_t obs_count(const BlockDesc *desc, const int *params) {
    void *golden = desc->model->open(params);
    const uint32_t n = desc->model->obs_count(golden);
    desc->model->close(golden);
    return n;
}

// Which field each bit of an address belongs to, found without state_bits.c, by trying all numbers:
// field + 1.
typedef struct Owners {
    int field[1024], count[1024];
} Owners;

static void own(Owners *o, const StateField *f, int number, int step, uint32_t addr, int bit,
                uint32_t want) {
    const StateStep *s = &f->steps[step];
    if (step == STATE_STEPS || !s->word) {
        const int width = f->width == STATE_ROW ? 1024 : f->width == STATE_FLAG ? 1 : f->width;
        for (int i = bit; addr == want && i < bit + width; i++)
            o->field[i] = number + 1, o->count[i]++;
        return;
    }
    for (int i = 0; i < (s->count ? s->count : 1) && addr <= want; i++) {
        const int high = s->per ? i / s->per : i, low = s->per ? i % s->per : i;
        own(o, f, number, step + 1, addr + (uint32_t)(high * s->addr), bit + low * s->bit, want);
    }
}

static void owners(Owners *o, const StateField *f, int nfields, uint32_t addr) {
    memset(o, 0, sizeof *o);
    for (int i = 0; i < nfields; i++) own(o, &f[i], i, 0, f[i].addr, f[i].bit, addr);
}

// All bits of a named word, some of a row and of unnamed state.
static bool looked_at(const Owners *o, const StateField *f, StateBit p, int attempt) {
    const uint32_t turn = p.addr * 31 + (uint32_t)p.bit + (uint32_t)attempt * 17;
    const int field = o->field[p.bit] - 1;
    return field >= 0 && f[field].width != STATE_ROW ? !f[field].derived || turn % 4 == 0
                                                     : turn % 131 == 0;
}

static bool parses(const Fixture *x, uint32_t count, const char *name, StateBit *at, Diag *d) {
    *d = (Diag){0};
    return state_bit_parse(x->o.harness.desc, x->params, count, name, strlen(name), "--fault", at,
                           d);
}

// A row's byte is reached by slice as well.
static void by_slice(const Fixture *x, uint32_t count, const char *name, StateBit at) {
    const char *lane = strstr(name, "lane"), *bit = strrchr(name, '.');
    const int l = atoi(lane + 4), b = atoi(bit + 4);
    char other[200];
    StateBit same;
    Diag d;
    snprintf(other, sizeof other, "%.*sslice%d.lane%d.bit%d", (int)(lane - name), name, b / 8, l,
             b % 8);
    if (!parses(x, count, other, &same, &d)) fail_msg("%s: %s", other, d.text);
    if (same.addr != at.addr || same.bit != at.bit) fail_msg("%s is not %s", other, name);
}

// The name of a message as --fault takes it: "bank 2 lane 3" is bank2.lane3.
static void spell_bit(char *name) {
    for (char *from = name; (*name = *from++); name++)
        if (*name == ' ' && strchr("0123456789", *from)) *name = *from++;
        else if (*name == ' ') *name = '.';
}

static void check_bit(const Fixture *x, const Owners *o, uint32_t count, StateBit at) {
    const BlockDesc *desc = x->o.harness.desc;
    const StateBitKind kind = state_bit_kind(desc, x->params, at);
    const int held = o->count[at.bit];
    char name[200];
    if (held > 1)
        fail_msg("%s: address 0x%x bit %d has %d names", desc->name, at.addr, at.bit, held);
    if ((kind != STATE_BIT_NONE) != held)
        fail_msg("%s: address 0x%x bit %d: wrong kind", desc->name, at.addr, at.bit);
    state_bit_name(desc, x->params, at, name, sizeof name);
    spell_bit(name);
    if (kind == STATE_BIT_NONE) {
        assert_string_equal(name, "");
        snprintf(name, sizeof name, "0x%x.%d", at.addr, at.bit);
    }
    StateBit again;
    Diag d;
    const bool ok = parses(x, count, name, &again, &d);
    if (ok != (kind == STATE_BIT_STATE))
        fail_msg("%s: %s: %s", desc->name, name, ok ? "accepted" : d.text);
    if (!ok) {
        assert_int_equal(d.status, EXIT_USAGE);
        assert_non_null(strstr(
            d.text, kind == STATE_BIT_NONE ? "no register is shown there" : "no way to change it"));
        return;
    }
    if (again.addr != at.addr || again.bit != at.bit)
        fail_msg("%s: %s is address 0x%x bit %d, not 0x%x bit %d", desc->name, name, again.addr,
                 again.bit, at.addr, at.bit);
    const char *lane = strstr(name, ".lane");  // of a row; a field may be called lanes
    if (lane && strchr("0123456789", lane[5]) && !strncmp(strrchr(name, '.'), ".bit", 4))
        by_slice(x, count, name, at);
}

static void names_and_bits_agree(void **state) {
    (void)state;
    for (int b = 0; b < block_desc_count(); b++) {
        Fixture x;
        StateField fields[STATE_MAX_FIELDS];
        fixture_open(&x, block_desc(b)->name, "tiny");
        const BlockDesc *desc = x.o.harness.desc;
        const uint32_t count = obs_count(desc, x.params);
        const int n = desc->state(x.params, fields);
        assert_true(n <= STATE_MAX_FIELDS);
        assert_int_equal(n > 0, count > 0);
        for (uint32_t addr = 0; addr<count; addr += count> 400 && addr + 64 < count ? 7 : 1) {
            Owners o;
            owners(&o, fields, n, addr);
            for (int bit = 0; bit < 32 * desc->model->obs_words; bit++)
                if (looked_at(&o, fields, (StateBit){addr, bit}, 0))
                    check_bit(&x, &o, count, (StateBit){addr, bit});
        }
        fixture_close(&x);
    }
}

// ---- faults ------------------------------------------------------------------------------------

enum { ATTEMPTS = 8 };

typedef struct Rtl {
    const RuntimeApi *runtime;
    const ShimApi *shim;
    void *context, *self;
    void *in;
} Rtl;

static void rtl_open(Rtl *r, const Fixture *x) {
    r->context = r->runtime->context_open(0, NULL);
    r->self = r->shim->open(r->context, "rtl");
    r->shim->reset(r->self);
    memset(r->in, 0, x->o.harness.desc->in_size);
}

static void rtl_close(Rtl *r) {
    r->shim->close(r->self);
    r->runtime->context_close(r->context);
}

static void rtl_replay(Rtl *r, const Fixture *x, const Stimulus *s) {
    rtl_open(r, x);
    for (size_t i = 0; i < s->ncycles; i++) {
        const bool reset = stimulus_get(s, i, r->in);
        r->shim->eval(r->self, r->in);
        if (reset) r->shim->reset(r->self);
        else r->shim->tick(r->self, NULL);
    }
    memset(r->in, 0, x->o.harness.desc->in_size);
}

// The bit after one more clock edge without new inputs.
static int clocked(Rtl *r, StateBit p, uint64_t fault) {
    uint32_t words[32] = {0};
    r->shim->set_fault(r->self, fault);
    r->shim->eval(r->self, r->in);
    r->shim->tick(r->self, NULL);
    r->shim->set_fault(r->self, 0);
    r->shim->observe(r->self, p.addr, words);
    return words[p.bit / 32] >> (p.bit % 32) & 1;
}

// It holds still, and is wrong after each edge at which it is flipped: for good, or until the next
// edge. Left as it was.
static bool flips(Rtl *r, StateBit p) {
    const uint64_t flip = shim_fault(SHIM_FAULT_FLIP, p.addr, p.bit);
    const int was = clocked(r, p, 0);
    bool ok = clocked(r, p, 0) == was && clocked(r, p, 0) == was && clocked(r, p, flip) != was;
    const bool stays = ok && clocked(r, p, 0) != was;
    for (int i = 0; ok && stays && i < 3; i++) ok = clocked(r, p, flip) == (was ^ (i & 1));
    for (int i = 0; ok && !stays && i < 3; i++)
        ok = clocked(r, p, flip) != was && clocked(r, p, 0) == was;
    return ok && clocked(r, p, 0) == was;
}

// What is shown for one cycle of a transaction: is it wrong after some edge of the stimulus at
// which it is flipped?
static bool flips_in(Rtl *r, const Fixture *x, const Stimulus *s, StateBit p) {
    Stimulus part = *s;
    for (part.ncycles = 1; part.ncycles < s->ncycles; part.ncycles++) {
        int bit[2];
        for (int faulty = 0; faulty < 2; faulty++) {
            rtl_replay(r, x, &part);
            const bool reset = stimulus_get(s, part.ncycles, r->in);
            bit[faulty] =
                clocked(r, p, faulty && !reset ? shim_fault(SHIM_FAULT_FLIP, p.addr, p.bit) : 0);
            rtl_close(r);
        }
        if (bit[0] != bit[1]) return true;
    }
    return false;
}

// A field's lowest bit, in number k of its first step.
static StateBit nth_bit(const StateField *f, int k) {
    const StateStep *s = &f->steps[0];
    return (StateBit){f->addr + (k < s->count ? (uint32_t)(k * s->addr) : 0), f->bit};
}

static void attempt(const Fixture *x, Rtl *r, const StateField *f, int nfields, const Stimulus *s,
                    int number, int seen[]) {
    const BlockDesc *desc = x->o.harness.desc;
    const uint32_t count = obs_count(desc, x->params), step = count > 400 ? count / 200 : 1;
    for (uint32_t addr = (uint32_t)number % step; addr < count; addr += step) {
        Owners o;
        owners(&o, f, nfields, addr);
        rtl_replay(r, x, s);
        for (int bit = 0; bit < 32 * desc->model->obs_words; bit++) {
            const StateBit p = {addr, bit};
            if (!looked_at(&o, f, p, number) || !flips(r, p)) continue;
            if (state_bit_kind(desc, x->params, p) != STATE_BIT_STATE)
                fail_msg("%s: fault_i changes address 0x%x bit %d, which has no name as state",
                         desc->name, addr, bit);
            seen[o.field[bit] - 1]++;
        }
        rtl_close(r);
    }
}

static void every_field_is_changed(void **state) {
    (void)state;
    int wrong = 0;
    for (int b = 0; b < block_desc_count(); b++) {
        Fixture x;
        Rtl r = {0};
        StateField fields[STATE_MAX_FIELDS];
        int seen[STATE_MAX_FIELDS] = {0};
        fixture_open(&x, block_desc(b)->name, "tiny");
        const int n = x.o.harness.desc->state(x.params, fields);
        VariantRequest request = {.desc = x.o.harness.desc,
                                  .params = x.params,
                                  .testbug = true,
                                  .data_dir = DATA,
                                  .out_dir = CACHE};
        x.o.harness.testbug = 9999;  // none: the variant that can be changed, as it is
        if (!n) continue;
        r.runtime = runtime_open(&x.arena, DATA, NULL, &x.d);
        r.shim = variant_open(&x.arena, &request, NULL, &x.d);
        if (!r.shim) fail_msg("%s", x.d.text);
        assert_non_null(r.shim->set_fault);
        r.in = arena_alloc(&x.arena, x.o.harness.desc->in_size);
        for (int i = 0; i < ATTEMPTS; i++) {
            Harness *h = harness_open(&x.o.harness, &x.d);
            if (!h) fail_msg("%s", x.d.text);
            Stimulus *s = stimulus_new(x.o.harness.desc, x.params, 0);
            verify_run_chunk(h, (uint64_t)(i + 1), 20u << (i % 4), 0, NULL, s, NULL);
            attempt(&x, &r, fields, n, s, i, seen);
            for (int f = 0; f < n; f++)
                for (int k = 0; i == ATTEMPTS - 1 && k < 4 && !seen[f] && !fields[f].derived; k++)
                    seen[f] += flips_in(&r, &x, s, nth_bit(&fields[f], k));
            stimulus_free(s);
            harness_close(h);
        }
        for (int i = 0; i < n; i++) {
            char name[200];
            state_bit_name(x.o.harness.desc, x.params, (StateBit){fields[i].addr, fields[i].bit},
                           name, sizeof name);
            if (fields[i].derived == !seen[i]) continue;
            print_message("%s: %s: changed %d times\n", x.o.harness.desc->name, name, seen[i]);
            wrong++;
        }
        fixture_close(&x);
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_bits_agree),
                                       cmocka_unit_test(every_field_is_changed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
