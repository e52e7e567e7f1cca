extension Selection where Row: Record {
  /// Each row with those that belong to it, in one statement.
  ///
  /// ```swift
  /// let courses = try Course.all.with(\.students).fetch(db)
  /// for course in courses { print(course.name ?? "", course.related.count) }
  /// ```
  public func with<To: Record>(
    _ relation: KeyPath<Row.Relations, ToMany<Row, To>>
  ) -> Query<With<Row, [To]>> { with(relation) { $0 } }

  /// Each row with those that belong to it, as a query over them has it; its order and limit are for each row.
  ///
  /// ```swift
  /// let courses = try Course.all.with(\.students) { $0.order(by: \.lastName).limit(3) }.fetch(db)
  /// ```
  public func with<To: Record, Inner: Decodable & Sendable>(
    _ relation: KeyPath<Row.Relations, ToMany<Row, To>>, _ refine: (Query<To>) -> Query<Inner>
  ) -> Query<With<Row, [Inner]>> {
    let declaration = Row.relations[keyPath: relation].declaration
    return embedding(.rows(declaration, refine(To.all).tree))
  }

  /// Each row with those that belong to it, and the rows of the junction table.
  public func with<Link: Record, To: Record>(
    _ relation: KeyPath<Row.Relations, ToManyThrough<Row, Link, To>>
  ) -> Query<With<Row, [Linked<Link, To>]>> {
    let declaration = Row.relations[keyPath: relation].declaration
    return embedding(.linked(declaration, To.all.tree))
  }

  /// Each row with the one that belongs to it, nil if there is none.
  public func with<To: Record>(
    _ relation: KeyPath<Row.Relations, ToOne<Row, To>>
  ) -> Query<With<Row, To?>> {
    embedding(.row(Row.relations[keyPath: relation].declaration, To.all.tree))
  }

  /// Each row with the number of those that belong to it.
  public func withCount<To: Record>(
    of relation: KeyPath<Row.Relations, ToMany<Row, To>>
  ) -> Query<With<Row, Int>> {
    embedding(.count(Row.relations[keyPath: relation].declaration))
  }

  private func embedding<Related>(_ content: Embed.Content) -> Query<With<Row, Related>> {
    var tree = query.tree
    tree.embeds.append(Embed(name: With<Row, Related>.columnName, content: content))
    return Query(tree)
  }

  /// The rows in another shape: a struct whose properties are columns and, as arrays or structs, relations.
  ///
  /// ```swift
  /// struct CourseCard: Decodable, Sendable {
  ///   var id: Int
  ///   var name: String
  ///   var students: [StudentCard]
  /// }
  /// let cards = try Course.order(by: \.shortCode).shaped(as: CourseCard.self).fetch(db)
  /// ```
  ///
  /// A property is a column of its name, else a relation of `Relations`, else one of the catalog by the name of the table that it leads to, singular
  /// or plural. In a row that is reached through a junction table, `link` is the junction's row. Only what the struct names is
  /// read, in one statement; without an order of its own, each list is in that of the key.
  ///
  /// When the query is run it throws 42703 for a property that is neither a column nor a relation, and 54000 for a shape that
  /// holds itself.
  public func shaped<Shape: Decodable & Sendable>(as shape: Shape.Type = Shape.self) -> Query<Shape>
  {
    var tree = query.tree
    tree.shape = ShapeTree.of(shape)
    return Query(tree)
  }
}
