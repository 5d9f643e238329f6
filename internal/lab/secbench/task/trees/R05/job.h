#ifndef JOB_H
#define JOB_H

#include <stdio.h>

#define JOB_PAGES 400

/* What became of a job. */
enum outcome { JOB_TAKEN, JOB_END, JOB_LONG, JOB_SHORT };

struct job {
	char *title; /* NULL = none */
	char *pages[JOB_PAGES];
	int count;
};

/* job_read reads the next job. It keeps nothing of one that is not taken. */
enum outcome job_read(struct job *j, FILE *in);

void job_free(struct job *j);

/* intake takes in all jobs there are, and returns how many were queued. */
int intake(FILE *in, FILE *log, void (*queue)(const struct job *));

#endif
