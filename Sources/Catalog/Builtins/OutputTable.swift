import Columnar
import SQLSyntax

extension Builtins {
  /// Whether a word needs quotes to be a name.
  private static let isKeyword: @Sendable (String) -> Bool = { word in
    Keyword(word).map { $0.category != .unreserved } ?? false
  }

  /// Functions that write values of any type.
  static var outputFunctions: [ScalarFunction] {
    func any(
      _ name: String, _ arguments: [ArgumentType], isVariadic: Bool = false, isStrict: Bool = false,
      result: LogicalType = .text, _ kernel: @escaping ScalarKernel
    ) -> ScalarFunction {
      ScalarFunction(
        name, arguments, .exact(result), isVariadic: isVariadic, isStrict: isStrict,
        volatility: result == .text ? .stable : .immutable
      ) { _, _ in kernel }
    }
    let text = ArgumentType.exact(.text)
    return [
      any("concat", [.any], isVariadic: true, OutputFunctions.concatenate),
      any("concat_ws", [text, .any], isVariadic: true, OutputFunctions.concatenateSeparated),
      any("format", [text], OutputFunctions.format(isKeyword: isKeyword)),
      any(
        "format", [text, .any], isVariadic: true, OutputFunctions.format(isKeyword: isKeyword)),
      any("array_to_string", [.anyArray, text], isStrict: true, OutputFunctions.joinList),
      any("array_to_string", [.anyArray, text, text], OutputFunctions.joinList),
      any(
        "quote_literal", [.anyElement], isStrict: true,
        OutputFunctions.quoteLiteral(isNullable: false)),
      any("quote_nullable", [.anyElement], OutputFunctions.quoteLiteral(isNullable: true)),
      any(
        "num_nulls", [.any], isVariadic: true, result: .integer,
        OutputFunctions.countNulls(isPresent: false)),
      any(
        "num_nonnulls", [.any], isVariadic: true, result: .integer,
        OutputFunctions.countNulls(isPresent: true)),
      ScalarFunction(
        "quote_ident", [.text], .text, kernel: CodeFunctions.quoteIdentifier(isKeyword: isKeyword)),
    ]
  }

  /// Functions of regular expressions.
  static var regexFunctions: [ScalarFunction] {
    var list: [ScalarFunction] = [
      ScalarFunction("similar_to_escape", [.text], .text, kernel: SimilarPattern.regularExpression),
      ScalarFunction(
        "similar_to_escape", [.text, .text], .text, kernel: SimilarPattern.regularExpression),
      ScalarFunction("substring", [.text, .text], .text, kernel: RegexFunctions.substring),
      ScalarFunction(
        "regexp_replace", [.text, .text, .text], .text, kernel: RegexFunctions.replace),
      ScalarFunction(
        "regexp_replace", [.text, .text, .text, .text], .text, kernel: RegexFunctions.replace),
    ]
    for count in 2...3 {
      let texts = Array(repeating: LogicalType.text, count: count)
      list += [
        ScalarFunction("regexp_match", texts, .array(.text), kernel: RegexFunctions.match),
        ScalarFunction("regexp_like", texts, .boolean, kernel: RegexFunctions.matches()),
        ScalarFunction("regexp_split_to_array", texts, .array(.text), kernel: RegexFunctions.split),
      ]
    }
    func add(
      _ name: String, _ arguments: [LogicalType], atLeast least: Int, _ result: LogicalType,
      _ kernel: @escaping ScalarKernel
    ) {
      list += (least...arguments.count).map { count in
        ScalarFunction(name, Array(arguments.prefix(count)), result, kernel: kernel)
      }
    }
    add(
      "regexp_count", [.text, .text, .integer, .text], atLeast: 2, .integer, RegexFunctions.count)
    add(
      "regexp_instr", [.text, .text, .integer, .integer, .integer, .text, .integer], atLeast: 2,
      .integer, RegexFunctions.position)
    add(
      "regexp_substr", [.text, .text, .integer, .integer, .text, .integer], atLeast: 2, .text,
      RegexFunctions.matchText)
    add(
      "regexp_replace", [.text, .text, .text, .integer, .integer, .text], atLeast: 4, .text,
      RegexFunctions.replaceFrom)
    return list
  }

  static var regexOperators: [OperatorFunction] {
    let symbols: [(String, Bool, Bool)] = [
      ("~", false, false), ("~*", true, false), ("!~", false, true), ("!~*", true, true),
    ]
    return [LogicalType.text, .character, .name].flatMap { type in
      symbols.map { symbol, ignoresCase, negated in
        OperatorFunction(
          symbol, type, .text, .boolean,
          kernel: RegexFunctions.matches(ignoringCase: ignoresCase, negated: negated))
      }
    }
  }

  /// Functions that make rows of the matches of regular expressions.
  static var regexRows: [SetReturningFunction] {
    (2...3).flatMap { count in
      let texts = Array(repeating: ArgumentType.exact(.text), count: count)
      return [
        SetReturningFunction(
          "regexp_matches", texts, [.init("regexp_matches", .exact(.array(.text)))]
        ) { _ in RegexFunctions.allMatches },
        SetReturningFunction(
          "regexp_split_to_table", texts, [.init("regexp_split_to_table", .exact(.text))]
        ) { _ in RegexFunctions.splitRows },
      ]
    }
  }
}
