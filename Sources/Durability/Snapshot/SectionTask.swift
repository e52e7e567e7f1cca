import Columnar
import Diagnostics

/// A section to be written, which any thread can put together.
package struct SectionTask: Sendable {
  let kind: SnapshotSection.Kind
  /// The number of the table.
  let table: UInt32
  /// Finds out of which parts the section consists.
  let plan: @Sendable () throws(SQLError) -> SectionPlan

  init(
    kind: SnapshotSection.Kind, table: UInt32,
    plan: @escaping @Sendable () throws(SQLError) -> SectionPlan
  ) {
    self.kind = kind
    self.table = table
    self.plan = plan
  }

  /// A section of one part.
  init(
    kind: SnapshotSection.Kind, table: UInt32,
    make: @escaping @Sendable (SectionMemory) throws(SQLError) -> SectionPart
  ) {
    self.init(kind: kind, table: table) { () throws(SQLError) in
      SectionPlan(partCount: 1) { (_, memory) throws(SQLError) in try make(memory) }
    }
  }
}

/// Parts of a section that stand one behind another, each of which any thread can put together.
struct SectionPlan: Sendable {
  let partCount: Int
  let make: @Sendable (Int, SectionMemory) throws(SQLError) -> SectionPart
}

/// The bytes of a part of a section.
struct SectionPart: Sendable {
  let bytes: Buffer<UInt8>
  /// What is free again once they are written, if anything is.
  let memory: Buffer<UInt8>?

  init(_ writer: SectionWriter) {
    bytes = writer.bytes
    memory = writer.memory
  }

  /// Bytes that stand in a snapshot.
  init(copied bytes: Buffer<UInt8>) {
    self.bytes = bytes
    memory = nil
  }
}
