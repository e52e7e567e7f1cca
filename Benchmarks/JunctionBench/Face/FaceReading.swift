import Junction

/// Rows that become structs.
struct FaceReading {
  private let database: Database
  private let statement: SQLiteStatement
  private let marks: SQLiteStatement

  init(_ database: Database, _ sqlite: SQLiteDatabase) throws {
    self.database = database
    statement = try SQLiteStatement(sqlite, "SELECT id, credits, mark, name, code FROM sample")
    marks = try SQLiteStatement(sqlite, "SELECT mark FROM sample")
  }

  var lines: [FaceRun.Line] {
    let database = database
    return [
      FaceRun.Line(
        name: "100,000 rows of 5 columns, Codable", goal: 1.2,
        junction: {
          let rows = try database.fetchAll(SampleRow.self, "SELECT * FROM sample")
          return Self.digest(rows)
        }, peer: { Self.digest(try peerRows()) }),
      FaceRun.Line(
        name: "the same, RowDecodable", goal: 0.5,
        junction: {
          let rows = try database.fetchAll(
            FastSampleRow.self, "SELECT id, credits, mark, name, code FROM sample")
          return rows.count &+ (rows.last?.id ?? 0)
        },
        peer: {
          let rows = try peerRows()
          return rows.count &+ (rows.last?.id ?? 0)
        }),
      FaceRun.Line(
        name: "the same, sum of a column by spans", goal: 0.02,
        junction: {
          let column = try database.query("SELECT mark FROM sample")
            .column("mark", as: Double.self)
          // Eight sums at a time: one would wait for itself at each value, which takes longer than to read it.
          var sums = SIMD8<Double>.zero
          column.withSpans { values, _ in
            let even = values.count / 8 * 8
            unsafe values.withUnsafeBytes { bytes in
              for index in stride(from: 0, to: even, by: 8) {
                unsafe sums += bytes.loadUnaligned(
                  fromByteOffset: index * 8, as: SIMD8<Double>.self)
              }
            }
            for index in even..<values.count { sums[0] += values[index] }
          }
          return Int(sums.sum())
        },
        peer: {
          marks.reset()
          var sum = 0.0
          while try marks.step() { sum += marks.double(0) }
          return Int(sum)
        }, repetitions: 8),
    ]
  }

  private func peerRows() throws -> [SampleRow] {
    statement.reset()
    var rows: [SampleRow] = []
    while try statement.step() {
      rows.append(
        SampleRow(
          id: Int(statement.integer(0)), credits: Int(statement.integer(1)),
          mark: statement.double(2), name: statement.text(3) ?? "", code: statement.text(4)))
    }
    return rows
  }

  private static func digest(_ rows: [SampleRow]) -> Int {
    rows.count &+ (rows.last.map { $0.id &+ $0.name.utf8.count &+ ($0.code?.utf8.count ?? 0) } ?? 0)
  }
}
