import Foundation
import Junction
import Testing

private struct Student: Record {
  var id: Int?
  var firstName: String?
  struct Relations: Sendable { let courses = Many<Course>() }
  static let relations = Relations()
}

private struct Course: Record {
  var id: Int?
  var name: String?
  struct Relations: Sendable { let students = Many<Student>() }
  static let relations = Relations()
}

@Suite("What the README shows of Swift")
struct ReadmeExampleTests {
  @Test("works on the school that comes with the project")
  func school() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let database = try Database(folder: root.appendingPathComponent("Datasets/school").path)
      .fork()
    let jane = try #require(try Student.find(2, in: database))
    let before = try jane.courses.order(by: \.name).fetch(database).compactMap(\.name)
    #expect(!before.isEmpty && before == before.sorted())
    let classmates = try jane.courses.students.excluding(jane).fetch(database)
    #expect(!classmates.contains { $0.id == 2 })
    let other = try #require(try jane.courses.available.first(database))
    try database.write { db in try jane.courses.add(other, db) }
    #expect(try jane.courses.count(database) == before.count + 1)
    let crowded = try Course.where { $0.students.count >= 2 }.with(\.students).fetch(database)
    #expect(!crowded.isEmpty && crowded.allSatisfy { $0.related.count >= 2 })
    let name = "Functions"
    #expect(
      try database.query("SELECT * FROM course WHERE name = \(name)").map { $0["id"] } == [2])
  }
}
