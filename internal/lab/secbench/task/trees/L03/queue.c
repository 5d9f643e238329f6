/* Sends labels to the printer. */

#include "label.h"

/* queue_send prints one label: the title, the shelf, the picture. */
int queue_send(FILE *printer, const struct label *l, const char *title)
{
	if (label_title(printer, title) != 0)
		return -1;
	if (fprintf(printer, "%s\n", l->shelf) < 0)
		return -1;
	if (fwrite(l->picture, 1, l->picture_size, printer) != l->picture_size)
		return -1;
	return fflush(printer) == 0 ? 0 : -1;
}
