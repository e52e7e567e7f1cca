import Junction

struct Course: Record {
  var id: Int?
  var name: String
  struct Relations: Sendable { let students = Many<Student>() }
  static let relations = Relations()
}
struct Student: Record {
  var id: Int?
  var name: String
}
struct CourseCard: Decodable {
  var name: String
  var students: [Named]
  struct Named: Decodable { var name: String }
}

let database = Database()
try Schema(Course.self).create(database)
let (jane, joe) = (
  try Student(name: "Jane").inserted(database), try Student(name: "Joe").inserted(database)
)
try Course(name: "Drama").inserted(database).students.add([jane, joe], database)
try Course(name: "Physics").inserted(database).students.add(jane, database)
for card in try Course.order(by: \.name).shaped(as: CourseCard.self).fetch(database) {
  print(card.name, card.students.map(\.name))
}
