/// A parameter of a built-in function that a call may name.
package struct BuiltinParameter: Sendable {
  package let name: String
  /// What it is if a call leaves it out, as text that any type is read from; nil if it may not be left out.
  package let defaultValue: String?
}

extension Builtins {
  /// The parameters of the functions of a name, as PostgreSQL calls them; functions of the name with fewer of them
  /// leave out the last.
  ///
  /// Most functions have none: nobody can name their arguments.
  package static func parameters(of name: String) -> [BuiltinParameter] {
    (parameterNames[name] ?? []).map { part in
      let pieces = part.split(separator: "=", maxSplits: 1).map(String.init)
      return BuiltinParameter(name: pieces[0], defaultValue: pieces.count > 1 ? pieces[1] : nil)
    }
  }

  private static let parameterNames: [String: [String]] = {
    let clock = ["year", "month", "mday", "hour", "min", "sec"]
    var names: [String: [String]] = [
      "make_interval": [
        "years=0", "months=0", "weeks=0", "days=0", "hours=0", "mins=0", "secs=0",
      ],
      "make_date": ["year", "month", "day"],
      "make_time": ["hour", "min", "sec"],
      "make_timestamp": clock,
      "make_timestamptz": clock + ["timezone"],
      "jsonb_insert": ["jsonb_in", "path", "replacement", "insert_after=false"],
      "jsonb_set": ["jsonb_in", "path", "replacement", "create_if_missing=true"],
    ]
    for type in ["json", "jsonb"] {
      for function in ["each", "each_text", "array_elements", "array_elements_text"] {
        names["\(type)_\(function)"] = ["from_json"]
      }
    }
    return names
  }()
}
