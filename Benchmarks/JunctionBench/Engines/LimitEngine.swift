/// The hand-written loops as an engine, for one or two threads.
final class LimitEngine: Engine {
  private let threads: Int
  private(set) var school: SchoolArrays?
  private var loops: Loops?

  init(threads: Int) { self.threads = threads }

  let dialect = "limit"
  let checksKeys = false

  var description: BenchEngine {
    BenchEngine(
      id: "limit\(threads)", name: "loop, \(Quantity.threads(threads))",
      kind: .limit, access: "hand-written loops over plain arrays in process",
      settings: "keys checked, both directions sorted, threads=\(threads)")
  }

  func load(_ folder: String) throws(EngineFailure) -> LoadOutcome {
    let processorStart = Stopwatch.processorTime
    let start = Stopwatch.now
    let school: SchoolArrays
    do throws(BenchError) {
      school = try SchoolLoader(folder: folder, threads: threads).load()
    } catch {
      throw EngineFailure(.error, error.description)
    }
    let outcome = LoadOutcome(
      seconds: Stopwatch.now - start,
      processorSeconds: Stopwatch.processorTime - processorStart)
    use(school)
    return outcome
  }

  /// Takes arrays that are loaded already.
  func use(_ school: SchoolArrays) {
    self.school = school
    loops = Loops(
      school: school, scratch: LimitScratch(school, threads: threads), threads: threads)
  }

  func memory() -> EngineMemory { ProcessMemory.own }

  /// The loop that a workload names, which takes the key of the first parameter less one.
  private func body(
    _ query: Query
  ) throws(EngineFailure) -> (rows: LimitRows, run: (Int) -> Void) {
    guard let loops else { throw EngineFailure(.error, "nothing is loaded") }
    guard let name = query.loop else { throw EngineFailure(.unsupported, "no loop is written") }
    guard let loop = Self.loop(name, loops) else {
      throw EngineFailure(.error, "there is no loop \"\(name)\"")
    }
    return (loops.rows, loop.run)
  }

  /// Whether there is a loop of that name that runs in as many threads.
  func has(_ name: String?) -> Bool {
    guard let loops, let name, let loop = Self.loop(name, loops) else { return false }
    return threads == 1 || loop.gainsByThreads
  }

  static func loop(
    _ name: String, _ loops: Loops
  ) -> (gainsByThreads: Bool, run: (Int) -> Void)? {
    switch name {
    case "coursesOfStudent": (false, { loops.coursesOfStudent($0) })
    case "studentsOfCourse": (false, { loops.studentsOfCourse($0) })
    case "availableCourses": (false, { loops.availableCourses($0) })
    case "availableCourseCount": (false, { loops.availableCourseCount($0) })
    case "enrolmentsPerCourse": (false, { _ in loops.enrolmentsPerCourse() })
    case "studentsNotInCourse": (true, { loops.studentsNotInCourse($0) })
    case "strangers": (true, { loops.strangers($0) })
    case "classmateCount": (true, { loops.classmateCount($0) })
    case "topPairs": (true, { _ in loops.topPairs() })
    case "topPairsByNeed": (true, { _ in loops.topPairsByNeed() })
    case "classmatesCourses": (true, { loops.classmatesCourses($0) })
    case "studentsWithin1": (true, { loops.studentsWithin(1, of: $0) })
    case "studentsWithin2": (true, { loops.studentsWithin(2, of: $0) })
    case "studentsWithin3": (true, { loops.studentsWithin(3, of: $0) })
    case "stepsToFirst": (false, { loops.stepsToFirst($0) })
    case "closureOfCourse": (false, { loops.closureOfCourse($0) })
    case "closureOfAll": (true, { _ in loops.closureOfAll() })
    case "coursesAsJSON": (true, { _ in loops.coursesAsJSON() })
    default: nil
    }
  }

  private static func rows(_ parameters: [[ParameterValue]]) -> [Int] {
    parameters.map { set in
      if case .integer(let key) = set.first { return Int(key) - 1 }
      return 0
    }
  }

  func check(
    _ query: Query, _ parameters: [[ParameterValue]], until deadline: Deadline
  ) throws(EngineFailure) -> [Answer] {
    let (rows, run) = try body(query)
    return Self.rows(parameters).map { row in
      run(row)
      var digest = AnswerDigest(isOrdered: query.isOrdered)
      rows.digest(into: &digest)
      return digest.answer
    }
  }

  func run(
    _ query: Query, _ parameters: [[ParameterValue]], _ block: inout SampleBlock,
    until deadline: Deadline
  ) throws(EngineFailure) {
    let (rows, run) = try body(query)
    let keys = Self.rows(parameters)
    var sum = 0
    try block.fill(parameterCount: keys.count) { index throws(EngineFailure) in
      run(keys[index])
      sum &+= rows.touch()
      return rows.count
    }
    Stopwatch.keep(sum)
  }
}
