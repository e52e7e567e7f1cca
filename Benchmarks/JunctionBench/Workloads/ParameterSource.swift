/// Where a workload's parameters come from: `student: random 100`.
struct ParameterSource: Equatable {
  enum Kind: String {
    case randomStudent = "student: random"
    case randomCourse = "course: random"
    /// The courses whose popularity is nearest to the middle.
    case medianCourse = "course: median"
    /// The most popular courses.
    case popularCourse = "course: popular"
    /// A student and a course that the student does not take.
    case absentEnrolment = "enrolment: absent"
  }

  let kind: Kind
  let count: Int

  init(_ text: String) throws(BenchError) {
    guard let space = text.lastIndex(of: " "), let kind = Kind(rawValue: String(text[..<space])),
      let count = Int(text[text.index(after: space)...]), count > 0
    else { throw BenchError("parameters read \"student: random 100\"") }
    self.kind = kind
    self.count = count
  }

  /// The parameter sets for a school: the same for one seed on every machine.
  func values(of school: SchoolShape, seed: UInt64) -> [[ParameterValue]] {
    var random = SplitMix(seed: seed &* 31 &+ 7)
    switch kind {
    case .randomStudent:
      return (0..<min(count, school.students)).map { _ in
        [.integer(Int64(random.below(school.students) + 1))]
      }
    case .randomCourse:
      return (0..<min(count, school.courses)).map { _ in
        [.integer(Int64(random.below(school.courses) + 1))]
      }
    case .medianCourse, .popularCourse, .absentEnrolment:
      return school.arrays.map { ranked($0, &random) } ?? []
    }
  }

  /// The sets for which it must be known who takes what.
  private func ranked(_ school: SchoolArrays, _ random: inout SplitMix) -> [[ParameterValue]] {
    switch kind {
    case .medianCourse:
      let ranked = byPopularity(school)
      let first = max(0, ranked.count / 2 - count / 2)
      return ranked[first..<min(ranked.count, first + count)].map { [.integer(Int64($0 + 1))] }
    case .popularCourse:
      return byPopularity(school).prefix(count).map { [.integer(Int64($0 + 1))] }
    case .randomStudent, .randomCourse, .absentEnrolment: return absent(school, &random)
    }
  }

  private func byPopularity(_ school: SchoolArrays) -> [Int] {
    let degrees = (0..<school.courses).map { school.studentsOfCourse.degree($0) }
    return degrees.indices.sorted { left, right in
      degrees[left] != degrees[right] ? degrees[left] > degrees[right] : left < right
    }
  }

  private func absent(_ school: SchoolArrays, _ random: inout SplitMix) -> [[ParameterValue]] {
    var sets: [[ParameterValue]] = []
    var misses = 0
    while sets.count < count && misses < 100_000 {
      let student = random.below(school.students)
      let course = random.below(school.courses)
      let taken = school.coursesOfStudent
      let isTaken = (taken.start(student)..<taken.end(student)).contains {
        taken.targets[$0] == course
      }
      let set: [ParameterValue] = [.integer(Int64(student + 1)), .integer(Int64(course + 1))]
      if isTaken || sets.contains(set) { misses += 1 } else { sets.append(set) }
    }
    return sets
  }
}
