// SPDX-License-Identifier: Apache-2.0
// The compiler's form as text, and back. Line by line:
//
//   ir NAME local BYTES shared BYTES params BYTES spill BYTES LOADS STORES barriers N
//   regs W W W ...                     width of every register: 1 2 4, or p for a predicate
//   block N <- PRED PRED -> SUCC SUCC [table I I ...] seq S
//                                      sources of a phi are in the order of the predecessors
//     [@[!]%P] OPCODE[.MODIFIERS] [%D] [|%P|%P] <- SRC, SRC {[!]%P, ..} +OFFSET ; LINE
//
// %N is a register, %_ none, PT the true predicate. A source is [-][|]%N, #HEX (one word), #HEX:W
// or c[BANK][HEX]:W, with a closing | after |x|. Opcode and modifiers of machine instructions are
// as in the assembler.
//
// A piece (IrPiece) is added to a program. Its lines are those of a block, with names:
//   regs NAME:W ..                     new registers, in this order
//   blocks NAME ..                     new blocks
//   block NAME [-> NAME ..]            the next lines go to its end; its successors
//   ?NAME LINE, ?!NAME LINE            a line that counts only if the number is not zero, or is
//   = HOLE                             lines that the piece's user inserts
// %NAME is a register, %NAME:W a new one, $NAME or $NAME+N a number; names occur only in pieces.
#include "compile/ir.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- printing ----

typedef struct Text {
    char *buf;
    size_t size, used;
} Text;

