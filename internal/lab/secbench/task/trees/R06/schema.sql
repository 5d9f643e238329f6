CREATE TABLE reader (
  id    integer PRIMARY KEY,
  name  text NOT NULL,
  mail  text NOT NULL,
  phone text
);

CREATE TABLE wish (
  reader integer PRIMARY KEY REFERENCES reader,
  shelf  text NOT NULL
);

CREATE TABLE book (
  title   text NOT NULL,
  author  text NOT NULL,
  year    text NOT NULL,
  shelf   text NOT NULL,
  arrived date NOT NULL
);
