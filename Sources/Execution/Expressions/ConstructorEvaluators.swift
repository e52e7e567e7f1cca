import Columnar
import Diagnostics

/// ARRAY[…].
final class ArrayEvaluator: Evaluator {
  let type: LogicalType
  private let elements: [any Evaluator]

  init(_ elements: [any Evaluator], type: LogicalType) {
    self.elements = elements
    self.type = type
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    var columns: [Vector] = []
    for evaluator in elements { columns.append(try evaluator.evaluate(&chunk, context)) }
    // A list that is the same for all rows is made once.
    if chunk.count > 1, columns.allSatisfy({ $0.form == .constant }) {
      return list(columns.map { $0.resized(to: 1) }, rows: 1).asConstant(count: chunk.count)
    }
    return list(columns, rows: chunk.count)
  }

  private func list(_ values: [Vector], rows: Int) -> Vector {
    let columns = values.map { $0.flattened() }
    let width = elements.count
    let element = type.element ?? .unknown
    // The columns stand one after another; the elements of a row are fetched across them.
    let order = Buffer<UInt32>(uninitialized: max(1, rows &* width))
    var place = 0
    for row in 0..<rows {
      for column in 0..<width {
        order[place] = UInt32(truncatingIfNeeded: column &* rows &+ row)
        place &+= 1
      }
    }
    let child =
      width == 0
      ? VectorBuilder(element, capacity: 1).finish()
      : Vector.concatenate(columns, type: element).gathered(order, count: place).flattened()
    let slices = Buffer<ListSlice>(uninitialized: max(rows, 1))
    for row in 0..<rows {
      slices[row] = ListSlice(
        offset: UInt32(truncatingIfNeeded: row &* width), count: UInt32(truncatingIfNeeded: width))
    }
    return Vector(
      type: type, count: rows, storage: slices.block, children: [child], heaps: child.heaps)
  }
}

/// ROW(…).
final class RowEvaluator: Evaluator {
  let type: LogicalType
  private let fields: [any Evaluator]

  init(_ fields: [any Evaluator], record: RecordType) {
    self.fields = fields
    type = .record(record)
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    var children: [Vector] = []
    for field in fields { children.append(try field.evaluate(&chunk, context).flattened()) }
    return Vector(
      type: type, count: chunk.count, storage: MemoryBlock(byteCount: 0), children: children,
      heaps: Vector.heaps(of: children))
  }
}

/// One field of a record.
final class FieldEvaluator: Evaluator {
  let type: LogicalType
  private let operand: any Evaluator
  private let index: Int

  init(_ operand: any Evaluator, index: Int, type: LogicalType) {
    self.operand = operand
    self.index = index
    self.type = type
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    let record = try operand.evaluate(&chunk, context)
    let rows = record.count
    guard index < record.children.count else { return Vector.null(type, count: rows) }
    let field = record.children[index]
    // A field of a missing record is missing. Fields stand at the record's positions.
    let positions = record.form == .flat ? rows : field.count
    let validity = ValidityMask.both(
      record.validity, field.validity, count: max(positions, 1))
    return Vector(
      type: field.type, count: rows, form: record.form, storage: field.storage, validity: validity,
      indices: record.indices, children: field.children, heaps: field.heaps + record.heaps)
  }
}

/// A part of an expression in which some values, each computed once, are used more than once.
final class SharedEvaluator: Evaluator {
  var type: LogicalType { body.type }
  private let values: [any Evaluator]
  private let body: any Evaluator
  /// The places in the chunk around of the columns that the body needs; they stand behind the values.
  private let sources: [Int]

  init(_ values: [any Evaluator], _ body: any Evaluator, sources: [Int]) {
    self.values = values
    self.body = body
    self.sources = sources
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    var columns: [Vector] = []
    columns.reserveCapacity(values.count + sources.count)
    for value in values { columns.append(try value.evaluate(&chunk, context)) }
    for source in sources { columns.append(chunk.columns[source]) }
    var inner = DataChunk(columns, count: chunk.count)
    return try body.evaluate(&inner, context)
  }
}
