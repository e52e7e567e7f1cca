import Columnar
import Storage
import Testing

@testable import Catalog

@Suite("A table's layout follows from its keys and foreign keys")
struct LayoutTests {
  /// A table of whole numbers with a foreign key of each column.
  private static func table(
    foreignKeys count: Int, nullable: Set<Int> = [], key: [Int]
  ) -> TableDefinition {
    TableDefinition(
      id: ObjectID(1), name: ObjectName("link"),
      columns: (0..<count).map {
        TableColumn(
          name: "c\($0)", columnType: .init(.integer), isNotNull: !nullable.contains($0))
      },
      keys: [KeyConstraint(name: "key", columns: key, isPrimary: false)],
      foreignKeys: (0..<count).map {
        ForeignKeyConstraint(
          name: "f\($0)", columns: [$0], parent: ObjectID(UInt32(2 + $0)), parentColumns: [0])
      })
  }

  @Test("Whether an index joins two foreign keys is known without the layout")
  func junctions() {
    let tables = [
      // Of three foreign keys every pair has an index, but for those that may be NULL.
      Self.table(foreignKeys: 2, key: [0]), Self.table(foreignKeys: 3, key: [0]),
      Self.table(foreignKeys: 3, nullable: [1], key: [0, 1]),
      // Of more, those do that a key has together.
      Self.table(foreignKeys: 4, key: [0]), Self.table(foreignKeys: 5, key: [0, 2, 3]),
      Self.table(foreignKeys: 4, nullable: [3], key: [0, 1]),
    ]
    for table in tables {
      let layout = table.layout
      for from in table.foreignKeys.indices {
        for to in table.foreignKeys.indices {
          #expect(table.hasJunction(from: from, to: to) == layout.hasJunction(from: from, to: to))
        }
      }
    }
    #expect(tables.map(\.layout.junctions.count) == [1, 3, 1, 0, 3, 3])
  }

  @Test("A changed copy of a definition leaves the others as they are")
  func copies() {
    let table = Self.table(foreignKeys: 2, key: [0])
    var other = table
    other.columns[1].name = "renamed"
    other.keys = []
    #expect(table.columns.map(\.name) == ["c0", "c1"])
    #expect(table.keys.count == 1)
    #expect(other.columns.map(\.name) == ["c0", "renamed"])
    #expect(other.keys.isEmpty)
    #expect(other.foreignKeys.count == 2)
  }
}
