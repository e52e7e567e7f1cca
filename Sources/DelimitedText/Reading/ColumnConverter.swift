package import Columnar
package import Diagnostics

/// How the fields of one column become values.
package struct ColumnRule: Sendable {
  /// The column's name, for messages.
  package let name: String
  package let type: LogicalType
  /// Makes values of texts; nil where the type is a whole number or takes any text as it is.
  package let kernel: ScalarKernel?
  /// Which spellings of NULL mean NULL; mostly those without quotes.
  package let nulls: NullSpelling
  /// Whether the type is a guess, which a value disproves that is not spelled as plainly as possible.
  package let isGuessed: Bool
  /// How values are spelled, if not as SQL spells them; the kernel then reads what they mean.
  package let spelling: FieldSpelling?

  /// How the format's spelling of NULL is read.
  package struct NullSpelling: Sendable {
    /// FORCE_NULL: also in quotes.
    package var countsInQuotes = false
    /// FORCE_NOT_NULL: not without quotes.
    package var countsPlain = true

    package init() {}
  }

  package init(
    name: String, type: LogicalType, kernel: ScalarKernel?, nulls: NullSpelling = NullSpelling(),
    isGuessed: Bool = false, spelling: FieldSpelling? = nil
  ) {
    self.isGuessed = isGuessed
    self.spelling = spelling
    self.name = name
    self.type = type
    self.kernel = kernel
    self.nulls = nulls
  }
}

/// A field that does not hold a value of its column's type.
package struct FieldFault: Sendable {
  package let row: Int
  /// The column; nil if the record as a whole is at fault.
  package let column: Int?
  package let error: SQLError

  /// Whether, of two faults of a record, this is the one to tell: that of the first column.
  func precedes(_ other: FieldFault) -> Bool { (column ?? .max) < (other.column ?? .max) }
}

