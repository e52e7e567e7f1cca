package import Diagnostics

/// `min` and `max` of every type that has an order.
///
/// Each group keeps its best value at the group's place in a typed buffer; texts are copied into the accumulator's own heap.
package final class ExtremeAccumulator: AggregateAccumulator {
  private let type: LogicalType
  private let isMaximum: Bool
  private var storage: MemoryBlock
  private var presence = GroupPresence()
  private var groupCount = 0
  /// The groups of whole numbers that hold one, or what stands for none.
  private var preparedCount = 0
  private let heap = TextHeap()
  /// The decimals of the numbers kept, while all had the same and are kept as whole numbers; those of a `numeric` at first.
  private var small = SmallScale.open

  private enum SmallScale { case open, scale(Int16), none }

  package init(type: LogicalType, isMaximum: Bool) {
    self.type = type
    self.isMaximum = isMaximum
    storage = MemoryBlock(byteCount: 0)
  }

  package var byteCount: Int { storage.byteCount + presence.byteCount + heap.byteCount }

  package func grow(to groupCount: Int) {
    presence.grow(to: groupCount)
    let stride = stride
    let needed = groupCount * stride
    if needed > storage.byteCount {
      let grown = MemoryBlock(byteCount: max(needed, storage.byteCount * 2, 128), zeroed: true)
      let used = self.groupCount * stride
      grown.buffer(of: UInt8.self).copy(storage.buffer(of: UInt8.self), count: used, to: 0)
      storage = grown
    }
    self.groupCount = max(self.groupCount, groupCount)
  }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    if type.physical == .numeric, keepSmall(arguments[0].compactFlattened(), groups, count) {
      return
    }
    let argument = arguments[0].flattened()
    switch type.physical {
    case .bool: keepNumbers(argument.values(UInt8.self), argument.validity, groups, count)
    case .int16: keepNumbers(argument.values(Int16.self), argument.validity, groups, count)
    case .int32: keepNumbers(argument.values(Int32.self), argument.validity, groups, count)
    case .int64: keepNumbers(argument.values(Int64.self), argument.validity, groups, count)
    case .float: keep(Float.self, argument, groups, count) { ValueOrder.compare($0, $1) < 0 }
    case .double: keep(Double.self, argument, groups, count) { ValueOrder.compare($0, $1) < 0 }
    case .numeric: keep(Numeric.self, argument, groups, count) { ValueOrder.compare($0, $1) < 0 }
    case .interval: keep(Interval.self, argument, groups, count) { ValueOrder.compare($0, $1) < 0 }
    case .uuid: keep(UUIDValue.self, argument, groups, count) { $0 < $1 }
    case .text: keepTexts(argument, groups, count)
    case .list, .record:
      throw SQLError.unsupported("\(isMaximum ? "max" : "min") of \(type.name)")
    }
  }

  /// The bytes of a value kept.
  private var stride: Int {
    if case .scale = small { return MemoryLayout<Int64>.stride }
    return type.physical.stride
  }

  /// Keeps numbers as whole ones of one scale; says false where that does not hold any more, and what was kept is wide then.
  private func keepSmall(_ argument: Vector, _ groups: Buffer<UInt32>?, _ count: Int) -> Bool {
    if case .open = small, let decimals = argument.decimals { small = .scale(decimals) }
    guard case .scale(let known) = small, known == argument.decimals else {
      widen()
      return false
    }
    let (numbers, validity) = (argument.scaledNumbers, argument.validity)
    switch argument.digits?.width {
    case .two: keepNumbers(numbers.values(Int16.self), as: Int64.self, validity, groups, count)
    case .four: keepNumbers(numbers.values(Int32.self), as: Int64.self, validity, groups, count)
    case .eight, nil: keepNumbers(numbers.values(Int64.self), validity, groups, count)
    }
    return true
  }

  private func keepNumbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ validity: ValidityMask, _ groups: Buffer<UInt32>?, _ count: Int
  ) {
    keepNumbers(values, as: Number.self, validity, groups, count)
  }

  /// Keeps whole numbers, in any width that holds them: a group without any holds what every number is better than, or as good as.
  private func keepNumbers<
    Number: FixedWidthInteger & BitwiseCopyable, Kept: FixedWidthInteger & BitwiseCopyable
  >(
    _ values: Buffer<Number>, as kept: Kept.Type, _ validity: ValidityMask,
    _ groups: Buffer<UInt32>?, _ count: Int
  ) {
    guard groupCount > 0 else { return }
    let best = storage.buffer(of: kept)
    if preparedCount < groupCount {
      best.fill(preparedCount..<groupCount, with: isMaximum ? .min : .max)
      preparedCount = groupCount
    }
    // The loops are apart, so that none of them asks which of the two is wanted.
    if isMaximum {
      keepNumbers(values, validity, groups, count, in: best) { $0 > $1 }
    } else {
      keepNumbers(values, validity, groups, count, in: best) { $0 < $1 }
    }
  }

  @inline(__always)
  private func keepNumbers<
    Number: FixedWidthInteger & BitwiseCopyable, Kept: FixedWidthInteger & BitwiseCopyable
  >(
    _ values: Buffer<Number>, _ validity: ValidityMask, _ groups: Buffer<UInt32>?, _ count: Int,
    in best: Buffer<Kept>, _ isBetter: (Kept, Kept) -> Bool
  ) {
    let presence = presence
    guard let groups else {
      var found = best[0]
      var isAny = false
      forEachPresent(validity, groups: nil, count: count) { row, _ in
        let value = Kept(truncatingIfNeeded: values[row])
        found = isBetter(value, found) ? value : found
        isAny = true
      }
      best[0] = found
      if isAny { presence.mark(0) }
      return
    }
    forEachPresent(validity, groups: groups, count: count) { row, group in
      presence.mark(group)
      let value = Kept(truncatingIfNeeded: values[row])
      let known = best[group]
      // Written in any case: among few values of a group nobody foretells which is better.
      best[group] = isBetter(value, known) ? value : known
    }
  }

  private func widen() {
    defer { small = .none }
    guard case .scale(let decimals) = small else { return }
    let kept = Vector(decimals: decimals, storage.buffer(of: Int64.self), count: groupCount)
    small = .none
    storage = kept.normalized().storage
  }

  @inline(__always)
  private func keep<Element: BitwiseCopyable>(
    _ element: Element.Type, _ argument: Vector, _ groups: Buffer<UInt32>?, _ count: Int,
    _ isLess: (Element, Element) -> Bool
  ) {
    keep(argument.values(element), argument.validity, groups, count, isLess)
  }

  @inline(__always)
  private func keep<Element: BitwiseCopyable>(
    _ values: Buffer<Element>, _ validity: ValidityMask, _ groups: Buffer<UInt32>?, _ count: Int,
    _ isLess: (Element, Element) -> Bool
  ) {
    let best = storage.buffer(of: Element.self)
    let presence = presence
    let isMaximum = isMaximum
    forEachPresent(validity, groups: groups, count: count) { row, group in
      let value = values[row]
      // Of values that are equal and yet differ, as 1.0 and 1.00 do, the last one stays, as in PostgreSQL.
      let isBetter =
        isMaximum ? !isLess(value, best[group]) : !isLess(best[group], value)
      if isBetter || !presence.contains(group) {
        best[group] = value
        presence.mark(group)
      }
    }
  }

  private func keepTexts(_ argument: Vector, _ groups: Buffer<UInt32>?, _ count: Int) {
    let values = argument.values(TextView.self)
    let best = storage.buffer(of: TextView.self)
    // The blanks at the end of a `character` do not count, but stay with it.
    let isPadded = type == .character
    forEachPresent(argument, groups: groups, count: count) { row, group in
      let value = values[row]
      let order =
        isPadded
        ? TextBytes.order(
          values.bytes(at: row).withoutTrailingSpaces,
          best.bytes(at: group).withoutTrailingSpaces)
        : TextView.order(value, best[group])
      let isTie = isPadded && order == 0 && value != best[group]
      if !presence.contains(group) || isTie || (isMaximum ? order > 0 : order < 0) {
        best[group] = heap.adopt(value)
        presence.mark(group)
      }
    }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? ExtremeAccumulator else { return }
    let best = other.kept(0..<count)
    try update(groups: groups, arguments: [best], count: count)
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector { kept(range) }

  private func kept(_ range: Range<Int>) -> Vector {
    if case .scale(let decimals) = small {
      return Vector(
        decimals: decimals, storage.buffer(of: Int64.self).slice(range), count: range.count,
        validity: presence.validity(range))
    }
    let stride = type.physical.stride
    let block = MemoryBlock(
      slicing: storage, from: range.lowerBound * stride, byteCount: range.count * stride)
    return Vector(
      type: type, count: range.count, storage: block, validity: presence.validity(range),
      heaps: type.physical == .text ? [heap] : [])
  }
}
