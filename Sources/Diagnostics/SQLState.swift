/// The five-character code that tells programs what went wrong, as PostgreSQL assigns them.
///
/// Source: PostgreSQL 15, appendix A, "PostgreSQL Error Codes".
public struct SQLState: Hashable, Sendable, CustomStringConvertible {
  /// The five characters.
  public let code: String

  /// The state with this code.
  public init(_ code: String) { self.code = code }

  /// The code.
  public var description: String { code }

  /// The first two characters, which name the class of the state.
  public var classCode: String { String(code.prefix(2)) }
}

extension SQLState {
  // Class 08, 0A, 0L, 21: connection, unsupported, cardinality.
  /// 0A000: feature not supported.
  public static let featureNotSupported = SQLState("0A000")
  /// 21000: cardinality violation.
  public static let cardinalityViolation = SQLState("21000")
  // Class 22: data exception.
  /// 22000: data exception.
  public static let dataException = SQLState("22000")
  /// 22001: string too long.
  public static let stringTooLong = SQLState("22001")
  /// 22003: numeric out of range.
  public static let numericOutOfRange = SQLState("22003")
  /// 22004: null not allowed.
  public static let nullNotAllowed = SQLState("22004")
  /// 22007: invalid datetime format.
  public static let invalidDatetimeFormat = SQLState("22007")
  /// 22008: datetime overflow.
  public static let datetimeOverflow = SQLState("22008")
  /// 22011: substring error.
  public static let substringError = SQLState("22011")
  /// 22012: division by zero.
  public static let divisionByZero = SQLState("22012")
  /// 22026: string length mismatch.
  public static let stringLengthMismatch = SQLState("22026")
  /// 22015: interval overflow.
  public static let intervalOverflow = SQLState("22015")
  /// 2201E: invalid argument for logarithm.
  public static let invalidArgumentForLogarithm = SQLState("2201E")
  /// 2201F: invalid argument for power.
  public static let invalidArgumentForPower = SQLState("2201F")
  /// 2201B: invalid regular expression.
  public static let invalidRegularExpression = SQLState("2201B")
  /// 2201W: invalid row count in limit.
  public static let invalidRowCountInLimit = SQLState("2201W")
  /// 2201X: invalid row count in offset.
  public static let invalidRowCountInOffset = SQLState("2201X")
  /// 22021: character not in repertoire.
  public static let characterNotInRepertoire = SQLState("22021")
  /// 22023: invalid parameter value.
  public static let invalidParameterValue = SQLState("22023")
  /// 22025: invalid escape sequence.
  public static let invalidEscapeSequence = SQLState("22025")
  /// 2202E: array subscript error.
  public static let arraySubscriptError = SQLState("2202E")
  /// 22P02: invalid text representation.
  public static let invalidTextRepresentation = SQLState("22P02")
  /// 22P04: bad copy file format.
  public static let badCopyFileFormat = SQLState("22P04")
  /// 22P05: untranslatable character.
  public static let untranslatableCharacter = SQLState("22P05")
  /// 2200H: sequence limit exceeded.
  public static let sequenceLimitExceeded = SQLState("2200H")
  /// 22032: invalid jsontext.
  public static let invalidJSONText = SQLState("22032")
  // Class 23: integrity constraint violation.
  /// 23001: restrict violation.
  public static let restrictViolation = SQLState("23001")
  /// 23502: not null violation.
  public static let notNullViolation = SQLState("23502")
  /// 23503: foreign key violation.
  public static let foreignKeyViolation = SQLState("23503")
  /// 23505: unique violation.
  public static let uniqueViolation = SQLState("23505")
  /// 23514: check violation.
  public static let checkViolation = SQLState("23514")
  /// 44000: with check option violation.
  public static let withCheckOptionViolation = SQLState("44000")
  // Class 25: invalid transaction state.
  /// 25001: active transaction.
  public static let activeTransaction = SQLState("25001")
  /// 25006: read only transaction.
  public static let readOnlyTransaction = SQLState("25006")
  /// 25P01: no active transaction.
  public static let noActiveTransaction = SQLState("25P01")
  /// 25P02: failed transaction.
  public static let failedTransaction = SQLState("25P02")
  // Class 26, 2B, 34, 3B, 3D, 3F.
  /// A transaction that is not ended where it was tried.
  public static let invalidTransactionTermination = SQLState("2D000")
  /// 26000: invalid statement name.
  public static let invalidStatementName = SQLState("26000")
  /// 2BP01: dependent objects still exist.
  public static let dependentObjectsStillExist = SQLState("2BP01")
  /// 3B001: invalid savepoint.
  public static let invalidSavepoint = SQLState("3B001")
  /// 3F000: invalid schema name.
  public static let invalidSchemaName = SQLState("3F000")
  // Class 40: transaction rollback.
  /// 40001: serialization failure.
  public static let serializationFailure = SQLState("40001")
  /// 40003: statement completion unknown.
  public static let statementCompletionUnknown = SQLState("40003")
  // Class 42: syntax error or access rule violation.
  /// 42501: insufficient privilege.
  public static let insufficientPrivilege = SQLState("42501")
  /// 42601: syntax error.
  public static let syntaxError = SQLState("42601")
  /// 42846: cannot coerce.
  public static let cannotCoerce = SQLState("42846")
  /// 42803: grouping error.
  public static let groupingError = SQLState("42803")
  /// 42P20: windowing error.
  public static let windowingError = SQLState("42P20")
  /// 42P19: invalid recursion.
  public static let invalidRecursion = SQLState("42P19")
  /// 42830: invalid foreign key.
  public static let invalidForeignKey = SQLState("42830")
  /// 42602: invalid name.
  public static let invalidName = SQLState("42602")
  /// 42622: name too long.
  public static let nameTooLong = SQLState("42622")
  /// 42804: datatype mismatch.
  public static let datatypeMismatch = SQLState("42804")
  /// 42P18: indeterminate datatype.
  public static let indeterminateDatatype = SQLState("42P18")
  /// 42P21: collation mismatch.
  public static let collationMismatch = SQLState("42P21")
  /// 42P22: indeterminate collation.
  public static let indeterminateCollation = SQLState("42P22")
  /// 42809: wrong object type.
  public static let wrongObjectType = SQLState("42809")
  /// 428C9: generated always.
  public static let generatedAlways = SQLState("428C9")
  /// 42703: undefined column.
  public static let undefinedColumn = SQLState("42703")
  /// 42883: undefined function.
  public static let undefinedFunction = SQLState("42883")
  /// 42P01: undefined table.
  public static let undefinedTable = SQLState("42P01")
  /// 42P02: undefined parameter.
  public static let undefinedParameter = SQLState("42P02")
  /// 42704: undefined object.
  public static let undefinedObject = SQLState("42704")
  /// 42701: duplicate column.
  public static let duplicateColumn = SQLState("42701")
  /// 42723: duplicate function.
  public static let duplicateFunction = SQLState("42723")
  /// 42P05: duplicate prepared statement.
  public static let duplicatePreparedStatement = SQLState("42P05")
  /// 42P06: duplicate schema.
  public static let duplicateSchema = SQLState("42P06")
  /// 42P07: duplicate table.
  public static let duplicateTable = SQLState("42P07")
  /// 42712: duplicate alias.
  public static let duplicateAlias = SQLState("42712")
  /// 42710: duplicate object.
  public static let duplicateObject = SQLState("42710")
  /// 42702: ambiguous column.
  public static let ambiguousColumn = SQLState("42702")
  /// 42725: ambiguous function.
  public static let ambiguousFunction = SQLState("42725")
  /// 42P10: invalid column reference.
  public static let invalidColumnReference = SQLState("42P10")
  /// 42611: invalid column definition.
  public static let invalidColumnDefinition = SQLState("42611")
  /// 42P13: invalid function definition.
  public static let invalidFunctionDefinition = SQLState("42P13")
  /// 42P16: invalid table definition.
  public static let invalidTableDefinition = SQLState("42P16")
  /// 42P17: invalid object definition.
  public static let invalidObjectDefinition = SQLState("42P17")
  // Class 53, 54, 55, 57, 58: resources, limits, state, intervention, system.
  /// 53100: disk full.
  public static let diskFull = SQLState("53100")
  /// 53200: out of memory.
  public static let outOfMemory = SQLState("53200")
  /// 54000: program limit exceeded.
  public static let programLimitExceeded = SQLState("54000")
  /// 54001: statement too complex.
  public static let statementTooComplex = SQLState("54001")
  /// 54011: too many columns.
  public static let tooManyColumns = SQLState("54011")
  /// 54023: too many arguments.
  public static let tooManyArguments = SQLState("54023")
  /// 34000: invalid cursor name.
  public static let invalidCursorName = SQLState("34000")
  /// 42P03: duplicate cursor.
  public static let duplicateCursor = SQLState("42P03")
  /// 55000: object not in prerequisite state.
  public static let objectNotInPrerequisiteState = SQLState("55000")
  /// 55006: object in use.
  public static let objectInUse = SQLState("55006")
  /// 55P03: lock not available.
  public static let lockNotAvailable = SQLState("55P03")
  /// 57014: query canceled.
  public static let queryCanceled = SQLState("57014")
  /// 58030: io error.
  public static let ioError = SQLState("58030")
  /// 58P01: undefined file.
  public static let undefinedFile = SQLState("58P01")
  /// 58P02: duplicate file.
  public static let duplicateFile = SQLState("58P02")
  // Class XX: internal.
  /// XX000: internal error.
  public static let internalError = SQLState("XX000")
  /// XX001: data corrupted.
  public static let dataCorrupted = SQLState("XX001")
  // Class P0.
  /// P0002: no data found.
  public static let noDataFound = SQLState("P0002")
  /// P0003: too many rows.
  public static let tooManyRows = SQLState("P0003")
}
