# PolyBench-GPU: its standard sizes are for a whole GPU; 96 in each dimension runs on one SM. M and N of CORR and COVAR
# and N of GEMVER are 256: they round M / 256 down to the CTAs that they start.
/^#\s*if(def|\s*defined)\s*\(?STANDARD_DATASET/,/^#\s*endif/ {
    s/^(#\s*define\s+[A-Z]+\s+)[0-9]{3,}/\196/
    /^#\s*define\s+M\s+96/ { s/96/256/; n; s/[0-9]{3,}/256/ }
}
/^#ifndef GEMVER_/,$ s/^(#\s*define\s+N\s+)96$/\1256/
