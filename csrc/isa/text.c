// SPDX-License-Identifier: Apache-2.0
// Assembler text of machine instructions. The grammar is in isa.h ("Assembler syntax"); printing
// then parsing gives the same instruction in every field.
#include "isa/isa.h"
#include "ptx/ptx.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- names ----

static const char *const type_names[ISA_TYPE_COUNT] = {
    "u8",  "s8",  "u16",  "s16",   "u32",    "s32",  "u64",  "s64", "f16",
    "f32", "f64", "bf16", "f16x2", "bf16x2", "tf32", "e4m3", "e5m2"};
static const char *const cmp_names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                        "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
static const char *const bool_names[] = {"and", "or", "xor"};
static const char *const part_names[] = {"lo", "hi", "wide"};
static const char *const round_names[] = {"rn",  "rz",  "rm",  "rp", "rni",
                                          "rzi", "rmi", "rpi", "rna"};
static const char *const mufu_names[] = {"rcp", "sqrt", "rsq", "sin", "cos", "ex2", "lg2", "tanh"};
static const char *const space_names[] = {"generic", "global", "shared", "local", "line"};
static const char *const cache_names[] = {"call", "cg", "cs", "cv"};
static const char *const atom_names[] = {"none", "add", "min", "max",  "inc", "dec",
                                         "and",  "or",  "xor", "exch", "cas"};
static const char *const sreg_names[] = {
#define X(id, text) text,
    PTX_SREGS(X)
#undef X
};
// from ISA_SREG_CTA_LINEAR on
static const char *const scalar_sreg_names[] = {"%cta_linear", "%ncta_resident"};
// mode, by PtxVote
static const char *const vote_names[] = {"none", "all", "any", "uni", "ballot"};
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

// A LOP3 with a truth table that has a name of its own. Sources behind the first n are RZ if they
// are left out.
typedef struct Logic {
    const char *name;
    uint8_t lut;
    int n;
} Logic;
static const Logic logics[] = {{"and", ISA_LUT_AND, 2},
                               {"or", ISA_LUT_OR, 2},
                               {"xor", ISA_LUT_XOR, 2},
                               {"not", ISA_LUT_NOT, 1}};

static const Logic *find_logic(const IsaInst *in) {
    for (int i = 0; i < COUNT(logics); i++)
        if (in->op == ISA_LOP3 && in->lut == logics[i].lut) return &logics[i];
    return NULL;
}

static bool is_plain_rz(const IsaSrc *s) {
    return s->kind == ISA_SRC_REG && s->reg == ISA_RZ && s->width == 1 && !s->neg && !s->abs;
}

static int find_name(const char *const *names, int count, const char *s, size_t n) {
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == n && !memcmp(names[i], s, n)) return i;
    return -1;
}

// Opcodes on which a field is written by name even when it is zero.
static bool is_setp(IsaOp op) {
    return op == ISA_ISETP || op == ISA_FSETP || op == ISA_DSETP || op == ISA_HSETP;
}
static bool has_type(IsaOp op) {
    switch (op) {
    case ISA_IMUL:
    case ISA_IMAD:
    case ISA_IMNMX:
    case ISA_SAD:
    case ISA_SHR:
    case ISA_SHF64:
    case ISA_BFE:
    case ISA_EXT:
    case ISA_FLO:
    case ISA_IDIV:
    case ISA_ISETP:
    case ISA_REDUX:
    case ISA_CVT:
    case ISA_LD:
    case ISA_ATOM:
    case ISA_LDC:
    case ISA_TEX: return true;
    default: return false;
    }
}
static bool has_part(IsaOp op) { return op == ISA_IMUL || op == ISA_IMAD; }
static bool has_mufu(IsaOp op) { return op == ISA_MUFU || op == ISA_DMUFU; }
static bool has_vote(IsaOp op) { return op == ISA_VOTE || op == ISA_MATCH; }
static bool has_atom(IsaOp op) { return op == ISA_ATOM; }
static bool has_address(IsaOp op) {
    return op == ISA_LD || op == ISA_ST || op == ISA_ATOM || op == ISA_LDC || op == ISA_PREFETCH ||
        op == ISA_TOUCH || op == ISA_SYSCALL || op == ISA_TEX;
}

// ---- printing ----

typedef struct Out {
    char *buf;
    size_t size, used;
} Out;

