import Codecs
import Columnar
import Diagnostics

/// Encodes a column of one row group into pages, which wait until the row group ends.
///
/// One thread at a time uses an encoder.
final class ColumnEncoder {
  /// Bytes of a chunk, in pieces.
  struct Piece {
    let bytes: Buffer<UInt8>
    let count: Int
  }

  let column: WrittenColumn
  private let lanes: LaneBuilder
  private let isSnappy: Bool
  private var levels: LevelWriter
  /// The values of the page in hand, by PLAIN; booleans a byte each.
  private var plain = ByteBuilder(capacity: 1 << 12)
  /// The values of the page in hand by their numbers in the dictionary.
  private var codes = Buffer<UInt32>(uninitialized: 1 << 10)
  private var codeCount = 0
  private var dictionary: DictionaryEncoder?
  private var isCoding: Bool
  private var hasCodedPages = false
  private var hasPlainPages = false
  private var pieces: [Piece] = []
  /// The bytes of the pages that are done.
  private(set) var byteCount = 0
  private var unpackedByteCount = 0
  private var valueCount = 0
  private var nullCount = 0
  private var bounds: BoundsTracker

  /// The values of a page take no more, unless one alone does.
  private static let pageSize = 1 << 20
  /// A page has no more entries.
  private static let entriesMax = 1 << 17

  init(_ column: WrittenColumn, _ options: ParquetWriter.Options) {
    self.column = column
    lanes = LaneBuilder(form: column.form, name: column.name)
    isSnappy = options.isSnappy
    levels = LevelWriter(column.levels)
    dictionary = options.makesDictionaries ? DictionaryEncoder(column.form.lane) : nil
    isCoding = dictionary != nil
    bounds = BoundsTracker(column.form)
  }

  /// The bytes of the row group so far.
  var heldByteCount: Int { byteCount + plain.count + codeCount * 2 }

  // MARK: Values

  /// Adds rows.
  ///
  /// - Parameters:
  ///   - vector: A flat vector.
  ///   - row: The number of its first row, for messages.
  /// - Throws: 23502 for a NULL where none may be; 22003, 22008 for values that cannot be written.
  func append(_ vector: Vector, row: Int) throws(SQLError) {
    let missing = vector.validity.nullCount(vector.count)
    let values: Vector
    switch column.levels {
    case .required: values = vector
    case .optional: values = vector
    case .list: values = Self.elements(of: vector)
    }
    if missing > 0, !column.isNullable {
      throw SQLError(
        .notNullViolation,
        "column \"\(column.name)\" of a parquet file was declared without NULLs and has one",
        hint: "Declare the column as one that may have NULLs.")
    }
    let absent = values.validity.nullCount(values.count)
    let lane = try lanes.lane(values, present: values.count - absent, row: row)
    if isCoding {
      code(lane)
      if isCoding {
        note(vector, values, absent)
        return
      }
    }
    let size = Self.size(of: lane, column.form.lane)
    if size > Self.pageSize && vector.count > 1 {
      let half = vector.count / 2
      try append(vector.slice(from: 0, count: half).compactFlattened(), row: row)
      try append(
        vector.slice(from: half, count: vector.count - half).compactFlattened(), row: row + half)
      return
    }
    if plain.count + size > Self.pageSize { closePage() }
    appendPlain(lane, size)
    bounds.add(lane)
    note(vector, values, absent)
  }

  /// Counts rows whose values were taken.
  private func note(_ vector: Vector, _ values: Vector, _ absent: Int) {
    if case .list = column.levels {
      let before = levels.count
      levels.append(lists: vector, elements: values)
      valueCount += levels.count - before
      nullCount += levels.count - before - (values.count - absent)
    } else {
      levels.append(vector.validity, count: vector.count)
      valueCount += vector.count
      nullCount += absent
    }
    if levels.count >= Self.entriesMax { closePage() }
  }

  /// The elements of lists, in the order of the lists, flat.
  private static func elements(of lists: Vector) -> Vector {
    let slices = lists.values(ListSlice.self)
    var total = 0
    for row in 0..<lists.count where lists.validity.isValid(row) {
      total += Int(slices[row].count)
    }
    let positions = Buffer<UInt32>(uninitialized: max(total, 1))
    var next = 0
    for row in 0..<lists.count where lists.validity.isValid(row) {
      for index in 0..<slices[row].count {
        positions[next] = slices[row].offset &+ index
        next += 1
      }
    }
    return lists.children[0].gathered(positions, count: total).compactFlattened()
  }

