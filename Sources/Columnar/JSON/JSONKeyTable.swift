import Diagnostics

/// The keys of records, as they are spelled in a text, and the columns that they stand for.
package struct JSONKeyTable: Sendable {
  /// The names of all keys, in the order in which they were met.
  package private(set) var names: [String] = []
  /// The names of the columns: those of the keys that are wanted.
  package private(set) var columns: [String] = []
  /// How keys are spelled, between quotes, in the order in which they were met: mostly that within a record.
  private(set) var spellings: [[UInt8]] = []
  /// By spelling: its column; nil for a key that is not wanted.
  private(set) var places: [Int?] = []
  private var numbers: [[UInt8]: Int] = [:]

  /// So many names are taken, the most columns that a table has in PostgreSQL.
  package static let namesMax = 1600

  /// A table without keys.
  package init() {}

  /// The number of a spelling, with quotes, which gets a column if it is new and wanted.
  ///
  /// - Returns: nil where it is no name, or one too many.
  mutating func number(
    of spelling: [UInt8], isWanted: (String) -> Bool = { _ in true }
  ) -> Int? {
    if let known = numbers[spelling] { return known }
    let number = spellings.count
    // One name may be spelled in ever other ways.
    guard number < 2 * Self.namesMax, let name = Self.name(spelling) else { return nil }
    var place = columns.firstIndex(of: name)
    if !names.contains(name) {
      guard names.count < Self.namesMax else { return nil }
      names.append(name)
      if isWanted(name) {
        place = columns.count
        columns.append(name)
      }
    }
    spellings.append(spelling)
    places.append(place)
    numbers[spelling] = number
    return number
  }

  private static func name(_ spelling: [UInt8]) -> String? {
    let quoted = Buffer(spelling)
    var decoded = ByteBuilder()
    do throws(SQLError) {
      try JSONText.decodeString(quoted.bytes(0..<quoted.count), to: &decoded)
    } catch {
      return nil
    }
    return decoded.buffer.bytes(0..<decoded.count).string
  }

  /// Takes over what another table, which began as an earlier state of this one, has met since.
  ///
  /// - Returns: false where that is too much.
  package mutating func merge(
    _ other: JSONKeyTable, knowing count: Int, isWanted: (String) -> Bool
  ) -> Bool {
    for spelling in other.spellings.dropFirst(count)
    where number(of: spelling, isWanted: isWanted) == nil { return false }
    return true
  }

  /// How many spellings there are.
  package var count: Int { spellings.count }

  /// How the first key is spelled.
  package var firstSpelling: [UInt8]? { spellings.first }
}