static void put_format(Out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_format(Out *o, const char *format, ...) {
    if (o->used + 1 >= o->size) return;
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(o->buf + o->used, o->size - o->used, format, ap);
    va_end(ap);
    if (n > 0) o->used += (size_t)n;
    if (o->used >= o->size) o->used = o->size - 1;
}

static void put_width(Out *o, int width) {
    if (width == 2) put_format(o, ".64");
    else if (width == 4) put_format(o, ".128");
    else if (width != 1) put_format(o, ".w%d", width);
}

static void put_reg(Out *o, uint8_t reg, int width) {
    if (reg == ISA_RZ) put_format(o, "RZ");
    else put_format(o, "R%d", reg);
    put_width(o, width);
}

static void put_pred(Out *o, uint8_t reg, bool neg) {
    if (reg == ISA_PT) put_format(o, "%sPT", neg ? "!" : "");
    else put_format(o, "%sP%d", neg ? "!" : "", reg);
}

static void put_src(Out *o, const IsaSrc *s) {
    if (s->neg) put_format(o, "-");
    if (s->abs) put_format(o, "|");
    switch (s->kind) {
    case ISA_SRC_NONE: put_format(o, "_"); break;
    case ISA_SRC_REG: put_reg(o, s->reg, s->width); break;
    case ISA_SRC_IMM:
        put_format(o, "0x%" PRIx64, s->imm);
        put_width(o, s->width);
        break;
    case ISA_SRC_CONST:
        put_format(o, "c[%d][0x%" PRIx64 "]", s->cbank, s->imm);
        put_width(o, s->width);
        break;
    }
    if (s->abs) put_format(o, "|");
}

static void put_modifiers(Out *o, const IsaInst *in) {
    IsaOp op = in->op;
    if (is_setp(op)) put_format(o, ".%s.%s", cmp_names[in->cmp], bool_names[in->boolop]);
    if (has_part(op)) put_format(o, ".%s", part_names[in->part]);
    if (has_mufu(op)) put_format(o, ".%s", mufu_names[in->mufu]);
    if (has_atom(op) && in->atom < COUNT(atom_names)) put_format(o, ".%s", atom_names[in->atom]);
    const bool vote = has_vote(op) && in->mode && in->mode < COUNT(vote_names);
    if (vote) put_format(o, ".%s", vote_names[in->mode]);
    if (in->space) put_format(o, ".%s", space_names[in->space]);
    if (in->cache) put_format(o, ".%s", cache_names[in->cache]);
    if (in->rnd) put_format(o, ".%s", round_names[in->rnd]);
    if (in->ftz) put_format(o, ".ftz");
    if (in->sat) put_format(o, ".sat");
    if (in->approx) put_format(o, ".approx");
    if (in->ordered) put_format(o, ".ordered");
    if (in->readonly) put_format(o, ".nc");
    if (in->has_cin) put_format(o, ".x");
    if (in->mem_bytes) put_format(o, ".b%d", in->mem_bytes * 8);
    bool both = op == ISA_CVT || in->stype;
    if (has_type(op) || in->type || both) put_format(o, ".%s", type_names[in->type]);
    if (both) put_format(o, ".%s", type_names[in->stype]);
    // Numbers, and fields that this opcode does not normally use.
    if (in->lut && !find_logic(in)) put_format(o, ".lut=0x%x", in->lut);
    if (in->shift) put_format(o, ".shift=%d", in->shift);
    if (in->mode && !vote) put_format(o, ".mode=%d", in->mode);
    if (in->last) put_format(o, ".last=%d", in->last);
    if (in->write) put_format(o, ".write=%d", in->write);
    if (in->homeless) put_format(o, ".homeless");
    if (in->with_scalar) put_format(o, ".scalar");
    if (in->cbank) put_format(o, ".bank=%d", in->cbank);
    if (in->cmp && !is_setp(op)) put_format(o, ".cmp=%d", in->cmp);
    if (in->boolop && !is_setp(op)) put_format(o, ".bool=%d", in->boolop);
    if (in->part && !has_part(op)) put_format(o, ".part=%d", in->part);
    if (in->mufu && !has_mufu(op)) put_format(o, ".mufu=%d", in->mufu);
    if (in->atom && (!has_atom(op) || in->atom >= COUNT(atom_names)))
        put_format(o, ".atom=%d", in->atom);
    if (in->sreg && op != ISA_S2R) put_format(o, ".sreg=%d", in->sreg);
    if (in->offset && !has_address(op)) put_format(o, ".offset=%d", in->offset);
    bool branch = op == ISA_BRA || op == ISA_BRX;
    if (in->target && !branch) put_format(o, ".target=%d", in->target);
    if (in->reconv && !branch) put_format(o, ".reconv=%d", in->reconv);
}

static void put_dests(Out *o, const IsaInst *in) {
    if (in->dst == ISA_RZ && in->dst_width == 0) put_format(o, "_");
    else put_reg(o, in->dst, in->dst_width);
    if (in->pdst[0] == ISA_PT && in->pdst[1] == ISA_PT) return;
    put_format(o, "|");
    put_pred(o, in->pdst[0], false);
    if (in->pdst[1] == ISA_PT) return;
    put_format(o, "|");
    put_pred(o, in->pdst[1], false);
}

static int pred_count(const IsaInst *in) {
    int n = 3;
    while (n > 0 && in->psrc[n - 1].reg == ISA_PT && !in->psrc[n - 1].neg) n--;
    return n;
}

// Number of written sources; the reader supplies the omitted ones behind them.
static int source_count(const IsaInst *in) {
    const Logic *logic = find_logic(in);
    int n = 3;
    while (n > 0 && in->src[n - 1].kind == ISA_SRC_NONE) n--;
    if (!logic) return n;
    if (n == logic->n) return n + 1;  // the next one is `_`
    if (n < 3) return n;
    while (n > logic->n && is_plain_rz(&in->src[n - 1])) n--;
    return n == logic->n && in->src[n - 1].kind != ISA_SRC_NONE ? n : 3;
}

static void put_sources(Out *o, const IsaInst *in) {
    int n = source_count(in);
    if (n == 0 && has_address(in->op)) n = 1;
    for (int i = 0; i < n; i++) {
        put_format(o, ", ");
        if (i > 0 || !has_address(in->op)) {
            put_src(o, &in->src[i]);
            continue;
        }
        put_format(o, "[");
        put_src(o, &in->src[0]);
        if (in->offset) put_format(o, "%+d", in->offset);
        put_format(o, "]");
    }
    int np = pred_count(in);
    for (int i = 0; i < np; i++) {
        put_format(o, i ? ", " : ", {");
        put_pred(o, in->psrc[i].reg, in->psrc[i].neg);
    }
    if (np) put_format(o, "}");
}

void isa_print_inst(char *buf, size_t size, const IsaInst *in) {
    Out out = {buf, size, 0};
    Out *o = &out;
    if (size) buf[0] = '\0';
    if (in->guard.reg != ISA_PT || in->guard.neg) {
        put_format(o, "@");
        put_pred(o, in->guard.reg, in->guard.neg);
        put_format(o, " ");
    }
    const Logic *logic = find_logic(in);
    put_format(o, "%s", logic ? logic->name : isa_op_info[in->op].name);
    put_modifiers(o, in);
    put_format(o, " ");
    put_dests(o, in);
    put_sources(o, in);
    if (in->op == ISA_S2R && in->sreg < COUNT(sreg_names))
        put_format(o, ", %s", sreg_names[in->sreg]);
    if (in->op == ISA_S2R && in->sreg >= ISA_SREG_CTA_LINEAR && in->sreg <= ISA_SREG_NCTA_RESIDENT)
        put_format(o, ", %s", scalar_sreg_names[in->sreg - ISA_SREG_CTA_LINEAR]);
    if (in->op == ISA_BRA) put_format(o, ", L%d", in->target);
    if (in->op == ISA_BRX) put_format(o, ", T%d", in->target);
    if (in->op == ISA_BRA || in->op == ISA_BRX) {
        if (in->reconv < 0) put_format(o, ", exit");
        else put_format(o, ", L%d", in->reconv);
    }
    if (in->ptx_line) put_format(o, " // ptx %d", in->ptx_line);
}

static void mark_labels(const IsaProgram *p, bool *label) {
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        if (in->op != ISA_BRA && in->op != ISA_BRX) continue;
        if (in->op == ISA_BRA && in->target >= 0 && in->target < p->ninsts)
            label[in->target] = true;
        if (in->reconv >= 0 && in->reconv < p->ninsts) label[in->reconv] = true;
    }
    for (int t = 0; t < p->ntables; t++)
        for (int k = 0; k < p->table_len[t]; k++)
            if (p->tables[t][k] >= 0 && p->tables[t][k] < p->ninsts) label[p->tables[t][k]] = true;
}

