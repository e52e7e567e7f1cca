import Diagnostics

/// The loops of functions over texts.
enum TextLoop {
  /// The most bytes of one text that a function makes.
  static let byteCountMax = 1 << 28

  /// After so many bytes it is looked whether the statement has to end, or to hold less.
  private static let lookByteCount = 1 << 18

  /// Which rows a loop begins with a look whether the statement has to end: all of them where some text is long, or a list of texts
  /// may be.
  private static func lookMask(_ arguments: [Vector], _ count: Int) -> Int {
    for argument in arguments where argument.heaps.contains(where: { $0.byteCount > lookByteCount })
    {
      guard argument.type.physical == .text else { return 0 }
      let views = argument.values(TextView.self)
      let validity = argument.validity
      var longest = 0
      for row in 0..<(argument.form == .constant ? min(count, 1) : count) {
        let place = argument.position(row)
        if validity.isValid(place) { longest = max(longest, views[place].count) }
      }
      if longest > lookByteCount / 64 { return 0 }
    }
    return 63
  }

  /// Builds one text for each row of which every argument is present.
  ///
  /// `body` appends to an empty builder; it is not asked where `inline` has the whole text.
  @inline(__always)
  static func build(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType = .text,
    inline: (_ row: Int) -> TextView? = { _ in nil },
    _ body: (_ row: Int, _ output: inout ByteBuilder) throws(SQLError) -> Void
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(type, count: count) }
    return try build(count, type, RowLoop.validity(arguments, count), inline: inline, body)
  }

  /// Builds one text for each row that `validity` has.
  @inline(__always)
  static func build(
    _ count: Int, _ type: LogicalType, _ validity: ValidityMask,
    inline: (_ row: Int) -> TextView? = { _ in nil },
    _ body: (_ row: Int, _ output: inout ByteBuilder) throws(SQLError) -> Void
  ) throws(SQLError) -> Vector {
    let views = Buffer<TextView>(zeroed: count)
    let heap = TextHeap()
    var output = ByteBuilder()
    var nextLook = lookByteCount
    for row in 0..<count where validity.isValid(row) {
      if let view = inline(row) {
        views[row] = view
        continue
      }
      output.removeAll()
      try body(row, &output)
      views[row] = heap.append(output.bytes)
      if heap.byteCount >= nextLook {
        try heap.count()
        nextLook = heap.byteCount + lookByteCount
      }
    }
    return Vector(type, views, count: count, validity: validity, heaps: [heap])
  }

  /// Builds one text for each text of the only argument, of as many characters; `words` does so for eight ASCII characters at once,
  /// some of which may be zeros behind the end.
  @inline(__always)
  static func map(
    _ arguments: [Vector], _ count: Int, words: (UInt64) -> UInt64,
    _ body: (_ text: TextBytes, _ output: inout ByteBuilder) throws(SQLError) -> Void
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(.text, count: count) }
    let texts = Operand(arguments[0])
    return try build(
      arguments, count, inline: { texts[$0].isInlineASCII ? texts[$0].mapped(words) : nil }
    ) { (row, output) throws(SQLError) in try body(texts.bytes(row), &output) }
  }

  /// Takes a stretch of the first argument for each row; no byte is copied.
  @inline(__always)
  static func slice(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType = .text,
    _ body: (_ text: TextBytes, _ row: Int) throws(SQLError) -> Range<Int>
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(type, count: count) }
    let validity = RowLoop.validity(arguments, count)
    let source = Operand(arguments[0])
    let mask = lookMask(arguments, count)
    let views = Buffer<TextView>(zeroed: count)
    for row in 0..<count where validity.isValid(row) {
      if row & mask == 0 { try RunningStatement.check() }
      let bytes = source.bytes(row)
      let range = try body(bytes, row)
      let view = source[row]
      views[row] = view.isInline ? view.part(range) : TextView(referring: bytes.slice(range))
    }
    return Vector(type, views, count: count, validity: validity, heaps: arguments[0].heaps)
  }

  /// One fixed-size value for each row of which every argument is present.
  @inline(__always)
  static func compute<Result: BitwiseCopyable>(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType,
    _ body: (_ row: Int) throws(SQLError) -> Result
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(type, count: count) }
    let validity = RowLoop.validity(arguments, count)
    let mask = lookMask(arguments, count)
    let result = Buffer<Result>(zeroed: count)
    for row in 0..<count where validity.isValid(row) {
      if row & mask == 0 { try RunningStatement.check() }
      result[row] = try body(row)
    }
    return Vector(type, result, count: count, validity: validity)
  }

  /// Looks now and then, in a loop within long texts, whether the statement has to end.
  struct Pace {
    private var steps: UInt32 = 0

    /// Goes one step on.
    ///
    /// - Throws: 57014, 53200.
    @inline(__always)
    mutating func step() throws(SQLError) {
      steps &+= 1
      if steps & 0xFFFF == 0 { try RunningStatement.check() }
    }
  }

  /// The error of a text that would be too long.
  static let tooLong = SQLError(.programLimitExceeded, "requested length too large")
}

