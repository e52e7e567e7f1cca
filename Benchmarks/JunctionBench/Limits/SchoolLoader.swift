/// Reads a generated school into plain arrays, with every key and foreign key checked: the limit of loading.
struct SchoolLoader {
  let folder: String
  let threads: Int

  func load() throws(BenchError) -> SchoolArrays {
    let studentFile = try Cells<UInt8>(reading: "\(folder)/student.csv")
    let people = try PersonFile(studentFile, threads: threads)
    let courseFile = try Cells<UInt8>(reading: "\(folder)/course.csv")
    let teachers = try teacherCount()
    let (courses, names) = try readCourses(courseFile, teachers: teachers)

    let pairFile = try Cells<UInt8>(mapping: "\(folder)/enrols_in.csv")
    defer { pairFile.free() }
    let pairs = try PairFile(
      pairFile, name: "enrols_in.csv", leftBound: people.count, rightBound: courses,
      threads: threads)
    defer { pairs.free() }
    let (coursesOf, studentsOf) = try AdjacencyBuilder(
      leftCount: people.count, rightCount: courses, threads: threads
    ).build(pairs, name: "enrols_in.csv")

    let needFile = try Cells<UInt8>(mapping: "\(folder)/prerequisite.csv")
    defer { needFile.free() }
    let needs = try PairFile(
      needFile, name: "prerequisite.csv", leftBound: courses, rightBound: courses, threads: 1)
    defer { needs.free() }
    let (required, requiring) = try AdjacencyBuilder(
      leftCount: courses, rightCount: courses, threads: 1
    ).build(needs, name: "prerequisite.csv")

    return SchoolArrays(
      students: people.count, courses: courses, enrolments: coursesOf.targets.count,
      coursesOfStudent: coursesOf, studentsOfCourse: studentsOf, required: required,
      requiring: requiring, courseNames: names, names: people.names,
      coursesByName: order(names, courses), files: [studentFile, courseFile])
  }

  private func teacherCount() throws(BenchError) -> Int {
    let file = try Cells<UInt8>(reading: "\(folder)/teacher.csv")
    let teachers = try PersonFile(file, threads: 1)
    teachers.names.free()
    file.free()
    return teachers.count
  }

  /// The number of courses and their names; codes are distinct and teachers exist.
  private func readCourses(
    _ file: Cells<UInt8>, teachers: Int
  ) throws(BenchError) -> (Int, TextCells) {
    let names = TextCells(bytes: file, count: file.count / 4 + 1)
    var fields = FieldReader(file)
    var codes: [UInt64] = []
    var count = 0
    fields.skipLine()
    while !fields.isAtEnd {
      count += 1
      let id = fields.number(endedBy: 44)
      let code = fields.text(endedBy: 44)
      let name = fields.text(endedBy: 44)
      let teacher = fields.number(endedBy: 10)
      guard id == count, code.count <= 8, name.count <= 100, teacher >= 1, teacher <= teachers
      else { throw BenchError("course.csv: course \(count) is not as generated") }
      let kept = UInt64.max >> UInt64(64 - 8 * max(1, code.count))
      codes.append(file.word(at: code.lowerBound) & kept)
      names.starts[count - 1] = UInt32(truncatingIfNeeded: name.lowerBound)
      names.lengths[count - 1] = UInt8(truncatingIfNeeded: name.count)
    }
    codes.sort()
    for index in codes.indices.dropFirst() where codes[index] == codes[index - 1] {
      throw BenchError("course.csv: a code stands there twice")
    }
    return (count, names)
  }

  /// The rows in the order of their texts' bytes.
  private func order(_ texts: TextCells, _ count: Int) -> Cells<Int32> {
    let bytes = texts.bytes
    let sorted = (0..<count).map { Int32($0) }.sorted { left, right in
      let (first, second) = (Int(texts.starts[left]), Int(texts.starts[right]))
      let (firstLength, secondLength) = (Int(texts.lengths[left]), Int(texts.lengths[right]))
      let common = min(firstLength, secondLength)
      var place = 0
      while place < common {
        // Beyond the shorter text the words hold other bytes, which must not count.
        let kept: UInt64 = common - place >= 8 ? .max : .max << UInt64(64 - 8 * (common - place))
        let a = bytes.word(at: first + place).byteSwapped & kept
        let b = bytes.word(at: second + place).byteSwapped & kept
        if a != b { return a < b }
        place += 8
      }
      return firstLength < secondLength
    }
    let cells = Cells<Int32>(count: count)
    for (place, row) in sorted.enumerated() { cells[place] = row }
    return cells
  }
}

/// The keys and two names of people, in any order of keys.
struct PersonFile {
  let count: Int
  let names: PeopleNames

  init(_ file: Cells<UInt8>, threads: Int) throws(BenchError) {
    // The shortest line is "1,,\n"; memory that is not touched costs nothing.
    let capacity = file.count / 4 + 1
    let names = PeopleNames(bytes: file, count: capacity)
    let counts = Cells<Int>(count: threads)
    defer { counts.free() }
    Threads.run(threads) { thread in
      var lower = file.count * thread / threads
      while lower < file.count && (lower == 0 || file[lower - 1] != 10) { lower += 1 }
      var upper = file.count * (thread + 1) / threads
      while upper < file.count && file[upper - 1] != 10 { upper += 1 }
      counts[thread] = Self.parse(file, lower..<upper, names)
    }
    var count = 0
    for thread in 0..<threads {
      guard counts[thread] >= 0 else { throw BenchError("a file of people is not as generated") }
      count += counts[thread]
    }
    // As many keys as lines, all filled: each from 1 on once.
    for row in 0..<count where !names.has(row) {
      throw BenchError("a file of people lacks key \(row + 1)")
    }
    self.count = count
    self.names = names
  }

  /// The number of people in a part of the file, or -1 where a line is bad.
  private static func parse(
    _ file: Cells<UInt8>, _ range: Range<Int>, _ names: PeopleNames
  ) -> Int {
    var fields = FieldReader(file, from: range.lowerBound, to: range.upperBound)
    if range.lowerBound == 0 { fields.skipLine() }
    var count = 0
    while !fields.isAtEnd {
      let row = fields.number(endedBy: 44) &- 1
      let one = fields.text(endedBy: 44)
      let two = fields.text(endedBy: 10)
      guard row >= 0, row < names.capacity, one.count < 256, two.count < 256 else {
        return -1
      }
      names.set(row, first: one, last: two)
      count &+= 1
    }
    return count
  }
}
