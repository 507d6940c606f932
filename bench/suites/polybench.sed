# PolyBench-GPU: its standard sizes are for a whole GPU; 96 in each dimension runs on one SM.
/^#\s*if(def|\s*defined)\s*\(?STANDARD_DATASET/,/^#\s*endif/ s/^(#\s*define\s+[A-Z]+\s+)[0-9]{3,}/\196/
