import Foundation
import Junction

/// The databases that come with the project, each opened once.
///
/// A test takes a fork: a database of its own that begins with what was opened, and costs next to nothing.
enum Datasets {
  static let school = Result { try open("school") }
  static let projects = Result { try open("projects") }
  static let books = Result { try open("books") }

  private static func open(_ name: String) throws -> Database {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try Database(folder: root.appendingPathComponent("Datasets/\(name)").path)
  }
}
