/* Takes in what the branches send. */

#include "job.h"

/* said is what the log has of an outcome. */
static const char *said(enum outcome o)
{
	switch (o) {
	case JOB_TAKEN:
		return "queued";
	case JOB_LONG:
		return "turned away, its count is wrong";
	case JOB_SHORT:
		return "turned away, pages are missing";
	case JOB_END:
		break;
	}
	return "at the end";
}

/* intake goes on with the next job where one is turned away. */
int intake(FILE *in, FILE *log, void (*queue)(const struct job *))
{
	int queued = 0;

	for (;;) {
		struct job j;
		enum outcome o = job_read(&j, in);

		if (o == JOB_END)
			return queued;
		if (o == JOB_TAKEN) {
			queue(&j);
			queued++;
		}
		fprintf(log, "%s: %s\n", j.title != NULL ? j.title : "a job", said(o));
		if (o == JOB_TAKEN)
			job_free(&j);
	}
}
