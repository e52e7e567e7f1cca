package import Columnar
package import Diagnostics
package import Storage
import Synchronization

/// A snapshot whose sections are read when somebody comes to what they hold.
///
/// The file stays mapped for as long as anything of it is in use; a checkpoint that takes its name away does not
/// disturb that. A section goes through two gates: its checksum, and then a look at its structure that assumes that
/// the checksum lies. Behind them nothing can lead outside of memory, whatever the bytes say.
package final class OpenedSnapshot: SectionSource {
  package let reader: SnapshotReader
  package let damage: SnapshotDamage
  private let arena = OpeningArena()
  /// Whether all checksums were compared at opening.
  private let isVerified: Bool
  /// The sections that were compared with their checksums since: those read page by page need it once.
  private let verified = Mutex<Set<Int>>([])
  /// The row groups of which single values were read.
  private let packed = Mutex<[Int: PackedGroup]>([:])

  /// - Throws: XX001 if everything is to be verified and something is damaged.
  package init(
    _ reader: SnapshotReader, _ damage: SnapshotDamage, verifying: Bool
  ) throws(SQLError) {
    self.reader = reader
    self.damage = damage
    isVerified = verifying
    if verifying { try reader.verify() }
  }

  /// What is known of the table whose section this is; its rows stand in the sections behind it.
  ///
  /// - Returns: the table, and the section behind its last.
  /// - Throws: XX001.
  package func table(
    _ section: Int, id: UInt32, _ types: [LogicalType], _ layout: TableLayout, rowCount: Int,
    parentLimits: [Int]
  ) throws(SQLError) -> (store: TableStore, end: Int) {
    let own = reader.sections[section]
    var bytes = try reader.contents(of: own)
    guard own.kind == .table, own.table == id else { throw bytes.damage("it is another table's") }
    let shape = try ShapeSection.read(&bytes, types)
    guard shape.rowCount == rowCount,
      shape.isPossible(types, layout, parentLimits: parentLimits)
    else { throw bytes.damage("there is no such table") }
    let sections = TableSections(types, layout, shape, first: section + 1)
    guard sections.end <= reader.sections.count else { throw bytes.damage("rows are missing") }
    let counts = sections.counts
    for index in (section + 1)..<sections.end {
      let place = index - section - 1
      let kind: SnapshotSection.Kind =
        place < counts.columns
        ? .column : place < counts.columns + counts.references ? .parents : .lists
      guard reader.sections[index].kind == kind, reader.sections[index].table == id else {
        throw bytes.damage("a section is missing")
      }
    }
    let store = TableStore(
      opening: shape, types: types, layout: layout, parentLimits: parentLimits, from: self,
      first: section + 1)
    return (store, sections.end)
  }

  /// The bytes of a section; nil if they are damaged, which is noted.
  private func bytes(_ section: Int) -> Buffer<UInt8>? {
    let own = reader.sections[section]
    if !isVerified, !verified.withLock({ $0.contains(section) }) {
      do throws(SQLError) { try reader.check(own) } catch {
        damage.note(error)
        return nil
      }
      verified.withLock { _ = $0.insert(section) }
    }
    return reader.bytes(of: own)
  }

  /// A section to be copied; it is compared with its checksum in any case.
  func copy(_ section: Int) throws(SQLError) -> SectionPart {
    let own = reader.sections[section]
    try reader.check(own)
    return SectionPart(copied: reader.bytes(of: own))
  }

  package func columnPages(
    _ section: Int, _ type: LogicalType, rows: [Int]
  ) -> [PageContents]? {
    guard let bytes = bytes(section) else { return nil }
    do throws(SectionFault) {
      return try ColumnSection.read(bytes, type, rows: rows, arena)
    } catch {
      note(damagedSection: section, error.reason)
      return nil
    }
  }

  package func columnPage(
    _ section: Int, _ type: LogicalType, page: Int, rows: Int
  ) -> Vector? {
    guard let bytes = bytes(section) else { return nil }
    // What does not hold together is noted by whoever reads the whole group then.
    return try? ColumnSection.read(bytes, type, page: page, rows: rows)
  }

  package func columnValues(
    from first: Int, _ type: LogicalType, at positions: Buffer<UInt32>, count: Int
  ) -> Vector? {
    guard count > 0, ColumnSection.hasSingleValues(type) else { return nil }
    var last = 0
    for index in 0..<count { last = max(last, Int(positions[index]) >> TableStore.rowGroupShift) }
    var groups = PackedGroups(count: last + 1)
    for index in 0..<count {
      let group = Int(positions[index]) >> TableStore.rowGroupShift
      if !groups.pages[group].isNone { continue }
      guard let packed = packedGroup(first + group, type) else { return nil }
      groups.take(packed, as: group)
    }
    // What does not hold together is noted by whoever reads the whole group then.
    return try? ColumnSection.values(positions, count: count, type, groups)
  }

  /// How the pages of a row group stand in its section, which is kept as long as the snapshot; nil if they are damaged.
  private func packedGroup(_ section: Int, _ type: LogicalType) -> PackedGroup? {
    if let known = packed.withLock({ $0[section] }) { return known }
    guard let bytes = bytes(section), let group = try? ColumnSection.packedGroup(bytes, type)
    else { return nil }
    return packed.withLock { packed in
      // What another thread has found meanwhile may be in use.
      if let known = packed[section] { return known }
      packed[section] = group
      return group
    }
  }

  package func parents(_ section: Int, rows: [Int]) -> [ParentContents]? {
    guard let bytes = bytes(section) else { return nil }
    do throws(SQLError) { return try ParentSection.read(bytes, rows: rows, arena) } catch {
      note(damagedSection: section, error.detail ?? error.message)
      return nil
    }
  }

  package func lists(
    _ section: Int, _ extent: ListExtent, parents: (Range<Int>) -> Buffer<UInt32>?
  ) -> ListContents? {
    guard let bytes = bytes(section) else { return nil }
    do throws(SectionFault) {
      return try ListSection.read(bytes, extent, arena, parents: parents)
    } catch {
      note(damagedSection: section, error.reason)
      return nil
    }
  }

  package func degrees(_ section: Int, sourceCount: Int) -> Buffer<UInt32>? {
    ListSection.degrees(reader.bytes(of: reader.sections[section]), sourceCount: sourceCount)
  }

  package func note(damagedSection section: Int, _ reason: String) {
    let own = reader.sections[section]
    damage.note(
      .damaged(
        "snapshot", path: reader.path,
        "The \(own.byteCount) bytes from byte \(own.offset) on match their checksum, but they do not hold together: "
          + "\(reason)."))
  }

  package func note(damagedTable reason: String) {
    damage.note(
      .damaged(
        "snapshot", path: reader.path, "The rows of a table do not hold together: \(reason)."))
  }
}
