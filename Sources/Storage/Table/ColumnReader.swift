package import Columnar

/// Reads the values of a column at given positions: plain bytes, so that a look-up counts no references.
///
/// - Invariant: whoever uses a reader holds the version of the table that it was taken from.
package struct ColumnReader: BitwiseCopyable, Sendable {
  let stride: Int
  let isNumeric: Bool
  let directory: PagePointer<PagePointer<ColumnSlot>>
  /// What is still to be filled.
  let lazy: UncountedReference<LazyGroups>

  /// Values that were fetched.
  package struct Moved {
    package var block: MemoryBlock
    /// Whether some page they come from has NULLs.
    package var mayHaveNulls: Bool
    /// As `Vector.digits`.
    package var digits: DecimalForm?
    /// Which of the values are there, where that was found out on the way.
    package var validity: ValidityMask?
  }

  /// The values at `positions`.
  ///
  /// - Complexity: O(*n*): three loads a row.
  package func values(_ positions: Buffer<UInt32>, count: Int) -> Moved {
    if !lazy.isNone { require(positions, count) }
    if isNumeric { return numbers(positions, count) }
    switch stride {
    case 1: return move(positions, count, UInt8.self)
    case 2: return move(positions, count, UInt16.self)
    case 4: return move(positions, count, UInt32.self)
    case 8: return move(positions, count, UInt64.self)
    default: return move(positions, count, SIMD2<UInt64>.self)
    }
  }

  /// Sees that the pages of some rows are in place.
  private func require(_ positions: Buffer<UInt32>, _ count: Int) {
    lazy.withObject { $0.require(positions, 0..<count, shift: ColumnStore.groupShift) }
  }

  /// Exact numbers: small if they are on all of the pages, and all points stand in one place.
  private func numbers(_ positions: Buffer<UInt32>, _ count: Int) -> Moved {
    if count > 0, let small = smallNumbers(positions, count) { return small }
    let result = Buffer<Numeric>(uninitialized: count)
    var masks = 0
    for row in 0..<count {
      let position = Int(truncatingIfNeeded: positions[row])
      let slot = directory[position &>> 17][(position &>> ColumnStore.pageShift) & 63]
      let place = position & ColumnStore.pageMask
      result[row] =
        slot.decimals < 0
        ? slot.values.bound(to: Numeric.self)[place]
        : Numeric(
          coefficient: Int128(slot.number(place)),
          scale: Int16(truncatingIfNeeded: slot.decimals))
      masks |= bit(!slot.validity.isNone)
    }
    return Moved(block: result.block, mayHaveNulls: masks != 0)
  }

  private func smallNumbers(_ positions: Buffer<UInt32>, _ count: Int) -> Moved? {
    let first = Int(truncatingIfNeeded: positions[0])
    let slot = directory[first &>> 17][(first &>> ColumnStore.pageShift) & 63]
    if slot.decimals < 0 { return nil }
    let moved =
      switch slot.width {
      case 2: smallNumbers(positions, count, like: slot, Int16.self)
      case 4: smallNumbers(positions, count, like: slot, Int32.self)
      default: smallNumbers(positions, count, like: slot, Int64.self)
      }
    return moved ?? mixedNumbers(positions, count, like: slot)
  }

  /// Small numbers that all stand in the form of some page; nil for others.
  private func smallNumbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ positions: Buffer<UInt32>, _ count: Int, like known: ColumnSlot, _ number: Number.Type
  ) -> Moved? {
    let result = Buffer<Number>(uninitialized: count)
    if positions.rise(count) {
      return runOfSmallNumbers(Int(truncatingIfNeeded: positions[0]), count, known, result)
    }
    let (decimals, width) = (known.decimals, known.width)
    if !known.validity.isNone {
      var isOfOneForm = true
      let validity = withValidity(positions, count) { row, slot, place in
        isOfOneForm = isOfOneForm && slot.decimals == decimals && slot.width == width
        if isOfOneForm { result[row] = slot.values.bound(to: Number.self)[place] }
      }
      guard isOfOneForm else { return nil }
      return Moved(
        block: result.block, mayHaveNulls: true, digits: known.digits, validity: validity)
    }
    var masks = 0
    for row in 0..<count {
      let position = Int(truncatingIfNeeded: positions[row])
      let slot = directory[position &>> 17][(position &>> ColumnStore.pageShift) & 63]
      if slot.decimals != decimals || slot.width != width { return nil }
      result[row] = slot.values.bound(to: Number.self)[position & ColumnStore.pageMask]
      masks |= bit(!slot.validity.isNone)
    }
    return Moved(block: result.block, mayHaveNulls: masks != 0, digits: known.digits)
  }

  /// The whole numbers of rows that stand one behind another.
  private func runOfSmallNumbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ first: Int, _ count: Int, _ known: ColumnSlot, _ result: Buffer<Number>
  ) -> Moved? {
    var masks = 0
    var row = 0
    while row < count {
      let position = first &+ row
      let slot = directory[position &>> 17][(position &>> ColumnStore.pageShift) & 63]
      if slot.decimals != known.decimals || slot.width != known.width { return nil }
      let values = slot.values.bound(to: Number.self)
      let offset = position & ColumnStore.pageMask
      let length = min(ColumnPage.capacity &- offset, count &- row)
      for index in 0..<length { result[row &+ index] = values[offset &+ index] }
      masks |= bit(!slot.validity.isNone)
      row &+= length
    }
    return Moved(block: result.block, mayHaveNulls: masks != 0, digits: known.digits)
  }

  /// Small numbers of pages that have them in different widths; nil for others.
  private func mixedNumbers(
    _ positions: Buffer<UInt32>, _ count: Int, like known: ColumnSlot
  ) -> Moved? {
    let result = Buffer<Int64>(uninitialized: count)
    var masks = 0
    for row in 0..<count {
      let position = Int(truncatingIfNeeded: positions[row])
      let slot = directory[position &>> 17][(position &>> ColumnStore.pageShift) & 63]
      if slot.decimals != known.decimals { return nil }
      result[row] = slot.number(position & ColumnStore.pageMask)
      masks |= bit(!slot.validity.isNone)
    }
    return Moved(
      block: result.block, mayHaveNulls: masks != 0,
      digits: DecimalForm(scale: Int16(truncatingIfNeeded: known.decimals)))
  }

  private func move<Element: BitwiseCopyable>(
    _ positions: Buffer<UInt32>, _ count: Int, _ element: Element.Type
  ) -> Moved {
    let result = Buffer<Element>(uninitialized: count)
    if count > 0, !slot(of: positions[0]).validity.isNone, !positions.rise(count) {
      let validity = withValidity(positions, count) { row, slot, place in
        result[row] = slot.values.bound(to: Element.self)[place]
      }
      return Moved(block: result.block, mayHaveNulls: true, validity: validity)
    }
    let mayHaveNulls = move(positions, count, to: PagePointer(result))
    return Moved(block: result.block, mayHaveNulls: mayHaveNulls)
  }

  private func slot(of row: UInt32) -> ColumnSlot {
    let position = Int(truncatingIfNeeded: row)
    return directory[position &>> 17][(position &>> ColumnStore.pageShift) & 63]
  }

  /// Hands over the page of each row and the place on it, and says which values are there: most columns that have a NULL have one
  /// on every page, and pages are looked for once.
  @inline(__always)
  private func withValidity(
    _ positions: Buffer<UInt32>, _ count: Int,
    _ body: (_ row: Int, _ slot: ColumnSlot, _ place: Int) -> Void
  ) -> ValidityMask {
    let words = Buffer<UInt64>(uninitialized: max(1, ValidityMask.wordCount(count)))
    var start = 0
    while start < count {
      let end = min(count, start &+ 64)
      var word: UInt64 = 0
      for row in start..<end {
        let position = Int(truncatingIfNeeded: positions[row])
        let slot = directory[position &>> 17][(position &>> ColumnStore.pageShift) & 63]
        let place = position & ColumnStore.pageMask
        body(row, slot, place)
        var present: UInt64 = 1
        if !slot.validity.isNone {
          present = slot.validity[place &>> 6] &>> UInt64(truncatingIfNeeded: place & 63) & 1
        }
        word |= present &<< UInt64(truncatingIfNeeded: row &- start)
      }
      words[start &>> 6] = word
      start = end
    }
    return ValidityMask(words: words)
  }

  @inline(__always)
  private func move<Element: BitwiseCopyable>(
    _ positions: Buffer<UInt32>, _ count: Int, to target: PagePointer<Element>
  ) -> Bool {
    var masks = 0
    if positions.rise(count) {
      let first = Int(truncatingIfNeeded: positions[0])
      var row = 0
      while row < count {
        let position = first &+ row
        let slot = directory[position &>> 17][(position &>> ColumnStore.pageShift) & 63]
        let values = slot.values.bound(to: Element.self)
        let offset = position & ColumnStore.pageMask
        let length = min(ColumnPage.capacity &- offset, count &- row)
        for index in 0..<length { target.store(values[offset &+ index], at: row &+ index) }
        masks |= bit(!slot.validity.isNone)
        row &+= length
      }
      return masks != 0
    }
    for row in 0..<count {
      let position = Int(truncatingIfNeeded: positions[row])
      let slot = directory[position &>> 17][(position &>> ColumnStore.pageShift) & 63]
      target.store(
        slot.values.bound(to: Element.self)[position & ColumnStore.pageMask], at: row)
      masks |= bit(!slot.validity.isNone)
    }
    return masks != 0
  }
}

