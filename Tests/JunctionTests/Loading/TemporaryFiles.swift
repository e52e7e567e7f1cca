import Foundation

/// A folder of files that is removed in the end.
func withFiles<Result>(
  _ files: [String: String] = [:], _ body: (URL) throws -> Result
) throws -> Result {
  try withFiles(files.mapValues { Data($0.utf8) }, body)
}

/// A folder of files of any bytes that is removed in the end.
func withFiles<Result>(_ files: [String: Data], _ body: (URL) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "junction-load-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  for (name, data) in files { try data.write(to: folder.appending(path: name)) }
  return try body(folder)
}
