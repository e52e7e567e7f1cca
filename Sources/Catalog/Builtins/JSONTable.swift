import Columnar

extension Builtins {
  private static let jsonTypes: [LogicalType] = [.json, .jsonb]

  /// Functions of json and jsonb.
  static var jsonFunctions: [ScalarFunction] { jsonTypes.flatMap { jsonFunctions($0) } + jsonbOnly }

  private static func jsonFunctions(_ type: LogicalType) -> [ScalarFunction] {
    let name = type.name
    let json = ArgumentType.exact(type)
    let text = ArgumentType.exact(.text)
    let texts = ArgumentType.exact(.array(.text))
    func any(
      _ suffix: String, _ arguments: [ArgumentType], _ result: LogicalType,
      isVariadic: Bool = false, isStrict: Bool = true, _ kernel: @escaping ScalarKernel
    ) -> ScalarFunction {
      ScalarFunction(
        name + suffix, arguments, .exact(result), isVariadic: isVariadic, isStrict: isStrict,
        volatility: .stable
      ) { _, _ in kernel }
    }
    var list: [ScalarFunction] = [
      ScalarFunction("to_" + name, [.anyElement], .exact(type), volatility: .stable) { _, _ in
        JSONFunctions.convert(type)
      },
      any(
        "_build_object", [.any], type, isVariadic: true, isStrict: false,
        JSONFunctions.buildObject(type)),
      any(
        "_build_array", [.any], type, isVariadic: true, isStrict: false,
        JSONFunctions.buildArray(type)),
      any("_object", [texts], type, JSONFunctions.objectFromLists(type)),
      any("_object", [texts, texts], type, JSONFunctions.objectFromLists(type)),
      any("_typeof", [json], .text, JSONFunctions.typeName),
      any("_array_length", [json], .integer, JSONFunctions.arrayLength),
      any("_strip_nulls", [json], type, JSONFunctions.stripNulls(type)),
      any(
        "_extract_path", [json, text], type, isVariadic: true,
        JSONFunctions.path(type, asText: false)),
      any(
        "_extract_path_text", [json, text], .text, isVariadic: true,
        JSONFunctions.path(type, asText: true)),
    ]
    if type == .json {
      list += ["row_to_json", "array_to_json"].map { name in
        ScalarFunction(name, [.anyElement], .exact(.json), volatility: .stable) { _, _ in
          JSONFunctions.convert(.json)
        }
      }
    }
    return list
  }

  private static var jsonbOnly: [ScalarFunction] {
    let path = LogicalType.array(.text)
    return [
      ScalarFunction("jsonb_pretty", [.jsonb], .text, kernel: JSONFunctions.pretty),
      ScalarFunction(
        "jsonb_set", [.jsonb, path, .jsonb], .jsonb, kernel: JSONBFunctions.edit(.set)),
      ScalarFunction(
        "jsonb_set", [.jsonb, path, .jsonb, .boolean], .jsonb, kernel: JSONBFunctions.edit(.set)),
      ScalarFunction(
        "jsonb_insert", [.jsonb, path, .jsonb], .jsonb, kernel: JSONBFunctions.edit(.insert)),
      ScalarFunction(
        "jsonb_insert", [.jsonb, path, .jsonb, .boolean], .jsonb,
        kernel: JSONBFunctions.edit(.insert)),
    ]
  }

  /// Operators of json and jsonb.
  static var jsonOperators: [OperatorFunction] {
    let path = LogicalType.array(.text)
    var list: [OperatorFunction] = []
    for type in jsonTypes {
      for (suffix, asText) in [("", false), (">", true)] {
        let result: LogicalType = asText ? .text : type
        list += [
          OperatorFunction(
            "->" + suffix, type, .text, result,
            kernel: JSONFunctions.arrow(type, byIndex: false, asText: asText)),
          OperatorFunction(
            "->" + suffix, type, .integer, result,
            kernel: JSONFunctions.arrow(type, byIndex: true, asText: asText)),
          OperatorFunction(
            "#>" + suffix, type, path, result, kernel: JSONFunctions.path(type, asText: asText)),
        ]
      }
    }
    list += [
      OperatorFunction(
        "@>", .jsonb, .jsonb, .boolean, kernel: JSONBFunctions.contains(isSwapped: false)),
      OperatorFunction(
        "<@", .jsonb, .jsonb, .boolean, kernel: JSONBFunctions.contains(isSwapped: true)),
      OperatorFunction("?", .jsonb, .text, .boolean, kernel: JSONBFunctions.hasKey),
      OperatorFunction("?|", .jsonb, path, .boolean, kernel: JSONBFunctions.hasKeys(all: false)),
      OperatorFunction("?&", .jsonb, path, .boolean, kernel: JSONBFunctions.hasKeys(all: true)),
      OperatorFunction("||", .jsonb, .jsonb, .jsonb, kernel: JSONBFunctions.concatenate),
      OperatorFunction("#-", .jsonb, path, .jsonb, kernel: JSONBFunctions.edit(.delete)),
    ]
    list += [LogicalType.text, .integer, path].map { type in
      OperatorFunction("-", .jsonb, type, .jsonb, kernel: JSONBFunctions.remove)
    }
    return list
  }

  /// Set-returning functions of json and jsonb.
  static var jsonRows: [SetReturningFunction] {
    jsonTypes.flatMap { type -> [SetReturningFunction] in
      func rows(
        _ suffix: String, _ content: JSONRows.Content, _ columns: [SetReturningFunction.Column],
        asText: Bool = false
      ) -> SetReturningFunction {
        let name = type.name + suffix
        return SetReturningFunction(name, [.exact(type)], columns) { _ in
          JSONRows.rows(content, type, asText: asText, name: name)
        }
      }
      return [
        rows("_object_keys", .keys, [.init(type.name + "_object_keys", .exact(.text))]),
        rows("_each", .members, [.init("key", .exact(.text)), .init("value", .exact(type))]),
        rows(
          "_each_text", .members, [.init("key", .exact(.text)), .init("value", .exact(.text))],
          asText: true),
        rows("_array_elements", .elements, [.init("value", .exact(type))]),
        rows("_array_elements_text", .elements, [.init("value", .exact(.text))], asText: true),
      ]
    }
  }

  /// The aggregates that make json and jsonb.
  static var jsonAggregates: [AggregateFunction] {
    jsonTypes.flatMap { type in
      [
        AggregateFunction(type.name + "_agg", [.anyElement], .exact(type), isStrict: false) {
          types, _ in JSONAccumulator(types: types, resultType: type)
        },
        AggregateFunction(type.name + "_object_agg", [.any, .any], .exact(type), isStrict: false) {
          types, _ in JSONAccumulator(types: types, resultType: type)
        },
      ]
    }
  }
}
