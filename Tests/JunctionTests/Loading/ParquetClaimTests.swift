import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Files of parquet, of few bytes,")
struct ParquetClaimTests {
  @Test(
    "that claim more rows than fit into memory go into no table, which is said before any is read")
  func vastClaim() throws {
    // Two pages of a hundred bytes say that they have two thousand million rows each, all of them NULL.
    let file = try #require(
      Data(
        base64Encoded:
          "UEFSMRUAFRQVFCwVgNCs8w4VABUGFQYAAAYAAACA0KzzDgAVABUUFRQsFYDQrPMOFQAVBhUGAAAGAAAAgNCs8w4AFQIZ"
          + "LEgGc2NoZW1hFQIAFQIlAhgBeAAWgKDZ5h0ZHBkcJggcFQIZJQAGGRgBeBUAFoCg2eYdFnwWfCYIAAAWfBaAoNnmHQAA"
          + "SAAAAFBBUjE="))
    try withFiles(["vast.parquet": file]) { (folder) throws in
      let connection = Database().connect()
      try connection.execute("SET memory_limit = '1GB'; CREATE TABLE v (x int);")
      for statement in ["COPY v FROM '@'", "CREATE TABLE w AS SELECT * FROM '@'"] {
        var error: SQLError?
        let time = ContinuousClock().measure {
          do {
            try connection.execute(
              statement.replacing("@", with: "\(folder.path)/vast.parquet"))
          } catch let caught as SQLError {
            error = caught
          } catch {}
        }
        #expect(error?.state.code == "53200", "\(statement)")
        #expect(time < .seconds(5), "\(statement)")
      }
      // Who only goes through them needs no memory.
      let first = "SELECT x FROM '@/vast.parquet' LIMIT 1"
      #expect(
        try connection.query(first.replacing("@", with: folder.path)).text(row: 0, column: 0) == nil
      )
    }
  }
}
