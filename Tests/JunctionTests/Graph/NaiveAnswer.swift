/// What a pattern must give.
enum NaiveAnswer {
  /// These rows, in any order.
  case rows([String])
  /// For each pair of ends so many of some rows; where lengths are given, of these lengths.
  case choices([String: Choice])

  struct Choice {
    var options: [String]
    var count: Int
    /// The lengths of the paths to be given, from the least; nil for any.
    var lengths: [Int]?
    /// The length of each option.
    var optionLengths: [String: Int]
  }
}

extension NaiveSearch {
  /// The rows of a pattern, or what they are to be chosen from.
  mutating func answer(to pattern: MatchPattern) throws -> NaiveAnswer {
    var found: [[Walked]] = []
    for path in pattern.paths { found.append(try selected(path)) }
    if pattern.paths[0].selector.isFree { return choices(found[0], pattern) }
    var rows: [String] = []
    try combine(found, 0, [:], [], pattern, &rows)
    return .rows(rows.sorted())
  }

  /// The paths that the selector takes; all of them where it leaves a choice.
  mutating func selected(_ path: MatchPattern.Path) throws -> [Walked] {
    let wanted: Int
    switch path.selector {
    case .all: wanted = 0
    case .any(let count), .shortest(let count), .groups(let count): wanted = count
    case .allShortest: wanted = 1
    // They have an end: cheap walks may be long.
    case .cheapest, .allCheapest: wanted = 0
    }
    var limit = Int.max
    if wanted > 0, path.mode == .walk, path.part?.mode ?? .walk == .walk,
      path.links.contains(where: { $0.quantifier.map { $0.maximum == nil } ?? false })
    {
      var lengths = NaiveLengths(self, path)
      limit = lengths.furthest(lengths: wanted)
    }
    let all = try paths(of: path, upTo: limit)
    let byEnds = Dictionary(grouping: all) { "\($0.first) \($0.last)" }
    switch path.selector {
    case .all, .any, .shortest, .cheapest: return all
    case .allCheapest:
      return byEnds.values.flatMap { paths in
        let least = paths.map(\.cost).min()
        return paths.filter { $0.cost == least }
      }
    case .allShortest: return byEnds.values.flatMap { Self.groups($0, 1) }
    case .groups(let count): return byEnds.values.flatMap { Self.groups($0, count) }
    }
  }

  /// The paths of the least lengths.
  private static func groups(_ paths: [Walked], _ count: Int) -> [Walked] {
    let lengths = Set(paths.map(\.length)).sorted().prefix(count)
    return paths.filter { lengths.contains($0.length) }
  }

  private func choices(_ paths: [Walked], _ pattern: MatchPattern) -> NaiveAnswer {
    var choices: [String: NaiveAnswer.Choice] = [:]
    for (ends, group) in Dictionary(grouping: paths, by: { "\($0.first)|\($0.last)" }) {
      if let condition = pattern.condition, !holds(condition, group[0].singles) { continue }
      let rows = group.map { row(of: [$0], $0.singles, pattern) }
      var lengths: [String: Int] = [:]
      for (row, path) in zip(rows, group) { lengths[row] = path.length }
      switch pattern.paths[0].selector {
      case .shortest(let count):
        choices[ends] = NaiveAnswer.Choice(
          options: rows, count: min(count, rows.count),
          lengths: Array(group.map(\.length).sorted().prefix(count)), optionLengths: lengths)
      case .any(let count):
        choices[ends] = NaiveAnswer.Choice(
          options: rows, count: min(count, rows.count), lengths: nil, optionLengths: lengths)
      case .cheapest(let count):
        for (row, path) in zip(rows, group) { lengths[row] = path.rank }
        choices[ends] = NaiveAnswer.Choice(
          options: rows, count: min(count, rows.count),
          lengths: Array(group.map(\.rank).sorted().prefix(count)), optionLengths: lengths)
      default: break
      }
    }
    return .choices(choices)
  }

  private func holds(_ condition: MatchPattern.Condition, _ singles: [String: Int]) -> Bool {
    compare(singles[condition.left], condition.comparison, singles[condition.right])
  }

  /// Joins paths by the variables that they share.
  private func combine(
    _ found: [[Walked]], _ index: Int, _ singles: [String: Int], _ chosen: [Walked],
    _ pattern: MatchPattern, _ rows: inout [String]
  ) throws {
    if rows.count > 3000 { throw TooLong() }
    guard index < found.count else {
      if let condition = pattern.condition, !holds(condition, singles) { return }
      rows.append(row(of: chosen, singles, pattern))
      return
    }
    for path in found[index] {
      if path.singles.contains(where: { singles[$0.key] ?? $0.value != $0.value }) { continue }
      try combine(
        found, index + 1, singles.merging(path.singles) { $1 }, chosen + [path], pattern, &rows)
    }
  }

  /// The text of a row, in the order of the pattern's columns.
  private func row(
    of paths: [Walked], _ singles: [String: Int], _ pattern: MatchPattern
  ) -> String {
    var groups: [String: [Int]] = [:]
    for path in paths { groups.merge(path.groups) { $1 } }
    func path(_ name: Substring) -> Walked? {
      for (path, walked) in zip(pattern.paths, paths) {
        if path.variable.map({ $0 == name }) ?? false { return walked }
        if let part = path.part, part.variable.map({ $0 == name }) ?? false {
          return walked.part(part)
        }
      }
      return nil
    }
    let values = pattern.columns.map { column -> String in
      let parts = column.split { "().".contains($0) }
      switch parts.first {
      case "path_length": return "\(path(parts[1])?.length ?? -1)"
      case "path_cost": return "\(path(parts[1])?.cost ?? -1)"
      case "array_to_string" where parts[1] == "vertices":
        let ids = path(parts[2])?.vertices.map { vertices[$0.id].map(Self.text) ?? "?" } ?? []
        return ids.joined(separator: ";")
      case "array_to_string" where parts[1] == "edges":
        let ids = path(parts[2])?.edges.map { edge in
          edges.first { $0.id == edge.id }.map(Self.text) ?? "?"
        }
        return (ids ?? []).joined(separator: ";")
      case "array_to_string":
        return (groups[String(parts[1])] ?? []).map(String.init).joined(separator: ",")
      case "1", nil: return "1"
      case let name?:
        return (singles[String(name)] ?? groups[String(name)]?.first).map(String.init) ?? "NULL"
      }
    }
    return values.joined(separator: "|")
  }

  private static func text(_ vertex: WorldVertex) -> String { "\(vertex.table)(\(vertex.key))" }
  private static func text(_ edge: WorldEdge) -> String { "\(edge.table)(\(edge.key))" }
}
