// SPDX-License-Identifier: Apache-2.0
// Private to csrc/ptx: shared declarations of lexer, parser and checker. One section per source
// file.
#ifndef SMCOSIM_PTX_FRONT_H
#define SMCOSIM_PTX_FRONT_H

#include "ptx/ptx.h"

// ---- lex.c ----

typedef enum TokenKind {
    TOKEN_END,
    TOKEN_NAME,  // identifiers and registers: add, %r1, $L__BB0_2, _
    TOKEN_DOT,   // .word, .L1::no_allocate, and @@word
    TOKEN_INT,
    TOKEN_F32,     // 0fXXXXXXXX
    TOKEN_F64,     // 0dXXXXXXXXXXXXXXXX and decimal fractions
    TOKEN_STRING,  // text between the quotes, escapes not yet replaced
    TOKEN_PUNCT,   // one character, in `bits`; '<' 's' 'h' pairs are 'L' (<<), 'R' (>>) ...
} TokenKind;

// Two-character operators of constant expressions, as values of Token.bits.
enum { OP_SHL = 256, OP_SHR, OP_LE, OP_GE, OP_EQ, OP_NE, OP_AND, OP_OR };

typedef struct Token {
    TokenKind kind;
    int line, col;
    const char *text;  // position in the source; for TOKEN_DOT without the dot
    int len;
    int sym;           // NAME and DOT: index of the interned name
    uint64_t bits;     // INT, F32, F64: value; PUNCT: character
    bool is_unsigned;  // INT: had a U suffix or does not fit int64_t
    bool glued;        // no white space precedes it
} Token;

// BIND_VECTOR: registers `index` on; BIND_MODULE_VAR: a variable of the module that a function
// declares.
typedef enum BindingKind { BIND_REG, BIND_VECTOR, BIND_VAR, BIND_MODULE_VAR } BindingKind;

// Meaning of a name inside the parsed function; inner scopes hide outer ones.
typedef struct Binding {
    BindingKind kind;
    int index;  // into PtxFunc.regs or .vars, PtxModule.vars
    int count;  // elements of a vector
    int scope;
    int sym;
    struct Binding *shadowed;
    struct Binding *next;  // bound earlier in the same scope
} Binding;

typedef struct Symbol {
    const char *name;
    int len;
    uint32_t hash;
    int op;          // PtxOp, REFUSED_OP + index, or -1
    int mod;         // first row of the modifier table with this text, or -1
    int sreg;        // PtxSreg or -1
    int module_var;  // index into PtxModule.vars or -1
    int func;        // index into PtxModule.funcs or -1
    Binding *local;
    // serial number of the last function that has a register or variable with this name
    int used_in;
    int next_suffix;  // counter for unique names of shadowing registers and variables
    int labels;       // newest label with that name in the function `labels_in`
    int labels_in;
    int label_name_in;  // serial number of the last function that has a label with this spelling
} Symbol;
enum { REFUSED_OP = 1000 };

// A label in an instruction, to be resolved when the whole function is known.
typedef struct LabelRef {
    int sym, scope;
    int inst;  // fills opnd[0].index
    int line, col;
    bool list;  // fills targets of the brx.idx at `inst` from a .branchtargets list
    bool done;
} LabelRef;

typedef struct LabelDef {
    int scope, older;  // older: label of the same name in another scope, or -1
} LabelDef;

// Braces. The counts are those at the opening brace: labels and references of the scope follow.
typedef struct Scope {
    int parent;
    int first_label, first_ref;
} Scope;

typedef struct TargetList {
    int sym, scope, line, col;
    LabelRef *refs;
    int nrefs, cap_refs;
} TargetList;

typedef struct Alias {
    Token name;  // a function without body
    int func, of;
} Alias;

