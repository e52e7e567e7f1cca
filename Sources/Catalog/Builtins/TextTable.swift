import Columnar

extension Builtins {
  /// Functions of texts and byte strings.
  static var textFunctions: [ScalarFunction] { measuring + cutting + coding }

  private static var measuring: [ScalarFunction] {
    var list: [ScalarFunction] = []
    for name in ["length", "char_length", "character_length"] {
      list.append(ScalarFunction(name, [.text], .integer, kernel: TextFunctions.length))
      list.append(ScalarFunction(name, [.character], .integer, kernel: TextFunctions.length))
    }
    list += [
      ScalarFunction("length", [.bytea], .integer, kernel: TextFunctions.octetLength),
      ScalarFunction("octet_length", [.text], .integer, kernel: TextFunctions.octetLength),
      ScalarFunction("octet_length", [.character], .integer, kernel: TextFunctions.octetLength),
      ScalarFunction("octet_length", [.bytea], .integer, kernel: TextFunctions.octetLength),
      ScalarFunction("bit_length", [.text], .integer, kernel: TextFunctions.bitLength),
      ScalarFunction("bit_length", [.bytea], .integer, kernel: TextFunctions.bitLength),
      ScalarFunction("strpos", [.text, .text], .integer, kernel: TextFunctions.position),
      ScalarFunction("position", [.text, .text], .integer, kernel: TextFunctions.position),
      ScalarFunction("position", [.bytea, .bytea], .integer, kernel: TextFunctions.position),
      ScalarFunction("starts_with", [.text, .text], .boolean, kernel: TextFunctions.startsWith),
      ScalarFunction("ascii", [.text], .integer, kernel: CodeFunctions.ascii),
    ]
    return list
  }

  private static var cutting: [ScalarFunction] {
    var list: [ScalarFunction] = [
      ScalarFunction("lower", [.text], .text, kernel: TextFunctions.lower),
      ScalarFunction("upper", [.text], .text, kernel: TextFunctions.upper),
      ScalarFunction("initcap", [.text], .text, kernel: TextFunctions.initialCapitals),
      ScalarFunction("left", [.text, .integer], .text, kernel: TextFunctions.left),
      ScalarFunction("right", [.text, .integer], .text, kernel: TextFunctions.right),
      ScalarFunction("replace", [.text, .text, .text], .text, kernel: TextFunctions.replace),
      ScalarFunction("translate", [.text, .text, .text], .text, kernel: TextFunctions.translate),
      ScalarFunction("repeat", [.text, .integer], .text, kernel: TextFunctions.repeat),
      ScalarFunction("reverse", [.text], .text, kernel: TextFunctions.reverse),
      ScalarFunction(
        "split_part", [.text, .text, .integer], .text, kernel: TextFunctions.splitPart),
      ScalarFunction(
        "overlay", [.text, .text, .integer], .text, kernel: TextFunctions.overlay),
      ScalarFunction(
        "overlay", [.text, .text, .integer, .integer], .text, kernel: TextFunctions.overlay),
    ]
    list.append(
      ScalarFunction(
        "substring", [.text, .text, .text], .text, kernel: SimilarPattern.substring))
    for name in ["substr", "substring"] {
      for type in [LogicalType.text, .bytea] {
        list.append(
          ScalarFunction(name, [type, .integer], type, kernel: TextFunctions.substring))
        list.append(
          ScalarFunction(name, [type, .integer, .integer], type, kernel: TextFunctions.substring))
      }
    }
    let sides: [(String, TextFunctions.Side)] = [
      ("btrim", .both), ("ltrim", .start), ("rtrim", .end),
    ]
    for (name, side) in sides {
      list.append(ScalarFunction(name, [.text], .text, kernel: TextFunctions.trim(side)))
      list.append(ScalarFunction(name, [.text, .text], .text, kernel: TextFunctions.trim(side)))
      list.append(ScalarFunction(name, [.bytea, .bytea], .bytea, kernel: TextFunctions.trim(side)))
    }
    for (name, side) in [("lpad", TextFunctions.Side.start), ("rpad", .end)] {
      list.append(ScalarFunction(name, [.text, .integer], .text, kernel: TextFunctions.pad(side)))
      list.append(
        ScalarFunction(name, [.text, .integer, .text], .text, kernel: TextFunctions.pad(side)))
    }
    return list
  }

  private static var coding: [ScalarFunction] {
    [
      ScalarFunction("chr", [.integer], .text, kernel: CodeFunctions.character),
      ScalarFunction("to_hex", [.integer], .text, kernel: CodeFunctions.toHex),
      ScalarFunction("to_hex", [.bigint], .text, kernel: CodeFunctions.toHex),
      ScalarFunction("md5", [.text], .text, kernel: CodeFunctions.md5),
      ScalarFunction("md5", [.bytea], .text, kernel: CodeFunctions.md5),
      ScalarFunction("sha224", [.bytea], .bytea, kernel: CodeFunctions.sha256(is224: true)),
      ScalarFunction("sha256", [.bytea], .bytea, kernel: CodeFunctions.sha256(is224: false)),
      ScalarFunction("encode", [.bytea, .text], .text, kernel: CodeFunctions.encode),
      ScalarFunction("decode", [.text, .text], .bytea, kernel: CodeFunctions.decode),
      ScalarFunction("quote_literal", [.text], .text, kernel: CodeFunctions.quoteLiteral),
      ScalarFunction(
        "quote_nullable", [.text], .text, isStrict: false, kernel: CodeFunctions.quoteNullable),
      ScalarFunction("like_escape", [.text, .text], .text, kernel: LikeFunctions.escape),
    ]
  }

  /// Operators of texts and byte strings.
  static var textOperators: [OperatorFunction] {
    var list: [OperatorFunction] = [
      OperatorFunction("||", .text, .text, .text, kernel: TextFunctions.concatenate),
      OperatorFunction("||", .bytea, .bytea, .bytea, kernel: TextFunctions.concatenate),
      OperatorFunction("^@", .text, .text, .boolean, kernel: TextFunctions.startsWith),
    ]
    for type in [LogicalType.text, .character, .name] {
      list += [
        OperatorFunction("~~", type, .text, .boolean, kernel: LikeFunctions.like()),
        OperatorFunction("!~~", type, .text, .boolean, kernel: LikeFunctions.like(negated: true)),
        OperatorFunction(
          "~~*", type, .text, .boolean, kernel: LikeFunctions.like(ignoringCase: true)),
        OperatorFunction(
          "!~~*", type, .text, .boolean,
          kernel: LikeFunctions.like(ignoringCase: true, negated: true)),
      ]
    }
    return list
  }
}