void isa_print(FILE *out, const IsaProgram *p) {
    fprintf(out, ".kernel %s\n.regs %d\n.preds %d\n.local %" PRId64 "\n", p->name, p->nregs,
            p->npreds, p->local_bytes);
    fprintf(out,
            ".spill %" PRId64 " %d %d\n.shared %" PRId64 "\n.params %" PRId64 "\n.barriers %d\n",
            p->spill_bytes, p->spill_loads, p->spill_stores, p->shared_bytes, p->param_bytes,
            p->max_barrier);
    if (p->base_regs) fprintf(out, ".split %d %d %d\n", p->base_regs, p->ext_regs, p->given_regs);
    if (p->scalar_regs) fprintf(out, ".scalars %d\n", p->scalar_regs);
    if (p->window) fprintf(out, ".window %d %d %d\n", p->window, p->rows, p->home_regs);
    for (int r = 0; r < p->nregions; r++) {
        const IsaRegion *g = &p->regions[r];
        fprintf(out, "// memoized: instructions %d to %d, from", g->first, g->after - 1);
        for (int k = 0; k < g->nin; k++) fprintf(out, " R%d", g->in[k]);
        fprintf(out, " to R%d\n", g->out);
    }
    for (int i = 0; i < p->nstrided; i++)
        fprintf(out, "// prefetched for: instruction %d\n", p->strided[i]);
    for (int t = 0; t < p->ntables; t++) {
        fprintf(out, ".table");
        for (int k = 0; k < p->table_len[t]; k++) fprintf(out, " L%d", p->tables[t][k]);
        fprintf(out, "\n");
    }
    bool *label = calloc((size_t)p->ninsts + 1, sizeof *label);
    panic_if(!label, "out of memory");
    mark_labels(p, label);
    for (int i = 0; i < p->ninsts; i++) {
        char text[512];
        isa_print_inst(text, sizeof text, &p->insts[i]);
        if (label[i]) fprintf(out, "L%d:\n", i);
        fprintf(out, "    %s\n", text);
    }
    free(label);
}