  /// Takes values by their numbers in the dictionary, or gives it up.
  private func code(_ lane: ValueLane) {
    if codeCount + lane.count > codes.count {
      let grown = Buffer<UInt32>(uninitialized: max(codes.count * 2, codeCount + lane.count))
      grown.copy(codes, count: codeCount, to: 0)
      codes = grown
    }
    let fits = dictionary?.encode(lane, into: codes, at: codeCount) ?? false
    let isPoor = (dictionary?.isPoor ?? true) && !hasCodedPages
    if fits && !isPoor {
      codeCount += lane.count
      return
    }
    // The values at hand, and all behind them, are written out.
    if isPoor, let values = dictionary?.values {
      // Nothing refers to the dictionary yet: what the page has is written out as well.
      let written = written(values, codes, codeCount)
      appendPlain(written, Self.size(of: written, column.form.lane))
      bounds.add(written)
      codeCount = 0
      dictionary = nil
    } else {
      closePage()
    }
    isCoding = false
  }

  /// The values that numbers stand for.
  private func written(
    _ values: ValueLane, _ codes: Buffer<UInt32>, _ count: Int
  ) -> ValueLane {
    let block: MemoryBlock
    switch column.form.lane {
    case .word32: block = Self.gather(values.buffer(of: UInt32.self), codes, count)
    case .word64: block = Self.gather(values.buffer(of: UInt64.self), codes, count)
    case .bits, .wide, .views: block = Self.gather(values.buffer(of: TextView.self), codes, count)
    }
    return ValueLane(count: count, block: block, keeper: values.keeper)
  }

  private static func gather<Element: BitwiseCopyable>(
    _ values: Buffer<Element>, _ codes: Buffer<UInt32>, _ count: Int
  ) -> MemoryBlock {
    let target = Buffer<Element>(uninitialized: max(count, 1))
    for index in 0..<count { target[index] = values[codes[index]] }
    return target.block
  }

  /// The bytes of values by PLAIN.
  private static func size(of values: ValueLane, _ lane: WrittenForm.Lane) -> Int {
    switch lane {
    case .bits: return values.count
    case .word32: return values.count * 4
    case .word64: return values.count * 8
    case .wide: return values.count * 16
    case .views:
      let views = values.buffer(of: TextView.self)
      var size = values.count * 4
      for row in 0..<values.count { size &+= views[row].count }
      return size
    }
  }

  private func appendPlain(_ values: ValueLane, _ size: Int) {
    plain.reserve(size + 16)
    Self.write(values, column.form.lane, to: plain.buffer, at: plain.count)
    plain.advance(by: size)
  }

  /// Writes values by PLAIN to a target that has room, and 16 bytes behind them.
  private static func write(
    _ values: ValueLane, _ lane: WrittenForm.Lane, to target: Buffer<UInt8>, at start: Int
  ) {
    switch lane {
    case .bits: target.copyBytes(of: values.buffer(of: UInt8.self), count: values.count, to: start)
    case .word32:
      target.copyBytes(of: values.buffer(of: UInt32.self), count: values.count, to: start)
    case .word64:
      target.copyBytes(of: values.buffer(of: UInt64.self), count: values.count, to: start)
    case .wide:
      target.copyBytes(of: values.buffer(of: SIMD2<UInt64>.self), count: values.count, to: start)
    case .views:
      let views = values.buffer(of: TextView.self)
      var out = start
      for row in 0..<values.count {
        let view = views[row]
        // The length, and the first bytes behind it as the view has them; a longer text is copied over these.
        target.store(word: view.headWord, at: out)
        if view.isInline {
          target.store(word: view.tailWord, at: out &+ 8)
        } else {
          target.copy(view.longBytes, to: out &+ 4)
        }
        out &+= 4 &+ view.count
      }
    }
  }

  // MARK: Pages

