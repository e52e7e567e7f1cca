extension DataChunk {
  /// Touches every value as a reader would: the sum of whole numbers, and of the lengths and first bytes of texts.
  ///
  /// NULL and values of other forms count nothing.
  ///
  /// - Complexity: O(*n*) in the values; nothing is allocated for one.
  package func digest() -> Int {
    var sum = 0
    for index in columns.indices { sum &+= columns[index].digest(count) }
    return sum
  }
}

extension Vector {
  /// The digest of the first `count` values; part of its caller, so that no vector is copied for it.
  @inline(__always)
  fileprivate func digest(_ count: Int) -> Int {
    switch type.physical {
    case .int16: sum(Int16.self, count)
    case .int32: sum(Int32.self, count)
    case .int64: sum(Int64.self, count)
    case .text: sumOfTexts(count)
    default: 0
    }
  }

  @inline(__always)
  private func sum<Element: FixedWidthInteger & BitwiseCopyable>(
    _ element: Element.Type, _ count: Int
  ) -> Int {
    let values = PagePointer(values(element))
    var sum = 0
    if form == .flat && !mayHaveNulls {
      for row in 0..<count { sum &+= Int(truncatingIfNeeded: values[row]) }
      return sum
    }
    for row in 0..<count {
      let position = position(row)
      if validity.isValid(position) { sum &+= Int(truncatingIfNeeded: values[position]) }
    }
    return sum
  }

  @inline(__always)
  private func sumOfTexts(_ count: Int) -> Int {
    let values = PagePointer(values(TextView.self))
    var sum = 0
    if form == .flat && !mayHaveNulls {
      for row in 0..<count {
        let text = values[row]
        sum &+= text.count &+ Int(text.firstByte)
      }
      return sum
    }
    for row in 0..<count {
      let position = position(row)
      guard validity.isValid(position) else { continue }
      let text = values[position]
      sum &+= text.count &+ Int(text.firstByte)
    }
    return sum
  }
}
