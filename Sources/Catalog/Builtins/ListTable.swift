import Columnar

extension Builtins {
  /// Functions of arrays.
  static var listFunctions: [ScalarFunction] {
    func list(
      _ name: String, _ arguments: [ArgumentType], _ result: ResultType, isStrict: Bool = true,
      _ kernel: @escaping ScalarKernel
    ) -> ScalarFunction {
      ScalarFunction(name, arguments, result, isStrict: isStrict) { _, _ in kernel }
    }
    let integer = ArgumentType.exact(.integer)
    let text = ArgumentType.exact(.text)
    let number = ResultType.exact(.integer)
    return [
      list("array_length", [.anyArray, integer], number, ListFunctions.measure(.length)),
      list("cardinality", [.anyArray], number, ListFunctions.measure(.cardinality)),
      list("array_lower", [.anyArray, integer], number, ListFunctions.measure(.lower)),
      list("array_upper", [.anyArray, integer], number, ListFunctions.measure(.upper)),
      list("array_ndims", [.anyArray], number, ListFunctions.measure(.dimensions)),
      list("array_dims", [.anyArray], .exact(.text), ListFunctions.dimensionText),
      list(
        "array_append", [.anyArray, .anyElement], .anyArray, isStrict: false, ListFunctions.append),
      list(
        "array_prepend", [.anyElement, .anyArray], .anyArray, isStrict: false,
        ListFunctions.prepend),
      list(
        "array_cat", [.anyArray, .anyArray], .anyArray, isStrict: false, ListFunctions.concatenate),
      list(
        "array_remove", [.anyArray, .anyElement], .anyArray, isStrict: false, ListFunctions.replace),
      list(
        "array_replace", [.anyArray, .anyElement, .anyElement], .anyArray, isStrict: false,
        ListFunctions.replace),
      list(
        "array_position", [.anyArray, .anyElement], number, isStrict: false, ListFunctions.position),
      list(
        "array_position", [.anyArray, .anyElement, integer], number, isStrict: false,
        ListFunctions.position),
      list(
        "array_positions", [.anyArray, .anyElement], .exact(.array(.integer)), isStrict: false,
        ListFunctions.positions),
      list("trim_array", [.anyArray, integer], .anyArray, ListFunctions.trim),
      list(
        "array_fill", [.anyElement, .exact(.array(.integer))], .anyArray, isStrict: false,
        ListFunctions.fill),
      list(
        "string_to_array", [text, text], .exact(.array(.text)), isStrict: false,
        ListFunctions.split),
      list(
        "string_to_array", [text, text, text], .exact(.array(.text)), isStrict: false,
        ListFunctions.split),
    ]
  }

  /// Functions of enumerated types.
  static var enumerationFunctions: [ScalarFunction] {
    [("enum_first", false), ("enum_last", true)].map { name, isLast in
      ScalarFunction(name, [.anyEnum], .anyElement, isStrict: false) { types, _ in
        EnumerationFunctions.extreme(types[0], isLast: isLast)
      }
    }
      + [1, 2].map { count in
        ScalarFunction(
          "enum_range", Array(repeating: .anyEnum, count: count), .anyArray, isStrict: false
        ) { types, _ in EnumerationFunctions.range(types[0]) }
      }
  }

  /// Operators of arrays.
  static var listOperators: [OperatorFunction] {
    let sets: [(String, ListFunctions.SetComparison)] = [
      ("@>", .contains), ("<@", .containedBy), ("&&", .overlaps),
    ]
    return sets.map { symbol, comparison in
      OperatorFunction(symbol, .anyArray, .anyArray, .exact(.boolean)) { _, _ in
        ListFunctions.compareSets(comparison)
      }
    } + [
      OperatorFunction("||", .anyArray, .anyArray, .anyArray, isStrict: false) { _, _ in
        ListFunctions.concatenate
      },
      OperatorFunction("||", .anyArray, .anyElement, .anyArray, isStrict: false) { _, _ in
        ListFunctions.append
      },
      OperatorFunction("||", .anyElement, .anyArray, .anyArray, isStrict: false) { _, _ in
        ListFunctions.prepend
      },
    ]
  }

  /// Functions that make rows of arrays, texts and bounds.
  static var seriesFunctions: [SetReturningFunction] {
    var list: [SetReturningFunction] = []
    for type in [LogicalType.integer, .bigint, .numeric] {
      for count in [2, 3] {
        list.append(
          SetReturningFunction(
            "generate_series", Array(repeating: .exact(type), count: count),
            [.init("generate_series", .exact(type))]
          ) { _ in
            type == .numeric ? SeriesFunctions.exactNumbers : SeriesFunctions.wholeNumbers(type)
          })
      }
    }
    list += [LogicalType.timestamp, .timestamptz].map { type in
      SetReturningFunction(
        "generate_series", [.exact(type), .exact(type), .exact(.interval)],
        [.init("generate_series", .exact(type))],
        volatility: type == .timestamptz ? .stable : .immutable
      ) { _ in SeriesFunctions.timestamps(type) }
    }
    list.append(
      SetReturningFunction("unnest", [.anyArray], [.init("unnest", .anyElement)]) { _ in
        SeriesFunctions.unnest
      })
    let subscripts: [[ArgumentType]] = [
      [.anyArray, .exact(.integer)], [.anyArray, .exact(.integer), .exact(.boolean)],
    ]
    list += subscripts.map { arguments in
      SetReturningFunction(
        "generate_subscripts", arguments, [.init("generate_subscripts", .exact(.integer))]
      ) { _ in SeriesFunctions.subscripts }
    }
    list += [2, 3].map { count in
      SetReturningFunction(
        "string_to_table", Array(repeating: .exact(.text), count: count),
        [.init("string_to_table", .exact(.text))], isStrict: false
      ) { _ in SeriesFunctions.splitText }
    }
    return list
  }
}
