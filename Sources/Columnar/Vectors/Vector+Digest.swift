extension DataChunk {
  /// Touches every value as a reader would: the sum of whole numbers, and of the lengths and first bytes of texts.
  ///
  /// NULL and values of other forms count nothing.
  ///
  /// - Complexity: O(*n*) in the values; nothing is allocated for one.
  package func digest() -> Int {
    var sum = 0
    for index in columns.indices {
      // Only what is needed of a vector is read: a copy of all of it would count references.
      if columns[index].form == .flat, columns[index].validity.words == nil {
        let storage = columns[index].storage
        switch columns[index].type.physical {
        case .int16: sum &+= Vector.sum(storage.buffer(of: Int16.self), count)
        case .int32: sum &+= Vector.sum(storage.buffer(of: Int32.self), count)
        case .int64: sum &+= Vector.sum(storage.buffer(of: Int64.self), count)
        case .text: sum &+= Vector.sum(storage.buffer(of: TextView.self), count)
        case .bool, .float, .double, .numeric, .interval, .uuid, .list, .record: break
        }
      } else {
        sum &+= columns[index].digest(count)
      }
    }
    return sum
  }
}

extension Vector {
  @inline(__always)
  fileprivate static func sum<Element: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ count: Int
  ) -> Int {
    let pointer = PagePointer(values)
    var sum = 0
    for row in 0..<count { sum &+= Int(truncatingIfNeeded: pointer[row]) }
    return sum
  }

  @inline(__always)
  fileprivate static func sum(_ texts: Buffer<TextView>, _ count: Int) -> Int {
    let pointer = PagePointer(texts)
    var sum = 0
    for start in stride(from: 0, to: count, by: 4096) {
      let end = min(count, start &+ 4096)
      // A view's first word has the length and then the first byte. They are added together; the sum of so many lengths
      // does not reach into that of the bytes unless a text is long.
      var (words, bits): (UInt64, UInt64) = (0, 0)
      for row in start..<end {
        let word = pointer[row].headWord
        words &+= word & 0xFF_FFFF_FFFF
        bits |= word
      }
      if bits & 0xFFFF_FFFF < 1 << 20 {
        sum &+= Int(truncatingIfNeeded: (words & 0xFFFF_FFFF) &+ (words &>> 32))
      } else {
        for row in start..<end { sum &+= pointer[row].count &+ Int(pointer[row].firstByte) }
      }
    }
    return sum
  }

  /// The digest of the first `count` values, of which some are NULL or stand elsewhere.
  fileprivate func digest(_ count: Int) -> Int {
    switch type.physical {
    case .int16: scatteredSum(Int16.self, count) { Int($0) }
    case .int32: scatteredSum(Int32.self, count) { Int($0) }
    case .int64: scatteredSum(Int64.self, count) { Int(truncatingIfNeeded: $0) }
    case .text: scatteredSum(TextView.self, count) { $0.count &+ Int($0.firstByte) }
    case .bool, .float, .double, .numeric, .interval, .uuid, .list, .record: 0
    }
  }

  @inline(__always)
  private func scatteredSum<Element: BitwiseCopyable>(
    _ element: Element.Type, _ count: Int, _ digest: (Element) -> Int
  ) -> Int {
    let values = values(element)
    var sum = 0
    for row in 0..<count {
      let position = position(row)
      if validity.isValid(position) { sum &+= digest(values[position]) }
    }
    return sum
  }
}
