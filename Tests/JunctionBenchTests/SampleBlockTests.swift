import Testing

@testable import JunctionBench

@Suite struct SampleBlockTests {
  @Test(
    "What takes less than a microsecond is timed sixteen executions at a time, in turn through all parameters"
  )
  func shortExecutionsAreTimedTogether() throws {
    var block = SampleBlock(budget: 1, most: 50)
    block.mayBatch = true
    var last = -1
    var turns = true
    try block.fill(parameterCount: 3) { (index) throws(EngineFailure) in
      turns = turns && index == (last + 1) % 3
      last = index
      return 1
    }
    #expect(block.seconds.count == 50)
    #expect(block.executions >= 50 * 16)
    #expect(block.rows == block.executions)
    #expect(turns)
  }

  @Test("Each execution is a sample where one takes longer, and where each may happen only once")
  func otherExecutionsAreTimedOneByOne() throws {
    var change = SampleBlock(budget: 1, most: 50)
    try change.fill(parameterCount: 50) { (_) throws(EngineFailure) in 1 }
    #expect(change.executions == 50 && change.seconds.count == 50)

    var long = SampleBlock(budget: 1, most: 5)
    long.mayBatch = true
    try long.fill(parameterCount: 1) { (_) throws(EngineFailure) in
      let start = Stopwatch.now
      while Stopwatch.now - start < 2e-6 {}
      return 1
    }
    #expect(long.executions == 5 && long.seconds.count == 5)
  }
}