static void put_text(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_text(Text *t, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(t->buf + t->used, t->size - t->used, format, ap);
    va_end(ap);
    t->used += n > 0 ? (size_t)n : 0;
    if (t->used >= t->size) t->used = t->size - 1;
}

static void put_reg(Text *t, int reg) {
    if (reg == IR_NONE) put_text(t, "%%_");
    else put_text(t, "%%%d", reg);
}

static void put_pred(Text *t, IrPred p) {
    if (p.neg) put_text(t, "!");
    if (p.reg == IR_PT) put_text(t, "PT");
    else put_text(t, "%%%d", p.reg);
}

static void put_src(Text *t, const IrSrc *s) {
    if (s->neg) put_text(t, "-");
    if (s->abs) put_text(t, "|");
    switch (s->kind) {
    case ISA_SRC_NONE: put_text(t, "_"); break;
    case ISA_SRC_REG: put_text(t, "%%%d", s->reg); break;
    case ISA_SRC_IMM: put_text(t, "#%" PRIx64, s->imm); break;
    case ISA_SRC_CONST: put_text(t, "c[%d][%" PRIx64 "]", s->cbank, s->imm); break;
    }
    if (s->kind == ISA_SRC_IMM || s->kind == ISA_SRC_CONST) put_text(t, ":%d", s->width);
    if (s->abs) put_text(t, "|");
}

// Opcode with modifiers; the assembler's text of an instruction without operands ends in " _".
static void put_opcode(Text *t, const IrInst *in) {
    IsaInst m = in->mod;
    char text[256];
    m.ptx_line = 0;
    m.offset = 0;
    m.target = m.reconv = 0;
    m.op = ir_is_pseudo(in->op) ? ISA_NOP : (IsaOp)in->op;
    if (m.op == ISA_BRA || m.op == ISA_BRX || m.op == ISA_S2R) {  // written with their own operands
        put_text(t, "%s", isa_op_info[m.op].name);
        if (m.op == ISA_S2R) put_text(t, "(%d)", m.sreg);
        return;
    }
    isa_print_inst(text, sizeof text, &m);
    size_t n = 0;
    while (text[n] && text[n] != ' ') n++;
    text[n] = '\0';
    if (ir_is_pseudo(in->op))
        put_text(t, "%s%s", ir_op_name(in->op), text + strlen(isa_op_info[ISA_NOP].name));
    else put_text(t, "%s", text);
}

void ir_print_inst(char *buf, size_t size, const Ir *ir, const IrInst *in) {
    Text t = {buf, size, 0};
    (void)ir;
    if (in->guard.reg != IR_PT || in->guard.neg) {
        put_text(&t, "@");
        put_pred(&t, in->guard);
        put_text(&t, " ");
    }
    put_opcode(&t, in);
    put_text(&t, " ");
    put_reg(&t, in->dst);
    if (in->pdst[0] != IR_NONE || in->pdst[1] != IR_NONE) {
        put_text(&t, "|");
        put_reg(&t, in->pdst[0]);
        put_text(&t, "|");
        put_reg(&t, in->pdst[1]);
    }
    for (int i = 0; i < in->nsrc; i++) {
        put_text(&t, i ? ", " : " <- ");
        put_src(&t, &in->src[i]);
    }
    int np = 3;
    while (np && in->psrc[np - 1].reg == IR_PT && !in->psrc[np - 1].neg) np--;
    for (int i = 0; i < np; i++) {
        put_text(&t, i ? ", " : " {");
        put_pred(&t, in->psrc[i]);
    }
    if (np) put_text(&t, "}");
    if (in->mod.offset) put_text(&t, " +%d", in->mod.offset);
    if (in->mod.ptx_line) put_text(&t, " ; %d", in->mod.ptx_line);
}

void ir_print(FILE *out, const Ir *ir) {
    fprintf(out,
            "ir %s local %" PRId64 " shared %" PRId64 " params %" PRId64 " spill %" PRId64
            " %d %d barriers %d\n",
            ir->name, ir->local_bytes, ir->shared_bytes, ir->param_bytes, ir->spill_bytes,
            ir->spill_loads, ir->spill_stores, ir->max_barrier);
    fprintf(out, "regs");
    for (int v = 0; v < ir->nvregs; v++)
        if (ir->width[v]) fprintf(out, " %d", ir->width[v]);
        else fprintf(out, " p");
    fprintf(out, "\n");
    char *text = malloc(65536);
    panic_if(!text, "out of memory");
    for (int b = 0; b < ir->nblocks; b++) {
        const IrBlock *k = &ir->blocks[b];
        fprintf(out, "block %d <-", b);
        for (int p = 0; p < k->npred; p++) fprintf(out, " %d", k->pred[p]);
        fprintf(out, " ->");
        for (int s = 0; s < k->nsucc; s++) fprintf(out, " %d", k->succ[s]);
        if (k->ntable) fprintf(out, " table");
        for (int i = 0; i < k->ntable; i++) fprintf(out, " %d", k->table[i]);
        fprintf(out, " seq %d\n", k->seq);
        for (int i = 0; i < k->ninsts; i++) {
            ir_print_inst(text, 65536, ir, k->insts[i]);
            fprintf(out, "  %s\n", text);
        }
    }
    free(text);
}

// ---- parsing ----

typedef struct Reader {
    SourceText src;
    const char *s, *line_start;
    int line;
    Diag *d;
    Ir *ir;
    IrPiece *piece;  // NULL: a whole program
} Reader;

static bool report_unexpected(Reader *r, const char *expected) {
    int n = 0;
    while (r->s[n] && !isspace((unsigned char)r->s[n]) && n < 40) n++;
    return diag_fail_at(r->d, &r->src, r->line, (int)(r->s - r->line_start) + 1,
                        "found `%.*s`, expected %s", n, r->s, expected);
}

static void skip_blanks(Reader *r) {
    while (*r->s == ' ' || *r->s == '\t') r->s++;
}
static bool at_end(Reader *r) {
    skip_blanks(r);
    return *r->s == '\n' || *r->s == '\0';
}
static bool accept_word(Reader *r, const char *word) {
    skip_blanks(r);
    size_t n = strlen(word);
    if (strncmp(r->s, word, n)) return false;
    r->s += n;
    return true;
}

static size_t name_length(const char *s) {
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
    return n;
}

static const IrName *find_name(const IrPiece *p, const char *name, size_t n) {
    for (int i = 0; i < p->nnames; i++)
        if (strlen(p->names[i].name) == n && !memcmp(p->names[i].name, name, n))
            return &p->names[i];
    return NULL;
}

static bool read_name(Reader *r, int64_t *v, const char *expected) {
    skip_blanks(r);
    const size_t n = name_length(r->s);
    const IrName *name = n ? find_name(r->piece, r->s, n) : NULL;
    if (!name) return report_unexpected(r, expected);
    *v = name->value;
    r->s += n;
    return true;
}

static bool read_number(Reader *r, int base, uint64_t *v) {
    skip_blanks(r);
    if (r->piece && accept_word(r, "$")) {
        int64_t value;
        if (!read_name(r, &value, "a number's name")) return false;
        *v = (uint64_t)value;
        if (*r->s == '+') *v += strtoull(r->s + 1, (char **)&r->s, 10);
        return true;
    }
    char *end;
    bool neg = *r->s == '-';
    *v = strtoull(r->s + neg, &end, base);
    if (end == r->s + neg || isspace((unsigned char)r->s[neg]))
        return report_unexpected(r, "a number");
    if (neg) *v = 0 - *v;
    r->s = end;
    return true;
}
static bool read_integer(Reader *r, int *v) {
    uint64_t u;
    if (!read_number(r, 10, &u)) return false;
    *v = (int)(int64_t)u;
    return true;
}
static bool wide_integer(Reader *r, int64_t *v) {
    uint64_t u;
    if (!read_number(r, 10, &u)) return false;
    *v = (int64_t)u;
    return true;
}
static bool next_line(Reader *r) {
    while (*r->s && *r->s != '\n') r->s++;
    if (!*r->s) return false;
    r->s++;
    r->line_start = r->s;
    r->line++;
    return *r->s != '\0';
}

// NAME:W, a new register.
static bool declare_reg(Reader *r, int *reg) {
    const size_t n = name_length(r->s);
    const char w = r->s[n] == ':' ? r->s[n + 1] : 0;
    if (!n || (w != 'p' && w != '1' && w != '2' && w != '4'))
        return report_unexpected(r, "NAME:W, width 1, 2, 4 or p");
    if (find_name(r->piece, r->s, n)) return report_unexpected(r, "a new name");
    *reg = ir_vreg(r->ir, w == 'p' ? 0 : w - '0');
    ir_name(r->piece, arena_strndup(r->ir->arena, r->s, n), *reg);
    r->s += n + 2;
    return true;
}

static bool read_named_reg(Reader *r, int *reg) {
    int64_t v;
    if (r->s[name_length(r->s)] == ':') return declare_reg(r, reg);
    if (!read_name(r, &v, "a register's name")) return false;
    *reg = (int)v;
    return (*reg >= 0 && *reg < r->ir->nvregs) || report_unexpected(r, "the name of a register");
}

static bool read_reg(Reader *r, int *reg) {
    if (!accept_word(r, "%")) return report_unexpected(r, "a register");
    if (r->piece && isalpha((unsigned char)*r->s)) return read_named_reg(r, reg);
    if (accept_word(r, "_")) {
        *reg = IR_NONE;
        return true;
    }
    if (!read_integer(r, reg)) return false;
    return (*reg >= 0 && *reg < r->ir->nvregs) ||
        report_unexpected(r, "a register that `regs` declares");
}

static bool read_pred(Reader *r, IrPred *p) {
    p->neg = accept_word(r, "!");
    if (accept_word(r, "PT")) {
        p->reg = IR_PT;
        return true;
    }
    return read_reg(r, &p->reg);
}

static bool read_width(Reader *r, IrSrc *s) {
    int w;
    if (!accept_word(r, ":")) return report_unexpected(r, "`:` and a width");
    if (!read_integer(r, &w)) return false;
    if (w != 0 && w != 1 && w != 2 && w != 4) return report_unexpected(r, "width 0, 1, 2 or 4");
    s->width = (uint8_t)w;
    return true;
}

static bool read_src(Reader *r, IrSrc *s) {
    *s = (IrSrc){.reg = IR_NONE};
    s->neg = accept_word(r, "-");
    s->abs = accept_word(r, "|");
    skip_blanks(r);
    if (*r->s == '%') {
        s->kind = ISA_SRC_REG;
        if (!read_reg(r, &s->reg)) return false;
        if (s->reg == IR_NONE) return report_unexpected(r, "a register");
        s->width = r->ir->width[s->reg];
    } else if (accept_word(r, "#")) {
        s->kind = ISA_SRC_IMM;
        if (!read_number(r, 16, &s->imm) || !read_width(r, s)) return false;
    } else if (accept_word(r, "c[")) {
        int bank;
        s->kind = ISA_SRC_CONST;
        if (!read_integer(r, &bank)) return false;
        s->cbank = (uint8_t)bank;
        if (!accept_word(r, "][")) return report_unexpected(r, "`][`");
        if (!read_number(r, 16, &s->imm)) return false;
        if (!accept_word(r, "]")) return report_unexpected(r, "`]`");
        if (!read_width(r, s)) return false;
    } else if (!accept_word(r, "_")) return report_unexpected(r, "a source");
    return !s->abs || accept_word(r, "|") || report_unexpected(r, "`|`");
}

// The opcode; modifiers of machine instructions are read by the assembler.
static IrInst *read_opcode(Reader *r) {
    char word[256], line[320];
    size_t n = 0;
    skip_blanks(r);
    while (r->s[n] && !isspace((unsigned char)r->s[n]) && n < sizeof word - 1) n++;
    memcpy(word, r->s, n);
    word[n] = '\0';
    size_t head = strcspn(word, ".(");
    int pseudo = -1;
    for (int op = ISA_OP_COUNT; op < IR_OP_COUNT; op++)
        if (strlen(ir_op_name(op)) == head && !memcmp(ir_op_name(op), word, head)) pseudo = op;
    bool branch = !strcmp(word, "bra") || !strcmp(word, "brx"), s2r = !strncmp(word, "s2r(", 4);
    IrInst *in = ir_inst(r->ir, ISA_NOP, 0);
    if (branch) in->op = !strcmp(word, "bra") ? ISA_BRA : ISA_BRX;
    else if (s2r) {
        in->op = ISA_S2R;
        const bool named = r->piece && word[4] == '$';
        const IrName *sreg = named ? find_name(r->piece, word + 5, name_length(word + 5)) : NULL;
        if (named && !sreg) return report_unexpected(r, "a number's name"), NULL;
        in->mod.sreg = (uint8_t)(sreg ? sreg->value : atoi(word + 4));
    } else {
        const char *name = pseudo >= 0 ? isa_op_info[ISA_NOP].name : "";
        snprintf(line, sizeof line, ".kernel k\n.regs 1\n%s%s _\n", name,
                 pseudo >= 0 ? word + head : word);
        Diag d = {0};
        IsaProgram *p = isa_parse(r->ir->arena, "opcode", line, strlen(line), &d);
        if (!p || p->ninsts != 1) {
            report_unexpected(r, "an opcode");
            return NULL;
        }
        IsaInst keep = in->mod;
        in->mod = p->insts[0];
        in->op = pseudo >= 0 ? pseudo : (int)p->insts[0].op;
        memcpy(in->mod.src, keep.src, sizeof keep.src);
    }
    in->mod.op = ir_is_pseudo(in->op) ? ISA_NOP : (IsaOp)in->op;
    r->s += n;
    return in;
}

static bool read_inst(Reader *r, int block) {
    IrPred guard = {IR_PT, false};
    if (accept_word(r, "@") && !read_pred(r, &guard)) return false;
    IrInst *in = read_opcode(r);
    if (!in) return false;
    in->guard = guard;
    if (!read_reg(r, &in->dst)) return false;
    if (accept_word(r, "|")) {
        if (!read_reg(r, &in->pdst[0])) return false;
        if (!accept_word(r, "|")) return report_unexpected(r, "`|`");
        if (!read_reg(r, &in->pdst[1])) return false;
    }
    if (accept_word(r, "<-")) {
        int cap = 0;
        do {
            IrSrc *s = ARENA_PUSH(r->ir->arena, in->src, in->nsrc, cap);
            if (!read_src(r, s)) return false;
        } while (accept_word(r, ","));
    }
    if (accept_word(r, "{")) {
        int i = 0;
        do {
            if (i == 3) return report_unexpected(r, "at most three predicates");
            if (!read_pred(r, &in->psrc[i++])) return false;
        } while (accept_word(r, ","));
        if (!accept_word(r, "}")) return report_unexpected(r, "`}`");
    }
    if (accept_word(r, "+") && !read_integer(r, &in->mod.offset)) return false;
    if (accept_word(r, ";") && !read_integer(r, &in->mod.ptx_line)) return false;
    if (!at_end(r)) return report_unexpected(r, "the end of the line");
    ir_insert(r->ir, block, r->ir->blocks[block].ninsts, in);
    return true;
}

static bool read_list(Reader *r, int **list, int *n) {
    int cap = 0;
    *n = 0;
    for (skip_blanks(r); isdigit((unsigned char)*r->s); skip_blanks(r)) {
        int *v = ARENA_PUSH(r->ir->arena, *list, *n, cap);
        if (!read_integer(r, v)) return false;
    }
    return true;
}

static bool read_block(Reader *r, int *block) {
    int n;
    if (!read_integer(r, &n)) return false;
    if (n != r->ir->nblocks) return report_unexpected(r, "blocks in order");
    *block = ir_block(r->ir);
    IrBlock *b = &r->ir->blocks[*block];
    if (!accept_word(r, "<-")) return report_unexpected(r, "`<-`");
    if (!read_list(r, &b->pred, &b->npred)) return false;
    if (!accept_word(r, "->")) return report_unexpected(r, "`->`");
    if (!read_list(r, &b->succ, &b->nsucc)) return false;
    if (accept_word(r, "table") && !read_list(r, &b->table, &b->ntable)) return false;
    if (accept_word(r, "seq") && !read_integer(r, &b->seq)) return false;
    return at_end(r) || report_unexpected(r, "the end of the line");
}

static bool read_head(Reader *r) {
    Ir *ir = r->ir;
    if (!accept_word(r, "ir ")) return report_unexpected(r, "`ir NAME`");
    skip_blanks(r);
    size_t n = strcspn(r->s, " \n");
    ir->name = arena_strndup(ir->arena, r->s, n);
    r->s += n;
    bool ok = accept_word(r, "local") && wide_integer(r, &ir->local_bytes) &&
        accept_word(r, "shared") && wide_integer(r, &ir->shared_bytes) &&
        accept_word(r, "params") && wide_integer(r, &ir->param_bytes) && accept_word(r, "spill") &&
        wide_integer(r, &ir->spill_bytes) && read_integer(r, &ir->spill_loads) &&
        read_integer(r, &ir->spill_stores) && accept_word(r, "barriers") &&
        read_integer(r, &ir->max_barrier);
    if (!ok)
        return diag_ok(r->d)
            ? report_unexpected(r, "local, shared, params, spill and barriers with their numbers")
            : false;
    if (!next_line(r) || !accept_word(r, "regs")) return report_unexpected(r, "`regs`");
    while (!at_end(r)) {
        int w = 0;
        if (!accept_word(r, "p") && !read_integer(r, &w)) return false;
        if (w != 0 && w != 1 && w != 2 && w != 4)
            return report_unexpected(r, "a width: 1, 2, 4 or p");
        ir_vreg(ir, w);
    }
    return true;
}

// The two blocks of every edge must name each other.
static bool check_edges(Reader *r) {
    const Ir *ir = r->ir;
    if (!ir->nblocks) return report_unexpected(r, "at least one block");
    for (int b = 0; b < ir->nblocks; b++) {
        const IrBlock *k = &ir->blocks[b];
        for (int s = 0; s < k->nsucc; s++) {
            int to = k->succ[s], p = 0;
            if (to < 0 || to >= ir->nblocks) return report_unexpected(r, "successors that exist");
            while (p < ir->blocks[to].npred && ir->blocks[to].pred[p] != b) p++;
            if (p == ir->blocks[to].npred)
                return report_unexpected(r, "successors that have the block as predecessor");
        }
        for (int p = 0; p < k->npred; p++)
            if (k->pred[p] < 0 || k->pred[p] >= ir->nblocks)
                return report_unexpected(r, "predecessors that exist");
    }
    return true;
}

Ir *ir_parse(Arena *arena, const char *path, const char *text, size_t len, Diag *d) {
    Ir *ir = ARENA_NEW(arena, Ir);
    Reader r = {
        .src = {path, text, len}, .s = text, .line_start = text, .line = 1, .d = d, .ir = ir};
    int block = -1;
    ir->arena = arena;
    if (!read_head(&r)) return NULL;
    while (next_line(&r)) {
        if (at_end(&r)) continue;
        if (accept_word(&r, "block ")) {
            if (!read_block(&r, &block)) return NULL;
        } else if (block < 0) {
            report_unexpected(&r, "`block`");
            return NULL;
        } else if (!read_inst(&r, block)) return NULL;
    }
    return check_edges(&r) ? ir : NULL;
}

// ---- pieces ----

void ir_name(IrPiece *p, const char *name, int64_t value) {
    *ARENA_PUSH(p->ir->arena, p->names, p->nnames, p->cap_names) = (IrName){name, value};
}

int ir_named(const IrPiece *p, const char *name) {
    const IrName *found = find_name(p, name, strlen(name));
    panic_if(!found, "the piece has no name %s", name);
    return (int)found->value;
}

static bool declare_regs(Reader *r) {
    int reg;
    while (!at_end(r))
        if (!declare_reg(r, &reg)) return false;
    return true;
}

static bool declare_blocks(Reader *r) {
    for (; !at_end(r); r->s += name_length(r->s)) {
        const size_t n = name_length(r->s);
        if (!n || find_name(r->piece, r->s, n)) return report_unexpected(r, "a new name");
        ir_name(r->piece, arena_strndup(r->ir->arena, r->s, n), ir_block(r->ir));
    }
    return true;
}

static bool open_block(Reader *r, int *block) {
    int64_t v;
    if (!read_name(r, &v, "a block's name")) return false;
    *block = (int)v;
    if (!accept_word(r, "->"))
        return at_end(r) || report_unexpected(r, "`->` or the end of the line");
    int succ[2], n = 0;
    while (!at_end(r) && n < 2) {
        if (!read_name(r, &v, "a block's name")) return false;
        succ[n++] = (int)v;
    }
    ir_set_succ(r->ir, *block, n, succ);
    return at_end(r) || report_unexpected(r, "at most two successors");
}

static bool fill_hole(Reader *r, int block) {
    skip_blanks(r);
    const size_t n = name_length(r->s);
    const char *hole = arena_strndup(r->ir->arena, r->s, n);
    if (!n || !r->piece->fill) return report_unexpected(r, "a hole's name");
    r->s += n;
    r->piece->fill(r->piece, r->piece->ctx, hole, block);
    return at_end(r) || report_unexpected(r, "the end of the line");
}

static bool read_piece_line(Reader *r, int *block) {
    while (accept_word(r, "?")) {
        const bool unless = accept_word(r, "!");
        int64_t v;
        if (!read_name(r, &v, "a condition's name")) return false;
        if (!v != unless) return true;
    }
    if (accept_word(r, "regs ")) return declare_regs(r);
    if (accept_word(r, "blocks ")) return declare_blocks(r);
    if (accept_word(r, "block ")) return open_block(r, block);
    if (accept_word(r, "= ")) return fill_hole(r, *block);
    return *block < 0 ? report_unexpected(r, "`block`") : read_inst(r, *block);
}

void ir_add(IrPiece *p, const char *text) {
    Diag d = {0};
    Reader r = {.src = {"a piece of the compiler", text, strlen(text)},
                .s = text,
                .line_start = text,
                .line = 1,
                .d = &d,
                .ir = p->ir,
                .piece = p};
    int block = -1;
    do
        if (!at_end(&r)) panic_if(!read_piece_line(&r, &block), "%s", d.text);
    while (next_line(&r));
}
