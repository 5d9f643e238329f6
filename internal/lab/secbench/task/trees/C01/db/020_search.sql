-- Searching for members.
--
-- Both procedures fill the table found, which the desk reads.
CREATE TABLE found (
  id    integer,
  name  text
);

-- find_by_branch lists the members of a branch, in an order that the desk
-- chooses from its menu.
CREATE PROCEDURE find_by_branch(branch_name text, newest boolean)
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM found;
  EXECUTE 'INSERT INTO found SELECT id, name FROM member WHERE branch = $1 ORDER BY '
    || CASE WHEN newest THEN 'id DESC' ELSE 'name' END
    USING branch_name;
END
$$;

-- find_by_name lists the members whose name begins with what was typed.
CREATE PROCEDURE find_by_name(typed text)
LANGUAGE plpgsql AS $$
DECLARE
  statement text;
BEGIN
  DELETE FROM found;
  statement := 'INSERT INTO found SELECT id, name FROM member WHERE name LIKE '''
    || typed || '%''';
  EXECUTE statement;
END
$$;

-- forget_found empties the table at the end of a shift.
CREATE PROCEDURE forget_found()
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM found;
END
$$;
