import Columnar

/// Which entries of a page are there: the levels of a column's leaf.
struct LevelWriter {
  /// What a leaf is in.
  enum Kind {
    /// A column that has a value in each row.
    case required
    case optional
    /// A list, which may be NULL as its elements may be.
    case list(isOptional: Bool)

    /// The level of an element that is there.
    var greatest: Int {
      switch self {
      case .required: 0
      case .optional: 1
      case .list(let isOptional): isOptional ? 3 : 2
      }
    }
  }

  let kind: Kind
  private(set) var count = 0
  private(set) var rowCount = 0
  private var validity = ValidityMask.allValid
  private var capacity = 0
  private var definition = Buffer<UInt8>(uninitialized: 0)
  private var repetition = Buffer<UInt8>(uninitialized: 0)

  init(_ kind: Kind) { self.kind = kind }

  /// Adds rows of one entry each.
  mutating func append(_ mask: ValidityMask, count length: Int) {
    if count + length > capacity {
      let grown = max(capacity * 2, count + length + 64)
      if !validity.isAllValid { validity = validity.extended(count, to: grown) }
      capacity = grown
    }
    validity.write(mask, count: length, at: count, capacity: capacity + 64)
    count += length
    rowCount += length
  }

  /// Adds rows of a flat vector of lists, whose elements one behind another are those of `elements`.
  mutating func append(lists: Vector, elements: Vector) {
    guard case .list(let isOptional) = kind else { return }
    let slices = lists.values(ListSlice.self)
    reserve(elements.count + lists.count)
    let empty: UInt8 = isOptional ? 1 : 0
    var element = 0
    for row in 0..<lists.count {
      let isThere = lists.validity.isValid(row)
      let length = isThere ? Int(slices[row].count) : 0
      if length == 0 {
        definition[count] = isThere ? empty : 0
        repetition[count] = 0
        count += 1
        continue
      }
      for index in 0..<length {
        definition[count] = empty &+ 1 &+ UInt8(bit(elements.validity.isValid(element)))
        repetition[count] = UInt8(bit(index > 0))
        count += 1
        element += 1
      }
    }
    rowCount += lists.count
  }

  private mutating func reserve(_ extra: Int) {
    guard count + extra > definition.count else { return }
    let room = max(definition.count * 2, count + extra)
    let (defined, repeated) = (
      Buffer<UInt8>(uninitialized: room), Buffer<UInt8>(uninitialized: room)
    )
    defined.copy(definition, count: count, to: 0)
    repeated.copy(repetition, count: count, to: 0)
    (definition, repetition) = (defined, repeated)
  }

  /// Adds the levels as a page of version 1 has them, each kind behind its length.
  func append(to target: inout ByteBuilder) {
    switch kind {
    case .required: break
    case .optional:
      Self.append(to: &target) { HybridEncoder.append(validity, count: count, to: &$0) }
    case .list:
      Self.append(to: &target) {
        HybridEncoder.append(repetition, count: count, width: 1, to: &$0)
      }
      Self.append(to: &target) {
        HybridEncoder.append(definition, count: count, width: 2, to: &$0)
      }
    }
  }

  private static func append(to target: inout ByteBuilder, _ body: (inout ByteBuilder) -> Void) {
    let start = target.count
    for _ in 0..<4 { target.append(0) }
    body(&target)
    let length = target.count - start - 4
    for byte in 0..<4 {
      target.buffer[start + byte] = UInt8(truncatingIfNeeded: length >> (byte * 8))
    }
  }

  /// Forgets the entries.
  mutating func removeAll() {
    count = 0
    rowCount = 0
    validity = .allValid
    capacity = 0
  }
}
