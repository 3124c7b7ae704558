/* Semidefinite programs solved from C, or from a language that calls C.
 *
 *   primal   minimize c'x subject to X = F_1 x_1 + ... + F_m x_m - F_0, X positive semidefinite
 *   dual     maximize F_0.Y subject to F_i.Y = c_i, Y positive semidefinite
 *
 *   sdpa_problem* problem = sdpa_problem_new(1, 1, (int[]){2});
 *   sdpa_problem_set_cost(problem, 1, 1.0);
 *   sdpa_problem_add(problem, 0, 1, 1, 2, 1.0);   (matrix, block, row, column, value)
 *   ...
 *   sdpa_solution* solution = sdpa_solve(problem, NULL);
 *   if (solution == NULL) puts(sdpa_last_error());
 *   else if (sdpa_solution_status(solution) == SDPA_OPTIMAL) use(sdpa_solution_x(solution));
 *   sdpa_solution_free(solution);
 *   sdpa_problem_free(problem);
 *
 * Constraints, blocks, rows and columns count from 1, and matrix 0 is F_0, as in a .dat-s file.
 * Functions that return int return 0, or another number where sdpa_last_error() says the reason;
 * pointers are null then. Objects are freed by the functions named _free, which take null.
 *
 * Threads: two calls may run at once, unless they share an object that one of them changes.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sdpa_problem sdpa_problem;
typedef struct sdpa_solution sdpa_solution;

/* Why this thread's last call failed: one sentence, valid until its next call. */
const char* sdpa_last_error(void);

/* sizes[l - 1] > 0: block l is dense, of that many rows; < 0: diagonal. */
sdpa_problem* sdpa_problem_new(int constraints, int blocks, const int* sizes);
/* A file in SDPA's sparse format, or, where its name ends with .dat, in the dense one. */
sdpa_problem* sdpa_problem_read(const char* file);
void sdpa_problem_free(sdpa_problem* problem);

int sdpa_problem_set_cost(sdpa_problem* problem, int constraint, double value);
/* Adds to an element and its mirror image, which are one on the diagonal. */
int sdpa_problem_add(sdpa_problem* problem, int matrix, int block, int row, int column,
                     double value);

int sdpa_problem_constraints(const sdpa_problem* problem);
int sdpa_problem_blocks(const sdpa_problem* problem);
/* As in sdpa_problem_new; 0: there is no such block. */
int sdpa_problem_block_size(const sdpa_problem* problem, int block);

typedef enum {
  SDPA_OPTIMAL = 0,       /* all six DIMACS errors are within the tolerance */
  SDPA_PRIMAL_INFEASIBLE, /* no x is feasible, proved for all roundings */
  SDPA_DUAL_INFEASIBLE,   /* no Y is, likewise */
  SDPA_REDUCED_ACCURACY,  /* all six errors are below 1e-4 */
  SDPA_PRIMAL_INFEASIBLE_UP_TO_A_SIZE,
  SDPA_DUAL_INFEASIBLE_UP_TO_A_SIZE,
  SDPA_STALLED,
  SDPA_TOO_MANY_ITERATIONS,
  SDPA_TIME_LIMIT,
  SDPA_INTERRUPTED /* by the callback */
} sdpa_status;

/* "optimal", "primal infeasible", ...; "" for a number that is none of these. */
const char* sdpa_status_name(sdpa_status status);

typedef enum {
  SDPA_AUTO = 0, /* doubles, and pairs of them where these come to no answer */
  SDPA_DOUBLE,
  SDPA_DOUBLE_DOUBLE /* pairs: about 32 digits */
} sdpa_precision;

typedef struct {
  int number;                      /* from 1 on */
  double primal, dual;             /* objectives */
  double primal_error, dual_error; /* DIMACS errors 3 and 1 */
  double mu;                       /* X.Y over the rows */
  double primal_step, dual_step;   /* 0 to 1 */
} sdpa_iteration;

/* 0 of each member: its default. */
typedef struct {
  sdpa_precision precision;
  double tolerance; /* of all six errors; default 1e-7, of pairs of doubles 1e-14 */
  int iterations;   /* at most; default 100, of pairs of doubles 500 */
  double seconds;   /* of the whole run; default: no limit */
  int threads;      /* default: as many as the machine runs at once */
  /* Where to begin. It has the problem's sizes. */
  const sdpa_solution* initial;
  /* Called after each iteration, by one thread at a time, not always the caller's. Another number
   * than 0 ends the run with the best point so far. */
  int (*progress)(const sdpa_iteration* iteration, void* data);
  void* progress_data;
} sdpa_options;

/* The best point that the run came to, whatever its status. options: null for the defaults. */
sdpa_solution* sdpa_solve(const sdpa_problem* problem, const sdpa_options* options);

/* All zeros, to be filled in: a point to begin with, or one to be checked. */
sdpa_solution* sdpa_solution_new(const sdpa_problem* problem);
/* SDPA's result or initial point, or CSDP's solution. */
sdpa_solution* sdpa_solution_read(const sdpa_problem* problem, const char* file);
/* As csdp writes it. */
int sdpa_solution_write(const sdpa_solution* solution, const sdpa_problem* problem,
                        const char* file);
void sdpa_solution_free(sdpa_solution* solution);

/* Computes errors and objectives of the point in it again, from the problem alone, in long double.
 * The status becomes SDPA_OPTIMAL, SDPA_REDUCED_ACCURACY, a proof's, or SDPA_STALLED. */
int sdpa_certify(const sdpa_problem* problem, double tolerance, sdpa_solution* solution);

sdpa_status sdpa_solution_status(const sdpa_solution* solution);
double sdpa_solution_primal(const sdpa_solution* solution); /* c'x */
double sdpa_solution_dual(const sdpa_solution* solution);   /* F_0.Y */
/* The six DIMACS errors; no numbers before sdpa_solve or sdpa_certify. */
const double* sdpa_solution_errors(const sdpa_solution* solution);
int sdpa_solution_iterations(const sdpa_solution* solution);
double sdpa_solution_seconds(const sdpa_solution* solution);

/* m numbers. */
const double* sdpa_solution_x(const sdpa_solution* solution);
/* A block of X or Y: size * size numbers row by row, or the diagonal's; null: no such block. */
const double* sdpa_solution_primal_block(const sdpa_solution* solution, int block);
const double* sdpa_solution_dual_block(const sdpa_solution* solution, int block);

/* Copies as many numbers from `values`; those of a dense block are symmetric. */
int sdpa_solution_set_x(sdpa_solution* solution, const double* values);
int sdpa_solution_set_primal_block(sdpa_solution* solution, int block, const double* values);
int sdpa_solution_set_dual_block(sdpa_solution* solution, int block, const double* values);

#ifdef __cplusplus
} /* extern "C" */
#endif
