# cuda-samples: repetitions that only make times more exact, and sizes meant for a whole GPU. What the programs compare
# their results with is computed for the same sizes.
s/^(\s*int nIter\s*= )(100|300);/\12;/
s/^(#define NUM_REPS +)100\b/\12/
s/^(\s*const int n[xy] = )2048;/\1512;/
s/^(\s+int +nreps +=) 10;/\1 2;/
s/^(\s*int +n += )16 \* 1024 \* 1024;/\11024 * 1024;/
s/^(\s*int +testIterations += )100;/\11;/
s/^(\s*const (unsigned )?int +iterations += )1[06];/\11;/
s/^(\s*const int +image[WH] += )3072\b/\1768/
s/^(const int +numRuns += )16;/\11;/
s/^(\s*uint +byteCount += )64 \* 1048576;/\14 * 1048576;/
s/^(\s*const int iCycles += )100;/\11;/
s/^(\s*const uint +N += )13 \* 1048576 \/ 2;/\113 * 65536 \/ 2;/
s/^(\s*const uint N += )1048576;/\132768;/
s/^(#define [MNK]_TILES )(256|512|1024)\b/\116/
s/^(#define NUM_ELEMENTS +)8000000\b/\1800000/
s/^(#define NUM_ELEMS +)10000000\b/\11000000/
s/^(const int OPT_N += )4000000;/\140000;/
s/^(const int NUM_ITERATIONS = )512;/\12;/
s/^(#define k_dim_qa +)248\b/\196/
s/^(#define MAX_OPTIONS +)1024\b/\132/
s/^(const int log2Data += )23;/\118;/
s/^(const int N = )1048576;/\132768;/
s/^(\s*int numIterations = )20;/\11;/
s/^(#define TEST_LOOP +)20\b/\11/
s/^(#define N_ROWS +)512\b/\164/
s/^(\s*const int nSolverIters = )500;/\15;/
s/^(const int MEM_SIZE += )50000000;/\1500000;/
s/^(const int NUM_ITERATIONS = )32;/\11;/
s/^(size_t maxSampleSizeInMb = )64;/\11;/
s/^(#define NUM_RUNS )\(100\)/\1(1)/
s/^(\s*size_t +bytes += )64 \* 1024 \* 1024;/\11024 * 1024;/
