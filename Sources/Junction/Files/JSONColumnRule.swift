import Columnar
import DelimitedText
import Diagnostics

/// What was seen of a column's values, and the type that it makes likely.
struct JSONColumnGuess: Sendable {
  /// The kinds of all values.
  private(set) var kinds: Set<JSONKind>
  /// Values that the type is guessed from.
  private(set) var samples: [String]
  private(set) var type: LogicalType = .text

  /// So many values are looked at first.
  static let sampleCount = 1000
  /// What texts are looked at for: a number in quotes is a text on purpose.
  static let textTypes: [LogicalType] = [.date, .timestamp, .timestamptz, .time, .uuid]

  init(_ kinds: Set<JSONKind>, _ samples: [String], _ inference: SchemaInference) {
    self.kinds = kinds
    self.samples = samples
    guess(inference)
  }

  private mutating func guess(_ inference: SchemaInference) {
    if kinds.contains(.object) || kinds.contains(.array) {
      type = .jsonb
    } else if kinds.count != 1 {
      type = .text
    } else if kinds.contains(.boolean) {
      type = .boolean
    } else {
      let guessed = inference.guessType(of: samples)
      if kinds.contains(.number) {
        type = guessed.isNumeric ? guessed : .numeric
      } else {
        type = Self.textTypes.contains(guessed) ? guessed : .text
      }
    }
  }

  /// Looks at further kinds and values.
  mutating func take(
    _ further: Set<JSONKind>, _ values: [String], _ inference: SchemaInference
  ) {
    kinds.formUnion(further)
    samples += values.prefix(max(0, Self.sampleCount - samples.count))
    guess(inference)
  }

  /// Looks at values among which is one that is none of the type.
  mutating func widen(for values: [String], _ inference: SchemaInference) {
    let before = type
    samples += values
    guess(inference)
    // What disproves a guess and yet allows it again would be met for ever.
    if type == before { type = .text }
  }

  /// A value as a sample: a string without its quotes.
  static func sample(_ text: TextBytes) -> String {
    let text = text.string
    return text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
  }
}

/// How the values of a column of JSON become a vector.
struct JSONColumnRule: Sendable {
  private let type: LogicalType
  private let kernel: ScalarKernel?
  /// Whether a text has to be spelled as plainly as its type allows.
  private let isGuessed: Bool

  /// - Throws: what finding the cast throws.
  init(_ type: LogicalType) throws(SQLError) {
    self.type = type
    kernel = type == .text ? nil : try castKernel(from: .text, to: ColumnType(type))
    isGuessed = JSONColumnGuess.textTypes.contains(type)
  }

  /// The values of some rows, of which `value` gives the text, nil for NULL; nil if one of them is none of the type.
  ///
  /// - Throws: 22P02 and 22P05 for what no text holds; 53200, 57014.
  @inline(__always)
  func vector(
    _ count: Int, _ context: EvaluationContext, _ value: (Int) -> TextBytes?
  ) throws(SQLError) -> Vector? {
    switch type {
    case .smallint: return integers(count, as: Int16.self, value)
    case .integer: return integers(count, as: Int32.self, value)
    case .bigint: return integers(count, as: Int64.self, value)
    case .boolean, .real, .double, .numeric, .text, .varchar, .character, .name, .bytea, .date,
      .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .oid, .json,
      .jsonb, .array, .record, .enumeration, .unknown, .void:
      guard let texts = try texts(count, value) else { return nil }
      guard let kernel else { return texts }
      do throws(SQLError) {
        return try kernel([texts], count, context).flattened()
      } catch {
        if error.state == .queryCanceled || error.state == .outOfMemory { throw error }
        return nil
      }
    }
  }

  @inline(__always)
  private func integers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ count: Int, as _: Number.Type, _ value: (Int) -> TextBytes?
  ) -> Vector? {
    let numbers = Buffer<Number>(uninitialized: count)
    var validity = ValidityMask.allValid
    for row in 0..<count {
      guard let text = value(row) else {
        numbers[row] = 0
        validity.setNull(row, count: count)
        continue
      }
      guard let number = NumberText.parseInteger(text).flatMap(Number.init(exactly:)) else {
        return nil
      }
      numbers[row] = number
    }
    return Vector(type, numbers, count: count, validity: validity)
  }

  /// The texts that values are made of: strings without their quotes, unless the column keeps JSON.
  @inline(__always)
  private func texts(
    _ count: Int, _ value: (Int) -> TextBytes?
  ) throws(SQLError) -> Vector? {
    let views = Buffer<TextView>(uninitialized: count)
    var validity = ValidityMask.allValid
    // What a cast only reads stays where it is.
    let isKept = type.physical == .text
    let heap = TextHeap()
    var decoded = ByteBuilder()
    for row in 0..<count {
      guard var text = value(row) else {
        views[row] = TextView()
        validity.setNull(row, count: count)
        continue
      }
      var isDecoded = false
      if type != .jsonb && text[0] == UInt8(ascii: "\"") {
        if text.firstIndex(of: UInt8(ascii: "\\")) != nil {
          decoded.removeAll()
          try JSONText.decodeString(text, to: &decoded)
          text = decoded.bytes
          isDecoded = true
        } else {
          text = text.slice(1..<(text.count - 1))
        }
      }
      if isGuessed && !PlainSpelling.fits(text, type) { return nil }
      views[row] = isKept || isDecoded ? heap.append(text) : TextView(referring: text)
    }
    return Vector(.text, views, count: count, validity: validity, heaps: [heap])
  }
}
