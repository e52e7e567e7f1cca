/// Objects of every kind, with everything that can be said of them.
enum RichCatalog {
  static let sql = """
    CREATE SCHEMA archive;
    COMMENT ON SCHEMA archive IS 'old things';
    CREATE TYPE mood AS ENUM ('sad', 'ok', 'it''s "great"');
    CREATE TYPE address AS (street text, number int, moods mood[]);
    CREATE TYPE home AS (place address, since date);
    CREATE DOMAIN positive AS int DEFAULT 1 NOT NULL CHECK (value > 0) CHECK (value <> 13);
    CREATE SEQUENCE tickets AS smallint INCREMENT BY -2 MINVALUE -100 MAXVALUE 50 START 10 CYCLE;
    COMMENT ON SEQUENCE tickets IS 'numbers';
    CREATE TABLE person (
      id serial PRIMARY KEY, name varchar(40) NOT NULL DEFAULT 'no ' || 'name', state mood DEFAULT 'ok',
      homes home[], height numeric(5, 2) CHECK (height BETWEEN 0.3 AND 2.9), born date,
      seen timestamp(3) with time zone DEFAULT now(), nap interval(2), bits bit(4), more bit varying(9),
      initial char(1) GENERATED ALWAYS AS (upper(substring(name from 1 for 1))) STORED,
      ticket int DEFAULT nextval('tickets'), age positive, tags text[] DEFAULT ARRAY['a', 'b'],
      boss int REFERENCES person ON DELETE SET NULL, doc jsonb, raw bytea, key uuid, at time(0), kind bpchar,
      CONSTRAINT born_and_seen CHECK (born IS NULL OR seen IS NULL OR born <= seen::date),
      UNIQUE NULLS NOT DISTINCT (name, born), UNIQUE (key) DEFERRABLE INITIALLY DEFERRED);
    COMMENT ON TABLE person IS 'people';
    COMMENT ON COLUMN person.name IS 'é and "quotes"';
    COMMENT ON CONSTRAINT born_and_seen ON person IS 'a rule';
    CREATE TABLE archive.club (
      code text COLLATE "sv-x-icu", no bigint GENERATED ALWAYS AS IDENTITY (START 5 INCREMENT 5),
      PRIMARY KEY (code, no));
    CREATE TABLE membership (
      person int REFERENCES person ON DELETE CASCADE ON UPDATE CASCADE, code text, no bigint,
      since date DEFAULT CURRENT_DATE, fee real, PRIMARY KEY (person, code, no),
      FOREIGN KEY (code, no) REFERENCES archive.club MATCH FULL ON DELETE RESTRICT
        DEFERRABLE INITIALLY DEFERRED);
    ALTER TABLE membership ADD CONSTRAINT free CHECK (fee IS DISTINCT FROM -1);
    ALTER TABLE membership ADD FOREIGN KEY (person) REFERENCES person NOT VALID;
    ALTER TABLE membership ADD CONSTRAINT few CARDINALITY (no, code) BETWEEN 0 AND 900;
    ALTER TABLE membership ADD CONSTRAINT loose FOREIGN KEY (person) REFERENCES person NOT ENFORCED;
    CREATE INDEX by_date ON membership (since DESC, person);
    CREATE INDEX by_month ON membership ((extract(month FROM since)), lower(code) COLLATE "de-x-icu" DESC)
      WHERE fee > 0 AND code NOT LIKE 'x%';
    CREATE UNIQUE INDEX whole ON membership (since, person);
    CREATE TABLE student (course text, grade double precision) INHERITS (person);
    CREATE VIEW old AS SELECT id, name, height * 2 AS twice FROM person WHERE id > 3 ORDER BY name DESC
      NULLS LAST LIMIT 10;
    CREATE VIEW young AS SELECT id, name, state FROM person WHERE born > '2000-01-01'
      WITH CASCADED CHECK OPTION;
    CREATE VIEW younger AS SELECT * FROM young WHERE name <> 'a' WITH LOCAL CHECK OPTION;
    ALTER VIEW younger ALTER COLUMN state SET DEFAULT 'sad';
    COMMENT ON VIEW younger IS 'even younger';
    CREATE RECURSIVE VIEW ranks (id, rank) AS
      SELECT id, 0 FROM person WHERE boss IS NULL
      UNION ALL SELECT p.id, rank + 1 FROM person p JOIN ranks r ON p.boss = r.id;
    CREATE VIEW windows AS SELECT id, rank() OVER w, sum(height) FILTER (WHERE height > 1)
      OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s, CASE WHEN id > 1 THEN 'a' ELSE 'b' END AS c,
      EXISTS (SELECT 1 FROM membership m WHERE m.person = p.id) AS is_member
      FROM person p WINDOW w AS (PARTITION BY state ORDER BY born);
    CREATE MATERIALIZED VIEW counts AS SELECT state, count(*) AS n FROM person GROUP BY ROLLUP (state);
    CREATE MATERIALIZED VIEW later AS SELECT id FROM old WITH NO DATA;
    CREATE FUNCTION twice(a int, b int DEFAULT 2 * 3) RETURNS int LANGUAGE sql IMMUTABLE STRICT
      AS 'SELECT $1 * 2 + b';
    CREATE FUNCTION twice(a text) RETURNS SETOF text AS $$ SELECT a UNION ALL SELECT a $$ LANGUAGE sql;
    CREATE FUNCTION members(VARIADIC ids int[]) RETURNS TABLE (who int, how mood) LANGUAGE plpgsql AS
      $$ BEGIN RETURN QUERY SELECT id, state FROM person WHERE id = ANY (ids); END $$;
    CREATE FUNCTION plus(a int, b int) RETURNS int LANGUAGE sql RETURN a + b;
    CREATE FUNCTION enter(p int) RETURNS void LANGUAGE sql BEGIN ATOMIC
      INSERT INTO archive.club (code) VALUES ('ü' || p); SELECT 1; END;
    CREATE OR REPLACE FUNCTION twice(a int, b int DEFAULT 7) RETURNS int LANGUAGE sql AS 'SELECT $1 * b';
    COMMENT ON FUNCTION plus(int, int) IS 'a sum';
    CREATE PROPERTY GRAPH clubs
      VERTEX TABLES (person LABEL human PROPERTIES (id, upper(name) AS loud) LABEL thing NO PROPERTIES,
        archive.club AS club KEY (code, no))
      EDGE TABLES (membership KEY (person, code, no)
        SOURCE KEY (person) REFERENCES person (id) DESTINATION KEY (code, no) REFERENCES club (code, no)
        PROPERTIES (since));
    COMMENT ON PROPERTY GRAPH clubs IS 'who is where';
    CREATE VIEW friends AS SELECT * FROM GRAPH_TABLE (clubs
      MATCH (a IS human WHERE a.id > 1)-[e]->(c IS club)<-[]-(b IS human) WHERE a.id <> b.id
      COLUMNS (a.id AS one, b.id AS other, e.since AS since));
    """

  static let temporaries = """
    CREATE TEMPORARY TABLE notes (id serial PRIMARY KEY, who int);
    CREATE TEMPORARY TABLE lines (note int REFERENCES notes, line text);
    CREATE VIEW long_notes AS SELECT * FROM notes WHERE id > 7;
    CREATE TEMPORARY VIEW all_people AS SELECT * FROM person;
    CREATE VIEW noted AS SELECT * FROM long_notes;
    CREATE TEMPORARY SEQUENCE lots;
    """
}
