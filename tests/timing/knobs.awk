# SPDX-License-Identifier: Apache-2.0
# Lines "value kernel cycles" of one knob, poor values first: what each step costs against the best poorer one.
BEGIN {
    n = split(exceptions, e, " ")
    for (i = 1; i <= n; i++) { split(e[i], p, "="); allowed[p[1]] = p[2] }
}
{
    if (!($1 in seen)) { seen[$1] = 1; value[++nvalues] = $1 }
    if (!($2 in known)) { known[$2] = 1; kernel[++nkernels] = $2 }
    cycles[$1, $2] = $3
}
END {
    bad = 0
    if (split(values, wanted, ",") != nvalues || nkernels == 0) { print "knobs: " knob ": values are missing"; exit 1 }
    for (v = 1; v <= nvalues; v++) {
        sum = 0
        for (k = 1; k <= nkernels; k++) {
            name = kernel[k]
            if (!((value[v], name) in cycles)) { print "knobs: " knob " = " value[v] ": " name " did not run"; bad = 1; continue }
            c = cycles[value[v], name]
            sum += log(c)
            if (v > 1) {
                cost = 100 * (c / best[name] - 1)
                most = name in allowed ? allowed[name] : limit
                if (cost > worst) { worst = cost; who = name " at " value[v] }
                if (cost > most) {
                    printf "knobs: %s = %s costs %s %.1f %%, at most %s %% are allowed\n", knob, value[v], name, cost, most
                    bad = 1
                }
            }
            if (v == 1 || c < best[name]) best[name] = c
        }
        mean = exp(sum / nkernels)
        if (v > 1) {
            cost = 100 * (mean / best_mean - 1)
            if (cost > worst_mean) worst_mean = cost
            if (cost > mean_limit) {
                printf "knobs: %s = %s costs %.2f %% in the mean of %d kernels, at most %s %% are allowed\n", knob, value[v],
                       cost, nkernels, mean_limit
                bad = 1
            }
        }
        if (v == 1) first_mean = mean
        if (v == 1 || mean < best_mean) best_mean = mean
    }
    if (show) printf "%-26s mean of all steps %+6.2f %%, worst step %5.2f %%, worst kernel %5.1f %% %s\n", knob,
                      100 * (mean / first_mean - 1), worst_mean, worst, who
    exit bad
}
