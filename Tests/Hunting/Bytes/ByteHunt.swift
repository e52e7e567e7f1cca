import Diagnostics
import Foundation
import Junction
import SimulatedDisk

/// Texts that were changed here and there: statements, rows to load, JSON and nested selects.
///
/// Each gives an answer or an error; what is stored stays whole.
package struct ByteHunt: HuntPart {
  package static let name = "bytes"

  package init() {}

  /// The files of `Tests/SQL`: the statements of each in order.
  private static let corpus: [[String]] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "SQL")
    let files =
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
      ?? []
    return files.filter { $0.pathExtension == "test" }.sorted { $0.path < $1.path }.compactMap {
      url in
      (try? String(contentsOf: url, encoding: .utf8)).map(statements)
    }
  }()

  private static func statements(_ text: String) -> [String] {
    text.components(separatedBy: "\n\n").compactMap { record in
      var lines = record.split(separator: "\n").drop { $0.hasPrefix("#") }
      guard let directive = lines.first,
        directive.hasPrefix("statement") || directive.hasPrefix("query")
      else { return nil }
      lines = lines.dropFirst()
      return lines.prefix { $0 != "----" }.joined(separator: "\n")
    }
  }

  package func round(_ seed: UInt64, _ tally: inout HuntTally) {
    var random = SimulationRandom(seed: seed &* 32_452_843 &+ 7)
    switch random.below(10) {
    case 0..<6: statements(seed, &random, &tally)
    case 6..<8: rows(seed, &random, &tally)
    case 8: json(seed, &random, &tally)
    default: nestedSelects(seed, &random, &tally)
    }
  }

  // MARK: Statements

  private func statements(
    _ seed: UInt64, _ random: inout SimulationRandom, _ tally: inout HuntTally
  ) {
    guard let file = Self.corpus.randomElement(using: &random) else { return }
    let asker = Asker(timeoutMilliseconds: 3000)
    var script: [String] = []
    for original in file {
      var sql = original
      if random.chance(45) { Self.mutate(&sql, random.pick(file), &random) }
      script.append(sql)
      tally.cases += 1
      guard let state = asker.run(sql) else { continue }
      tally.count("refused")
      if state == "XX000" {
        note("internal error", asker.lastMessage, seed, script, &tally)
        return
      }
      if state == "57014" { note("does not end", String(sql.prefix(60)), seed, [sql], &tally) }
    }
    asker.run("ROLLBACK")
    guard case .rows(let rows) = asker.answer("VERIFY"),
      let damage = rows.first(where: { !$0.contains("00000") })
    else { return }
    note("VERIFY", damage, seed, script, &tally)
  }

  private func note(
    _ kind: String, _ detail: String, _ seed: UInt64, _ script: [String], _ tally: inout HuntTally
  ) {
    var least = script
    if kind == "internal error", let last = script.last {
      func shows(_ list: [String]) -> Bool {
        let asker = Asker()
        var state: String?
        for statement in list { state = asker.run(statement) }
        return state == "XX000"
      }
      var reducer = Reducer(seconds: 15, checks: 400)
      let start = reducer.reduce(Array(script.dropLast())) { shows($0 + [last]) }
      least = start + [reducer.reduce(sql: last) { shows(start + [$0]) }]
    }
    tally.findings.append(
      Finding(
        Self.name, seed: seed, kind: "\(kind): \(detail.prefix(50))", script: least, detail: detail)
    )
  }

  private static let numbers = [
    "0", "-1", "1", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808",
    "1e400", "NULL", "''",
    "'NaN'", "1.5", "''::text", "'infinity'", "ARRAY[]::int[]", "(SELECT 1)", "65536",
    "-2147483648",
  ]

  /// Changes some tokens or characters.
  static func mutate(_ text: inout String, _ other: String, _ random: inout SimulationRandom) {
    for _ in 0...random.below(3) {
      guard random.chance(80) else {
        mutateCharacters(&text, &random)
        continue
      }
      var tokens = TokenText(text).tokens
      let others = TokenText(other).tokens
      guard !tokens.isEmpty, !others.isEmpty else { return }
      let place = random.below(tokens.count)
      let count = min(tokens.count - place, random.within(1...6))
      switch random.below(7) {
      case 0: tokens.removeSubrange(place..<(place + count))
      case 1:
        tokens.insert(contentsOf: tokens[place..<(place + count)], at: random.below(tokens.count))
      case 2: tokens.swapAt(place, random.below(tokens.count))
      case 3: tokens[place] = random.pick(others)
      case 4:
        let start = random.below(others.count)
        tokens.insert(contentsOf: others[start..<min(others.count, start + count)], at: place)
      default:
        let values = tokens.indices.filter {
          tokens[$0].first.map { $0.isNumber || $0 == "'" } ?? false
        }
        tokens[values.randomElement(using: &random) ?? place] = random.pick(numbers)
      }
      text = TokenText(tokens).text
    }
  }

  private static func mutateCharacters(_ text: inout String, _ random: inout SimulationRandom) {
    var scalars = Array(text.unicodeScalars)
    guard !scalars.isEmpty else { return }
    let place = random.below(scalars.count)
    switch random.below(4) {
    case 0: scalars.remove(at: place)
    case 1:
      scalars.insert(
        random.pick([
          "'", "\"", "(", ")", "\\", "$", "\u{0}", "é", "\u{FEFF}", "-", "/", "*", ";", "E",
        ]), at: place)
    case 2: scalars[place] = Unicode.Scalar(UInt32(random.below(0x7F))) ?? "x"
    default: scalars.removeLast(scalars.count - place)
    }
    text = String(String.UnicodeScalarView(scalars))
  }

  // MARK: Rows to load

  private static let sheets = [
    "id,name,born\n1,Ada,1815-12-10\n2,\"Bo, the \"\"first\"\"\",\n3,é,2000-02-29\n",
    "1\tAda\t\\N\n2\ta\\tb\t2000-01-01\n\\.\n", "a;b;c\r\n1;\"x\r\ny\";2020-01-01\r\n",
    "1,abcdefghijklmnopqrstuvwxyz,2024-01-01\n2,,\n3,\"\",0001-01-01\n",
  ]

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SimulationRandom) {
    for _ in 0..<random.below(5) where !bytes.isEmpty {
      let place = random.below(bytes.count)
      let count = min(bytes.count - place, random.within(1...8))
      switch random.below(7) {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes.removeSubrange(place..<(place + count))
      case 2:
        bytes.insert(contentsOf: bytes[place..<(place + count)], at: random.below(bytes.count))
      case 3: bytes.insert(random.pick(Array("\",;\t\n\r\\\u{0}".utf8)), at: place)
      case 4: bytes.insert(contentsOf: [0xEF, 0xBB, 0xBF], at: random.chance(50) ? 0 : place)
      case 5: bytes.removeLast(bytes.count - place)
      default: for _ in 0..<random.below(7) where bytes.count < 200_000 { bytes += bytes }
      }
    }
  }

  private func rows(_ seed: UInt64, _ random: inout SimulationRandom, _ tally: inout HuntTally) {
    let asker = Asker(timeoutMilliseconds: 10_000)
    asker.run(
      "CREATE TABLE t (id \(random.pick(["int", "int PRIMARY KEY", "text", "numeric"])), name text, born \(random.pick(["date", "text"])))"
    )
    for _ in 0..<30 {
      var bytes = Array(random.pick(Self.sheets).utf8)
      Self.mutate(&bytes, &random)
      let options = random.pick([
        "", " WITH (FORMAT csv)", " WITH (FORMAT csv, HEADER)", " WITH (FORMAT csv, DELIMITER ';')",
        " WITH (FORMAT csv, NULL 'x', QUOTE '''')", " WITH (FORMAT csv, ESCAPE '\\')",
        " WITH (DELIMITER ',')",
        " WITH (FORMAT csv, FORCE_NULL (name))", " WITH (FORMAT csv, HEADER match)",
      ])
      let size = random.pick([1, 7, 64, 100_000])
      let cut = bytes
      var start = 0
      let sql = "COPY t FROM STDIN\(options)"
      tally.cases += 1
      do throws(SQLError) {
        _ = try asker.connection.copyIn(sql) {
          guard start < cut.count else { return nil }
          defer { start += size }
          return Array(cut[start..<min(start + size, cut.count)])
        }
        tally.count("loaded")
        if case .rows(let rows) = asker.answer("VERIFY"),
          let damage = rows.first(where: { !$0.contains("00000") })
        {
          let hex = bytes.prefix(200).map { String($0, radix: 16) }.joined(separator: " ")
          note("VERIFY after COPY", "\(damage)\(options): \(hex)", seed, [sql], &tally)
          return
        }
      } catch {
        tally.count("refused")
        guard error.state.code == "XX000" else { continue }
        let text = String(decoding: bytes.prefix(300), as: UTF8.self)
        note(
          "internal error in COPY", "\(error.message) \(options) \(text.debugDescription)", seed,
          [sql], &tally)
      }
    }
  }

  // MARK: JSON and nested selects

  private static let documents = [
    "{\"a\": {\"b\": [1, 2, {\"c\": null}]}, \"a\": 2, \"d\": \"x\\u00e9\\ud83d\\ude00\"}",
    "[1, -2.5e10, true, false, null, \"\", [], {}, [[[]]]]", "\"text \\\\ \\n\"", "1e308",
  ]

  private func json(_ seed: UInt64, _ random: inout SimulationRandom, _ tally: inout HuntTally) {
    let asker = Asker()
    for _ in 0..<60 {
      var bytes = Array(random.pick(Self.documents).utf8)
      Self.mutate(&bytes, &random)
      let text = String(decoding: bytes.prefix(4000), as: UTF8.self).replacing("'", with: "''")
        .filter { $0 != "\0" }
      let sql = random.pick([
        "SELECT '\(text)'::jsonb", "SELECT '\(text)'::json -> 'a' #> '{b,2}'",
        "SELECT jsonb_pretty('\(text)'::jsonb)",
        "SELECT '\(text)'::jsonb || '\(text)'::jsonb", "SELECT * FROM json_each('\(text)'::json)",
        "SELECT jsonb_path_query('{\"a\": [1, 2]}'::jsonb, '\(text)')",
        "SELECT json_strip_nulls('\(text)'::json)",
        "SELECT '\(text)'::jsonb = '\(text)'::jsonb, '\(text)'::jsonb::text::jsonb",
      ])
      tally.cases += 1
      if asker.run(sql) == "XX000" {
        note("internal error in JSON", asker.lastMessage, seed, [sql], &tally)
      }
    }
  }

  private static let requests = [
    "course?select=id,name,student(id,name)&student.limit=3&order=id.desc",
    "student?id=eq.1&select=*,course!inner(*)",
    "course?select=id,n:student(count)&student.id=in.(1,2,3)&limit=2&offset=1",
    "student?or=(id.lt.3,and(name.like.A*,id.gt.1))",
  ]

  private func nestedSelects(
    _ seed: UInt64, _ random: inout SimulationRandom, _ tally: inout HuntTally
  ) {
    let asker = Asker()
    let script = [
      "CREATE TABLE student (id int PRIMARY KEY, name text)",
      "CREATE TABLE course (id int PRIMARY KEY, name text)",
      "CREATE TABLE takes (student_id int REFERENCES student, course_id int REFERENCES course, PRIMARY KEY (student_id, course_id))",
      "INSERT INTO student VALUES (1, 'Ada'), (2, 'Bo')",
      "INSERT INTO course VALUES (1, 'x'), (2, 'y')",
      "INSERT INTO takes VALUES (1, 1), (2, 1), (1, 2)",
    ]
    for statement in script { asker.run(statement) }
    for _ in 0..<60 {
      var request = random.pick(Self.requests)
      if random.chance(50) { Self.mutateCharacters(&request, &random) }
      if random.chance(50) { Self.mutate(&request, random.pick(Self.requests), &random) }
      tally.cases += 1
      do { _ = try asker.connection.select(request) } catch {
        if "\(error)".contains("XX000") {
          note("internal error in a nested select", "\(error)", seed, [request], &tally)
        }
      }
    }
  }
}
