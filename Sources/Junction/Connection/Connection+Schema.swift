public import Diagnostics

extension Connection {
  /// The tables of the database as a script for a person to edit, with what was found out about them as remarks.
  ///
  /// - Parameter report: What was looked at when the files were opened: `Database.inference`.
  /// - Returns: what stands in a `schema.sql`.
  public func schemaScript(with report: InferenceReport = InferenceReport()) -> String {
    SchemaScript(catalog: catalog, report: report).text
  }

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
}
