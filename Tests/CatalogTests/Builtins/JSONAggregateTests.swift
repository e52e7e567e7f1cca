import Columnar
import Diagnostics
import Testing

@testable import Catalog

@Suite("JSON aggregates and row functions answer as PostgreSQL does")
struct JSONAggregateTests {
  private func record() -> LogicalType {
    .record(RecordType(name: nil, fields: [.init("y", .integer), .init("x", .text)]))
  }

  /// The result of an aggregate over two groups of which the second has no rows.
  private func aggregate(_ name: String, _ columns: [Vector]) throws -> [String?] {
    let types = columns.map(\.type)
    let function = try #require(Builtins.shared.aggregates(named: name).first)
    let accumulator = function.makeAccumulator(types, .json)
    accumulator.grow(to: 2)
    try accumulator.update(groups: nil, arguments: columns, count: columns[0].count)
    let result = try accumulator.results(0..<2)
    return [BuiltinCall.text(result, 0), BuiltinCall.text(result, 1)]
  }

  @Test("for scalars, with NULLs kept and an empty group NULL")
  func scalars() throws {
    let values = try BuiltinCall.vector(.integer, ["1", nil, "3"])
    #expect(try aggregate("json_agg", [values]) == ["[1, null, 3]", nil])
    #expect(try aggregate("jsonb_agg", [values]) == ["[1, null, 3]", nil])
  }

  @Test("for rows, each on a line of its own in json and with sorted keys in jsonb")
  func rows() throws {
    let rows = Vector(
      record(),
      [
        .record([.int32(1), .string("a")]), .null, .record([.int32(2), .null]),
      ])
    #expect(
      try aggregate("json_agg", [rows])[0]
        == "[{\"y\":1,\"x\":\"a\"}, null, \n {\"y\":2,\"x\":null}]")
    #expect(
      try aggregate("jsonb_agg", [rows])[0]
        == #"[{"x": "a", "y": 1}, null, {"x": null, "y": 2}]"#)
  }

  @Test("for objects, whose equal keys only jsonb joins")
  func objects() throws {
    let keys = try BuiltinCall.vector(.text, ["b", "a", "b"])
    let values = try BuiltinCall.vector(.integer, ["1", nil, "3"])
    #expect(
      try aggregate("json_object_agg", [keys, values])[0]
        == #"{ "b" : 1, "a" : null, "b" : 3 }"#)
    #expect(try aggregate("jsonb_object_agg", [keys, values])[0] == #"{"a": null, "b": 3}"#)
    let missing = try BuiltinCall.vector(.text, ["b", nil, "b"])
    #expect(throws: SQLError(.invalidParameterValue, "field name must not be null")) {
      try aggregate("json_object_agg", [missing, values])
    }
  }

  /// The rows of a set-returning function, columns joined by a bar.
  private func rows(_ name: String, _ type: LogicalType, _ text: String) throws -> [String] {
    let function = try #require(
      Builtins.shared.setReturning(named: name).first { $0.arguments[0] == .exact(type) })
    var list: [String] = []
    do {
      try function.makeKernel([type]).rows(
        [try BuiltinCall.vector(type, [text])], BuiltinCall.context
      ) { chunk in
        for row in 0..<chunk.count {
          list.append(
            chunk.columns.map { BuiltinCall.text($0, row) ?? "NULL" }.joined(separator: "|"))
        }
        return true
      }
    } catch let error as SQLError {
      return ["\(error.state.code) \(error.message)"]
    }
    return list
  }

  @Test(
    "for rows of members and elements",
    arguments: [
      ("json_object_keys", #"{"b":1,"a":2,"b":3}"#, ["b", "a", "b"]),
      ("json_each", #"{"a":1,"b":null,"c":"x"}"#, ["a|1", "b|null", #"c|"x""#]),
      ("json_each_text", #"{"a":1,"b":null,"c":"x"}"#, ["a|1", "b|NULL", "c|x"]),
      ("json_array_elements", #"[1,{"a": 2},null]"#, ["1", #"{"a": 2}"#, "null"]),
      ("json_array_elements_text", #"[1,null,"x"]"#, ["1", "NULL", "x"]),
      ("json_object_keys", "[1]", ["22023 cannot call json_object_keys on an array"]),
      ("json_object_keys", "1", ["22023 cannot call json_object_keys on a scalar"]),
      ("json_each", "[1]", ["22023 cannot deconstruct an array as an object"]),
      ("json_each", "1", ["22023 cannot deconstruct a scalar"]),
      ("json_array_elements", "{}", ["22023 cannot call json_array_elements on a non-array"]),
      ("json_array_elements", "1", ["22023 cannot call json_array_elements on a scalar"]),
      ("json_array_elements", "[]", []),
    ])
  func sets(_ name: String, _ text: String, _ expected: [String]) throws {
    #expect(try rows(name, .json, text) == expected)
  }

  @Test(
    "for rows of jsonb",
    arguments: [
      ("jsonb_object_keys", #"{"bb":1,"a":2,"bb":3}"#, ["a", "bb"]),
      ("jsonb_each", "[1]", ["22023 cannot call jsonb_each on a non-object"]),
      ("jsonb_each_text", "1", ["22023 cannot call jsonb_each_text on a non-object"]),
      ("jsonb_array_elements", "{}", ["22023 cannot extract elements from an object"]),
      ("jsonb_array_elements_text", "1", ["22023 cannot extract elements from a scalar"]),
    ])
  func binarySets(_ name: String, _ text: String, _ expected: [String]) throws {
    #expect(try rows(name, .jsonb, text) == expected)
  }
}
