/// The identity of a table, view, sequence, function or type, never used again in one database.
package struct ObjectID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let number: UInt32

  package init(_ number: UInt32) { self.number = number }

  package static func < (left: ObjectID, right: ObjectID) -> Bool { left.number < right.number }

  package var description: String { String(number) }
}

/// A name with the schema it lives in.
package struct ObjectName: Hashable, Sendable {
  package var schema: String
  package var name: String

  package init(schema: String = "public", _ name: String) {
    self.schema = schema
    self.name = name
  }
}
