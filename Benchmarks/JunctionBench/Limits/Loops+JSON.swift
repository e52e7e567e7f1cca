/// B8: every course with its students as JSON, written byte by byte from the arrays.
extension Loops {
  /// The white space is that of PostgreSQL's `json_agg` and `json_build_object`.
  func coursesAsJSON() {
    let perStudent = 64 + 6 * school.longestNames
    let bytesBound = school.enrolments * perStudent + school.courses * 16 + 64 * threads
    let space = scratch.json ?? Cells<UInt8>(count: bytesBound)
    scratch.json = space
    let bounds = shares()
    let offsets = school.studentsOfCourse.offsets
    Threads.run(threads) { thread in
      let first = bounds[thread]
      let start = Int(offsets[first]) * perStudent + first * 16 + 64 * thread
      write(first..<bounds[thread + 1], to: space, at: start)
    }
    rows.count = school.courses
    rows.heaps[0] = school.courseNames.bytes
    rows.heaps[1] = space
    rows.columns = Self.jsonRows
  }

  private static let jsonRows: [LimitRows.Column] = [.number(0), .text(0), .json(1)]

  /// The first course of each thread, so that all have as many enrolments to write.
  private func shares() -> [Int] {
    var bounds = [0]
    for course in 0..<school.courses where bounds.count < threads {
      let written = school.studentsOfCourse.end(course)
      if written >= school.enrolments / threads * bounds.count { bounds.append(course + 1) }
    }
    while bounds.count <= threads { bounds.append(school.courses) }
    return bounds
  }

  private func write(_ courses: Range<Int>, to space: Cells<UInt8>, at start: Int) {
    var writer = JSONBytes(bytes: space, place: start)
    let names = school.courseNames
    let members = school.studentsOfCourse
    for course in courses {
      rows.numbers[0][course] = Int32(truncatingIfNeeded: course &+ 1)
      rows.starts[0][course] = UInt64(truncatingIfNeeded: names.starts[course])
      rows.lengths[0][course] = UInt32(truncatingIfNeeded: names.lengths[course])
      let first = writer.place
      writer.open()
      for index in members.start(course)..<members.end(course) {
        writer.student(
          members.targets[index], school.names, isFirst: index == members.start(course))
      }
      writer.close()
      rows.starts[1][course] = UInt64(truncatingIfNeeded: first)
      rows.lengths[1][course] = UInt32(truncatingIfNeeded: writer.place &- first)
    }
  }
}

/// Writes JSON eight bytes at a time; bytes written too many are written over by what follows.
private struct JSONBytes {
  let bytes: Cells<UInt8>
  var place: Int

  private static let keyOfID = word("{\"id\" : ")
  private static let keyOfFirst = words(", \"first_name\" : \"")
  private static let keyOfLast = words("\", \"last_name\" : \"")
  private let id = keyOfID
  private let first = keyOfFirst
  private let last = keyOfLast

  init(bytes: Cells<UInt8>, place: Int) {
    self.bytes = bytes
    self.place = place
  }

  private static func word(_ text: String) -> UInt64 {
    text.utf8.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func words(_ text: String) -> (UInt64, UInt64, UInt64, Int) {
    let rest = String(text.dropFirst(8))
    return (word(text), word(rest), word(String(rest.dropFirst(8))), text.utf8.count)
  }

  @inline(__always) mutating func open() {
    bytes[place] = 91
    place &+= 1
  }

  @inline(__always) mutating func close() {
    bytes[place] = 93
    place &+= 1
  }

  @inline(__always)
  mutating func student(
    _ row: Int32, _ names: PeopleNames, isFirst: Bool
  ) {
    if !isFirst {
      bytes[place] = 44
      bytes[place &+ 1] = 32
      place &+= 2
    }
    bytes.setWord(id, at: place)
    place &+= 8
    number(UInt64(truncatingIfNeeded: row &+ 1))
    key(first)
    let name = names[row]
    text(names.bytes, name.first, name.firstLength)
    key(last)
    text(names.bytes, name.last, name.lastLength)
    bytes[place] = 34
    bytes[place &+ 1] = 125
    place &+= 2
  }

  @inline(__always)
  private mutating func key(_ words: (UInt64, UInt64, UInt64, Int)) {
    bytes.setWord(words.0, at: place)
    bytes.setWord(words.1, at: place &+ 8)
    bytes.setWord(words.2, at: place &+ 16)
    place &+= words.3
  }

  /// Up to eight digits, made side by side in one word.
  @inline(__always)
  private mutating func number(_ value: UInt64) {
    let halves = value / 10_000 | (value % 10_000) &<< 32
    let top = ((halves &* 10_486) &>> 20) & 0x0000_007F_0000_007F
    let pairs = (halves &- 100 &* top) &<< 16 &+ top
    let tens = ((pairs &* 103) &>> 10) & 0x000F_000F_000F_000F
    let digits = tens &+ (pairs &- 10 &* tens) &<< 8
    let leading = min(7, digits.trailingZeroBitCount &>> 3)
    let word = (digits | 0x3030_3030_3030_3030) &>> UInt64(truncatingIfNeeded: leading &* 8)
    bytes.setWord(word, at: place)
    place &+= 8 &- leading
  }

  /// A text between quotes that stand there already, with what JSON wants escaped.
  @inline(__always)
  private mutating func text(_ texts: Cells<UInt8>, _ start: Int, _ length: Int) {
    var done = 0
    while done < length {
      let word = texts.word(at: start &+ done)
      let kept = length &- done >= 8 ? 8 : length &- done
      let mask = UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- 8 &* kept)
      if Self.needsEscape(word) & mask != 0 { return escaped(texts, start &+ done, length &- done) }
      bytes.setWord(word, at: place)
      place &+= kept
      done &+= kept
    }
  }

  /// A high bit at each byte that is a quote, a backslash or a control character; false hits only behind a true one.
  @inline(__always)
  private static func needsEscape(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 34)
    let backslash = word ^ (ones &* 92)
    return
      ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash
      | (word &- ones &* 32) & ~word) & (ones &* 128)
  }

  @inline(never)
  private mutating func escaped(_ texts: Cells<UInt8>, _ start: Int, _ length: Int) {
    let digits = Array("0123456789abcdef".utf8)
    for index in start..<start + length {
      let byte = texts[index]
      if byte == 34 || byte == 92 {
        put([92, byte])
      } else if byte < 32 {
        put(Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]])
      } else {
        put([byte])
      }
    }
  }

  private mutating func put(_ some: [UInt8]) {
    for byte in some {
      bytes[place] = byte
      place &+= 1
    }
  }
}
