/* Labels for the backs of books. */
#ifndef LABEL_H
#define LABEL_H

/* How many signs fit in a row. */
#define WIDTH 12

struct label {
	char mark[WIDTH + 1];
	char author[WIDTH + 1];
};

void label_clear(struct label *l);
void label_mark(struct label *l, const char *mark);
void label_author(struct label *l, const char *author);

#endif
