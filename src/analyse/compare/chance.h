/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* chance.h - probabilities of Student's t. */
#ifndef SONDE_ANALYSE_COMPARE_CHANCE_H
#define SONDE_ANALYSE_COMPARE_CHANCE_H

/* The probability that |t| is at least this large by chance, with df degrees of freedom. */
double chance_of_t(double t, double df);
/* The t that is exceeded, on either side, with a probability of 5 %. */
double chance_t95(double df);

#endif
