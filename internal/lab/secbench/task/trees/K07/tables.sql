-- Readers who wait for books.
CREATE TABLE holds (
    hold   bigint PRIMARY KEY,
    book   bigint NOT NULL,
    reader bigint NOT NULL,
    since  timestamptz NOT NULL
);

CREATE TABLE books (
    book  bigint PRIMARY KEY,
    title text NOT NULL
);

CREATE INDEX books_title ON books (title);
