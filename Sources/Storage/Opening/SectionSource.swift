package import Columnar

/// Where the parts of tables stand that are not in memory yet: the sections of a snapshot.
///
/// Each call reads one section, from any thread. None of them fails: where a section is damaged, something of the right
/// size takes its place that can do no harm, and the source notes the damage, which ends every statement that runs
/// from then on.
package protocol SectionSource: AnyObject, Sendable {
  /// The pages of a row group of a column: for each count of `rows` one of as many rows, or nil where they are damaged.
  func columnPages(_ section: Int, _ type: LogicalType, rows: [Int]) -> [PageContents]?

  /// The first values of one page of a row group; nil where they cannot be had without the other pages, as texts, or are
  /// damaged.
  func columnPage(_ section: Int, _ type: LogicalType, page: Int, rows: Int) -> Vector?

  /// The values at some positions of a column whose row groups begin with section `first`; nil where they cannot be had by
  /// themselves or are damaged.
  func columnValues(
    from first: Int, _ type: LogicalType, at positions: Buffer<UInt32>, count: Int
  ) -> Vector?

  /// The parents of a row group: for each count of `rows` one of as many rows; nil where they are damaged.
  func parents(_ section: Int, rows: [Int]) -> [ParentContents]?

  /// The lists of some sources.
  ///
  /// `parents` gives the parents of consecutive rows, for lists that are not kept since they are just those.
  func lists(
    _ section: Int, _ extent: ListExtent, parents: (Range<Int>) -> Buffer<UInt32>?
  ) -> ListContents?

  /// The lengths of the lists of so many sources, for an estimate: nobody has looked whether the section is damaged.
  func degrees(_ section: Int, sourceCount: Int) -> Buffer<UInt32>?

  /// Notes that a section does not go with others.
  func note(damagedSection section: Int, _ reason: String)

  /// Notes that what was made out of sections of a table does not hold together.
  func note(damagedTable reason: String)
}

/// A page of a column as it is read and written.
package struct PageContents: Sendable {
  /// Flat; of a composite type only which rows are NULL.
  package let values: Vector
  /// Bounds of the values, for a page that is full.
  package let zone: Zone?

  package init(_ values: Vector, zone: Zone?) {
    self.values = values
    self.zone = zone
  }
}

/// The parents of the rows of a page as they are read and written.
package enum ParentContents: Sendable {
  /// The column's own values less a number.
  case shifted(UInt32)
  /// The positions; `TableStore.noRow` for none.
  case positions(Buffer<UInt32>)
}

/// What bounds the lists of a section.
package struct ListExtent: Sendable {
  /// The sources: 64 to a page.
  package let sourceCount: Int
  /// How many of them may have edges: those behind have no row.
  package let sourceLimit: Int
  /// Targets are below this.
  package let targetLimit: Int
  /// Rows are below this.
  package let rowLimit: Int
  /// Whether edges have rows beside their targets.
  package let hasRows: Bool
}

/// The lists of some sources, one behind another.
package struct ListContents: Sendable {
  /// The length of each list.
  package let degrees: Buffer<UInt32>
  package let targets: Buffer<UInt32>
  /// nil if the target of each edge is its row.
  package let rows: Buffer<UInt32>?
  package let edgeCount: Int

  package init(
    degrees: Buffer<UInt32>, targets: Buffer<UInt32>, rows: Buffer<UInt32>?, edgeCount: Int
  ) {
    self.degrees = degrees
    self.targets = targets
    self.rows = rows
    self.edgeCount = edgeCount
  }
}

/// What is known of a table before any of its rows is read.
package struct TableShape: Sendable {
  package var rowCount = 0
  package var liveRowCount = 0
  /// For each page with deleted rows which are not: a bit for each of 2,048 rows, those behind the last one set.
  package var masks: [(page: Int, mask: Buffer<UInt64>)] = []
  /// Of each column, and behind one of a composite type those of its fields.
  package var columns: [[GroupSummary]] = []
  /// Of each column, without those of fields.
  package var statistics: [ColumnStatistics] = []
  package var keys: [KeyShape] = []
  /// For each reference the difference by which new pages are tried.
  package var biases: [UInt32?] = []
  /// For each adjacency index the pages of 64 sources, and the edges.
  package var adjacencies: [(pageCount: Int, edgeCount: Int)] = []

  package init() {}
}

/// What is known of the values in the full pages of a row group.
package struct GroupSummary: Sendable {
  package var zone: Zone?
  /// The registers of a `DistinctSketch`.
  package var registers: Buffer<UInt8>

  package static let registerCount = DistinctSketch.registerCount

  package init(zone: Zone?, registers: Buffer<UInt8>) {
    self.zone = zone
    self.registers = registers
  }
}

/// What is known of a key index before any key is read.
package enum KeyShape: Sendable, Equatable {
  /// None at all, as one that edges keep or one of a table without rows.
  case empty
  /// An array of so many numbers from `base` on, of which `count` have rows.
  ///
  /// From `serialStart` on, `serialCount` of them are those of the first rows in their order.
  case dense(base: Int64, room: Int, count: Int, serialStart: Int, serialCount: Int)
  /// A hash table.
  case hash(count: Int, keyCount: Int)
}

/// The numbers that bounds are kept as.
package enum ZoneKeys {
  /// The number of a value; nil where the type has none.
  package static func key(_ value: Value) -> UInt64? { ZoneKey.key(value) }

  /// The value of a number, for types whose numbers are exact.
  package static func value(_ key: UInt64, _ type: LogicalType) -> Value? {
    ZoneKey.value(key, type)
  }

  /// The bounds of a flat vector's values; nil where the type has none.
  package static func zone(of flat: Vector) -> Zone? { ZoneKey.zone(of: flat, 0..<flat.count) }
}
