/// How the rows of one table belong to those of another, as keys and foreign keys say it.
///
/// A relationship has a direction: each foreign key gives one to the parent and one to the children, and each
/// junction table one either way. Nothing of it is stored; it is derived from a catalog.
package struct Relationship: Sendable, Hashable {
  /// How many rows stand at either end.
  package enum Cardinality: String, Sendable, Hashable {
    case oneToOne = "one-to-one"
    case oneToMany = "one-to-many"
    case manyToOne = "many-to-one"
    case manyToMany = "many-to-many"
  }

  /// The way from a row to the rows that belong to it.
  package enum Route: Sendable, Hashable {
    /// From the child along a foreign key to its parent.
    case toParent(ForeignKeyLink)
    /// From the parent against a foreign key to its children.
    case toChildren(ForeignKeyLink)
    /// Against the first foreign key of a junction table and along its second.
    case throughJunction(near: ForeignKeyLink, far: ForeignKeyLink)
  }

  /// The table that it starts from.
  package let origin: ObjectID
  /// The table that it leads to; the same one in a self-relation.
  package let target: ObjectID
  package let cardinality: Cardinality
  package let route: Route

  /// Whether a row has at most one partner.
  package var isToOne: Bool { cardinality == .oneToOne || cardinality == .manyToOne }

  /// Whether it leads back to its own table.
  package var isSelfRelation: Bool { origin == target }
}

/// One foreign key with the table it stands in.
package struct ForeignKeyLink: Sendable, Hashable {
  /// The table that refers.
  package let child: ObjectID
  /// The table that is referred to.
  package let parent: ObjectID
  /// The name of the constraint.
  package let name: String
  /// Columns of the child, by index.
  package let columns: [Int]
  /// The columns of the parent that they refer to, in the same order.
  package let parentColumns: [Int]

  init(_ key: ForeignKeyConstraint, of child: ObjectID) {
    self.child = child
    parent = key.parent
    name = key.name
    columns = key.columns
    parentColumns = key.parentColumns
  }
}
