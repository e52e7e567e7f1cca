import Catalog
import Columnar
import SimulatedDisk

/// Every function, operator, cast and aggregate of the catalog over extreme values: as constants, as columns, and in
/// vectors of all widths.
///
/// A round takes one of them; the seed says which and with which values.
package struct FunctionHunt: HuntPart {
  package static let name = "functions"
  /// How many calls there are with constants.
  package var callCount = 40
  package var widths = [1, 2, 63, 64, 65, 2047, 2048, 2049]

  package init() {}

  /// How many rounds go over the whole catalog once.
  package static var roundCount: Int { Callable.all.count }

  package func round(_ seed: UInt64, _ tally: inout HuntTally) {
    let all = Callable.all
    let callable = all[Int(truncatingIfNeeded: seed &- 1 & (1 << 62 - 1)) % all.count]
    var random = SimulationRandom(seed: seed &* 15_485_863 &+ 1)
    let types = Self.settle(callable, &random)
    let combinations = Self.combinations(callable, types, callCount, &random)
    tally.count(callable.kind.rawValue)
    var bench = FunctionBench(callable, types, seed: seed)
    switch callable.kind {
    case .aggregate: bench.aggregate(combinations, &tally)
    case .rows: bench.rows(combinations, &tally)
    default:
      bench.constants(combinations, &tally)
      if callable.isPure && callable.kind != .reading { bench.columns(widths, &tally) }
    }
  }

  /// Types for polymorphic arguments, all of one call fitting each other.
  private static func settle(_ callable: Callable, _ random: inout SimulationRandom)
    -> [LogicalType]
  {
    let element = random.pick([LogicalType.integer, .text, .double, .numeric])
    var arguments = callable.arguments
    if callable.isVariadic, let last = arguments.last {
      arguments += (0..<random.below(3)).map { _ in last }
    }
    return arguments.map { argument in
      switch argument {
      case .exact(let type): type
      case .any:
        random.pick([.integer, .text, .numeric, .timestamp, .array(.integer), .jsonb, .double])
      case .anyElement, .anyNonArray: element
      case .anyArray: .array(element)
      case .anyEnum: .enumeration(EnumerationType(name: "mood", labels: ["sad", "glad"]))
      case .anyRecord: .record(RecordType(name: nil, fields: []))
      }
    }
  }

  private static func combinations(
    _ callable: Callable, _ types: [LogicalType], _ count: Int, _ random: inout SimulationRandom
  ) -> [[String]] {
    if callable.kind == .reading { return readings(types[0], count, &random) }
    let lists = types.map(ExtremeValues.literals)
    guard lists.allSatisfy({ !$0.isEmpty }) else { return [] }
    var seen: Set<[String]> = []
    var list: [[String]] = []
    for _ in 0..<count * 3 where list.count < count {
      let one = zip(lists, types).map { values, type in
        random.chance(4) ? "NULL::\(name(type))" : random.pick(values)
      }
      if seen.insert(one).inserted { list.append(one) }
    }
    return list
  }

  /// Texts that are read as a type: those of its values, whole and changed in one place.
  private static func readings(
    _ type: LogicalType, _ count: Int, _ random: inout SimulationRandom
  ) -> [[String]] {
    let values = ExtremeValues.literals(type)
    let letters = Array("0123456789-+.:eE/,{}[]()\"\\ xXbBC infaTZ%")
    return (0..<count).map { _ in
      let literal =
        values.isEmpty || random.chance(20)
        ? random.pick(ExtremeValues.literals(.text)) : random.pick(values)
      let parts = literal.split(separator: "'", omittingEmptySubsequences: false)
      var text = Array(
        parts.count > 1
          ? String(parts[1]) : literal.split(separator: ":").first.map(String.init) ?? "")
      for _ in 0..<random.below(4) {
        let place = random.below(text.count + 1)
        switch random.below(3) {
        case 0 where place < text.count: text.remove(at: place)
        case 1 where place < text.count: text[place] = random.pick(letters)
        default: text.insert(random.pick(letters), at: place)
        }
      }
      return ["'\(String(text).replacing("'", with: "''"))'::text"]
    }
  }

  static func name(_ type: LogicalType) -> String {
    switch type {
    case .enumeration: "mood"
    case .record: "record"
    default: type.name
    }
  }
}