typedef struct Parser {
    Arena *arena;    // module
    Arena *scratch;  // tables that end with the parse
    Diag *d;
    PtxModule *m;
    // lexer
    const char *at, *end, *line_start;
    int line;
    Token tok, ahead;
    int last_line, last_col;  // end of the token before `tok`
    Symbol *syms;
    int nsyms, cap_syms;
    int *buckets;
    int nbuckets;
    int depth;  // nesting of expressions and braces
    // function being parsed
    PtxFunc *f;
    int serial;
    int scope;      // current scope number, 0 outside functions
    Scope *scopes;  // by number
    int nscopes, cap_scopes;
    Binding *bound;         // bindings of the current scope
    Binding **bound_outer;  // stack of the enclosing scopes
    int nbound_outer, cap_bound_outer;
    LabelDef *label_defs;  // beside f->labels
    int nlabel_defs, cap_label_defs;
    LabelRef *label_refs;
    int nlabel_refs, cap_label_refs;
    TargetList *lists;
    int nlists, cap_lists;
    int indirect_calls;  // indirect calls of the module so far
    int *taken;          // functions whose address an instruction takes
    int ntaken, cap_taken;
    Alias *aliases;
    int naliases, cap_aliases;
    int src_line;
    int src_file;  // file number of the function's first .loc
} Parser;

enum { LEX_LONGEST_NAME = 4096, LEX_NAME_SPACE = LEX_LONGEST_NAME + 32 };

