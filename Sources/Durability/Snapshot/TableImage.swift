import Columnar
import Diagnostics
package import Storage

/// A table as sections of a snapshot: what is known of it, and then its parts in the order of `TableSections`.
///
/// Parts that are as they were read from a snapshot are copied from there as bytes, whether they are in memory or not.
package enum TableImage {
  /// The sections of a table; `parentLimits` are for each reference the positions of the parent's table.
  package static func sections(
    of table: TableStore, id: UInt32, parentLimits: [Int]
  ) -> [SectionTask] {
    let shape = table.shape(parentLimits)
    let types = table.types
    var tasks = [
      SectionTask(kind: .table, table: id) { (_: SectionMemory) throws(SQLError) in
        SectionPart(ShapeSection.write(shape, types))
      }
    ]
    let groups = TableSections.groupCount(table.rowCount)
    for index in table.types.indices {
      for column in table.column(index).leaves {
        for group in 0..<groups { tasks.append(task(column, group, id, table.rowCount)) }
      }
    }
    for reference in table.layout.references.indices {
      for group in 0..<groups {
        tasks.append(
          task(table, reference, group, id, limit: parentLimits[reference]))
      }
    }
    for (index, adjacency) in shape.adjacencies.enumerated() {
      for group in 0..<((adjacency.pageCount + 63) / 64) {
        tasks.append(task(table, index, group, id, pageCount: adjacency.pageCount))
      }
    }
    return tasks
  }

  /// The section to be copied, if there is one.
  private static func copied(
    _ found: (source: any SectionSource, section: Int)?
  ) -> (@Sendable (SectionMemory) throws(SQLError) -> SectionPart)? {
    guard let found, let source = found.source as? OpenedSnapshot else { return nil }
    let section = found.section
    return { (_: SectionMemory) throws(SQLError) in try source.copy(section) }
  }

  private static func task(
    _ column: ColumnStore, _ group: Int, _ id: UInt32, _ rowCount: Int
  ) -> SectionTask {
    if let copy = copied(column.section(ofGroup: group)) {
      return SectionTask(kind: .column, table: id, make: copy)
    }
    return SectionTask(kind: .column, table: id) { (memory: SectionMemory) throws(SQLError) in
      let rows = TableSections.rows(ofGroup: group, rowCount)
      let pages = rows.indices.map {
        column.contents(ofPage: group * 64 + $0, count: rows[$0])
      }
      return SectionPart(ColumnSection.write(pages, column.type, memory))
    }
  }

  private static func task(
    _ table: TableStore, _ reference: Int, _ group: Int, _ id: UInt32, limit: Int
  ) -> SectionTask {
    SectionTask(kind: .parents, table: id) { (memory: SectionMemory) throws(SQLError) in
      let parents = table.parents(ofReference: reference, group: group, limit: limit)
      if let copy = copied(parents.copied) { return try copy(memory) }
      return SectionPart(
        ParentSection.write(
          parents.pages, rows: TableSections.rows(ofGroup: group, table.rowCount)))
    }
  }

  private static func task(
    _ table: TableStore, _ index: Int, _ group: Int, _ id: UInt32, pageCount: Int
  ) -> SectionTask {
    let adjacency = table.adjacency(at: index)
    if let copy = copied(adjacency.section(ofGroup: group, pageCount: pageCount)) {
      return SectionTask(kind: .lists, table: id, make: copy)
    }
    let rowLimit = table.rowCount
    return SectionTask(kind: .lists, table: id) { () throws(SQLError) in
      ListSection.plan(adjacency.image(ofGroup: group, pageCount: pageCount), rowLimit: rowLimit)
    }
  }
}
