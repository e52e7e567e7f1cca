import Catalog
import Diagnostics

extension SQL {
  /// A part of a statement whose text is found with the catalog.
  struct Part: Sendable, Hashable {
    /// What it is.
    enum Content: Sendable, Hashable {
      case query(QueryTree)
      /// A column of a record type.
      case column(RecordSource, ColumnTree)
    }

    /// What stands for it in a text; it is no SQL, so that a part that was forgotten is an error of syntax.
    static let mark = "…"

    /// The byte of the text at which its mark stands.
    let offset: Int
    let content: Content
  }

  /// Whether there are parts whose texts are to be found.
  var hasParts: Bool { !parts.isEmpty }
}

extension SQL.Part.Content {
  /// The text with its values; within a query a column has the name of its table before it.
  ///
  /// - Throws: 42703, 42725, 42830 for columns and relations that the catalog does not have.
  func sql(_ view: CatalogView, _ table: QueryRenderer.Table?) throws(SQLError) -> SQL {
    switch self {
    case .query(let tree): return try QueryRenderer.select(tree, view)
    case .column(let source, let column):
      let layout = try source.layout(view)
      var renderer = QueryRenderer(view)
      if let table, table.layout.definition.id == layout.definition.id {
        try renderer.write(column, table)
      } else if case .property(let property) = column {
        renderer.writer.write(layout.columns[try property.place(in: layout)].name)
      } else {
        try renderer.write(column, QueryRenderer.Table(layout))
      }
      return renderer.writer.sql
    }
  }
}

extension Request {
  /// Whether there are parts whose texts are to be found, or the whole text.
  var hasParts: Bool {
    switch work {
    case .sql(let sql): sql.hasParts
    case .unit(let statements): statements.contains { $0.hasParts }
    case .made: true
    case .look, .load, .rest: false
    }
  }

  /// The request with the texts of all parts in their places.
  ///
  /// - Throws: 42703, 42725, 42830 for columns and relations that the catalog does not have.
  func resolved(_ view: CatalogView) throws(SQLError) -> Request {
    switch work {
    case .sql(let sql): return Request(try sql.resolved(view))
    case .unit(let statements):
      var resolved: [SQL] = []
      for statement in statements { resolved.append(try statement.resolved(view)) }
      return Request(.unit(resolved))
    case .made(let make): return Request(try make(view))
    case .look, .load, .rest: return self
    }
  }
}
