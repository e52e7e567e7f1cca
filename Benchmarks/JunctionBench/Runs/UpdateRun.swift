import Diagnostics
import Foundation
import Junction

/// Random inserts and deletes of enrolments with traversals between them, every answer checked; then the same
/// traversals over what the changes have left and over the same data freshly loaded, in turn.
struct UpdateRun {
  let folder: String
  let home: String
  var changeCount = 100_000
  var seed: UInt64 = 5

  /// Changes from one traversal to the next.
  private static let changesToTraversal = 50
  private static let compared = ["P1", "P2", "P3", "B1", "B3", "B5", "B6-1", "B6-2", "B6-3"]
  private static let courses = "SELECT course_id FROM enrols_in WHERE student_id = $1 ORDER BY 1"
  private static let classmates = """
    SELECT count(DISTINCT theirs.student_id)
    FROM enrols_in mine JOIN enrols_in theirs ON theirs.course_id = mine.course_id
    WHERE mine.student_id = $1 AND theirs.student_id <> $1
    """

  func run() throws(BenchError) {
    let workloads = try WorkloadParser.parseFolder("\(home)/Workloads")
      .filter { Self.compared.contains($0.id) }
    let changed = try load(folder)
    var model = try Self.bridged { () throws(SQLError) in try EnrolmentModel(changed) }
    printMemory("memory as loaded", changed)
    try change(changed, &model)
    printMemory("memory after the changes", changed)
    let copy =
      NSTemporaryDirectory() + "junction-updates-\(ProcessInfo.processInfo.processIdentifier)"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try writeSchool(model, to: copy)
    let fresh = try load(copy)
    print("\nafter the changes, and freshly loaded:\n")
    for workload in workloads {
      let sets = parameters(of: workload, model)
      let engineQuery = workload.query(for: JunctionEngine(threads: 2))
      try Self.bridged { () throws(SQLError) in
        let pair = (try changed.prepare(engineQuery.sql), try fresh.prepare(engineQuery.sql))
        for set in sets.prefix(20) {
          let answers = (try pair.0.execute(with: set), try pair.1.execute(with: set))
          guard let left = answers.0.rows, let right = answers.1.rows,
            JunctionEngine.answer(engineQuery, left) == JunctionEngine.answer(engineQuery, right)
          else { throw SQLError(.internalError, "\(workload.id): the answers differ") }
        }
        try compare(workload, pair.0, pair.1, sets)
      }
    }
  }

  /// Says what the adjacency indexes of the enrolments hold, slack and what stands around the edges included.
  private func printMemory(_ moment: String, _ connection: Connection) {
    guard let size = connection.adjacencySize(of: "enrols_in"), size.edgeCount > 0 else { return }
    let each = Double(size.byteCount) / Double(size.edgeCount)
    print(
      "\(moment): adjacency both ways, \(Quantity.grouped(size.edgeCount / 2)) enrolments: "
        + String(format: "%.1f bytes an edge and direction", each))
  }

  private func load(_ folder: String) throws(BenchError) -> Connection {
    try Self.bridged { () throws(SQLError) in try Database(folder: folder).connect() }
  }

  /// Runs `body`, giving its error the type of the command's.
  private static func bridged<Result>(
    _ body: () throws(SQLError) -> Result
  ) throws(BenchError) -> Result {
    do throws(SQLError) {
      return try body()
    } catch {
      throw BenchError(error.rendered(statement: ""))
    }
  }

  // MARK: Changes

