#ifndef GRID_H
#define GRID_H

#include <stddef.h>
#include <stdio.h>

/* A grid is a floor, square by square. All zero is one without a square. */
struct grid {
	size_t rows, columns;
	double *squares;
};

/* grid_size gives a grid new squares, all zero. It returns 0, or -1 where there
 * are none of that many; the grid is without a square then. */
int grid_size(struct grid *g, size_t rows, size_t columns);

/* grid_at returns a square, or NULL outside of the floor. */
double *grid_at(const struct grid *g, size_t row, size_t column);

void grid_free(struct grid *g);

/* plan_read reads a plan: rows and columns, then row after row. */
int plan_read(struct grid *g, FILE *in);

#endif