extension ColumnSlot {
  /// The form of small numbers.
  fileprivate var digits: DecimalForm {
    DecimalForm(
      scale: Int16(truncatingIfNeeded: decimals),
      width: DecimalForm.Width(rawValue: width) ?? .eight)
  }

  /// The whole number at a place of a page of small numbers.
  @inline(__always)
  fileprivate func number(_ place: Int) -> Int64 {
    switch width {
    case 2: Int64(values.bound(to: Int16.self)[place])
    case 4: Int64(values.bound(to: Int32.self)[place])
    default: values.bound(to: Int64.self)[place]
    }
  }
}

extension ColumnReader {
  /// Whether `write` may be used: exact numbers may stand in two forms.
  package var writes: Bool { !isNumeric }

  /// Writes the values at `positions` to a block, and says whether some page they come from has NULLs.
  ///
  /// - Precondition: the caller alone holds the block, which has room for them.
  /// - Complexity: O(*n*): three loads a row.
  package func write(_ positions: Buffer<UInt32>, count: Int, to block: MemoryBlock) -> Bool {
    assert(writes && count &* stride <= block.byteCount, "the block must have room for values")
    if !lazy.isNone { require(positions, count) }
    switch stride {
    case 1: return move(positions, count, to: PagePointer<UInt8>(block))
    case 2: return move(positions, count, to: PagePointer<UInt16>(block))
    case 4: return move(positions, count, to: PagePointer<UInt32>(block))
    case 8: return move(positions, count, to: PagePointer<UInt64>(block))
    default: return move(positions, count, to: PagePointer<SIMD2<UInt64>>(block))
    }
  }
}

