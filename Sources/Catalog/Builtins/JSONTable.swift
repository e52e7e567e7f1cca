import Columnar

extension Builtins {
  private static let jsonTypes: [LogicalType] = [.json, .jsonb]

  /// Functions of json and jsonb.
  static var jsonFunctions: [ScalarFunction] {
    jsonTypes.flatMap { jsonFunctions($0) } + jsonbOnly + jsonBuilders
  }

  /// Functions that make JSON of other values.
  private static var jsonBuilders: [ScalarFunction] {
    func convert(
      _ name: String, _ arguments: [ArgumentType], _ style: JSONStyle = .json
    ) -> ScalarFunction {
      ScalarFunction(name, arguments, .exact(style.type), volatility: .stable) { types, _ in
        JSONBuilding.convert(types[0], style)
      }
    }
    let flag = ArgumentType.exact(.boolean)
    let texts = LogicalType.array(.text)
    var list = [
      convert("to_json", [.anyElement]), convert("to_jsonb", [.anyElement], .jsonb),
      convert("row_to_json", [.anyRecord]), convert("row_to_json", [.anyRecord, flag]),
      convert("array_to_json", [.anyArray]), convert("array_to_json", [.anyArray, flag]),
    ]
    for style in [JSONStyle.json, .jsonb] {
      let name = style.type.name
      let object = JSONBuilding.objectOfTexts(style)
      func build(_ what: String, _ makeKernel: @escaping KernelFactory) -> [ScalarFunction] {
        [[], [.any]].map { arguments in
          ScalarFunction(
            "\(name)_build_\(what)", arguments, .exact(style.type),
            isVariadic: !arguments.isEmpty, isStrict: false, volatility: .stable,
            makeKernel: makeKernel)
        }
      }
      list += build("array") { types, _ in JSONBuilding.array(types, style) }
      list += build("object") { types, _ in JSONBuilding.object(types, style) }
      list += [
        ScalarFunction("\(name)_object", [texts], style.type, kernel: object),
        ScalarFunction("\(name)_object", [texts, texts], style.type, kernel: object),
      ]
    }
    return list
  }

  private static func jsonFunctions(_ type: LogicalType) -> [ScalarFunction] {
    let name = type.name
    let json = ArgumentType.exact(type)
    let text = ArgumentType.exact(.text)
    func any(
      _ suffix: String, _ arguments: [ArgumentType], _ result: LogicalType,
      isVariadic: Bool = false, isStrict: Bool = true, _ kernel: @escaping ScalarKernel
    ) -> ScalarFunction {
      ScalarFunction(
        name + suffix, arguments, .exact(result), isVariadic: isVariadic, isStrict: isStrict,
        volatility: .stable
      ) { _, _ in kernel }
    }
    return [
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
    [JSONStyle.json, .jsonb].flatMap { style in
      [("_agg", [ArgumentType.anyElement]), ("_object_agg", [.any, .any])].map {
        suffix, arguments in
        AggregateFunction(
          style.type.name + suffix, arguments, .exact(style.type), isStrict: false,
          isOrderSensitive: true
        ) { types, _ in JSONAccumulator(types, style) }
      }
    }
  }
}
