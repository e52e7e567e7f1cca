extension RestQuery {
  /// Sorts rows by a column, behind those named before; `parent(name)` is a column of a to-one embed.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - ascending: Whether the least value comes first.
  ///   - nullsFirst: Whether NULL comes before all values, and not behind them.
  ///   - referencedTable: The embed whose rows are sorted; the outermost rows without it.
  /// - Returns: The query with that added.
  public func order(
    _ column: String, ascending: Bool = true, nullsFirst: Bool = false,
    referencedTable: String? = nil
  ) -> RestQuery {
    adding(
      .order(
        column, isDescending: !ascending, nulls: nullsFirst ? .first : .last,
        level: referencedTable ?? ""))
  }

  /// Sorts the rows of an embed by a column, behind those named before.
  public func order(
    _ column: String, ascending: Bool = true, nullsFirst: Bool = false, on level: String
  ) -> RestQuery {
    order(column, ascending: ascending, nullsFirst: nullsFirst, referencedTable: level)
  }

  /// The most rows, of each parent if it is an embed's.
  public func limit(_ count: Int, referencedTable: String? = nil) -> RestQuery {
    adding(.parameter(Self.key("limit", referencedTable), String(count)))
  }

  /// The most rows of an embed for each parent.
  public func limit(_ count: Int, on level: String) -> RestQuery {
    limit(count, referencedTable: level)
  }

  /// The rows that are passed over, of each parent if it is an embed's.
  public func offset(_ count: Int, on level: String = "") -> RestQuery {
    adding(.parameter(Self.key("offset", level), String(count)))
  }

  /// The rows between two places, both included and counted from 0, of each parent if they are an embed's.
  public func range(from: Int, to: Int, referencedTable: String? = nil) -> RestQuery {
    let (count, isOver) = to.subtractingReportingOverflow(from)
    return offset(from, on: referencedTable ?? "")
      .limit(isOver || count == .max ? .max : count + 1, referencedTable: referencedTable)
  }

  private static func key(_ name: String, _ level: String?) -> String {
    guard let level, !level.isEmpty else { return name }
    return "\(level).\(name)"
  }
}