extension Buffer<UInt32> {
  /// Shorter runs are not looked for.
  private static let runMin = 64

  /// Whether the first elements rise by one from each to the next, and are enough for that to matter.
  @inline(__always)
  func rise(_ count: Int) -> Bool {
    guard count >= Self.runMin,
      self[count &- 1] &- self[0] == UInt32(truncatingIfNeeded: count &- 1)
    else { return false }
    let first = self[0]
    var difference: UInt32 = 0
    for index in 0..<count {
      difference |= self[index] ^ (first &+ UInt32(truncatingIfNeeded: index))
    }
    return difference == 0
  }
}

extension ColumnStore {
  /// A reader of the column; nil for values that do not stand on their pages, as lists.
  package var reader: ColumnReader? {
    if type.physical == .list || type.physical == .record { return nil }
    switch stride {
    case 1, 2, 4, 8, 16, 24:
      return ColumnReader(
        stride: stride, isNumeric: type.physical == .numeric,
        directory: PagePointer(pages.directory), lazy: UncountedReference(pages.lazy))
    default: return nil
    }
  }
}

/// A key whose numbers rise by one from row to row: the value follows from the position, so that no
/// column need be read.
package struct SerialColumn: BitwiseCopyable, Sendable {
  /// The value of the row at position 0.
  let first: Int64
  let stride: Int

  /// The value at a position.
  @inline(__always)
  package func value(at position: UInt32) -> Int64 {
    first &+ Int64(truncatingIfNeeded: position)
  }

  /// The values at `positions`.
  ///
  /// - Complexity: O(*n*), without a load other than of the positions.
  package func values(_ positions: Buffer<UInt32>, count: Int) -> MemoryBlock {
    let block = MemoryBlock(byteCount: count &* stride)
    write(positions, count: count, to: block)
    return block
  }

  /// Writes the values at `positions` to a block.
  ///
  /// - Precondition: the caller alone holds the block, which has room for them.
  /// - Complexity: O(*n*), without a load other than of the positions.
  package func write(_ positions: Buffer<UInt32>, count: Int, to block: MemoryBlock) {
    assert(count &* stride <= block.byteCount, "the block must have room for the values")
    switch stride {
    case 2: add(positions, count, to: PagePointer<Int16>(block))
    case 4: add(positions, count, to: PagePointer<Int32>(block))
    default: add(positions, count, to: PagePointer<Int64>(block))
    }
  }

  @inline(__always)
  private func add<Element: FixedWidthInteger & BitwiseCopyable>(
    _ positions: Buffer<UInt32>, _ count: Int, to target: PagePointer<Element>
  ) {
    let first = Element(truncatingIfNeeded: first)
    for row in 0..<count {
      target.store(first &+ Element(truncatingIfNeeded: positions[row]), at: row)
    }
  }
}

extension TableStore {
  /// The column as a serial one, if all rows of this version make it such.
  package func serialColumn(_ index: Int) -> SerialColumn? {
    for key in keys where key.key.columns == [index] {
      guard let reader = key.numberReader, reader.serialCount >= UInt64(rowCount) else { continue }
      if types[index].physical == .int16 || types[index].physical == .int32
        || types[index].physical == .int64
      {
        let first = reader.base &+ Int64(truncatingIfNeeded: reader.serialStart)
        return SerialColumn(first: first, stride: types[index].physical.stride)
      }
      continue
    }
    return nil
  }
}
