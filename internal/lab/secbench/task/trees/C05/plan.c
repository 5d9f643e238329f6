/* Reads plans. */

#include "grid.h"

/* plan_read leaves a grid without a square where a plan cannot be read. */
int plan_read(struct grid *g, FILE *in)
{
	size_t rows, columns;

	if (fscanf(in, "%zu %zu", &rows, &columns) != 2)
		return -1;
	if (grid_size(g, rows, columns) != 0)
		return -1;
	for (size_t row = 0; row < rows; row++) {
		for (size_t column = 0; column < columns; column++) {
			if (fscanf(in, "%lf", grid_at(g, row, column)) != 1) {
				grid_free(g);
				return -1;
			}
		}
	}
	return 0;
}
