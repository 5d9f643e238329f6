INSERT INTO reader VALUES
  (1, 'Robin Sample', 'robin.sample@example.org', '+1-202-555-0100');

INSERT INTO wish VALUES (1, 'north 4');
