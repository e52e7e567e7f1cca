import Diagnostics
import Junction
import Testing

@Suite("A weight that an algorithm cannot take")
struct GraphWeightTests {
  /// A ring of so many places that several workers read the weights, with one weight that is wrong and one elsewhere that no edge has.
  private static let ring = """
    CREATE TABLE place (id int PRIMARY KEY);
    CREATE TABLE road (a int REFERENCES place, b int REFERENCES place, w float8);
    INSERT INTO place SELECT generate_series(1, 20000);
    INSERT INTO road SELECT x, x % 20000 + 1, x FROM generate_series(1, 20000) x;
    INSERT INTO road VALUES (7, NULL, NULL);
    """

  @Test(
    "is told with the ends of its edge",
    arguments: [
      ("NULL", "dijkstra", SQLState.nullNotAllowed, "The edge is 15000 → 15001."),
      ("'NaN'", "pagerank", .invalidParameterValue, "The edge is 15000 → 15001."),
      ("-2.5", "dijkstra", .invalidParameterValue, "The edge 15000 → 15001 weighs -2.5."),
      ("-3", "dijkstra", .invalidParameterValue, "The edge 15000 → 15001 weighs -3."),
      (
        "'Infinity'", "pagerank", .invalidParameterValue, "The edge 15000 → 15001 weighs Infinity."
      ),
      ("-2.5", "delta_stepping", .invalidParameterValue, "The edge 15000 → 15001 weighs -2.5."),
    ])
  func ends(weight: String, function: String, state: SQLState, detail: String) throws {
    let connection = Database().connect()
    try connection.execute(SQL(raw: Self.ring))
    let arguments = function == "pagerank" ? "" : ", 1"
    for graph in ["'road(a, b)'\(arguments), weight => 'w'", "(SELECT * FROM road)\(arguments)"] {
      let call = SQL(raw: "SELECT count(*) FROM \(function)(\(graph))")
      #expect(try connection.query(call).map { try $0[0, as: Int.self] } == [20000])
      try connection.execute(SQL(raw: "UPDATE road SET w = \(weight) WHERE a = 15000"))
      let error = #expect(throws: SQLError.self) { _ = try connection.query(call).map { $0 } }
      #expect(error?.state == state && error?.detail == detail, "\(String(describing: error))")
      try connection.execute("UPDATE road SET w = 1 WHERE a = 15000")
    }
  }
}
