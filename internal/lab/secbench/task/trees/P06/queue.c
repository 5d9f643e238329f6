#include <string.h>

#include "label.h"

/* How many labels wait at most. */
#define WAITING 32

static struct label waiting[WAITING];
static size_t count;

/* Adds a label and returns 0, or returns -1 where no more can wait. */
int queue_add(const struct label *l)
{
	if (count == WAITING)
		return -1;
	memcpy(&waiting[count++], l, sizeof *l);
	return 0;
}
