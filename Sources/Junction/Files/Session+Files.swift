import Catalog
import Columnar
import Diagnostics
import Execution
import Planning
import SQLSyntax
import Storage
import Synchronization

/// The rows of the files that one statement names: they stay although others may take their place in what is kept.
final class FilesOfStatement: Sendable {
  private let held = Mutex<[ObjectID: TableStore]>([:])

  var stores: [ObjectID: TableStore] { held.withLock { $0 } }

  fileprivate func keep(_ store: TableStore, of id: ObjectID) { held.withLock { $0[id] = store } }
}

extension Session {
  /// Gives the binder of a statement the tables of the files that it names: with the columns that it may ask for, or
  /// with all of them.
  func fileProvider(
    for statement: Statement, _ evaluation: EvaluationContext, areWhole: Bool = false,
    keptIn files: FilesOfStatement? = nil
  ) -> FileTableProvider {
    { [self] (file, isWhole) throws(SQLError) in
      let names = isWhole || areWhole ? .all : statement.namesUsed
      let found = try fileTables.table(
        file.name.name, called: file.alias?.name.name, wanted: { names.mayUse($0, of: $1) },
        evaluation, loadProgress, tell: { notices += $0 })
      files?.keep(found.store, of: found.definition.id)
      return found.definition
    }
  }
}

extension Statement {
  /// Whether only some of a file's columns may have been read for the statement.
  var mayReadFiles: Bool {
    if case .select(let query) = self { return SQLPrinter.text(of: query).contains("'") }
    return false
  }

  /// The names that the statement uses.
  fileprivate var namesUsed: NamesUsed {
    if case .select(let query) = self { return NamesUsed(in: query) }
    return .all
  }
}