bool lex_open(Parser *p);
bool lex_next(Parser *p);  // tok = ahead, ahead = following token
int lex_intern(Parser *p, const char *name, int len);
static inline Symbol *lex_symbol(Parser *p, int sym) { return &p->syms[sym]; }
const char *lex_describe(Parser *p, const Token *t);  // `'add'`, "the end of the file"
bool lex_fail(Parser *p, const Token *t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline bool lex_is(const Parser *p, char c) {
    return p->tok.kind == TOKEN_PUNCT && p->tok.bits == (uint64_t)(unsigned char)c;
}
static inline bool lex_is_ahead(const Parser *p, char c) {
    return p->ahead.kind == TOKEN_PUNCT && p->ahead.bits == (uint64_t)(unsigned char)c;
}
bool lex_is_word(const Token *t, TokenKind kind, const char *word);
bool lex_accept(Parser *p, char c, bool *found);  // false only after a lexical error
bool lex_expect(Parser *p, char c, const char *where);

// ---- parse.c ----

bool starts_directive(const Token *t);  // Does the token start a directive of a module?

// ---- parse_expr.c ----

typedef struct Number {
    TokenKind kind;  // INT, F32 or F64
    uint64_t bits;
    bool is_unsigned;
} Number;

// A constant expression; `what` names it in messages.
bool parse_number(Parser *p, Number *n, const char *what);
bool parse_int(Parser *p, int64_t *value, int64_t least, int64_t most, const char *what);
// The bits of `n` as a value of type t; false (with a message at `at`) if it does not fit.
bool number_to_type(Parser *p, const Number *n, PtxType t, const Token *at, uint64_t *bits);

// ---- parse_decl.c ----

bool parse_space_word(const Token *t, PtxSpace *s);  // is the token `.global` ...?
// Linkage and space are already in `v`. Parses up to and including the semicolon.
bool parse_variable(Parser *p, const PtxVar *v);
bool parse_old_texture(Parser *p);                           // `.tex .u64 name;` of PTX 1
bool parse_registers(Parser *p);                             // call after `.reg`
bool parse_param_list(Parser *p, PtxFunc *f, bool returns);  // tok is `(`
bool decl_params(Parser *p);                                 // binds the parameters of p->f
int decl_temporary(Parser *p, PtxType type);                 // a fresh register
void scope_open(Parser *p);
void scope_close(Parser *p);
bool skip_to_semicolon(Parser *p);  // skips to the semicolon, inclusive

// ---- parse_init.c ----

// The initializer after `=`; dims[0] < 0 is filled in. vec counts as innermost dimension.
bool parse_initializer(Parser *p, PtxVar *v, int64_t *dims, int ndims);

// ---- parse_func.c ----

bool parse_function(Parser *p, bool is_entry, bool is_extern, bool is_visible, bool is_weak);
bool parse_alias(Parser *p);      // call after `.alias`
bool alias_functions(Parser *p);  // call at the end of the module
void func_refuse(Parser *p, const Token *at, const char *why);

// Resolves the branch targets of the current scope.
void labels_close(Parser *p);

// ---- parse_inst.c ----

enum { INST_MAX_MODS = 16 };
typedef struct Mods {
    Token tok[INST_MAX_MODS];
    int n;
} Mods;
typedef struct InstText InstText;

// An instruction up to and including its semicolon.
bool parse_instruction(Parser *p);
bool parse_operand(Parser *p, InstText *t, PtxOperand *o);

bool parse_operands(Parser *p, InstText *t, PtxInst *in);

// ---- parse_elements.c ----

// Call after the name of a vector of registers.
bool parse_vector_register(Parser *p, PtxOperand *o, const Token *name, const Binding *b);
// For a special register as operand, inserts a mov before the instruction that copies it into a
// register.
void read_special(Parser *p, const InstText *t, PtxOperand *o);
// %tid, %ntid, %ctaid and %nctaid are vectors of four registers; false: another register.
bool special_vector(Parser *p, const InstText *t, PtxOperand *o, const char *name);
// Call after the name of an array; tok is `[`.
bool parse_index(Parser *p, const InstText *t, PtxOperand *o, const Token *name, const PtxVar *v);
// Operands a[i] become addresses, before the instruction is checked.
void index_elements(Parser *p, PtxInst *in);
bool check_move_vector(Parser *p, PtxInst *in, InstText *t);
void push_moves(Parser *p, const PtxInst *in);  // a checked mov.v2 or mov.v4

// ---- parse_hints.c ----

// Is it createpolicy, applypriority or discard? They parse their own operands.
bool hint_is(const InstText *t);
bool hint_parse(Parser *p, PtxInst *in, InstText *t, const Mods *mods);
// The policy after the operands of an access with .L2::cache_hint, which has no effect.
bool take_policy(Parser *p, PtxInst *in, InstText *t);

// ---- parse_matrix.c ----

// Is it mma, wmma or a matrix load or store? They parse their own operands and expand into other
// instructions.
bool matrix_is(const InstText *t);
bool matrix_parse(Parser *p, PtxInst *in, InstText *t, const Mods *mods);

// ---- parse_surface.c ----

// Accesses of surfaces, as matrix_parse.
bool surface_is(const InstText *t);
bool surface_parse(Parser *p, PtxInst *in, InstText *t, const Mods *mods);
// A checked fetch from a cube map, or from an array of these, becomes a fetch from layers.
void texture_cube(Parser *p, const PtxInst *in, bool array);

// ---- parse_async.c ----

// Is it cp.async or an mbarrier operation, which expand into other instructions?
bool async_is(PtxOp op);
bool async_expand(Parser *p, const PtxInst *in, InstText *t);

// ---- demote.c ----

// In a module with map_f64_to_f32: a checked instruction becomes its .f32 form, or t->why is set.
void demote_inst(Parser *p, PtxInst *in, InstText *t);
void demote_registers(PtxFunc *f);  // call after the last instruction

// ---- parse_calls.c ----

bool call_is_indirect(const PtxInst *in);  // true until calls_resolve has replaced the call
void call_prepare(Parser *p, PtxInst *in);
void calls_resolve(Parser *p);

// ---- video.c ----

// The selector after a register of a video instruction: `.b3210`.
bool video_select(Parser *p, PtxOperand *o);
bool video_check(Parser *p, PtxInst *in, InstText *t);

// ---- mods.c ----

// Classes of modifiers: which field of PtxInst a suffix sets.
enum {
    M_NAN = 1ll << 32,
    M_XORSIGN = 1ll << 33,
    M_ABS = 1ll << 34,
    M_RELU = 1ll << 35,
    M_NOFTZ = 1ll << 36,
    M_PO = 1ll << 37,
    M_SCALE = 1ll << 38,
    M_SATFINITE = 1ll << 39,
    M_RNA = 1ll << 40,
    M_HINT = 1ll << 41,  // .L2::cache_hint
    M_RND = 1 << 0,
    M_RNI = 1 << 1,
    M_FTZ = 1 << 2,
    M_SAT = 1 << 3,
    M_APPROX = 1 << 4,
    M_FULL = 1 << 5,
    M_UNI = 1 << 6,
    M_CC = 1 << 7,
    M_SYNC = 1 << 8,
    M_NC = 1 << 9,
    M_SEM = 1 << 10,
    M_SCOPE = 1 << 11,
    M_SPACE = 1 << 12,
    M_CACHE = 1 << 13,
    M_EVICT = 1 << 14,
    M_L2 = 1 << 15,
    M_VEC = 1 << 16,
    M_PART = 1 << 17,
    M_CMP = 1 << 18,
    M_BOOL = 1 << 19,
    M_DIR = 1 << 20,
    M_SHF = 1 << 21,
    M_SHFL = 1 << 22,
    M_VOTE = 1 << 23,
    M_ATOM = 1 << 24,
    M_PRMT = 1 << 25,
    M_TESTP = 1 << 26,
    M_TO = 1 << 27,
    M_SHIFTAMT = 1 << 28,
    M_LEVEL = 1 << 29,
    M_TYPE = 1 << 30,
};
#define M_GL (1ll << 31)  // .gl, the scope as membar spells it

typedef struct ModRow {
    const char *text;
    uint64_t cls;  // one M_ bit, 0: known but not supported
    int value;
    const char *why;  // the unsupported feature
} ModRow;

extern const ModRow mod_table[];
extern const int mod_count;
const char *mod_class_name(uint64_t cls);
// The spelling of the modifier of this class and value, "" if none.
const char *mod_spelling(uint64_t cls, int value);

typedef struct RefusedOp {
    const char *name, *why;
} RefusedOp;
extern const RefusedOp refused_table[];
extern const int refused_count;

// ---- check.c ----

// One form of an opcode. See ptx_rules.def.
typedef struct Rule {
    PtxOp op;
    uint32_t types, types2;  // bit per PtxType; types2 0: one type suffix
    uint64_t may, must;      // modifier classes besides M_TYPE
    const char *signature;
} Rule;

uint64_t rule_union(PtxOp op);  // all modifier classes any form of the opcode may have
// Parser state of an instruction besides PtxInst. Immediates are still raw: bits as written.
// `offset` is the TokenKind of the number; `negated` says whether it is unsigned.
struct InstText {
    Token at;          // mnemonic
    const char *name;  // "add.ftz.f32" as written, not terminated
    int name_len;
    const char *first;  // start of the instruction, including the guard
    uint64_t seen;      // modifier classes written
    int ntypes;         // type suffixes written
    int texture_extra;  // tex.level: 1, tex.grad: 2 operands after the coordinates
    bool cube;          // tex.cube, tex.acube
    const char *why;    // set if a known but unsupported feature was found
};

// Finds the form, checks modifiers, operands and types, converts immediates. Sets t->why if the
// form is known but not supported; the instruction is then not checked further.
bool check_inst(Parser *p, PtxInst *in, InstText *t);
// For sm_1x: an instruction with a form with .ftz becomes that form; up to PTX 1.4 not conversions
// from and to .f64.
void flush_inst(const PtxModule *m, PtxInst *in);
bool check_call(Parser *p, PtxInst *in, InstText *t);
// The operand as a value of `type`, for sources (`relaxed`: a register may be wider).
// A special register is moved into a fresh register before the instruction.
bool check_special_register(Parser *p, const PtxInst *in, InstText *t, PtxOperand *o, PtxType type);
bool check_source(Parser *p, const PtxInst *in, InstText *t, PtxOperand *o, PtxType type,
                  bool relaxed);
bool check_dest(Parser *p, const PtxInst *in, InstText *t, const PtxOperand *o, PtxType type,
                bool relaxed);
// A message about operand o (NULL: about the instruction).
bool check_fail(Parser *p, const InstText *t, const PtxOperand *o, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Rules of single opcodes that the table cannot express.
bool check_special(Parser *p, PtxInst *in, InstText *t);

// Refuses an entry that reaches a call of a function that cannot run.
bool check_reachable(const PtxModule *m, const PtxFunc *entry, Diag *d);

#endif
