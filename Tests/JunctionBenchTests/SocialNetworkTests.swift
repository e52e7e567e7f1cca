import Foundation
import Junction
import Testing

@testable import JunctionBench

@Suite("A social network")
struct SocialNetworkTests {
  private static let home = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
      "Benchmarks/SNB")

  /// Forty persons in two countries, who know every third or seventh next one, and threads of three messages.
  private static let rows = """
    INSERT INTO place VALUES (0, 'Earth', 'continent', NULL), (1, 'North', 'country', 0), (2, 'South', 'country', 0),
      (9, 'West', 'country', 0);
    INSERT INTO place SELECT i, 'City_' || i, 'city', 1 + i % 2 FROM generate_series(3, 8) i;
    INSERT INTO organisation SELECT i, 'Firm_' || i, 'company', 1 + i % 2 FROM generate_series(1, 6) i;
    INSERT INTO tagclass VALUES (0, 'Thing', NULL), (1, 'Work', 0), (2, 'Song', 1);
    INSERT INTO tag SELECT i, 'tag' || i, i % 3 FROM generate_series(1, 9) i;
    INSERT INTO person SELECT i, 'Ada' || i % 4, 'L' || i % 7, 'female', date '1985-01-15' + i * 9,
      timestamp '2010-01-01' + i * interval '1 day', '1.2.3.4', 'Lynx', 3 + i % 6, 'en', 'a@b' FROM generate_series(1, 41) i;
    INSERT INTO interest SELECT i, 1 + (i * j) % 9 FROM generate_series(1, 41) i, generate_series(1, 2) j ON CONFLICT DO NOTHING;
    INSERT INTO work_at SELECT i, 1 + i % 6, 2000 + i % 9 FROM generate_series(1, 41) i;
    INSERT INTO study_at SELECT i, 1 + (i + 3) % 6, 1990 + i % 9 FROM generate_series(1, 41, 2) i;
    INSERT INTO knows SELECT 1 + a % 40, 1 + b % 40, timestamp '2011-01-01' + a * b * interval '1 hour'
      FROM generate_series(0, 39) a, LATERAL (VALUES (a + 3), (a + 7), (a + 37), (a + 33)) v(b);
    INSERT INTO forum SELECT i, 'Wall ' || i, timestamp '2010-06-01', i FROM generate_series(1, 41) i;
    INSERT INTO member SELECT person1_id, person2_id, created FROM knows;
    INSERT INTO message SELECT i, timestamp '2011-01-01' + i * interval '7 hours', 1 + (i * 11) % 40, (ARRAY[1, 2, 9])[1 + i % 3],
      CASE WHEN i % 3 = 1 THEN 1 + (i * 11 + 3) % 40 END, CASE WHEN i % 3 <> 1 THEN i - 1 END,
      CASE WHEN i % 9 = 1 THEN 'photo' || i END, 'text ' || i, 5, '1.2.3.4', 'Lynx' FROM generate_series(1, 600) i;
    INSERT INTO message_tag SELECT i, 1 + (i * j) % 9 FROM generate_series(1, 600) i, generate_series(1, 2) j ON CONFLICT DO NOTHING;
    INSERT INTO likes SELECT 1 + (i * 13 + j) % 40, i, timestamp '2012-01-01' + (i % 50) * interval '1 hour'
      FROM generate_series(1, 600) i, generate_series(1, 2) j;
    """

  private static let parameters: [String: [SQLValue]] = [
    "IC1": [.integer(1), .text("Ada3")],
    "IC2": [.integer(2), .text("2011-05-01")],
    "IC3": [.integer(3), .text("North"), .text("West"), .text("2011-01-01"), .integer(90)],
    "IC4": [.integer(4), .text("2011-01-02"), .integer(200)],
    "IC5": [.integer(5), .text("2011-01-09")],
    "IC6": [.integer(6), .text("tag3")],
    "IC7": [.integer(7)], "IC8": [.integer(8)],
    "IC9": [.integer(9), .text("2011-03-01")],
    "IC10": [.integer(10), .integer(5)],
    "IC11": [.integer(11), .text("North"), .integer(2007)],
    "IC12": [.integer(12), .text("Work")],
    "IC13": [.integer(1), .integer(21)], "IC14": [.integer(1), .integer(21)],
    "IS1": [.integer(1)], "IS2": [.integer(2)], "IS3": [.integer(3)], "IS4": [.integer(1)],
    "IS5": [.integer(5)], "IS6": [.integer(6)], "IS7": [.integer(1)],
  ]

  @Test("is asked by patterns what it is asked by SQL")
  func wordings() throws {
    let schema = try String(
      contentsOf: Self.home.appendingPathComponent("schema.sql"), encoding: .utf8)
    let connection = Database().connect()
    _ = try connection.execute(
      schema.split(separator: "\n").filter { !$0.hasPrefix("\\") }.joined(separator: "\n"))
    _ = try connection.execute(Self.rows)
    let workloads = try WorkloadParser.parseFolder(
      Self.home.appendingPathComponent("queries").path)
    #expect(Set(workloads.map(\.id)) == Set(Self.parameters.keys))
    for workload in workloads {
      let graph = try #require(workload.dialects["graph"])
      let values = try #require(Self.parameters[workload.id])
      let rows = try [workload.sql, graph].map { sql in
        let result = try #require(try connection.prepare(sql).execute(with: values).rows)
        return (0..<result.count).map { row in
          result.columns.indices.map { result.text(row: row, column: $0) }
        }
      }
      #expect(rows[0] == rows[1], "\(workload.id)")
      #expect(!rows[0].isEmpty, "\(workload.id)")
    }
  }

  @Test("says what is asked and what is right")
  func sets() throws {
    let json =
      #"{"X1": {"parameters": [[17, "a"], [18, "b"]], "answers": ["8 rows 00000004a1b2c3d4", "0 rows 0"]}, "X2": {"parameters": []}}"#
    let sets = try ParameterSets(json: Data(json.utf8), path: "")
    #expect(sets["X1"]?.parameters == [[.integer(17), .text("a")], [.integer(18), .text("b")]])
    #expect(
      sets["X1"]?.answers == [Answer(rows: 8, digest: 0x4_a1b2_c3d4), Answer(rows: 0, digest: 0)])
    #expect(sets["X2"]?.answers == [])
    #expect(throws: BenchError.self) {
      try ParameterSets(
        json: Data(#"{"X": {"parameters": [[1]], "answers": ["?"]}}"#.utf8), path: "")
    }
  }
}
