package import Diagnostics

/// The operators and functions of regular expressions.
package enum RegexFunctions {
  /// Keeps the matcher of the last pattern, which mostly is the next one's too.
  struct Cache {
    private var pattern: TextView?
    private var flags: TextView?
    private var matcher: RegexMatcher?
    private(set) var isGlobal = false

    mutating func matcher(
      _ patterns: Operand<TextView>, _ flagTexts: Operand<TextView>?, _ row: Int,
      notesGroups: Bool, ignoresCase: Bool = false
    ) throws(SQLError) -> RegexMatcher {
      let view = patterns[row]
      let flagView = flagTexts?[row]
      if let matcher, let pattern, pattern == view,
        (flags ?? TextView()) == (flagView ?? TextView())
      {
        return matcher
      }
      var options = try RegexOptions(flagTexts?.bytes(row))
      if ignoresCase { options.ignoresCase = true }
      isGlobal = options.isGlobal
      let program = try RegexCompiler.compile(patterns.bytes(row), options)
      let made = RegexMatcher(program, notesGroups: notesGroups)
      (matcher, pattern, flags) = (made, view, flagView)
      return made
    }
  }

  /// `~`, `~*`, `!~` and `!~*`, and `regexp_like`.
  ///
  /// - Throws: 2201B.
  package static func matches(ignoringCase: Bool = false, negated: Bool = false) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      let patterns = Operand(arguments[1])
      let flags = arguments.count > 2 ? Operand(arguments[2]) : nil
      var cache = Cache()
      return try TextLoop.compute(arguments, count, .boolean) { (row) throws(SQLError) -> UInt8 in
        let matcher = try cache.matcher(
          patterns, flags, row, notesGroups: false, ignoresCase: ignoringCase)
        if cache.isGlobal { throw globalOption("regexp_like") }
        return UInt8(truncatingIfNeeded: bit(matcher.matches(texts.bytes(row)) != negated))
      }
    }
  }

  /// Where to look on after a match, so that empty matches do not repeat.
  @inline(__always)
  static func advance(_ matcher: RegexMatcher, _ text: TextBytes) -> Int {
    let end = Int(matcher.match[1])
    if end > Int(matcher.match[0]) { return end }
    return end < text.count ? end &+ TextBytes.sequenceLength(text[end]) : text.count &+ 1
  }

  /// `regexp_replace(text, pattern, replacement [, flags])`; `\1` to `\9` and `\&` stand for parts of the match.
  ///
  /// - Throws: 2201B, 22023, 54000.
  package static func replace(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let patterns = Operand(arguments[1])
    let replacements = Operand(arguments[2])
    let flags = arguments.count > 3 ? Operand(arguments[3]) : nil
    var cache = Cache()
    return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
      let text = texts.bytes(row)
      let replacement = replacements.bytes(row)
      let matcher = try cache.matcher(patterns, flags, row, notesGroups: true)
      var copied = 0
      var place = 0
      while place <= text.count, matcher.find(text, from: place) {
        output.append(text.slice(copied..<Int(matcher.match[0])))
        append(replacement, matcher, text, &output)
        copied = Int(matcher.match[1])
        place = advance(matcher, text)
        if output.count > TextLoop.byteCountMax { throw TextLoop.tooLong }
        if !cache.isGlobal { break }
      }
      output.append(text.slice(copied..<text.count))
    }
  }

  static func append(
    _ replacement: TextBytes, _ matcher: RegexMatcher, _ text: TextBytes,
    _ output: inout ByteBuilder
  ) {
    var index = 0
    while index < replacement.count {
      let byte = replacement[index]
      index &+= 1
      guard byte == 0x5C, index < replacement.count else {
        output.append(byte)
        continue
      }
      let escaped = replacement[index]
      index &+= 1
      if escaped == 0x26 || escaped &- 0x31 < 9 {
        let group = escaped == 0x26 ? 0 : Int(escaped &- 0x30)
        if let range = range(of: group, matcher) { output.append(text.slice(range)) }
      } else {
        if escaped != 0x5C { output.append(0x5C) }
        output.append(escaped)
      }
    }
  }

  static func range(of group: Int, _ matcher: RegexMatcher) -> Range<Int>? {
    guard group <= matcher.program.groupCount else { return nil }
    let start = Int(matcher.match[group &* 2])
    let end = Int(matcher.match[group &* 2 &+ 1])
    return start >= 0 && end >= start ? start..<end : nil
  }

  /// The texts of the groups of the last match, or of the whole match where there are no groups.
  private static func appendGroups(
    _ matcher: RegexMatcher, _ text: TextBytes, _ builder: inout VectorBuilder
  ) {
    let groups = matcher.program.groupCount
    for group in (groups == 0 ? 0 : 1)...max(groups, 0) {
      if let range = range(of: group, matcher) {
        builder.append(text.slice(range))
      } else {
        builder.appendNull()
      }
    }
  }

  /// `regexp_match(text, pattern [, flags])`: the groups of the first match; NULL if there is none.
  ///
  /// - Throws: 2201B, 22023.
  package static func match(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(.array(.text), count: count) }
    let texts = Operand(arguments[0])
    let patterns = Operand(arguments[1])
    let flags = arguments.count > 2 ? Operand(arguments[2]) : nil
    var validity = RowLoop.validity(arguments, count).copy(count: count)
    let slices = Buffer<ListSlice>(zeroed: count)
    var builder = VectorBuilder(.text, capacity: count)
    var cache = Cache()
    for row in 0..<count where validity.isValid(row) {
      let matcher = try cache.matcher(patterns, flags, row, notesGroups: true)
      if cache.isGlobal {
        throw SQLError(
          .invalidParameterValue, "regexp_match() does not support the \"global\" option",
          hint: "Use the regexp_matches function instead.")
      }
      let text = texts.bytes(row)
      guard matcher.find(text, from: 0) else {
        validity.setNull(row, count: count)
        continue
      }
      let start = builder.count
      appendGroups(matcher, text, &builder)
      slices[row] = ListSlice(offset: UInt32(start), count: UInt32(builder.count - start))
    }
    return Vector(slices, of: builder.finish(), count: count, validity: validity)
  }

  /// `regexp_matches(text, pattern [, flags])`: a row of groups for the first match, or for each.
  ///
  /// - Throws: 2201B, 22023.
  package static let allMatches = SetReturningKernel.rows {
    (
      arguments: [Vector], context: EvaluationContext,
      emit: (DataChunk) throws(SQLError) -> Bool
    ) throws(SQLError) in
    for argument in arguments where !argument.isValid(0) { return }
    let lists = try groupLists(arguments)
    var start = 0
    while start < lists.count {
      try context.checkCancellation()
      let length = min(Vector.chunkCapacity, lists.count - start)
      let part = lists.slice(from: start, count: length).flattened()
      guard try emit(DataChunk([part], count: length)) else { return }
      start += length
    }
  }

  private static func groupLists(_ arguments: [Vector]) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0].normalized())
    let patterns = Operand(arguments[1].normalized())
    let flags = arguments.count > 2 ? Operand(arguments[2].normalized()) : nil
    var cache = Cache()
    let matcher = try cache.matcher(patterns, flags, 0, notesGroups: true)
    let text = texts.bytes(0)
    var builder = VectorBuilder(.text)
    var slices: [ListSlice] = []
    var place = 0
    while place <= text.count, matcher.find(text, from: place) {
      let start = builder.count
      appendGroups(matcher, text, &builder)
      slices.append(ListSlice(offset: UInt32(start), count: UInt32(builder.count - start)))
      place = advance(matcher, text)
      if !cache.isGlobal { break }
    }
    return Vector(Buffer(slices), of: builder.finish(), count: slices.count)
  }

  /// `regexp_count(text, pattern [, start [, flags]])`.
  ///
  /// - Throws: 2201B, 22023.
  package static func count(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let patterns = Operand(arguments[1])
    let starts = arguments.count > 2 ? Operand(arguments[2], Int32.self) : nil
    let flags = arguments.count > 3 ? Operand(arguments[3]) : nil
    var cache = Cache()
    return try TextLoop.compute(arguments, count, .integer) { (row) throws(SQLError) -> Int32 in
      let text = texts.bytes(row)
      let start = try positive(starts?[row], "start")
      let matcher = try cache.matcher(patterns, flags, row, notesGroups: false)
      if cache.isGlobal { throw globalOption("regexp_count") }
      if start - 1 > text.characterCount { return 0 }
      var place = text.offset(of: start - 1)
      var found: Int32 = 0
      while place <= text.count, matcher.find(text, from: place) {
        found &+= 1
        place = advance(matcher, text)
      }
      return found
    }
  }

  /// `regexp_split_to_array(text, pattern [, flags])`.
  ///
  /// - Throws: 2201B, 22023.
  package static func split(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(.array(.text), count: count) }
    let texts = Operand(arguments[0])
    let patterns = Operand(arguments[1])
    let flags = arguments.count > 2 ? Operand(arguments[2]) : nil
    let validity = RowLoop.validity(arguments, count)
    let slices = Buffer<ListSlice>(zeroed: count)
    var builder = VectorBuilder(.text, capacity: count)
    var cache = Cache()
    for row in 0..<count where validity.isValid(row) {
      let text = texts.bytes(row)
      let matcher = try cache.matcher(patterns, flags, row, notesGroups: false)
      let start = builder.count
      var copied = 0
      var place = 0
      while place <= text.count, matcher.find(text, from: place) {
        let begin = Int(matcher.match[0])
        let end = Int(matcher.match[1])
        // An empty match at either end, or right behind another match, splits nothing off.
        if end > begin || (begin > copied && begin < text.count) {
          builder.append(text.slice(copied..<begin))
          copied = end
        }
        place = advance(matcher, text)
      }
      builder.append(text.slice(copied..<text.count))
      slices[row] = ListSlice(offset: UInt32(start), count: UInt32(builder.count - start))
    }
    return Vector(slices, of: builder.finish(), count: count, validity: validity)
  }

  /// `regexp_split_to_table(text, pattern [, flags])`: a row for each piece.
  package static let splitRows = SetReturningKernel.spans {
    (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> RowSpans in
    RowSpans(lists: try split(arguments, count, context), count: count)
  }

  /// `substring(text FROM pattern)`, `regexp_substr`: the first group, or the whole match; NULL for none.
  ///
  /// - Throws: 2201B.
  package static func substring(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(.text, count: count) }
    let texts = Operand(arguments[0])
    let patterns = Operand(arguments[1])
    var validity = RowLoop.validity(arguments, count).copy(count: count)
    let views = Buffer<TextView>(zeroed: count)
    var cache = Cache()
    for row in 0..<count where validity.isValid(row) {
      let matcher = try cache.matcher(patterns, nil, row, notesGroups: true)
      let text = texts.bytes(row)
      let group = matcher.program.groupCount > 0 ? 1 : 0
      if matcher.find(text, from: 0), let range = range(of: group, matcher) {
        views[row] = TextView(referring: text.slice(range))
      } else {
        validity.setNull(row, count: count)
      }
    }
    return Vector(.text, views, count: count, validity: validity, heaps: arguments[0].heaps)
  }
}