  private func change(
    _ connection: Connection, _ model: inout EnrolmentModel
  ) throws(BenchError) {
    var random = SplitMix(seed: seed)
    var (inserts, deletes) = ([Double](), [Double]())
    var checked = 0
    do throws(SQLError) {
      let insert = try connection.prepare("INSERT INTO enrols_in VALUES ($1, $2)")
      let delete = try connection.prepare(
        "DELETE FROM enrols_in WHERE student_id = $1 AND course_id = $2")
      let courses = try connection.prepare(Self.courses)
      let classmates = try connection.prepare(Self.classmates)
      for number in 1...max(1, changeCount) {
        let isInsert = random.below(2) == 0
        let pair = isInsert ? model.addAny(&random) : model.removeAny(&random)
        let values: [SQLValue] = [.integer(Int64(pair.student)), .integer(Int64(pair.course))]
        let start = Stopwatch.now
        let result = try (isInsert ? insert : delete).execute(with: values)
        let time = Stopwatch.now - start
        if isInsert { inserts.append(time) } else { deletes.append(time) }
        guard result.commandTag.hasSuffix(" 1") else {
          throw SQLError(.internalError, "change \(number): \(result.commandTag)")
        }
        if number % Self.changesToTraversal > 0 { continue }
        // Half of the questions are about a student who has just been touched.
        let student = checked % 2 == 0 ? pair.student : random.below(model.studentCount) + 1
        let given = try courses.query(.integer(Int64(student)))
        let found = (0..<given.count).map { Int(given.value(row: $0, column: 0).integer ?? 0) }
        let counted = try classmates.query(.integer(Int64(student)))
          .value(row: 0, column: 0).integer
        guard found == model.courses(of: student),
          counted == Int64(model.classmateCount(of: student))
        else { throw SQLError(.internalError, "a wrong answer about student \(student)") }
        checked += 2
      }
    } catch {
      throw BenchError(error.rendered(statement: ""))
    }
    print("\(Quantity.grouped(changeCount)) changes, \(Quantity.grouped(checked)) traversals right")
    for (name, times) in [("insert", inserts), ("delete", deletes)] {
      let sorted = times.sorted()
      let figures = [0.5, 0.9, 0.99].map { share in
        Quantity.time(sorted[Int(Double(sorted.count - 1) * share)])
      }
      print("\(name): p50 \(figures[0]), p90 \(figures[1]), p99 \(figures[2])")
    }
  }

  /// Writes the school with the model's enrolments in place of those that it had.
  private func writeSchool(
    _ model: EnrolmentModel, to copy: String
  ) throws(BenchError) {
    try FileWriter.makeFolder(copy)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name != "enrols_in.csv" {
      guard
        (try? FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(copy)/\(name)"))
          != nil
      else { throw BenchError("could not copy \(name) to \(copy)") }
    }
    try model.write(to: "\(copy)/enrols_in.csv")
  }

  // MARK: Comparison

  private func parameters(of workload: Workload, _ model: EnrolmentModel) -> [[SQLValue]] {
    guard let source = workload.parameters else { return [[]] }
    var random = SplitMix(seed: seed &+ 1)
    let limit =
      source.kind == .randomStudent || source.kind == .absentEnrolment
      ? model.studentCount : model.courseCount
    return (0..<min(source.count, 2_000)).map { _ in
      [.integer(Int64(random.below(limit) + 1))]
    }
  }

  private func compare(
    _ workload: Workload, _ changed: PreparedStatement, _ fresh: PreparedStatement,
    _ sets: [[SQLValue]]
  ) throws(SQLError) {
    var (changedTimes, freshTimes) = ([Double](), [Double]())
    let end = Stopwatch.now + 2
    repeat {
      // The first of a pair finds other caches than the second.
      if changedTimes.count % 2 == 0 {
        changedTimes.append(try Self.time(changed, sets))
        freshTimes.append(try Self.time(fresh, sets))
      } else {
        freshTimes.append(try Self.time(fresh, sets))
        changedTimes.append(try Self.time(changed, sets))
      }
    } while Stopwatch.now < end || changedTimes.count < 4
    let medians = [changedTimes, freshTimes].map { $0.sorted()[$0.count / 2] }
    let texts = [
      Quantity.time(medians[0]), Quantity.time(medians[1]),
      String(format: "%.2f×", medians[0] / medians[1]),
    ].map { $0.count < 10 ? String(repeating: " ", count: 10 - $0.count) + $0 : $0 }
    let padding = String(repeating: " ", count: max(1, 6 - workload.id.count))
    print(workload.id + padding + texts.joined())
  }

  /// Seconds for one execution, on average.
  private static func time(
    _ statement: PreparedStatement, _ sets: [[SQLValue]]
  ) throws(SQLError) -> Double {
    let start = Stopwatch.now
    var sum = 0
    for set in sets {
      guard let rows = try statement.execute(with: set).rows else { continue }
      sum &+= rows.digest()
    }
    Stopwatch.keep(sum)
    return (Stopwatch.now - start) / Double(sets.count)
  }
}