// ---- parsing ----

typedef struct Reader {
    SourceText src;
    const char *line_start, *s, *end;  // end of the current line, comment excluded
    int line;
    Diag *d;
} Reader;

static bool fail_expected(Reader *r, const char *expected) {
    int n = 0;
    while (r->s + n < r->end && !isspace((unsigned char)r->s[n]) && n < 40) n++;
    return diag_fail_at(r->d, &r->src, r->line, (int)(r->s - r->line_start) + 1,
                        n ? "found `%.*s`, expected %s" : "found end of line%.*s, expected %s", n,
                        r->s, expected);
}

static void skip_space(Reader *r) {
    while (r->s < r->end && (*r->s == ' ' || *r->s == '\t' || *r->s == '\r')) r->s++;
}

static bool accept_char(Reader *r, char c) {
    skip_space(r);
    if (r->s >= r->end || *r->s != c) return false;
    r->s++;
    return true;
}

static bool accept_word(Reader *r, const char *word) {
    skip_space(r);
    size_t n = strlen(word);
    if ((size_t)(r->end - r->s) < n || memcmp(r->s, word, n)) return false;
    if (r->s + n < r->end && (isalnum((unsigned char)r->s[n]) || r->s[n] == '_')) return false;
    r->s += n;
    return true;
}

static bool read_number(Reader *r, int64_t *v, const char *expected) {
    skip_space(r);
    const char *p = r->s;
    bool neg = false;
    if (p < r->end && (*p == '-' || *p == '+')) neg = *p++ == '-';
    if (p >= r->end || !isdigit((unsigned char)*p)) return fail_expected(r, expected);
    char *stop;
    uint64_t u = strtoull(p, &stop, 0);
    if (stop > r->end) return fail_expected(r, expected);
    r->s = stop;
    *v = (int64_t)(neg ? 0 - u : u);
    return true;
}

static bool read_small(Reader *r, int64_t low, int64_t high, int64_t *v, const char *expected) {
    skip_space(r);
    const char *at = r->s;
    if (!read_number(r, v, expected)) return false;
    if (*v < low || *v > high) {
        r->s = at;
        return fail_expected(r, expected);
    }
    return true;
}

static bool read_width(Reader *r, uint8_t *width) {
    *width = 1;
    if (r->s >= r->end || *r->s != '.') return true;
    if (r->end - r->s >= 4 && !memcmp(r->s, ".128", 4)) {
        *width = 4;
        r->s += 4;
        return true;
    }
    if (r->end - r->s >= 3 && !memcmp(r->s, ".64", 3)) {
        *width = 2;
        r->s += 3;
        return true;
    }
    if (r->end - r->s >= 2 && !memcmp(r->s, ".w", 2)) {
        r->s += 2;
        int64_t v;
        if (!read_small(r, 0, 255, &v, "a width in words")) return false;
        *width = (uint8_t)v;
        return true;
    }
    return fail_expected(r, "a width: .64 or .128");
}

static bool read_reg(Reader *r, uint8_t *reg, uint8_t *width) {
    int64_t v = ISA_RZ;
    if (r->end - r->s >= 2 && r->s[0] == 'R' && r->s[1] == 'Z') r->s += 2;
    else if (r->end - r->s >= 2 && r->s[0] == 'R' && isdigit((unsigned char)r->s[1])) {
        r->s++;
        if (!read_small(r, 0, ISA_MAX_REGS - 1, &v, "a register R0 to R62 or RZ")) return false;
    } else return fail_expected(r, "a register R0 to R62 or RZ");
    *reg = (uint8_t)v;
    return read_width(r, width);
}

