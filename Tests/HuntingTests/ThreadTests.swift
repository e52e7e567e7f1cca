import Hunting
import SimulatedDisk
import Testing

@Suite("Threads and tasks over one database")
struct ThreadTests {
  @Test("break no rule, and every observer is told of the last answer")
  func threads() async {
    var hunt = ThreadHunt()
    hunt.steps = 5
    // Other tests hold the threads that tasks wait for.
    hunt.patience = .seconds(3600)
    let found = await hunt.round(1, "/threads", on: SimulatedDisk())
    for finding in found.findings { Issue.record("\(finding.text)") }
    #expect(found.cases > 0)
  }
}