  private func closePage() {
    if levels.count == 0 { return }
    var head = ByteBuilder(capacity: 64)
    levels.append(to: &head)
    var values = plain
    if isCoding {
      let width = HybridEncoder.width(of: max(0, (dictionary?.count ?? 1) - 1))
      values = ByteBuilder(capacity: codeCount * 2 + 64)
      values.append(UInt8(width))
      HybridEncoder.append(codes, count: codeCount, width: width, to: &values)
      hasCodedPages = true
      codeCount = 0
    } else {
      if case .bits = column.form.lane { values = Self.packed(plain) }
      hasPlainPages = true
      plain = ByteBuilder(capacity: Self.pageSize + 64)
    }
    let encoding = isCoding ? Encoding.rleDictionary : .plain
    let entries = levels.count
    add(head, values) { header in
      header.structure(5) { header in
        header.int32(1, entries)
        header.int32(2, encoding.rawValue)
        header.int32(3, Encoding.rle.rawValue)
        header.int32(4, Encoding.rle.rawValue)
      }
    }
    levels.removeAll()
  }

  /// Booleans as bits.
  private static func packed(_ bytes: ByteBuilder) -> ByteBuilder {
    let count = (bytes.count + 7) / 8
    var packed = ByteBuilder(capacity: count + 8)
    for index in 0..<count {
      var byte: UInt8 = 0
      for place in (index * 8)..<min(index * 8 + 8, bytes.count) {
        byte |= bytes.buffer[place] << UInt8(place & 7)
      }
      packed.append(byte)
    }
    return packed
  }

  /// Adds a page of two parts behind the others.
  private func add(
    _ head: ByteBuilder, _ body: ByteBuilder, isFirst: Bool = false,
    _ header: (inout CompactWriter) -> Void
  ) {
    var parts = [head, body].filter { $0.count > 0 }.map {
      Piece(bytes: $0.buffer, count: $0.count)
    }
    let size = head.count + body.count
    var packedSize = size
    if isSnappy {
      let whole = Buffer<UInt8>(uninitialized: size + FileBytes.slack, pages: .small)
      whole.copy(head.buffer, count: head.count, to: 0)
      whole.copy(body.buffer, count: body.count, to: head.count)
      whole.zero(size..<whole.count)
      let packed = Snappy.pack(whole, count: size)
      packedSize = packed.count
      // What is kept until the row group ends has no room of no use behind it.
      let exact = Buffer<UInt8>(uninitialized: packed.count)
      exact.copy(packed.bytes, count: packed.count, to: 0)
      parts = [Piece(bytes: exact, count: packed.count)]
    }
    var writer = CompactWriter()
    writer.structure { writer in
      writer.int32(1, (isFirst ? PageHeader.Kind.dictionary : .data).rawValue)
      writer.int32(2, size)
      writer.int32(3, packedSize)
      header(&writer)
    }
    let page = [Piece(bytes: Buffer(writer.bytes), count: writer.bytes.count)] + parts
    pieces.insert(contentsOf: page, at: isFirst ? 0 : pieces.count)
    byteCount += writer.bytes.count + packedSize
    unpackedByteCount += writer.bytes.count + size
  }

  // MARK: Chunks

  /// Ends the column chunk, which will stand in the file from `offset` on.
  func finish(at offset: Int) -> (pieces: [Piece], chunk: WrittenChunk) {
    closePage()
    var chunk = WrittenChunk(column: column, offset: offset)
    if hasCodedPages, let values = dictionary?.values {
      let size = Self.size(of: values, column.form.lane)
      var body = ByteBuilder(capacity: size + 16)
      Self.write(values, column.form.lane, to: body.buffer, at: 0)
      body.advance(by: size)
      let before = byteCount
      add(ByteBuilder(capacity: 0), body, isFirst: true) { header in
        header.structure(7) { header in
          header.int32(1, values.count)
          header.int32(2, Encoding.plain.rawValue)
        }
      }
      chunk.dictionarySize = byteCount - before
      bounds.add(values)
    }
    chunk.encodings = [.rle] + (hasPlainPages || hasCodedPages ? [.plain] : [])
    if hasCodedPages { chunk.encodings.append(.rleDictionary) }
    chunk.compression = isSnappy ? .snappy : .uncompressed
    chunk.valueCount = valueCount
    chunk.nullCount = nullCount
    chunk.packedByteCount = byteCount
    chunk.unpackedByteCount = unpackedByteCount
    chunk.bounds = bounds.stored
    return (pieces, chunk)
  }
}