static bool read_pred(Reader *r, uint8_t *reg, bool *neg) {
    skip_space(r);
    bool n = accept_char(r, '!');
    if (n && !neg) return fail_expected(r, "a predicate P0 to P6 or PT");
    if (neg) *neg = n;
    if (accept_word(r, "PT")) {
        *reg = ISA_PT;
        return true;
    }
    if (r->s < r->end && *r->s == 'P') {
        r->s++;
        int64_t v;
        if (!read_small(r, 0, ISA_PREDS - 1, &v, "a predicate P0 to P6 or PT")) return false;
        *reg = (uint8_t)v;
        return true;
    }
    return fail_expected(r, "a predicate P0 to P6 or PT");
}

static bool read_const(Reader *r, IsaSrc *s) {
    int64_t bank, offset;
    r->s++;  // c
    if (!accept_char(r, '[') || !read_small(r, 0, 255, &bank, "a constant bank") ||
        !accept_char(r, ']') || !accept_char(r, '[') || !read_number(r, &offset, "a byte offset") ||
        !accept_char(r, ']'))
        return fail_expected(r, "c[bank][offset]");
    s->kind = ISA_SRC_CONST;
    s->cbank = (uint8_t)bank;
    s->imm = (uint64_t)offset;
    return read_width(r, &s->width);
}

static bool read_src(Reader *r, IsaSrc *s) {
    skip_space(r);
    s->neg = accept_char(r, '-');
    s->abs = accept_char(r, '|');
    bool ok;
    if (r->s < r->end && *r->s == '_') {
        r->s++;
        s->kind = ISA_SRC_NONE;
        ok = true;
    } else if (r->s < r->end && *r->s == 'c') {
        ok = read_const(r, s);
    } else if (r->s < r->end && isdigit((unsigned char)*r->s)) {
        int64_t v;
        s->kind = ISA_SRC_IMM;
        ok = read_number(r, &v, "an immediate") && read_width(r, &s->width);
        s->imm = (uint64_t)v;
    } else {
        s->kind = ISA_SRC_REG;
        ok = read_reg(r, &s->reg, &s->width);
    }
    if (!ok) return false;
    if (s->abs && !accept_char(r, '|')) return fail_expected(r, "the closing |");
    return true;
}

// One `.word` modifier; n characters at w.
static bool set_named(IsaInst *in, const char *w, size_t n, bool *typed) {
    IsaOp op = in->op;
    int i;
    if (is_setp(op) && (i = find_name(cmp_names, COUNT(cmp_names), w, n)) >= 0) in->cmp = (IsaCmp)i;
    else if (is_setp(op) && (i = find_name(bool_names, 3, w, n)) >= 0) in->boolop = (IsaBool)i;
    else if (has_part(op) && (i = find_name(part_names, 3, w, n)) >= 0) in->part = (IsaPart)i;
    else if (has_mufu(op) && (i = find_name(mufu_names, COUNT(mufu_names), w, n)) >= 0)
        in->mufu = (IsaMufu)i;
    else if (has_atom(op) && (i = find_name(atom_names, COUNT(atom_names), w, n)) >= 0)
        in->atom = (uint8_t)i;
    else if (has_vote(op) && (i = find_name(vote_names, COUNT(vote_names), w, n)) >= 0)
        in->mode = (uint8_t)i;
    else if ((i = find_name(space_names, COUNT(space_names), w, n)) >= 0) in->space = (IsaSpace)i;
    else if ((i = find_name(cache_names, COUNT(cache_names), w, n)) >= 0) in->cache = (IsaCacheOp)i;
    else if ((i = find_name(round_names, COUNT(round_names), w, n)) >= 0) in->rnd = (IsaRound)i;
    else if ((i = find_name(type_names, ISA_TYPE_COUNT, w, n)) >= 0) {
        if (*typed) in->stype = (IsaType)i;
        else in->type = (IsaType)i;
        *typed = true;
    } else {
        static const char *const flags[] = {"ftz", "sat", "approx",   "ordered",
                                            "nc",  "x",   "homeless", "scalar"};
        bool *const field[] = {&in->ftz,      &in->sat,     &in->approx,   &in->ordered,
                               &in->readonly, &in->has_cin, &in->homeless, &in->with_scalar};
        i = find_name(flags, COUNT(flags), w, n);
        if (i < 0) return false;
        *field[i] = true;
    }
    return true;
}

