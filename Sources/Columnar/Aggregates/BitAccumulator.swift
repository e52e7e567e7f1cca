package import Diagnostics

/// `bool_and`, `bool_or`, `bit_and`, `bit_or` and `bit_xor`.
package final class BitAccumulator: AggregateAccumulator {
  /// How bits come together.
  package enum Operation: Sendable { case and, or, xor }
  private let operation: Operation
  private let type: LogicalType
  private var states = GroupStates<Int64>()
  private var presence = GroupPresence()

  package init(_ operation: Operation, type: LogicalType) {
    self.operation = operation
    self.type = type
  }

  package var byteCount: Int { states.byteCount + presence.byteCount }

  package func grow(to groupCount: Int) {
    states.grow(to: groupCount)
    presence.grow(to: groupCount)
  }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    let argument = arguments[0].flattened()
    switch type.physical {
    case .bool: combine(argument.values(UInt8.self), argument, groups, count)
    case .int16: combine(argument.values(Int16.self), argument, groups, count)
    case .int32: combine(argument.values(Int32.self), argument, groups, count)
    case .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      combine(argument.values(Int64.self), argument, groups, count)
    }
  }

  private func combine<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ argument: Vector, _ groups: Buffer<UInt32>?, _ count: Int
  ) {
    let operation = operation
    let presence = presence
    let states = states
    forEachPresent(argument, groups: groups, count: count) { row, group in
      let value = Int64(truncatingIfNeeded: values[row])
      if presence.contains(group) {
        switch operation {
        case .and: states[group] &= value
        case .or: states[group] |= value
        case .xor: states[group] ^= value
        }
      } else {
        states[group] = value
        presence.mark(group)
      }
    }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? BitAccumulator else { return }
    let partial = try other.results(0..<count)
    try update(groups: groups, arguments: [partial], count: count)
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let validity = presence.validity(range)
    func narrowed<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number.Type) -> Vector {
      let values = Buffer<Number>(uninitialized: range.count)
      for (row, group) in range.enumerated() {
        values[row] = Number(truncatingIfNeeded: states[group])
      }
      return Vector(type, values, count: range.count, validity: validity)
    }
    switch type.physical {
    case .bool: return narrowed(UInt8.self)
    case .int16: return narrowed(Int16.self)
    case .int32: return narrowed(Int32.self)
    case .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      return narrowed(Int64.self)
    }
  }
}
