import Foundation
import Synchronization
import Testing

@testable import Storage

@Suite("Groups that are filled when they are touched")
struct LazyGroupsTests {
  /// Counts how often each group was filled.
  private final class Fills: Sendable {
    private let counts: Mutex<[Int]>

    init(_ count: Int) { counts = Mutex(Array(repeating: 0, count: count)) }

    func add(_ index: Int) { counts.withLock { $0[index] += 1 } }

    /// The groups that were filled, each as often as it was.
    var filled: [Int] {
      counts.withLock { counts in
        counts.indices.flatMap { Array(repeating: $0, count: counts[$0]) }
      }
    }
  }

  private static func groups(_ count: Int) -> (LazyGroups, Fills) {
    let fills = Fills(count)
    return (LazyGroups(count: count, origin: nil) { fills.add($0) }, fills)
  }

  @Test("are read ahead where they are asked for in order, about as many as were asked for")
  func inOrder() {
    let (groups, fills) = Self.groups(100)
    groups.require(0)
    #expect(fills.filled == [0])
    groups.require(1)
    #expect(fills.filled == Array(0...3))
    groups.require(3)
    #expect(fills.filled == Array(0...3))
    groups.require(4)
    #expect(fills.filled == Array(0...8))
    for index in 0..<100 { groups.require(index) }
    #expect(fills.filled == Array(0..<100))
    #expect(groups.isComplete)
  }

  @Test("stand alone where few are asked for, and come with others where many are")
  func astray() {
    let (groups, fills) = Self.groups(320)
    for step in 1...40 { groups.require(step * 97 % 320) }
    #expect(fills.filled.count == 40)
    groups.require(41 * 97 % 320)
    #expect(fills.filled.count > 50)
    #expect(Set(fills.filled).count == fills.filled.count)
  }

  @Test("are filled once, whoever comes to them first")
  func threads() {
    for round in 0..<20 {
      let (groups, fills) = Self.groups(60)
      DispatchQueue.concurrentPerform(iterations: 6) { thread in
        for step in 0..<60 {
          let index = thread % 2 == 0 ? step : (step * 37 + thread + round) % 60
          groups.require(index)
          #expect(groups.isFilled(index))
        }
        groups.requireAll()
      }
      #expect(fills.filled == Array(0..<60))
      #expect(groups.isComplete)
    }
  }

  @Test("are put in place once their pages were read by themselves as often as there are")
  func passing() {
    let (groups, _) = Self.groups(2)
    #expect(
      (0..<5).map { _ in groups.mayPass(1, pageCount: 3) } == [true, true, true, false, false])
    groups.require(0)
    #expect(!groups.mayPass(0, pageCount: 64))
  }
}
