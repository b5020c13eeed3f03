/*
 * Write amplification as the literature computes it, for the sim to be held against. `op` is the
 * over-provisioning (T - U) / U, T the pages of the blocks that collection can use, U the user's.
 *
 *  - FIFO, LRU: P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012; the same
 *    limit as W. Bux, I. Iliadis, Performance Evaluation 67 (2010), for greedy and large blocks.
 *  - Greedy with blocks of N pages: Desnoyers, equation 12.
 *  - Best of d: B. Van Houdt, "A mean field model for a class of garbage collection algorithms in
 *    flash-based solid state drives", SIGMETRICS 2013.
 *  - Hot and cold data, not separated, FIFO: Desnoyers, section 5.
 *  - Trimmed space: T. Frankie et al., "A mathematical model of the trim command in NAND-flash
 *    SSDs", ACMSE 2012: what stays trimmed is over-provisioning.
 */
#pragma once

double theory_fifo(double op);
double theory_greedy(double op, unsigned pages_per_block);
double theory_choices(double op, unsigned pages_per_block, unsigned choices);
/* `writes` of the writes go to `space` of the pages. */
double theory_hot(double op, double writes, double space);
/* The over-provisioning that is left when `trimmed` of the pages stay trimmed. */
double theory_trimmed_op(double op, double trimmed);
