package import Columnar

extension ColumnStore {
  /// The values at `positions`, flat.
  ///
  /// Texts stay where they are: the table version keeps them alive. `UInt32.max` stands for a row that
  /// is not there and gives NULL, if `optional` says that it may occur.
  ///
  /// - Complexity: O(*n*): three loads a row.
  package func gather(_ positions: Buffer<UInt32>, count: Int, optional: Bool = false) -> Vector {
    var positions = positions
    var missing: ValidityMask?
    if optional { (positions, missing) = withoutMissing(positions, count) }
    if missing != nil && pages.count == 0 { return .null(type, count: count) }
    if missing == nil, let read = scattered(positions, count: count) { return read }
    if type.physical == .list { return gatherLists(positions, count, missing) }
    if !fields.isEmpty {
      return Vector(
        type: type, count: count, storage: MemoryBlock(byteCount: 0),
        validity: gatherValidity(positions, count, missing),
        children: fields.map { $0.gather(positions, count: count) })
    }
    guard let reader else { return .null(type, count: count) }
    let moved = reader.values(positions, count: count)
    let validity: ValidityMask
    if let known = moved.validity {
      validity = missing.map { ValidityMask.both(known, $0, count: count) } ?? known
    } else {
      validity =
        moved.mayHaveNulls ? gatherValidity(positions, count, missing) : missing ?? .allValid
    }
    return Vector(
      type: type, count: count, storage: moved.block, validity: validity,
      digits: moved.digits)
  }

  /// Positions that are all there, and the mask of those that are; none if all are.
  private func withoutMissing(
    _ positions: Buffer<UInt32>, _ count: Int
  ) -> (Buffer<UInt32>, ValidityMask?) {
    var missing = 0
    for row in 0..<count { missing &+= bit(positions[row] == .max) }
    guard missing > 0 else { return (positions, nil) }
    let safe = Buffer<UInt32>(uninitialized: count)
    var mask = ValidityMask.writable(count: count)
    for row in 0..<count {
      let isMissing = positions[row] == .max
      safe[row] = isMissing ? 0 : positions[row]
      if isMissing { mask.setNull(row, count: count) }
    }
    return (safe, mask)
  }

  /// Which of the values at `positions` are there, where `reader` has said that some may not be.
  ///
  /// - Complexity: O(*n*): three loads a row.
  package func validity(_ positions: Buffer<UInt32>, count: Int) -> ValidityMask {
    gatherValidity(positions, count, nil)
  }

  private func gatherValidity(
    _ positions: Buffer<UInt32>, _ count: Int, _ missing: ValidityMask?
  ) -> ValidityMask {
    let words = Buffer<UInt64>(zeroed: max(1, ValidityMask.wordCount(count)))
    pages.lazy?.require(positions, 0..<count, shift: Self.groupShift)
    let directory = pages.directory
    if positions.rise(count) {
      copyValidity(from: Int(truncatingIfNeeded: positions[0]), count, to: words)
      let copied = ValidityMask(words: words)
      return missing.map { ValidityMask.both(copied, $0, count: count) } ?? copied
    }
    var start = 0
    while start < count {
      let end = min(count, start &+ 64)
      var word: UInt64 = 0
      for row in start..<end {
        let position = Int(truncatingIfNeeded: positions[row])
        let validity = directory[position &>> 17][(position &>> Self.pageShift) & 63].validity
        var present: UInt64 = 1
        if !validity.isNone {
          let index = position & Self.pageMask
          present = validity[index &>> 6] &>> UInt64(truncatingIfNeeded: index & 63) & 1
        }
        word |= present &<< UInt64(truncatingIfNeeded: row &- start)
      }
      words[start &>> 6] = word
      start = end
    }
    let gathered = ValidityMask(words: words)
    return missing.map { ValidityMask.both(gathered, $0, count: count) } ?? gathered
  }

  /// Which of the values of rows that stand one behind another are there, 64 at a time.
  private func copyValidity(from first: Int, _ count: Int, to words: Buffer<UInt64>) {
    let directory = pages.directory
    var start = 0
    while start < count {
      let position = first &+ start
      let index = position & Self.pageMask
      // As far as the word and the page reach.
      let length = min(count &- start, 64 &- start & 63, Self.pageMask &+ 1 &- index)
      let validity = directory[position &>> 17][(position &>> Self.pageShift) & 63].validity
      var bits = ~UInt64(0)
      if !validity.isNone {
        let shift = UInt64(truncatingIfNeeded: index & 63)
        bits = validity[index &>> 6] &>> shift
        if Int(shift) &+ length > 64 { bits |= validity[index &>> 6 &+ 1] << (64 - shift) }
      }
      if length < 64 { bits &= 1 &<< UInt64(truncatingIfNeeded: length) &- 1 }
      words[start &>> 6] |= bits &<< UInt64(truncatingIfNeeded: start & 63)
      start &+= length
    }
  }

  /// Copies the elements, as each page has its own.
  private func gatherLists(
    _ positions: Buffer<UInt32>, _ count: Int, _ missing: ValidityMask?
  ) -> Vector {
    guard let element = type.element else { return .null(type, count: count) }
    let slices = Buffer<ListSlice>(uninitialized: count)
    let validity = gatherValidity(positions, count, missing)
    var parts = VectorBuilder(element, capacity: count, sharesText: true)
    for row in 0..<count {
      let start = UInt32(truncatingIfNeeded: parts.count)
      guard validity.isValid(row) else {
        slices[row] = ListSlice(offset: start, count: 0)
        continue
      }
      let position = Int(positions[row])
      let page = pages[position >> Self.pageShift]
      let slice = page.storage.buffer(of: ListSlice.self)[position & Self.pageMask]
      slices[row] = ListSlice(offset: start, count: slice.count)
      if let elements = page.elements, slice.count > 0 {
        parts.append(elements.vector.slice(from: Int(slice.offset), count: Int(slice.count)))
      }
    }
    return Vector(
      type: type, count: count, storage: slices.block, validity: validity,
      children: [parts.finish()])
  }
}
