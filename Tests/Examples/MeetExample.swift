import Junction
import Testing

// From nothing to structs in structs, in twenty lines.

struct Band: Record {
  var id: Int?
  var name: String
  struct Relations: Sendable { let musicians = Many<Musician>() }
  static let relations = Relations()
}

struct Musician: Record {
  var id: Int?
  var name: String
  struct Relations: Sendable { let bands = Many<Band>() }
  static let relations = Relations()
}

struct BandCard: Decodable, Sendable, Equatable {
  var name: String
  var musicians: [Name]
  struct Name: Decodable, Sendable, Equatable { var name: String }
}

@Suite("Example: meet Junction")
struct MeetExample {
  @Test("goes from an empty database to bands with their musicians")
  func meeting() throws {
    let database = Database()
    try Schema(Band.self).create(database)

    try database.write { db in
      let people = try ["Eric", "Jack", "Ginger"].map { Musician(name: $0) }.inserted(db)
      let cream = try Band(name: "Cream").inserted(db)
      let faith = try Band(name: "Blind Faith").inserted(db)
      try cream.musicians.add(people, db)
      try people[0].bands.add(faith, db)
      try faith.musicians.add(people[2], db)
    }
    let cards = try Band.order(by: \.name).shaped(as: BandCard.self).fetch(database)

    #expect(cards.map(\.name) == ["Blind Faith", "Cream"])
    #expect(
      cards.map { $0.musicians.map(\.name) } == [["Eric", "Ginger"], ["Eric", "Jack", "Ginger"]])
  }
}
