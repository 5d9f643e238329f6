-- What the screen by the door shows.
--
-- Each hold with its place in the queue for its book.

SET statement_timeout = '60s';

-- The night is when this may take long.
SET work_mem = '64MB';

SELECT
    b.title,
    h.reader,
    (SELECT count(*)
       FROM holds AS earlier
      WHERE earlier.book = h.book AND earlier.since <= h.since) AS place
FROM holds AS h
JOIN books AS b ON b.book = h.book;

-- How many wait in all.
SELECT count(*) AS waiting FROM holds;

-- The longest wait.
SELECT min(since) AS longest FROM holds;
