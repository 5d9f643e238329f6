/*
 * What stands on the label of a book: a row with the shelf mark and one
 * with the author, both as wide as label.h says.
 */

#include <stdio.h>
#include <string.h>

#include "label.h"

/* Makes a label empty. */
void label_clear(struct label *l)
{
	memset(l, 0, sizeof *l);
}

/* Puts on the shelf mark, cut off where the row ends. */
void label_mark(struct label *l, const char *mark)
{
	snprintf(l->mark, sizeof l->mark, "%s", mark);
}

/* Puts on the author, without first names. */
void label_author(struct label *l, const char *author)
{
	const char *last = strrchr(author, ' ');

	last = last ? last + 1 : author;
	for (size_t i = 0; i <= strlen(last); i++)
		l->author[i] = last[i];
}
