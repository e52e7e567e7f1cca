/// What the generators of schools have in common: streams of numbers, files, people and courses.
struct SchoolFiles {
  let folder: String
  let seed: UInt64

  /// Each table draws from a stream of its own, so that one can change without the others.
  func stream(_ number: UInt64) -> SplitMix {
    SplitMix(seed: seed &* 0x2545_F491_4F6C_DD1D &+ number)
  }

  func writeSchema(_ text: String) throws(BenchError) {
    try FileWriter.makeFolder(folder)
    let schema = FileWriter(path: "\(folder)/schema.sql")
    try schema.open()
    schema.write(text)
    try schema.close()
  }

  func opened(_ table: String, header: String) throws(BenchError) -> FileWriter {
    let file = FileWriter(path: "\(folder)/\(table).csv")
    try file.open()
    file.write(header)
    file.write("\n")
    return file
  }

  /// A number, a first and a last name.
  static func writePerson(_ id: Int, to file: FileWriter, _ random: inout SplitMix) {
    file.write(id)
    file.write(",")
    file.write(Names.first[random.below(Names.first.count)])
    file.write(",")
    file.write(Names.last[random.below(Names.last.count)])
  }

  /// A number, a short code and a name.
  static func writeCourse(_ id: Int, to file: FileWriter, _ random: inout SplitMix) {
    let subject = random.below(Names.subjects.count)
    let theme = random.below(Names.themes.count)
    file.write(id)
    file.write(",")
    file.write(shortCode(id))
    file.write(",")
    // The number keeps names apart, as an order by name would otherwise be no order.
    file.write("\(Names.subjects[subject]) and \(Names.themes[theme]) \(id)")
  }

  /// Three letters, two digits, a letter, such as `AAB01U`: different for each of a million courses.
  static func shortCode(_ id: Int) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".unicodeScalars)
    let kinds = Array("UMCOE".unicodeScalars)
    let number = id / 100
    var code = String.UnicodeScalarView()
    code.append(letters[number / 676 % 26])
    code.append(letters[number / 26 % 26])
    code.append(letters[number % 26])
    let digits = id % 100
    code.append(contentsOf: (digits < 10 ? "0\(digits)" : "\(digits)").unicodeScalars)
    code.append(kinds[id % kinds.count])
    return String(code)
  }

  /// The courses by popularity, which has nothing to do with their numbers: ranks are dealt out at random.
  static func ranked(_ courses: Int, _ random: inout SplitMix) -> [Int] {
    var ranked = Array(1...courses)
    for index in stride(from: courses - 1, to: 0, by: -1) {
      ranked.swapAt(index, random.below(index + 1))
    }
    return ranked
  }
}