static bool set_number(Reader *r, IsaInst *in, const char *w, size_t n) {
    static const char *const keys[] = {"lut",  "shift", "mode",   "bank",   "cmp",
                                       "bool", "part",  "mufu",   "atom",   "sreg",
                                       "last", "write", "offset", "target", "reconv"};
    static const int most[] = {255, 255, 255, 255, ISA_NAN,   ISA_XOR,   ISA_WIDE, ISA_MUFU_TANH,
                               255, 255, 7,   3,   INT32_MAX, INT32_MAX, INT32_MAX};
    int k = find_name(keys, COUNT(keys), w, n);
    if (k < 0) return fail_expected(r, "a known key before =");
    int64_t v;
    r->s++;  // '='
    if (!read_small(r, k >= 12 ? INT32_MIN : 0, most[k], &v, "a number in range")) return false;
    switch (k) {
    case 0: in->lut = (uint8_t)v; break;
    case 1: in->shift = (uint8_t)v; break;
    case 2: in->mode = (uint8_t)v; break;
    case 3: in->cbank = (uint8_t)v; break;
    case 4: in->cmp = (IsaCmp)v; break;
    case 5: in->boolop = (IsaBool)v; break;
    case 6: in->part = (IsaPart)v; break;
    case 7: in->mufu = (IsaMufu)v; break;
    case 8: in->atom = (uint8_t)v; break;
    case 9: in->sreg = (uint8_t)v; break;
    case 10: in->last = (uint8_t)v; break;
    case 11: in->write = (uint8_t)v; break;
    case 12: in->offset = (int32_t)v; break;
    case 13: in->target = (int32_t)v; break;
    default: in->reconv = (int32_t)v; break;
    }
    return true;
}

static bool read_modifiers(Reader *r, IsaInst *in) {
    bool typed = false;
    while (r->s < r->end && *r->s == '.') {
        const char *w = ++r->s;
        while (r->s < r->end && (isalnum((unsigned char)*r->s) || *r->s == '_')) r->s++;
        size_t n = (size_t)(r->s - w);
        if (r->s < r->end && *r->s == '=') {
            if (!set_number(r, in, w, n)) return false;
            continue;
        }
        if (n >= 2 && w[0] == 'b' && isdigit((unsigned char)w[1])) {
            int bits = atoi(w + 1);
            if (bits % 8 || bits < 8 || bits > 2040) {
                r->s = w;
                return fail_expected(r, "b8 to b128");
            }
            in->mem_bytes = (uint8_t)(bits / 8);
            continue;
        }
        if (set_named(in, w, n, &typed)) continue;
        r->s = w;
        return fail_expected(r, "a modifier of this opcode");
    }
    return true;
}

static bool read_dests(Reader *r, IsaInst *in) {
    skip_space(r);
    if (r->s < r->end && *r->s == '_') {
        r->s++;
        in->dst = ISA_RZ;
        in->dst_width = 0;
    } else if (!read_reg(r, &in->dst, &in->dst_width)) return false;
    for (int i = 0; i < 2 && accept_char(r, '|'); i++)
        if (!read_pred(r, &in->pdst[i], NULL)) return false;
    return true;
}

static bool read_label(Reader *r, int32_t *index) {
    skip_space(r);
    int64_t v;
    if (r->s >= r->end || *r->s != 'L') return fail_expected(r, "a label L<instruction number>");
    r->s++;
    if (!read_small(r, 0, INT32_MAX, &v, "a label L<instruction number>")) return false;
    *index = (int32_t)v;
    return true;
}

static bool read_branch(Reader *r, IsaInst *in) {
    int64_t v;
    if (in->op == ISA_BRX) {
        if (!accept_char(r, 'T') || !read_small(r, 0, INT32_MAX, &v, "a table number"))
            return fail_expected(r, "a table T<number>");
        in->target = (int32_t)v;
    } else if (!read_label(r, &in->target)) return false;
    if (!accept_char(r, ',')) return fail_expected(r, "a comma and the reconvergence point");
    if (accept_word(r, "exit")) {
        in->reconv = -1;
        return true;
    }
    return read_label(r, &in->reconv);
}

static bool read_sreg(Reader *r, IsaInst *in) {
    size_t n = 0;
    while (r->s + n < r->end && !isspace((unsigned char)r->s[n]) && r->s[n] != ',') n++;
    int i = find_name(sreg_names, COUNT(sreg_names), r->s, n);
    const int scalar = find_name(scalar_sreg_names, COUNT(scalar_sreg_names), r->s, n);
    if (scalar >= 0) i = ISA_SREG_CTA_LINEAR + scalar;
    if (i < 0) return fail_expected(r, "a special register");
    in->sreg = (uint8_t)i;
    r->s += n;
    return true;
}

