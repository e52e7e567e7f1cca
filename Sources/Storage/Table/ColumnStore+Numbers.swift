import Columnar

// A page of exact numbers holds whole numbers of 64 bits as long as all of them fit and agree on where
// their point stands, as those of `numeric(p, s)` do. The first number that does not turns the page, and
// that page only, into one of `Numeric`s.

extension ColumnPage {
  /// The bytes from one value to the next.
  func stride(_ type: LogicalType) -> Int { decimals == nil ? type.physical.stride : 8 }

  /// Makes `Numeric`s of the first `rows` values, with room for `room`.
  func widenNumbers(rows: Int, room: Int) {
    guard let decimals else { return }
    let source = storage.buffer(of: Int64.self)
    let block = MemoryBlock(byteCount: room * MemoryLayout<Numeric>.stride)
    let target = block.buffer(of: Numeric.self)
    for row in 0..<rows {
      target[row] = Numeric(coefficient: Int128(source[row]), scale: decimals)
    }
    storage = block
    ownsValues = true
    self.decimals = nil
  }
}

extension ColumnStore {
  /// Writes exact numbers behind the rows of a page, which has room for them.
  ///
  /// - Precondition: `vector` is flat, and nothing but its first rows are known of the page.
  mutating func appendNumbers(
    _ vector: Vector, _ count: Int, page index: Int, offset: Int, epoch: Epoch
  ) {
    let wanted = pages[index].decimals
    if let wanted, let small = vector.narrowed(count: count, otherwise: wanted),
      small.decimals == wanted
    {
      pages[index].storage.buffer(of: Int64.self).copy(
        small.scaledValues, count: count, to: offset)
      return
    }
    if wanted != nil {
      let room = pages[index].storage.byteCount / 8
      let page = pages.writable(index, epoch: epoch)
      page.widenNumbers(rows: offset, room: room)
      pages.refresh(index, epoch: epoch)
    }
    pages[index].storage.buffer(of: Numeric.self).copy(
      vector.flattened().values(Numeric.self), count: count, to: offset)
  }

  /// Gives rows of a page of which `known` are there, and which the caller may write to, new numbers.
  func writeNumbers(
    _ flat: Vector, _ rows: Range<Int>, to page: ColumnPage, _ positions: Buffer<UInt32>, known: Int
  ) {
    let mask = Self.pageMask
    if let wanted = page.decimals {
      if flat.decimals == wanted {
        let source = flat.scaledValues
        let target = page.storage.buffer(of: Int64.self)
        for row in rows { target[Int(positions[row]) & mask] = source[row] }
        return
      }
      page.widenNumbers(rows: known, room: page.storage.byteCount / 8)
    }
    let target = page.storage.buffer(of: Numeric.self)
    for row in rows { target[Int(positions[row]) & mask] = flat.numeric(at: row) }
  }
}
