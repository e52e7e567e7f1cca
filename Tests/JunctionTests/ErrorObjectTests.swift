import Diagnostics
import Junction
import Testing

@Suite("Errors of constraints name")
struct ErrorObjectTests {
  private static let schema = """
    CREATE SCHEMA s;
    CREATE TABLE s.parent (id int PRIMARY KEY, v int NOT NULL CHECK (v > 0));
    CREATE TABLE child (id int REFERENCES s.parent, CONSTRAINT single UNIQUE (id));
    CREATE DOMAIN small AS int CHECK (value < 5) NOT NULL;
    CREATE TABLE double AS SELECT 1 AS a FROM generate_series(1, 2);
    INSERT INTO s.parent VALUES (1, 1);
    INSERT INTO child VALUES (1), (NULL);
    """

  typealias Object = SQLError.Object

  // As psql shows them under \set VERBOSITY verbose.
  @Test(
    "what they are about, as PostgreSQL's fields do",
    arguments: [
      (
        "INSERT INTO s.parent VALUES (1, 2)",
        Object(schema: "s", table: "parent", constraint: "parent_pkey"), .unique
      ),
      (
        "INSERT INTO s.parent VALUES (2, NULL)", Object(schema: "s", table: "parent", column: "v"),
        nil
      ),
      (
        "UPDATE s.parent SET v = -1",
        Object(schema: "s", table: "parent", constraint: "parent_v_check"), nil
      ),
      (
        "INSERT INTO child VALUES (7)",
        Object(schema: "public", table: "child", constraint: "child_id_fkey"), .reference
      ),
      (
        "DELETE FROM s.parent",
        Object(schema: "public", table: "child", constraint: "child_id_fkey"), .deny
      ),
      (
        "INSERT INTO child VALUES (1)",
        Object(schema: "public", table: "child", constraint: "single"), .unique
      ),
      (
        "SELECT 7::small", Object(schema: "public", dataType: "small", constraint: "small_check"),
        nil
      ),
      ("SELECT NULL::small", Object(schema: "public", dataType: "small"), nil),
      (
        "ALTER TABLE s.parent ADD CHECK (v > 5)",
        Object(schema: "s", table: "parent", constraint: "parent_v_check1"), nil
      ),
      (
        "ALTER TABLE child ALTER id SET NOT NULL",
        Object(schema: "public", table: "child", column: "id"), nil
      ),
      (
        "ALTER TABLE double ADD CONSTRAINT q UNIQUE (a)",
        Object(schema: "public", table: "double", constraint: "q"), .unique
      ),
    ] as [(String, Object, RelationshipRule?)])
  func objects(statement: String, object: Object, rule: RelationshipRule?) throws {
    let connection = Database().connect()
    try connection.execute(Self.schema)
    let error = #expect(throws: SQLError.self) { try connection.execute(statement) }
    #expect(error?.object == object)
    #expect(error?.rule == rule)
  }

  @Test("nothing where they are about no object")
  func noObject() throws {
    let error = #expect(throws: SQLError.self) { try Database().connect().execute("SELECT 1 / 0") }
    #expect(error != nil && error?.object == nil && error?.rule == nil)
  }
}