static bool read_preds(Reader *r, IsaInst *in) {
    for (int i = 0; i < 3; i++) {
        if (!read_pred(r, &in->psrc[i].reg, &in->psrc[i].neg)) return false;
        if (accept_char(r, '}')) return true;
        if (!accept_char(r, ',')) return fail_expected(r, "a comma or }");
    }
    return fail_expected(r, "at most three source predicates");
}

static bool read_address(Reader *r, IsaInst *in) {
    if (!read_src(r, &in->src[0])) return false;
    skip_space(r);
    int64_t v;
    if (r->s < r->end && (*r->s == '+' || *r->s == '-')) {
        if (!read_small(r, INT32_MIN, INT32_MAX, &v, "a 32-bit offset")) return false;
        in->offset = (int32_t)v;
    }
    return accept_char(r, ']') || fail_expected(r, "]");
}

static bool read_operands(Reader *r, IsaInst *in, int *count) {
    int nsrc = 0;
    bool branch = in->op == ISA_BRA || in->op == ISA_BRX;
    while (accept_char(r, ',')) {
        skip_space(r);
        char c = r->s < r->end ? *r->s : '\0';
        bool ok;
        if (c == '{') {
            r->s++;
            ok = read_preds(r, in);
        } else if (c == '[' && nsrc == 0) {
            r->s++;
            nsrc = 1;
            ok = read_address(r, in);
        } else if (c == '%') ok = read_sreg(r, in);
        else if (branch && (c == 'L' || c == 'T')) ok = read_branch(r, in);
        else if (nsrc < 3) ok = read_src(r, &in->src[nsrc++]);
        else ok = fail_expected(r, "at most three sources");
        if (!ok) return false;
    }
    *count = nsrc;
    skip_space(r);
    return r->s == r->end || fail_expected(r, "the end of the line");
}

static const Logic *read_opcode(Reader *r, IsaInst *in) {
    size_t n = 0;
    while (r->s + n < r->end && isalnum((unsigned char)r->s[n])) n++;
    for (int i = 0; i < COUNT(logics); i++) {
        if (strlen(logics[i].name) != n || memcmp(logics[i].name, r->s, n)) continue;
        in->op = ISA_LOP3;
        in->lut = logics[i].lut;
        r->s += n;
        return &logics[i];
    }
    int op = 0;
    while (op < ISA_OP_COUNT &&
           (strlen(isa_op_info[op].name) != n || memcmp(isa_op_info[op].name, r->s, n)))
        op++;
    in->op = (IsaOp)op;
    if (op < ISA_OP_COUNT) r->s += n;
    return NULL;
}

static bool read_inst(Reader *r, IsaInst *in) {
    *in = (IsaInst){.guard = {ISA_PT, false},
                    .dst = ISA_RZ,
                    .pdst = {ISA_PT, ISA_PT},
                    .psrc = {{ISA_PT, false}, {ISA_PT, false}, {ISA_PT, false}}};
    if (accept_char(r, '@') && !read_pred(r, &in->guard.reg, &in->guard.neg)) return false;
    skip_space(r);
    const Logic *logic = read_opcode(r, in);
    if (in->op == ISA_OP_COUNT) return fail_expected(r, "a machine opcode");
    int n;
    if (!read_modifiers(r, in) || !read_dests(r, in) || !read_operands(r, in, &n)) return false;
    for (int i = n; logic && n == logic->n && i < 3; i++)
        in->src[i] = (IsaSrc){.kind = ISA_SRC_REG, .reg = ISA_RZ, .width = 1};
    return true;
}

// Sets the reader on the next line; false at the end of the text. *ptx_line from the comment.
static bool next_line(Reader *r, const char **next, int *ptx_line) {
    const char *stop = r->src.text + r->src.len;
    if (*next >= stop) return false;
    const char *newline = memchr(*next, '\n', (size_t)(stop - *next));
    r->line_start = r->s = *next;
    r->end = newline ? newline : stop;
    *next = newline ? newline + 1 : stop;
    r->line++;
    *ptx_line = 0;
    for (const char *p = r->s; p + 1 < r->end; p++) {
        if (p[0] != '/' || p[1] != '/') continue;
        if (r->end - p > 7 && !memcmp(p, "// ptx ", 7)) *ptx_line = atoi(p + 7);
        r->end = p;
        break;
    }
    while (r->end > r->s && isspace((unsigned char)r->end[-1])) r->end--;
    skip_space(r);
    return true;
}

static bool read_table(Reader *r, Arena *arena, IsaProgram *p, int *cap_tables, int *cap_lens) {
    int *items = NULL, count = 0, cap = 0;
    skip_space(r);
    while (r->s < r->end) {
        int32_t label;
        if (!read_label(r, &label)) return false;
        *ARENA_PUSH(arena, items, count, cap) = label;
        skip_space(r);
    }
    int n = p->ntables;
    *ARENA_PUSH(arena, p->table_len, n, *cap_lens) = count;
    *ARENA_PUSH(arena, p->tables, p->ntables, *cap_tables) = items;
    return true;
}

