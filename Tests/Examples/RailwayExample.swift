import Junction
import Testing

// A network: stations, and tracks between them with a length.

// MARK: - Model

struct Station: Record, Hashable {
  var id: Int?
  var name: String

  struct Relations: Sendable {
    let tracks = Through<Track, Station>(from: "from_id")
    let neighbours = Many<Station>(through: "track", from: "from_id")
  }
  static let relations = Relations()
}

/// A row of the junction table.
struct Track: Record, Hashable {
  var fromID: Int
  var toID: Int
  var km: Double
}

/// Who drives from where.
struct Driver: Record, Hashable {
  var id: Int?
  var name: String

  struct Relations: Sendable {
    let stations = Many<Station>(through: "driver_station")
  }
  static let relations = Relations()
}

enum Railway {
  static let seeded = Result {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE station (id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE track (
        from_id int REFERENCES station, to_id int REFERENCES station, km double precision,
        PRIMARY KEY (from_id, to_id));
      CREATE TABLE driver (id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE driver_station (
        driver_id int REFERENCES driver, station_id int REFERENCES station,
        PRIMARY KEY (driver_id, station_id));
      INSERT INTO station (name) VALUES ('Bern'), ('Thun'), ('Spiez'), ('Brig'), ('Chur');
      INSERT INTO track VALUES (1, 2, 31), (2, 3, 10), (3, 4, 74), (1, 4, 130), (4, 1, 130);
      INSERT INTO driver (name) VALUES ('Ada'), ('Ben');
      INSERT INTO driver_station VALUES (1, 1), (1, 2), (2, 1);
      """)
    return database
  }
}

// MARK: - What comes of it

@Suite("Example: a railway")
struct RailwayExample {
  private let database: Database

  init() throws { database = try Railway.seeded.get().fork() }

  @Test("finds the stations that matter, and the parts of the network")
  func stations() throws {
    let busiest = try Station.relations.neighbours.pageRank(database).prefix(1).map(\.row.name)
    #expect(busiest == ["Brig"])
    let parts = try Station.relations.neighbours.weakComponents(database)
    #expect(parts.map(\.group) == [1, 1, 1, 1, 2])
    let lost = try Station.relations.tracks.harmonic(database, weight: \.km).last?.row.name
    #expect(lost != nil)
  }

  @Test("finds the cheapest way, of which the rows come")
  func ways() throws {
    let bern = try Station.where { $0.name == "Bern" }.one(database)
    let brig = try Station.where { $0.name == "Brig" }.one(database)
    let way = try Station.relations.tracks
      .dijkstra(database, from: [bern], to: [brig], weight: \.km).first
    #expect(way?.cost == 115)
    #expect(way?.path.map(\.name) == ["Bern", "Thun", "Spiez", "Brig"])

    let second = try Station.relations.tracks
      .kShortestPaths(database, 2, from: bern, to: brig, weight: \.km).last
    #expect(second?.cost == 130)

    // The same in a pattern, where conditions and other tables can stand beside it.
    let cost = try database.fetchOne(
      Double.self,
      """
      SELECT km FROM GRAPH_TABLE (* MATCH p = ANY CHEAPEST
        (a IS station WHERE a.name = 'Bern')-[t IS track WHERE t.km < 100 COST t.km]->+
        (b IS station WHERE b.name = 'Brig') COLUMNS (path_cost(p) AS km))
      """)
    #expect(cost == 115)
  }

  @Test("finds who is alike, and who takes which place")
  func likeness() throws {
    let alike = try Driver.relations.stations.jaccard(database)
    #expect(alike.first?.similarity == 0.5)
    let places = try Driver.relations.stations.matching(database)
    #expect(Set(places.map { "\($0.row.name): \($0.other.name)" }) == ["Ada: Thun", "Ben: Bern"])
  }

  @Test("is asked again when tracks have changed")
  func updates() async throws {
    let railway = database
    var answers = railway.observe { db throws(SQLError) in
      try Station.relations.neighbours.weakComponents(db).map(\.group)
    }.makeAsyncIterator()
    #expect(try await answers.next() == [1, 1, 1, 1, 2])
    try railway.execute("INSERT INTO track VALUES (4, 5, 200)")
    #expect(try await answers.next() == [1, 1, 1, 1, 1])
  }
}
