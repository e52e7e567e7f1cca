package import Diagnostics

/// The ordered-set aggregates, which look at a group's values in order: `mode`, `percentile_disc` and `percentile_cont`.
///
/// Values that whole numbers of the same order can stand for are counted or selected by those, and never sorted; all others
/// are kept and sorted at the end. NULLs are passed over.
package final class OrderedSetAccumulator: AggregateAccumulator {
  /// What is taken from the values.
  package enum Output: Sendable {
    /// `mode()`: the first of the most frequent values.
    case mode
    /// `percentile_disc(fraction)`: the first value at or past the fraction.
    case discrete
    /// `percentile_cont(fraction)`: between the two nearest values.
    case continuous
  }
  private let output: Output
  private let type: LogicalType
  /// Whether there is an array of fractions, and one of results.
  private let isList: Bool
  private var isDescending = false
  private var fractions: GroupConstants
  private var numbers = GroupedNumbers()
  private var form: NumberForm?
  /// What has no numbers; the numbers that came before are among it then.
  private var rows: CollectedRows?
  private var ordered: OrderedValues?

  /// An accumulator for values of `type`; all but `mode` take a fraction before the value, or an array of them.
  ///
  /// `continuous` takes numbers of any type, and gives doubles for all of them.
  package init(_ output: Output, type: LogicalType, isList: Bool = false) {
    self.output = output
    self.type = type
    self.isList = isList
    fractions = GroupConstants(isList ? .array(.double) : .double)
    rows = NumberForm.first(for: type) == nil ? CollectedRows([type]) : nil
  }

  /// Tells, before any value comes, whether they are ordered from the greatest on, and whether one fraction is that of all
  /// groups.
  package func expect(descending: Bool, oneFraction: Bool) {
    isDescending = descending
    fractions.isShared = oneFraction
  }

  package var byteCount: Int {
    (rows?.byteCount ?? 0) + numbers.byteCount + fractions.byteCount
  }

  package func grow(to groupCount: Int) {
    numbers.grow(to: groupCount)
    rows?.grow(to: groupCount)
    fractions.grow(to: groupCount)
  }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    if output != .mode { fractions.note(arguments[0], groups: groups, count: count) }
    let values = arguments[output == .mode ? 0 : 1]
    if rows == nil, try !updateNumbers(values, groups, count) { try keepRows() }
    if rows == nil { return }
    guard let present = SelectionVector.present(in: [values], count: count) else {
      try rows?.append([values], groups: groups, count: count)
      return
    }
    let own = groups.map { groups in
      let own = Buffer<UInt32>(uninitialized: max(present.count, 1))
      for row in 0..<present.count { own[row] = groups[present.positions[row]] }
      return own
    }
    try rows?.append(
      [values.gathered(present).flattened()], groups: own, count: present.count)
  }

  /// Says false where the values have no numbers that fit those before.
  private func updateNumbers(
    _ values: Vector, _ groups: Buffer<UInt32>?, _ count: Int
  ) throws(SQLError) -> Bool {
    guard let (found, foundForm) = NumberForm.numbers(of: values, count: count, before: form)
    else {
      guard output == .continuous, type == .numeric else { return false }
      try numbers.append(
        try floats(of: values, count), values.validity, groups: groups, count: count)
      return true
    }
    if let form, form != foundForm {
      guard output == .continuous, type == .numeric else { return false }
      try numbers.append(
        try floats(of: values, count), values.validity, groups: groups, count: count)
      return true
    }
    form = foundForm
    try numbers.append(found, values.validity, groups: groups, count: count)
    return true
  }

  /// Exact numbers of different scales as floating ones; those before become the same.
  private func floats(of values: Vector, _ count: Int) throws(SQLError) -> Buffer<Int64> {
    if let form, form != .floating {
      try numbers.replaceEach { NumberForm.number(of: form.double($0)) }
    }
    form = .floating
    let result = Buffer<Int64>(uninitialized: max(count, 1))
    for row in 0..<count {
      result[row] =
        values.validity.isValid(row) ? NumberForm.number(of: values.numeric(at: row).double) : 0
    }
    return result
  }

  /// Goes over from numbers to the values themselves.
  private func keepRows() throws(SQLError) {
    var kept = CollectedRows([type])
    kept.grow(to: numbers.groupCount)
    if let form {
      let type = type
      try numbers.forEachSlice { (slice, groups, count) throws(SQLError) in
        try kept.append([form.values(slice, of: type, count: count)], groups: groups, count: count)
      }
    }
    let groupCount = numbers.groupCount
    numbers = GroupedNumbers()
    numbers.grow(to: groupCount)
    rows = kept
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? OrderedSetAccumulator else { return }
    fractions.merge(other.fractions, groups: groups, count: count)
    if rows == nil && other.rows == nil {
      guard let theirs = other.form else { return }
      if form == nil || form == theirs {
        form = theirs
        try numbers.append(other.numbers, mapping: groups)
        return
      }
      if let form, output == .continuous, type == .numeric {
        if form != .floating {
          try numbers.replaceEach { NumberForm.number(of: form.double($0)) }
          self.form = .floating
        }
        if theirs != .floating {
          try other.numbers.replaceEach { NumberForm.number(of: theirs.double($0)) }
        }
        try numbers.append(other.numbers, mapping: groups)
        return
      }
    }
    if rows == nil { try keepRows() }
    if other.rows == nil { try other.keepRows() }
    if let theirs = other.rows { try rows?.append(theirs, mapping: groups) }
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let values: OrderedValues
    if let ordered {
      values = ordered
    } else if let rows {
      values = .rows(try rows.sorted(), SortOrder(descending: isDescending))
    } else {
      values = .numbers(try numbers.arranged(), form ?? .whole, isDescending: isDescending)
    }
    ordered = values
    var found = FoundPlaces()
    let slices = Buffer<ListSlice>(zeroed: range.count)
    var validity = ValidityMask.allValid
    for (row, group) in range.enumerated() {
      let first = found.lower.count
      let own = try values.group(group)
      if output == .mode {
        if own.count == 0 { found.addNull() } else { found.add(try values.mostFrequent(of: own)) }
        continue
      }
      guard own.count > 0, let fraction = fractions.row(of: group) else {
        if isList { validity.setNull(row, count: range.count) } else { found.addNull() }
        continue
      }
      try addPlaces(fraction, own, values, to: &found)
      slices[row] = ListSlice(
        offset: UInt32(truncatingIfNeeded: first),
        count: UInt32(truncatingIfNeeded: found.lower.count - first))
    }
    let result = try found.vector(
      values, type: type, isContinuous: output == .continuous)
    return isList ? Vector(slices, of: result, count: range.count, validity: validity) : result
  }

  /// Adds what stands at a fraction, or at each of an array of fractions.
  private func addPlaces(
    _ fraction: GroupConstants.Row, _ own: OrderedValues.Group, _ values: OrderedValues,
    to found: inout FoundPlaces
  ) throws(SQLError) {
    guard isList else {
      let number = fraction.vector.values(Double.self)[fraction.index]
      try found.add(number, own, values, isContinuous: output == .continuous)
      return
    }
    let slice = fraction.vector.values(ListSlice.self)[fraction.index]
    let elements = fraction.vector.children[0].flattened()
    let numbers = elements.values(Double.self)
    for place in Int(slice.offset)..<Int(slice.offset) + Int(slice.count) {
      if elements.validity.isValid(place) {
        try found.add(numbers[place], own, values, isContinuous: output == .continuous)
      } else {
        found.addNull()
      }
    }
  }
}