// Base registers, extended ones, registers given.
static bool read_split(Reader *r, IsaProgram *p) {
    int64_t v[3];
    for (int i = 0; i < 3; i++)
        if (!read_small(r, i != 1, ISA_MAX_REGS + 1, &v[i], "a number of registers")) return false;
    p->base_regs = (int)v[0];
    p->ext_regs = (int)v[1];
    p->given_regs = (int)v[2];
    return true;
}

static bool read_header(Reader *r, Arena *arena, IsaProgram *p, int *cap_tables, int *cap_lens) {
    int64_t v, loads, stores;
    const int64_t big = INT64_MAX;
    if (accept_word(r, ".kernel")) {
        skip_space(r);
        if (r->s == r->end) return fail_expected(r, "the kernel's name");
        p->name = arena_strndup(arena, r->s, (size_t)(r->end - r->s));
        r->s = r->end;
        return true;
    }
    if (accept_word(r, ".table")) return read_table(r, arena, p, cap_tables, cap_lens);
    if (accept_word(r, ".split")) return read_split(r, p);
    if (accept_word(r, ".spill")) {
        if (!read_small(r, 0, big, &v, "bytes") || !read_small(r, 0, INT32_MAX, &loads, "loads") ||
            !read_small(r, 0, INT32_MAX, &stores, "stores"))
            return false;
        p->spill_bytes = v;
        p->spill_loads = (int)loads;
        p->spill_stores = (int)stores;
        return true;
    }
    if (accept_word(r, ".scalars")) {
        if (!read_small(r, 1, ISA_MAX_REGS, &v, "scalar registers")) return false;
        p->scalar_regs = (int)v;
        return true;
    }
    if (accept_word(r, ".window")) {
        if (!read_small(r, 1, INT32_MAX, &v, "places") ||
            !read_small(r, 1, INT32_MAX, &loads, "rows") ||
            !read_small(r, 1, ISA_MAX_REGS, &stores, "registers with a home"))
            return false;
        p->window = (int)v;
        p->rows = (int)loads;
        p->home_regs = (int)stores;
        return true;
    }
    static const char *const keys[] = {".regs",   ".preds",  ".local",
                                       ".shared", ".params", ".barriers"};
    for (int k = 0; k < COUNT(keys); k++) {
        if (!accept_word(r, keys[k])) continue;
        int64_t most = k == 0 ? ISA_MAX_REGS : k == 1 ? ISA_PREDS : k == 5 ? 16 : big;
        if (!read_small(r, 0, most, &v, "a number in range")) return false;
        switch (k) {
        case 0: p->nregs = (int)v; break;
        case 1: p->npreds = (int)v; break;
        case 2: p->local_bytes = v; break;
        case 3: p->shared_bytes = v; break;
        case 4: p->param_bytes = v; break;
        default: p->max_barrier = (int)v; break;
        }
        return true;
    }
    return fail_expected(r,
                         "a header line (.kernel .regs .preds .local .spill .shared .params "
                         ".barriers .split .scalars .window "
                         ".table)");
}

IsaProgram *isa_parse(Arena *arena, const char *path, const char *text, size_t len, Diag *d) {
    IsaProgram *p = ARENA_NEW(arena, IsaProgram);
    Reader r = {.src = {path, text, len}, .line_start = text, .s = text, .end = text, .d = d};
    const char *next = text;
    int cap_tables = 0, cap_lens = 0, cap_insts = 0, ptx_line;
    p->name = "";
    while (next_line(&r, &next, &ptx_line)) {
        if (r.s == r.end) continue;
        if (*r.s == '.') {
            if (!read_header(&r, arena, p, &cap_tables, &cap_lens)) return NULL;
            skip_space(&r);
            if (r.s != r.end) {
                fail_expected(&r, "the end of the line");
                return NULL;
            }
            continue;
        }
        if (*r.s == 'L' && r.end[-1] == ':') {
            int32_t label;
            if (!read_label(&r, &label)) return NULL;
            if (label != p->ninsts) {
                diag_fail_at(d, &r.src, r.line, 1, "label L%d stands before instruction %d", label,
                             p->ninsts);
                return NULL;
            }
            continue;
        }
        IsaInst in;
        if (!read_inst(&r, &in)) return NULL;
        in.ptx_line = ptx_line;
        *ARENA_PUSH(arena, p->insts, p->ninsts, cap_insts) = in;
    }
    if (!p->window) p->home_regs = p->nregs - p->scalar_regs;
    return p;
}
