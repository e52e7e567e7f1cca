import Diagnostics
import Foundation
import Junction
import JunctionFoundation
import Testing

@Suite("Foundation's types")
struct FoundationTypesTests {
  struct Everything: Codable, Hashable {
    var date: Date
    var uuid: UUID
    var data: Data
    var price: Decimal
    var link: URL
    var dates: [Date]
    var nothing: Date?
  }

  private static func sample() throws -> Everything {
    Everything(
      date: Date(timeIntervalSince1970: 1_700_000_000.123456), uuid: UUID(),
      data: Data([0, 255, 1]),
      price: try #require(Decimal(string: "-12345678901234567890.1234567")),
      link: try #require(URL(string: "https://example.org/a?b=c%20d#e")),
      dates: [Date(timeIntervalSince1970: 0), .distantFuture, .distantPast], nothing: nil)
  }

  private struct Photo: Record, Hashable {
    var id: UUID?
    var takenAt: Date
    var bytes: Data?
    var price: Decimal
    var source: URL
  }

  @Test("have columns of their own in tables of records")
  func schema() throws {
    let database = Database()
    let schema = Schema(Photo.self)
    #expect(
      try schema.sql == """
        CREATE TABLE photo (
          id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
          taken_at timestamptz NOT NULL,
          bytes bytea,
          price numeric NOT NULL,
          source text NOT NULL
        );
        """)
    try schema.create(database)
    #expect(try schema.differences(database) == [])
    let sample = try Self.sample()
    let photo = try Photo(
      takenAt: sample.date, bytes: sample.data, price: sample.price, source: sample.link
    ).inserted(database)
    #expect(photo.id != nil)
    #expect(try photo.refreshed(database) == photo)
  }

  @Test("are values, and properties of what is decoded")
  func roundTrip() throws {
    let database = Database()
    let sample = try Self.sample()
    let rows = try database.query(
      """
      SELECT \(sample.date)::timestamptz AS date, \(sample.uuid)::uuid AS uuid,
        \(sample.data)::bytea AS data, \(sample.price)::numeric AS price, \(sample.link)::text AS link,
        \(sample.dates)::timestamptz[] AS dates, NULL::timestamptz AS nothing
      """)
    let back = try #require(try rows.decode(Everything.self).first)
    #expect(abs(back.date.timeIntervalSince(sample.date)) < 1e-6)
    var rounded = sample
    rounded.date = back.date
    #expect(back == rounded)
    #expect(try rows.first?.date as Date? == back.date)
    #expect(try database.fetchOne(Date.self, "SELECT \(back.date)::timestamptz") == back.date)
  }

  @Test("are what to_json writes, in JSON as well")
  func json() throws {
    let database = Database()
    var sample = try Self.sample()
    sample.date = Date(timeIntervalSince1970: 1_700_000_000.5)
    sample.dates = [sample.date]
    let back = try database.fetchOne(
      JSON<Everything>.self, "SELECT \(JSON(sample))::jsonb")
    #expect(back.value == sample)
    struct Wrapped: Decodable { let row: Everything }
    let written = try database.fetchOne(
      Wrapped.self,
      """
      SELECT to_jsonb(t) - 'data' || jsonb_build_object('data', '[0, 255, 1]'::jsonb) AS row FROM (
        SELECT \(sample.date)::timestamptz AS date, \(sample.uuid)::uuid AS uuid,
          \(sample.price)::numeric AS price, \(sample.link)::text AS link,
          \(sample.dates)::timestamptz[] AS dates) t
      """)
    #expect(written.row == sample)
  }

  @Test("refuse what they cannot hold")
  func refusals() throws {
    let database = Database()
    for (type, query, state) in [
      (Decimal.self, "SELECT 'Infinity'::numeric", SQLState.numericOutOfRange),
      (Date.self, "SELECT 'x'", .datatypeMismatch),
      (UUID.self, "SELECT 1", .datatypeMismatch),
      (URL.self, "SELECT ''", .invalidTextRepresentation),
    ] as [(any SQLValueConvertible.Type, String, SQLState)] {
      func fetch<Value: SQLValueConvertible>(_ type: Value.Type) -> SQLError? {
        #expect(throws: SQLError.self) { try database.fetchAll(type, SQL(raw: query)) }
      }
      #expect(fetch(type)?.state == state, "\(query)")
    }
    #expect(try database.fetchOne(Decimal.self, "SELECT 'NaN'::numeric").isNaN)
  }

  @Test("round to the microsecond")
  func rounding() throws {
    for seconds in [0.0000004, 0.0000006, -0.0000006, 1.9999996, 1e9 + 0.25] {
      guard case .timestamp(let moment) = Date(timeIntervalSinceReferenceDate: seconds).sqlValue
      else {
        Issue.record("no timestamp")
        continue
      }
      let expected = ((seconds + 366 * 86_400) * 1e6).rounded(.toNearestOrEven)
      #expect(Double(moment.microsecondsSince2000) == expected)
    }
    #expect(Date(timeIntervalSince1970: .infinity).sqlValue == .timestamp(.infinity))
    #expect(Date(timeIntervalSince1970: -1e300).sqlValue == .timestamp(.negativeInfinity))
  }
}