/// Characters of UTF-8 text, counted and found without decoding.
extension TextBytes {
  /// The number of characters.
  ///
  /// - Complexity: O(*n*), eight bytes a step.
  package var characterCount: Int {
    var continuation = 0
    var index = 0
    while index &+ 8 <= count {
      continuation &+= Self.continuationCount(word(at: index))
      index &+= 8
    }
    if count >= 8 {
      // The last word once more, without the bytes that were counted.
      let word = word(at: count &- 8) >> UInt64(truncatingIfNeeded: 8 &* (index &+ 8 &- count))
      continuation &+= Self.continuationCount(word)
    } else {
      while index < count {
        continuation &+= bit(self[index] & 0xC0 == 0x80)
        index &+= 1
      }
    }
    return count &- continuation
  }

  /// The number of continuation bytes, whose top bit is set and the next one clear.
  ///
  /// They are added up by a product: counting bits takes longer without an instruction for it.
  @inline(__always)
  private static func continuationCount(_ word: UInt64) -> Int {
    let flags = (word & ~(word &<< 1) & 0x8080_8080_8080_8080) &>> 7
    return Int(truncatingIfNeeded: (flags &* 0x0101_0101_0101_0101) &>> 56)
  }

  /// Whether every byte is ASCII.
  package var isASCII: Bool {
    var index = 0
    while index &+ 8 <= count {
      if word(at: index) & 0x8080_8080_8080_8080 != 0 { return false }
      index &+= 8
    }
    while index < count {
      if self[index] >= 0x80 { return false }
      index &+= 1
    }
    return true
  }

  /// The offset of the byte `characters` characters after `start`, or the end.
  package func offset(of characters: Int, from start: Int = 0) -> Int {
    var index = start
    var left = characters
    while left > 0 && index < count {
      index &+= Self.sequenceLength(self[index])
      left &-= 1
    }
    return min(index, count)
  }

  /// The bytes of the character that begins with `lead`.
  @inline(__always)
  package static func sequenceLength(_ lead: UInt8) -> Int {
    if lead < 0x80 { return 1 }
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
  }

  /// The code point at `index` and its length in bytes.
  @inline(__always)
  package func codePoint(at index: Int) -> (value: UInt32, length: Int) {
    let lead = self[index]
    if lead < 0x80 { return (UInt32(lead), 1) }
    let length = min(Self.sequenceLength(lead), count &- index)
    var value = UInt32(lead) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
    var place = 1
    while place < length {
      value = value &<< 6 | UInt32(self[index &+ place] & 0x3F)
      place &+= 1
    }
    return (value, length)
  }
}

extension ByteBuilder {
  /// Adds a code point in UTF-8.
  package mutating func append(codePoint value: UInt32) {
    if value < 0x80 {
      append(UInt8(truncatingIfNeeded: value))
    } else if value < 0x800 {
      append(UInt8(truncatingIfNeeded: 0xC0 | value &>> 6))
      append(UInt8(truncatingIfNeeded: 0x80 | value & 0x3F))
    } else if value < 0x10000 {
      append(UInt8(truncatingIfNeeded: 0xE0 | value &>> 12))
      append(UInt8(truncatingIfNeeded: 0x80 | value &>> 6 & 0x3F))
      append(UInt8(truncatingIfNeeded: 0x80 | value & 0x3F))
    } else {
      append(UInt8(truncatingIfNeeded: 0xF0 | value &>> 18))
      append(UInt8(truncatingIfNeeded: 0x80 | value &>> 12 & 0x3F))
      append(UInt8(truncatingIfNeeded: 0x80 | value &>> 6 & 0x3F))
      append(UInt8(truncatingIfNeeded: 0x80 | value & 0x3F))
    }
  }
}
