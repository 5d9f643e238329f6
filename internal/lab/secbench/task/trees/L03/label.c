/* Sets the labels of spines: shelf, picture and one line of the title. */

#include "label.h"

#include <ctype.h>
#include <string.h>

/* What one line of the printer takes. */
#define COLUMNS 40

/* label_shelf sets where the book stands. */
int label_shelf(struct label *l, const char *shelf)
{
	size_t length = strlen(shelf);

	if (length >= sizeof l->shelf)
		return -1;
	memcpy(l->shelf, shelf, length + 1);
	return 0;
}

/* label_picture sets the small picture below the shelf. */
int label_picture(struct label *l, const unsigned char *dots, size_t size)
{
	if (size > sizeof l->picture)
		return -1;
	memcpy(l->picture, dots, size);
	l->picture_size = size;
	return 0;
}

/* label_title leaves out what the printer has no sign for. */
int label_title(FILE *printer, const char *title)
{
	char row[COLUMNS];
	size_t used = 0;

	for (; *title != '\0' && used <= sizeof row; title++) {
		if (isprint((unsigned char)*title))
			row[used++] = *title;
	}
	if (fwrite(row, 1, used, printer) != used || fputc('\n', printer) == EOF)
		return -1;
	return 0;
}
