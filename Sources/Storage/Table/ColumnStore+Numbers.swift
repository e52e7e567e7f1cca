import Columnar

// A page of exact numbers holds whole numbers of 16, 32 or 64 bits as long as all of them fit and agree on where
// their point stands, as those of `numeric(p, s)` do. The first number that does not turns the page, and
// that page only, into one of wider numbers, or of `Numeric`s.

extension ColumnPage {
  /// The bytes from one value to the next.
  func stride(_ type: LogicalType) -> Int { digits?.stride ?? type.physical.stride }

  /// Brings the first `rows` small numbers into another form, or makes `Numeric`s of them, with room for `room`.
  fileprivate func changeNumbers(to form: DecimalForm?, rows: Int, room: Int) {
    let old = vector(.numeric, count: rows)
    let stride = form?.stride ?? MemoryLayout<Numeric>.stride
    let block = MemoryBlock(byteCount: room * stride)
    block.buffer(of: UInt8.self).copy(
      old.flattened(as: form).storage.buffer(of: UInt8.self), count: rows * stride, to: 0)
    storage = block
    ownsValues = true
    digits = form
  }
}

extension ColumnStore {
  /// Writes exact numbers behind the rows of a page, which has room for them.
  ///
  /// - Precondition: `vector` is flat, and nothing but its first rows are known of the page.
  mutating func appendNumbers(
    _ vector: Vector, _ count: Int, page index: Int, offset: Int, epoch: Epoch
  ) {
    let own = pages[index].digits
    var form: DecimalForm?
    var source = vector
    if let own, let small = vector.narrowed(count: count, otherwise: own.scale) {
      form = own.union(small.narrowest().digits)
      source = small
    }
    if form != own {
      let room = pages[index].storage.byteCount / pages[index].stride(type)
      let page = pages.writable(index, epoch: epoch)
      page.changeNumbers(to: form, rows: offset, room: room)
      pages.refresh(index, epoch: epoch)
    }
    let stride = pages[index].stride(type)
    pages[index].storage.buffer(of: UInt8.self).copy(
      source.flattened(as: form).storage.buffer(of: UInt8.self), count: count * stride,
      to: offset * stride)
  }

  /// Gives rows of a page of which `known` are there, and which the caller may write to, new numbers.
  func writeNumbers(
    _ flat: Vector, _ rows: Range<Int>, to page: ColumnPage, _ positions: Buffer<UInt32>, known: Int
  ) {
    let own = page.digits
    let form = own?.union(flat.narrowest().digits)
    if form != own {
      page.changeNumbers(
        to: form, rows: known, room: page.storage.byteCount / page.stride(type))
    }
    let source = flat.flattened(as: form)
    switch form?.width {
    case .two: move(source, rows, to: page, positions, Int16.self)
    case .four: move(source, rows, to: page, positions, Int32.self)
    case .eight: move(source, rows, to: page, positions, Int64.self)
    case nil: move(source, rows, to: page, positions, Numeric.self)
    }
  }
}
