import Diagnostics
import Junction
import SimulatedDisk

/// Live values on the main actor, as a view has them: some stay, some come and go, some change their question.
@MainActor
final class ThreadScreen {
  /// So many live values come and go: with more the commits of a slow round would ask ever more questions.
  private static let passingLimit = 20
  private let world: ThreadWorld
  private var random: SimulationRandom
  private let lessons: Live<[Lesson]>
  private let count: Live<Int>
  private let followed: Live<[Lesson]>
  private var pupil = Pupil(id: 1)

  init(_ world: ThreadWorld, _ worker: Int) {
    self.world = world
    random = world.random(worker)
    let database = world.database
    lessons = Live([], Lesson.order(by: \.id).updates(in: database))
    count = Live(0, Lesson.all.countUpdates(in: database))
    followed = Live([], Pupil(id: 1).lessons.order(by: \.id).updates(in: database))
  }

  func run() async {
    let database = world.database
    var passing: [Live<Int>] = []
    while !world.isOver {
      if lessons.value.count != count.value {
        world.fail("a screen of two states", "\(lessons.value.count) lessons, and \(count.value)")
      }
      if random.chance(30) {
        pupil = Pupil(id: random.within(1...ThreadSchool.pupilCount))
        followed.follow(pupil.lessons.order(by: \.id).updates(in: database))
      }
      if passing.count < Self.passingLimit, random.chance(60) {
        passing.append(Live(-1, Attendance.all.countUpdates(in: database)))
        world.count("live values")
      }
      if random.chance(50), !passing.isEmpty { passing.remove(at: random.below(passing.count)) }
      try? await Task.sleep(for: random.moment(1000))
    }
    await checkEnd()
  }

  private func checkEnd() async {
    let (database, pupil) = (world.database, pupil)
    await world.expect("live lessons") {
      try lessons.value == Lesson.order(by: \.id).fetch(database)
    }
    await world.expect("live count") { try count.value == Lesson.all.count(database) }
    await world.expect("live lessons of a pupil") {
      try followed.value == pupil.lessons.order(by: \.id).fetch(database)
    }
    for error in [lessons.error, count.error, followed.error].compactMap(\.self) {
      world.note(error, of: "a live value")
    }
  }
}
