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
  public static let featureNotSupported = SQLState("0A000")
  public static let cardinalityViolation = SQLState("21000")
  // Class 22: data exception.
  public static let dataException = SQLState("22000")
  public static let stringTooLong = SQLState("22001")
  public static let numericOutOfRange = SQLState("22003")
  public static let nullNotAllowed = SQLState("22004")
  public static let invalidDatetimeFormat = SQLState("22007")
  public static let datetimeOverflow = SQLState("22008")
  public static let substringError = SQLState("22011")
  public static let divisionByZero = SQLState("22012")
  public static let intervalOverflow = SQLState("22015")
  public static let invalidArgumentForLogarithm = SQLState("2201E")
  public static let invalidArgumentForPower = SQLState("2201F")
  public static let invalidRegularExpression = SQLState("2201B")
  public static let invalidRowCountInLimit = SQLState("2201W")
  public static let invalidRowCountInOffset = SQLState("2201X")
  public static let characterNotInRepertoire = SQLState("22021")
  public static let invalidParameterValue = SQLState("22023")
  public static let invalidEscapeSequence = SQLState("22025")
  public static let arraySubscriptError = SQLState("2202E")
  public static let invalidTextRepresentation = SQLState("22P02")
  public static let badCopyFileFormat = SQLState("22P04")
  public static let untranslatableCharacter = SQLState("22P05")
  public static let sequenceLimitExceeded = SQLState("2200H")
  public static let invalidJSONText = SQLState("22032")
  // Class 23: integrity constraint violation.
  public static let restrictViolation = SQLState("23001")
  public static let notNullViolation = SQLState("23502")
  public static let foreignKeyViolation = SQLState("23503")
  public static let uniqueViolation = SQLState("23505")
  public static let checkViolation = SQLState("23514")
  // Class 25: invalid transaction state.
  public static let activeTransaction = SQLState("25001")
  public static let readOnlyTransaction = SQLState("25006")
  public static let noActiveTransaction = SQLState("25P01")
  public static let failedTransaction = SQLState("25P02")
  // Class 26, 2B, 34, 3B, 3D, 3F.
  public static let invalidStatementName = SQLState("26000")
  public static let dependentObjectsStillExist = SQLState("2BP01")
  public static let invalidSavepoint = SQLState("3B001")
  public static let invalidSchemaName = SQLState("3F000")
  // Class 40: transaction rollback.
  public static let serializationFailure = SQLState("40001")
  // Class 42: syntax error or access rule violation.
  public static let syntaxError = SQLState("42601")
  public static let cannotCoerce = SQLState("42846")
  public static let groupingError = SQLState("42803")
  public static let windowingError = SQLState("42P20")
  public static let invalidRecursion = SQLState("42P19")
  public static let invalidForeignKey = SQLState("42830")
  public static let invalidName = SQLState("42602")
  public static let nameTooLong = SQLState("42622")
  public static let datatypeMismatch = SQLState("42804")
  public static let indeterminateDatatype = SQLState("42P18")
  public static let collationMismatch = SQLState("42P21")
  public static let wrongObjectType = SQLState("42809")
  public static let generatedAlways = SQLState("428C9")
  public static let undefinedColumn = SQLState("42703")
  public static let undefinedFunction = SQLState("42883")
  public static let undefinedTable = SQLState("42P01")
  public static let undefinedParameter = SQLState("42P02")
  public static let undefinedObject = SQLState("42704")
  public static let duplicateColumn = SQLState("42701")
  public static let duplicateFunction = SQLState("42723")
  public static let duplicatePreparedStatement = SQLState("42P05")
  public static let duplicateSchema = SQLState("42P06")
  public static let duplicateTable = SQLState("42P07")
  public static let duplicateAlias = SQLState("42712")
  public static let duplicateObject = SQLState("42710")
  public static let ambiguousColumn = SQLState("42702")
  public static let ambiguousFunction = SQLState("42725")
  public static let invalidColumnReference = SQLState("42P10")
  public static let invalidColumnDefinition = SQLState("42611")
  public static let invalidFunctionDefinition = SQLState("42P13")
  public static let invalidTableDefinition = SQLState("42P16")
  public static let invalidObjectDefinition = SQLState("42P17")
  // Class 53, 54, 55, 57, 58: resources, limits, state, intervention, system.
  public static let diskFull = SQLState("53100")
  public static let outOfMemory = SQLState("53200")
  public static let programLimitExceeded = SQLState("54000")
  public static let statementTooComplex = SQLState("54001")
  public static let tooManyColumns = SQLState("54011")
  public static let tooManyArguments = SQLState("54023")
  public static let objectNotInPrerequisiteState = SQLState("55000")
  public static let objectInUse = SQLState("55006")
  public static let lockNotAvailable = SQLState("55P03")
  public static let queryCanceled = SQLState("57014")
  public static let ioError = SQLState("58030")
  public static let undefinedFile = SQLState("58P01")
  public static let duplicateFile = SQLState("58P02")
  // Class XX: internal.
  public static let internalError = SQLState("XX000")
  public static let dataCorrupted = SQLState("XX001")
}
