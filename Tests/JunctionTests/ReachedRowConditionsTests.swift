import Diagnostics
import Junction
import Testing

/// Zone maps may say of a page that all rows meet a condition, or none; the same tables without keys are asked row by row.
@Suite("Conditions on rows that walks arrive at")
struct ReachedRowConditionsTests {
  private static let setUp = """
    CREATE TABLE circle (id int PRIMARY KEY);
    CREATE TABLE person (id int PRIMARY KEY, born date NOT NULL, note text, score int, ratio float8, paid numeric);
    CREATE TABLE meets (person_id int REFERENCES person, circle_id int REFERENCES circle, PRIMARY KEY (person_id, circle_id));
    INSERT INTO circle SELECT generate_series(1, 60);
    INSERT INTO person SELECT i, date '1990-01-01' + i / 8, CASE WHEN i < 9000 THEN 'note ' || to_char(i, 'FM00000') END,
        CASE WHEN i NOT BETWEEN 5000 AND 8500 THEN i % 10 END, CASE WHEN i > 11990 THEN 'NaN' ELSE i / 7.0 END, i / 4.0
      FROM generate_series(1, 12000) i;
    INSERT INTO meets SELECT i, 1 + i % 60 FROM generate_series(1, 12000) i;
    INSERT INTO meets SELECT i, 1 + i * 7 % 59 FROM generate_series(1, 12000, 3) i ON CONFLICT DO NOTHING
    """
  private static let changes = """
    DELETE FROM meets WHERE person_id BETWEEN 3000 AND 3003;
    UPDATE person SET id = id + 20000 WHERE id BETWEEN 3000 AND 3003;
    UPDATE person SET born = '2025-01-01', note = NULL, score = 77 WHERE id % 1500 = 2;
    DELETE FROM meets WHERE person_id BETWEEN 7000 AND 7100;
    DELETE FROM person WHERE id BETWEEN 7000 AND 7100;
    """

  private static let conditions = [
    "p.id > $1", "p.id <= $1 + 6000", "p.id BETWEEN $1 AND $1 + 5000", "NOT p.id > $1",
    "p.id <> $1",
    "p.id IN ($1, $1 + 1, 5)", "p.born > date '1991-01-01' + $1 / 10",
    "p.born = date '1990-01-01' + $1 / 8",
    "p.note IS NULL AND p.id > $1", "p.note IS NOT NULL", "p.note >= 'note 0' || $1",
    "p.note LIKE 'note 0%5'",
    "p.note LIKE 'note 0%'", "starts_with(p.note, 'note 00')", "p.score IS NULL OR p.id > $1",
    "p.score IS NOT NULL AND p.id < $1 + 9000",
    "(p.id < $1 OR p.id > $1 + 3000) AND p.score > 3", "p.id < $1 AND (p.score > 3 OR p.id > 100)",
    "p.ratio > $1", "p.ratio <= 1000",
    "p.paid >= $1", "p.paid < 1500.25 AND p.id + 1 > $1", "p.id > $1 AND 100 / (p.id - 2) < 50",
    "p.id > NULL", "p.id - 5 > $1",
  ]

  @Test("are met by the rows that meet them one by one", arguments: [false, true])
  func conditions(isChanged: Bool) throws {
    let people = KeptAndLoose(Self.setUp, copying: ["person", "meets"])
    if isChanged {
      for schema in ["kept", "loose"] { try people.connect(schema).execute(SQL(raw: Self.changes)) }
    }
    for condition in Self.conditions {
      let queries = [
        """
        SELECT count(*), sum(p.id), max(p.note) FROM person p WHERE \(condition) AND EXISTS (SELECT FROM meets a JOIN meets b
          ON b.circle_id = a.circle_id WHERE a.person_id = $2 AND b.person_id = p.id)
        """,
        """
        SELECT count(DISTINCT p.id) FROM person p WHERE \(condition) AND p.id IN (SELECT person_id FROM meets WHERE circle_id IN
          (SELECT circle_id FROM meets WHERE person_id IN (SELECT person_id FROM meets WHERE circle_id IN
            (SELECT circle_id FROM meets WHERE person_id = $2))))
        """,
        """
        SELECT count(*), min(p.id) FROM person p WHERE \(condition) AND NOT EXISTS (SELECT FROM meets a WHERE a.person_id = p.id AND a.circle_id = 1 + $2 % 60)
        """,
      ]
      for (number, query) in queries.enumerated() {
        for first in number == 0 ? [1, 8000] : [number * 700 + 1, -3] {
          let values: [SQLValue] = [.integer(Int64(first)), .integer(Int64(4 + number * 999))]
          #expect(
            try people.outcome(query, values, in: "kept")
              == people.outcome(query, values, in: "loose"), "\(query) \(first)")
        }
      }
    }
  }

  @Test("are asked between two steps as they are of the edges that lead on")
  func between() throws {
    let people = KeptAndLoose(Self.setUp, copying: ["person", "meets"])
    let conditions = [
      "m.person_id > $1", "m.person_id <> $1", "m.person_id BETWEEN $1 AND $1 + 4000",
      "m.person_id % 3 = 0",
      "m.person_id < $1 AND m.circle_id > 7", "1000 / (m.person_id - 2) < $1",
      "m.person_id IN ($1, 62, 183)",
      "(m.person_id > $1 OR m.circle_id = 3)", "m.person_id > $1 AND m.person_id + 5 < 9000",
    ]
    for condition in conditions {
      let queries = [
        """
        SELECT count(DISTINCT person_id), max(person_id) FROM meets WHERE person_id > 10 AND circle_id IN (SELECT m.circle_id FROM meets m
          WHERE \(condition) AND m.person_id IN (SELECT person_id FROM meets WHERE circle_id IN (SELECT circle_id FROM meets WHERE person_id = $2)))
        """,
        """
        SELECT DISTINCT m.circle_id FROM meets a JOIN meets b ON b.circle_id = a.circle_id JOIN meets m ON m.person_id = b.person_id
          WHERE a.person_id = $2 AND \(condition) ORDER BY 1
        """,
        """
        SELECT m.circle_id, count(*) FROM (SELECT DISTINCT b.person_id FROM meets a JOIN meets b ON b.circle_id = a.circle_id
          WHERE a.person_id = $2) x JOIN meets m ON m.person_id = x.person_id WHERE \(condition) GROUP BY 1 ORDER BY 1
        """,
      ]
      for query in queries {
        for first in [61, 8000] {
          let values: [SQLValue] = [.integer(Int64(first)), .integer(4)]
          #expect(
            try people.outcome(query, values, in: "kept")
              == people.outcome(query, values, in: "loose"), "\(query) \(first)")
        }
      }
    }
  }
}
