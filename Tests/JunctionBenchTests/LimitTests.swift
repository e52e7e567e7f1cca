import Foundation
import Testing

@testable import JunctionBench

@Suite("The hand-written loops")
struct LimitTests {
  private func folder(_ enrolments: String, students: Int = 3) throws -> String {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("junction-loops-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let people = (1...students).map { "\($0),Ada,Lee\n" }.joined()
    let files = [
      "student": "id,first_name,last_name\n" + people,
      "teacher": "id,first_name,last_name\n1,Ben,Roy\n",
      "course": "id,short_code,name,teacher_id\n1,AAA01U,Latin 1,1\n2,AAA02U,Law 2,1\n",
      "prerequisite": "course_id,requires_id\n2,1\n",
      "enrols_in": enrolments,
    ]
    for (name, text) in files {
      try Data(text.utf8).write(to: folder.appendingPathComponent("\(name).csv"))
    }
    return folder.path
  }

  @Test(
    "read pairs in any order, with or without a last line's end, in one thread or two",
    arguments: [1, 2], ["", "\n"])
  func pairs(_ threads: Int, _ ending: String) throws {
    let path = try folder("student_id,course_id\n3,2\n1,2\n1,1\n2,1" + ending)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let school = try SchoolLoader(folder: path, threads: threads).load()
    #expect((school.students, school.courses, school.enrolments) == (3, 2, 4))
    let taken = school.coursesOfStudent
    #expect((0..<4).map { taken.targets[$0] } == [0, 1, 0, 1])
    #expect((0...3).map { taken.offsets[$0] } == [0, 2, 3, 4])
    let members = school.studentsOfCourse
    #expect((0..<4).map { members.targets[$0] } == [0, 1, 0, 2])
    #expect(school.required.degree(1) == 1)
    #expect(school.courseNames.string(1) == "Law 2")
    #expect(school.coursesByName[0] == 0)
  }

  @Test(
    "check keys and foreign keys",
    arguments: ["1,1\n1,1\n", "4,1\n", "0,1\n", "1,3\n", "1;1\n", "1,\n", "x,1\n"])
  func faults(_ lines: String) throws {
    let path = try folder("student_id,course_id\n" + lines)
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: BenchError.self) { try SchoolLoader(folder: path, threads: 1).load() }
    #expect(throws: BenchError.self) { try SchoolLoader(folder: path, threads: 2).load() }
  }

  @Test("keep the best rows of many", arguments: [1, 3, 20])
  func topRows(_ limit: Int) {
    var random = SplitMix(seed: 3)
    let rows = (0..<2_000).map { index in
      TopRows.Row(
        count: UInt32(random.below(50)), first: Int32(index % 40), second: Int32(index / 40))
    }
    let top = TopRows(limit: limit)
    for row in rows where row.count >= top.least { top.offer(row) }
    let right = rows.sorted(by: TopRows.Row.isBefore).prefix(limit)
    #expect(
      top.sorted.map { [Int32($0.count), $0.first, $0.second] }
        == right.map { [Int32($0.count), $0.first, $0.second] })
  }
}
