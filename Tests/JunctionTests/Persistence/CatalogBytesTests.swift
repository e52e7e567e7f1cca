import Catalog
import Columnar
import Diagnostics
import Durability
import Foundation
import Junction
import Testing

@Suite("A catalog put into bytes")
struct CatalogBytesTests {
  static func bytes(of catalog: CatalogSnapshot) -> [UInt8] {
    var writer = ByteWriter()
    catalog.encode(into: &writer)
    return writer.bytes
  }

  static func catalog(from bytes: [UInt8]) throws(SQLError) -> CatalogSnapshot {
    var reader = ByteReader(bytes)
    let catalog = try CatalogSnapshot(decoding: &reader)
    try reader.finish()
    return catalog
  }

  /// What is lost or changed on the way through bytes; nil if nothing is.
  static func loss(of catalog: CatalogSnapshot) -> String? {
    let durable = catalog.withoutTemporaries
    let bytes = bytes(of: catalog)
    do {
      try durable.checkConsistency()
      let copy = try Self.catalog(from: bytes)
      if Self.bytes(of: copy) != bytes { return "other bytes the second time" }
      return CatalogPortrait.difference(CatalogPortrait(durable), CatalogPortrait(copy))
    } catch {
      return "\(error.message) \(error.detail ?? "")"
    }
  }

  @Test(
    "comes out as it was after each statement of a file", arguments: SpecificationFile.some(from: 2)
  )
  func specification(_ file: SpecificationFile) {
    let connection = Database().connect()
    var version = connection.catalog.version
    for record in file.records {
      _ = try? connection.query(record.sql)
      if connection.catalog.version == version { continue }
      version = connection.catalog.version
      let loss = Self.loss(of: connection.catalog)
      #expect(loss == nil, "\(file.name).test:\(record.line): \(loss ?? "")")
      if loss != nil { return }
    }
  }

  @Test(
    "comes out as it was with the schema of a data set",
    arguments: ["books", "conference", "projects", "school"])
  func dataset(_ name: String) throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Datasets/\(name)/schema.sql")
    let connection = Database().connect()
    try connection.execute(try String(contentsOf: url, encoding: .utf8))
    #expect(!connection.catalog.tables.isEmpty)
    #expect(Self.loss(of: connection.catalog) == nil)
  }

  @Test("comes out as it was, whatever kinds of objects it has")
  func rich() throws {
    let connection = Database().connect()
    try connection.execute(RichCatalog.sql)
    let catalog = connection.catalog
    #expect(Self.loss(of: catalog) == nil)
    let copy = try Self.catalog(from: Self.bytes(of: catalog))
    #expect(copy.version != catalog.version)
    // A type is one object wherever it occurs.
    guard case .enumeration(let mood)? = copy.type(schema: nil, named: "mood")?.kind,
      case .table(let person)? = copy.relation(schema: nil, "person"),
      case .enumeration(let ofColumn) = person.columns[2].type
    else {
      Issue.record("the enumeration or its column is missing")
      return
    }
    #expect(mood === ofColumn)
  }

  @Test("leaves out what ends with a session, and what hangs on it")
  func temporaries() throws {
    let connection = Database().connect()
    try connection.execute(RichCatalog.sql)
    let before = Self.bytes(of: connection.catalog)
    try connection.execute(RichCatalog.temporaries)
    let copy = try Self.catalog(from: Self.bytes(of: connection.catalog))
    let old = try Self.catalog(from: before)
    #expect(CatalogPortrait.difference(CatalogPortrait(old), CatalogPortrait(copy)) == nil)
  }

  @Test("is refused wherever it is cut off")
  func truncations() throws {
    let connection = Database().connect()
    try connection.execute(RichCatalog.sql)
    let bytes = Self.bytes(of: connection.catalog)
    for count in 0..<bytes.count {
      #expect(throws: SQLError.self, "cut off at \(count)") {
        try Self.catalog(from: Array(bytes[..<count]))
      }
    }
  }

  @Test("is refused or consistent whatever bytes are changed", arguments: 0..<4)
  func mutations(_ lane: Int) throws {
    let connection = Database().connect()
    try connection.execute(RichCatalog.sql)
    let bytes = Self.bytes(of: connection.catalog)
    let text = ProcessInfo.processInfo.environment["JUNCTION_DURABILITY_CASES"]
    let count = (text.flatMap { Int($0) } ?? 400) / 4
    var accepted = 0
    for number in 0..<count {
      let seed = UInt64(lane * 1_000_000 + number)
      var random = GraphRandom(state: seed)
      var changed = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) { Self.change(&changed, &random) }
      guard let copy = try? Self.catalog(from: changed) else { continue }
      accepted += 1
      let loss = Self.loss(of: copy)
      #expect(loss == nil, "seed \(seed): \(loss ?? "")")
    }
    #expect(accepted < count)
  }

  /// Changes, doubles, takes away or puts in a few bytes.
  private static func change(_ bytes: inout [UInt8], _ random: inout GraphRandom) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: bytes.indices, using: &random)
    let end = min(bytes.count, place + Int.random(in: 1...8, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes[place] &+= Bool.random(using: &random) ? 1 : 255
    case 3: bytes.removeSubrange(place..<end)
    case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
    default:
      let other = Int.random(in: bytes.indices, using: &random)
      bytes.swapAt(place, other)
    }
  }
}
