package import Columnar

/// The columns of a table that was opened, for what is made out of them.
struct OpenedRows: Sendable {
  /// Without indexes.
  let table: TableStore
  let source: any SectionSource
}

/// Where the parts of a table stand, one behind another: the row groups of each column, those of each reference, the
/// groups of each adjacency index.
package struct TableSections: Sendable {
  /// The first section of each column; those of fields follow their column's.
  package private(set) var columns: [Int] = []
  package private(set) var references: [Int] = []
  package private(set) var adjacencies: [Int] = []
  /// The section behind the last.
  package private(set) var end: Int
  /// How many sections have rows of columns, of references, and lists.
  package private(set) var counts = (columns: 0, references: 0, adjacencies: 0)

  package init(_ types: [LogicalType], _ layout: TableLayout, _ shape: TableShape, first: Int) {
    end = first
    let groups = TableSections.groupCount(shape.rowCount)
    for type in types {
      columns.append(end)
      end += groups * Self.leafCount(type)
    }
    counts.columns = end - first
    for _ in layout.references {
      references.append(end)
      end += groups
    }
    counts.references = layout.references.count * groups
    for adjacency in shape.adjacencies {
      adjacencies.append(end)
      end += (adjacency.pageCount + 63) / 64
      counts.adjacencies += (adjacency.pageCount + 63) / 64
    }
  }

  /// The row groups of so many rows.
  package static func groupCount(_ rowCount: Int) -> Int {
    (rowCount + (1 << ColumnStore.groupShift) - 1) >> ColumnStore.groupShift
  }

  /// How many rows the pages of a row group have.
  package static func rows(ofGroup group: Int, _ rowCount: Int) -> [Int] {
    ColumnStore.rows(ofGroup: group, rowCount)
  }

  /// A column, and those of the fields of a composite type.
  package static func leafCount(_ type: LogicalType) -> Int {
    guard case .record(let record) = type else { return 1 }
    return 1 + record.fields.reduce(0) { $0 + leafCount($1.type) }
  }
}

extension TableStore {
  /// The number of adjacency indexes that tables of a layout have.
  package static func adjacencyCount(_ layout: TableLayout) -> Int { layout.directions.count }

  /// A table whose rows are read when they are first touched.
  ///
  /// The rows are in `source` from section `first` on; `parentLimits` are for each reference the positions of the
  /// parent's table.
  ///
  /// - Precondition: `isPossible` holds for the shape.
  package convenience init(
    opening shape: TableShape, types: [LogicalType], layout: TableLayout, parentLimits: [Int],
    from source: any SectionSource, first: Int
  ) {
    self.init(types: types, layout: layout)
    let sections = TableSections(types, layout, shape, first: first)
    rowCount = shape.rowCount
    liveRowCount = shape.liveRowCount
    tail = TailClaim(filled: rowCount)
    live = LiveRows(opening: shape.masks)
    var summaries = shape.columns[...]
    columns = types.indices.map { index in
      ColumnStore(
        opening: types[index], rowCount: shape.rowCount, summaries: &summaries,
        origin: SectionOrigin(source, first: sections.columns[index]))
    }
    var statistics = shape.statistics
    for index in statistics.indices where statistics[index].minimum != nil {
      statistics[index].span = columns[index].span
    }
    statisticsCache.seed(statistics, rowCount: liveRowCount)
    let plain = TableStore(copying: self)
    plain.layout = TableLayout()
    plain.keys = []
    plain.directions = []
    plain.adjacencies = []
    plain.references = []
    let rows = OpenedRows(table: plain, source: source)
    keys = layout.keys.indices.map { index in
      let key = layout.keys[index]
      return KeyIndex(opening: key, shape.keys[index], key.columns.map { types[$0] }, rows)
    }
    references = layout.references.indices.map { index in
      ReferenceColumn(
        opening: shape.rowCount, limit: parentLimits[index], bias: shape.biases[index],
        column: column(ofReference: index),
        origin: SectionOrigin(source, first: sections.references[index]))
    }
    adjacencies = directions.indices.map { index in
      let direction = directions[index]
      let extent = ListExtent(
        sourceCount: 0, sourceLimit: parentLimits[direction.source],
        targetLimit: direction.target.map { parentLimits[$0] } ?? shape.rowCount,
        rowLimit: shape.rowCount, hasRows: direction.target != nil)
      return AdjacencyIndex(
        opening: shape.adjacencies[index], extent,
        origin: SectionOrigin(source, first: sections.adjacencies[index]),
        parents: direction.target.map { references[$0] })
    }
  }