/// Turns fields of a scanned block into vectors, a column and up to 2,048 rows at a time.
package struct ColumnConverter {
  let scanner: RecordScanner
  let block: TextBlock
  let context: EvaluationContext

  package init(scanner: RecordScanner, block: TextBlock, context: EvaluationContext) {
    self.scanner = scanner
    self.block = block
    self.context = context
  }

  /// The values of file column `column` in `rows`; faulty ones are NULL and noted in `faults`.
  ///
  /// - Throws: only what is no fault of a field, such as cancellation.
  package func convert(
    _ column: Int, rows: Range<Int>, by rule: ColumnRule, faults: inout [FieldFault]
  ) throws(SQLError) -> Vector {
    if let spelling = rule.spelling {
      try respelled(column, rows, rule, spelling, &faults)
    } else if case .smallint = rule.type {
      integers(column, rows, rule, as: Int16.self, &faults)
    } else if case .integer = rule.type {
      integers(column, rows, rule, as: Int32.self, &faults)
    } else if case .bigint = rule.type {
      integers(column, rows, rule, as: Int64.self, &faults)
    } else {
      try texts(column, rows, rule, &faults)
    }
  }

  /// Whether a field means NULL: mostly not quoted, and spelled as the format says.
  @inline(__always)
  private func isNull(_ index: Int, _ nulls: ColumnRule.NullSpelling) -> Bool {
    let end = scanner.ends[index]
    let isQuoted = end & RecordScanner.quotedBit != 0
    guard isQuoted ? nulls.countsInQuotes : nulls.countsPlain else { return false }
    let start = Int(truncatingIfNeeded: scanner.starts[index])
    let length = Int(truncatingIfNeeded: end & ~RecordScanner.quotedBit) &- start
    let null = scanner.format.null
    if length != null.count { return false }
    for offset in 0..<length where block.bytes[start &+ offset] != null[offset] { return false }
    return true
  }

  /// The bytes of a field.
  private func field(_ index: Int) -> TextBytes {
    let start = Int(scanner.starts[index])
    let end = Int(scanner.ends[index] & ~RecordScanner.quotedBit)
    return block.bytes.bytes(start..<end)
  }

  private func integers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ column: Int, _ rows: Range<Int>, _ rule: ColumnRule, as type: Number.Type,
    _ faults: inout [FieldFault]
  ) -> Vector {
    let values = Buffer<Number>(uninitialized: rows.count)
    var validity = ValidityMask.allValid
    let words = block.bytes.bytes(0..<(block.count + TextBlock.padding))
    let starts = scanner.starts
    let ends = scanner.ends
    let width = scanner.width
    let isGuessed = rule.isGuessed
    var index = rows.lowerBound &* width &+ column
    for row in 0..<rows.count {
      let start = Int(truncatingIfNeeded: starts[index])
      let length =
        Int(truncatingIfNeeded: ends[index] & ~RecordScanner.quotedBit) &- start
      let number = DigitParsing.short(words, at: start, count: length)
      // A code such as 007 is no number unless somebody has said so.
      let isCode = isGuessed && length > 1 && words[start] == UInt8(ascii: "0")
      if number >= 0, !isCode, let fitting = Number(exactly: number) {
        values[row] = fitting
      } else {
        values[row] = 0
        if isNull(index, rule.nulls) {
          validity.setNull(row, count: rows.count)
        } else if !isGuessed || PlainSpelling.fits(field(index), rule.type),
          let number = NumberText.parseSpacedInteger(field(index)).flatMap(Number.init(exactly:))
        {
          values[row] = number
        } else {
          validity.setNull(row, count: rows.count)
          faults.append(
            FieldFault(
              row: rows.lowerBound + row, column: column,
              error: NumberText.integerError(
                field(index), rule.type.name, bitWidth: Number.bitWidth)))
        }
      }
      index &+= width
    }
    return Vector(rule.type, values, count: rows.count, validity: validity)
  }

  private func texts(
    _ column: Int, _ rows: Range<Int>, _ rule: ColumnRule, _ faults: inout [FieldFault]
  ) throws(SQLError) -> Vector {
    // Texts that a kernel only reads stay where they are; texts that are kept are copied.
    let keepsText = rule.type.physical == .text
    var validity = ValidityMask.allValid
    let views = Buffer<TextView>(uninitialized: rows.count)
    var long = 0
    for row in 0..<rows.count {
      let index = (rows.lowerBound &+ row) &* scanner.width &+ column
      let bytes = field(index)
      if bytes.count > TextView.inlineCapacity { long &+= bytes.count }
    }
    let heap = TextHeap(capacity: keepsText ? long : 0)
    for row in 0..<rows.count {
      let index = (rows.lowerBound &+ row) &* scanner.width &+ column
      if isNull(index, rule.nulls) {
        validity.setNull(row, count: rows.count)
        views[row] = TextView()
      } else {
        let bytes = field(index)
        if rule.isGuessed && !PlainSpelling.fits(bytes, rule.type) {
          faults.append(disproof(of: rule, by: bytes, row: rows.lowerBound + row, column))
          validity.setNull(row, count: rows.count)
          views[row] = TextView()
          continue
        }
        views[row] = keepsText ? heap.append(bytes) : TextView(referring: bytes)
      }
    }
    let source = Vector(
      rule.kernel == nil ? rule.type : .text, views, count: rows.count, validity: validity,
      heaps: keepsText ? [heap] : [])
    guard let kernel = rule.kernel else { return source }
    do {
      return try kernel([source], rows.count, context)
    } catch {
      return try oneByOne(source, kernel, column, rows, rule, &faults)
    }
  }

  /// Values that are spelled as SQL does not spell them.
  private func respelled(
    _ column: Int, _ rows: Range<Int>, _ rule: ColumnRule, _ spelling: FieldSpelling,
    _ faults: inout [FieldFault]
  ) throws(SQLError) -> Vector {
    var builder = VectorBuilder(.text, capacity: rows.count)
    var value = ByteBuilder()
    for row in rows {
      let index = row &* scanner.width &+ column
      let bytes = field(index)
      value.removeAll()
      let reading = isNull(index, rule.nulls) ? .null : spelling.read(bytes, to: &value)
      if reading == .value, !rule.isGuessed || PlainSpelling.fits(value.bytes, rule.type) {
        builder.append(value.bytes)
        continue
      }
      if reading != .null { faults.append(disproof(of: rule, by: bytes, row: row, column)) }
      builder.appendNull()
    }
    let source = builder.finish()
    guard let kernel = rule.kernel else { return source }
    do {
      return try kernel([source], rows.count, context)
    } catch {
      return try oneByOne(source, kernel, column, rows, rule, &faults)
    }
  }

  private func disproof(
    of rule: ColumnRule, by bytes: TextBytes, row: Int, _ column: Int
  ) -> FieldFault {
    FieldFault(
      row: row, column: column,
      error: SQLError(
        .invalidTextRepresentation,
        "\"\(bytes.string)\" is not spelled like a value of type \(rule.type.name)"))
  }

  /// Converts each field by itself, to find those that fail.
  private func oneByOne(
    _ source: Vector, _ kernel: ScalarKernel, _ column: Int, _ rows: Range<Int>,
    _ rule: ColumnRule, _ faults: inout [FieldFault]
  ) throws(SQLError) -> Vector {
    try context.checkCancellation()
    var builder = VectorBuilder(rule.type, capacity: rows.count)
    for row in 0..<rows.count {
      do {
        builder.append(try kernel([source.slice(from: row, count: 1).flattened()], 1, context))
      } catch {
        builder.appendNull()
        faults.append(FieldFault(row: rows.lowerBound + row, column: column, error: error))
      }
    }
    return builder.finish()
  }
}

/// Reads the short whole numbers that most columns are full of; `NumberText` reads all others.
enum DigitParsing {
  /// The number that 1 to 8 digits spell; -1 for anything else.
  ///
  /// Eight bytes are looked at together; those behind the field are shifted out.
  @inline(__always)
  static func short(_ bytes: TextBytes, at start: Int, count: Int) -> Int {
    if count &- 1 > 7 || count < 1 { return -1 }
    let shift = UInt64(truncatingIfNeeded: (8 &- count) &<< 3)
    let zeros: UInt64 = 0x3030_3030_3030_3030
    // Digits stand in the high bytes; the low ones become leading zeros.
    var word = bytes.word(at: start) &<< shift
    word |= zeros & ~(UInt64.max &<< shift)
    let low = word & 0xF0F0_F0F0_F0F0_F0F0
    let high = (word &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0
    if (low | high &>> 4) != 0x3333_3333_3333_3333 { return -1 }
    return Int(truncatingIfNeeded: NumberText.eightDigits(word))
  }
}
