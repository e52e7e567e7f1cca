import Catalog
public import Diagnostics

extension Connection {
  /// The tables of the database as a script for a person to edit, with what was found out about them as remarks.
  ///
  /// - Parameter report: What was looked at when the files were opened: `Database.inference`.
  /// - Returns: what stands in a `schema.sql`.
  public func schemaScript(with report: InferenceReport = InferenceReport()) -> String {
    SchemaScript(catalog: catalog, report: report).text
  }

  /// The statements that make everything in the database but its rows, in an order in which each can be run.
  package var definitions: [String] {
    CatalogDifference(from: CatalogSnapshot(), to: catalog).differences.flatMap(\.statements)
  }

  /// The tables of the database as record types in Swift.
  package var swiftRecords: String { SwiftText(catalog).source }

  /// Writes the tables of the database to a file as a script for a person to edit.
  ///
  /// - Parameters:
  ///   - path: The file, which must not be there: a schema that somebody has edited is not written over.
  ///   - report: What was looked at when the files were opened: `Database.inference`.
  /// - Throws: 58P02 if there is something of this name, 42501, 53100 and 58030 as the system says.
  public func writeSchema(
    to path: String, with report: InferenceReport = InferenceReport()
  ) throws(SQLError) {
    let bytes = Array(schemaScript(with: report).utf8)
    try session.exclusively { () throws(SQLError) in try session.writeNewFile(path, bytes) }
  }

  /// What there is to be said of the files in the last statement that reads files where tables may stand.
  ///
  /// They are read once more, with all of their columns. Keys and references are those that they would get if they were
  /// opened as a database; as parts of a statement they have none.
  ///
  /// - Returns: the account, which is empty if no statement has read a file.
  /// - Throws: 58P01 and 58030 if a file cannot be read any more, 57014 when cancelled.
  public func inferenceOfFiles() throws(SQLError) -> InferenceAccount {
    try session.exclusively { () throws(SQLError) in try session.inferenceOfFiles() }
  }
}

extension Session {
  fileprivate func inferenceOfFiles() throws(SQLError) -> InferenceAccount {
    let evaluation = makeEvaluation()
    return try cancellable(evaluation) { () throws(SQLError) in
      let inference = FileInference(evaluation, standardInput: fileTables.openedStandardInput)
      return try inference.account(of: fileTables.latest)
    }
  }
}
