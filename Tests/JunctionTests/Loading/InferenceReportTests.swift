import Diagnostics
import Foundation
import Junction
import Testing

@Suite("What was looked at to find a schema")
struct InferenceReportTests {
  /// The findings about keys and references of some files, one a line.
  private static func findings(_ files: [String: String]) throws -> [String] {
    try withFiles(files) { (folder) throws in
      try Database(folder: folder.path).inference.findings.filter { $0.kind != .type }.map {
        "\($0.table) \($0.isTaken ? "has" : "lacks") \($0.kind) \($0.subject): \($0.reason)"
      }
    }
  }

  @Test("is told with numbers, also where the rows spoke against it")
  func numbers() throws {
    let found = try Self.findings([
      "author.csv": "id,name\n1,A\n2,B\n2,C\n",
      "book.csv": "id,author_id,main_shelf_id\n10,1,1\n11,5,2\n12,2,7\n",
      "shelf.csv": "id,place\n1,here\n2,there\n",
    ])
    #expect(
      found == [
        "author lacks key (id): 1 of its values stand there already",
        "book has key (id): 3 different values in 3 rows",
        "book lacks reference author_id → author: author has no key of one column",
        "book lacks reference main_shelf_id → shelf.id: 1 of 3 values missing",
        "shelf has key (id): 2 different values in 2 rows",
        "shelf lacks key (place): 2 different values in as many rows, but another is likelier",
      ])
  }

  @Test("is there for the files of the last statement that reads any, whatever of them it asks for")
  func filesOfStatement() throws {
    let files = [
      "author.csv": "id,name\n1,A\n2,B\n", "book.json": #"[{"id": 1, "author_id": 2}]"#,
      "part-1.csv": "n;price\n1;1,5\n", "part-2.csv": "n;price\n2;x\n",
    ]
    try withFiles(files) { (folder) throws in
      let connection = Database().connect()
      func findings() throws -> [String] {
        try connection.inferenceOfFiles().report.findings.map {
          "\($0.table) \($0.isTaken ? "has" : "lacks") \($0.kind) \($0.subject): \($0.reason)"
        }
      }
      #expect(try findings().isEmpty)
      _ = try connection.query(
        "SELECT count(*) FROM '\(folder.path)/author.csv', '\(folder.path)/book.json'")
      _ = try connection.query("SELECT 1")
      #expect(
        try findings() == [
          "author has type id integer: 2 values looked at",
          "author has type name text: 2 values looked at",
          "author has key (id): 2 different values in 2 rows",
          "author lacks key (name): 2 different values in as many rows, but another is likelier",
          "book has type id integer: 1 rows of json",
          "book has type author_id integer: 1 rows of json",
          "book has key (id): 1 different values in 1 rows",
          "book has reference author_id → author.id: all 1 values are there, 1 different ones",
        ])
      _ = try connection.query("SELECT n FROM '\(folder.path)/part-*.csv'")
      #expect(try findings().contains { $0.hasPrefix("part-* has type price text: 2 values") })
      #expect(
        try connection.inferenceOfFiles().notices.filter { $0.message.contains("= 1 loaded") }.count
          == 2)
    }
  }

  @Test("has names that only end alike, which values must bear out beyond chance")
  func endings() throws {
    let found = try Self.findings([
      "airport.csv": "AirportID,city\n3356,x\n91204,y\n771230,z\n9,w\n",
      "flight.csv": "SourceID,crew_id\n3356,1\n91204,2\n771230,3\n3356,2\n",
      "gate.csv": "id,place\n1,a\n2,b\n3,c\n4,a\n900000,b\n",
    ]).filter { $0.contains("reference") }
    #expect(
      found == [
        "flight has reference SourceID → airport.AirportID: all 4 values are there, 3 different ones, "
          + "though the names only end alike",
        "flight lacks reference crew_id → airport.AirportID: 4 of 4 values missing",
        "flight lacks reference crew_id → gate.id: all 3 different values are there, but nearly every "
          + "number is",
      ])
  }

  @Test("has the ends of edges, if only one table has them all")
  func ends() throws {
    let files = [
      "node.csv": "id,label\n1,a\n2,b\n3,a\n", "edge.csv": "src,dst\n1,2\n2,3\n1,3\n",
    ]
    #expect(
      try Self.findings(files).filter { $0.hasPrefix("edge has") } == [
        "edge has key (src, dst): 3 different pairs in 3 rows; a junction table",
        "edge has reference src → node.id: all 3 values are there, 2 different ones, and it is called an end",
        "edge has reference dst → node.id: all 3 values are there, 2 different ones, and it is called an end",
      ])
    let rival = ["place.csv": "id,name\n1,a\n2,b\n3,c\n4,d\n"].merging(files) { $1 }
    #expect(
      try Self.findings(rival).contains(
        "edge lacks reference src → node.id: all values are there, but in 2 tables alike"))
  }

  @Test("has references that only values speak for, to texts that are a key")
  func values() throws {
    let found = try Self.findings([
      "airports.csv": "faa,name\nJFK,Kennedy\nLGA,La Guardia\nEWR,Newark\nX01,None\n",
      "flights.csv": "carrier,origin,dest\nAA,JFK,LGA\nAA,LGA,EWR\nB6,EWR,SJU\n",
      "airlines.csv": "carrier,name\nAA,American\nB6,JetBlue\n",
    ]).filter { $0.contains(" reference ") }
    #expect(
      found == [
        "flights has reference carrier → airlines.carrier: all 3 values are there, 2 different ones",
        "flights has reference origin → airports.faa: all 3 values are there, 3 different ones, and it "
          + "is called an end",
        "flights lacks reference dest → airports.faa: 1 of 3 values missing",
      ])
  }

  @Test("makes text of numbers that name texts")
  func writtenNumbers() throws {
    try withFiles([
      "stops.csv": "stop_id,parent_station\n101,\n101N,101\n103,\n103S,103\n",
      "transfers.csv": "from_stop_id,to_stop_id,seconds\n101,103,60\n103,101,90\n",
    ]) { (folder) throws in
      let database = try Database(folder: folder.path)
      let script = database.connect().schemaScript(with: database.inference)
      #expect(script.contains("    parent_station text,\n"))
      #expect(script.contains("    from_stop_id text,\n"))
      #expect(script.contains("    PRIMARY KEY (from_stop_id, to_stop_id),\n"))
      #expect(script.contains("FOREIGN KEY (parent_station) REFERENCES stops (stop_id)"))
      #expect(
        database.notices.contains {
          $0.message
            == "transfers: to_stop_id references stops (stop_id), inferred; its numbers are text, as the key is"
        })
    }
  }

  @Test("has keys of two columns: what is numbered within something, or dated")
  func pairs() throws {
    let found = try Self.findings([
      "trip.csv": "trip_id,line\nA,x\nB,x\n",
      "stop_times.csv":
        "trip_id,stop,stop_sequence\nA,p,1\nA,q,2\nA,p,3\nB,p,1\nB,q,2\n",
      "exception.csv": "trip_id,date\nA,2024-01-01\nA,2024-01-02\nB,2024-01-01\n",
    ]).filter { $0.contains("has key (") && $0.contains(", ") }
    #expect(
      found == [
        "exception has key (trip_id, date): 3 different pairs in 3 rows",
        "stop_times has key (trip_id, stop_sequence): 5 different pairs in 5 rows",
      ])
  }

  @Test("leaves out first names and what else is no key though all values differ")
  func noKeys() throws {
    let found = try Self.findings([
      "people.csv": "first_name,weight\nAnn,3.5\nBob,4.5\nCy,5.25\n",
      "points.csv": "lon,lat,note\n1.5,2.5,a b\n1.75,2.5,c d\n",
      "place.csv": "place_name,place_code,kind\nOne Hill,A1,x\nTwo Hills,B2,x\n",
    ]).filter { $0.contains("has key") }
    #expect(found == ["place has key (place_code): 2 different values in 2 rows"])
  }

  @Test("is written as a schema, with which the files are the same again")
  func script() throws {
    try withFiles([
      "author.csv": "id,name,born\n1,A,31.12.1950\n2,B,NA\n",
      "Book list.csv":
        "id,main_author_id,price,Read?\n10,1,\"1,234.50\",yes\n11,2,7,no\n12,1,NA,yes\n",
      "mark.csv": "id,author_id\n1,1\n2,9\n",
    ]) { (folder) throws in
      let database = try Database(folder: folder.path)
      let connection = database.connect()
      let script = connection.schemaScript(with: database.inference)
      for line in [
        "CREATE TABLE \"Book list\" (",
        "    born date  -- dates with the day first; \"NA\" for NULL",
        "    price numeric,  -- numbers with marks between thousands; \"NA\" for NULL",
        "-- not taken: reference author_id → author.id: 1 of 2 values missing",
        "    FOREIGN KEY (main_author_id) REFERENCES author (id)",
      ] { #expect(script.contains(line + "\n"), "\(line)") }
      let path = folder.appending(path: "schema.sql").path
      try connection.writeSchema(to: path, with: database.inference)
      let again = try Database(folder: folder.path)
      #expect(again.inference.isEmpty)
      #expect(
        again.connect().schemaScript()
          == script.split(separator: "\n", omittingEmptySubsequences: false)
          .filter { !$0.hasPrefix("-- not") }
          .map { $0.split(separator: "  -- ").first.map(String.init) ?? "" }.joined(separator: "\n")
      )
      let query =
        "SELECT string_agg(concat_ws(' ', id, price, \"Read?\"), '; ' ORDER BY id) FROM \"Book list\""
      #expect(
        try again.connect().query(query).text(row: 0, column: 0) == "10 1234.50 t; 11 7 f; 12 t")
      // What somebody has edited is not written over.
      let error = #expect(throws: SQLError.self) {
        try connection.writeSchema(to: path, with: database.inference)
      }
      #expect(error?.state == .duplicateFile)
    }
  }
}
