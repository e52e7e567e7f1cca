package import Diagnostics

/// `bit_and`, `bit_or` and `bit_xor` of bit strings.
package final class BitStringAccumulator: AggregateAccumulator {
  private let operation: BitStrings.Operation
  private var states: [[UInt8]?] = []

  package init(_ operation: BitStrings.Operation) { self.operation = operation }

  package var byteCount: Int { states.reduce(0) { $0 + 16 + ($1?.count ?? 0) } }

  package func grow(to groupCount: Int) {
    if groupCount > states.count {
      states += Array(repeating: nil, count: groupCount - states.count)
    }
  }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    let argument = arguments[0].flattened()
    let values = argument.values(TextView.self)
    for row in 0..<count where argument.validity.isValid(row) {
      try add(values.bytes(at: row).array, to: groups.map { Int($0[row]) } ?? 0)
    }
  }

  private func add(_ bits: [UInt8], to group: Int) throws(SQLError) {
    guard let state = states[group] else {
      states[group] = bits
      return
    }
    if state.count != bits.count { throw BitStrings.differentSizes(operation) }
    states[group] = zip(state, bits).map { operation.combine($0, $1) }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? BitStringAccumulator else { return }
    for group in 0..<count {
      if let bits = other.states[group] { try add(bits, to: Int(groups[group])) }
    }
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    Vector(.bit, range.map { group in states[group].map { .text($0) } ?? .null })
  }
}
