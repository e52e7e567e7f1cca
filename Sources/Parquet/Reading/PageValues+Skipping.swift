import Columnar

extension PageValues {
  /// Passes over the next values, which are looked at only as far as it takes to know where the one behind them is.
  func skip(_ count: Int) throws(Damage) {
    if count == 0 { return }
    switch page.encoding {
    case .plain where isBoolean:
      guard count <= page.values.count * 8 - index else { throw tooFew(count) }
      index += count
    case .plain where isOfBytes: try skipTexts(count)
    case .plain:
      guard width == 0 || count <= (end - position) / width else { throw tooFew(count) }
      position += count * width
    case .byteStreamSplit:
      guard width > 0, count <= page.values.count / width - index else { throw tooFew(count) }
      index += count
    case .plainDictionary, .rleDictionary, .rle: try skipRuns(count)
    case .deltaBinaryPacked: _ = try skipNumbers(count)
    case .deltaLengthByteArray: position += try skipNumbers(count)
    case .deltaByteArray: try skipPrefixes(count)
    case .bitPacked: throw tooFew(count)
    }
  }

  private func skipTexts(_ count: Int) throws(Damage) {
    let source = PagePointer(page.bytes)
    var place = position
    for _ in 0..<count {
      guard place &+ 4 <= end else { throw tooFew(count) }
      let length = Int(truncatingIfNeeded: source.word(at: place) & 0xFFFF_FFFF)
      place &+= 4
      guard length <= end &- place else {
        throw Damage("a text of \(length) bytes is cut off", at: place - page.values.lowerBound)
      }
      place &+= length
    }
    position = place
  }

  /// Passes over numbers; gives what they come to, for those of lengths, of which the sum was looked at before.
  private func skipNumbers(_ count: Int) throws(Damage) -> Int {
    guard var decoder = delta else { throw tooFew(count) }
    delta = nil
    defer { delta = decoder }
    let scratch = Buffer<Int64>(uninitialized: min(count, Self.stretch))
    var (left, sum) = (count, 0)
    while left > 0 {
      let length = min(left, scratch.count)
      try decoder.read(length, into: scratch, at: 0)
      for row in 0..<length { sum &+= Int(scratch[row]) }
      left -= length
    }
    return sum
  }

  /// Passes over texts that begin as the one before does, which has to be put together for that.
  private func skipPrefixes(_ count: Int) throws(Damage) {
    let views = Buffer<TextView>(uninitialized: min(count, Self.stretch))
    var left = count
    while left > 0 {
      let length = min(left, views.count)
      var heaps: [TextHeap] = []
      try readViews(length, into: views, at: 0, &heaps)
      left -= length
    }
  }

  /// So many values are passed over at a time.
  private static var stretch: Int { 4096 }
}