  /// What is written of the table besides its rows.
  ///
  /// `parentLimits` are for each reference the positions of the parent's table.
  package func shape(_ parentLimits: [Int]) -> TableShape {
    var shape = TableShape()
    shape.rowCount = rowCount
    shape.liveRowCount = liveRowCount
    shape.masks = (0..<pageCount).compactMap { page in live.mask(page).map { (page, $0) } }
    shape.columns = columns.flatMap { $0.leaves.map(\.groupSummaries) }
    shape.statistics = columns.indices.map { recentStatistics(ofColumn: $0) }
    shape.keys = keys.map { $0.shape(of: self) }
    shape.biases = references.map(\.bias)
    shape.adjacencies = zip(adjacencies, directions).map { adjacency, direction in
      // Sources that are gone have no edges.
      let pageCount = (parentLimits[direction.source] + 63) / AdjacencyPage.sourceCount
      return (min(adjacency.pages.count, pageCount), adjacency.edgeCount)
    }
    return shape
  }

  /// Reads all that is still on disk, on all cores.
  package func requireAll() {
    for column in columns { column.requireAll() }
    for reference in references { reference.pages.lazy?.requireAll() }
    for adjacency in adjacencies { adjacency.pages.lazy?.requireAll() }
  }

  // MARK: Writing

  /// A row group of a reference as it is written: the section that it stands in unchanged, or its pages.
  package func parents(
    ofReference reference: Int, group: Int, limit: Int
  ) -> (copied: (source: any SectionSource, section: Int)?, pages: [ParentContents]) {
    let column = column(ofReference: reference)
    // What is written may look into the column, which must be as it was too.
    if let section = references[reference].section(ofGroup: group),
      column.map({ $0.section(ofGroup: group) != nil }) ?? true
    {
      return (section, [])
    }
    let rows = ColumnStore.rows(ofGroup: group, rowCount)
    return (
      nil,
      references[reference].contents(ofGroup: group, rows: rows, limit: limit, of: column)
    )
  }

  /// An adjacency index by its place in the layout.
  package func adjacency(at index: Int) -> AdjacencyIndex { adjacencies[index] }
}

extension TableShape {
  /// Whether a table of such types and layout can be so.
  ///
  /// `parentLimits` are for each reference the positions of the parent's table.
  package func isPossible(
    _ types: [LogicalType], _ layout: TableLayout, parentLimits: [Int]
  ) -> Bool {
    let groups = TableSections.groupCount(rowCount)
    let pages = (rowCount + TableStore.pageCapacity - 1) / TableStore.pageCapacity
    return rowCount <= TableStore.rowLimit && liveRowCount <= rowCount
      && columns.count == types.reduce(0) { $0 + TableSections.leafCount($1) }
      && columns.allSatisfy { $0.count <= groups } && statistics.count == types.count
      && masks.allSatisfy { $0.page < pages } && biases.count == layout.references.count
      && adjacencies.count == layout.directions.count
      && zip(adjacencies, layout.directions).allSatisfy { shape, direction in
        shape.edgeCount <= rowCount
          && shape.pageCount <= (parentLimits[direction.source] + 63) / AdjacencyPage.sourceCount
      } && keys.count == layout.keys.count
      && zip(keys, layout.keys).allSatisfy { shape, key in
        shape.isPossible(for: key, key.columns.map { types[$0] }, self)
      }
  }
}

extension ColumnStore {
  /// Reads all of the column that is still on disk.
  func requireAll() {
    pages.lazy?.requireAll()
    for field in fields { field.requireAll() }
  }
}

extension LiveRows {
  /// - Parameter masks: for pages with deleted rows, by rising page, which rows are not.
  init(opening masks: [(page: Int, mask: Buffer<UInt64>)]) {
    self.init()
    for (page, mask) in masks { set(page, mask) }
  }
}
