import Catalog

/// The names that PostgreSQL gives to what the statement leaves nameless.
enum GeneratedNames {
  /// The most bytes of a name.
  static let byteLimit = 63

  /// `first_second_label`, with the longer of the first two cut until the whole fits.
  static func join(_ first: String, _ second: String?, _ label: String?) -> String {
    var head = Array(first.utf8)
    var middle = Array((second ?? "").utf8)
    let fixed = (second == nil ? 0 : 1) + (label.map { $0.utf8.count + 1 } ?? 0)
    while head.count + middle.count + fixed > byteLimit {
      if head.count > middle.count { cut(&head) } else { cut(&middle) }
    }
    var name = String(decoding: head, as: UTF8.self)
    if second != nil { name += "_" + String(decoding: middle, as: UTF8.self) }
    if let label { name += "_" + label }
    return name
  }

  /// Takes the last character away.
  private static func cut(_ bytes: inout [UInt8]) {
    while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
  }

  /// The first of `label`, `label1`, `label2`, … whose name is free.
  static func choose(
    _ first: String, _ second: String?, _ label: String, isTaken: (String) -> Bool
  ) -> String {
    var number = 0
    while true {
      let name = join(first, second, number == 0 ? label : "\(label)\(number)")
      if !isTaken(name) { return name }
      number += 1
    }
  }

  /// The part of an index's name that its columns give: `a_b`, cut where it grows past the limit.
  static func columnPart(_ columns: [String]) -> String {
    var part = ""
    for column in columns {
      if !part.isEmpty { part += "_" }
      part += column
      if part.utf8.count >= byteLimit { break }
    }
    return part
  }
}

extension DefinitionExecutor {
  /// Whether a relation, index or constraint of the schema has this name.
  func isConstraintNameTaken(_ name: String, schema: String) -> Bool {
    catalog.tables.values.contains {
      $0.name.schema == schema && $0.constraintNames.contains(name)
    }
  }

  /// A free name for a relation, such as the sequence of a serial column.
  func freeRelationName(
    _ first: String, _ second: String, _ label: String, schema: String, besides: [String] = []
  ) -> String {
    GeneratedNames.choose(first, second, label) { name in
      besides.contains(name) || catalog.isRelationNameTaken(ObjectName(schema: schema, name))
    }
  }
}
