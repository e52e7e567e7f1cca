/// One column's values in one chunk.
///
/// A vector is a value over shared memory: once made it is not written to while anybody else holds it, so copies are
/// free.
/// It takes one of three forms:
/// - `flat`: value *i* stands at position *i*;
/// - `constant`: one value, at position 0, stands for every row;
/// - `indirect`: value *i* stands at position `indices[i]`: rows kept by a filter, rows fetched by a
///   join, or codes into a dictionary.
///
/// Kernels take flat and constant vectors; `flattened()` makes an indirect vector flat.
///
/// - Invariant: `storage` holds as many values as the greatest position used needs, `validity` is indexed by
///   position as well, and `children` are flat: one for a list, one for each field of a record.
package struct Vector: Sendable {
  /// How positions are found.
  package enum Form: UInt8, Sendable { case flat, constant, indirect }

  /// The type of the values.
  package let type: LogicalType
  /// The number of rows.
  package internal(set) var count: Int
  package let form: Form
  /// The values, by position; empty for a record.
  package internal(set) var storage: MemoryBlock
  /// Which positions hold a value.
  package let validity: ValidityMask
  /// The position of each row, for the indirect form.
  package let indices: Buffer<UInt32>?
  /// What few vectors have besides; nil where that is nothing, so that copies count no references for it.
  let rest: VectorRest?
  /// For `numeric`: how the whole numbers in `storage` stand for exact ones; nil where the values are `Numeric`s.
  package let digits: DecimalForm?

  /// The most rows of a chunk that operators hand on: four pages, which scans hand on together.
  ///
  /// What a chunk costs beside its rows, some three microseconds for a scan with a condition and groups, is a third of what
  /// 2,048 rows take there; vectors of 8,192 still stand in the second cache.
  @inlinable package static var chunkCapacity: Int { 4 * pageCapacity }
  /// The rows of a page of a stored column, and of the chunks in which tables are loaded.
  @inlinable package static var pageCapacity: Int { 2048 }

  package init(
    type: LogicalType, count: Int, form: Form = .flat, storage: MemoryBlock,
    validity: ValidityMask = .allValid, indices: Buffer<UInt32>? = nil, children: [Vector] = [],
    heaps: [TextHeap] = [], digits: DecimalForm? = nil
  ) {
    self.init(
      type: type, count: count, form: form, storage: storage, validity: validity, indices: indices,
      rest: children.isEmpty && heaps.isEmpty ? nil : VectorRest(children, heaps), digits: digits)
  }

  /// A vector over the children and texts of another one.
  init(
    type: LogicalType, count: Int, form: Form, storage: MemoryBlock, validity: ValidityMask,
    indices: Buffer<UInt32>?, rest: VectorRest?, digits: DecimalForm?
  ) {
    self.type = type
    self.count = count
    self.form = form
    self.storage = storage
    self.validity = validity
    self.indices = indices
    self.rest = rest
    self.digits = digits
  }

  /// The elements of a list, the fields of a record.
  package var children: [Vector] { rest?.children ?? [] }
  /// What keeps texts alive that stand in no table version.
  package var heaps: [TextHeap] { rest?.heaps ?? [] }

  /// A flat vector of the first `count` elements of a buffer.
  package init<Element: BitwiseCopyable>(
    _ type: LogicalType, _ values: Buffer<Element>, count: Int,
    validity: ValidityMask = .allValid, heaps: [TextHeap] = []
  ) {
    self.init(
      type: type, count: count, storage: Self.block(of: values), validity: validity, heaps: heaps)
  }

  /// A flat vector of arrays: for each row a slice of the elements, which are flat.
  package init(
    _ slices: Buffer<ListSlice>, of elements: Vector, count: Int,
    validity: ValidityMask = .allValid
  ) {
    self.init(
      type: .array(elements.type), count: count, storage: slices.block, validity: validity,
      children: [elements], heaps: elements.heaps)
  }

  /// The block behind a buffer that may be a slice.
  private static func block<Element: BitwiseCopyable>(of values: Buffer<Element>) -> MemoryBlock {
    let offset = values.byteOffset
    let bytes = values.count &* MemoryLayout<Element>.stride
    if offset == 0 && bytes <= values.block.byteCount { return values.block }
    return MemoryBlock(slicing: values.block, from: offset, byteCount: bytes)
  }

  /// The values by position, in their physical type.
  ///
  /// - Precondition: `Element` is the physical type's.
  @inlinable
  package func values<Element: BitwiseCopyable>(_ element: Element.Type) -> Buffer<Element> {
    assert(
      MemoryLayout<Element>.stride == type.physical.stride,
      "\(type.name) values are not \(Element.self)")
    if digits != nil { return wideStorage().buffer(of: element) }
    return storage.buffer(of: element)
  }

  /// The position of row `row`.
  @inline(__always)
  package func position(_ row: Int) -> Int {
    switch form {
    case .flat: return row
    case .constant: return 0
    case .indirect: return indices.map { Int($0[row]) } ?? row
    }
  }

  /// Whether row `row` is not NULL; for edges and rare paths.
  package func isValid(_ row: Int) -> Bool { validity.isValid(position(row)) }

  /// Whether the one value of a constant vector is NULL.
  package var isConstantNull: Bool { form == .constant && !validity.isValid(0) }

  /// Whether some row may be NULL.
  package var mayHaveNulls: Bool { !validity.isAllValid }

  /// The same values for another number of rows; for a constant vector, or to shorten a vector.
  package func resized(to rows: Int) -> Vector {
    precondition(form == .constant || rows <= count, "only a constant vector can grow")
    return Vector(
      type: type, count: rows, form: form, storage: storage, validity: validity, indices: indices,
      rest: rest, digits: digits)
  }

  /// The same memory under another type of the same physical type, such as text for varchar.
  package func retyped(_ other: LogicalType) -> Vector {
    precondition(other.physical == type.physical, "\(type.name) cannot pass for \(other.name)")
    return Vector(
      type: other, count: count, form: form, storage: storage, validity: validity, indices: indices,
      rest: rest, digits: digits)
  }

  /// The rows at `positions` in their order, repeated or left out as that says; no value is moved.
  ///
  /// - Complexity: O(*n*) for an indirect vector, O(1) otherwise.
  package func gathered(_ positions: Buffer<UInt32>, count: Int) -> Vector {
    switch form {
    case .constant: return resized(to: count)
    case .flat:
      return Vector(
        type: type, count: count, form: .indirect, storage: storage, validity: validity,
        indices: positions, rest: rest, digits: digits)
    case .indirect:
      let combined = Buffer<UInt32>(uninitialized: count)
      if let indices {
        for row in 0..<count { combined[row] = indices[positions[row]] }
      }
      return Vector(
        type: type, count: count, form: .indirect, storage: storage, validity: validity,
        indices: combined, rest: rest, digits: digits)
    }
  }

  /// The rows that a selection keeps.
  package func gathered(_ selection: SelectionVector) -> Vector {
    gathered(selection.positions, count: selection.count)
  }

  /// `length` rows from `start` on.
  package func slice(from start: Int, count length: Int) -> Vector {
    precondition(start >= 0 && length >= 0 && start + length <= count, "a slice must lie inside")
    if form == .constant || start == 0 { return resized(to: length) }
    if let indices {
      return Vector(
        type: type, count: length, form: .indirect, storage: storage, validity: validity,
        indices: indices.slice(start..<(start + length)), rest: rest, digits: digits)
    }
    let positions = Buffer<UInt32>(uninitialized: length)
    for row in 0..<length { positions[row] = UInt32(truncatingIfNeeded: start &+ row) }
    return gathered(positions, count: length)
  }
}

/// What lists, records and texts have besides their values.
final class VectorRest: Sendable {
  let children: [Vector]
  let heaps: [TextHeap]

  init(_ children: [Vector], _ heaps: [TextHeap]) {
    self.children = children
    self.heaps = heaps
  }
}
