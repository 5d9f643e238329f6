-- Sample members.
CREATE TABLE member (
  id      integer PRIMARY KEY,
  name    text NOT NULL,
  mail    text NOT NULL,
  phone   text,
  branch  text NOT NULL
);

INSERT INTO member VALUES
  (1, 'Robin Sample', 'robin.sample@example.org', '+1-202-555-0100', 'north');
