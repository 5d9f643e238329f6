/* A floor, square by square. */

#include "grid.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What one square takes. */
#define SQUARE sizeof(double)

/* grid_size forgets what the grid had. */
int grid_size(struct grid *g, size_t rows, size_t columns)
{
	grid_free(g);
	if (rows == 0 || columns == 0 || rows > SIZE_MAX / SQUARE / columns)
		return -1;

	g->squares = malloc(rows * columns * SQUARE);
	if (g->squares == NULL)
		return -1;
	memset(g->squares, 0, rows * columns * SQUARE);
	g->rows = rows;
	g->columns = columns;
	return 0;
}

/* grid_at counts from the corner by the door. */
double *grid_at(const struct grid *g, size_t row, size_t column)
{
	if (row >= g->rows || column >= g->columns)
		return NULL;
	return &g->squares[row * g->columns + column];
}

/* grid_free makes it a grid without a square. */
void grid_free(struct grid *g)
{
	free(g->squares);
	g->squares = NULL;
	g->rows = 0;
	g->columns = 0;
}
