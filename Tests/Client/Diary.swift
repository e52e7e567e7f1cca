import Foundation
import Junction
import JunctionFoundation

struct Entry: Record {
  var id: UUID
  var writtenAt: Date
  var text: String
  var cost: Decimal?
}

@main
struct Diary {
  static func main() async throws {
    let database = Database()
    try Schema(Entry.self).create(database)
    let id = UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF") ?? UUID()
    try await database.write { db in
      let moment = Date(timeIntervalSince1970: 0)
      try Entry(id: id, writtenAt: moment, text: "First", cost: 1.5).inserted(db)
    }
    for entry in try Entry.where({ $0.cost != nil }).fetch(database) {
      print(entry.id, entry.writtenAt.timeIntervalSince1970, entry.text, entry.cost ?? 0)
    }
    for try await count in Entry.all.countUpdates(in: database) {
      print(count)
      break
    }
  }
}
