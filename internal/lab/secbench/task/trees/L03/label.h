#ifndef LABEL_H
#define LABEL_H

#include <stddef.h>
#include <stdio.h>

/* A picture is a square of dots, one bit each. */
#define LABEL_DOTS 64

struct label {
	char shelf[16];
	size_t picture_size;
	unsigned char picture[LABEL_DOTS * LABEL_DOTS / 8];
};

/* Each function returns 0, or -1 for what does not fit on a label. */
int label_shelf(struct label *l, const char *shelf);
int label_picture(struct label *l, const unsigned char *dots, size_t size);

/* label_title prints a title on one line, as much of it as has room. */
int label_title(FILE *printer, const char *title);

int queue_send(FILE *printer, const struct label *l, const char *title);

#endif
