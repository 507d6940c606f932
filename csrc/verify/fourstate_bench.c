// SPDX-License-Identifier: Apache-2.0
// Verilog test bench of a block, generated from its port table.
#include "verify/fourstate_internal.h"

void layout_init(Layout *l, const BlockDesc *desc, const int *params) {
    *l = (Layout){0};
    l->nports = block_hardware_ports(desc, params, l->ports);
    for (int i = 0; i < l->nports; i++) {
        const Port *p = &l->ports[i];
        const int bits = p->count * p->width;
        if (p->dir == PORT_IN) {
            l->at[i] = l->in_bits;
            l->in_bits += bits;
        } else {
            l->at[i] = l->out_bits;
            l->element[i] = l->out_elements;
            l->out_bits += bits;
            l->out_elements += p->count;
        }
    }
}

// Each port has its own vector, because the simulator rebuilds a net of many parts each time a part
// changes.
static void write_nets(FILE *f, const Layout *l) {
    for (int i = 0; i < l->nports; i++) {
        const Port *p = &l->ports[i];
        fprintf(f, "    %s [%d:0] %s_%c;\n", p->dir == PORT_IN ? "reg " : "wire",
                p->count * p->width - 1, p->name, p->dir == PORT_IN ? 'i' : 'o');
    }
}

static void write_instance(FILE *f, const BlockDesc *desc, const int *params, const Layout *l,
                           bool with_params, bool fault_port) {
    fprintf(f, "    %s", desc->name);
    for (int i = 0; with_params && i < desc->nparams; i++)
        fprintf(f, "%s.%s(%d)", i ? ", " : " #(", desc->params[i].name, params[i]);
    fprintf(f, "%s u_dut (\n        .clk_i(clk), .rst_ni(rst_n)",
            with_params && desc->nparams ? ")" : "");
    if (fault_port) fprintf(f, ", .fault_i(64'd0)");
    for (int i = 0; i < l->nports; i++) {
        const char *name = l->ports[i].name, side = l->ports[i].dir == PORT_IN ? 'i' : 'o';
        fprintf(f, ",\n        .%s_%c(%s_%c)", name, side, name, side);
    }
    fprintf(f, ");\n");
}

static void write_drive(FILE *f, const Layout *l) {
    fprintf(f, "    task drive;\n        begin\n");
    for (int i = 0; i < l->nports; i++) {
        const Port *p = &l->ports[i];
        if (p->dir == PORT_IN)
            fprintf(f, "            %s_i = in[%d +: %d];\n", p->name, l->at[i],
                    p->count * p->width);
    }
    fprintf(f, "        end\n    endtask\n");
}

// Reports the first difference in the order of the ports. It compares with ===, so that X and Z
// always differ.
static void write_compare(FILE *f, const Layout *l) {
    fprintf(f, "    task compare;\n        integer e;\n        begin\n");
    for (int i = 0; i < l->nports; i++) {
        const Port *p = &l->ports[i];
        if (p->dir != PORT_OUT) continue;
        fprintf(f, "            for (e = 0; e < %d; e = e + 1)\n", p->count);
        fprintf(f, "                if (shown[%d + e] && !found &&\n", l->element[i]);
        fprintf(f, "                    %s_o[e*%d +: %d] !== golden[%d + e*%d +: %d]) begin\n",
                p->name, p->width, p->width, l->at[i], p->width, p->width);
        fprintf(f, "                    found = 1;\n");
        fprintf(f, "                    $display(\"differs %%0d %d %%0d %%b %%b\", cycle, e,\n", i);
        fprintf(f,
                "                        golden[%d + e*%d +: %d], %s_o[e*%d +: %d]);\n             "
                "   end\n",
                l->at[i], p->width, p->width, p->name, p->width, p->width);
    }
    fprintf(f, "        end\n    endtask\n");
}

static void write_driver(FILE *f) {
    fprintf(f,
            "    integer file, kind;\n"
            "    reg [8*1024-1:0] name;\n"
            "    initial begin\n"
            "        clk = 0;\n"
            "        cycle = 0;\n"
            "        found = 0;\n"
            "        if ($value$plusargs(\"replay=%%s\", name) == 0) $finish_and_return(2);\n"
            "        file = $fopen(name, \"r\");\n"
            "        if (file == 0) $finish_and_return(2);\n"
            "        while ($fscanf(file, \"%%d %%h %%h %%h\\n\", kind, in, golden, shown) == 4) "
            "begin\n"
            "            rst_n = kind != %d;\n"
            "            drive;\n"
            "            #1;\n"
            "            if (kind == %d) compare;\n"
            "            if (found) $finish_and_return(1);\n"
            "            clk = 1;\n"
            "            #1;\n"
            "            clk = 0;\n"
            "            cycle = cycle + 1;\n"
            "        end\n"
            "        $display(\"agree %%0d\", cycle);\n"
            "        $finish_and_return(0);\n"
            "    end\n",
            REPLAY_RESET, REPLAY_COMPARE);
}

void bench_write(FILE *f, const BlockDesc *desc, const int *params, const Layout *l,
                 bool with_params, bool fault_port) {
    fprintf(f, "`timescale 1ns/1ns\nmodule smcosim_bench;\n");
    fprintf(f,
            "    reg clk, rst_n, found;\n    integer cycle;\n    reg [%d:0] in;\n    reg [%d:0] "
            "golden;\n"
            "    reg [%d:0] shown;\n",
            l->in_bits - 1, l->out_bits - 1, l->out_elements - 1);
    write_nets(f, l);
    write_instance(f, desc, params, l, with_params, fault_port);
    write_drive(f, l);
    write_compare(f, l);
    write_driver(f);
    fprintf(f, "endmodule\n");
}
