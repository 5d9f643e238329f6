/* Reads print jobs: a title, how many pages, and the pages, a line each. */

#include "job.h"

#include <stdlib.h>
#include <string.h>

#define LINE 512

/* next_line returns the next line, or NULL where there is none or no room for it. */
static char *next_line(FILE *in)
{
	char line[LINE];
	char *copy;

	if (fgets(line, sizeof line, in) == NULL)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	copy = malloc(strlen(line) + 1);
	if (copy != NULL)
		strcpy(copy, line);
	return copy;
}

/* job_read stops at the first page that is missing. */
enum outcome job_read(struct job *j, FILE *in)
{
	int wanted;

	memset(j, 0, sizeof *j);
	j->title = next_line(in);
	if (j->title == NULL)
		return JOB_END;
	if (fscanf(in, "%d%*c", &wanted) != 1 || wanted < 1 || wanted > JOB_PAGES) {
		free(j->title);
		j->title = NULL;
		return JOB_LONG;
	}
	for (; j->count < wanted; j->count++) {
		j->pages[j->count] = next_line(in);
		if (j->pages[j->count] == NULL) {
			job_free(j);
			return JOB_SHORT;
		}
	}
	return JOB_TAKEN;
}

/* job_free gives back what a job holds. */
void job_free(struct job *j)
{
	for (int i = 0; i < j->count; i++)
		free(j->pages[i]);
	free(j->title);
}
